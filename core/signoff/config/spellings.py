"""The several spellings of one setting, brought to the one that the models have.

The documents that the format comes from write some things in two ways: ``shell_default`` and ``shell_rules`` or
``shell``, a list of custom tools or a mapping, ``write_approval`` or ``approval: {write: …}``. All are read;
two of them for one thing are a contradiction. ``tools`` means two things: as a mapping single tools, as a list the
servers of `tool_servers`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from signoff.setting_files.document import Document
from signoff.setting_files.errors import Mark
from signoff.setting_files.paths import KeyPath, dotted, shown

__all__ = ["Respelled", "respell"]

_APPROVAL = {"required": True, "none": False}


@dataclass(slots=True)
class Respelled:
    """The values of a file in one spelling.

    Attributes:
        document: The file; what is wrong with it is noted there.
        values: What the models are made from.
        origins: For the beginning of a path in `values`, how it begins in the file.
    """

    document: Document
    values: dict[str, Any]
    origins: dict[KeyPath, KeyPath] = field(default_factory=dict)

    def as_written(self, path: KeyPath) -> KeyPath:
        """The path in the file of a path in the values."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                return self.origins[path[:end]] + path[end:]
        return path

    def has(self, path: KeyPath) -> bool:
        """Whether there is something at a path of the values."""
        return self.as_written(path) in self.document.marks or any(
            origin[: len(path)] == path for origin in self.origins
        )

    def place(self, path: KeyPath) -> tuple[Mark | None, str]:
        """Where a value stands in the file, and its dotted key there."""
        written = self.as_written(path)
        return self.document.mark_of(written), dotted(written)


def respell(document: Document) -> Respelled:
    """Bring a file to one spelling.

    What cannot be brought there is noted in `document.problems` and left out, so that the rest can be checked.
    """
    if not isinstance(document.value, dict):
        kind = {list: "a list", type(None): "nothing"}.get(type(document.value), "a single value")
        document.complain((), f'must hold keys with values, such as "approval_mode: interactive", not {kind}')
        return Respelled(document, {})
    respelled = Respelled(document, {})
    for key, value in document.value.items():
        if value is None:
            if not document.complained((key,)):
                document.complain((key,), "says nothing; give a value, or leave the key out")
        else:
            respelled.values[key] = value
    _tool_servers(respelled)
    _policy_mode(respelled)
    _tools_without_settings(respelled)
    _shell(respelled)
    _custom_tools(respelled)
    _path_approvals(respelled)
    _settled_twice(respelled)
    return respelled


def _clash(document: Document, path: KeyPath, other: KeyPath) -> None:
    """Note that two keys say the same thing."""
    mark, other_mark = document.mark_of(path), document.mark_of(other)
    if mark and other_mark and mark < other_mark:
        path, other, other_mark = other, path, mark
    line = other_mark.line if other_mark else 0
    document.complain(path, f'says the same as "{dotted(other)}" in line {line}; give one of them')


def _shell(respelled: Respelled) -> None:
    """``shell_default`` and ``shell_rules`` become ``shell``."""
    values, document = respelled.values, respelled.document
    block: dict[str, Any] = {}
    for key, name in (("shell_default", "default"), ("shell_rules", "rules")):
        if key not in values:
            continue
        setting = values.pop(key)
        if "shell" in values:
            _clash(document, (key,), ("shell",))
        else:
            block[name] = setting
            respelled.origins["shell", name] = (key,)
    if block:
        values["shell"] = block


def _tool_servers(respelled: Respelled) -> None:
    """``tools`` that is a list becomes ``tool_servers``."""
    values = respelled.values
    if not isinstance(values.get("tools"), list):
        return
    servers = values.pop("tools")
    if "tool_servers" in values:
        _clash(respelled.document, ("tools",), ("tool_servers",))
    else:
        values["tool_servers"] = servers
        respelled.origins[("tool_servers",)] = ("tools",)


def _policy_mode(respelled: Respelled) -> None:
    """``approval_mode: policy`` becomes ``approval_policies``, and a person answers."""
    values = respelled.values
    if values.get("approval_mode") == "policy":
        values["approval_mode"] = "interactive"
        values.setdefault("approval_policies", {})


def _tools_without_settings(respelled: Respelled) -> None:
    """A tool with nothing behind it is named, and has no settings."""
    for section in ("custom_tools", "tools"):
        tools = respelled.values.get(section)
        if isinstance(tools, dict):
            respelled.values[section] = {name: {} if tool is None else tool for name, tool in tools.items()}


def _custom_tools(respelled: Respelled) -> None:
    """A list becomes a mapping."""
    tools, document = respelled.values.get("custom_tools"), respelled.document
    if not isinstance(tools, list):
        return
    settings: dict[str, Any] = {}
    for i, name in enumerate(tools):
        path: KeyPath = ("custom_tools", i)
        if not isinstance(name, str) or not name:
            document.complain(path, "must be the name of a function; with settings, write a mapping, no list")
        elif name in settings:
            document.complain(path, f'"{name}" is in the list twice')
        else:
            settings[name] = {}
            respelled.origins["custom_tools", name] = path
    respelled.values["custom_tools"] = settings


def _path_approvals(respelled: Respelled) -> None:
    """``approval: {write: required}`` becomes ``write_approval: true``."""
    sandbox = respelled.values.get("sandbox")
    paths = sandbox.get("paths") if isinstance(sandbox, dict) else None
    for name, settings in paths.items() if isinstance(paths, dict) else ():
        path: KeyPath = ("sandbox", "paths", name)
        if not isinstance(settings, dict):
            continue
        block = settings.pop("approval", {})
        if not isinstance(block, dict):
            respelled.document.complain((*path, "approval"), 'must name "read" or "write", or both')
            continue
        for operation, answer in block.items():
            _path_approval(respelled, settings, (*path, "approval", operation), answer)


def _path_approval(respelled: Respelled, settings: dict[str, Any], path: KeyPath, answer: object) -> None:
    document = respelled.document
    *before, _, operation = path
    flag: KeyPath = (*before, f"{operation}_approval")
    if operation not in ("read", "write"):
        document.complain(path, 'is unknown; what can be approved is "read" and "write"')
    elif not isinstance(answer, str) or answer not in _APPROVAL:
        document.complain(path, f'must be "required" or "none", not {shown(answer)}')
    elif flag[-1] in settings:
        _clash(document, path, flag)
    else:
        settings[str(flag[-1])] = _APPROVAL[answer]
        respelled.origins[flag] = path


def _settled_twice(respelled: Respelled) -> None:
    """A tool is spoken about in ``tools`` or in ``custom_tools``."""
    tools, custom = respelled.values.get("tools"), respelled.values.get("custom_tools")
    if not isinstance(tools, dict) or not isinstance(custom, dict):
        return
    for name, settings in custom.items():
        if name in tools and isinstance(settings, dict) and "approval" in settings:
            _clash(respelled.document, ("custom_tools", name, "approval"), ("tools", name))
