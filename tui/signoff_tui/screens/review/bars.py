"""The two rows at the bottom of the review: what is special now, and the six keys."""

from __future__ import annotations

import math
from collections.abc import Sequence

from signoff.effects import Risk
from signoff.masked_subject import announced_subjects
from signoff_tui.guard import Eligibility, Omission
from signoff_tui.layout import AGENT_COLUMN
from signoff_tui.screens.review.allow import pattern_text
from signoff_tui.screens.review.names import agents_of, as_listed, group_label, held_words, name_of, names_of
from signoff_tui.screens.review.pointing import Pointed
from signoff_tui.state.amendments import EDITED
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession, next_unseen
from signoff_tui.text.bars import Key, LastWords, key_chunks, message_chunk, place_at
from signoff_tui.text.lines import Chunk, Line, chunk, foreign
from signoff_tui.text.summary import LONGEST, summarize

__all__ = ["action_at", "held_chunks", "how_many", "keys_of", "special_row", "what_is_missing"]

_LEAST_NAME = 6
"""Cells that the name of a group keeps."""

CLICKED = {3: "page_down", 4: "filter", 5: "help"}
"""The actions of the keys that can be clicked: no click decides."""


def action_at(column: int, width: int) -> str | None:
    """Return the action of the key at a column of the row; None if there is none that a click does."""
    return CLICKED.get(place_at(column, width))


def keys_of(desk: ReviewSession, *, armed: bool, group_armed: bool) -> tuple[Key, ...]:
    """Return the six keys, for what the cursor is on.

    Args:
        desk: Knows it.
        armed: True if the keys about one request count now.
        group_armed: True if the keys about the group, or the tagged, count now.
    """
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    reading = Key(desk.keys.shown("page_down"), "read on", next_unseen(desk) is not None)
    if entry is None and group is not None:
        deciding = _group_keys(desk, desk.eligibility(group.members), live=group_armed and not desk.tags)
    else:
        deciding = _request_keys(desk, entry, live=armed)
    elsewhere = (Key(desk.keys.shown("filter"), "filter"), Key(desk.keys.shown("help"), "keys"))
    return (*deciding, reading, *elsewhere)


def _request_keys(desk: ReviewSession, entry: Entry | None, *, live: bool) -> tuple[Key, ...]:
    live = live and entry is not None and entry.waiting
    change = None if entry is None else desk.changes.of(entry)
    coverage = None if entry is None else desk.coverage(entry)
    read = live and coverage is not None and coverage.complete
    nothing_left = change is not None and change.instead is None
    what = (
        "approve" if change is None else "approve edited" if change.choice is None else f"approve {change.summary}"
    )
    kept = (
        read
        and entry is not None
        and change is None
        and entry.request.submission.may_be_remembered
        and desk.risk(entry) is not Risk.HIGH
    )
    shown = desk.keys.shown
    return (
        Key(shown("approve"), what, read and not nothing_left),
        Key(shown("reject"), "reject", live),
        Key(shown("remember"), "allow…", kept),
    )


def _group_keys(desk: ReviewSession, members: Eligibility, *, live: bool) -> tuple[Key, ...]:
    ready, shown = bool(members.ready), desk.keys.shown
    return (
        Key(shown("approve_group"), how_many(members), live and ready),
        Key(shown("reject_group"), f"reject {len(members.waiting)}", live and bool(members.waiting)),
        Key(shown("remember"), "allow…", live and ready),
    )


def how_many(members: Eligibility) -> str:
    """Return ``approve 3 of 10``, or ``approve 10``."""
    might = len(members.ready) + sum(item.reason is not Omission.CLOSED for item in members.left_out)
    return f"approve {len(members.ready)}" + ("" if might == len(members.ready) else f" of {might}")


# -- what is special ---------------------------------------------------------------------------------------


def special_row(
    desk: ReviewSession, said: LastWords, pointed: Pointed | None, width: int, now: float, *, armed: bool
) -> Line:
    """Return the row above the keys: a message, else what is special now; at its right end what is held.

    Args:
        desk: The session.
        said: The message.
        pointed: The hunk that the reader went to, if there is one.
        width: Cells.
        now: Monotonic seconds.
        armed: True if the keys about the group, or the tagged, count now.
    """
    if said.text:
        left: Sequence[Chunk] = (message_chunk(said),)
    else:
        left = _special(desk, pointed, armed=armed) or (_who_asks(desk) if width < AGENT_COLUMN else ())
    held = held_chunks(desk, max(width // 2, width - sum(piece.width for piece in left)), now)
    if not said.text and sum(piece.width for piece in (*left, *held) if piece.keep) + _LEAST_NAME > width:
        left = _special(desk, pointed, armed=armed, brief=True)
    return Line(tuple(left), held)


def _special(desk: ReviewSession, pointed: Pointed | None, *, armed: bool, brief: bool = False) -> Sequence[Chunk]:
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    change = None if entry is None else desk.changes.of(entry)
    shown = desk.keys.shown
    if entry is not None and entry.waiting and change is not None:
        if change.choice is not None:
            return (foreign(f" {change.summary}: {shown('toggle_hunk')} takes it back", "warn"),)
        edited = Chunk(foreign(f" {name_of(desk, desk.ref(entry))}").text, cut="end")
        again = "" if brief else f": {shown('edit_call')} edits again"
        return (edited, chunk(f"  {EDITED}{again}", "warn", keep=True))
    if pointed is not None:
        live = bool(pointed.numbers)
        return (
            chunk(f" {pointed.named}: ", keep=True),
            *key_chunks(shown("toggle_hunk"), pointed.verb, live=live),
        )
    if desk.tags:
        return _about_several(desk, f" {len(desk.tags)} tagged: ", desk.tagged(), armed=armed, brief=brief)
    if entry is not None and group is not None:
        members = desk.eligibility(group.members)
        if members.waiting:
            name = (foreign(" ", keep=True), Chunk(group_label(desk, group), cut="end"), chunk(": ", keep=True))
            return (*name, *_about_several(desk, "", members, armed=armed, brief=brief))
    following = [] if entry is None else announced_subjects(entry.request.submission)
    if following:
        more = f" and {len(following) - 1} more" if following[1:] else ""
        return (
            chunk(" next in this turn: ", "muted", keep=True),
            foreign(following[0][:LONGEST]),
            chunk(more, "muted"),
        )
    return ()


def _who_asks(desk: ReviewSession) -> Sequence[Chunk]:
    """Return the agent of what the cursor is on, where the rows have no room for it."""
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    asking = [entry] if entry is not None else [] if group is None else desk.inbox.listed(group.key)
    return (Chunk(foreign(f" {agents_of(asking)}").text, "muted", cut="end"),) if asking else ()


def _about_several(
    desk: ReviewSession, title: str, members: Eligibility, *, armed: bool, brief: bool
) -> Sequence[Chunk]:
    """Return a title and the two keys; in brief only their numbers."""
    shown, waiting = desk.keys.shown, len(members.waiting)
    approve, reject = how_many(members), f"reject {waiting}"
    if brief:
        approve, reject = (words.partition(" ")[2] for words in (approve, reject))
    return (
        *((chunk(title, keep=True),) if title else ()),
        *key_chunks(shown("approve_group"), approve, live=armed and bool(members.ready)),
        chunk("  ", keep=True),
        *key_chunks(shown("reject_group"), reject, live=armed and waiting > 0),
    )


def held_chunks(desk: ReviewSession, room: int, now: float) -> tuple[Chunk, ...]:
    """Return the held decision made last, its countdown, and the key that takes it back; nothing without one."""
    holds = list(desk.guard.holds)
    if not holds:
        return ()
    last = holds[-1]
    decision = last.payload.decision
    refs = [*last.refs, *(desk.reached_by_stops() if decision.hard else ())]
    names = names_of(desk, as_listed(desk, refs))
    if last.payload.pattern is not None and refs[0].id in desk.inbox:
        names = [pattern_text(last.payload.pattern, desk.inbox.entry(refs[0].id).request.submission)]
    others = f", {len(holds) - 1} more held" if holds[1:] else ""
    undo = (chunk("   ", keep=True), chunk(desk.keys.shown("undo"), "key", keep=True), chunk(" undo ", keep=True))
    seconds = max(math.ceil(last.until - now), 0)
    room -= sum(piece.width for piece in undo) + 2
    end = f", sends in {seconds} s{others}"
    told = held_words(decision, names, room - len(end))
    if names[0] not in told:  # in fewer words, with more room for the name
        end = f" {seconds} s{others}"
        told = held_words(decision, names, room - len(end))
    return (foreign(f"  {told}{end}", "held", keep=True), *undo)


def _in_part(entry: Entry) -> str:
    return f"{'binary: ' if summarize(entry.request).letter == 'B' else ''}not shown in full"


def what_is_missing(desk: ReviewSession, entry: Entry) -> str:
    """Return what of a request was not on the screen, in words."""
    coverage = desk.coverage(entry)
    if coverage is None:
        return "cannot be shown" if desk.failure(entry) is not None else "not opened yet"
    if not coverage.missing:
        content = desk.content(entry)
        searched = content is None or content.scanned
        return _in_part(entry) if searched else "still checking for hidden characters"
    return f"{coverage.percent} % shown"
