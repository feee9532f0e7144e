"""The lines around the content: status, header of a request, group overview, strip, coverage."""

from __future__ import annotations

from signoff.present.reveal import reveal
from signoff.queue.records import Risk
from signoff_tui.desk import Desk
from signoff_tui.inbox import Counts, Entry, Group
from signoff_tui.lines import Chunk, Line, chunk, foreign, line
from signoff_tui.office import Office
from signoff_tui.screens.review.bars import ready_lines, risk_words
from signoff_tui.screens.review.rows import RowStyle
from signoff_tui.summary import RISK_WORD, age_text, ended_text, summarize

__all__ = [
    "below_line",
    "coverage_line",
    "empty_lines",
    "group_lines",
    "header_lines",
    "status_line",
    "strip_lines",
]


def status_line(
    title: str, counts: Counts, *, now: int, connected: bool, modes: tuple[str, ...], width: int
) -> Line:
    """Where am I, how much waits, how much of it is HIGH, how long the oldest waits, is the queue there."""
    waiting = f"{counts.waiting} waiting" if connected else f"?? waiting (last known {counts.waiting})"
    left = [chunk(" signoff ", "bar-strong", keep=True)]
    if width >= 60:
        left.append(chunk(f" {title}  ", "bar"))
    left.append(chunk(f" {waiting}" if counts.waiting else " nothing waiting", "bar-strong", keep=True))
    if counts.high:
        left.append(chunk(f"  {counts.high} HIGH", "bar-danger", keep=True))
    if counts.oldest_at is not None:
        age = (now - counts.oldest_at) / 1e6
        word = "  " if width < 60 else "  oldest "
        mark = "!" if age >= 300 else ""
        left.append(chunk(f"{word}{age_text(age)}{mark}", "bar-strong" if age >= 60 else "bar", keep=True))
    right = [chunk(f" {mode} ", "bar-danger", keep=True) for mode in modes]
    if width >= 80 and counts.agents:
        right.append(chunk(f" {counts.agents} {'agent' if counts.agents == 1 else 'agents'} ", "bar-muted"))
    state = "queue ok " if connected else "QUEUE LOST "
    right.append(chunk(state, "bar-muted" if connected else "bar-danger", keep=True))
    return Line(tuple(left), tuple(right), "surface")


def header_lines(desk: Desk, entry: Entry, style: RowStyle, *, wide: bool) -> tuple[Line, ...]:
    """What a person needs to judge a request besides its content."""
    request, summary = entry.request, summarize(entry.request)
    content = desk.content(entry)
    counts = (
        ""
        if content is None or not (content.added or content.removed)
        else f"  +{content.added} -{content.removed}"
    )
    coverage = desk.coverage(entry)
    shown = "" if coverage is None else f" shown {coverage.percent}% ({coverage.shown}/{coverage.units}) "
    first = line(
        chunk(f" {summary.kind} ", "accent", keep=True),
        Chunk(summary.tool, "muted", keep=True),
        chunk("  ", keep=True),
        Chunk(summary.what, "strong"),
        chunk(counts, keep=True),
        right=(chunk(shown, "ok" if coverage is not None and coverage.complete else "held", keep=True),),
    )
    second = line(
        chunk(" ", keep=True),
        Chunk(summary.agent),
        chunk("  session ", "muted"),
        Chunk(summary.session),
        chunk(f"  asked {style.age(request.created_at)} ago  rev {request.revision}  ", "muted"),
        *risk_words(entry),
    )
    lines = [first, second]
    if request.submission.why and wide:
        lines.append(line(chunk(" why asked: ", "muted", keep=True), foreign(request.submission.why)))
    lines += _warnings(desk, entry)
    return tuple(lines)


def _warnings(desk: Desk, entry: Entry) -> list[Line]:
    lines = []
    content = desk.content(entry)
    if entry.closed:
        note = entry.request.state_note
        lines.append(
            line(
                foreign(f" {ended_text(entry.request)}", "warn", keep=True),
                *((chunk(": "), foreign(note)) if note else ()),
            )
        )
    if entry.note:
        lines.append(line(foreign(f" {entry.note}", "warn")))
    if content is not None:
        lines += [line(chunk(" ! ", "warn", keep=True), foreign(note, "warn")) for note in content.notes]
        lines += [line(chunk(" ! ", "warn", keep=True), foreign(alert, "warn")) for alert in content.alerts]
    if summarize(entry.request).outside:
        lines.append(line(chunk(" ! this path lies outside the agent's working directory", "danger")))
    return lines


def group_lines(desk: Desk, group: Group, width: int) -> tuple[Line, ...]:
    """Totals of a group, and exactly what one approval would cover."""
    members = desk.inbox.members(group.key)
    waiting = sum(entry.request.pending for entry in members)
    contents = [content for entry in members if (content := desk.content(entry)) is not None]
    added, removed = sum(item.added for item in contents), sum(item.removed for item in contents)
    high = sum(entry.request.pending and entry.request.submission.risk is Risk.HIGH for entry in members)
    approved = sum(entry.request.state == "approved" for entry in members)
    rejected = sum(entry.request.state == "rejected" for entry in members)
    facts = [f"{len(members)} requests", f"+{added} -{removed}"]
    if group.announced is not None and group.announced > len(members):
        facts[0] = f"{len(members)} of {group.announced} announced"
    facts += [f"{count} {word}" for count, word in ((approved, "approved"), (rejected, "rejected")) if count]
    facts.append(f"{waiting} waiting")
    totals = [chunk(" " + "   ".join(facts), "muted")]
    if high:
        totals.append(chunk(f"   {high} HIGH: decide one by one", "risk-high", keep=True))
    return (Line(tuple(totals)), *ready_lines(desk, desk.eligibility(group), width))


def strip_lines(desk: Desk, width: int) -> tuple[Line, ...]:
    """Two lines about the focused row: whose it is, where it runs, what comes next."""
    group, entry = desk.inbox.focused_group(), desk.inbox.focused_request()
    if entry is None:
        if group is None:
            return (Line(), Line())
        return (_whose(desk.inbox.members(group.key)[0]), group_lines(desk, group, width)[0])
    return (_whose(entry), _next_in_batch(entry, width))


def _whose(entry: Entry) -> Line:
    summary = summarize(entry.request)
    return line(
        chunk(" ", keep=True),
        Chunk(summary.agent, "strong"),
        chunk(" / "),
        Chunk(summary.session, "muted"),
        chunk("   cwd ", "muted", keep=True),
        Chunk(reveal(entry.request.submission.cwd, "path")),
    )


def _next_in_batch(entry: Entry, width: int) -> Line:
    submission = entry.request.submission
    words: list[Chunk] = [chunk(" ", keep=True)]
    if submission.risk is not Risk.LOW:
        words += [
            chunk(f"{RISK_WORD[submission.risk]}: ", f"risk-{submission.risk}", keep=True),
            foreign(", ".join(submission.risk_reasons)),
            chunk("   "),
        ]
    if submission.batch_remaining:
        following = ", ".join(
            str(item.get("tool", "?")) for item in submission.batch_remaining[: max(width // 20, 1)]
        )
        more = len(submission.batch_remaining)
        words += [chunk(f"next in batch ({more}): ", "muted", keep=True), foreign(following)]
    return Line(tuple(words))


def coverage_line(desk: Desk, entry: Entry, rows_below: int, glyph: str) -> Line:
    """What is still to come, under the content."""
    coverage = desk.coverage(entry)
    if coverage is None:
        return Line(fill=glyph)
    below = f" {rows_below} more {'line' if rows_below == 1 else 'lines'} below " if rows_below else " end "
    share = f" {coverage.percent}% shown " if not coverage.complete else " all shown "
    return Line(
        (chunk(glyph * 2, "rule"), chunk(below, "warn" if rows_below else "muted")),
        (chunk(share, "ok" if coverage.complete else "held", keep=True), chunk(glyph * 2, "rule")),
        fill=glyph,
    )


def below_line(desk: Desk, hidden: range, width: int) -> Line:
    """What waits below the visible rows, HIGH always counted."""
    rows = desk.inbox.rows()
    risks = [
        desk.inbox.entry(rows[index].key.id).request.submission.risk
        for index in hidden
        if rows[index].key.kind == "request" and desk.inbox.entry(rows[index].key.id).waiting
    ]
    if not risks:
        return Line()
    parts = [
        f"{risks.count(risk)} {RISK_WORD[risk]}" for risk in (Risk.HIGH, Risk.MEDIUM, Risk.LOW) if risk in risks
    ]
    token = "danger" if Risk.HIGH in risks else "muted"
    text = f" v {len(risks)} below: {', '.join(parts)}"
    return line(chunk(text, token), right=(chunk("oldest first ", "muted"),) if width >= 50 else ())


def empty_lines(office: Office, *, connected: bool) -> tuple[Line, ...]:
    """What an empty inbox says."""
    if not connected:
        return (Line(), line(chunk("   Waiting for the queue ...", "warn")))
    return (
        Line(),
        line(chunk("   No agent is waiting for you.", "strong")),
        *([line(chunk(f"   {office.announcement}", "ok"))] if office.announcement else []),
        Line(),
        line(
            chunk("   Requests appear here as agents ask. Queue: ", "muted"), Chunk(reveal(office.place, "path"), "muted")
        ),
        line(chunk("   Try it from another terminal:", "muted")),
        line(chunk("     signoff ask --tool deploy --arg to=staging", "text")),
        Line(),
        line(
            chunk("   [h]", "key"),
            chunk(" history   "),
            chunk("[?]", "key"),
            chunk(" help   "),
            chunk("[q]", "key"),
            chunk(" quit"),
        ),
    )
