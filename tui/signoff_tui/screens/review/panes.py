"""The lines around list and content: header of a request, overview of a group, strip, what is below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.policy.redaction import DEFAULT_REDACTION, Redaction
from signoff.present.reveal import SafeText, reveal
from signoff.queue.records import RequestState, Risk
from signoff_tui.ages import left_text
from signoff_tui.desk import Desk
from signoff_tui.documents import content_key
from signoff_tui.guard import Eligibility, Omission
from signoff_tui.inbox import Entry, Group
from signoff_tui.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped
from signoff_tui.reading import Rest
from signoff_tui.screens.review.extent import Extent
from signoff_tui.screens.review.listing_keys import ORDER_WORDS
from signoff_tui.screens.review.naming import agents_of, as_many, covers_nothing, left_out_names, listed, names_of
from signoff_tui.screens.review.rows import RowStyle
from signoff_tui.summary import RISK_WORD, Summary, ended_text, summarize

__all__ = [
    "below_line",
    "coverage_line",
    "covered_lines",
    "group_lines",
    "group_title",
    "header_lines",
    "left_out_line",
    "strip_lines",
]

NAME = 32
"""Most cells for a name that somebody else chose, beside other words."""

NARROW = 50
"""Cells of a list from which it says in which order it stands."""

_MOST_NAMED = 200
"""Members of a group beyond which the strip has none of their names: they are looked for with each move."""

_ROOM_FOR_GROUP = 5
"""Rows of the strip from which it says how the group of the focused request stands."""

_ENOUGH_OF_NAME = 16
"""Cells of a name that mostly tell which one it is."""

LONGEST_ITEM = 300
"""Characters of a call in the batch: it is a look ahead, nothing to decide on yet."""


# -- a request ---------------------------------------------------------------------------------------------


def header_lines(desk: Desk, entry: Entry, style: RowStyle, width: int, extent: Extent) -> tuple[Line, ...]:
    """What a person needs to judge a request besides its content, warnings first to stay."""
    summary = summarize(entry.request)
    first = _what_line(desk, entry, summary, width)
    if extent.header_rows == 1:
        return (first,)
    lines = [first, *_who_lines(entry, summary, style, width)]
    warnings = _warnings(desk, entry, summary, width)
    why = DEFAULT_REDACTION.mask_text(entry.request.submission.why).text
    if why and extent.high:
        lines.append(line(chunk(" why asked: ", "muted", keep=True), foreign(why)))
    lines += _notes(desk, entry, width)
    room = max(extent.header_rows - len(lines), 1)
    if len(warnings) > room:
        more = len(warnings) - room + 1
        warnings = [
            *warnings[: room - 1],
            line(chunk(f" ! {more} more lines of warnings: give the pane more rows", "warn")),
        ]
    return (*lines, *warnings)


def _what_line(desk: Desk, entry: Entry, summary: Summary, width: int) -> Line:
    """What would be done to what, and how much of it was shown: where there is little room, in few words."""
    coverage, content = desk.coverage(entry), desk.content(entry)
    changed = content is not None and (content.added or content.removed)
    counts = f"  +{content.added} -{content.removed}" if content is not None and changed else ""
    left = (
        chunk(f" {summary.kind} ", "accent", keep=True),
        Chunk(summary.tool, "muted", keep=True, most=NAME),
        chunk("  ", keep=True),
        summary.shown("strong", enough=_ENOUGH_OF_NAME),
        chunk(counts, keep=True),
    )
    if coverage is None:
        return line(*left)
    share, token = f" shown {coverage.percent}%", "ok" if coverage.complete else "held"
    words = (f"{share} ({coverage.shown}/{coverage.needed}) ", f"{share} ")
    return fullest([line(*left, right=(chunk(each, token, keep=True),)) for each in words], width)


def _who_lines(entry: Entry, summary: Summary, style: RowStyle, width: int) -> list[Line]:
    """Who asked, when, until when, and the risk: its reasons on lines of their own where they need them."""
    risk = _risk(entry)
    who = _who_line(entry, summary, style, width, risk)
    if len(risk) == 1 or who.width <= width:
        return [who]
    return [_who_line(entry, summary, style, width, ()), *_risk_lines(entry, width)]


def _who_line(entry: Entry, summary: Summary, style: RowStyle, width: int, risk: tuple[Chunk, ...]) -> Line:
    request = entry.request
    agent = Chunk(summary.agent, keep=True, most=NAME)
    session = Chunk(summary.session, "muted", most=NAME)
    age, rev = style.age(request.created_at), f"rev {request.revision}"
    left = style.time_left(entry)
    ends = () if left is None else (chunk(f"expires {left_text(left)}  ", "warn", keep=True),)
    margin = chunk(" ", keep=True)
    return fullest(
        [
            line(
                margin,
                agent,
                chunk("  session ", "muted"),
                session,
                chunk(f"  asked {age} ago  {rev}  ", "muted"),
                *ends,
                *risk,
            ),
            line(margin, agent, chunk(" / ", "muted"), session, chunk(f"  {age}  {rev}  ", "muted"), *ends, *risk),
            line(margin, agent, chunk(f"  {age}  {rev}  ", "muted"), *ends, *risk),
        ],
        width,
    )


def _risk_lines(entry: Entry, width: int) -> list[Line]:
    """The risk with all its reasons, on as many lines as they need."""
    level = _risk(entry)[0]
    head = Chunk(SafeText.own(f" {level.text.text}: "), level.token, keep=True)
    return wrapped(", ".join(entry.request.submission.risk_reasons), width, "muted", head=head)


def _risk(entry: Entry) -> tuple[Chunk, ...]:
    """The risk as a word, with its reasons."""
    submission = entry.request.submission
    level = chunk(f"risk {RISK_WORD[submission.risk]}", f"risk-{submission.risk}", keep=True)
    if not submission.risk_reasons:
        return (level,)
    return (level, chunk(" "), foreign(", ".join(submission.risk_reasons), "muted"))


_LOOKS_RIGHT = frozenset({"disguise", "look-alike", "mixed-script"})
"""Kinds of findings of which nothing can be seen in the text itself."""

_UNSEEN = "whether its files are still as shown could not be seen: their drive does not answer"


def _warnings(desk: Desk, entry: Entry, summary: Summary, width: int) -> list[Line]:
    content, note = desk.content(entry), entry.request.state_note
    warnings: list[str] = []
    lines: list[Line] = []
    if entry.closed:
        ended = ended_text(entry.request, desk.reviewer)
        words = f"{ended}: {note}" if note else ended
        if note or _warns(entry):
            warnings.append(words)
        else:
            lines += wrapped(words, width, "muted", head=chunk("   ", keep=True))
    if entry.note:
        warnings.append(entry.note)
    if (failure := desk.failure(entry)) is not None:
        warnings.append(f"Preview failed ({failure}). Raw arguments below")
    if desk.drift is not None and desk.drift.key == content_key(entry.request):
        warnings += [
            f"since it asked, {reason}: approved, it would only ask again" for reason in desk.drift.reasons
        ]
        warnings += [_UNSEEN] if desk.drift.unseen else []
    warnings += _misleading_names(entry)
    if summary.outside:
        warnings.append("a file lies outside the agent's working directory")
    if content is not None:
        warnings += [*(() if content.complete else content.notes), *content.alerts]
    head = chunk(" ! ", "warn", keep=True)
    return [*lines, *(part for words in warnings for part in wrapped(words, width, "warn", head=head))]


def _misleading_names(entry: Entry) -> list[str]:
    """What misleads in the names of agent and tool without being shown as an escape."""
    request = entry.request
    found = (
        *(("agent", finding) for finding in reveal(request.asked_by.name, "agent").findings),
        *(("tool", finding) for finding in reveal(request.submission.tool_name, "tool_name").findings),
    )
    return [f"{what}: {finding.message}" for what, finding in found if finding.kind in _LOOKS_RIGHT]


def _warns(entry: Entry) -> bool:
    """Whether the end of a request wants attention: nobody decided, or it was approved although not all was shown.

    The mark stands for just that approval, so it is on no other one.
    """
    decision = entry.request.decision
    return decision is None or decision.deliberate


def _notes(desk: Desk, entry: Entry, width: int) -> list[Line]:
    """Plain facts about content that is shown in full."""
    content = desk.content(entry)
    if content is None or not content.complete or not content.notes:
        return []
    return wrapped(", ".join(content.notes), width, "muted", head=chunk(" ", keep=True))


def coverage_line(
    desk: Desk, entry: Entry, rest: Rest, glyph: str, hunk: tuple[int, int] = (0, 0), *, width: int
) -> Line:
    """Where the reader is and what is still to come, under the content: rows as they are folded here.

    Args:
        desk: Knows what was shown.
        entry: Which request.
        rest: What is below the view.
        glyph: What the rule is drawn with.
        hunk: Which hunk is at the top, from 1, and how many there are.
        width: Cells. Where there are few, it does not say which hunk, nor that a line goes on.
    """
    coverage = desk.coverage(entry)
    if coverage is None:
        return Line(fill=glyph)
    more = f"{'over ' if rest.more else ''}{rest.rows:,} more {'row' if rest.rows == 1 else 'rows'} below"
    inside = "" if rest.line is None else f", line {rest.line} goes on"
    below = [f" {more}{inside} ", f" {more} "] if rest.rows else [" end "]
    where = (
        (chunk(f" hunk {max(hunk[0], 1)}/{hunk[1]} ", "muted"), chunk(glyph * 2, "rule")) if hunk[1] > 1 else ()
    )
    share = " all shown " if coverage.complete else f" {coverage.percent}% shown "
    sign, token = chunk(glyph * 2, "rule"), "warn" if rest.rows else "muted"
    right = (chunk(share, "ok" if coverage.complete else "held", keep=True), sign)
    wordings = [(*before, chunk(words, token)) for words in below for before in ((sign, *where), (sign,))]
    return fullest([Line(left, right, fill=glyph) for left in wordings], width)


# -- a group -----------------------------------------------------------------------------------------------


def group_lines(desk: Desk, group: Group, width: int, extent: Extent) -> tuple[Line, ...]:
    """Name and totals of a group, and exactly what one approval would cover."""
    title = group_title(desk, group, width)
    if extent.low:
        return (title,)
    rows = max((extent.header_rows - 2) // 2, 1)
    return (
        title,
        _totals(desk, group, width),
        *covered_lines(desk, desk.eligibility(group), width, rows, ", below"),
    )


def group_title(desk: Desk, group: Group, width: int, right: Sequence[Chunk] = ()) -> Line:
    """Name of a group, and who asks.

    Args:
        desk: Has the members.
        group: The group.
        width: Cells.
        right: What stands at the right end.
    """
    members = desk.inbox.members(group.key)
    return line(
        chunk(" G ", "accent", keep=True),
        foreign(group.label, "strong"),
        chunk("   "),
        _agents(members, width),
        chunk(" / ", "muted"),
        Chunk(summarize(members[0].request).session, "muted", most=NAME),
        right=tuple(right),
    )


def _totals(desk: Desk, group: Group, width: int) -> Line:
    """How a group stands: facts give way whole, so that no number is cut."""
    members = desk.inbox.members(group.key)
    contents = [content for entry in members if (content := desk.content(entry)) is not None]
    added, removed = sum(item.added for item in contents), sum(item.removed for item in contents)
    states = [entry.request.state for entry in members]
    lines = [f"+{added} -{removed}"] if len(contents) == len(members) and (added or removed) else []
    decided = [
        f"{states.count(state)} {state}"
        for state in (RequestState.APPROVED, RequestState.REJECTED)
        if state in states
    ]
    waiting = [f"{states.count(RequestState.PENDING)} waiting"]
    hidden = len(members) - len(desk.inbox.listed(group.key))
    by_filter, short = ([f"{hidden} hidden{by}"] if hidden else [] for by in (" by the filter", ""))
    size = [_size(group)]
    high = sum(entry.request.pending and entry.request.submission.risk is Risk.HIGH for entry in members)
    wordings = [
        ([*size, *lines, *decided, *waiting, *by_filter], ": decide one by one"),
        ([*size, *lines, *decided, *waiting, *short], ": decide one by one"),
        ([*size, *lines, *decided, *waiting, *short], ""),
        ([*size, *decided, *waiting, *short], ""),
        ([*size, *waiting, *short], ""),
        ([*waiting, *short], ""),
    ]
    return fullest(
        [
            line(
                chunk(f" {'   '.join(facts)}", "muted"),
                *([chunk(f"   {high} HIGH{advice}", "risk-high", keep=True)] if high else []),
            )
            for facts, advice in wordings
        ],
        width,
    )


def _size(group: Group) -> str:
    here = len(group.members)
    if group.announced is not None and group.announced > here:
        return f"{here} of {group.announced} announced"
    return f"{here} {'request' if here == 1 else 'requests'}"


def covered_lines(desk: Desk, members: Eligibility, width: int, rows: int, where: str) -> list[Line]:
    """What `Y` covers, by name, and what it leaves out.

    Args:
        desk: Knows the names.
        members: Who is ready, and who is not.
        width: Cells.
        rows: Lines for either; beyond them it says how many more there are.
        where: Where those are listed.
    """
    if members.ready:
        names = names_of(desk, members.ready)
        title = f" [{desk.keys.shown('approve_group')}] approves exactly {len(names)}: "
        seen = f"of those that say seen{where}"
        lines = listed(title, names, width, head="ok", body="text", most=rows, rest=seen)
    else:
        words = covers_nothing(desk.keys.shown("approve_group"), members.left_out, "listed of the group")
        lines = [line(chunk(f" {words}", "muted"))]
    left_out = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if left_out:
        names = left_out_names(desk, left_out)
        unread = all(item.reason is Omission.UNSEEN for item in left_out)
        others = f"{'unread' if unread else 'left out'}{where}"
        lines += listed(" left out: ", names, width, head="muted", body="muted", most=rows, rest=others)
    return lines


def ready_line(desk: Desk, members: Eligibility, width: int) -> Line | None:
    """What `Y` covers on one line, as many names as it has room for; None if that is nothing."""
    if not members.ready:
        return None
    title = f" [{desk.keys.shown('approve_group')}] approves exactly {len(members.ready)}: "
    return _on_one_line(title, names_of(desk, members.ready), width, "ok", "text")


def left_out_line(desk: Desk, members: Eligibility, width: int) -> Line | None:
    """What `Y` leaves out and why on one line, as many names as it has room for; None if that is nothing."""
    left_out = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if not left_out:
        return None
    return _on_one_line(" left out: ", left_out_names(desk, left_out), width, "muted", "muted")


def _on_one_line(title: str, names: Sequence[str], width: int, head: str, body: str) -> Line:
    told = foreign(as_many(names, width - len(title) - 1), body)
    return line(chunk(title, head, keep=True), told)


def _agents(members: Sequence[Entry], width: int, token: str = "text") -> Chunk:
    """All agents of a group; as many cells as for one name, unless there are several."""
    agents = foreign(agents_of(members), token).text
    several = len({member.request.asked_by.name for member in members}) > 1
    return Chunk(agents, token, keep=True, most=max(width // 2, NAME) if several else NAME, cut="end")


# -- the list ----------------------------------------------------------------------------------------------


def strip_lines(desk: Desk, rows: int, width: int, *, beside: bool) -> tuple[Line, ...]:
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
        lines = [_whose(members[0], _agents(members, width, "strong")), *(about or [_totals(desk, group, width)])]
    return tuple([*lines, *[Line()] * rows][:rows])


def _of_group(desk: Desk, group: Group, rows: int, width: int) -> list[Line]:
    """How a group stands, and what one approval would cover; nothing where there are only few rows."""
    if rows < _ROOM_FOR_GROUP:
        return []
    totals = _totals(desk, group, width)
    if len(group.members) > _MOST_NAMED:
        return [totals]
    who = desk.eligibility(group)
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


def _next_in_batch(desk: Desk, entry: Entry, rows: int, width: int) -> list[Line]:
    """Why it is risky, and what the agent will do next: on one line, or one line each if there is room."""
    submission = entry.request.submission
    words: list[Chunk] = [chunk(" ", keep=True)]
    masks = DEFAULT_REDACTION.also(submission.masked_keys)
    remaining = () if _listed_below(desk, entry) else submission.batch_remaining
    following = [_batch_item(item, masks) for item in remaining]
    if submission.risk is not Risk.LOW:
        words += [*_risk(entry), chunk("   ")]
        if Line(tuple(words)).width > width and rows > 1 + bool(following):
            risk = _risk_lines(entry, width)
            return [*risk, *_next_in_batch_only(following, rows - len(risk), (chunk(" ", keep=True),))]
    return _next_in_batch_only(following, rows, tuple(words))


def _listed_below(desk: Desk, entry: Entry) -> bool:
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


def _batch_item(item: Mapping[str, Any], masks: Redaction) -> str:
    """A tool and the first text among its arguments, which most often says what it is about."""
    arguments = masks.mask_value(item.get("arguments"))
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    about = next((value for value in values if isinstance(value, str)), "")
    return f"{item.get('tool', '?')} {about}".strip()[:LONGEST_ITEM]


def below_line(desk: Desk, visible: range, width: int) -> Line:
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
