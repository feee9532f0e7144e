"""The queue's plain words: how a request ended, and why a decision was not taken."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.records import AskedBy, Decision, DecisionSource, RequestState, StoredRequest
from signoff.text.outcome import outcome_text
from signoff.text.time import length_text

__all__ = [
    "AGENT_GONE",
    "CLOSED",
    "LOST",
    "NOT_RUN",
    "agent_exited",
    "agent_is_gone",
    "agent_is_lost",
    "how_it_ended",
    "left_alone",
    "lost_its_connection",
    "not_trusted",
    "released",
    "replaced",
    "stopped_with",
    "was_not_run",
]

CLOSED = "the agent closed its connection to the queue"
"""The reason for withdrawing a request of a closed connection."""

LOST = "the queue that this was asked in was lost"
"""The reason for which a request does not count in the queue that is put in place of a lost one."""

AGENT_GONE = "the agent ended without an answer"
"""The reason for withdrawing a request of a dead agent whose process is not known."""

_AGENT_LOST = "the agent lost its connection"

NOT_RUN = "approved, not run"
"""Begins the reason for superseding an approved request that its agent cannot run as it was approved."""


def agent_is_gone(pid: int) -> str:
    """Return the reason for withdrawing a request of a dead agent."""
    return f"{AGENT_GONE} (process {pid} is gone)"


def agent_is_lost(lost_us: int) -> str:
    """Return the reason for withdrawing a request of an agent elsewhere, of which only the connection is known.

    Args:
        lost_us: Microseconds for which it had been lost.
    """
    return f"{_AGENT_LOST} for {length_text(lost_us, 'words')}"


def lost_its_connection(reason: str | None) -> bool:
    """True if a request was withdrawn because the connection of its agent was lost; its process may live."""
    return reason is not None and reason.startswith(_AGENT_LOST)


def agent_exited(reason: str | None) -> bool:
    """True if a request was withdrawn because the process of its agent is gone, and did not say so itself."""
    return reason is not None and reason.startswith(AGENT_GONE)


def left_alone(reason: str | None) -> bool:
    """True if a request was withdrawn because its agent is gone, and did not say so itself."""
    return reason is not None and reason.startswith((AGENT_GONE, _AGENT_LOST))


def was_not_run(state: RequestState, reason: str | None) -> bool:
    """True if a request was superseded because its agent could not run it as it was approved.

    Args:
        state: Its state: agents give the reasons of other ends in words of their own.
        reason: The reason of its end.
    """
    return state is RequestState.SUPERSEDED and reason is not None and reason.startswith(NOT_RUN)


def not_trusted(names: Sequence[str]) -> str:
    """Return the warning that agents do not trust the key of this reviewer.

    Args:
        names: Their names, at least one.
    """
    who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    told = "did not trust your key when asking: what you approve there does not run"
    return f"{who} {told}; see: signoff reviewers --help"


def replaced(request: StoredRequest, revision: int, by: AskedBy) -> str:
    """Return the reason for which a revision no longer counts.

    Args:
        request: The revision.
        revision: The number of the new revision.
        by: The agent that posted the new revision.
    """
    before = "" if request.pending else f" after it had been {request.state.value}"
    words = f"revision {revision} took its place{before}"
    if by.agent_id == request.asked_by.agent_id:
        return words
    return f"{words}; another connection of the session asked for it: {by.name} (process {by.pid} on {by.host})"


def released(by: str) -> str:
    """Return the note to the agent on a request that was approved along with a remembered one that covers it."""
    return f"released by {by}, who allowed such calls for the session"


def stopped_with(stopper: StoredRequest, by: str) -> str:
    """Return the note to the agent on a request that was rejected along with an earlier one of its batch."""
    return (
        f"{by} stopped the batch by rejecting {stopper.submission.tool_name}"
        f" (request {stopper.id[:8]}); this call was never looked at"
    )


def how_it_ended(request: StoredRequest, now: int) -> str:
    """Return how a request ended, by whom and when.

    Args:
        request: A request in a final state.
        now: Microseconds since the epoch.
    """
    ago = f"{length_text(now - (request.decided_at or now), 'words')} ago"
    if request.decision is None:
        outcome = outcome_text(request.state, None, "message")
        note = (request.state_note or "").removeprefix(outcome).lstrip()
        return f"{outcome} {ago}: {note}" if note else f"{outcome} {ago}"
    words = f"{_verb(request.decision)} by {_who(request.decision)} {ago}"
    if was_not_run(request.state, request.state_note):
        return f"{request.state_note}; {words}"
    return words if request.state is not RequestState.SUPERSEDED else f"{words}, then superseded"


def _who(decision: Decision) -> str:
    return f"grant {decision.by}" if decision.source is DecisionSource.GRANT else decision.by


def _verb(decision: Decision) -> str:
    words = outcome_text("approved" if decision.approved else "rejected", decision, "message")
    summary = decision.instead.summary if decision.approved and decision.instead is not None else ""
    return f"{words} ({summary})" if summary else words
