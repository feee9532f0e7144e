"""What must hold of the verdict for a command, given what bash did with it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.fuzz.jail import Jail, Observed
from benchmarks.fuzz.tracing import traced_commands

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level

__all__ = ["Case", "Failure", "Kind", "Outcome", "examine"]

_MOST_SECONDS = 30.0
"""Far more than the limits of the parser: a verdict that takes longer does not come back."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_MAY_NOT_END = re.compile(r"\(\)|\(\s+\)|function|\bcoproc\b")
"""Functions may call themselves, faster than the jail counts: they only run if they were allowed."""


@dataclass(frozen=True, slots=True)
class Case:
    """A command, and the rules that it is judged by."""

    text: str
    rules: tuple[CommandRule, ...]
    default: Level

    def __str__(self) -> str:
        rules = {" ".join(rule.words): str(rule.level) for rule in self.rules}
        return json.dumps({"command": self.text, "rules": rules, "default": str(self.default)})


class Kind(StrEnum):
    """What went wrong."""

    RAISED = "the verdict raised"
    SLOW = "the verdict took too long"
    BLOCKED_RAN = "allowed, and ran what a rule blocks"
    OTHER_RAN = "allowed, and ran what no rule allows"
    CHANGED = "allowed, and changed files"


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that went wrong, and what was seen."""

    kind: Kind
    seen: str
    case: Case

    def __str__(self) -> str:
        return json.dumps({"failure": self.kind, "seen": self.seen, **json.loads(str(self.case))})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case.

    Attributes:
        level: The verdict.
        failure: What went wrong, if anything.
        blocked_ran: Whether something was run that a rule blocks.
        seconds: What the verdict took.
    """

    level: Level
    failure: Failure | None = None
    blocked_ran: bool = False
    seconds: float = 0.0


def examine(case: Case, jail: Jail) -> Outcome:
    """Judge a command, run it, and compare.

    Args:
        case: The command and its rules.
        jail: Where it runs; not at all if it is blocked.
    """
    begun = time.monotonic()
    try:
        level = judge_command(case.text, case.rules, case.default).level
    except Exception as error:  # noqa: BLE001 (whatever it is, it is what we look for)
        return Outcome(Level.ALLOW, Failure(Kind.RAISED, repr(error), case))
    seconds = time.monotonic() - begun
    if seconds > _MOST_SECONDS:
        return Outcome(level, Failure(Kind.SLOW, f"{seconds:.0f} seconds", case), seconds=seconds)
    if level is Level.BLOCK or (level is Level.ASK and _MAY_NOT_END.search(case.text)) or not _can_run(case.text):
        return Outcome(level, seconds=seconds)
    observed = jail.run(case.text)
    failure = _failure(case, observed) if level is Level.ALLOW else None
    blocked = any(_level_of(words, case) is Level.BLOCK and _is_named(words, case) for words in observed.ran)
    return Outcome(level, failure, blocked, seconds)


def _can_run(text: str) -> bool:
    try:
        return "\0" not in text and len(text.encode("utf-8", "surrogateescape")) < 100_000
    except UnicodeEncodeError:
        return False


def _failure(case: Case, observed: Observed) -> Failure | None:
    """What is wrong about having allowed what was observed."""
    ran = [words for words in _commands(observed) if _level_of(words, case) is not Level.ALLOW]
    for words in ran:
        if _is_named(words, case) and _level_of(words, case) is Level.BLOCK:
            return Failure(Kind.BLOCKED_RAN, " ".join(words), case)
    if ran:
        return Failure(Kind.OTHER_RAN, " ".join(ran[0]), case)
    if observed.changed:
        return Failure(Kind.CHANGED, " ".join(observed.changed), case)
    return None


def _commands(observed: Observed) -> Iterator[tuple[str, ...]]:
    """All commands that are known to have run; of what bash traces, assignments and some keywords are none."""
    yield from observed.ran
    for words in traced_commands(observed.trace):
        if words[0] in {"case", "[["} or (words[0] == "for" and words[1] == words[1].lower()):
            continue
        if not _ASSIGNMENT.match(words[0]):
            yield words


def _level_of(words: Sequence[str], case: Case) -> Level:
    """What the rules say of words that were run, without any regard to how they were written."""
    return max((rule.level for rule in case.rules if _is_about(rule, words)), default=case.default)


def _is_named(words: Sequence[str], case: Case) -> bool:
    return any(rule.level is not Level.ALLOW and _is_about(rule, words) for rule in case.rules)


def _is_about(rule: CommandRule, words: Sequence[str]) -> bool:
    program = words[0] if rule.level is Level.ALLOW else words[0].rpartition("/")[2]
    return bool(rule.words) and (program, *words[1 : len(rule.words)]) == rule.words
