"""How a request is decided: exactly what was named, at most once, and with a plain answer if not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from signoff.queue import wording
from signoff.queue.errors import DamagedRecordError
from signoff.queue.packing import pack_text
from signoff.queue.records import (
    Decision,
    DecisionSource,
    Grant,
    Risk,
    StoredRequest,
    Verdict,
    VerdictKind,
)
from signoff.queue.sql import grants, requests
from signoff.queue.sql.altering import why_not_instead
from signoff.queue.sql.engine import Transaction
from signoff.queue.sql.own_risk import OwnRisk
from signoff.queue.sql.rows import sort_out
from signoff.queue.sql.shown import Shown
from signoff.queue.sql.upcoming import why_undecidable

if TYPE_CHECKING:
    from signoff.queue.keys.signing import Signer

__all__ = ["ALONE", "decide_and_grant", "decide_exactly", "decide_one", "stop_batch"]

ALONE = "HIGH risk is approved one by one, never with others"
"""Why a request of HIGH risk is not approved by an act on several."""

_TAMPERED = (
    "what it says was changed in the queue without the agent asking anew, so nobody knows what was shown;"
    " reject it, and find out who can write to the queue"
)


def decide_one(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: Shown,
    own: OwnRisk,
    *,
    alone: bool,
) -> Verdict:
    """Decide one request, or say why not.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what was shown.
        decision: The answer, with the reviewer's name.
        signer: Signs it.
        shown: What the reviewer's connection handed out.
        own: Says how risky the reviewer's side finds it.
        alone: Whether no other request is decided by the same act.
    """
    return decide_and_grant(transaction, target, decision, signer, shown, own, alone=alone)[0]


def decide_and_grant(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: Shown,
    own: OwnRisk,
    *,
    alone: bool,
) -> tuple[Verdict, Grant | None]:
    """`decide_one`, and the grant if the decision was taken and is one to be remembered."""
    verdict = decide_exactly(
        transaction, target, decision, signer, shown, own, lambda current: _refusal(current, decision, alone=alone)
    )
    if not (verdict.accepted and decision.remember and verdict.current is not None):
        return verdict, None
    grant = _remember(transaction, verdict.current, decision, signer)
    return replace(verdict, message="approved, and remembered for the rest of the session"), grant


def decide_exactly(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: Shown,
    own: OwnRisk,
    refusal: Callable[[StoredRequest], str | None],
) -> Verdict:
    """Decide a request that waits and is exactly what was named, or say why not.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what was shown.
        decision: The answer.
        signer: Signs it.
        shown: What the reviewer's connection handed out.
        own: Says how risky the reviewer's side finds it.
        refusal: Why the answer is not taken for this request, or None when it is. Asked about an approval, it is
            given the stricter risk.
    """
    request_id, revision, digest = target
    try:
        current = requests.newest(transaction, request_id)
    except DamagedRecordError as damage:
        return Verdict(VerdictKind.REFUSED, request_id, str(damage), None)
    if current is None:
        announced = why_undecidable(transaction, request_id)
        if announced is not None:
            return Verdict(VerdictKind.REFUSED, request_id, announced, None)
        return Verdict(VerdictKind.GONE, request_id, "there is no such request", None)
    exact = (revision, digest) == (current.revision, current.submission.digest)
    if exact and current.pending:
        if decision.approved and shown.differs(transaction, current.id, current.revision):
            return Verdict(VerdictKind.CHANGED, request_id, _TAMPERED, current)
        why_not = refusal(own.of(current) if decision.approved else current)
        if why_not is not None:
            return Verdict(VerdictKind.REFUSED, request_id, why_not, current)
        decided = requests.try_decide(transaction, current, signer.decision(current, decision))
        if decided is not None:
            words = "approved" if decision.approved else "rejected"
            if decision.instead is not None:
                words = (
                    f"approved, {decision.instead.summary}" if decision.instead.summary else "approved, changed"
                )
            return Verdict(VerdictKind.ACCEPTED, request_id, words, decided)
    if not exact:
        return Verdict(VerdictKind.CHANGED, request_id, _change(current, revision), current)
    message = wording.how_it_ended(current, transaction.now)
    return Verdict(VerdictKind.TOO_LATE, request_id, message, current)


def stop_batch(transaction: Transaction, stopper: StoredRequest, by: str, signer: Signer) -> None:
    """Reject what follows a hard rejection in the same batch.

    Args:
        transaction: The one that rejected.
        stopper: The rejected request.
        by: Name of the reviewer.
        signer: Signs the rejections.
    """
    if stopper.submission.batch_id is None:
        return
    rows = transaction.rows(
        """
        SELECT * FROM requests
        WHERE session = ? AND batch_id = ? AND state = 'pending' ORDER BY seq
        """,
        pack_text(stopper.asked_by.session),
        pack_text(stopper.submission.batch_id),
    )
    readable, _ = sort_out(rows)  # the others are ended by the next look
    for request in readable:
        if not _follows(request, stopper):
            continue
        decision = Decision(
            approved=False,
            note=wording.stopped_with(stopper, by),
            hard=True,
            source=DecisionSource.CASCADE,
            by=by,
        )
        requests.try_decide(transaction, request, signer.decision(request, decision))


def _remember(transaction: Transaction, decided: StoredRequest, decision: Decision, signer: Signer) -> Grant:
    return grants.remember(
        transaction,
        session=decided.asked_by.session,
        agent_name=decided.asked_by.name,
        submission=decided.submission,
        origin=decided.id,
        by=decision.by,
        signer=signer,
    )


def _refusal(current: StoredRequest, decision: Decision, *, alone: bool) -> str | None:
    """Why the queue does not take this decision for this request, or None when it does."""
    if decision.approved is not True and decision.approved is not False:
        return "a decision says exactly true or false"
    high = current.submission.risk is Risk.HIGH
    if decision.approved and high and not alone:
        return ALONE
    why_not = why_not_instead(current.submission, decision, alone=alone)
    if why_not is not None or not decision.remember:
        return why_not
    if not decision.approved:
        return "a no is never remembered"
    if high:
        return "an approval of HIGH risk is never remembered"
    if not current.submission.may_be_remembered:
        return "no approval of this call is kept: it leads elsewhere, hides a secret, or its agent keeps none"
    return None


def _change(current: StoredRequest, revision: int) -> str:
    if revision == current.revision:
        return "its content is not what was shown; look again"
    return f"it is now at revision {current.revision}, what was shown is revision {revision}; look again"


def _follows(request: StoredRequest, stopper: StoredRequest) -> bool:
    position, stopped_at = request.submission.batch_position, stopper.submission.batch_position
    if position is None or stopped_at is None:
        return request.seq > stopper.seq
    return position > stopped_at
