"""Quote removal as bash does it; see "QUOTING" in bash(1)."""

from __future__ import annotations

import re

__all__ = ["ansi_c", "double_quoted", "here_document", "unquoted"]

_DOUBLE = re.compile(r'\\([$`"\\\n])')
_HERE = re.compile(r"\\([$`\\\n])")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ANSI_C = re.compile(
    r"\\(?:(?P<char>[abeEfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})"
    r"|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8}))",
    re.DOTALL,
)
_UNTOLD = re.compile(r"(?<!\\)(?:\\\\)*\\(?:x\{|c)")
"""Escapes that versions of bash read differently, and nobody needs."""
_CHARS = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def double_quoted(raw: str) -> str:
    """Text between double quotes, without its escapes."""
    return _DOUBLE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)


def unquoted(raw: str) -> list[tuple[str, bool]]:
    """Text outside of quotes: its characters, each with whether a backslash took its meaning away."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for found in _ESCAPED.finditer(raw):
        pieces += ((char, False) for char in raw[at : found.start()])
        if found[1] != "\n":
            pieces.append((found[1], True))
        at = found.end()
    return pieces + [(char, False) for char in raw[at:]]


def ansi_c(raw: str) -> str | None:
    """Text between ``$'`` and ``'``, or None if it cannot be told (a NUL ends it early, a code point is none)."""
    if _UNTOLD.search(raw):
        return None
    try:
        text = _ANSI_C.sub(_ansi_c_char, raw)
    except (ValueError, OverflowError):
        return None
    return None if "\0" in text else text


def here_document(raw: str) -> str:
    """The body of a here-document whose delimiter is not quoted, without its escapes."""
    return _HERE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)


def _ansi_c_char(found: re.Match[str]) -> str:
    if found["char"]:
        return _CHARS[found["char"]]
    if found["octal"]:
        return _byte(int(found["octal"], 8) & 0xFF)
    if found["hex"]:
        return _byte(int(found["hex"], 16))
    return chr(int(found["short"] or found["long"], 16))


def _byte(value: int) -> str:
    """One byte; several may make one character, which is not worth finding out."""
    if value >= 0x80:
        raise ValueError
    return chr(value)
