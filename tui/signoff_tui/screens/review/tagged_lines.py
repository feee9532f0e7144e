"""What the screen says while decision keys are about the tagged set: exactly whom each key covers."""

from __future__ import annotations

from collections import Counter

from signoff.queue.records import Risk
from signoff_tui.guard import Omission
from signoff_tui.screens.review.naming import agents_of, covers_nothing, left_out_names, listed, names_of
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, line
from signoff_tui.text.summary import RISK_WORD, summarize

__all__ = ["tag_hints", "tagged_bar", "tagged_wordings"]

WIDE = 60
"""Cells from which there is room for more than what a key does."""

NAME = 24
"""Most cells for names that somebody else chose."""


def tag_hints(desk: ReviewSession) -> list[KeyHint]:
    """The keys about tags, where there are any; short, so that the first has room in any case."""
    if not desk.tags:
        return []
    shown = desk.keys.shown
    return [KeyHint(shown("tagged"), f"{len(desk.tags)} tagged"), KeyHint(shown("untag_all"), "untag all")]


def tagged_bar(desk: ReviewSession, room: BarRoom, most: int, *, armed: bool) -> tuple[Line, ...]:
    """Whom each key covers, by name.

    Args:
        desk: Knows what is tagged.
        room: Where it is drawn.
        most: Lines for names of either kind.
        armed: Whether the keys work already.
    """
    members, shown = desk.tagged(), desk.keys.shown
    waiting = len(members.waiting)
    lines: list[Line] = []
    if members.ready:
        key = f"[{shown('approve')}]" if armed else f"({shown('approve')})"
        title = f" {key} approves exactly {len(members.ready)}: "
        names = names_of(desk, members.ready)
        rest = "of those marked * that say seen"
        lines += listed(
            title, names, room.width, head="ok" if armed else "notyet", body="text", most=most, rest=rest
        )
    else:
        words = covers_nothing(shown("approve"), members.left_out, "tagged and listed")
        lines.append(line(chunk(f" {words}", "notyet")))
    left_out = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if left_out:
        names = left_out_names(desk, left_out)
        rest = "of those marked *"
        lines += listed(" left out: ", names, room.width, head="muted", body="muted", most=most, rest=rest)
    wide, some = room.width >= WIDE, bool(members.ready)
    hints = [
        KeyHint(shown("reject"), f"reject all {waiting}{', say why' if wide else ''}", live=armed and waiting > 0),
        KeyHint(
            shown("remember"),
            f"session for the {len(members.ready)}" if some else "session: none",
            live=armed and some,
        ),
        KeyHint(shown("stop"), f"stop the agents of all {waiting}", live=armed and waiting > 0),
        KeyHint("Esc", "back, tags stay" if wide else "back"),
    ]
    return (*lines, *flow(hints, BarRoom(room.width, max(room.rows - 1, 1))))


def tagged_wordings(desk: ReviewSession) -> list[tuple[Chunk, ...]]:
    """How many, of which tools and agents, how risky: the fullest wording first."""
    entries = desk.tags.entries
    risks = [entry.request.submission.risk for entry in entries]
    high = risks.count(Risk.HIGH)
    worst = Risk.MEDIUM if Risk.MEDIUM in risks else Risk.LOW
    if high:
        risk = chunk(f"  {high} HIGH", "risk-high", keep=True)
    else:
        risk = chunk(f"  risk {RISK_WORD[worst]}", f"risk-{worst}", keep=True)
    counts = Counter(summarize(entry.request).tool.text for entry in entries)
    tools = foreign(", ".join(f"{count} {tool}" for tool, count in counts.items()), "strong").text
    agents = foreign(agents_of(entries)).text
    head = chunk(f"{len(entries)} tagged", keep=True)
    by = (chunk(" (", keep=True), Chunk(agents, keep=True, most=NAME, cut="end"), chunk(")", keep=True))
    return [
        (head, chunk(": ", keep=True), Chunk(tools, "strong", keep=True), *by, risk),
        (head, chunk(": ", keep=True), Chunk(tools, "strong", keep=True, most=NAME, cut="end"), *by, risk),
        (head, chunk(": ", keep=True), Chunk(tools, "strong", keep=True, most=NAME, cut="end"), risk),
        (head, risk),
    ]
