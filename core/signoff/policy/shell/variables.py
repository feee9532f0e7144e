"""Variables that change no verdict: those that a command may set, and programs that may be given any."""

from __future__ import annotations

import re

from signoff.policy.shell.facts import Word

__all__ = ["FREE_ARGUMENTS", "is_harmless"]

FREE_ARGUMENTS = frozenset({"git", "[", "wait", "uniq"})
"""Programs whose dangerous options can be told, whatever the shell fills in elsewhere."""

_NAMES = frozenset(
    ("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "NO_COLOR", "CI")
)
"""They change words and colors and nothing else."""
_VALUE = re.compile(r"[A-Za-z0-9_./:@+-]*")


def is_harmless(name: str, value: Word) -> bool:
    """Whether nothing is asked because of ``NAME=value`` in front of a command."""
    return name in _NAMES and value.literal and _VALUE.fullmatch(value.text) is not None
