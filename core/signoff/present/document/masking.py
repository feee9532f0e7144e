"""Marks in place of secrets in safe text. Other modules find the secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from signoff.canonical import NotJsonError, canonical
from signoff.present.reveal.safe_text import SafeText

__all__ = ["LineMasks", "Masks", "length_of", "mark", "mark_of", "masked"]

Span = tuple[int, int]


class Masks(Protocol):
    """The rules of what to hide; `signoff.policy.redaction.masking.Redactor` has them."""

    def hides(self, key: str, value: object) -> bool:
        """True if the value of an argument is hidden because of its name."""

    def names_in(self, container: Mapping[Any, Any] | Sequence[Any], key: str) -> Names:
        """The names of the entries of a container under a key."""

    def runs(self, key: str) -> bool:
        """True if the text under a name is run by a shell."""

    def blocks(self, lines: Sequence[str], *, command: bool) -> Sequence[range]:
        """The ranges of lines that private keys take."""

    def line_spans(self, line: str, *, command: bool, in_block: bool) -> Sequence[Span]:
        """Find the secrets in one line: spans in order, none touching another."""


class Names(Protocol):
    """The names of the entries of a container."""

    def of(self, at: Any) -> str:
        """The name of one entry, by its key or index."""


class LineMasks:
    """The secrets in the lines of one text; found when the lines are shown.

    Args:
        masks: The rules of what to hide; None hides nothing.
        lines: All lines of the text.
        command: True if it is run by a shell.
    """

    def __init__(self, masks: Masks | None, lines: Sequence[str], *, command: bool) -> None:
        self._masks = masks
        self._lines = lines
        self._command = command

    def masked(self, safe: SafeText, line: str, index: int) -> SafeText:
        """Replace the secrets in one line by marks.

        Args:
            safe: The line made safe.
            line: The line, or its beginning.
            index: Its number, from 0.
        """
        if self._masks is None:
            return safe
        spans = self._masks.line_spans(line, command=self._command, in_block=index in self._in_keys)
        return masked(safe, spans)

    @cached_property
    def _in_keys(self) -> frozenset[int]:
        """The lines that private keys take."""
        blocks = () if self._masks is None else self._masks.blocks(self._lines, command=self._command)
        return frozenset(number for block in blocks for number in block)


def mark(length: int) -> str:
    """The mark in place of a secret."""
    return f"[secret, {length:,} {'character' if length == 1 else 'characters'}]"


def mark_of(value: object) -> SafeText:
    """The mark in place of a whole value."""
    length = length_of(value)
    words = mark(length)
    return SafeText(words, ((0, len(words)),), (), (length,))


def length_of(value: object) -> int:
    """The length of a hidden value in characters: of a text as it is, of anything else as JSON."""
    if isinstance(value, str):
        return len(value)
    try:
        return len(canonical(value))
    except NotJsonError:
        return len(repr(value))


def masked(safe: SafeText, spans: Sequence[Span]) -> SafeText:
    """Replace spans by marks.

    Args:
        safe: The text.
        spans: Spans of its original, in order and apart. One that ends inside an escape covers all of it.

    Returns:
        The text with a mark for each span. Marks are among `SafeText.hidden`; findings stay as they are.
    """
    if not spans:
        return safe
    draft = _MaskedDraft(safe)
    for start, end in _apart(safe.map_spans(spans)):
        draft.keep(start)
        draft.hide(end)
    draft.keep(len(safe))
    return draft.finished()


class _MaskedDraft:
    """A text in the making: it goes through the original once, and keeps or hides each stretch."""

    def __init__(self, safe: SafeText) -> None:
        self._safe = safe
        self._at = 0
        self._sign = 0
        self._size = 0
        self._parts: list[str] = []
        self._hidden: list[Span] = []
        self._replaced: list[int] = []

    def keep(self, to: int) -> None:
        """Keep the text up to a place, with its signs."""
        shift = self._size - self._at
        for (start, end), count in self._signs_before(to):
            self._hidden.append((start + shift, end + shift))
            self._replaced.append(count)
        self._add(self._safe.text[self._at : to], to)

    def hide(self, to: int) -> None:
        """Put a mark in place of the text up to a place; it tells the length of the original."""
        length = to - self._at + sum(count - (end - start) for (start, end), count in self._signs_before(to))
        words = mark(length)
        self._hidden.append((self._size, self._size + len(words)))
        self._replaced.append(length)
        self._add(words, to)

    def finished(self) -> SafeText:
        """The new text."""
        return SafeText("".join(self._parts), tuple(self._hidden), self._safe.findings, tuple(self._replaced))

    def _signs_before(self, to: int) -> Iterator[tuple[Span, int]]:
        """The signs that end at a place or before it, each once, with the number of characters it replaces."""
        hidden, replaced = self._safe.hidden, self._safe.replaced
        while self._sign < len(hidden) and hidden[self._sign][1] <= to:
            yield hidden[self._sign], replaced[self._sign]
            self._sign += 1

    def _add(self, text: str, to: int) -> None:
        self._parts.append(text)
        self._size += len(text)
        self._at = to


def _apart(spans: Sequence[Span]) -> Sequence[Span]:
    """Spans in order, with those that overlap joined."""
    result: list[Span] = []
    for start, end in spans:
        if result and start < result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        elif start < end:
            result.append((start, end))
    return result
