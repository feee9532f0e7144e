"""Variables that a command may set without a question."""

from __future__ import annotations

import re

from signoff.policy.shell.facts import Word

__all__ = ["is_harmless"]

_NAMES = frozenset(
    ("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "NO_COLOR", "CI")
)
"""They change words and colors and nothing else."""
_VALUE = re.compile(r"[A-Za-z0-9_./:@+-]*")


def is_harmless(name: str, value: Word) -> bool:
    """Whether nothing is asked because of ``NAME=value`` in front of a command."""
    return name in _NAMES and value.literal and _VALUE.fullmatch(value.text) is not None
