"""What is said of a history record in the list and beside it, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from signoff.canonical import canonical
from signoff.filter import CallFacts
from signoff.masked_subject import subject_of
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.kinds import PresentationKind
from signoff.queue import DecisionSource, HistoryRecord, Instead, RequestState
from signoff.queue.wording import released
from signoff.text.outcome import outcome_text
from signoff.text.time import length_text
from signoff_tui.screens.history.together import Together

__all__ = [
    "Deciders",
    "changed_text",
    "counted",
    "kind",
    "outcome",
    "said",
    "share",
    "took_text",
    "took_words",
    "what",
]

_FILES_FIRST = sorted(PresentationKind, key=lambda kind: not kind.is_file)
_WHO = {
    DecisionSource.CALLBACK: "callback",
    DecisionSource.GRANT: "memory",
    DecisionSource.RULE: "rule",
    DecisionSource.MODE: "mode",
    DecisionSource.CASCADE: "cascade",
}
_NOTABLE_HOLD_US = 100_000
"""Microseconds from which it is told how long a decision was held."""


class Deciders(Struct, frozen=True):
    """Who and what decides here.

    Attributes:
        reviewer: Who sits here.
        numbers: Numbers of the remembered approvals, by their id.
    """

    reviewer: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)

    def who(self, record: HistoryRecord) -> str:
        """Who or what decided."""
        decision = record.decision
        if decision is None or (decision.source is not DecisionSource.REVIEWER and decision.source not in _WHO):
            return "nobody"
        if decision.source is DecisionSource.REVIEWER:
            return "you" if decision.by == self.reviewer else decision.by
        number = self.numbers.get(decision.by) if decision.source is DecisionSource.GRANT else None
        return _WHO[decision.source] if number is None else f"memory#{number}"

    def category(self, record: HistoryRecord) -> str:
        """The same for counting: all remembered approvals are memory."""
        return self.who(record).partition("#")[0] if self._by_memory(record) else self.who(record)

    def in_full(self, record: HistoryRecord) -> str:
        """The same with the name of the rule or mode, or the id of the remembered approval."""
        who, decision = self.who(record), record.decision
        if decision is None or who in ("nobody", "you", decision.by) or not decision.by:
            return who
        return f"{who}: {decision.by}{self._released(record)}"

    def _released(self, record: HistoryRecord) -> str:
        """By whom a request that waited was answered with a remembered approval."""
        decision = record.decision
        if decision is None or not self._by_memory(record) or record.request_id is None:
            return ""
        return " (released by you)" if decision.note == released(self.reviewer) else " (released)"

    def _by_memory(self, record: HistoryRecord) -> bool:
        return record.decision is not None and record.decision.source is DecisionSource.GRANT


def outcome(record: HistoryRecord, *, with_share: bool = False) -> tuple[str, str]:
    """How it ended, in words, and the style of the words.

    Args:
        record: The record.
        with_share: Say here how much was shown, if not all of it was.
    """
    decision = record.decision
    words = outcome_text(record.state, decision, "cell")
    match record.state:
        case RequestState.APPROVED:
            if decision is None or decision.source is not DecisionSource.REVIEWER:
                return str(record.state), "ok"
            if decision.deliberate and with_share:
                return f"approved {share(record)}", "warn"
            return words, "warn" if decision.deliberate or decision.instead is not None else "ok"
        case RequestState.REJECTED:
            return words, "no"
        case RequestState.PENDING:
            return words, "muted"
    return words, "closed"


def said(record: HistoryRecord) -> tuple[str, ...]:
    """What the list says below a record: the reviewer's words, or why nobody decided; and what was not shown."""
    decision = record.decision
    words = (decision.note if decision is not None else None) or record.reason
    unseen = ""
    if decision is not None and decision.deliberate and decision.shown is not None:
        unseen = f"approved with !, {share(record).rstrip('!')} of it had been shown"
    instead = None if decision is None else decision.instead
    changed = "" if instead is None else instead.summary
    return tuple(line for line in (words.replace("\n", " "), changed, unseen) if line)


def changed_text(instead: Instead, masked_keys: tuple[str, ...]) -> str:
    """What ran in place of what was asked, in one line without its secrets."""
    masks = DEFAULT_REDACTION.also(masked_keys)
    words = masks.mask_text(instead.words).text
    if instead.arguments is None:
        return words
    return f"{words}; it ran with {canonical(masks.mask_value(dict(instead.arguments)))}"


def kind(record: HistoryRecord) -> PresentationKind:
    """What it would do, by what it would write if it does several things."""
    kinds = CallFacts(record.description, record.snapshot, record.cwd).kinds
    return next(each for each in _FILES_FIRST if each in kinds)


def what(record: HistoryRecord) -> str:
    """What the call was about; what its agent said of it only where that is all there is."""
    server = "" if record.server is None else f"{record.server}: "
    return f"{server}{subject_of(record) or record.tool_name}".replace("\n", " ")


def counted(together: Together) -> str:
    """How many were decided together, and how many of them are listed if not all are."""
    listed = len(together.records)
    if listed < together.size:
        return f"{listed} of {together.size} shown"
    return f"{listed} {'files' if all(kind(record).is_file for record in together.records) else 'requests'}"


def share(record: HistoryRecord) -> str:
    """How much of the content was shown."""
    decision = record.decision
    if decision is None or decision.shown is None:
        return "--"
    return f"{int(decision.shown * 100)}%{'!' if decision.deliberate else ''}"


def took_text(record: HistoryRecord) -> str:
    """How long the answer took, from asking to the end."""
    return length_text(record.took_us)


def took_words(record: HistoryRecord) -> str:
    """The same, and how much of it was the key and how much the hold, as far as the decision was held."""
    held = 0 if record.decision is None else record.decision.held_us
    if held < _NOTABLE_HOLD_US:
        return f"took {took_text(record)}"
    key = length_text(record.took_us - held)
    return f"took {took_text(record)}: the key after {key}, then held {held / 1e6:.1f}s"
