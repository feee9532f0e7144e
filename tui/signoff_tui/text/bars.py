"""The two rows at the bottom of a screen: what is special now, and six keys that keep their places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from signoff_tui.text.lines import Chunk, Line, chunk, foreign

__all__ = ["Key", "LastWords", "key_chunks", "keys_row", "message_chunk", "place_at", "whole_words"]

SHARES = (0.0, 0.26, 0.44, 0.60, 0.80, 0.92)
"""Where each key begins, as a share of the row's width."""


class Key(Struct, frozen=True):
    """A key of the bottom row.

    Attributes:
        shown: The key as people read it.
        words: What it does.
        live: False while it does nothing.
        action: The action that a click on it does; empty where no click may.
    """

    shown: str
    words: str
    live: bool = True
    action: str = ""


class LastWords(Struct, frozen=True):
    """The message of the special row, until the next key."""

    text: str = ""
    token: str = "warn"


def keys_row(keys: Sequence[Key], width: int) -> Line:
    """Lay the keys out, each at its share of the width: a word that does not fit is left out, the key never."""
    starts = [*(max(round(share * width), 1) for share in SHARES[: len(keys)]), width]
    pieces: list[Chunk] = [chunk(" ", keep=True)]
    for key, start, end in zip(keys, starts[:-1], starts[1:], strict=True):
        words = whole_words(key.words, end - start - (end < width) - cell_len(key.shown) - 1)
        name, said = key_chunks(key.shown, words, live=key.live)
        free = end - start - name.width - said.width
        pieces += [name, said, chunk(" " * max(free, 0), keep=True)]
    return Line(tuple(pieces), background="surface")


def place_at(column: int, width: int) -> int:
    """Return the place of the key at a column of the row, from 0."""
    return max(bisect_right([max(round(share * width), 1) for share in SHARES], column) - 1, 0)


def key_chunks(shown: str, words: str, *, live: bool) -> tuple[Chunk, Chunk]:
    """Return a key, which stands out while it works, and what it does."""
    said = f" {words}" if words else ""
    return (
        chunk(shown, "key" if live else "notyet", keep=True),
        chunk(said, "text" if live else "notyet", keep=True),
    )


def message_chunk(said: LastWords) -> Chunk:
    """Return the message of the special row."""
    return Chunk(foreign(f" {said.text}").text, said.token, cut="end")


def whole_words(text: str, cells: int) -> str:
    """Return as many words of a text, from its first one, as fit in some cells."""
    words = text.split(" ")
    for number in range(len(words), 0, -1):
        said = " ".join(words[:number])
        said = said if number == len(words) else said.removesuffix(",")
        for each in (said, said.removesuffix("…")):
            if cell_len(each) <= cells:
                return each
    return ""
