"""The target line: what the decision keys act on, and whether they do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from signoff.queue.records import Risk
from signoff_tui.guard import Offer, Ref, Status
from signoff_tui.screens.review.naming import agents_of
from signoff_tui.screens.review.open_bar import Asking, OpenBar, Remembering, Stopping, Writing
from signoff_tui.screens.review.releasing import RELEASES, Listing
from signoff_tui.screens.review.tagged_lines import tagged_wordings
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest
from signoff_tui.text.summary import RISK_WORD, ended_text, summarize

__all__ = ["target_line"]

NAME = 24
"""Most cells for the name of a tool or an agent: they choose it themselves."""

NARROW_NAME, LEAST_NAME = 10, 6
"""The same where the line has no room for more."""

TELLING, LEAST_TELLING = 30, 14
"""Cells of a command or description that say what it does, with and without the tool before it."""

_TOKENS = {"armed": "armed", "closed": "closed", "locked": "danger"}


def target_line(desk: ReviewSession, status: Status, bar: OpenBar | None, width: int) -> Line:
    """What the decision keys act on, in the fullest words that fit, and how the guard stands.

    Args:
        desk: Knows where the cursor is.
        status: How the guard stands.
        bar: What lies over the action bar: it may reach further than what the cursor is on, or decide nothing.
        width: Cells of the line.
    """
    head = chunk(" TARGET ", "muted", keep=True)
    right = (chunk(f" [{status.word}] ", _TOKENS.get(status.word, "held"), keep=True),) if status.word else ()
    if bar is None and not desk.inbox.rows() and not right:
        return Line()  # the line above says that nothing waits
    wordings = _wordings(desk, bar) or [(chunk("none", "muted"),)]
    return fullest([Line((head, *words), right) for words in wordings], width)


def _wordings(desk: ReviewSession, bar: OpenBar | None) -> list[tuple[Chunk, ...]]:
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    match bar:
        case Asking():
            return []
        case _ if desk.tags.acting:
            return tagged_wordings(desk)
        case Stopping(refs):
            return _agent_wordings(desk, refs)
        case Remembering(refs) | Writing(Offer(refs=refs)) if len(refs) != 1 and group is not None:
            return _group_wordings(desk, group)
        case Remembering(_, Listing(listed)) if listed and entry is not None:
            more = chunk(f" +{len(listed)} by {desk.keys.shown(RELEASES)}", "warn", keep=True)
            return [(*words, more) for words in _request_wordings(entry)]
        case _ if entry is not None:
            return _ended_wordings(desk, entry) + _changed_wordings(desk, entry)
        case _:
            return [] if group is None else _group_wordings(desk, group)


def _agent_wordings(desk: ReviewSession, refs: Sequence[Ref]) -> list[tuple[Chunk, ...]]:
    agent = summarize(desk.inbox.entry(refs[0].id).request).agent
    reach = chunk(f", {'the 1' if len(refs) == 1 else f'all {len(refs)}'} that it waits for", keep=True)
    return [(chunk("agent ", keep=True), Chunk(agent, "strong", keep=True, most=NAME), reach)]


def _request_wordings(entry: Entry) -> list[tuple[Chunk, ...]]:
    summary = summarize(entry.request)
    what = summary.shown("strong")
    tool = (Chunk(summary.tool, keep=True, most=NAME), chunk(" "))
    agent = (chunk(" (", keep=True), Chunk(summary.agent, keep=True, most=NAME), chunk(")", keep=True))
    high = entry.request.submission.risk is Risk.HIGH
    rev = chunk(f" rev {entry.request.revision}", keep=True)
    risk = (chunk(" HIGH", "risk-high", keep=True),) if high else ()
    if summary.path:
        name = cell_len(summary.what.text.rsplit("/", 1)[-1]) + 1
        wordings = [(*tool, what, *agent), (what, *agent), (summary.shown("strong", enough=name), *agent)]
    else:
        telling, least = (summary.shown("strong", enough=cells) for cells in (TELLING, LEAST_TELLING))
        wordings = [(*tool, telling, *agent), (least, *agent)]
    for cells in (NARROW_NAME, LEAST_NAME):
        short = Chunk(summary.agent, keep=True, most=cells, cut="end")
        words = summary.shown("strong", enough=NARROW_NAME)
        wordings.append((words, chunk(" (", keep=True), short, chunk(")", keep=True)))
    return [(*words, rev, *risk) for words in wordings]


def _ended_wordings(desk: ReviewSession, entry: Entry) -> list[tuple[Chunk, ...]]:
    """A request of which nothing can be decided any more, with how it ended; none while it waits."""
    ended = ended_text(entry.request, desk.reviewer)
    how = foreign(f"  {ended}", "closed", keep=True)
    return [(*words, how) for words in _changed_wordings(desk, entry)] if ended else []


def _changed_wordings(desk: ReviewSession, entry: Entry) -> list[tuple[Chunk, ...]]:
    """The request, with what the reviewer made of it."""
    wordings, change = _request_wordings(entry), desk.changes.of(entry)
    if change is None:
        return wordings
    raised = desk.changes.risk(entry) is not entry.request.submission.risk
    risk = (
        (chunk(f" {RISK_WORD[desk.changes.risk(entry)]}", f"risk-{desk.changes.risk(entry)}", keep=True),)
        if raised
        else ()
    )
    part = (chunk(", ", keep=True), Chunk(foreign(change.summary).text, "warn", keep=True, most=NAME), *risk)
    short = (chunk(f", {change.short}", "warn", keep=True), *risk)
    return [*((*words, *part) for words in wordings), (*wordings[-1], *short)]


def _group_wordings(desk: ReviewSession, group: Group) -> list[tuple[Chunk, ...]]:
    members = desk.inbox.members(group.key)
    label = foreign(group.label, "strong")
    waiting = chunk(f", {sum(member.waiting for member in members)} waiting", keep=True)
    head = (chunk("group ", keep=True), label, chunk(" (", keep=True))
    agents = foreign(agents_of(members)).text
    return [
        (*head, Chunk(agents, keep=True), chunk(")", keep=True), waiting),
        (*head, Chunk(agents, keep=True, most=NAME, cut="end"), chunk(")", keep=True), waiting),
        (*head, Chunk(agents, keep=True, most=NARROW_NAME, cut="end"), chunk(")", keep=True)),
    ]
