"""Decisions: taken at most once, exactly as named, with what they release and what the reviewer was shown."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from signoff.effects import Risk
from signoff.queue import wording
from signoff.queue.errors import DamagedRecordError
from signoff.queue.grant_coverage import never_remembered
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.lookahead import follows_in_batch
from signoff.queue.records import (
    DecideResult,
    Decision,
    DecisionSource,
    Grant,
    RequestState,
    StoredRequest,
    VerdictKind,
)
from signoff.queue.sql import grants, requests
from signoff.queue.sql.amendments import why_not_instead
from signoff.queue.sql.engine import Look, Row, Transaction
from signoff.queue.sql.requests import why_undecidable
from signoff.queue.sql.reviewer_risk import OwnRisk
from signoff.queue.sql.rows import request_from_row, sort_out
from signoff.queue.text_escape import pack_text
from signoff.text.outcome import expired_text

if TYPE_CHECKING:
    from signoff.queue.keys.identity import Signer


__all__ = [
    "ALONE",
    "HandedOutRequests",
    "decide_and_grant",
    "decide_exactly",
    "decide_one",
    "remember_and_release",
    "stop_batch",
]


ALONE = "HIGH risk is approved one by one, never with others"
"""The refusal to approve a request of HIGH risk by an act on several."""

_TAMPERED = (
    "what it says was changed in the queue without the agent asking anew, so nobody knows what was shown;"
    " reject it, and find out who can write to the queue"
)


def decide_one(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
    *,
    alone: bool,
    rows: Sequence[Row] | None = None,
) -> DecideResult:
    """Decide one request, or say why not.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what was shown.
        decision: The answer, with the reviewer's name.
        signer: Signs it.
        shown: Requests handed out by the reviewer's connection.
        own: Says how risky the reviewer's side finds it.
        alone: True if no other request is decided by the same act.
        rows: As for `decide_exactly`.
    """
    return decide_and_grant(transaction, target, decision, signer, shown, own, alone=alone, rows=rows)[0]


def decide_and_grant(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
    *,
    alone: bool,
    rows: Sequence[Row] | None = None,
    pattern: GrantPattern | None = None,
) -> tuple[DecideResult, Grant | None]:
    """`decide_one`, and the grant if the decision was taken and is one to be remembered.

    Raises:
        GrantRefusedError: The pattern is none for this request.
    """
    verdict = decide_exactly(
        transaction,
        target,
        decision,
        signer,
        shown,
        own,
        lambda current: _refusal(current, decision, alone=alone),
        rows,
    )
    if not (verdict.accepted and decision.remember and verdict.current is not None):
        return verdict, None
    current = verdict.current
    if pattern is None:
        grant = _remember(transaction, current, decision, signer)
    else:
        session = current.asked_by.session
        grant = grants.add_pattern(
            transaction, pattern, session=session, origin=current.id, by=decision.by, signer=signer, own=own
        )
    return replace(verdict, message="approved, and remembered for the rest of the session"), grant


def decide_exactly(
    transaction: Transaction,
    target: tuple[str, int, str],
    decision: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
    refusal: Callable[[StoredRequest], str | None],
    rows: Sequence[Row] | None = None,
) -> DecideResult:
    """Decide a request that waits and is exactly what was named, or say why not.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what was shown.
        decision: The answer.
        signer: Signs it.
        shown: Requests handed out by the reviewer's connection.
        own: Says how risky the reviewer's side finds it.
        refusal: Says why the answer is not taken for this request, or None when it is. For an approval it is
            given the stricter risk.
        rows: The rows of `requests.newest_query`, if this write has read them.

    Raises:
        OvertakenError: It was decided meanwhile.
    """
    request_id, revision, digest = target
    if rows is None:
        (rows,) = transaction.select(requests.newest_query(request_id))
    try:
        current = request_from_row(rows[0]) if rows else None
    except DamagedRecordError as damage:
        return DecideResult(VerdictKind.REFUSED, request_id, str(damage), None)
    if current is None:
        announced = why_undecidable(transaction, request_id)
        if announced is not None:
            return DecideResult(VerdictKind.REFUSED, request_id, announced, None)
        return DecideResult(VerdictKind.GONE, request_id, "there is no such request", None)
    if current.pending and current.expires_at is not None and current.expires_at <= transaction.now:
        # Its deadline passed while this write waited for others.
        waited = transaction.now - current.created_at
        requests.end(transaction, current, RequestState.EXPIRED, expired_text(waited, "message"))
        current = requests.newest(transaction, request_id) or current
    exact = (revision, digest) == (current.revision, current.submission.digest)
    if exact and current.pending:
        if decision.approved and shown.differs(rows[0]):
            return DecideResult(VerdictKind.CHANGED, request_id, _TAMPERED, current)
        why_not = refusal(own.of(current) if decision.approved else current)
        if why_not is not None:
            return DecideResult(VerdictKind.REFUSED, request_id, why_not, current)
        decided = requests.decide(transaction, current, signer.decision(current, decision))
        words = "approved" if decision.approved else "rejected"
        if decision.instead is not None:
            words = f"approved, {decision.instead.summary}" if decision.instead.summary else "approved, changed"
        return DecideResult(VerdictKind.ACCEPTED, request_id, words, decided)
    if not exact:
        return DecideResult(VerdictKind.CHANGED, request_id, _change(current, revision), current)
    message = wording.how_it_ended(current, transaction.now)
    return DecideResult(VerdictKind.TOO_LATE, request_id, message, current)


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
        WHERE session || '' = ? AND batch_id = ? AND state = 'pending' ORDER BY +seq
        """,
        pack_text(stopper.asked_by.session),
        pack_text(stopper.submission.batch_id),
    )
    readable, _ = sort_out(rows)  # the others are ended by the next look
    for request in readable:
        if not follows_in_batch(request, stopper):
            continue
        decision = Decision(
            approved=False,
            note=wording.stopped_with(stopper, by),
            hard=True,
            source=DecisionSource.CASCADE,
            by=by,
        )
        requests.decide(transaction, request, signer.decision(request, decision))


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
    """Say why the queue does not take this decision for this request, or None when it does."""
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
    return never_remembered(current.submission)


def _change(current: StoredRequest, revision: int) -> str:
    if revision == current.revision:
        return "its content is not what was shown; look again"
    return f"it is now at revision {current.revision}, what was shown is revision {revision}; look again"


# -- An approval that is remembered may release requests that wait: those that are named, and no other.

_Named = tuple[str, int, str]

_NOT_REMEMBERED = "only an approval that is remembered releases other requests"
_NOTHING_RELEASED = "not released: the approval that would have covered it was not taken"


def remember_and_release(
    transaction: Transaction,
    target: _Named,
    also: Sequence[_Named],
    decision: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
    pattern: GrantPattern | None = None,
) -> tuple[DecideResult, ...]:
    """Approve a request, remember that or a pattern, and approve those of the named requests that it covers.

    Args:
        transaction: A write in progress.
        target: Id, revision and digest of what is approved and remembered.
        also: The same of each request that waits for the same.
        decision: The answer, with the reviewer's name.
        signer: Signs the approvals and the grant.
        shown: Requests handed out by the reviewer's connection.
        own: Says how risky the reviewer's side finds a request.
        pattern: What is remembered; None for exactly the call.

    Returns:
        The verdict on the target, and then one on each of the others, in their order.
    """
    verdict, grant = _remember_for_session(transaction, target, decision, signer, shown, own, pattern)
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


def _remember_for_session(
    transaction: Transaction,
    target: _Named,
    decision: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
    pattern: GrantPattern | None,
) -> tuple[DecideResult, Grant | None]:
    if not decision.remember:
        return _refused(transaction, target, _NOT_REMEMBERED), None
    return decide_and_grant(transaction, target, decision, signer, shown, own, alone=True, pattern=pattern)


def _release(
    transaction: Transaction,
    named: _Named,
    grant: Grant,
    release: Decision,
    signer: Signer,
    shown: HandedOutRequests,
    own: OwnRisk,
) -> DecideResult:
    verdict = decide_exactly(
        transaction, named, release, signer, shown, own, lambda current: _why_not(current, grant)
    )
    if verdict.accepted:
        grants.count_use(transaction, grant)
    return verdict


def _why_not(current: StoredRequest, grant: Grant) -> str | None:
    """Say why the grant does not release a request, or None when it does."""
    submission = current.submission
    if current.asked_by.session != grant.session:
        return "not released: it was asked in another session"
    # A grant that names no definition would cover any; what is released is under the same definition.
    if submission.definition != grant.definition:
        return "not released: the tool is defined otherwise than in the call that was remembered"
    if not grant.covers(submission.tool_name, submission.payload, submission.definition, server=submission.server):
        return "not released: it is another call than the one that was remembered"
    if submission.risk not in (Risk.LOW, Risk.MEDIUM):
        return ALONE
    why_not = never_remembered(submission)
    return None if why_not is None else f"not released: {why_not}"


def _left_waiting(transaction: Transaction, named: _Named) -> DecideResult:
    return _refused(transaction, named, _NOTHING_RELEASED)


def _refused(transaction: Transaction, named: _Named, why: str) -> DecideResult:
    try:
        current = requests.newest(transaction, named[0])
    except DamagedRecordError as damage:
        return DecideResult(VerdictKind.REFUSED, named[0], str(damage), None)
    return DecideResult(VerdictKind.REFUSED, named[0], why, current)


# -- What a reviewer's connection handed out to be shown, so that a yes is to that and to nothing else.
#
# A request in the database never changes what it says; but whoever can write there may change it for as long as
# somebody looks. The signature of a decision is on what the request says then, so it has to be what was shown.

_MOST = 100_000
"""Most requests that are kept in mind."""

_Content = tuple[str, int, bytes]


class HandedOutRequests:
    """Requests handed out. May be shared by threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._contents: dict[tuple[str, int], bytes | None] = {}

    def note(self, rows: Iterable[Row]) -> None:
        """Keep in mind that these rows of ``requests`` were handed out."""
        seen = [_content(row) for row in rows]
        with self._guard:
            for request_id, revision, content in seen:
                before = self._contents.setdefault((request_id, revision), content)
                if before != content:
                    self._contents[request_id, revision] = None  # nobody knows which of them is on the screen
            while len(self._contents) > _MOST:
                del self._contents[next(iter(self._contents))]

    def note_one(self, look: Look, request_id: str, revision: int) -> None:
        """`note`, for a request that was read in the same look."""
        statement = "SELECT id, revision, submission FROM requests WHERE id = ? AND revision = ?"
        row = look.row(statement, pack_text(request_id), revision)
        if row is not None:
            self.note([row])

    def differs(self, row: Row) -> bool:
        """True if a row of ``requests`` says something else than when it was handed out; no if it never was."""
        request_id, revision, content = _content(row)
        return self._contents.get((request_id, revision), content) != content


def _content(row: Row) -> _Content:
    text = row["submission"].encode("utf-8", "surrogatepass")
    return row["id"], row["revision"], hashlib.sha256(text).digest()
