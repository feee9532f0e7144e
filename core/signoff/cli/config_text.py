"""The facts of `signoff config check`, as lines for people and as JSON for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from signoff.config.report import (
    CustomToolFacts,
    Report,
    RootFacts,
    RuleFacts,
    RuleRow,
    Section,
    answer_of,
    policy_facts,
    rule_rows,
)
from signoff.present.reveal import one_line
from signoff.settings_yaml import Problem

if TYPE_CHECKING:
    from signoff.config.models import AgentConfig, HostedAgentConfig

__all__ = ["problem_facts", "report_facts", "report_text"]

_MODES = {
    None: "not set: as the program or SIGNOFF_MODE says, else interactive",
    "interactive": "interactive: a person is asked",
    "approve_all": "approve_all: whatever asks is approved",
    "strict": "strict: whatever asks is refused",
}

_WIDEST_NAME = 40

_Rows = dict[Section, list[RuleRow]]


def report_text(report: Report, warnings: Sequence[Problem], problem: Problem | None = None) -> str:
    """Return the report for a person; every line is safe to print.

    Args:
        report: The report on the file.
        warnings: The warnings about dangerous parts and parts without effect.
        problem: A fault of the table of known programs, which is told first.
    """
    rows: _Rows = {section: [] for section in get_args(Section)}
    for row in rule_rows(report):
        rows[row.section].append(row)
    lines = [
        *([f"problem: {problem}"] if problem else []),
        f"mode: {_MODES[report.config.approval_mode]}",
        *_section("sandbox", _sandbox_lines(report, rows), "no root, so no files"),
        *_section("shell", _shell_lines(rows), "not set, so no commands"),
        *_section("custom tools", _lines(rows["custom tools"]), "none"),
        *_section("tools", _lines(rows["tools"]), "nothing set"),
        *_section("calls", _lines(rows["calls"]), "nothing set"),
        *(_section("agents", _agent_lines(report.config), "none") if report.config.agents else ()),
        *_section("warnings", map(str, warnings), "none"),
    ]
    return "".join(f"{line}\n" for line in lines)


def report_facts(report: Report, warnings: Sequence[Problem], problem: Problem | None = None) -> dict[str, Any]:
    """Return the report for a program.

    Args:
        report: The report on the file.
        warnings: The warnings about dangerous parts and parts without effect.
        problem: A fault of the table of known programs.
    """
    config = report.config
    return {
        "problems": [problem_facts(problem)] if problem else [],
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
        "agents": {
            name: agent.model_dump(mode="json", exclude_none=True) for name, agent in config.agents.items()
        },
        "warnings": [problem_facts(warning) for warning in warnings],
    }


def problem_facts(problem: Problem) -> dict[str, Any]:
    """Return a problem or warning for a program."""
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
    return {
        "pattern": rule.pattern,
        "answer": facts.answer,
        "any_arguments": rule.any_arguments,
        "sandbox_paths": rule.sandbox_paths,
    }


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


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Names with their descriptions, in two columns."""
    safe = [(one_line(name), words) for name, words in rows]
    width = min(max((len(name) for name, _ in safe), default=0), _WIDEST_NAME)
    for name, words in safe:
        yield f"{name:{width}}  {words}"


def _sandbox_lines(report: Report, rows: _Rows) -> Iterator[str]:
    # A path is made safe by itself: blanks at its end belong to it.
    roots = rows["sandbox"]
    yield from _table((row.about, f"{one_line(row.place, 'path')}{one_line(row.words)}") for row in roots)
    sandbox = report.config.sandbox
    if sandbox is None or not sandbox.require_os_sandbox:
        return
    if sandbox.os_sandbox is not None:
        yield "commands are not confined: something around the agent is said to confine it"
        return
    without = (
        "nothing starts" if sandbox.os_sandbox_fallback == "fail_fast" else "file and shell tools are blocked"
    )
    yield f"without a sandbox of the operating system, {without}"


def _shell_lines(rows: _Rows) -> Iterator[str]:
    last = len(rows["shell"])
    yield from _table(
        (row.about if number == last else f"{number}. {row.about}", one_line(row.words))
        for number, row in enumerate(rows["shell"], 1)
    )


def _agent_lines(config: AgentConfig) -> Iterator[str]:
    return _table((name, one_line(_agent_words(agent))) for name, agent in config.agents.items())


def _agent_words(agent: HostedAgentConfig) -> str:
    if agent.command is not None:
        return f"runs the program {shlex.join(agent.command)}"
    if agent.python is not None:
        return f"runs the function {agent.python}"
    return f"runs the PydanticAI agent {agent.pydantic_ai}"


def _lines(rows: Sequence[RuleRow]) -> Iterator[str]:
    return _table((row.about, one_line(row.words)) for row in rows)
