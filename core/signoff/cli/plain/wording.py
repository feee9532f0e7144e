"""How requests are named, listed and told of, a line each: words of others stand behind ours in every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.cli.output import Page, clipped, one_line
from signoff.cli.render import end_of, kind_of, risk_word, tool_of, what_of
from signoff.queue.records import AgentMode
from signoff.text.time import length_text

if TYPE_CHECKING:
    from signoff.cli.plain.holding import HeldDecision, Holding
    from signoff.cli.plain.waiting import Happening, NumberedRequests
    from signoff.queue.records import DecideResult, Modes, StoredRequest

__all__ = [
    "add_names",
    "count",
    "happening_text",
    "list_text",
    "modes_text",
    "outcome_text",
    "subject",
    "subjects",
]

_WIDTH = 100
_NAME_WIDTH = 40
_MOST_NAMES = 3


def count(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def subject(request: StoredRequest) -> str:
    """Name a request: its risk, kind, agent, tool and what it is about."""
    submission = request.submission
    return (
        f"{risk_word(submission.risk)} {kind_of(submission)}, "
        f"{clipped(one_line(request.asked_by.name, 'agent'), _NAME_WIDTH)}, "
        f"{tool_of(submission, _NAME_WIDTH)}: "
        f"{clipped(what_of(submission), _WIDTH)}"
    )


def subjects(targets: Sequence[tuple[int, StoredRequest]]) -> str:
    """The numbers of some requests."""
    return ", ".join(str(number) for number, _ in targets)


def add_names(page: Page, targets: Sequence[tuple[int, StoredRequest]]) -> None:
    """Name some requests, a line each."""
    for number, request in targets:
        page.add(subject(request), label=f"  {number}. ")


def happening_text(happening: Happening, now: int, width: int | None) -> str:
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


def list_text(
    waiting: NumberedRequests, holding: Holding, now: int, width: int | None, *, group: int | None = None
) -> str:
    """List what waits, oldest first; of one group if that is wanted."""
    pending = waiting.pending() if group is None else waiting.group(group)
    page = Page(width)
    page.add(f"{len(pending)} waiting" if pending else "nothing is waiting")
    for number, request in pending:
        mark = "held" if holding.holds(number) else _READ[waiting.reading(number)]
        of_group = waiting.group_number(request)
        name = clipped(one_line(request.submission.group_id or ""), _NAME_WIDTH)
        membership = f", group {of_group} ({name})" if of_group is not None else ""
        age = length_text(now - request.created_at)
        page.add(f"{subject(request)}, waits {age}{membership}, {mark}", label=f"{number}. ")
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


def outcome_text(held: HeldDecision, verdicts: Sequence[DecideResult], width: int | None) -> str:
    """Tell what became of a decision that was sent."""
    page = Page(width)
    for (number, _), verdict in zip(held.targets, verdicts, strict=True):
        page.add(one_line(verdict.message), label=f"{number}: " if verdict.accepted else f"{number} NOT decided: ")
    return page.text()
