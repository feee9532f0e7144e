"""Suggestions of narrow shell rules from what people approved.

A rule is the longest beginning that some approved commands have in common, and covers each of them. It is only
suggested if no matching command was ever refused, and if none of them was of HIGH risk: a person approved the one
call on the screen, and a rule must not answer for calls that deserve another look.
"""

from __future__ import annotations

import itertools
import os.path
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.config.verdicts import SHELL_TOOLS
from signoff.effects import Risk
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.shell.commands import expand
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.programs import BROAD_PROGRAMS
from signoff.policy.shell.rule_coverage import side_door
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS
from signoff.policy.verdict import Level
from signoff.present.snapshot.steps import CommandRun, SnapshotError
from signoff.present.subject import steps_of
from signoff.queue.records import DecisionSource, RequestState
from signoff.tools.shell_rules import ShellRule

if TYPE_CHECKING:
    from signoff.queue.history import HistoryRecord


__all__ = [
    "LEAST_APPROVALS",
    "Suggestion",
    "by_a_person",
    "rule_lines",
    "suggestions",
]


LEAST_APPROVALS = 3
"""The least number of approvals by people of the commands of a rule."""

_LEAST_WORDS = 2
"""The fewest words of a rule: a program alone, or with options only, may be called with anything."""

_LONGEST_PATTERN = 60
"""The longest pattern, in characters, that a person can read at a glance."""

_RUNS_OTHERS = SHELLS | WRAPPERS.keys() | {"eval", "source", ".", "trap", "su", "script", "parallel", "exec"}
_SUBCOMMANDS = frozenset({"git", "docker", "podman", "gh", "kubectl"})
"""Programs that `BROAD_PROGRAMS` lists, but that do one thing once their second word is given."""

_RUNS_WHAT_IS_NAMED = frozenset(
    {
        *("docker run", "docker exec", "docker compose", "podman run", "podman exec", "podman compose"),
        *("kubectl exec", "kubectl run", "gh api", "gh extension", "git config", "git push"),
    }
)
"""Beginnings that leave open which program is run or which target is reached."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rule that would have answered some requests.

    Attributes:
        pattern: The first words of the commands that it lets through.
        answered: The requests, oldest first, with their commands; a person approved each of them.
    """

    pattern: str
    answered: tuple[tuple[HistoryRecord, str], ...]


@dataclass(frozen=True, slots=True)
class _ApprovedCommand:
    record: HistoryRecord
    command: str
    words: tuple[str, ...]


def suggestions(
    records: Iterable[HistoryRecord], counts: Callable[[HistoryRecord], bool] = lambda _: True
) -> list[Suggestion]:
    """Draw rules from the history, those that would have answered most first.

    Args:
        records: All of the history, oldest first: a refusal anywhere in it speaks against a rule.
        counts: Tells whether an approval may be used.
    """
    approved: list[_ApprovedCommand] = []
    against: dict[str, None] = {}
    for record in records:
        command = _command_of(record)
        if command is None:
            continue
        if record.state is RequestState.REJECTED or record.risk is Risk.HIGH:
            against[command] = None
        elif by_a_person(record) and counts(record) and (words := _plain_words(command)) is not None:
            approved.append(_ApprovedCommand(record, command, words))
    found = [
        Suggestion(pattern, tuple((each.record, each.command) for each in group))
        for pattern, group in _groups(approved)
        if not any(_is_about(pattern, command) for command in against)
    ]
    return sorted(found, key=lambda suggestion: (-len(suggestion.answered), suggestion.pattern))


def by_a_person(record: HistoryRecord) -> bool:
    """True if a person approved the call of a record."""
    decision = record.decision
    approved = record.state is RequestState.APPROVED and decision is not None and decision.approved
    return approved and decision is not None and decision.source is DecisionSource.REVIEWER


def _command_of(record: HistoryRecord) -> str | None:
    """The only command that a call of the shell would run, as declared; None if that cannot be told."""
    if record.tool_name not in SHELL_TOOLS:
        return None
    try:
        steps = steps_of(record.snapshot)
    except SnapshotError:
        return None
    if not steps:
        command = record.arguments.get("command")
        return command if isinstance(command, str) else None
    step = steps[0]
    return step.command if len(steps) == 1 and isinstance(step, CommandRun) and not step.env else None


def _plain_words(command: str) -> tuple[str, ...] | None:
    """The words of a command that is a single program in plain words without side doors; None for others."""
    expanded = expand(command)
    if expanded.floors or expanded.candidates or expanded.anywhere or expanded.writes or len(expanded.runs) != 1:
        return None
    run = expanded.runs[0]
    part = run.part
    plain = run.alone and not (run.reasons or part.piped or part.reads_file or part.fed is not None)
    if not plain or not all(word.literal for word in part.words) or side_door(part.words):
        return None
    words = tuple(word.text for word in part.words)
    return None if _runs_others(words) else words


def _runs_others(words: Sequence[str]) -> bool:
    program = os.path.basename(words[0])  # noqa: PTH119 - text, not a path here
    if program in _RUNS_OTHERS or (program in BROAD_PROGRAMS and program not in _SUBCOMMANDS):
        return True
    return " ".join((program, *words[1:2])) in _RUNS_WHAT_IS_NAMED


def _groups(approved: Sequence[_ApprovedCommand]) -> Iterator[tuple[str, list[_ApprovedCommand]]]:
    """Approved commands with the same first words, often enough, with the longest pattern for all of them."""
    by_beginning: dict[tuple[str, ...], list[_ApprovedCommand]] = {}
    for each in approved:
        by_beginning.setdefault(each.words[:_LEAST_WORDS], []).append(each)
    for beginning, group in by_beginning.items():
        pattern = _pattern(_common([each.words for each in group]))
        if len(beginning) == _LEAST_WORDS and pattern is not None:
            answered = [each for each in group if _lets_run(pattern, each.command)]
            if len(answered) >= LEAST_APPROVALS:
                yield pattern, answered


def _common(commands: Sequence[Sequence[str]]) -> list[str]:
    """The first words that all commands share."""
    columns = zip(*commands, strict=False)
    return [column[0] for column in itertools.takewhile(lambda column: len(set(column)) == 1, columns)]


def _pattern(words: Sequence[str]) -> str | None:
    """The longest pattern for some first words; None if it would have only a program and options."""
    longest = min(len(words), (_LONGEST_PATTERN + 1) // 2)  # words of one letter, with blanks between
    for end in range(longest, _LEAST_WORDS - 1, -1):
        pattern = " ".join(words[:end])
        says_more = any(not word.startswith("-") for word in words[1:end])
        if says_more and len(pattern.split()) == end and _can_be_shown(pattern):
            try:
                return ShellRule(pattern=pattern).pattern
            except ValueError:
                continue
    return None


def _can_be_shown(pattern: str) -> bool:
    return len(pattern) <= _LONGEST_PATTERN and not DEFAULT_REDACTION.spans(pattern, command=True)


def _lets_run(pattern: str, command: str) -> bool:
    """True if a rule with this pattern covers a command."""
    rule = CommandRule(tuple(pattern.split()), Level.ALLOW, pattern)
    return judge_command(command, [rule], Level.ASK).level is Level.ALLOW


def _is_about(pattern: str, command: str) -> bool:
    """True if a rule with this pattern is, or may be, about anything in a command."""
    rule = CommandRule(tuple(pattern.split()), Level.BLOCK, pattern)
    found = judge_command(command, [rule], Level.ALLOW)
    return found.level is Level.BLOCK or any(pattern in reason for part in found.parts for reason in part.reasons)


def rule_lines(pattern: str) -> tuple[str, ...]:
    """Return a rule that lets commands run, as the lines of a list item.

    Args:
        pattern: The first words of the commands; words that a rule can have are plain in YAML too.
    """
    return (f'- pattern: "{pattern}"', "  approval: false")
