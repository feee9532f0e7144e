"""Texts that a pattern matches, and texts that it nearly matches, as examples for people.

They are guessed from the spelling of the pattern, then tried: no example is better than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from signoff.policy.regex import Pattern, compile_pattern

__all__ = ["near_miss_of", "sample_of"]

_TOKEN = re.compile(
    r"(?P<nothing>\(\?[a-zA-Z]+\)|[\^$]|\\[AzbB])"
    r"|(?P<group>\((?:\?(?:P?<\w+>|[a-zA-Z]*:))?)"
    r"|(?P<end>\))"
    r"|(?P<or>\|)"
    r"|(?P<repeat>[*+?]\??|\{(?P<least>\d+)(?:,\d*)?\}\??)"
    r"|\[\^(?P<not>(?:\\.|[^\]\\])+)\]"
    r"|\[\\?(?P<first>.)(?:\\.|[^\]\\])*\]"
    r"|\\(?P<class>[dwsDWS])"
    r"|\\(?P<escaped>\W)"
    r"|(?P<any>\.)"
    r"|(?P<letter>[^\\()\[\]{}])",
    re.DOTALL,
)
_OF_CLASS = {"d": "1", "w": "x", "s": " ", "D": "x", "W": "-", "S": "x"}
_MOST_REPEATS = 20
_LONGEST = 200
_MOST_GROUPS = 50
"""The most nested groups of a pattern; more would be too deep for Python's stack."""


def sample_of(pattern: str) -> str | None:
    """Return a short text that a pattern matches as a whole, or None if none was found.

    Args:
        pattern: A pattern of RE2 that can be used.
    """
    guessed = _Guess(pattern).text()
    return guessed if guessed and compile_pattern(pattern).fullmatch(guessed) else None


def near_miss_of(pattern: Pattern, sample: str) -> str | None:
    """Return a text close to the sample that the pattern does not match; None if there seems to be none.

    Args:
        pattern: The pattern.
        sample: A text that it matches.
    """
    return next((text for text in _almost(sample) if text and not pattern.fullmatch(text)), None)


def _almost(text: str) -> Iterator[str]:
    yield f"{text}_x"
    yield f"x_{text}"
    yield f"{text}/x"
    yield from (text[:at] + text[at + 1 :] for at in reversed(range(len(text))))
    yield "x"


class _Guess:
    """Reads a pattern from left to right: the first of alternatives, one of repetitions."""

    def __init__(self, pattern: str) -> None:
        self._tokens = list(_TOKEN.finditer(pattern))
        self._whole = "".join(token[0] for token in self._tokens) == pattern
        self._at = 0

    def text(self) -> str | None:
        """The guess; None for a spelling that is not understood."""
        if not self._whole or sum(bool(token["group"]) for token in self._tokens) > _MOST_GROUPS:
            return None
        found = self._alternatives()
        return found if self._at == len(self._tokens) and len(found) <= _LONGEST else None

    def _alternatives(self) -> str:
        first = self._sequence()
        while self._next_is("or"):
            self._at += 1
            self._sequence()
        return first

    def _sequence(self) -> str:
        pieces: list[str] = []
        while self._at < len(self._tokens) and not (self._next_is("or") or self._next_is("end")):
            token = self._tokens[self._at]
            self._at += 1
            if token["group"]:
                pieces.append(self._alternatives())
                self._at += 1  # its end
            elif token["repeat"]:
                times = 1 if token["least"] is None else int(token["least"])
                pieces[-1:] = [piece * min(times, _MOST_REPEATS) for piece in pieces[-1:]]
            else:
                pieces.append(_single(token))
        return "".join(pieces)

    def _next_is(self, kind: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].lastgroup == kind


def _single(token: re.Match[str]) -> str:
    """One character that a token stands for, or none for a token that only marks a place."""
    if token["nothing"]:
        return ""
    if token["not"]:
        return next((each for each in "x1-_/ " if each not in token["not"]), "")
    if token["class"]:
        return _OF_CLASS[token["class"]]
    return "x" if token["any"] else token["first"] or token["escaped"] or token["letter"]
