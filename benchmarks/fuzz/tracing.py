"""Reads what bash writes under ``set -x``: the words of the commands that it runs, after all expansions."""

from __future__ import annotations

import re

__all__ = ["traced_commands"]

_START = re.compile(r"\++ ")
_WORD = re.compile(r"(?:[^\s'\\$]|\$(?!')|\\.|'[^']*'|\$'(?:[^'\\]|\\.)*')+", re.DOTALL)
_PIECE = re.compile(r"\\(?P<char>.)|\$'(?P<ansi>(?:[^'\\]|\\.)*)'|'(?P<raw>[^']*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|(.))", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "E": "\x1b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def traced_commands(trace: str) -> list[tuple[str, ...]]:
    """The commands of a trace, each as its words. Lines that are no commands stay what they look like.

    Args:
        trace: What bash wrote, with its own ``PS4``.
    """
    found = []
    at = 0
    while start := _START.match(trace, at):
        words, at = _words(trace, start.end())
        if words:
            found.append(words)
    return found


def _words(trace: str, at: int) -> tuple[tuple[str, ...], int]:
    words = []
    while word := _WORD.match(trace, at):
        words.append(_PIECE.sub(_unquoted, word[0]))
        at = word.end()
        if trace[at : at + 1] != " ":
            break
        at += 1
    end = trace.find("\n", at)
    return tuple(words), len(trace) if end < 0 else end + 1


def _unquoted(piece: re.Match[str]) -> str:
    if piece["ansi"] is None:
        return piece["char"] or piece["raw"] or ""
    return _ESCAPE.sub(
        lambda found: chr(int(found[1], 8)) if found[1] else _ESCAPED.get(found[2], found[2]), piece["ansi"]
    )
