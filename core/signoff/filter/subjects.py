"""The subjects of a filter: facts about a request, a record or a grant, and the comparison of texts."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from operator import attrgetter
from typing import Any

from msgspec import Struct

from signoff.effects import Risk
from signoff.filter.fields import Filtered
from signoff.filter.grammar import Operator, Value
from signoff.policy.regex import compile_pattern
from signoff.present.kinds import PresentationKind, sent_command, undeclared_kind
from signoff.present.snapshot.steps import CommandRun, SnapshotError, Step
from signoff.present.subject import step_kind, step_text, steps_of
from signoff.queue.history import HistoryRecord
from signoff.queue.records import Decision, DecisionSource, Grant, RequestState, StoredRequest, Submission

__all__ = [
    "CallFacts",
    "FilePath",
    "ScreenFacts",
    "Subject",
    "Texts",
    "name_test",
    "of_grant",
    "of_record",
    "of_request",
    "path_test",
    "text_test",
]


# -- The comparison of texts: parts of a text, globs, exact names, regular expressions.
#
# The case of letters is ignored unless the filter has a capital letter.

_WILD = re.compile(r"[*?\[]")
_ESCAPED = re.compile(r"\\(?:[pP]\{[^}]*\}|[pP].|.)", re.DOTALL)
_BETWEEN = "\0"
"""The sign between texts that are searched at once."""


class Texts:
    """Texts that are searched together.

    Args:
        items: The texts.
    """

    def __init__(self, items: Sequence[str]) -> None:
        self.items = tuple(items)

    @cached_property
    def joined(self) -> str:
        """All of them in one."""
        return _BETWEEN.join(self.items)

    @cached_property
    def folded(self) -> str:
        """All of them in one, without regard to case."""
        return self.joined.casefold()


class FilePath:
    """A path of a file.

    Args:
        shown: Relative to the working directory if it is below it, else absolute.
        absolute: Absolute.
    """

    def __init__(self, shown: str, absolute: str) -> None:
        self.shown = shown
        self.absolute = absolute

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Parts of the path as shown."""
        return tuple(self.shown.split("/"))

    @cached_property
    def folded_parts(self) -> tuple[str, ...]:
        """Parts of the path as shown, without regard to case."""
        return tuple(self.shown.casefold().split("/"))

    @cached_property
    def absolute_parts(self) -> tuple[str, ...]:
        """Parts of the absolute path."""
        return tuple(self.absolute.split("/"))

    @cached_property
    def folded_absolute_parts(self) -> tuple[str, ...]:
        """Parts of the absolute path, without regard to case."""
        return tuple(self.absolute.casefold().split("/"))


def text_test(value: Value, operator: Operator) -> Callable[[Texts], bool]:
    """Return a test for texts: any of them contains the value, equals it, or matches it.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    wanted = value.text
    match operator:
        case Operator.EQUAL:
            return lambda texts: wanted in texts.items
        case Operator.PATTERN:
            found = _pattern(wanted)
            return lambda texts: any(map(found, texts.items))
    if _has_capital(wanted):
        return lambda texts: wanted in texts.joined
    folded = wanted.casefold()
    return lambda texts: folded in texts.folded


def name_test(value: Value, operator: Operator) -> Callable[[str], bool]:
    """Return a test for names: equal to the value, fitting its glob, or matching its regular expression.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    match operator:
        case Operator.EQUAL:
            return value.text.__eq__
        case Operator.PATTERN:
            return _pattern(value.text)
    return _part_test(value.text, literal=value.literal, fold=not _has_capital(value.text))


def path_test(value: Value, operator: Operator) -> Callable[[FilePath], bool]:
    """Return a test for paths: fitting a glob, equal to the value, or matching its regular expression.

    Whole parts of the path are compared, wherever they stand in it: ``app/api.py`` fits ``src/app/api.py``. A
    value that ends with a name also fits everything below a folder of that name; one that ends with ``/`` fits
    only that. A value that begins with ``/`` is compared with the absolute path, one that begins with ``./`` with
    the path from the working directory on.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    wanted = value.text
    match operator:
        case Operator.EQUAL:
            return lambda path: wanted in (path.shown, path.absolute)
        case Operator.PATTERN:
            found = _pattern(wanted)
            return lambda path: found(path.shown)
    fold = not _has_capital(wanted)
    of = _PARTS_OF[wanted.startswith("/"), fold]
    if fold:
        wanted = wanted.casefold()
    if not wanted.startswith(("/", "./")) and (value.literal or not _WILD.search(wanted)):
        end = "" if wanted.endswith("/") else "/"
        named = f"/{wanted}{end}"
        return lambda path: named in f"/{path.shown.casefold() if fold else path.shown}{end}"
    tests = _part_tests(wanted, literal=value.literal)
    if wanted.startswith("./"):
        return lambda path: of(path)[0] != "" and _fits(of(path), tests)  # a path elsewhere begins with "/"
    if len(tests) == 2 and tests[1] is not None:
        last = tests[1]
        return lambda path: last(of(path)[-1])
    return lambda path: _fits(of(path), tests)


def _part_tests(wanted: str, *, literal: bool) -> list[Callable[[str], bool] | None]:
    """A test for each part of a path, in the form for `_fits`."""
    parts = wanted.removeprefix("./").split("/")
    tests = [
        None if part == "**" and not literal else _part_test(part, literal=literal, fold=False) for part in parts
    ]
    if parts[-1] == "" or tests[-1] is None:  # things below a folder are not the folder itself
        tests[-1:] = [None, _always]
    elif literal or not _WILD.search(parts[-1]):  # it may be a folder as well
        tests.append(None)
    if not wanted.startswith(("/", "./")):
        tests.insert(0, None)
    return tests


_PARTS_OF: Mapping[tuple[bool, bool], Callable[[FilePath], tuple[str, ...]]] = {
    (False, False): attrgetter("parts"),
    (False, True): attrgetter("folded_parts"),
    (True, False): attrgetter("absolute_parts"),
    (True, True): attrgetter("folded_absolute_parts"),
}
"""The parts of a path to compare, by whether all of it is compared, and whether case is ignored."""


def _fits(parts: Sequence[str], tests: Sequence[Callable[[str], bool] | None]) -> bool:
    """True if the parts of a path fit tests one by one, where None stands for any number of parts.

    Only the last None is ever tried again, so that it takes at most the product of both lengths.
    """
    part = test = 0
    any_test = any_part = -1
    while part < len(parts):
        wanted = tests[test] if test < len(tests) else _never
        if wanted is None:
            any_test, any_part = test, part
            test += 1
        elif wanted(parts[part]):
            part, test = part + 1, test + 1
        elif any_test >= 0:
            any_part += 1
            part, test = any_part, any_test + 1
        else:
            return False
    return all(wanted is None for wanted in tests[test:])


def _never(_: str) -> bool:
    return False


def _always(_: str) -> bool:
    return True


def _part_test(wanted: str, *, literal: bool, fold: bool) -> Callable[[str], bool]:
    """A test whether a text without structure equals a value, or fits its glob."""
    if fold:
        wanted = wanted.casefold()
    if literal or not _WILD.search(wanted):
        return (lambda text: text.casefold() == wanted) if fold else wanted.__eq__
    # The pattern made of a glob does not go back once a wildcard has found its place: many of them cost little.
    fits = re.compile(fnmatch.translate(wanted)).match
    return (lambda text: fits(text.casefold()) is not None) if fold else (lambda text: fits(text) is not None)


def _pattern(wanted: str) -> Callable[[str], bool]:
    return compile_pattern(wanted, ignore_case=not _has_capital(_ESCAPED.sub("", wanted))).search


def _has_capital(text: str) -> bool:
    return any(map(str.isupper, text))


_REDACTED = frozenset({"hidden-value"})
_HIDDEN = frozenset({"disguised", "hidden-chars", "hidden-length"})


class CallFacts:
    """The facts about a call, worked out on demand.

    Args:
        description: The agent's description.
        snapshot: The declared effects, as stored, or None.
        cwd: Its working directory.
        presentation: The presentation that the tool sent, or None.
        other: More texts to search.
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
        if not self._steps and (shown := sent_command(self._presentation)) is not None:
            commands.append(shown)
        return Texts(commands)

    @cached_property
    def kinds(self) -> frozenset[PresentationKind]:
        """The kinds of its effects."""
        if self._steps:
            return frozenset(map(step_kind, self._steps))
        return frozenset({undeclared_kind(self._presentation)})

    @cached_property
    def words(self) -> Texts:
        """All texts about it: description, paths, commands."""
        return Texts((self._description, *(file.shown for file in self.files), *self.commands.items, *self._other))

    @cached_property
    def _steps(self) -> Sequence[Step]:
        try:
            return steps_of(self._snapshot)
        except SnapshotError:  # a damaged snapshot declares nothing, here as in the lists
            return ()


class ScreenFacts(Struct, frozen=True):
    """The facts about a listed request that only the screen knows.

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
    """One thing that a filter keeps or not. A missing fact fits no value.

    Attributes:
        filtered: The kind of thing.
        agent: Name of its agent.
        session: Session of its agent.
        tool: Name of the tool.
        at: Time at which it was asked, ended or given, microseconds since the epoch.
        call: The facts about the call.
        marks: The words of ``is`` that hold.
        group: Group of the request.
        batch: Batch of the request.
        risk: Risk of the call.
        why: Reasons of the risk, and the rule that asked.
        state: State of the request.
        decision: The decision, if one was taken.
        source: The kind of the decider.
        by: The name of the decider.
        said: The reviewer's words.
        reason: The reason of an end without decision.
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
    """Return a record of the history as a subject."""
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
    """Return a request of the inbox as a subject.

    Args:
        request: The request.
        screen: The facts that only the screen knows.
        call: `Subject.call` of an earlier subject of the same revision, so that it is not worked out again.
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
    """A call that waits or ended as a subject; arguments as the attributes of `Subject`."""
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
    """Return a remembered approval as a subject."""
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
    """The percentage as lists show it: 100 is all of it, never nearly all."""
    return None if shown is None else int(shown * 100)


def _said(decision: Decision | None) -> Texts | None:
    return None if decision is None or not decision.note else Texts((decision.note,))
