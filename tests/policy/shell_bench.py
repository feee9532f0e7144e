"""Rules for tests, written as ``"git status=allow"``."""

from __future__ import annotations

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level, Verdict

__all__ = ["level_of", "rules", "said"]


def rules(*texts: str) -> list[CommandRule]:
    """Rules from texts such as ``"rm=block"``."""
    found = []
    for text in texts:
        pattern, _, level = text.rpartition("=")
        found.append(CommandRule(tuple(pattern.split()), Level[level.upper()], pattern))
    return found


USUAL = rules("ls=allow", "cat=allow", "echo=allow", "git=allow", "git push=ask", "rm=block")


def said(command: str, *more: str, default: Level = Level.ASK) -> Verdict:
    """What the usual rules, and more, say of a command."""
    return judge_command(command, [*USUAL, *rules(*more)], default)


def level_of(command: str, *more: str, default: Level = Level.ASK) -> str:
    """The same as one word."""
    return str(said(command, *more, default=default).level)
