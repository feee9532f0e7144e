"""Texts of `signoff --plain`, a line each: words of others stand behind ours in every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from signoff.cli.grants import add_grant_text
from signoff.cli.history_query import viewpoint
from signoff.cli.history_text import add_records
from signoff.cli.page import Page
from signoff.cli.plain.commands import CommandError
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.verdict import RISK_WORD
from signoff.present.reveal import clipped, one_line
from signoff.queue.records import AgentMode
from signoff.queue.wording import not_trusted
from signoff.shown_request.facts import end_of
from signoff.shown_request.row import kind_of, tool_of, what_of
from signoff.text.time import length_text
from signoff_tui.guard import Act

if TYPE_CHECKING:
    from signoff.cli.plain.numbered import Happening, NumberedSession
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import DecideResult, Grant, Modes, StoredRequest
    from signoff_tui.guard import Permit
    from signoff_tui.state.inbox import Entry

__all__ = [
    "acts_text",
    "add_names",
    "allowed_text",
    "exit_text",
    "happening_text",
    "history_text",
    "list_text",
    "modes_text",
    "not_trusted_text",
    "result_text",
    "subject",
]

_WIDTH = 100
_NAME_WIDTH = 40
_MOST_NAMES = 3


def subject(request: StoredRequest) -> str:
    """Name a request: its risk, kind, agent, tool and what it is about."""
    submission = request.submission
    return (
        f"{RISK_WORD[submission.risk]} {kind_of(submission)}, "
        f"{clipped(one_line(request.asked_by.name, 'agent'), _NAME_WIDTH)}, "
        f"{tool_of(submission, _NAME_WIDTH)}: "
        f"{clipped(what_of(submission), _WIDTH)}"
    )


def acts_text(permit: Permit, numbers: Mapping[str, int]) -> str:
    """Name a decision: its effect, and the numbers of its requests."""
    return f"{_ACTS[permit.act]} {', '.join(str(numbers[ref.id]) for ref in permit.refs)}"


_ACTS = {
    Act.APPROVE: "approve",
    Act.APPROVE_GROUP: "approve",
    Act.APPROVE_UNSEEN: "approve, although not all was shown,",
    Act.REMEMBER: "approve for the session",
    Act.REJECT: "reject",
    Act.STOP: "reject, and stop the batch of,",
}


def add_names(page: Page, targets: Sequence[tuple[int, Entry]]) -> None:
    """Name some requests, a line each."""
    for number, entry in targets:
        page.add(subject(entry.request), label=f"  {number}. ")


def happening_text(happening: Happening, width: int | None) -> str:
    """Tell what happened to a request."""
    number, request = happening.number, happening.request
    page = Page(width)
    match happening.what:
        case "new":
            page.add(subject(request), label=f"new: {number}. ")
        case "changed":
            page.add(
                f"{number} was changed, it is revision {request.revision} now: show {number}", label="changed: "
            )
        case _:
            page.add(f"{number} {end_of(request)}", label="ended: ")
    return page.text()


def exit_text(ended: Sequence[Happening], width: int | None) -> str:
    """Tell that an agent exited, with the numbers of what it left."""
    agent = clipped(one_line(ended[0].request.asked_by.name, "agent"), _NAME_WIDTH)
    numbers = ", ".join(str(each.number) for each in ended)
    page = Page(width)
    page.add(f"{agent} exited; {len(ended)} requests withdrawn: {numbers}", label="ended: ")
    return page.text()


def list_text(requests: NumberedSession, now: int, width: int | None, *, group: int | None = None) -> str:
    """List what waits, oldest first; of one group if that is wanted."""
    pending, groups = requests.pending(group), requests.groups()
    page = Page(width)
    page.add(f"{len(pending)} waiting" if pending else "nothing is waiting")
    for number, entry in pending:
        mark = "held" if entry.held else _READ[requests.reading(entry)]
        membership = ""
        if entry.group is not None:
            name = clipped(one_line(requests.inbox.group(entry.group).label), _NAME_WIDTH)
            membership = f", group {groups[entry.group]} ({name})"
        age = length_text(now - entry.request.created_at)
        page.add(f"{subject(entry.request)}, waits {age}{membership}, {mark}", label=f"{number}. ")
    return page.text()


_READ = {"nothing": "not shown", "changed": "changed since shown", "incomplete": "shown in part", "all": "shown"}


def modes_text(modes: Modes, width: int | None) -> str:
    """Tell which agents ask nobody, a line for each mode; that none does any more if there are none."""
    page = Page(width)
    for mode, names, verb in (
        (AgentMode.APPROVE_ALL, modes.approving, "approved"),
        (AgentMode.STRICT, modes.refusing, "refused"),
    ):
        if names:
            everything = len(names) == modes.connected
            told = [clipped(one_line(name, "agent"), _NAME_WIDTH) for name in names[:_MOST_NAMES]]
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            whose = "everything is" if everything else "what they ask for is"
            page.add(f"{whose} {verb} without you: {', '.join(told)}{more}", label=f"MODE {mode}: ")
    if not modes.connected:
        page.add("every agent asks you again", label="MODE interactive: ")
    return page.text()


def not_trusted_text(names: Sequence[str], width: int | None) -> str:
    """Tell which agents do not trust the key of this reviewer."""
    page = Page(width)
    page.add(one_line(not_trusted(names)), label="KEY NOT TRUSTED: ")
    return page.text()


def result_text(results: Sequence[DecideResult], numbers: Mapping[str, int], width: int | None) -> str:
    """Tell what became of a decision that was sent."""
    page = Page(width)
    for result in results:
        number = numbers[result.request_id]
        page.add(one_line(result.message), label=f"{number}: " if result.accepted else f"{number} NOT decided: ")
    return page.text()


# -- The history and what is allowed, as the other verbs print them.

_MOST = 20


def history_text(queue: ReviewQueue, typed: str, width: int | None) -> str:
    """Return the newest records that a filter keeps.

    Raises:
        CommandError: It is no filter.
    """
    from signoff.filter import Filtered, FilterError, parse, search_history

    try:
        query = parse(typed, Filtered.HISTORY)
    except FilterError as error:
        raise CommandError(f"no filter: {error.message} (column {error.column + 1})") from error
    found = search_history(queue, query, viewpoint(queue), limit=_MOST)
    page = Page(width)
    add_records(page, found.records, DEFAULT_REDACTION, queue.now)
    if not found.records:
        page.add("no such record in the history")
    if found.more:
        page.add(f"these are the newest {_MOST}; signoff history shows more")
    return page.text()


def allowed_text(grants: Sequence[Grant], width: int | None) -> str:
    """Return the remembered approvals, numbered for `revoke`."""
    page = Page(width)
    page.add(
        f"{len(grants)} allowed for a session" if grants else "nothing is allowed for a session: every call asks"
    )
    for number, grant in enumerate(grants, start=1):
        page.add(f"{number}.")
        add_grant_text(page, grant)
    return page.text()
