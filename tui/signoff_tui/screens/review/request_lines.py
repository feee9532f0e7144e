"""The lines above and below the content of a request: what a person needs to judge it, and where the reader is."""

from __future__ import annotations

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.reveal import SafeText, reveal
from signoff_tui.screens.review.extent import Extent
from signoff_tui.screens.review.naming import NAME
from signoff_tui.screens.review.rows import RowStyle, expires_text
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped
from signoff_tui.text.summary import RISK_WORD, Summary, ended_text, summarize
from signoff_tui.widgets.document.layout import Rest

__all__ = ["coverage_line", "header_lines", "risk_lines", "risk_words"]

_ENOUGH_OF_NAME = 16
"""Cells of a name that mostly tell which one it is."""


def header_lines(
    desk: ReviewSession, entry: Entry, style: RowStyle, width: int, extent: Extent
) -> tuple[Line, ...]:
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


def _what_line(desk: ReviewSession, entry: Entry, summary: Summary, width: int) -> Line:
    """What would be done to what, and how much of it was shown: where there is little room, in few words."""
    coverage, content = desk.coverage(entry), desk.content(entry)
    changed = content is not None and (content.added or content.removed)
    counts = f"  +{content.added} -{content.removed}" if content is not None and changed else ""
    left = (
        chunk(f" {summary.letter} ", "accent", keep=True),
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
    risk = risk_words(entry)
    who = _who_line(entry, summary, style, width, risk)
    if len(risk) == 1 or who.width <= width:
        return [who]
    return [_who_line(entry, summary, style, width, ()), *risk_lines(entry, width)]


def _who_line(entry: Entry, summary: Summary, style: RowStyle, width: int, risk: tuple[Chunk, ...]) -> Line:
    request = entry.request
    agent = Chunk(summary.agent, keep=True, most=NAME)
    session = Chunk(summary.session, "muted", most=NAME)
    asked = request.asked_by
    named = asked.caller not in ("", asked.name)
    caller = (Chunk(reveal(asked.caller, "agent"), most=NAME),) if named else ()
    by, short = ((chunk(words, "muted"), *caller) if named else () for words in ("  caller ", " > "))
    age, rev = style.age(request.created_at), f"rev {request.revision}"
    left = style.time_left(entry)
    ends = () if left is None else (chunk(f"{expires_text(left)}  ", "warn", keep=True),)
    margin = chunk(" ", keep=True)
    return fullest(
        [
            line(
                margin,
                agent,
                *by,
                chunk("  session ", "muted"),
                session,
                chunk(f"  asked {age} ago  {rev}  ", "muted"),
                *ends,
                *risk,
            ),
            line(
                margin,
                agent,
                *short,
                chunk(" / ", "muted"),
                session,
                chunk(f"  {age}  {rev}  ", "muted"),
                *ends,
                *risk,
            ),
            line(margin, agent, *short, chunk(f"  {age}  {rev}  ", "muted"), *ends, *risk),
        ],
        width,
    )


def risk_lines(entry: Entry, width: int) -> list[Line]:
    """The risk with all its reasons, on as many lines as they need."""
    level = risk_words(entry)[0]
    head = Chunk(SafeText.own(f" {level.text.text}: "), level.token, keep=True)
    return wrapped(", ".join(entry.request.submission.risk_reasons), width, "muted", head=head)


def risk_words(entry: Entry) -> tuple[Chunk, ...]:
    """The risk as a word, with its reasons."""
    submission = entry.request.submission
    level = chunk(f"risk {RISK_WORD[submission.risk]}", f"risk-{submission.risk}", keep=True)
    if not submission.risk_reasons:
        return (level,)
    return (level, chunk(" "), foreign(", ".join(submission.risk_reasons), "muted"))


_LOOKS_RIGHT = frozenset({"disguise", "look-alike", "mixed-script"})
"""Kinds of findings of which nothing can be seen in the text itself."""

_UNSEEN = "whether its files are still as shown could not be seen: their drive does not answer"


def _warnings(desk: ReviewSession, entry: Entry, summary: Summary, width: int) -> list[Line]:
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
        *(("caller", finding) for finding in reveal(request.asked_by.caller, "agent").findings),
        *(("tool", finding) for finding in reveal(request.submission.tool_name, "tool_name").findings),
        *(("server", finding) for finding in reveal(request.submission.server or "", "tool_name").findings),
    )
    return [f"{what}: {finding.message}" for what, finding in found if finding.kind in _LOOKS_RIGHT]


def _warns(entry: Entry) -> bool:
    """Whether the end of a request wants attention: nobody decided, or it was approved although not all was shown.

    The mark stands for just that approval, so it is on no other one.
    """
    decision = entry.request.decision
    return decision is None or decision.deliberate


def _notes(desk: ReviewSession, entry: Entry, width: int) -> list[Line]:
    """Plain facts about content that is shown in full."""
    content = desk.content(entry)
    if content is None or not content.complete or not content.notes:
        return []
    return wrapped(", ".join(content.notes), width, "muted", head=chunk(" ", keep=True))


def coverage_line(
    desk: ReviewSession, entry: Entry, rest: Rest, glyph: str, hunk: tuple[int, int] = (0, 0), *, width: int
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
