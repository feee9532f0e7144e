"""The verdicts of a settings file on calls of the history."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from signoff.policy.verdict import Level
from signoff.queue.records import DecisionSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from signoff.config.verdicts import SettingsVerdicts
    from signoff.policy.verdict import Verdict
    from signoff.queue.history import HistoryRecord

__all__ = ["Changed", "Replayed", "Unknown", "Was", "is_call", "replayed", "was"]

_ANSWERED_WITHOUT_ASKING = frozenset({DecisionSource.GRANT, DecisionSource.RULE, DecisionSource.MODE})


class Was(StrEnum):
    """The way a call was answered."""

    ASKED = "asked"
    """It waited for somebody, whatever its end was."""
    PASSED = "passed"
    """A grant, a rule or the mode let it run; no person was asked."""
    STOPPED = "stopped"
    """A rule or the mode refused it; no person was asked."""


class Unknown(StrEnum):
    """The reason for which the new verdict on a call cannot be told."""

    DAMAGED = "the record cannot be read"
    SERVER = "the history does not say which server the tool is of"
    DIRECTORY = "it was called in another directory, where its paths mean something else"


@dataclass(frozen=True, slots=True)
class Changed:
    """A recorded call with a different verdict now."""

    record: HistoryRecord
    was: Was
    now: Verdict


@dataclass(slots=True)
class Replayed:
    """The new verdicts on some calls, compared with their answers.

    Attributes:
        same: Number of calls that would end as they did.
        changed: The calls that would not.
        unknown: Number of unknown ones, by reason.
    """

    same: int = 0
    changed: list[Changed] = field(default_factory=list)
    unknown: Counter[Unknown] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.same + len(self.changed) + self.unknown.total()


_SAME = {Was.ASKED: Level.ASK, Was.PASSED: Level.ALLOW, Was.STOPPED: Level.BLOCK}


def is_call(record: HistoryRecord) -> bool:
    """True if a record is about a call. One without a request and a decision records a deletion."""
    return record.request_id is not None or record.decision is not None


def was(record: HistoryRecord) -> Was:
    """Return the way the call of a record was answered."""
    decision = record.decision
    released = record.request_id is not None  # it waited, whatever answered it in the end
    if decision is None or released or decision.source not in _ANSWERED_WITHOUT_ASKING:
        return Was.ASKED
    return Was.PASSED if decision.approved else Was.STOPPED


def replayed(records: Iterable[HistoryRecord], verdicts: SettingsVerdicts) -> Replayed:
    """Judge calls of the history.

    Args:
        records: The calls, as `is_call` tells.
        verdicts: The verdicts of the file on calls.
    """
    found = Replayed()
    for record in records:
        before, now = was(record), _now(record, verdicts)
        if isinstance(now, Unknown):
            found.unknown[now] += 1
        elif now.level is _SAME[before]:
            found.same += 1
        else:
            found.changed.append(Changed(record, before, now))
    return found


def _now(record: HistoryRecord, verdicts: SettingsVerdicts) -> Verdict | Unknown:
    if not record.digest:
        return Unknown.DAMAGED
    if _means_another_place(record, verdicts):
        return Unknown.DIRECTORY
    found = [verdicts.verdict(record.tool_name, record.arguments, server) for server in _servers(record, verdicts)]
    return found[0] if len({verdict.level for verdict in found}) == 1 else Unknown.SERVER


def _servers(record: HistoryRecord, verdicts: SettingsVerdicts) -> Iterator[str | None]:
    """The servers whose tool it may have been; None is for the agent's own."""
    yield None
    if not verdicts.has_own(record.tool_name):
        yield from (server.server_name for server in verdicts.config.tool_servers)


def _means_another_place(record: HistoryRecord, verdicts: SettingsVerdicts) -> bool:
    """True if relative paths of the call have another base than those of the file."""
    looks = verdicts.looks_at_directory(record.tool_name, record.arguments)
    return looks and os.path.realpath(record.cwd) != verdicts.directory
