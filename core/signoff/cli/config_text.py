"""The facts of `signoff config check`, as lines for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from signoff.cli.output import one_line
from signoff.config.policy_report import policy_facts, policy_rows
from signoff.config.report import Answer, CustomToolFacts, Report, RootFacts, RuleFacts, answer_of
from signoff.setting_files.errors import Problem

__all__ = ["problem_facts", "report_facts", "report_text"]

_CALL: dict[Answer, str] = {"runs": "runs without asking", "asks": "asks first", "blocked": "blocked"}
_FILE: dict[Answer, str] = {"runs": "without asking", "asks": "after asking", "blocked": "never"}

_MODES = {
    None: "not set: as the program or SIGNOFF_MODE says, else interactive",
    "interactive": "interactive: a person is asked",
    "approve_all": "approve_all: whatever asks is approved",
    "strict": "strict: whatever asks is refused",
}

_WIDEST_NAME = 40


def report_text(report: Report, warnings: Sequence[Problem]) -> str:
    """The report for a person; every line is safe to print.

    Args:
        report: What the file allows.
        warnings: What in it is dangerous or has no effect.
    """
    lines = [
        f"mode: {_MODES[report.config.approval_mode]}",
        *_section("sandbox", _sandbox_lines(report), "no root, so no files"),
        *_section("shell", _shell_lines(report), "not set, so no commands"),
        *_section("custom tools", _table(map(_custom_tool, report.custom_tools)), "none"),
        *_section("tools", _table(_tools(report)), "nothing set"),
        *_section("calls", _table(_calls(report)), "nothing set"),
        *_section("warnings", map(str, warnings), "none"),
    ]
    return "".join(f"{line}\n" for line in lines)


def report_facts(report: Report, warnings: Sequence[Problem]) -> dict[str, Any]:
    """The report for a program.

    Args:
        report: What the file allows.
        warnings: What in it is dangerous or has no effect.
    """
    config = report.config
    return {
        "mode": config.approval_mode,
        "directory": report.directory,
        "sandbox": {
            "roots": [_root_facts(root) for root in report.roots],
            "require_os_sandbox": bool(config.sandbox and config.sandbox.require_os_sandbox),
        },
        "shell": config.shell
        and {
            "rules": [_rule_facts(facts) for facts in report.rules],
            "default": answer_of(config.shell.default),
        },
        "custom_tools": [_custom_tool_facts(tool) for tool in report.custom_tools],
        "tools": {name: tool.approval for name, tool in config.tools.items()},
        "calls": policy_facts(config) if config.has_policy else None,
        "warnings": [problem_facts(warning) for warning in warnings],
    }


def problem_facts(problem: Problem) -> dict[str, Any]:
    """A problem or warning for a program."""
    return {
        "file": problem.file,
        "line": problem.mark.line if problem.mark else None,
        "column": problem.mark.column if problem.mark else None,
        "key": problem.key,
        "message": problem.message,
    }


def _root_facts(root: RootFacts) -> dict[str, Any]:
    return {
        "name": root.name,
        "path": root.path,
        "exists": root.exists,
        "mode": root.config.mode,
        "suffixes": root.config.suffixes,
        "read": root.reading,
        "write": root.writing,
    }


def _rule_facts(facts: RuleFacts) -> dict[str, Any]:
    rule = facts.rule
    return {"pattern": rule.pattern, "answer": facts.answer, "sandbox_paths": rule.sandbox_paths}


def _custom_tool_facts(tool: CustomToolFacts) -> dict[str, Any]:
    return {
        "name": tool.name,
        "answer": tool.answer,
        "approval": tool.approval,
        "line": tool.found.line if tool.found else None,
        "marked": bool(tool.found and tool.found.marked),
    }


def _section(title: str, lines: Iterator[str] | map[str], otherwise: str) -> Iterator[str]:
    found = list(lines)
    yield f"{title}:" if found else f"{title}: {otherwise}"
    yield from (f"  {line}" for line in found)


def _table(rows: Iterator[tuple[str, str]] | map[tuple[str, str]]) -> Iterator[str]:
    """Names and what is said of them, in two columns."""
    safe = [(one_line(name), words) for name, words in rows]
    width = min(max((len(name) for name, _ in safe), default=0), _WIDEST_NAME)
    for name, words in safe:
        yield f"{name:{width}}  {words}"


def _sandbox_lines(report: Report) -> Iterator[str]:
    yield from _table(map(_root, report.roots))
    if report.config.sandbox and report.config.sandbox.require_os_sandbox:
        fallback = report.config.sandbox.os_sandbox_fallback
        without = "nothing starts" if fallback == "fail_fast" else "file and shell tools are blocked"
        yield f"without a sandbox of the operating system, {without}"


def _root(root: RootFacts) -> tuple[str, str]:
    suffixes = root.config.suffixes
    only = "" if suffixes is None else f" (only {', '.join(suffixes) or 'no file'})"
    missing = "" if root.exists else ", which is not there"
    doing = f"read {_FILE[root.reading]}, write {_FILE[root.writing]}"
    return root.name, f"{one_line(root.path, 'path')}{missing}{one_line(only)}: {doing}"


def _shell_lines(report: Report) -> Iterator[str]:
    if report.config.shell is None:
        return
    rules = [(f"{i}. {facts.rule.pattern}", _rule(facts)) for i, facts in enumerate(report.rules, 1)]
    rest = "anything else" if rules else "any command"
    yield from _table(iter([*rules, (rest, _CALL[answer_of(report.config.shell.default)])]))


def _rule(facts: RuleFacts) -> str:
    rule, answer = facts.rule, facts.answer
    if answer == "blocked":
        return "blocked, wherever in a command line it may be run"
    if facts.decided is None:
        return f"{_CALL['blocked']}, by another rule"
    if facts.decided.asks:
        answer = "asks"
    where = f", if all paths lie in: {', '.join(rule.sandbox_paths)}" if rule.sandbox_paths else ""
    return _CALL[answer] + one_line(where)


def _custom_tool(tool: CustomToolFacts) -> tuple[str, str]:
    if tool.found is None:
        return tool.name, "not found"
    if tool.answer == "unclear":
        unclear = f"asks first or runs: cannot be told from the source, because {tool.found.doubt}"
        return tool.name, f"{unclear} (tools.py, line {tool.found.line})"
    by = "as set" if tool.approval else "as marked" if tool.found.marked else "not marked"
    return tool.name, f"{_CALL[tool.answer]} ({by}; tools.py, line {tool.found.line})"


def _tools(report: Report) -> Iterator[tuple[str, str]]:
    for name, tool in report.config.tools.items():
        match tool.approval:
            case "required":
                yield name, _CALL["asks"]
            case "deny":
                yield name, _CALL["blocked"]
            case "none":
                yield name, _CALL["runs"]
            case None:
                yield name, "as the tool says"


def _calls(report: Report) -> Iterator[tuple[str, str]]:
    for name, words in policy_rows(report.config):
        yield name, one_line(words)
