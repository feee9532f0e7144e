"""The lines above and below list and content: about the request that is read, and in an empty list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from signoff.effects import Risk
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.rows import number_of
from signoff.present.reveal import SafeText, reveal
from signoff.queue.location import usual_place
from signoff.queue.records import RequestState
from signoff.queue.wording import left_alone
from signoff.text.risk import risk_reasons
from signoff.text.time import age_text, left_text
from signoff_tui.context import Announcement
from signoff_tui.layout import Layout
from signoff_tui.screens.review.names import LEAST_NAME, NAME, agents_of, group_label
from signoff_tui.screens.review.rows import (
    FILES,
    RowStyle,
    counts_text,
    late_words,
    size_of,
    state_word,
    time_left,
)
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, crop, folded, foreign, line, wrapped
from signoff_tui.text.summary import RISK_WORD, Summary, ended_text, summarize
from signoff_tui.widgets.document.layout import Rest
from signoff_tui.widgets.document.lines import NARROW

__all__ = [
    "empty_lines",
    "foot_line",
    "group_head",
    "lost_lines",
    "request_head",
]

_NEAR = 600.0
"""Seconds before a deadline from which on it stands out."""


def lost_lines(place: str, what: str, why: str, seconds: float, width: int) -> tuple[Line, ...]:
    """Return the two rows on top while the queue is not there.

    Args:
        place: Where it was.
        what: The event that befell it, as in "was removed", if it is gone for good; then its agents were told so.
        why: The reason, in words of the queue.
        seconds: Seconds since it was lost.
        width: Cells of a row.
    """
    event, off = f"{what or 'was lost'} {age_text(seconds)} ago.", " Nothing is approved; keys are off."
    room = width - cell_len(f" QUEUE LOST   {event}{off}")
    where = crop(foreign(place).text.text, max(room, LEAST_NAME), "front", ellipsis="...")
    again = "Opening it again by itself." if what else f"Trying again by itself: {foreign(why).text.text}"
    agents = "What waited there does not run." if what else "Agents keep waiting."
    return (
        _alarm(f" QUEUE LOST  {where} {event}{off}", width),
        _alarm(f" {agents} {again}", width),
    )


def _alarm(told: str, width: int) -> Line:
    """Return a row that stands out over its full width, without its last words if it has no room for them."""
    words = told.split(" ")
    while len(words) > 1 and cell_len(" ".join(words)) > width:
        words.pop()
    told = " ".join(words)
    return line(foreign(told, "alarm", keep=True), chunk(" " * (width - cell_len(told)), "alarm", keep=True))


_TRY_IT = (
    line(chunk("   To try it, type in another terminal:", "muted")),
    line(chunk("     signoff ask --tool deploy --arg to=staging")),
)


def empty_lines(place: str, announcement: Announcement, recent: Sequence[Line], width: int) -> tuple[Line, ...]:
    """Return the words in an empty inbox.

    Args:
        place: Where the queue is.
        announcement: A message of signoff; its words may be empty.
        recent: The recent activity; where there never was any, it is said how to try it, if commands without
            options ask in this queue.
        width: Cells of a line.
    """
    words, token = announcement
    return (
        Line(),
        line(chunk("   No agent is waiting.", "strong")),
        *(wrapped(words, width, token, head=chunk("   ", keep=True)) if words else ()),
        Line(),
        *recent,
        line(chunk("   Queue: ", "muted", keep=True), Chunk(reveal(place, "path"), "muted", cut="front")),
        *(_TRY_IT if not recent and place == usual_place() else ()),
    )


# -- above the content -------------------------------------------------------------------------------------


def group_head(desk: ReviewSession, group: Group, style: RowStyle, width: int) -> Line:
    """Return the line about a group: name, size, change, how much of it was read, who asks since when."""
    members = desk.inbox.listed(group.key) or desk.inbox.members(group.key)
    waiting = [entry for entry in members if entry.request.pending]
    contents = [content for entry in members if (content := desk.content(entry)) is not None]
    added, removed = sum(item.added for item in contents), sum(item.removed for item in contents)
    read = sum((coverage := desk.coverage(entry)) is not None and coverage.complete for entry in waiting)
    changed = f"  +{added} -{removed}" if len(contents) == len(members) and (added or removed) else ""
    high = sum(desk.risk(entry) is Risk.HIGH for entry in waiting)
    oldest = min((entry.request.created_at for entry in waiting), default=None)
    age = "" if oldest is None else f"  {age_text((style.now - oldest) / 1e6)}"
    who = Chunk(foreign(agents_of(members)).text, "muted", keep=True, most=max(width // 3, NAME), cut="end")
    left = (
        chunk(" ", keep=True),
        Chunk(group_label(desk, group), "strong", cut="end"),
        chunk(f"  {size_of(desk, group)}{changed}", "muted", keep=True),
        *([chunk(f"  {high} HIGH", "risk-high", keep=True)] if high else []),
        *([chunk(f"  {late}", "warn", keep=True)] if (late := late_words(desk, group)) else []),
        chunk(
            f"  read {read} of {len(waiting)}" if waiting else "  ended",
            "ok" if read == len(waiting) else "held",
            keep=True,
        ),
    )
    right = (chunk("  "), who, chunk(f"{age} ", "muted", keep=True))
    return Line(left, right if Line(left, right).width <= width else ())


def request_head(
    desk: ReviewSession, entry: Entry, style: RowStyle, width: int, layout: Layout, *, brief: bool = False
) -> list[Line]:
    """Return the lines about a request above its content.

    Args:
        desk: The session.
        entry: The request.
        style: Glyphs and time.
        width: Cells.
        layout: The size of the terminal.
        brief: True below the line of its group, which says who asks.
    """
    summary = summarize(desk.request(entry))
    what, where, share, risk = (*_parts(desk, entry, summary), _risk(desk, entry))
    apart = (chunk("  ", keep=True),)
    beside = ((*apart, *risk), (*apart, risk[0])) if brief else ((), ())
    choices = ((*where, *beside[0]), (*where, *beside[1]), beside[1])
    lines = (Line((*what, *more), share) for more in choices)
    whole = next((each for each in lines if NARROW <= width >= each.width), None)
    head = _in_full(what, summary, width) if whole is None else [whole]
    if layout.low:
        return head
    if not brief:
        head.append(_who(desk, entry, summary, style, width, () if whole else share))
    elif whole is None:
        told = (chunk(" ", keep=True), *risk)
        head.append(Line(told if Line(told, share).width <= width else told[:2], share))
    told_reasons = len(risk) == 1 or any(risk[-1] in each.left for each in head)
    notes = list(_warnings(desk, entry, summary, width, reasons=told_reasons))
    room = max(layout.head_rows - len(head), 1)
    if len(notes) > room:
        more = len(notes) - room + 1
        notes = [*notes[: room - 1], line(chunk(f" ! {more} more lines: make the pane higher", "warn"))]
    return [*head, *notes]


def _parts(desk: ReviewSession, entry: Entry, summary: Summary) -> tuple[tuple[Chunk, ...], ...]:
    """Return the kind, the name and the size of the change; the place in the group; the share that was shown."""
    counts = counts_text(desk, entry)
    letter = chunk(f" {summary.letter} ", "accent", keep=True)
    what = (
        letter,
        Chunk(summary.named, "strong", cut=summary.cut),
        *((chunk(f"  {counts}", keep=True),) if counts else ()),
    )
    return what, _place(desk, entry, summary), _share(desk, entry)


def _in_full(told: tuple[Chunk, ...], summary: Summary, width: int) -> list[Line]:
    """Return the change on as many lines as it needs: nothing below repeats its path, so that is never cut."""
    letter, what, *counts = told
    if not summary.path or Line(told).width <= width:
        return [Line(told)]
    return [*folded(what.text, width, "strong", head=letter), *([Line((chunk("   "), *counts))] if counts else [])]


def _place(desk: ReviewSession, entry: Entry, summary: Summary) -> tuple[Chunk, ...]:
    """Return the place of a request in its group."""
    group = desk.inbox.focused_group()
    members = [] if group is None else [member.id for member in desk.inbox.listed(group.key)]
    if entry.id not in members or len(members) == 1:
        return ()
    which = "file" if summary.letter in FILES else "request"
    return (chunk(f"  {which} {members.index(entry.id) + 1} of {len(members)}", "muted", keep=True),)


def _share(desk: ReviewSession, entry: Entry) -> tuple[Chunk, ...]:
    """Return the share of it that was shown, or its outcome."""
    word = state_word(desk, entry)
    shares = {"new": "", "again": "", "in part": "not shown in full "}
    share = shares.get(word, f"{word} " if word in ("read", "checking") else f"{word} read ")
    if entry.closed:
        share = f"{ended_text(entry.request, desk.reviewer)} "
    token = "closed" if entry.closed else {"read": "ok", "again": "warn"}.get(word, "held")
    return (foreign(f"  {share}", token),) if share else ()


def _who(
    desk: ReviewSession, entry: Entry, summary: Summary, style: RowStyle, width: int, share: tuple[Chunk, ...]
) -> Line:
    """Return who asked and when, the deadline, the risk, the rule that asked; what does not fit is left out."""
    request = entry.request
    left = time_left(entry, style.now)
    asked = request.asked_by
    caller = (
        (chunk(" > ", "muted"), Chunk(reveal(asked.caller, "agent"), "muted", most=NAME))
        if asked.caller not in ("", asked.name)
        else ()
    )
    why = DEFAULT_REDACTION.mask_text(request.submission.why).text
    risk = _risk(desk, entry)
    who = (chunk(" ", keep=True), Chunk(summary.agent, "muted", most=NAME), *caller)
    width -= sum(each.width for each in share)
    if sum(each.width for each in (*who, *risk)) + 2 > width:
        risk = risk[:1]
    pieces: list[tuple[Chunk, ...]] = [
        who,
        (chunk(f"  asked {age_text((style.now - request.created_at) / 1e6)} ago", "muted"),),
        (chunk("  "), *risk),
        *([] if left is None else [(_deadline(left),)]),
        *(
            [(chunk("  " if why.startswith("rule ") else "  rule: ", "muted"), foreign(why, "muted"))]
            if why
            else []
        ),
    ]
    told: list[Chunk] = []
    kept = sum(each.width for each in pieces[2])  # the risk is never left out
    for piece in pieces:
        kept -= sum(each.width for each in piece) if piece is pieces[2] else 0
        room = width - kept - sum(each.width for each in told)
        needed = sum(each.width for each in piece)
        if told and needed > room and piece is not pieces[-1]:
            continue
        told += piece if needed <= room or not told else _in_words(piece, room)
    return Line(tuple(told), share)


def _deadline(left: float) -> Chunk:
    return chunk(
        f"  expires {left_text(left)}" if left > 0 else "  its time is up", "warn" if left < _NEAR else "muted"
    )


def _in_words(piece: Sequence[Chunk], room: int) -> Sequence[Chunk]:
    """Return a piece in fewer cells, without the words at its end; nothing if no two of its words fit."""
    *before, last = piece
    words = last.text.text.split(" ")
    room -= sum(each.width for each in before)
    while words and len(" ".join(words)) > room - 1:
        words.pop()
    return (*before, foreign(" ".join(words), last.token)) if words[1:] else ()


def _risk(desk: ReviewSession, entry: Entry) -> tuple[Chunk, ...]:
    """Return the risk in words, with its reasons."""
    risk, reasons = desk.risk(entry), _reasons(desk, entry)
    level = chunk(f"{RISK_WORD[risk]} risk" if risk is not Risk.HIGH else "HIGH", f"risk-{risk}", keep=True)
    return (level, chunk(": ", "muted"), foreign(reasons, "muted")) if reasons else (level,)


def _reasons(desk: ReviewSession, entry: Entry) -> str:
    """Return the reasons of a risk; empty if none are known."""
    return ", ".join(risk_reasons(desk.request(entry).submission.risk_reasons))


_LOOKS_RIGHT = frozenset({"disguise", "look-alike", "mixed-script"})
"""Kinds of findings of which nothing can be seen in the text itself."""

_OUTSIDE = "outside-root"
"""The reason of a risk that says as much as the line about it."""

_UNSEEN = "whether its files are still as shown could not be seen: their drive does not answer"


def _warnings(desk: ReviewSession, entry: Entry, summary: Summary, width: int, *, reasons: bool) -> Iterator[Line]:
    content = desk.content(entry)
    head, plain = chunk(" ! ", "warn", keep=True), chunk(" ", keep=True)
    for_risk = _reasons(desk, entry)
    if for_risk and not reasons:
        yield from wrapped(for_risk, width, "muted", head=plain)
    for words in _alarming(desk, entry, summary):
        yield from wrapped(words, width, "warn", head=head)
    if desk.drift is not None and desk.drift.key == content_key(entry.request) and desk.drift.removed:
        yield from wrapped(", ".join(desk.drift.removed), width, "strong", head=plain)
    if content is not None and content.complete and content.notes:
        yield from wrapped(", ".join(content.notes), width, "muted", head=plain)


def _alarming(desk: ReviewSession, entry: Entry, summary: Summary) -> Iterator[str]:
    content, note = desk.content(entry), entry.request.state_note
    if entry.closed and note and entry.request.state is not RequestState.EXPIRED and not left_alone(note):
        yield note
    if entry.note:
        yield entry.note
    if (failure := desk.failure(entry)) is not None:
        yield f"it cannot be shown ({failure}): its arguments as sent follow"
    if desk.drift is not None and desk.drift.key == content_key(entry.request):
        for reason in desk.drift.reasons:
            words = "file changed on disk" if summary.letter in FILES else "changed on disk"
            yield words if summary.path and reason.endswith(" was changed") else f"{words}: {reason}"
        if desk.drift.unseen:
            yield _UNSEEN
    yield from _misleading_names(entry)
    if summary.outside and _OUTSIDE not in entry.request.submission.risk_reasons:
        yield "a file lies outside the agent's working directory"
    if content is not None:
        yield from () if content.complete else content.notes
        yield from content.alerts


def _misleading_names(entry: Entry) -> Iterator[str]:
    """Yield the misleading parts of the names of agent and tool that are not shown as an escape."""
    request = entry.request
    named = (
        ("agent", reveal(request.asked_by.name, "agent")),
        ("caller", reveal(request.asked_by.caller, "agent")),
        ("tool", reveal(request.submission.tool_name, "tool_name")),
        ("server", reveal(request.submission.server or "", "tool_name")),
    )
    for what, text in named:
        yield from _looks_right(what, text)


def _looks_right(what: str, text: SafeText) -> Iterator[str]:
    yield from (f"{what}: {finding.message}" for finding in text.findings if finding.kind in _LOOKS_RIGHT)


def foot_line(rest: Rest, hunks_below: int) -> Line:
    """Return the line below the content: the number of its lines below the view."""
    if not rest.rows:
        return Line()
    if rest.units:
        lines = number_of(rest.units, "changed line" if rest.changes else "line")
    else:
        lines = f"{'over ' if rest.more else ''}{number_of(rest.rows, 'more row')}"
    hunks = f", {number_of(hunks_below, 'hunk')}" if hunks_below else ""
    return line(chunk(f" {lines} below{hunks}", "muted"))
