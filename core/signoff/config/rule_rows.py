"""Each rule of a settings file as a row: what it is about, what it says in words, and how the history names it.

Names, patterns and paths are as in the file, not yet safe to show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from signoff.config.policy_report import policy_rows
from signoff.config.report import Answer, CustomToolFacts, Report, RootFacts, RuleFacts, ToolAnswer, answer_of
from signoff.policy.shell.programs import broad_commands
from signoff.policy.shell.rule_coverage import knows_arguments
from signoff.setting_files.paths import KeyPath
from signoff.tools.shell_rules import ShellRule

__all__ = ["RuleRow", "Section", "rule_rows"]

Section = Literal["sandbox", "shell", "custom tools", "tools", "calls"]

_CALL: dict[Answer, str] = {"runs": "runs without asking", "asks": "asks first", "blocked": "blocked"}
_FILE: dict[Answer, str] = {"runs": "without asking", "asks": "after asking", "blocked": "never"}
_BY_APPROVAL: dict[str, Answer] = {"required": "asks", "deny": "blocked", "none": "runs"}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule.

    Attributes:
        section: Part of the file that it belongs to.
        about: What it is about: a root, the first words of a command, a tool.
        words: What it says.
        answer: What becomes of such calls, of a root: of those that write; None if that depends on more.
        path: Where it stands in the file, as the models spell it.
        told: How requests that it asked about name it; empty if they do not.
        place: Of a root, its path.
    """

    section: Section
    about: str
    words: str
    answer: ToolAnswer | None
    path: KeyPath
    told: tuple[str, ...] = ()
    place: str = ""

    def asked(self, why: str) -> bool:
        """Whether it is named among what a request says of why it asks.

        Args:
            why: The reasons, separated as the tools write them.
        """
        return any(
            said == name or said.startswith((f"{name}:", f"{name}, and "))
            for said in why.split("; ")
            for name in self.told
        )


def rule_rows(report: Report) -> Iterator[RuleRow]:
    """The rules of a file, section by section.

    Args:
        report: What the file allows.
    """
    yield from map(_root, report.roots)
    yield from _shell(report)
    yield from map(_custom_tool, report.custom_tools)
    yield from _tools(report)
    for row in policy_rows(report.config):
        yield RuleRow("calls", row.about, row.words, row.answer, row.path, row.told)


def _root(root: RootFacts) -> RuleRow:
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
    return f"{_CALL[answer]}{_arguments(rule) if answer == 'runs' else ''}{where}", answer


def _arguments(rule: ShellRule) -> str:
    """Which arguments a rule that lets through covers, if they are not those that are known to be harmless."""
    if not rule.any_arguments:
        return "" if knows_arguments(rule.words) else ", in exactly these words"
    opened = next(iter(broad_commands(rule.words)), None)
    return (
        f", with any arguments: {opened}" if opened else ", with any arguments, whatever they make it run or write"
    )


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
