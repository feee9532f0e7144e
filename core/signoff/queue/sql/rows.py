"""Rows as records."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from signoff.canonical import canonical, parse_json
from signoff.queue.codec import (
    asked_by_from_text,
    check_grant,
    decision_from_text,
    from_text,
    submission_from_text,
)
from signoff.queue.errors import DamagedRecordError
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.history import HistoryRecord
from signoff.queue.records import (
    AgentMode,
    AgentRecord,
    Decision,
    Grant,
    GrantKind,
    RequestState,
    Seal,
    StoredRequest,
    stored_key,
)
from signoff.queue.sql.engine import Row
from signoff.queue.text_escape import unpack_text

__all__ = [
    "DAMAGED",
    "agent_from_row",
    "grant_from_row",
    "grant_or_damage",
    "history_from_row",
    "request_from_row",
    "sort_out",
    "text_or_damage",
]

DAMAGED = "(damaged record)"
"""Stands in for what cannot be read."""


def sort_out(rows: Iterable[Row]) -> tuple[list[StoredRequest], list[tuple[Row, DamagedRecordError]]]:
    """Return the requests of rows that can be read, and the rows that cannot with what is wrong."""
    found: list[StoredRequest] = []
    damaged: list[tuple[Row, DamagedRecordError]] = []
    for row in rows:
        try:
            found.append(request_from_row(row))
        except DamagedRecordError as damage:
            damaged.append((row, damage))
    return found, damaged


def request_from_row(row: Row) -> StoredRequest:
    """Return the request of a row of ``requests``.

    Raises:
        DamagedRecordError: The row is damaged.
    """
    with _intact("request", row["seq"]):
        return StoredRequest(
            seq=row["seq"],
            id=row["id"],
            revision=row["revision"],
            state=RequestState(row["state"]),
            submission=submission_from_text(row["submission"]),
            asked_by=asked_by_from_text(row["asked_by"]),
            created_at=row["created_at"],
            decision=_decision(row),
            decided_at=row["decided_at"],
            state_note=None if row["state_note"] is None else unpack_text(row["state_note"]),
            delivered_at=row["delivered_at"],
            expires_at=row["expires_at"],
        )


def grant_from_row(row: Row) -> Grant:
    """Return the grant of a row of ``grants``. What it covers is said twice there and has to agree.

    Raises:
        DamagedRecordError: The row is damaged.
    """
    with _intact("grant", row["seq"]):
        info = from_text(row["info"])
        whole_key = unpack_text(row["payload_key"])
        key = whole_key.partition("\n")[0]
        pattern = None
        if row["kind"] == GrantKind.PATTERN:
            pattern = GrantPattern.from_json(parse_json(key))
        grant = Grant(
            id=row["id"],
            session=info["session"],
            agent_name=info["agent_name"],
            tool_name=info["tool_name"],
            payload=info["payload"],
            payload_key=info["payload_key"],
            origin_request=info["origin_request"],
            created_at=row["created_at"],
            created_by=info["created_by"],
            uses=row["uses"],
            last_used_at=row["last_used_at"],
            revoked_at=row["revoked_at"],
            revoked_by=None if row["revoked_by"] is None else unpack_text(row["revoked_by"]),
            pattern=pattern,
            definition=info.get("definition"),
            server=info.get("server"),
            seal=Seal.from_json(info.get("seal")),
        )
        covered = canonical(grant.payload) if pattern is None else pattern.key
        tool_name = grant.tool_name if pattern is None else pattern.tool_name
        columns = unpack_text(row["session"]), unpack_text(row["tool"]), key, key
        said = grant.session, grant.tool_name, grant.payload_key, covered
        same = stored_key(key, grant.definition, grant.server) == whole_key
        same_server = pattern is None or pattern.server == grant.server
        if said != columns or tool_name != grant.tool_name or not (same and same_server):
            raise ValueError("it says two things about what it covers")
        check_grant(grant)
        return grant


def grant_or_damage(row: Row) -> Grant:
    """Return the grant of a row; of one that cannot be read, what can be told of it, marked as damaged."""
    try:
        return grant_from_row(row)
    except DamagedRecordError as damage:
        return Grant(
            id=row["id"],
            session=text_or_damage(row["session"]),
            agent_name=DAMAGED,
            tool_name=text_or_damage(row["tool"]),
            payload={},
            payload_key="",
            origin_request="",
            created_at=_number(row["created_at"]),
            created_by=DAMAGED,
            uses=_number(row["uses"]),
            last_used_at=None,
            revoked_at=None if row["revoked_at"] is None else _number(row["revoked_at"]),
            damage=str(damage),
        )


def agent_from_row(row: Row) -> AgentRecord:
    """Return the agent connection of a row of ``agents``; one that cannot be read is marked as damaged."""
    try:
        with _intact("agent", row["id"]):
            info = from_text(row["info"])
            host = unpack_text(row["host"])
            texts = info["name"], info["session"], info["cwd"], info["via"], info.get("program", "")
            if not all(isinstance(text, str) for text in texts):
                raise TypeError("it is introduced with something else than texts")
            name, session, cwd, via, program = texts
            trusts = None if info.get("trusts") is None else frozenset(map(str, info["trusts"]))
            mode, damage = _mode(info.get("mode")), None
    except DamagedRecordError as error:
        name = cwd = via = program = host = DAMAGED
        session, mode, trusts, damage = text_or_damage(row["session"]), None, None, str(error)
    return AgentRecord(
        id=row["id"],
        name=name,
        session=session,
        cwd=cwd,
        via=via,
        pid=row["pid"],
        host=host,
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        program=program,
        mode=mode,
        trusts=trusts,
        damage=damage,
    )


def history_from_row(row: Row) -> HistoryRecord:
    """Return the record of a row of ``history``, joined with its request's content and revision.

    Raises:
        DamagedRecordError: The row is damaged.
    """
    with _intact("history record", row["seq"]):
        return HistoryRecord.about(
            asked_by_from_text(row["asked_by"]),
            submission_from_text(row["content"]),
            RequestState(row["state"]),
            seq=row["seq"],
            at=row["at"],
            request_id=row["request_id"],
            revision=row["revision"],
            decision=_decision(row),
            reason=unpack_text(row["reason"]),
            took_us=row["took_us"],
            hash=row["hash"],
        )


def _decision(row: Row) -> Decision | None:
    return None if row["decision"] is None else decision_from_text(row["decision"])


@contextlib.contextmanager
def _intact(what: str, which: object) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedRecordError(
            f"{what} {which} in the queue is damaged: {error}; keep a copy of the queue's directory,"
            " then restore it from a backup"
        ) from error


def _mode(said: object) -> AgentMode | None:
    """A mode that is known; what else an agent says of itself there is acted on by nobody, and not shown."""
    return next((mode for mode in AgentMode if mode.value == said), None)


def text_or_damage(packed: str) -> str:
    """Return the text that was packed, or `DAMAGED` in its place."""
    try:
        return unpack_text(packed)
    except ValueError:
        return DAMAGED


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
