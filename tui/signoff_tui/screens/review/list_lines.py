"""The lines below the list: about the focused row, and what waits above and below those that are visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.present.reveal import reveal
from signoff.queue.records import Risk
from signoff_tui.screens.review.group_lines import agents_chunk, left_out_line, ready_line, totals_line
from signoff_tui.screens.review.listing_keys import ORDER_WORDS
from signoff_tui.screens.review.naming import NAME
from signoff_tui.screens.review.request_lines import risk_lines, risk_words
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line
from signoff_tui.text.summary import RISK_WORD, summarize

__all__ = ["below_line", "strip_lines"]

NARROW = 50
"""Cells of a list from which it says in which order it stands."""

_MOST_NAMED = 200
"""Members of a group beyond which the strip has none of their names: they are looked for with each move."""

_ROOM_FOR_GROUP = 5
"""Rows of the strip from which it says how the group of the focused request stands."""

LONGEST_ITEM = 300
"""Characters of a call in the batch: it is a look ahead, nothing to decide on yet."""


def strip_lines(desk: ReviewSession, rows: int, width: int, *, beside: bool) -> tuple[Line, ...]:
    """Some lines about the focused row: whose it is, where it runs, what comes next, its group. Always as many.

    Args:
        desk: Knows where the cursor is.
        rows: How many lines; none if there is no room.
        width: Cells of a line.
        beside: Whether what the cursor is on stands beside the list.
    """
    group, entry = desk.inbox.focused_group(), desk.inbox.focused_request()
    lines: list[Line] = []
    if entry is not None:
        about = _of_group(desk, group, rows, width) if group is not None else []
        following = _next_in_batch(desk, entry, rows - 1 - len(about), width)[: rows - 1 - len(about)]
        lines = [_whose(entry), *([] if about and not any(map(_says, following)) else following), *about]
    elif group is not None:
        members = desk.inbox.members(group.key)
        about = _of_group(desk, group, rows, width) if not beside else []
        lines = [
            _whose(members[0], agents_chunk(members, width, "strong")),
            *(about or [totals_line(desk, group, width)]),
        ]
    return tuple([*lines, *[Line()] * rows][:rows])


def _of_group(desk: ReviewSession, group: Group, rows: int, width: int) -> list[Line]:
    """How a group stands, and what one approval would cover; nothing where there are only few rows."""
    if rows < _ROOM_FOR_GROUP:
        return []
    totals = totals_line(desk, group, width)
    if len(group.members) > _MOST_NAMED:
        return [totals]
    who = desk.eligibility(group.members)
    ready, left_out = ready_line(desk, who, width), left_out_line(desk, who, width)
    return [totals, *(each for each in (ready, left_out) if each is not None)]


def _says(given: Line) -> bool:
    return any(str(piece.text.text).strip() for piece in given.left)


def _whose(entry: Entry, agents: Chunk | None = None) -> Line:
    summary = summarize(entry.request)
    return line(
        chunk(" ", keep=True),
        agents or Chunk(summary.agent, "strong", most=NAME),
        chunk(" / ", "muted"),
        Chunk(summary.session, "muted", most=NAME),
        chunk("   cwd ", "muted", keep=True),
        Chunk(reveal(entry.request.submission.cwd, "path"), cut="front"),
    )


def _next_in_batch(desk: ReviewSession, entry: Entry, rows: int, width: int) -> list[Line]:
    """Why it is risky, and what the agent will do next: on one line, or one line each if there is room."""
    submission = entry.request.submission
    words: list[Chunk] = [chunk(" ", keep=True)]
    masks = DEFAULT_REDACTION.also(submission.masked_keys)
    remaining = () if _listed_below(desk, entry) else submission.batch_remaining
    following = [_batch_item(item, masks) for item in remaining]
    if submission.risk is not Risk.LOW:
        words += [*risk_words(entry), chunk("   ")]
        if Line(tuple(words)).width > width and rows > 1 + bool(following):
            risk = risk_lines(entry, width)
            return [*risk, *_next_in_batch_only(following, rows - len(risk), (chunk(" ", keep=True),))]
    return _next_in_batch_only(following, rows, tuple(words))


def _listed_below(desk: ReviewSession, entry: Entry) -> bool:
    """Whether all that follows in the batch is there already, as members of the same group."""
    submission = entry.request.submission
    position = submission.batch_position
    if entry.group is None or position is None or submission.batch_id is None:
        return False
    others = (member.request.submission for member in desk.inbox.members(entry.group))
    follow = sum(
        other.batch_id == submission.batch_id and (other.batch_position or 0) > position for other in others
    )
    return follow >= len(submission.batch_remaining)


def _next_in_batch_only(following: Sequence[str], rows: int, words: tuple[Chunk, ...]) -> list[Line]:
    if not following:
        return [Line(words)]
    head = chunk(f"next in batch ({len(following)}): ", "muted", keep=True)
    if len(following) == 1 or rows < 3:
        calls = foreign(", ".join(following))
        return [Line((*words, head, Chunk(calls.text, cut="end")))]
    shown = following if len(following) < rows else following[: rows - 2]
    items = [line(chunk("   ", keep=True), foreign(item)) for item in shown]
    if len(shown) < len(following):
        items.append(line(chunk(f"   and {len(following) - len(shown)} more", "muted")))
    return [Line((*words, head)), *items]


def _batch_item(item: Mapping[str, Any], masks: Redactor) -> str:
    """A tool and the first text among its arguments, which most often says what it is about."""
    arguments = masks.mask_value(item.get("arguments"))
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    about = next((value for value in values if isinstance(value, str)), "")
    return f"{item.get('tool', '?')} {about}".strip()[:LONGEST_ITEM]


def below_line(desk: ReviewSession, visible: range, width: int) -> Line:
    """What waits below the visible rows and above them, HIGH always counted."""
    inbox = desk.inbox
    below = inbox.waiting_from(visible.stop)
    above = dict.fromkeys(Risk, 0)
    if visible.start:
        every, rest = inbox.waiting_from(0), inbox.waiting_from(visible.start)
        above = {risk: every[risk] - rest[risk] for risk in Risk}
    in_order = desk.inbox.order == "arrival"
    arrived = 0 if in_order else sum(desk.inbox.has_arrived(row.key) for row in desk.inbox.rows())
    order = ORDER_WORDS[desk.inbox.order] + (f", {arrived} new at the end (+)" if arrived else "")
    right = (chunk(f"{order} ", "muted"),) if width >= NARROW else ()
    if not any((*below.values(), *above.values())):
        return Line() if in_order else line(right=right)
    full, short = (
        [_elsewhere(mark, counts, risks) for mark, counts in (("v {} below", below), ("^ {} above", above))]
        for risks in ((Risk.HIGH, Risk.MEDIUM, Risk.LOW), (Risk.HIGH,))
    )
    signs = [_elsewhere(mark, counts, (Risk.HIGH,)) for mark, counts in (("v {}", below), ("^ {}", above))]
    wordings = [(*full[0], *full[1]), (*full[0], *short[1]), (*short[0], *short[1])]
    return fullest(
        [*(line(*words, right=right) for words in wordings), line(*wordings[-1]), line(*signs[0], *signs[1])],
        width,
    )


def _elsewhere(mark: str, counts: Mapping[Risk, int], risks: Sequence[Risk]) -> tuple[Chunk, ...]:
    """How many wait where nobody looks, those of some risks by themselves; nothing if none does."""
    waiting = sum(counts.values())
    parts = ", ".join(f"{counts[risk]} {RISK_WORD[risk]}" for risk in risks if counts[risk])
    words = f" {mark.format(waiting)}{': ' if parts else ''}{parts} "
    return (chunk(words, "danger" if counts[Risk.HIGH] else "muted"),) if waiting else ()
