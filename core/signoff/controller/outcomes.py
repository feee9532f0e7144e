"""Decisions for the agent, from answers of the queue or the lack of one."""

from __future__ import annotations

import warnings

from signoff.effects import Risk
from signoff.modes import Mode
from signoff.present.reveal import reveal
from signoff.queue.records import Decision, DecisionSource, Grant, Outcome, RequestState, StoredRequest, Submission
from signoff.queue.wording import NOT_RUN
from signoff.text.risk import risk_reasons
from signoff.types import ApprovalDecision

__all__ = ["failed", "for_once", "from_grant", "from_mode", "from_outcome", "not_run", "to_queue"]

_SOURCE_OF_STATE = {
    RequestState.EXPIRED: DecisionSource.EXPIRY,
    RequestState.WITHDRAWN: DecisionSource.WITHDRAWAL,
    RequestState.SUPERSEDED: DecisionSource.WITHDRAWAL,
}
_DECIDED = (RequestState.APPROVED, RequestState.REJECTED)


def from_outcome(posted: StoredRequest, outcome: Outcome) -> ApprovalDecision:
    """Return the decision that an outcome means for a posted request.

    Another connection of the session may have amended the request, or taken it over: then the answer is for it.

    Args:
        posted: The revision that this call posted last.
        outcome: The end of the newest revision of that request.
    """
    taken_by_another = outcome.approved and not outcome.ours
    if _identity(outcome.request) != _identity(posted) or taken_by_another:
        return _error("another revision of this request was decided, or another connection took its answer")
    decision = outcome.decision
    if outcome.doubt is not None:
        return _error(outcome.doubt)
    if decision is None or outcome.request.state not in _DECIDED:
        source = _SOURCE_OF_STATE.get(outcome.request.state, DecisionSource.ERROR)
        return ApprovalDecision(approved=False, note=outcome.request.state_note, mode="soft", source=source)
    return ApprovalDecision(
        approved=outcome.approved,
        note=decision.note,
        remember="session" if decision.remember else "none",
        mode="hard" if decision.hard else "soft",
        source=decision.source,
        by=decision.by,
    ).with_instead(decision.instead if outcome.approved else None)


def from_mode(mode: Mode) -> ApprovalDecision | None:
    """Return the decision of a mode; None if a person has to be asked."""
    if mode == "approve_all":
        return ApprovalDecision(approved=True, source=DecisionSource.MODE, by=mode)
    if mode == "strict":
        note = "Strict mode: approval required"
        return ApprovalDecision(approved=False, note=note, source=DecisionSource.MODE, by=mode)
    return None


def from_grant(grant: Grant) -> ApprovalDecision:
    """Return the decision of a remembered approval."""
    return ApprovalDecision(approved=True, remember="session", source=DecisionSource.GRANT, by=f"grant {grant.id}")


def for_once(decision: ApprovalDecision, call: Submission) -> ApprovalDecision:
    """Return the approval of a call that is never remembered: once, with a note and a warning.

    Args:
        decision: An approval for the session.
        call: The approved call.
    """
    if call.risk is Risk.HIGH:
        reason = f"it is HIGH risk ({', '.join(risk_reasons(call.risk_reasons))})"
    else:
        reason = "it leads elsewhere through a link, is of a kind that is never remembered, or hides a secret"
    told = f"approved once, not for the session: {reason}"
    warnings.warn(f"{reveal(call.tool_name, 'tool_name').text} {told}", RuntimeWarning, stacklevel=2)
    note = told if not decision.note else f"{decision.note} ({told})"
    return decision.model_copy(update={"remember": "none", "note": note})


def failed(error: Exception) -> ApprovalDecision:
    """Return the decision for a call about which nobody could be asked."""
    return _error(str(error))


def not_run(reason: object) -> ApprovalDecision:
    """Return the decision for an approved call that cannot be run as it was shown."""
    return _error(f"{NOT_RUN}: {reason}")


def to_queue(decision: ApprovalDecision) -> Decision:
    """Return the decision in the form of the queue's history."""
    return Decision(
        approved=decision.approved,
        note=decision.note,
        remember=decision.remember == "session",
        hard=decision.hard,
        source=decision.source,
        by=decision.by,
    )


def _error(note: str) -> ApprovalDecision:
    return ApprovalDecision(approved=False, note=note, mode="soft", source=DecisionSource.ERROR)


def _identity(request: StoredRequest) -> tuple[int, str, str]:
    return request.revision, request.submission.digest, request.asked_by.agent_id
