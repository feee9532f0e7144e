"""An approval that is remembered may release requests that wait: those that are named, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.queue import wording
from signoff.queue.errors import DamagedRecordError
from signoff.queue.records import Decision, DecisionSource, Grant, Risk, StoredRequest, Verdict, VerdictKind
from signoff.queue.sql import grants, requests
from signoff.queue.sql.deciding import ALONE, decide_and_grant, decide_exactly
from signoff.queue.sql.engine import Transaction
from signoff.queue.sql.own_risk import OwnRisk
from signoff.queue.sql.shown import Shown

if TYPE_CHECKING:
    from signoff.queue.keys.signing import Signer

__all__ = ["remember_and_release"]

_Named = tuple[str, int, str]

_NOT_REMEMBERED = "only an approval that is remembered releases other requests"
_NOTHING_RELEASED = "not released: the approval that would have covered it was not taken"


def remember_and_release(
    transaction: Transaction,
    target: _Named,
    also: Sequence[_Named],
    decision: Decision,
    signer: Signer,
    shown: Shown,
    own: OwnRisk,
) -> tuple[Verdict, ...]:
    """Approve a request, remember that, and approve those of the named requests that the grant covers.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what is approved and remembered.
        also: The same of each request that waits for the same.
        decision: The answer, with the reviewer's name.
        signer: Signs the approvals and the grant.
        shown: What the reviewer's connection handed out.
        own: Says how risky the reviewer's side finds a request.

    Returns:
        The verdict on the target, and then one on each of the others, in their order.
    """
    verdict, grant = _remember(transaction, target, decision, signer, shown, own)
    if grant is None:
        return verdict, *(_left_waiting(transaction, named) for named in also)
    release = Decision(
        approved=True,
        note=wording.released(decision.by),
        source=DecisionSource.GRANT,
        by=grant.id,
        held_us=decision.held_us,
    )
    return verdict, *(_release(transaction, named, grant, release, signer, shown, own) for named in also)


def _remember(
    transaction: Transaction, target: _Named, decision: Decision, signer: Signer, shown: Shown, own: OwnRisk
) -> tuple[Verdict, Grant | None]:
    if not decision.remember:
        return _refused(transaction, target, _NOT_REMEMBERED), None
    return decide_and_grant(transaction, target, decision, signer, shown, own, alone=True)


def _release(
    transaction: Transaction,
    named: _Named,
    grant: Grant,
    release: Decision,
    signer: Signer,
    shown: Shown,
    own: OwnRisk,
) -> Verdict:
    verdict = decide_exactly(
        transaction, named, release, signer, shown, own, lambda current: _why_not(current, grant)
    )
    if verdict.accepted:
        grants.count_use(transaction, grant)
    return verdict


def _why_not(current: StoredRequest, grant: Grant) -> str | None:
    """Why the grant does not release a request, or None when it does."""
    submission = current.submission
    if current.asked_by.session != grant.session:
        return "not released: it was asked in another session"
    # A grant that names no definition would cover any; what is released is never more than the same call.
    if submission.definition != grant.definition:
        return "not released: the tool is defined otherwise than in the call that was remembered"
    if not grant.covers(submission.tool_name, submission.payload, submission.definition, server=submission.server):
        return "not released: it is another call than the one that was remembered"
    if submission.risk not in (Risk.LOW, Risk.MEDIUM):
        return ALONE
    if not submission.may_be_remembered:
        return "not released: it leads elsewhere, hides a secret, or its agent keeps no approvals"
    return None


def _left_waiting(transaction: Transaction, named: _Named) -> Verdict:
    return _refused(transaction, named, _NOTHING_RELEASED)


def _refused(transaction: Transaction, named: _Named, why: str) -> Verdict:
    try:
        current = requests.newest(transaction, named[0])
    except DamagedRecordError as damage:
        return Verdict(VerdictKind.REFUSED, named[0], str(damage), None)
    return Verdict(VerdictKind.REFUSED, named[0], why, current)
