"""The queue between agents and reviewers: one protocol, engines behind it.

`open_agent_queue` is for agents, `open_review_queue` for reviewers.
"""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

from signoff._lazy import late_names
from signoff.queue.errors import (
    DamagedRecordError,
    GrantRefusedError,
    InvalidSubmissionError,
    QueueAwayError,
    QueueError,
    QueueGoneError,
    QueueNotFoundError,
    QueuePlaceError,
    QueueUnavailableError,
    QueueVersionError,
    RequestConflictError,
    ReviewerKeysError,
    UnknownRequestError,
)
from signoff.queue.location import PLACE_VARIABLE, is_postgres, locate, usual_place

if TYPE_CHECKING:
    from signoff.effects import Risk
    from signoff.queue.grant_pattern import GrantPattern, PatternError
    from signoff.queue.history import (
        HistoryCheck,
        HistoryFault,
        HistoryFilter,
        HistoryHead,
        HistoryRecord,
        PatternPreview,
        Pruning,
    )
    from signoff.queue.lookahead import UpcomingCall
    from signoff.queue.postgres.connection import PostgresPlace
    from signoff.queue.protocol import AgentQueue, DecisionAttempt, ReviewQueue
    from signoff.queue.records import (
        AgentInfo,
        AgentMode,
        AgentRecord,
        AskedBy,
        Change,
        ChangeSet,
        DecideResult,
        Decision,
        DecisionSource,
        Grant,
        GrantKind,
        Instead,
        Outcome,
        RequestState,
        Seal,
        StoredRequest,
        Submission,
        VerdictKind,
    )
    from signoff.queue.sql.engine import Engine
    from signoff.queue.stats import Stats

__all__ = [
    "PLACE_VARIABLE",
    "AgentInfo",
    "AgentMode",
    "AgentQueue",
    "AgentRecord",
    "AskedBy",
    "Change",
    "ChangeSet",
    "DamagedRecordError",
    "DecideResult",
    "Decision",
    "DecisionAttempt",
    "DecisionSource",
    "Grant",
    "GrantKind",
    "GrantPattern",
    "GrantRefusedError",
    "HistoryCheck",
    "HistoryFault",
    "HistoryFilter",
    "HistoryHead",
    "HistoryRecord",
    "Instead",
    "InvalidSubmissionError",
    "Outcome",
    "PatternError",
    "PatternPreview",
    "Pruning",
    "QueueAwayError",
    "QueueError",
    "QueueGoneError",
    "QueueNotFoundError",
    "QueuePlaceError",
    "QueueUnavailableError",
    "QueueVersionError",
    "RequestConflictError",
    "RequestState",
    "ReviewQueue",
    "ReviewerKeysError",
    "Risk",
    "Seal",
    "Stats",
    "StoredRequest",
    "Submission",
    "UnknownRequestError",
    "UpcomingCall",
    "VerdictKind",
    "open_agent_queue",
    "open_review_queue",
    "place_name",
    "queue_stats",
]


__getattr__ = late_names(
    __name__,
    {
        "signoff.effects": ("Risk",),
        "grant_pattern": (
            "GrantPattern",
            "PatternError",
        ),
        "history": (
            "HistoryCheck",
            "HistoryFault",
            "HistoryFilter",
            "HistoryHead",
            "HistoryRecord",
            "PatternPreview",
            "Pruning",
        ),
        "lookahead": ("UpcomingCall",),
        "protocol": (
            "AgentQueue",
            "DecisionAttempt",
            "ReviewQueue",
        ),
        "records": (
            "AgentInfo",
            "AgentMode",
            "AgentRecord",
            "AskedBy",
            "Change",
            "ChangeSet",
            "DecideResult",
            "Decision",
            "DecisionSource",
            "Grant",
            "GrantKind",
            "Instead",
            "Outcome",
            "RequestState",
            "Seal",
            "StoredRequest",
            "Submission",
            "VerdictKind",
        ),
        "stats": ("Stats",),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)


def open_agent_queue(info: AgentInfo, place: str | os.PathLike[str] | None = None) -> AgentQueue:
    """Connect an agent to a queue; the queue is created when there is none.

    Args:
        info: The agent: its name, session and directory.
        place: Name, directory or URL of the queue, see `signoff.queue.location.locate` and
            `signoff.queue.postgres.connection`.

    Raises:
        QueuePlaceError: The place is unsafe; the message says what to change.
        QueueVersionError: The queue is of another signoff's format.
        QueueUnavailableError: The queue cannot be used; the message says why.
    """
    from signoff.queue.sql.agent_queue import SqlAgentQueue

    engine = _open_engine(place, who=f"agent {info.name}", create=True)
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
        place: Name, directory or URL of the queue, see `signoff.queue.location.locate` and
            `signoff.queue.postgres.connection`.
        reviewer: Name under which decisions are recorded. By default, that of the role that logs in where a queue
            in PostgreSQL has roles, which takes no other; elsewhere the user's login name.
        create: True to create the queue if there is none.

    Raises:
        QueueNotFoundError: There is no queue, and it was not to be created.
        QueuePlaceError: The place is unsafe; the message says what to change.
        QueueVersionError: The queue is of another signoff's format.
        QueueUnavailableError: The queue cannot be used, or not under that name; the message says why.
    """
    from signoff.queue.sql.review_queue import SqlReviewQueue

    name = reviewer or _login_name()
    engine = _open_engine(place, who=f"reviewer {name}", create=create, tidy=True)
    bound = engine.reviewer
    if bound is not None and reviewer not in (None, bound):
        engine.close()
        raise QueueUnavailableError(
            f"{engine.name} records decisions under the name of the role that logs in, {bound!r}, so nobody can"
            f" decide there as {reviewer!r}; log in as that role"
        )
    return SqlReviewQueue(bound or name, engine)


_COUNTING_SECONDS = 1.5
"""Longest wait for a server when only counts are asked for: with its start, a status line takes less than two."""


def queue_stats(place: str | os.PathLike[str] | None = None) -> Stats:
    """Count the waiting requests, the connected agents and the grants, without what deciding needs.

    A server that does not answer is given up after a second and a half.

    Args:
        place: As for `open_review_queue`.

    Raises:
        QueueNotFoundError: There is no queue.
        QueuePlaceError: The place is unsafe; the message says what to change.
        QueueVersionError: The queue is of another signoff's format.
        QueueUnavailableError: The queue cannot be used; the message says why.
    """
    from signoff.queue.sql.stats import count

    engine = _open_engine(place, who="status", create=False, seconds=_COUNTING_SECONDS)
    try:
        return count(engine)
    finally:
        engine.close()


def place_name(place: str | os.PathLike[str] | None = None) -> str:
    """Return the place of a queue in words for people: as it was named, but without any password.

    Args:
        place: As for `open_review_queue`.

    Raises:
        QueuePlaceError: It is a URL that nobody can read, or that is none of a queue.
    """
    chosen = _chosen(place)
    if not is_postgres(chosen):
        locate(chosen)
        return os.fspath(chosen)
    from signoff.queue.postgres.connection import parse_url

    return parse_url(chosen).name


def postgres_place(place: str | os.PathLike[str] | None = None) -> PostgresPlace:
    """Return the place of a queue in PostgreSQL. Nothing is connected to.

    Args:
        place: As for `open_review_queue`.

    Raises:
        QueuePlaceError: It is no such place.
        QueueUnavailableError: What PostgreSQL needs is not installed.
    """
    chosen = _chosen(place)
    if not is_postgres(chosen):
        locate(chosen)
        raise QueuePlaceError(
            f"{os.fspath(chosen)} is no queue in PostgreSQL; give its URL with --queue or {PLACE_VARIABLE}"
        )
    try:
        from signoff.queue.postgres.connection import parse_url
    except ImportError as error:
        raise QueueUnavailableError(
            f"a queue in PostgreSQL needs psycopg ({error}); install it with: pip install 'signoff[postgres]'"
        ) from error
    return parse_url(chosen)


def _open_engine(
    place: str | os.PathLike[str] | None,
    *,
    who: str,
    create: bool,
    tidy: bool = False,
    seconds: float | None = None,
) -> Engine:
    """Connect to the database of a queue. Engines are loaded when they are needed.

    Args:
        place: As for `open_review_queue`.
        who: Connects; a server tells its operators.
        create: True to create the queue if there is none.
        tidy: True to remove what dead processes left behind.
        seconds: Give up a server on the network after so many seconds, whatever is done with it; None for never.
    """
    chosen = _chosen(place)
    if is_postgres(chosen):
        where = postgres_place(chosen)
        from signoff.queue.postgres.engine import PostgresEngine

        return PostgresEngine(where.used_by(who), create=create, seconds=seconds)
    from signoff.queue.sqlite.engine import SqliteEngine

    directory = locate(chosen)
    if create:
        directory.prepare()
    else:
        directory.check()
    engine = SqliteEngine(directory)
    if tidy:
        engine.tidy()
    return engine


def _chosen(place: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
    return place if place is not None else usual_place()


def _login_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # containers run as users without a name
        return f"user {os.getuid()}"
