"""Words and styles that the parts of the rules screen share."""

from __future__ import annotations

from collections.abc import Mapping

from signoff_tui.text.lines import Chunk, Line, chunk, wrapped

__all__ = ["TOKENS", "answer_word", "fact", "fact_name"]

TOKENS: Mapping[str, str] = {"runs": "ok", "asks": "warn", "blocked": "danger", "unclear": "warn"}
"""The style of what becomes of a call."""

_NAME = 11


def answer_word(answer: str | None) -> str:
    """What becomes of a call, in one word."""
    return "--" if answer is None else answer


def fact_name(name: str) -> Chunk:
    """The name of a fact, in its column."""
    return chunk(f" {name:<{_NAME}}", "muted", keep=True)


def fact(name: str, words: str, width: int, token: str = "text") -> list[Line]:
    """A fact, on as many lines as it needs; the words may be those of others."""
    return wrapped(words, width, token, head=fact_name(name))
