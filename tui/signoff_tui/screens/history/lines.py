"""How history records look in the list: rows, the names of the columns, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from signoff.queue import HistoryRecord, RequestState, Risk
from signoff.text.time import when_text
from signoff_tui.screens.history.listing import Item
from signoff_tui.screens.history.together import Together
from signoff_tui.screens.history.wording import (
    Deciders,
    counted,
    kind,
    outcome,
    said,
    share,
    took_text,
    what,
)
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import letter_of

__all__ = ["heading", "height", "item_row", "totals"]

ROOMY = 70
"""From this many cells on, rows also say how long it took and how much was shown."""
TIGHT = 58
"""Below this many cells, who decided has a line of its own."""

_TIME, _DECISION, _BY, _TOOK, _SHOWN = 8, 17, 10, 5, 6
_INDENT = 2 + _TIME + 1
_MOST_NAMES = 4
_ENOUGH = 8
"""Cells of a name that still tell it from others."""


def heading(width: int) -> Line:
    """Names of the columns."""
    left = chunk("  time     what", "muted")
    if width < TIGHT:
        return line(left, right=(chunk("decision, by ", "muted"),))
    columns = "decision".ljust(_DECISION) + "by".ljust(_BY)
    if width >= ROOMY:
        columns += "took".rjust(_TOOK) + "seen".rjust(_SHOWN)
    return line(left, right=(chunk(f"{columns} ", "muted"),))


def height(item: Item, width: int) -> int:
    """How many lines `item_row` makes."""
    return (2 if width < TIGHT else 1) + len(_said(item)) + bool(item.odd)


def item_row(
    item: Item, deciders: Deciders, glyphs: Glyphs, width: int, *, now: int, focused: bool, opened: bool
) -> tuple[Line, ...]:
    """The lines of a row of the list: what, and the words that were said about it if there are any.

    Args:
        item: A record, or several that were decided together.
        deciders: Who and what decides here.
        glyphs: Signs of this run.
        width: Cells.
        now: Wall clock, microseconds since the epoch.
        focused: Whether the cursor is on it.
        opened: Whether the members of what was decided together follow.
    """
    together, record = item.together, item.record
    member = together is not None and not item.heads
    left = (
        chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True),
        # When it was is told once of what was decided together.
        chunk(f"{'' if member else when_text(record.at, now, 'row'):<{_TIME}} ", "muted", keep=True),
        *(_several(together, glyphs, opened=opened) if item.heads and together else _one(record)),
    )
    high = record.risk is Risk.HIGH if together is None or member else together.high > 0
    risk = (chunk(" HIGH ", "risk-high", keep=True),) if high else ()
    background = "focus-bg" if focused else "background"
    ended = _ended(item, deciders, roomy=width >= ROOMY)
    indent = chunk(" " * _INDENT, keep=True)
    if width < TIGHT:
        first = Line(left, (*risk, chunk(" ")), background, focused)
        rows = [first, Line((indent, *ended), (), background, focused)]
    else:
        rows = [Line(left, (*risk, chunk(" "), *ended, chunk(" ")), background, focused)]
    said_too = (Chunk(foreign(words).text, "muted", cut="end") for words in _said(item))
    below = [Line((indent, words), (chunk(" "),), background) for words in said_too]
    odd = [line(indent, chunk(item.odd, "danger"))] if item.odd else []
    return (*rows, *below, *odd)


def _one(record: HistoryRecord) -> tuple[Chunk, ...]:
    does = kind(record)
    subject = Chunk(foreign(what(record)).text, cut="front" if does.is_file else "end")
    return chunk(f"{letter_of(does)} ", "muted", keep=True), subject


def _several(together: Together, glyphs: Glyphs, *, opened: bool) -> tuple[Chunk, ...]:
    number, name = counted(together), together.name
    mark = chunk(f"G{glyphs.opened if opened else glyphs.closed} ", "accent", keep=True)
    if name is None:
        return mark, chunk(number)
    return mark, Chunk(foreign(name).text, cut="end", enough=_ENOUGH), chunk(f"  {number}", "muted", keep=True)


def _said(item: Item) -> tuple[str, ...]:
    """What is said below a row: of what was decided together only once."""
    words = said(item.record)
    if item.together is None:
        left_out = item.size - 1
        others = f"1 of {item.size} shown: decided together with {left_out} more that are not listed"
        return (*words, others) if left_out else words
    note = item.together.act.note
    shared = (note.replace("\n", " "),) if note else ()
    return shared if item.heads else words[len(shared) :]


def _ended(item: Item, deciders: Deciders, *, roomy: bool) -> tuple[Chunk, ...]:
    several = item.together if item.heads else None
    record = item.record if several is None else several.least_shown
    longest = item.record if several is None else several.longest
    words, token = outcome(record, with_share=not roomy)
    ended = (
        chunk(words.ljust(_DECISION), token, keep=True),
        Chunk(foreign(deciders.who(record)).text, keep=True, most=_BY - 1, least=_BY - 1),
        chunk(" "),
    )
    if not roomy:
        return ended
    deliberate = record.decision is not None and record.decision.deliberate
    return (
        *ended,
        chunk(took_text(longest).rjust(_TOOK), "muted", keep=True),
        chunk(share(record).rjust(_SHOWN), "warn" if deliberate else "muted", keep=True),
    )


def totals(records: Sequence[HistoryRecord], deciders: Deciders, width: int, *, more: bool) -> Line:
    """Counts over what is listed.

    Args:
        records: What is listed.
        deciders: Who and what decides here.
        width: Cells.
        more: Whether there are older ones that are not listed.
    """
    if not records:
        return line()
    approved = [record for record in records if record.state is RequestState.APPROVED]
    rejected = sum(record.state is RequestState.REJECTED for record in records)
    word = "record" if len(records) == 1 else "records"
    first = f" {'newest ' if more else ''}{len(records)} {word}: {len(approved)} approved"
    other = f"  {rejected} rejected  {len(records) - len(approved) - rejected} other"
    # Fixed words first: what a name of others looks like must not matter for where they stand.
    by = Counter(map(deciders.category, approved)).most_common()
    names: list[Chunk] = []
    for name, count in by[:_MOST_NAMES]:
        number = chunk(f"{', ' if names else ' ('}{count} ", "muted", keep=True)
        names += [number, Chunk(foreign(name, "muted").text, "muted", keep=True, most=16)]
    rest = sum(count for _, count in by[_MOST_NAMES:])
    if names:
        names.append(chunk(f", {rest} others)" if rest else ")", "muted", keep=True))
    head, tail = chunk(first, "muted", keep=True), chunk(other, "muted", keep=True)
    return fullest([line(head, *names, tail), line(head, tail)], width)
