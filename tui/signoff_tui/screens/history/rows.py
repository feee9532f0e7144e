"""The rows of the list: time, kind, what, change, HIGH, how it ended, by whom; below them what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.rows import joined
from signoff.present.reveal import SafeText, reveal
from signoff.queue import DecisionSource, HistoryRecord, RequestState, Risk
from signoff.text.time import when_text
from signoff_tui.screens.history.listing import Item, Together
from signoff_tui.screens.history.outcomes import Deciders, change_of, exited, is_file, letter, outcome, what
from signoff_tui.text.bars import whole_words
from signoff_tui.text.lines import Chunk, Line, chunk, crop, foreign
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import group_name

__all__ = ["RecordRowStyle", "counts_words", "height", "item_row", "member_row", "size_of", "title_of"]

LEAST_NAME = 18
"""Cells of a name that the change, and who decided, leave to it."""

_INDENT = 10
_TIME, _ENDED = 5, 20


class RecordRowStyle(Struct, frozen=True):
    """The signs, the time, the names and the counts that rows of records are drawn with.

    Attributes:
        glyphs: Signs that the terminal can draw.
        now: Wall clock, microseconds since the epoch.
        deciders: Names whoever or whatever decided.
        changes: Added and removed lines in words, by seq, as far as they are known.
    """

    glyphs: Glyphs
    now: int
    deciders: Deciders
    changes: Mapping[int, str]


def height(item: Item) -> int:
    """Return how many lines `item_row` makes."""
    return 1 + bool(_note(item) or _brought(item)) + bool(item.odd)


def item_row(item: Item, style: RecordRowStyle, width: int, *, focused: bool, opened: bool) -> tuple[Line, ...]:
    """Return the lines of a row of the list.

    Args:
        item: A record, or several that ended together.
        style: The signs, the time, the names and the counts.
        width: Cells.
        focused: True if the cursor is on it.
        opened: True if the members of what ended together follow.
    """
    member = item.together is not None and not item.heads
    background = "focus-bg" if focused else "background"
    # When it was is told once of what ended together.
    time = "" if member else when_text(item.record.at, style.now, "short")
    left = (
        chunk(style.glyphs.focus if focused else " ", "accent", keep=True),
        chunk(f"{time:<{_TIME}}  ", "muted", keep=True),
        *((chunk("  ", keep=True),) if member else ()),
        *title_of(item, style, opened=opened),
    )
    row = _fitted(left, _changes(item, style), _high(item), _ended(item, style.deciders), width)
    lines = [Line(row.left, row.right, background, focused)]
    if words := _said(item, width - _INDENT - 1, style.glyphs.ellipsis):
        lines.append(Line((chunk(" " * _INDENT, keep=True), chunk(words, "muted")), background=background))
    if item.odd:
        lines.append(Line((chunk(" " * _INDENT, keep=True), chunk(item.odd, "danger"))))
    return tuple(lines)


def title_of(item: Item, style: RecordRowStyle, *, opened: bool) -> tuple[Chunk, ...]:
    """Return kind and name of a row."""
    together = item.together if item.heads else None
    if together is None or together.lead is not None:
        return _one(item.record)
    sign = style.glyphs.opened if opened else style.glyphs.closed
    return chunk(f"{sign} ", "accent", keep=True), Chunk(_name(together), cut="end")


def _one(record: HistoryRecord) -> tuple[Chunk, ...]:
    # A path is cut at its beginning, a command at its end.
    name = Chunk(foreign(what(record)).text, cut="front" if is_file(record) else "end")
    return chunk(f"{letter(record)} ", "muted", keep=True), name


def _name(together: Together) -> SafeText:
    first = together.records[0]
    if exited(first):
        return joined(reveal(first.agent_name, "agent"), " exited")
    return group_name(together.group or "", together.as_asked)


def size_of(together: Together) -> str:
    """Return how many ended together, and how many of them are listed if not all are."""
    listed = len(together.records)
    if listed < together.size:
        return f"{listed} of {together.size}"
    return f"{listed} {'files' if all(map(is_file, together.records)) else 'calls'}"


def _changes(item: Item, style: RecordRowStyle) -> tuple[Chunk, ...]:
    """Return the size of the change, the reviewer's own, or the number of members; then what is never left out."""
    together = item.together if item.heads else None
    if together is not None and together.lead is None:
        withdrawn = exited(item.record) and len(together.records) == together.size
        return () if withdrawn else (chunk(size_of(together), "muted", keep=True),)
    if own := change_of(item.record, style.deciders):
        return tuple(foreign(words, "warn", keep=True) for words in own)
    words = style.changes.get(item.record.seq, "")
    if item.together is None and item.size > 1:
        words = f"1 of {item.size}"
    return (chunk(words, "muted", keep=True),) if words else ()


def _high(item: Item) -> tuple[Chunk, ...]:
    high = item.together.high > 0 if item.heads and item.together else item.record.risk is Risk.HIGH
    return (chunk(" HIGH", "risk-high", keep=True),) if high else ()


def _ended(item: Item, deciders: Deciders) -> tuple[Chunk, Chunk]:
    """Return the outcome, and who decided for the right end of the row."""
    together = item.together if item.heads else None
    record = item.record if together is None or together.lead is not None else together.least_shown
    words, token = outcome(record)
    if together is not None and exited(record):
        words = f"{len(together.records)} withdrawn"
    who = foreign(deciders.who(record), "muted").text
    room = _ENDED - max(len(words) + 1, 0)
    blank = max(room - Chunk(who).width, 0)
    by = Chunk(who, "muted", keep=True, most=max(room, 3), cut="end")
    return chunk(f"{words}{' ' * (blank + 1)}", token, keep=True), by


def _fitted(
    left: tuple[Chunk, ...],
    changes: tuple[Chunk, ...],
    high: tuple[Chunk, ...],
    ended: tuple[Chunk, Chunk],
    width: int,
) -> Line:
    """Return a row whose name comes first: who decided, and the change, leave enough of it."""
    outcome_, by = ended
    before, name = sum(piece.width for piece in left[:-1]), left[-1].width
    least = min(name, LEAST_NAME)
    used = before + sum(piece.width for piece in high) + 2 + sum(piece.width + 2 for piece in changes[1:])
    if used + least + outcome_.width + by.width <= width:
        right = (*high, chunk("  ", keep=True), outcome_, by)
    else:
        word = foreign(outcome_.text.text.rstrip(), outcome_.token, keep=True)
        right = (*high, chunk("  ", keep=True), word)
    room = width - before - sum(piece.width for piece in right)
    fitting = [change for change in changes if room - least >= change.width + 2] or changes[1:]
    for change in fitting[:1]:
        left = (*left, chunk("  ", keep=True), change)
    return Line(left, right)


# -- What is said below a row.


def _said(item: Item, room: int, ellipsis: str) -> SafeText | str:
    """Return the words to the agent, or why nobody decided; then the number of others that followed, never cut."""
    brought, safe = _brought(item), foreign(_note(item)).text
    if not safe.text:
        return brought
    end = f"; {brought}" if brought else ""
    if Chunk(safe).width + len(end) <= room:
        return SafeText(f"{safe.text}{end}")
    left = room - len(end) - 2
    words = whole_words(safe.text, left) or crop(safe.text, left, "end", ellipsis="")
    return SafeText(f"{words} {ellipsis}{end}")


def _note(item: Item) -> str:
    """Return the note below one record; for records that ended together only on the row that stands for all."""
    record, together, decision = item.record, item.together, item.record.decision
    if together is not None and not item.heads and (together.lead is not None or together.note):
        return ""
    if decision is None:
        words = "" if exited(record) else record.reason
    elif decision.source is DecisionSource.GRANT:  # the row says that it was allowed
        words = ""
    elif item.heads and together is not None and together.lead is None:
        words = together.note
    else:
        words = decision.note or ""
    return DEFAULT_REDACTION.mask_text(words.replace("\n", " ")).text


def _brought(item: Item) -> str:
    """Return the number of others that the answer to one answered, too, in words; empty if there are none."""
    together = item.together if item.heads else None
    if together is None or together.lead is None:
        return ""
    others = together.size - 1
    return f"{others} more of its turn" if not together.act.cause else f"{others} more that waited"


# -- Counts, and the names of members.


def member_row(record: HistoryRecord, style: RecordRowStyle) -> Line:
    """Return one of several that ended together, for the list of them beside the rows."""
    words = style.changes.get(record.seq, "")
    change = (chunk(f"  {words}", "muted", keep=True),) if words else ()
    risk = (chunk(" HIGH ", "risk-high", keep=True),) if record.risk is Risk.HIGH else ()
    told, token = outcome(record)
    share = (chunk(f"  {told} ", token, keep=True),) if token == "warn" else ()
    return Line((chunk("   ", keep=True), *_one(record), *change), (*risk, *share))


def counts_words(records: Sequence[HistoryRecord], deciders: Deciders) -> list[str]:
    """Return what became of some records, part by part: ``22 approved (9 you)``, ``5 rejected``, ``4 other``."""
    approved = [record for record in records if record.state is RequestState.APPROVED]
    rejected = sum(record.state is RequestState.REJECTED for record in records)
    yours = sum(deciders.who(record) == "you" for record in approved)
    own = f" ({yours} you)" if yours else ""
    return [
        f"{len(approved)} approved{own}",
        f"{rejected} rejected",
        f"{len(records) - len(approved) - rejected} other",
    ]
