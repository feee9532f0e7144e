"""Characters that no shell command needs, and that people cannot see or tell from others."""

from __future__ import annotations

import re
import unicodedata

from signoff.present.reveal import findings

__all__ = ["suspicious_characters"]

_COMMENT = re.compile(r"(?:^|[\s;&|()])#")
_ORDINARY = frozenset("\n\t ")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zs", "Zl", "Zp"})
"""General categories: controls, format characters, private use, unassigned, surrogates, blanks and separators."""
_UNSEEN = frozenset({"bidi", "invisible", "tag"})
"""What is found in a text that shows nothing of itself whatever its category, such as U+3164 HANGUL FILLER."""


def suspicious_characters(text: str) -> str | None:
    """Why a command is asked about for its characters alone, or None.

    Args:
        text: The command. For bash only the ASCII space, tab and newline separate words.
    """
    lines = text.rstrip("\n")
    if (len(lines) - len(lines.rstrip("\\"))) % 2:
        return "ends in a backslash, which parsers read differently"
    if any(line.endswith("\\") and _COMMENT.search(line) for line in text.split("\n")[:-1]):
        return "has a comment that ends in a backslash, which parsers read differently"
    if text.isascii() and text.isprintable():
        return None
    for char in dict.fromkeys(text):
        if char not in _ORDINARY and unicodedata.category(char) in _HIDDEN:
            return f"has the character U+{ord(char):04X}, which cannot be seen or looks like a blank"
    unseen = next((each for each in findings(text, "command") if each.kind in _UNSEEN), None)
    return None if unseen is None else f"has an {unseen.message}"
