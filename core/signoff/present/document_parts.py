"""The parts of a command as rows below it: what each is, and what is said of it.

Nobody has to have seen them, since the command stands above them whole. A part takes a row that begins with our
words and ends with the part, so nothing in a part can pass for what is said of it; that has rows of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from signoff.present.document import Document
from signoff.present.reveal import SafeText
from signoff.present.rows import RowKind, Run, fixed, joined, number_of

__all__ = ["UNFOLDED", "PartRow", "counted", "parts_document", "unfolded"]

UNFOLDED = 3
"""With more context than this, no part is folded."""

MOST, FEW = 24, 8
"""Parts that are shown while some are folded: the riskiest, or a few if none is risky."""


class PartRow(Struct, frozen=True):
    """A part of a command.

    Attributes:
        level: 0 for low risk, 1 for medium, 2 for high.
        lead: Our words before it: its risk, and what joins it to the part before.
        risk: Characters of these that are the risk.
        text: Makes the part, safe to show.
        about: Makes what is said of it, a row each.
    """

    level: int
    lead: str
    risk: int
    text: Callable[[], SafeText]
    about: tuple[Callable[[], SafeText], ...] = ()


def parts_document(
    title: SafeText | str,
    parts: Sequence[PartRow],
    words: Sequence[str],
    *,
    notes: tuple[str, ...] = (),
) -> Document:
    """Show the parts of a command. The least risky of very many are folded, and counted where they would stand.

    Args:
        title: The heading; a `str` must be our own words.
        parts: What to show, in order.
        words: For each level its risk in a word.
        notes: Facts for the heading of the request.
    """

    def of(context: int) -> Document:
        kept = unfolded([part.level for part in parts], context)
        runs = [fixed(RowKind.PARTS, title), *_rows(parts, kept, words)]
        return Document("parts", runs, notes=notes, context=context, other_context=of)

    return of(UNFOLDED)


def unfolded(levels: Sequence[int], context: int) -> frozenset[int]:
    """The parts that are shown, by their place: of very many the riskiest, unless more context is wanted.

    Args:
        levels: The risk of each part.
        context: How much context is wanted.
    """
    if len(levels) <= MOST or context > UNFOLDED:
        return frozenset(range(len(levels)))
    risky = [at for at, level in enumerate(levels) if level]
    return frozenset(sorted(risky, key=lambda at: -levels[at])[:MOST] or range(FEW))


def _rows(parts: Sequence[PartRow], kept: frozenset[int], words: Sequence[str]) -> Iterator[Run]:
    folded: list[PartRow] = []
    for at, part in enumerate(parts):
        if at not in kept:
            folded.append(part)
            continue
        if folded:
            yield _fold(folded, words)
            folded = []
        yield from _part(part)
    if folded:
        yield _fold(folded, words)


_KINDS = (RowKind.PART, RowKind.RISKY_PART, RowKind.HIGH_PART)


def _part(part: PartRow) -> Iterator[Run]:
    yield Run(_KINDS[part.level], text=lambda: joined(part.lead, part.text()), lead=part.risk)
    for about in part.about:
        yield Run(RowKind.ABOUT, text=about)


def _fold(parts: Sequence[PartRow], words: Sequence[str]) -> Run:
    count = number_of(len(parts), "part")
    return fixed(
        RowKind.FOLD, f"({count} folded: {counted((part.level for part in parts), words)})", lines=len(parts)
    )


def counted(levels: Iterable[int], words: Sequence[str]) -> str:
    """How many parts there are of each risk, the highest first; or the risk that all have."""
    found = Counter(levels)
    if len(found) == 1:
        return words[next(iter(found))]
    return ", ".join(f"{found[level]:,} {words[level]}" for level in reversed(range(len(words))) if found[level])
