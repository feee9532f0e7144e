"""What the sheet of a request says of others that wait for the same: which its larger key releases, which stay.

The set is made once, when the sheet opens. What arrives later is told as new and is never part of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from signoff.queue.records import Risk
from signoff.text.time import age_text
from signoff_tui.guard import Omission, Ref
from signoff_tui.screens.review.names import listed, names_of
from signoff_tui.state.inbox import Entry, ref_of
from signoff_tui.state.reach import waiting_for_the_same
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line, chunk, wrapped
from signoff_tui.text.summary import summarize

__all__ = ["RELEASES", "Listing", "listing_for", "release_lines", "stay_lines"]

RELEASES = "approve_group"
"""The action whose key approves those that the sheet lists, too."""

_INDENT = " " * 12
_BETWEEN = "  "
_SPARE = 2
"""Cells that names leave free, so that no line of several has to be folded."""

_MOST_STAY = 2
"""Lines for requests that stay; of the others it says how many there are."""


class Listing(Struct, frozen=True):
    """Requests that wait for the same, as they were when the sheet opened.

    Attributes:
        listed: Named one by one; these can be released.
        known: All of them.
    """

    listed: tuple[Ref, ...]
    known: frozenset[Ref]


def listing_for(desk: ReviewSession, ref: Ref, *, now: int, width: int, rows: int) -> Listing:
    """Choose what the sheet of a request lists: as many as it has room for, the oldest first.

    Args:
        desk: Knows what waits.
        ref: The request that the sheet is about.
        now: Microseconds since the epoch.
        width: Cells of a line.
        rows: Lines for names.
    """
    waiting = waiting_for_the_same(desk.inbox, ref.id)
    refs = [ref_of(entry) for entry in waiting if _why_it_stays(desk, entry) is None]
    while refs and len(_named(desk, ref, refs, now=now, width=width - _SPARE)) > rows:
        refs.pop()
    return Listing(tuple(refs), frozenset(map(ref_of, waiting)))


def release_lines(desk: ReviewSession, ref: Ref, listing: Listing, *, now: int, width: int) -> list[Line]:
    """Every request that would be released: by name, agent and how long it waits, none of them cut."""
    rows = _named(desk, ref, listing.listed, now=now, width=width - _SPARE)
    return [line for row in rows for line in wrapped(row, width, "strong", head=chunk(_INDENT, keep=True))]


def stay_lines(desk: ReviewSession, ref: Ref, listing: Listing, width: int) -> list[Line]:
    """What waits for the same and would go on waiting, with the reason."""
    others = [entry for entry in waiting_for_the_same(desk.inbox, ref.id) if ref_of(entry) not in listing.listed]
    new = [entry for entry in others if ref_of(entry) not in listing.known]
    known = [entry for entry in others if ref_of(entry) in listing.known]
    reasons = {entry.id: _why_it_stays(desk, entry) for entry in known}
    unlisted = sum(reason is None for reason in reasons.values())
    names = dict(
        zip((entry.id for entry in known), names_of(desk, [ref_of(entry) for entry in known]), strict=True)
    )
    words = [
        *([f"{len(new)} new since you opened this"] if new else []),
        *([f"{unlisted} for which there is no room here"] if unlisted else []),
        *(f"{names[key]} ({reason})" for key, reason in reasons.items() if reason is not None),
    ]
    if not words:
        return []
    rest = "that wait for the same"
    return listed("   stay     ", words, width, head="muted", body="text", most=_MOST_STAY, rest=rest)


def _why_it_stays(desk: ReviewSession, entry: Entry) -> str | None:
    """Why a request is not released by another one, or None when it is."""
    if entry.held or entry.sent:
        return "decided, on its way"
    if entry.request.submission.risk is Risk.HIGH:
        return "HIGH: decided alone"
    if desk.inbox.is_hidden(entry.id):
        return str(Omission.HIDDEN)
    if desk.changes.of(entry) is not None:
        return "changed by you: decided alone"
    if entry.later:
        return "put aside"
    return None if entry.request.submission.may_be_remembered else "never remembered"


def _named(desk: ReviewSession, ref: Ref, refs: Sequence[Ref], *, now: int, width: int) -> list[str]:
    """The requests in words, several on a line where they fit."""
    rows: list[str] = []
    for name, other in zip(names_of(desk, refs), refs, strict=True):
        words = f"{name} ({', '.join(_about(desk, ref, other, now, name))})"
        if rows and cell_len(_INDENT + rows[-1] + _BETWEEN + words) <= width:
            rows[-1] += _BETWEEN + words
        else:
            rows.append(words)
    return rows


def _about(desk: ReviewSession, ref: Ref, other: Ref, now: int, name: str) -> list[str]:
    if other.id not in desk.inbox:
        return ["gone"]
    entry = desk.inbox.entry(other.id)
    if not entry.request.pending:
        return ["ended meanwhile, not approved by this"]
    if ref_of(entry) != other:
        return ["changed meanwhile, stays"]
    agent = summarize(entry.request).agent.text
    words = [] if f"({agent})" in name else [agent]  # several names may be told apart by their agents
    words.append(age_text((now - entry.request.created_at) / 1e6))
    if other.digest != ref.digest:
        words.append(f"other arguments, {int(desk.share(entry) * 100)}% shown")
    return words
