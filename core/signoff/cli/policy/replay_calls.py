"""What a settings file would have done with calls of the history."""

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
    """How a call was answered."""

    ASKED = "asked"
    """It waited for somebody, whatever became of it."""
    PASSED = "passed"
    """A grant, a rule or the mode let it run; no person was asked."""
    STOPPED = "stopped"
    """A rule or the mode refused it; no person was asked."""


class Unknown(StrEnum):
    """Why it cannot be told what would become of a call."""

    DAMAGED = "the record cannot be read"
    SERVER = "the history does not say which server the tool is of"
    DIRECTORY = "it was called in another directory, where its paths mean something else"


@dataclass(frozen=True, slots=True)
class Changed:
    """A call that was recorded, and what else would become of it now."""

    record: HistoryRecord
    was: Was
    now: Verdict


@dataclass(slots=True)
class Replayed:
    """What would have become of some calls.

    Attributes:
        same: How many would end as they did.
        changed: Those that would not.
        unknown: How many are unknown, by the reason.
    """

    same: int = 0
    changed: list[Changed] = field(default_factory=list)
    unknown: Counter[Unknown] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        """How many there are."""
        return self.same + len(self.changed) + self.unknown.total()


_SAME = {Was.ASKED: Level.ASK, Was.PASSED: Level.ALLOW, Was.STOPPED: Level.BLOCK}


def is_call(record: HistoryRecord) -> bool:
    """Whether a record is about a call. One without a request and a decision says that records were deleted."""
    return record.request_id is not None or record.decision is not None


def was(record: HistoryRecord) -> Was:
    """How the call of a record was answered."""
    decision = record.decision
    released = record.request_id is not None  # it waited, whatever answered it in the end
    if decision is None or released or decision.source not in _ANSWERED_WITHOUT_ASKING:
        return Was.ASKED
    return Was.PASSED if decision.approved else Was.STOPPED


def replayed(records: Iterable[HistoryRecord], verdicts: SettingsVerdicts) -> Replayed:
    """Judge calls of the history.

    Args:
        records: The calls, as `is_call` tells.
        verdicts: What the file says of calls.
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
    """Whether relative paths of the call start elsewhere than those of the file."""
    looks = verdicts.looks_at_directory(record.tool_name, record.arguments)
    return looks and os.path.realpath(record.cwd) != verdicts.directory
