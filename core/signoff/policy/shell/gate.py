"""Characters that no shell command needs, and that people cannot see or tell from others."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["suspicious_characters"]

_COMMENT_GOES_ON = re.compile(r"(?:^|[\s;&|()])#[^\n]*\\\n")
_ORDINARY = frozenset("\n\t ")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zs", "Zl", "Zp"})
"""General categories: controls, format characters, private use, unassigned, surrogates, blanks and separators."""


def suspicious_characters(text: str) -> str | None:
    """Why a command is asked about for its characters alone, or None.

    Args:
        text: The command. For bash only the ASCII space, tab and newline separate words.
    """
    if text.rstrip("\n").endswith("\\"):
        return "ends in a backslash, which parsers read differently"
    if _COMMENT_GOES_ON.search(text):
        return "has a comment that ends in a backslash, which parsers read differently"
    if text.isascii() and text.isprintable():
        return None
    for char in dict.fromkeys(text):
        if char not in _ORDINARY and unicodedata.category(char) in _HIDDEN:
            return f"has the character U+{ord(char):04X}, which cannot be seen or looks like a blank"
    return None
