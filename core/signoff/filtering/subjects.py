"""What a filter can ask of a request, a history record or a remembered approval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any

from msgspec import Struct

from signoff.filtering.fields import Filtered
from signoff.filtering.texts import FilePath, Texts
from signoff.present.snapshot.steps import CommandRun, SnapshotError, Step
from signoff.present.subject import step_text, steps_of
from signoff.queue.history import HistoryRecord
from signoff.queue.records import Decision, DecisionSource, Grant, RequestState, Risk, StoredRequest, Submission

__all__ = ["CallFacts", "ScreenFacts", "Subject", "of_grant", "of_record", "of_request"]

_REDACTED = frozenset({"hidden-value"})
_HIDDEN = frozenset({"disguised", "hidden-chars", "hidden-length"})


class CallFacts:
    """What a call is about. Nothing is looked at before it is asked for.

    Args:
        description: What its agent says of it.
        snapshot: What it declared it would do, as stored, or None.
        cwd: Its working directory.
        presentation: What the tool sent to be shown, or None.
        other: More text that is found by searching.
    """

    def __init__(
        self,
        description: str,
        snapshot: Mapping[str, Any] | None = None,
        cwd: str = "",
        presentation: Mapping[str, Any] | None = None,
        other: Sequence[str] = (),
    ) -> None:
        self._description = description
        self._snapshot = snapshot
        self._cwd = cwd
        self._presentation = presentation or {}
        self._other = other

    @cached_property
    def files(self) -> tuple[FilePath, ...]:
        """The files that it would change."""
        return tuple(
            FilePath(step_text(step, self._cwd), step.path)
            for step in self._steps
            if not isinstance(step, CommandRun)
        )

    @cached_property
    def commands(self) -> Texts:
        """The commands that it would run, or the one that its tool shows."""
        commands = [step.command for step in self._steps if isinstance(step, CommandRun)]
        if not self._steps and self._presentation.get("type") == "command":
            commands.append(str(self._presentation.get("content", "")))
        return Texts(commands)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What it would do, in the words of ``kind``."""
        if self._steps:
            return frozenset(map(_kind_of, self._steps))
        shown = self._presentation.get("type")
        return frozenset({"shell" if shown == "command" else "text" if shown == "text" else "api"})

    @cached_property
    def words(self) -> Texts:
        """All that is said of it: description, paths, commands."""
        return Texts((self._description, *(file.shown for file in self.files), *self.commands.items, *self._other))

    @cached_property
    def _steps(self) -> Sequence[Step]:
        try:
            return steps_of(self._snapshot)
        except SnapshotError:  # what cannot be read declares nothing, here as in the lists
            return ()


class ScreenFacts(Struct, frozen=True):
    """What only the screen knows of a request that it lists.

    Attributes:
        held: A decision about it is held back.
        sent: A decision about it was sent, and is not answered yet.
        later: It was put aside.
        tagged: It is tagged.
        late: It joined its group after the group was looked at.
        shown: Share of its content that was on screen, 0.0 to 1.0, or None if that is not known.
        lines: Lines to be read, or None while that is not known.
    """

    held: bool = False
    sent: bool = False
    later: bool = False
    tagged: bool = False
    late: bool = False
    shown: float | None = None
    lines: int | None = None


class Subject(Struct, frozen=True):
    """One thing that a filter keeps or not. What it does not have fits no value.

    Attributes:
        filtered: What it is.
        agent: Name of its agent.
        session: Session of its agent.
        tool: Name of the tool.
        at: When it was asked, ended or given, microseconds since the epoch.
        call: What the call is about.
        marks: The words of ``is`` that hold.
        group: Group of the request.
        batch: Batch of the request.
        risk: Risk of the call.
        why: Reasons of the risk, and what asked.
        state: State of the request.
        decision: The decision, if one was taken.
        source: Who or what decided.
        by: Name of who or what decided.
        said: The reviewer's words.
        reason: Why it ended, if nobody decided.
        shown: Percent of the content that was shown.
        took: Microseconds from asking to the end.
        lines: Lines to be read.
    """

    filtered: Filtered
    agent: str
    session: str
    tool: str
    at: int
    call: CallFacts
    marks: frozenset[str]
    group: str | None = None
    batch: str | None = None
    risk: Risk | None = None
    why: Texts | None = None
    state: RequestState | None = None
    decision: Decision | None = None
    source: DecisionSource | None = None
    by: str | None = None
    said: Texts | None = None
    reason: Texts | None = None
    shown: int | None = None
    took: int | None = None
    lines: int | None = None


def of_record(record: HistoryRecord) -> Subject:
    """What can be asked of a record of the history."""
    decision = record.decision
    return _of_asked(
        record,
        Filtered.HISTORY,
        agent=record.agent_name,
        session=record.session,
        at=record.at,
        call=CallFacts(record.description, record.snapshot, record.cwd),
        marks={"closed"},
        revision=record.revision,
        state=record.state,
        decision=decision,
        shown=None if decision is None else decision.shown,
        reason=record.reason,
        took=record.took_us,
    )


def of_request(
    request: StoredRequest, screen: ScreenFacts | None = None, *, call: CallFacts | None = None
) -> Subject:
    """What can be asked of a request in the inbox.

    Args:
        request: The request.
        screen: What the screen knows of it.
        call: `Subject.call` of an earlier subject of the same revision, so that it is not taken apart again.
    """
    screen = screen or ScreenFacts()
    submission, decision = request.submission, request.decision
    states = {
        "waiting": request.pending and not screen.held and not screen.sent,
        "later": screen.later,
        "held": screen.held,
        "tagged": screen.tagged,
        "late": screen.late,
        "closed": not request.pending,
    }
    if call is None:
        call = CallFacts(submission.description, submission.snapshot, submission.cwd, submission.presentation)
    return _of_asked(
        submission,
        Filtered.INBOX,
        agent=request.asked_by.name,
        session=request.asked_by.session,
        at=request.created_at,
        call=call,
        marks={mark for mark, holds in states.items() if holds},
        revision=request.revision,
        state=request.state,
        decision=decision,
        shown=screen.shown if screen.shown is not None or decision is None else decision.shown,
        reason=request.state_note or "",
        took=None if request.decided_at is None else max(0, request.decided_at - request.created_at),
        lines=screen.lines,
    )


def _of_asked(
    asked: Submission | HistoryRecord,
    filtered: Filtered,
    *,
    agent: str,
    session: str,
    at: int,
    call: CallFacts,
    marks: AbstractSet[str],
    revision: int,
    state: RequestState,
    decision: Decision | None,
    shown: float | None,
    reason: str,
    took: int | None,
    lines: int | None = None,
) -> Subject:
    """What can be asked of a call that waits or ended; arguments as the attributes of `Subject`."""
    changed = revision > 1 or state is RequestState.SUPERSEDED
    said = {*marks, *_state_marks(state), *_seen_marks(shown), *_text_marks(asked.risk_reasons)}
    return Subject(
        filtered,
        agent,
        session,
        asked.tool_name,
        at,
        call,
        frozenset(said | {"changed"} if changed else said),
        group=asked.group_id,
        batch=asked.batch_id,
        risk=asked.risk,
        why=Texts((*asked.risk_reasons, asked.why)),
        state=state,
        decision=decision,
        source=None if decision is None else decision.source,
        by=None if decision is None else decision.by,
        said=_said(decision),
        reason=Texts((reason,)),
        shown=_percent(shown),
        took=took,
        lines=lines,
    )


def of_grant(grant: Grant) -> Subject:
    """What can be asked of a remembered approval."""
    texts = [grant.payload_key, *(value for value in grant.payload.values() if isinstance(value, str))]
    return Subject(
        Filtered.MEMORY,
        grant.agent_name,
        grant.session,
        grant.tool_name,
        grant.created_at,
        CallFacts(grant.words(), other=texts),
        frozenset() if grant.revoked_at is None else frozenset({"closed"}),
        source=DecisionSource.REVIEWER,
        by=grant.created_by,
    )


def _kind_of(step: Step) -> str:
    if isinstance(step, CommandRun):
        return "shell"
    return "bin" if step.binary else "diff" if step.before.exists else "new"


def _state_marks(state: RequestState) -> Sequence[str]:
    match state:
        case RequestState.EXPIRED:
            return ("expired",)
        case RequestState.WITHDRAWN:
            return ("gone",)
    return ()


def _seen_marks(shown: float | None) -> Sequence[str]:
    if shown is None:
        return ()
    return ("seen",) if shown >= 1 else ("part",) if shown > 0 else ("unseen",)


def _text_marks(reasons: Sequence[str]) -> Sequence[str]:
    marks = {"redacted": _REDACTED, "hidden": _HIDDEN}
    return [mark for mark, of_reason in marks.items() if not of_reason.isdisjoint(reasons)]


def _percent(shown: float | None) -> int | None:
    """As the lists write it: 100 is all of it, never nearly all."""
    return None if shown is None else int(shown * 100)


def _said(decision: Decision | None) -> Texts | None:
    return None if decision is None or not decision.note else Texts((decision.note,))
