"""The subject and the outcome of a record, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from signoff.amended_call import is_edited
from signoff.canonical import canonical
from signoff.filter import CallFacts
from signoff.masked_subject import subject_of
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.kinds import PresentationKind
from signoff.present.snapshot.steps import SnapshotError
from signoff.present.subject import is_removal, steps_of
from signoff.queue import DecisionSource, HistoryRecord, Instead, RequestState
from signoff.queue.records import Grant
from signoff.queue.wording import CLOSED, agent_exited, was_not_run
from signoff.text.outcome import outcome_text
from signoff.text.time import local_time
from signoff_tui.text.summary import letter_of

__all__ = [
    "Deciders",
    "change_of",
    "changed_text",
    "exited",
    "is_file",
    "letter",
    "outcome",
    "shown_percent",
    "what",
]

_FILES_FIRST = sorted(PresentationKind, key=lambda kind: not kind.is_file)
_NOT_PEOPLE = {
    DecisionSource.CALLBACK: "callback",
    DecisionSource.RULE: "rule",
    DecisionSource.MODE: "mode",
}


class Deciders(Struct, frozen=True):
    """The reviewer and the grants, to name whoever or whatever decided.

    Attributes:
        reviewer: The person at the screen.
        grants: The remembered approvals with their numbers, by their id.
    """

    reviewer: str = ""
    grants: Mapping[str, tuple[int, Grant]] = field(default_factory=dict)

    def who(self, record: HistoryRecord) -> str:
        """Return who or what decided: ``you``, ``anna``, ``allowed #2``, ``rule``; empty if nobody did."""
        decision = record.decision
        if decision is None:
            return ""
        if decision.source is DecisionSource.GRANT:
            number, _ = self.grants.get(decision.by, (None, None))
            return "allowed" if number is None else f"allowed #{number}"
        if decision.source in (DecisionSource.REVIEWER, DecisionSource.CASCADE):
            return self._person(decision.by)
        return _NOT_PEOPLE.get(decision.source, "")

    def in_full(self, record: HistoryRecord) -> str:
        """Return who decided, as words after how it ended: ``by you``, ``by the rule: rule 7``; or nothing."""
        decision, who = record.decision, self.who(record)
        if decision is None or not who:
            return ""
        if decision.source is DecisionSource.GRANT:
            _, grant = self.grants.get(decision.by, (None, None))
            if grant is None:
                return f"as {who}"
            return f"as {who} by {self._person(grant.created_by)} at {local_time(grant.created_at, 'minute')}"
        if decision.source in _NOT_PEOPLE:
            return f"by {who}: {decision.by}" if decision.by else f"by {who}"
        return f"by {who}"

    def _person(self, name: str) -> str:
        return "you" if name == self.reviewer else name


def outcome(record: HistoryRecord) -> tuple[str, str]:
    """Return how a record ended, in a word or two, and the style of the words."""
    decision = record.decision
    if decision is not None and decision.approved and decision.deliberate and decision.shown is not None:
        return f"{shown_percent(record)} shown", "warn"
    unrun = was_not_run(record.state, record.reason)
    words = outcome_text(record.state, decision, "cell", gone=exited(record), unrun=unrun)
    match record.state:
        case RequestState.APPROVED:
            return words, "ok"
        case RequestState.REJECTED:
            return words, "no"
    return words, "warn" if unrun else "closed"


def exited(record: HistoryRecord) -> bool:
    """True if a record ended because its agent exited."""
    return record.state is RequestState.WITHDRAWN and (agent_exited(record.reason) or record.reason == CLOSED)


def shown_percent(record: HistoryRecord) -> str:
    """Return how much of the content was shown: ``54 %``; empty where nothing is shown."""
    shown = None if record.decision is None else record.decision.shown
    return "" if shown is None else f"{int(shown * 100)} %"


# -- What it is about.


def letter(record: HistoryRecord) -> str:
    """Return the letter of the kind of a call, that of a file if it writes one."""
    try:
        if is_removal(steps_of(record.snapshot)):
            return "D"
    except SnapshotError:  # a damaged snapshot declares nothing
        pass
    edited = _edited_command(record)
    return letter_of(PresentationKind.COMMAND if edited else _kind(record))


def is_file(record: HistoryRecord) -> bool:
    """True if the call changes a file."""
    return _kind(record).is_file


def what(record: HistoryRecord) -> str:
    """Return what ran or would have run: the edited call if it was edited; not safe to draw yet."""
    server = "" if record.server is None else f"{record.server}: "
    subject = _edited_command(record) or _edited_call(record) or subject_of(record) or record.tool_name
    return f"{server}{subject}".replace("\n", " ")


def change_of(record: HistoryRecord, deciders: Deciders) -> tuple[str, ...]:
    """Return what a reviewer made of the call: ``2 of 3 hunks``; ``edited by you``, ``edited`` in less room."""
    decision = record.decision
    if decision is None or decision.instead is None:
        return ()
    if not is_edited(decision.instead):
        return (decision.instead.summary,)
    return f"edited by {deciders.who(record)}", "edited"


def changed_text(instead: Instead, masked_keys: tuple[str, ...]) -> str:
    """Return what ran in place of what was asked, in one line without its secrets."""
    masks = DEFAULT_REDACTION.also(masked_keys)
    words = masks.mask_text(instead.words).text
    if instead.arguments is None:
        return words
    return f"{words}; it ran with {canonical(masks.mask_value(dict(instead.arguments)))}"


def _kind(record: HistoryRecord) -> PresentationKind:
    """Return the kind of a call; if it does several things, a kind that writes comes first."""
    kinds = CallFacts(record.description, record.snapshot, record.cwd).kinds
    return next(each for each in _FILES_FIRST if each in kinds)


def _edited_arguments(record: HistoryRecord) -> Mapping[str, object]:
    instead = None if record.decision is None else record.decision.instead
    if instead is None or instead.arguments is None:
        return {}
    masked: Mapping[str, object] = DEFAULT_REDACTION.also(record.masked_keys).mask_value(dict(instead.arguments))
    return masked


def _edited_command(record: HistoryRecord) -> str:
    command = _edited_arguments(record).get("command")
    return DEFAULT_REDACTION.mask_text(command, command=True).text if isinstance(command, str) else ""


def _edited_call(record: HistoryRecord) -> str:
    values = _edited_arguments(record)
    told = [f"{name}={value if isinstance(value, str) else canonical(value)}" for name, value in values.items()]
    return " ".join([record.tool_name, *told]) if told else ""
