"""The queue between agents and reviewers: one protocol, engines behind it.

`open_agent_queue` is for those who ask, `open_review_queue` for those who decide.
"""

from __future__ import annotations

import os
import pwd

from signoff.queue.errors import (
    DamagedRecordError,
    InvalidSubmissionError,
    QueueError,
    QueueNotFoundError,
    QueuePlaceError,
    QueueUnavailableError,
    QueueVersionError,
    RequestConflictError,
    UnknownRequestError,
)
from signoff.queue.place import PLACE_VARIABLE, locate
from signoff.queue.protocol import AgentQueue, DecisionAttempt, ReviewQueue
from signoff.queue.records import (
    AgentInfo,
    AgentRecord,
    AskedBy,
    Change,
    ChangeSet,
    Decision,
    DecisionSource,
    Grant,
    HistoryFilter,
    HistoryRecord,
    Outcome,
    RequestState,
    Risk,
    Stats,
    StoredRequest,
    Submission,
    Verdict,
    VerdictKind,
)

__all__ = [
    "PLACE_VARIABLE",
    "AgentInfo",
    "AgentQueue",
    "AgentRecord",
    "AskedBy",
    "Change",
    "ChangeSet",
    "DamagedRecordError",
    "Decision",
    "DecisionAttempt",
    "DecisionSource",
    "Grant",
    "HistoryFilter",
    "HistoryRecord",
    "InvalidSubmissionError",
    "Outcome",
    "QueueError",
    "QueueNotFoundError",
    "QueuePlaceError",
    "QueueUnavailableError",
    "QueueVersionError",
    "RequestConflictError",
    "RequestState",
    "ReviewQueue",
    "Risk",
    "Stats",
    "StoredRequest",
    "Submission",
    "UnknownRequestError",
    "Verdict",
    "VerdictKind",
    "open_agent_queue",
    "open_review_queue",
]


def open_agent_queue(info: AgentInfo, place: str | os.PathLike[str] | None = None) -> AgentQueue:
    """Connect an agent to a queue; the queue is created when there is none.

    Args:
        info: How the agent introduces itself.
        place: Name or directory of the queue, see `signoff.queue.place.locate`.

    Raises:
        QueuePlaceError: The place is unsafe; the message says what to change.
        QueueVersionError: The queue was written by a newer signoff.
        QueueUnavailableError: The queue cannot be used; the message says why.
    """
    from signoff.queue.sql.agent import SqlAgentQueue
    from signoff.queue.sqlite.engine import SqliteEngine

    where = locate(place)
    where.prepare()
    engine = SqliteEngine(where)
    try:
        return SqlAgentQueue(info, engine)
    except BaseException:
        engine.close()
        raise


def open_review_queue(
    place: str | os.PathLike[str] | None = None,
    *,
    reviewer: str | None = None,
    create: bool = True,
) -> ReviewQueue:
    """Connect a reviewer to a queue.

    Args:
        place: Name or directory of the queue, see `signoff.queue.place.locate`.
        reviewer: Name under which decisions are recorded; the user's login name by default.
        create: Whether to create the queue when there is none.

    Raises:
        QueueNotFoundError: There is no queue, and it was not to be created.
        QueuePlaceError: The place is unsafe; the message says what to change.
        QueueVersionError: The queue was written by a newer signoff.
        QueueUnavailableError: The queue cannot be used; the message says why.
    """
    from signoff.queue.sql.review import SqlReviewQueue
    from signoff.queue.sqlite.engine import SqliteEngine

    where = locate(place)
    if create:
        where.prepare()
    else:
        where.check()
        if not where.database.exists():
            raise QueueNotFoundError(f"there is no queue at {where.directory}")
    engine = SqliteEngine(where)
    engine.tidy()
    return SqlReviewQueue(reviewer or _login_name(), engine)


def _login_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # containers run as users that nobody named
        return f"user {os.getuid()}"
