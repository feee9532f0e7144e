"""The part of the deciding side that concerns grants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.queue.records import Grant, StoredRequest
from signoff.queue.sql import grants
from signoff.queue.sql.engine import Engine
from signoff.queue.sql.own_risk import OwnRisk

if TYPE_CHECKING:
    from signoff.queue.patterns import GrantPattern
    from signoff.queue.preview import PatternPreview

__all__ = ["GrantReview"]


class GrantReview:
    """Lists, revokes and gives grants; a base of `signoff.queue.sql.review.SqlReviewQueue`.

    Args:
        reviewer: Name under which grants are given and revoked.
        engine: An open engine.
    """

    def __init__(self, reviewer: str, engine: Engine) -> None:
        self._reviewer = reviewer
        self._engine = engine
        self._own = OwnRisk()

    def pending(self) -> tuple[StoredRequest, ...]:
        """All requests that wait, in arrival order."""
        raise NotImplementedError

    def grants(self, *, include_revoked: bool = False) -> tuple[Grant, ...]:
        """Grants of all sessions, oldest first; one that cannot be read covers nothing and says so.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        with self._engine.read() as look:
            return grants.all_grants(look, include_revoked=include_revoked)

    def revoke(self, grant_id: str) -> bool:
        """Revoke a grant; False when it was revoked before.

        Raises:
            UnknownRequestError: There is no such grant.
            QueueUnavailableError: Nothing was revoked.
        """
        with self._engine.write() as transaction:
            return grants.revoke(transaction, grant_id, self._reviewer)

    def revoke_all(self, session: str | None = None) -> int:
        """Revoke all grants of a session, or of all sessions; returns how many.

        Raises:
            QueueUnavailableError: Nothing was revoked.
        """
        with self._engine.write() as transaction:
            return grants.revoke_all(transaction, session, self._reviewer)

    def preview(self, pattern: GrantPattern, session: str | None = None, last: int = 200) -> PatternPreview:
        """What a pattern would have answered among the last calls, and which requests that wait it matches.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        from signoff.queue.sql.previewing import preview

        pending = self.pending()
        with self._engine.read() as look:
            return preview(look, pattern, pending, session=session, last=last)

    def add_pattern(self, pattern: GrantPattern, *, session: str, origin: str) -> Grant:
        """Grant a session all that a pattern covers. Requests that wait already stay undecided.

        Raises:
            UnknownRequestError: There is no such request.
            GrantRefusedError: The request is no reason for such a grant; the message says why.
            QueueUnavailableError: Nothing was granted.
            ReviewerKeysError: It cannot be signed, so nothing was granted; the message says what to do.
        """
        from signoff.queue.keys.signing import signer_for

        signer = signer_for()
        with self._engine.write() as transaction:
            return grants.add_pattern(
                transaction,
                pattern,
                session=session,
                origin=origin,
                by=self._reviewer,
                signer=signer,
                own=self._own,
            )
