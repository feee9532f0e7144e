"""The report on a settings file: facts and rows of rules. No code of the project is run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from signoff.config.load import TOOLS_FILE, DefinedTool, UnreadableToolsError, defined_tools
from signoff.config.models import (
    AgentConfig,
    PatternConfig,
    PolicyConfig,
    ToolArgumentsConfig,
    ToolServer,
)
from signoff.policy.shell.programs import broad_commands
from signoff.policy.shell.rule_coverage import knows_arguments
from signoff.policy.shell.syntax_model import Word
from signoff.policy.shell.wrappers import judges_inner, runs_any_program
from signoff.settings_yaml import KeyPath
from signoff.tools.roots import PathConfig
from signoff.tools.shell import Judgement, judge, judge_all
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule

__all__ = [
    "Answer",
    "CallRule",
    "CustomToolFacts",
    "Report",
    "RootFacts",
    "RuleFacts",
    "RuleRow",
    "Section",
    "ToolAnswer",
    "describe",
    "policy_facts",
    "policy_rows",
    "rule_rows",
]


Answer = Literal["runs", "asks", "blocked"]
"""The answer to a call: it runs without a question, it has to be approved, or it never runs."""

ToolAnswer = Answer | Literal["unclear"]
"""The same for code that is not run here: the answer may be unclear."""


@dataclass(frozen=True, slots=True)
class RootFacts:
    """A directory of the sandbox.

    Attributes:
        path: Absolute, with every link resolved.
        exists: True if there is a directory now; a missing one covers nothing.
    """

    name: str
    path: str
    exists: bool
    config: PathConfig

    @property
    def reading(self) -> Answer:
        """The answer to a call that reads a file or lists the directory."""
        return "asks" if self.config.read_approval else "runs"

    @property
    def writing(self) -> Answer:
        """The answer to a call that writes a file."""
        if self.config.mode == "ro":
            return "blocked"
        return "asks" if self.config.write_approval else "runs"


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """A rule of the shell.

    Attributes:
        decided: The judgement on its words as a command, or if it covers any arguments or runs any program, on all
            commands that begin with them; None if these are blocked.
        opened: The words of a command that it lets through and that its author may not expect; empty if none is
            known.
    """

    rule: ShellRule
    decided: Judgement | None
    opened: str = ""

    @property
    def answer(self) -> Answer:
        """The answer of the rule."""
        return answer_of(self.rule)


@dataclass(frozen=True, slots=True)
class CustomToolFacts:
    """A function that becomes a tool.

    Attributes:
        approval: The setting, in whichever section; None leaves it to the mark.
        found: The definition of the name in `tools.py`, if there is one.
    """

    name: str
    approval: str | None
    found: DefinedTool | None

    @property
    def answer(self) -> ToolAnswer:
        """The answer to its calls, as far as can be seen without running code."""
        match self.approval:
            case "deny":
                return "blocked"
            case "required":
                return "asks"
            case "none":
                return "runs"
        if self.found is not None and self.found.doubt is not None:
            return "unclear"
        return "asks" if self.found is not None and self.found.marked else "runs"


@dataclass(frozen=True, slots=True)
class Report:
    """All rights that a settings file gives.

    Attributes:
        directory: The base of relative paths, absolute.
        tools_file: Reason why a needed `tools.py` cannot be used, or None.
        functions: Public functions of `tools.py`, if it is needed; a name that is not there may have meant one of
            them.
    """

    config: AgentConfig
    directory: str
    roots: tuple[RootFacts, ...]
    rules: tuple[RuleFacts, ...]
    custom_tools: tuple[CustomToolFacts, ...]
    tools_file: str | None
    functions: tuple[str, ...]


def describe(config: AgentConfig, directory: str | os.PathLike[str]) -> Report:
    """Report the rights that a configuration gives.

    Looks at names on the disk, and into `tools.py` if there are custom tools.

    Args:
        config: The settings.
        directory: The directory of their file.
    """
    base = os.path.realpath(directory)
    paths = config.sandbox.paths if config.sandbox else {}
    defined, trouble = _defined_tools(config, base)
    return Report(
        config,
        base,
        roots=tuple(_root(name, path, base) for name, path in paths.items()),
        rules=tuple(_facts(config.shell, rule) for rule in _rules(config)),
        custom_tools=_custom_tools(config, defined),
        tools_file=trouble,
        functions=tuple(name for name, tool in defined.items() if tool.function and not name.startswith("_")),
    )


def answer_of(rule: ShellDefault) -> Answer:
    """Return the answer of a rule, or of the default, to the commands that it is about."""
    if not rule.allowed:
        return "blocked"
    return "asks" if rule.approval else "runs"


def _rules(config: AgentConfig) -> tuple[ShellRule, ...]:
    return config.shell.rules if config.shell else ()


def _root(name: str, config: PathConfig, base: str) -> RootFacts:
    path = os.path.realpath(os.path.join(base, config.root))  # noqa: PTH118 - as `Roots` does
    return RootFacts(name, path, os.path.isdir(path), config)  # noqa: PTH112


def _facts(shell: ShellConfig | None, rule: ShellRule) -> RuleFacts:
    assert shell is not None
    opened = ""
    try:
        if answer_of(rule) != "runs" or not (rule.any_arguments or runs_any_program(_words(rule))):
            decided = _judged(shell, shlex.join(rule.words), rule.sandbox_paths)
        elif not (decided := judge_all(shell, rule)).asks and rule.any_arguments:
            opened = next((each for each in broad_commands(rule.words) if _runs(shell, each)), "")
    except PermissionError:
        decided = None
    return RuleFacts(rule, decided, opened)


def _words(rule: ShellRule) -> list[Word]:
    return [Word(word) for word in rule.words]


def _runs(shell: ShellConfig, command: str) -> bool:
    try:
        return not _judged(shell, command).asks
    except PermissionError:
        return False


def _judged(shell: ShellConfig, command: str, paths_in: tuple[str, ...] = ()) -> Judgement:
    """The judgement on a command whose paths are where a rule wants them."""
    return judge(shell, command, lambda _, names: tuple(names) == paths_in)


def _defined_tools(config: AgentConfig, base: str) -> tuple[dict[str, DefinedTool], str | None]:
    """The definitions of `tools.py`, and why it cannot be used."""
    if not config.custom_tools:
        return {}, None
    try:
        return defined_tools(Path(base, TOOLS_FILE)), None
    except UnreadableToolsError as error:
        return {}, str(error)


def _custom_tools(config: AgentConfig, defined: Mapping[str, DefinedTool]) -> tuple[CustomToolFacts, ...]:
    settings = config.tool_configs
    return tuple(
        CustomToolFacts(name, settings.get(name, {}).get("approval"), defined.get(name))
        for name in config.custom_tools
    )


# -- The rules on calls of a settings file, in words for people. Patterns and names are raw, not yet safe to show.

_DOES = {"allow": "runs without asking", "ask": "asks first", "block": "blocked"}
_ANSWERS: dict[str, Answer] = {"allow": "runs", "ask": "asks", "block": "blocked"}


@dataclass(frozen=True, slots=True)
class CallRule:
    """One rule on calls.

    Attributes:
        about: The tools it is about, in words.
        words: The rule in words.
        answer: The answer to such calls; None if it gives none.
        path: Its place in the file, as the models spell it.
        told: Its names in requests that it asked about; empty if it has none.
    """

    about: str
    words: str
    answer: Answer | None
    path: KeyPath
    told: tuple[str, ...] = ()


def policy_rows(config: PolicyConfig) -> Iterator[CallRule]:
    """Yield each rule on calls in words: its tools, and the answer.

    Args:
        config: The settings.
    """
    if not config.has_policy:
        return
    for index, server in enumerate(config.tool_servers):
        place, path = f"server {server.server_name}", ("tool_servers", index)
        yield from _of_server(server, place, path)
        if config.unknown == "allow" and server.leaves_tools_open:
            yield CallRule(place, f"an unknown tool that is left: {_DOES['allow']}", "runs", path)
        yield from _of_arguments(server.arguments, f"{place}, ", (*path, "arguments"))
    yield from _of_arguments(config.arguments, "", ("arguments",))
    if policies := config.approval_policies:
        for name, guess in (("write_ops", "perform write operations"), ("dangerous_ops", "be dangerous")):
            if getattr(policies, name):
                words = f"asks first, if by its name it appears to {guess}"
                told = (f"policy: approval_policies.{name}",)
                yield CallRule("any tool", words, "asks", ("approval_policies", name), told)
    asks = config.unknown == "ask"
    words = _DOES["ask"] if asks else "the default of the program decides"
    yield CallRule("unknown tools", words, "asks" if asks else None, ("unknown",), ("policy: unknown",))


def policy_facts(config: PolicyConfig) -> dict[str, Any]:
    """Return the rules on calls as JSON values, with the keys of the file."""
    fields = set(PolicyConfig.model_fields)
    return config.model_dump(mode="json", include=fields)


def _of_server(server: ToolServer, place: str, path: KeyPath) -> Iterator[CallRule]:
    if server.denylist:
        yield CallRule(place, f"blocked: {_listed(server.denylist)}", "blocked", (*path, "denylist"))
    if server.allowlist is not None:
        rest = f"all but {_listed(server.allowlist)}" if server.allowlist else "every tool"
        yield CallRule(place, f"blocked: {rest}", "blocked", (*path, "allowlist"))
    asking = (*path, "requires_approval")
    if server.requires_approval.always:
        yield CallRule(place, "asks first: every tool", "asks", asking, ("policy: requires_approval.always",))
    elif patterns := server.requires_approval.conditional:
        told = tuple(f'policy: requires_approval.conditional "{pattern}"' for pattern in patterns)
        yield CallRule(place, f"asks first: {_listed(patterns)}", "asks", asking, told)
    if server.default:
        words = f"any other tool: {_DOES[server.default]}"
        yield CallRule(place, words, _ANSWERS[server.default], (*path, "default"))
    if server.redaction.arguments:
        words = f"masked: arguments named like {_listed(server.redaction.arguments)}"
        yield CallRule(place, words, None, (*path, "redaction"))


def _of_arguments(tools: Mapping[str, ToolArgumentsConfig], before: str, path: KeyPath) -> Iterator[CallRule]:
    for tool, settings in tools.items():
        name, here = f"{before}{tool}", (*path, tool)
        for index, rule in enumerate(settings.rules):
            conditions = " and ".join(f"{key} {_wanted(wanted)}" for key, wanted in rule.when.items())
            words = f"{_DOES[rule.verdict]}, if {conditions}"
            yield CallRule(name, words, _ANSWERS[rule.verdict], (*here, "rules", index))
        rest = "with any other arguments" if settings.rules else "with any arguments"
        words = f"{_DOES[settings.default]} {rest}"
        yield CallRule(name, words, _ANSWERS[settings.default], (*here, "default"))


def _wanted(wanted: object) -> str:
    match wanted:
        case PatternConfig():
            return f"matches {wanted.pattern}"
        case tuple():
            return f"is {' or '.join(map(_value, wanted))}"
    return f"is {_value(wanted)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts)


# -- Each rule of a settings file as a row: its subject, its words, and its names in the history.
#
# Names, patterns and paths are as in the file, not yet safe to show.

Section = Literal["sandbox", "shell", "custom tools", "tools", "calls"]

_CALL: dict[Answer, str] = {"runs": "runs without asking", "asks": "asks first", "blocked": "blocked"}
_FILE: dict[Answer, str] = {"runs": "without asking", "asks": "after asking", "blocked": "never"}
_BY_APPROVAL: dict[str, Answer] = {"required": "asks", "deny": "blocked", "none": "runs"}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule.

    Attributes:
        section: The section of the file that it belongs to.
        about: Its subject: a root, the first words of a command, a tool.
        words: The rule in words.
        answer: The answer to such calls, for a root to those that write; None if it depends on more.
        path: Its place in the file, as the models spell it.
        told: Its names in requests that it asked about; empty if it has none.
        place: The path of a root.
    """

    section: Section
    about: str
    words: str
    answer: ToolAnswer | None
    path: KeyPath
    told: tuple[str, ...] = ()
    place: str = ""

    def asked(self, why: str) -> bool:
        """True if it is named among the reasons for which a request was asked.

        Args:
            why: The reasons, separated as the tools write them.
        """
        return any(
            said == name or said.startswith((f"{name}:", f"{name}, and "))
            for said in why.split("; ")
            for name in self.told
        )


def rule_rows(report: Report) -> Iterator[RuleRow]:
    """Yield the rules of a file, section by section.

    Args:
        report: The report on the file.
    """
    yield from map(_row_root, report.roots)
    yield from _shell(report)
    yield from map(_custom_tool, report.custom_tools)
    yield from _tools(report)
    for row in policy_rows(report.config):
        yield RuleRow("calls", row.about, row.words, row.answer, row.path, row.told)


def _row_root(root: RootFacts) -> RuleRow:
    suffixes = root.config.suffixes
    only = "" if suffixes is None else f" (only {', '.join(suffixes) or 'no file'})"
    missing = "" if root.exists else ", which is not there"
    doing = f"read {_FILE[root.reading]}, write {_FILE[root.writing]}"
    path = ("sandbox", "paths", root.name)
    told = (f"sandbox {root.name}",)
    return RuleRow("sandbox", root.name, f"{missing}{only}: {doing}", root.writing, path, told, root.path)


def _shell(report: Report) -> Iterator[RuleRow]:
    if report.config.shell is None:
        return
    for index, facts in enumerate(report.rules):
        path: KeyPath = ("shell", "rules", index)
        pattern = facts.rule.pattern
        yield RuleRow("shell", pattern, *_rule(facts), path, (f'shell rule "{pattern}"',))
    rest = "anything else" if report.rules else "any command"
    answer = answer_of(report.config.shell.default)
    yield RuleRow("shell", rest, _CALL[answer], answer, ("shell", "default"), ("shell default",))


def _rule(facts: RuleFacts) -> tuple[str, Answer]:
    rule, answer = facts.rule, facts.answer
    if answer == "blocked":
        return "blocked, wherever in a command line it may be run", answer
    if facts.decided is None:
        return f"{_CALL['blocked']}, by another rule", "blocked"
    if facts.decided.asks:
        answer = "asks"
    where = f", if all paths lie in: {', '.join(rule.sandbox_paths)}" if rule.sandbox_paths else ""
    return f"{_CALL[answer]}{_arguments(facts) if answer == 'runs' else ''}{where}", answer


def _arguments(facts: RuleFacts) -> str:
    """The arguments that an allowing rule covers, if they are not those that are known to be harmless."""
    rule, words = facts.rule, _words(facts.rule)
    inner = "; what it runs is judged by itself where it is written out" if judges_inner(words) else ""
    if not rule.any_arguments:
        return inner if knows_arguments(rule.words) else ", in exactly these words"
    what = "whatever command it is given" if runs_any_program(words) else "whatever they make it run or write"
    such = f", such as {facts.opened}" if facts.opened else ""
    return f", with any arguments: {what}{such}{inner}"


def _custom_tool(tool: CustomToolFacts) -> RuleRow:
    path = ("custom_tools", tool.name)
    if tool.found is None:
        return RuleRow("custom tools", tool.name, "not found", None, path)
    if tool.answer == "unclear":
        unclear = f"asks first or runs: cannot be told from the source, because {tool.found.doubt}"
        words = f"{unclear} (tools.py, line {tool.found.line})"
        return RuleRow("custom tools", tool.name, words, tool.answer, path)
    by = "as set" if tool.approval else "as marked" if tool.found.marked else "not marked"
    words = f"{_CALL[tool.answer]} ({by}; tools.py, line {tool.found.line})"
    return RuleRow("custom tools", tool.name, words, tool.answer, path)


def _tools(report: Report) -> Iterator[RuleRow]:
    for name, tool in report.config.tools.items():
        answer = None if tool.approval is None else _BY_APPROVAL[tool.approval]
        words = "as the tool says" if answer is None else _CALL[answer]
        yield RuleRow("tools", name, words, answer, ("tools", name))
