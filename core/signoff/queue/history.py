"""The history: its records, filters for them, and the results of a check.

As in `signoff.queue.records`, times are whole microseconds since the epoch, UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from signoff.effects import Risk
from signoff.queue.records import AskedBy, Decision, RequestState, StoredRequest, Submission

__all__ = [
    "HistoryCheck",
    "HistoryFault",
    "HistoryFilter",
    "HistoryHead",
    "HistoryRecord",
    "PatternPreview",
    "Pruning",
    "SignedApprovals",
]


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """One line of the append-only history.

    A request contributes one record when it ends; a call answered by grant, rule or mode contributes one
    although it never waited.
    """

    seq: int
    at: int
    request_id: str | None
    """None for a call that never was a request."""
    revision: int
    """0 for a call that never was a request."""
    agent_name: str
    session: str
    tool_name: str
    description: str
    arguments: Mapping[str, Any]
    group_id: str | None
    batch_id: str | None
    risk: Risk
    state: RequestState
    decision: Decision | None
    reason: str
    """The reason for an end without decision, in plain words."""
    took_us: int
    """From asking to the end, in microseconds."""
    digest: str
    hash: str
    """SHA-256 over the hash of the record before and this record's canonical form."""
    snapshot: Mapping[str, Any] | None = None
    """The effects that the call declared, as stored with the request; bound by the digest."""
    cwd: str = ""
    """Working directory of the call, as stored with the request."""
    risk_reasons: tuple[str, ...] = ()
    """Reasons why the risk is not lower, as stored with the request."""
    why: str = ""
    """The rule or tool that asked, as stored with the request."""
    masked_keys: tuple[str, ...] = ()
    """As in the submission."""
    server: str | None = None
    """The server that the tool belongs to; None for a tool of the agent itself."""

    @classmethod
    def about(
        cls,
        asked_by: AskedBy,
        submission: Submission,
        state: RequestState,
        *,
        seq: int = 0,
        at: int,
        request_id: str | None = None,
        revision: int = 0,
        decision: Decision | None = None,
        reason: str = "",
        took_us: int = 0,
        hash: str = "",  # noqa: A002 - the attribute's name
    ) -> HistoryRecord:
        """Return the record of a call; without seq and hash it has no place in the chain yet.

        Args:
            asked_by: The agent.
            submission: The request of the agent.
            state: The state in which it ended.
            seq: As in the record, and so are all that follow.
            at: Microseconds since the epoch.
            request_id: None if it was no request.
            revision: 0 if it was no request.
            decision: None if nobody decided.
            reason: The reason for an end without decision.
            took_us: In microseconds.
            hash: Hash in the chain.
        """
        return cls(
            seq=seq,
            at=at,
            request_id=request_id,
            revision=revision,
            agent_name=asked_by.name,
            session=asked_by.session,
            tool_name=submission.tool_name,
            description=submission.description,
            arguments=submission.arguments,
            group_id=submission.group_id,
            batch_id=submission.batch_id,
            risk=submission.risk,
            state=state,
            decision=decision,
            reason=reason,
            took_us=took_us,
            digest=submission.digest,
            hash=hash,
            snapshot=submission.snapshot,
            cwd=submission.cwd,
            risk_reasons=submission.risk_reasons,
            why=submission.why,
            masked_keys=submission.masked_keys,
            server=submission.server,
        )


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """A filter of history records: a record must fit all fields that are given.

    Attributes:
        session: Exact session, or None for any.
        agent_name: Exact agent name, or None for any.
        tool_name: Exact tool name, or None for any.
        states: Any of these states; empty for all.
        since: Earliest time, microseconds since the epoch, or None.
        until: Latest time, microseconds since the epoch, or None.
        decided_by: Exact name of the reviewer, grant, rule or mode that decided, or None for any.
        request_id: Exact request id, or None for any.
        text: Words that are all in the description, tool, agent, request id, note, reason, name of the decider or
            arguments; ``word*``, and a last word with nothing behind it, find all words that begin so. Upper and
            lower case are the same. A text without letters and digits filters nothing. Of long texts only the
            beginning is searched, see `signoff.queue.sql.history.LONGEST_SEARCHED`.
    """

    session: str | None = None
    agent_name: str | None = None
    tool_name: str | None = None
    states: frozenset[RequestState] = frozenset()
    since: int | None = None
    until: int | None = None
    decided_by: str | None = None
    request_id: str | None = None
    text: str = ""


class HistoryFault(StrEnum):
    """The kinds of faults of a history."""

    CHANGED = "changed"
    """A record differs from the one that was written, cannot be read, or was put in later."""
    MISSING = "missing"
    """A record is not there, and its deletion is not on record."""
    REORDERED = "reordered"
    """A record stands in another place than the one it was written to."""
    CUT_OFF = "cut off"
    """The expected end is not there."""
    FORGED = "forged"
    """The signature of an approval was given to something else."""


@dataclass(frozen=True, slots=True)
class HistoryHead:
    """The newest record of a history at some time, noted elsewhere to be found again.

    Attributes:
        seq: Seq of the record, or None if only its hash was noted.
        hash: Its hash, or None if only its seq was noted.
    """

    seq: int | None = None
    hash: str | None = None


@dataclass(frozen=True, slots=True)
class SignedApprovals:
    """Approvals of requests, counted by their signatures.

    Attributes:
        trusted: Signed by a reviewer who is trusted here.
        unknown: Signed by somebody unknown, maybe not a reviewer.
        unsigned: Not signed, as all were before there were signatures.
    """

    trusted: int = 0
    unknown: int = 0
    unsigned: int = 0


@dataclass(frozen=True, slots=True)
class HistoryCheck:
    """The result of a check of the history.

    Attributes:
        checked: Number of records that were checked and are whole.
        first: Seq of the first record that should be there: 1, unless older ones were pruned.
        head: The last record that is whole, or the beginning of the history.
        fault: The kind of fault, or None if all is whole.
        broken: Seq of the first record that is wrong or missing, or None.
        message: The fault in plain words, or "".
        approvals: The approvals among the checked records, counted by their signatures.
    """

    checked: int
    first: int
    head: HistoryHead
    fault: HistoryFault | None = None
    broken: int | None = None
    message: str = ""
    approvals: SignedApprovals = SignedApprovals()


@dataclass(frozen=True, slots=True)
class Pruning:
    """Records that were deleted from the beginning of the history, or that would be.

    Attributes:
        count: Number of records.
        first: Seq of the first.
        last: Seq of the last; the one before ``first`` if there are none.
        hash: Hash of the last.
        oldest_at: Time of the first, None if there are none.
        newest_at: Time of the last, None if there are none.
    """

    count: int
    first: int
    last: int
    hash: str
    oldest_at: int | None
    newest_at: int | None


# -- The calls that a pattern would have answered, for the person who is about to allow it.


@dataclass(frozen=True, slots=True)
class PatternPreview:
    """The matches of a pattern in the history and among the waiting requests.

    Attributes:
        looked_at: Number of the latest calls that were compared, whatever their answer was.
        matched: The calls that the pattern would have answered, newest first.
        still_asked: Number of calls that match and would be asked about all the same: of HIGH risk, with a
            link that leads elsewhere, or hiding a secret.
        unreadable: Number of records that are damaged and could not be compared.
        waiting: The waiting requests that match. A new grant does not answer these; it answers later calls.
    """

    looked_at: int
    matched: tuple[HistoryRecord, ...]
    still_asked: int
    unreadable: int
    waiting: tuple[StoredRequest, ...]
