"""Write the reference of the public names, one page for each kind of reader, from their docstrings."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parent.parent
PAGES: dict[str, tuple[str, dict[str, Sequence[str]]]] = {
    "reference-tools.md": (
        "Reference for tool authors",
        {
            "signoff.asked_calls": ("ask", "asks"),
            "signoff.testing": (),
            "signoff.types": (),
            "signoff.effects": ("Command", "Confinement", "Effect", "FileEdit", "FileWrite", "SnapshotError"),
            "signoff.decorators": (),
            "signoff.execution": (),
            "signoff.controller.callbacks": ("truncate_for_display",),
            "signoff.tools.file_sandbox": (),
            "signoff.tools.shell": (),
            "signoff.tools.custom": (),
            "signoff.tools.os_profile": ("OSProfileConfig", "derive_os_sandbox_profile"),
            "signoff.tools.os_sandbox": (),
            "signoff.confine.profile": ("OSProfile", "PathAccess", "PathMap"),
            "signoff.tools.workers": (),
            "signoff.adapters.pydantic_ai": (),
            "signoff.adapters.langchain": (),
            "signoff.adapters.openai_agents": (),
            "signoff.adapters.claude_agent_sdk": (),
            "signoff.adapters.mcp": (),
            "signoff.adapters.connectonion": (),
            "signoff.config": (),
        },
    ),
    "reference-frameworks.md": (
        "Reference for framework authors",
        {
            "signoff.controller": (),
            "signoff.session_memory": ("ApprovalMemory", "RememberedApproval"),
            "signoff.approval_rules": ("ApprovalNeeds", "Question", "default_setting"),
            "signoff.approved_call": (),
            "signoff.tool_definition": (),
            "signoff.policy.tool_rules": ("ApprovalPolicies", "CallPolicy", "NameRules", "ServerRules"),
            "signoff.canonical": ("NotJsonError", "canonical", "digest"),
            "signoff.connection": (),
            "signoff.modes": (),
            "signoff.expiry": (),
        },
    ),
    "reference-queue.md": ("Reference of the queue", {"signoff.queue": ()}),
}
"""Each page with its title and modules; of a module the names that are listed, or all that it exports."""

_INTRODUCTION = """\
# {title}

Made from the docstrings by `make api`.{hint}
"""
_HINT = " Most names of the first four modules can also be imported from `signoff` itself."


def render(page: str) -> str:
    """One page."""
    loader = griffe.GriffeLoader(search_paths=[ROOT / "core"], docstring_parser=griffe.Parser.google)
    package = loader.load("signoff")
    loader.resolve_aliases(external=False)
    title, modules = PAGES[page]
    lines = [_INTRODUCTION.format(title=title, hint=_HINT if "signoff.types" in modules else "")]
    for name, wanted in modules.items():
        lines += _module(package[name.removeprefix("signoff.")], wanted)
    return "\n".join(lines).rstrip() + "\n"


def _module(module: griffe.Module | griffe.Object | griffe.Alias, wanted: Sequence[str]) -> Iterator[str]:
    yield f"## {module.path}\n"
    yield from _docstring(module)
    for name in sorted(wanted or map(str, module.exports or ()), key=str.lower):
        member = module.members.get(name)
        if member is not None and (member.is_class or member.is_function or member.has_docstring):
            yield from _member(member, "###")


def _member(member: griffe.Object | griffe.Alias, heading: str) -> Iterator[str]:
    yield f"{heading} {member.name}\n"
    yield from _signature(member)
    yield from _docstring(member)
    if member.is_class:
        yield from _fields(member)
        for inner in _public(member):
            if inner.is_function and inner.has_docstring:
                yield from _member(inner, f"{heading}#")


def _fields(member: griffe.Object | griffe.Alias) -> Iterator[str]:
    """The attributes that the docstring of the class does not list."""
    sections = member.docstring.parsed if member.docstring is not None else []
    listed = any(section.kind is griffe.DocstringSectionKind.attributes for section in sections)
    attributes = [inner for inner in _public(member) if inner.is_attribute and inner.name != "model_config"]
    told = [inner for inner in attributes if inner.has_docstring or (inner.annotation is not None and not listed)]
    for inner in told:
        words = f": {_one_line(inner)}" if inner.has_docstring else ""
        yield f"- `{inner.name}`{_annotation(inner)}{words}"
    if told:
        yield ""


def _public(member: griffe.Object | griffe.Alias) -> list[griffe.Object | griffe.Alias]:
    members = member.members.items()
    return [inner for name, inner in members if not name.startswith("_") and not inner.is_imported]


def _signature(member: griffe.Object | griffe.Alias) -> Iterator[str]:
    parameters = _parameters(member)
    if parameters is None:
        return
    returns = f" -> {member.returns}" if member.is_function and member.returns is not None else ""
    yield f"```python\n{member.name}({', '.join(parameters)}){returns}\n```\n"


def _parameters(member: griffe.Object | griffe.Alias) -> list[str] | None:
    function = member.members.get("__init__") if member.is_class else member
    if function is None or not function.is_function:
        return None
    shown: list[str] = []
    for parameter in function.parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is griffe.ParameterKind.keyword_only and not any(each.startswith("*") for each in shown):
            shown.append("*")
        shown.append(_parameter(parameter))
        if parameter.kind is griffe.ParameterKind.positional_only:
            shown.append("/")
    return shown


def _parameter(parameter: griffe.Parameter) -> str:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(
        parameter.kind or griffe.ParameterKind.positional_or_keyword, ""
    )
    annotation = f": {parameter.annotation}" if parameter.annotation is not None else ""
    default = f" = {parameter.default}" if parameter.default is not None and not stars else ""
    return f"{stars}{parameter.name}{annotation}{default}"


def _docstring(member: griffe.Object | griffe.Alias) -> Iterator[str]:
    if member.docstring is None:
        return
    for section in member.docstring.parsed:
        yield from _section(section)


def _section(section: griffe.DocstringSection) -> Iterator[str]:
    kind, value = section.kind, section.value
    if kind is griffe.DocstringSectionKind.text:
        yield f"{value}\n"
    elif kind in (griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.attributes):
        yield from _list(kind.value.capitalize(), [(f"`{item.name}`", item.description) for item in value])
    elif kind is griffe.DocstringSectionKind.raises:
        yield from _list("Raises", [(f"`{item.annotation}`", item.description) for item in value])
    elif kind is griffe.DocstringSectionKind.returns:
        yield f"Returns: {' '.join(' '.join(item.description.split()) for item in value)}\n"


def _list(title: str, items: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield f"{title}:\n"
    for name, description in items:
        yield f"- {name}: {' '.join(description.split())}"
    yield ""


def _annotation(member: griffe.Object | griffe.Alias) -> str:
    return f" ({member.annotation})" if member.annotation is not None else ""


def _one_line(member: griffe.Object | griffe.Alias) -> str:
    return " ".join(member.docstring.value.split()) if member.docstring is not None else ""


if __name__ == "__main__":
    for page in PAGES:
        (ROOT / "docs" / page).write_text(render(page), encoding="utf-8")
        sys.stdout.write(f"wrote docs/{page}\n")
