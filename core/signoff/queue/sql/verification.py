"""The belief of an agent in what it reads in the queue: a yes only with the seal of a reviewer it trusts.

Whoever can write to the database can put anything there. A no needs no seal: it is always believed.
"""

from __future__ import annotations

import threading

from signoff.queue.keys.signatures import grant_statement, statement_about, text_hash
from signoff.queue.records import Grant, RequestState, StoredRequest
from signoff.queue.wording import NOT_RUN

__all__ = ["Belief", "believed_by_a_reviewer", "own_grant"]

_UNSIGNED = f"{NOT_RUN}: not signed by a reviewer that this agent trusts"

_MOST_POSTED = 10_000
"""Most requests of which a connection keeps in mind what it asked; of older ones the queue is believed."""

_own_grants: set[bytes] = set()
"""Grants that this process gave itself, after an approval outside of every queue."""


class Belief:
    """The belief of one connection of an agent. May be shared by threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._posted: dict[tuple[str, int], str] = {}

    def posted(self, request_id: str, revision: int, text: str) -> None:
        """Note what this connection asks, as it is written: an approval has to be one of exactly that."""
        with self._guard:
            if len(self._posted) >= _MOST_POSTED:
                del self._posted[next(iter(self._posted))]
            self._posted[request_id, revision] = text_hash(text)

    def doubt(self, request: StoredRequest) -> str | None:
        """Say why the approval of a request is not believed; None if it is, or if it is none.

        Never fails, whatever the row holds: others wait for other requests.
        """
        if request.state is not RequestState.APPROVED:
            return None
        decision = request.decision
        if decision is None or decision.approved is not True:
            return f"{_UNSIGNED}: there is no decision"
        if decision.instead is not None and decision.instead.needs not in request.submission.supports:
            return f"{NOT_RUN}: the agent cannot carry out the changes of the approval"
        from signoff.queue.keys.trust import SealDoubt, trust_of_this_process

        asked = self._posted.get((request.id, request.revision))
        try:
            trust_of_this_process().require(decision.seal, lambda: statement_about(request, decision, asked))
        except SealDoubt as doubt:
            return f"{_UNSIGNED}: {doubt}"
        return None

    @property
    def trusts(self) -> frozenset[str]:
        """The ids of the keys of the reviewers that it trusts now."""
        from signoff.queue.keys.trust import trust_of_this_process

        return trust_of_this_process().key_ids()

    def warm_up(self) -> None:
        """Load what `doubt` needs, while a person reads."""
        from signoff.queue.keys.trust import trust_of_this_process

        trust_of_this_process().warm_up()

    def grant(self, grant: Grant) -> bool:
        """True if a grant counts: a reviewer signed it, or this process gave it itself."""
        return (grant.seal is not None and believed_by_a_reviewer(grant)) or _fingerprint(grant) in _own_grants


def believed_by_a_reviewer(grant: Grant) -> bool:
    """True if a grant has the seal of a reviewer who is trusted."""
    from signoff.queue.keys.trust import SealDoubt, trust_of_this_process

    if grant.damage is not None:
        return False
    try:
        trust_of_this_process().require(grant.seal, lambda: grant_statement(grant))
    except SealDoubt:
        return False
    return True


def own_grant(grant: Grant) -> None:
    """Note a grant that this process gives itself. It counts in this process, and as long as it is this grant."""
    _own_grants.add(_fingerprint(grant))


def _fingerprint(grant: Grant) -> bytes:
    return b"" if grant.damage is not None else grant_statement(grant)
