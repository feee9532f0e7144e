"""The real screen on a real queue: agents that ask, keys that are pressed, frames that are read."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.segment import Segment
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from signoff import ApprovalContext, ApprovalRequest, Command, FileWrite, connect_agent
from signoff.queue import (
    AgentQueue,
    ChangeSet,
    DecideResult,
    Decision,
    QueueUnavailableError,
    ReviewQueue,
    StoredRequest,
    open_review_queue,
)
from signoff.queue.clock import SECOND, now_us
from signoff.queue.sqlite import engine
from signoff.submission import plain_submission, submission_with_snapshot
from signoff_tui.app import SignoffApp
from signoff_tui.guard import GuardSettings
from signoff_tui.input.actions import actions_on
from signoff_tui.notify.mutes import MuteFile
from signoff_tui.screens.plain import PlainScreen
from signoff_tui.settings.resolve import Personal, ResolvedSettings
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.persistence import ListStates
from signoff_tui.state.read_marks import ReadMarks
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.bars import LastWords

PATIENCE = 30.0
"""Seconds after which a test gives up on something that should come at once."""

SMALL, LARGE = (80, 24), (120, 40)
"""One thing at a time, and list and content side by side."""

_ARMS = ("moved", "advanced", "arrived", "changed", "focus", "high", "sheet")
_SOONEST = {f"arm_{cause}": 0.15 for cause in _ARMS}
UNHURRIED = {
    "quiet_before": 0.0,
    "repeat_gap": 0.0,
    "hasty_text": 0.0,
    "hasty_enter": 0.0,
    "paste_gap": 0.0,
    "dwell": 0.02,
    "late": 30.0,
}

QUICK = GuardSettings(**_SOONEST, **UNHURRIED, hold=0.0, typing_lock=False)
"""The shortest times that are legal, for tests that are not about time: decisions are sent at once."""

HELD = GuardSettings(**_SOONEST, **UNHURRIED, hold=30.0, typing_lock=False)
"""The same, but a decision is held until the test takes it back or sends it."""


# -- asking ------------------------------------------------------------------------------------------------


@contextmanager
def agent(place: Path, name: str = "refactor", *, session: str = "s-41", cwd: Path) -> Iterator[AgentQueue]:
    """An agent that is connected to the queue."""
    with connect_agent(name, session=session, place=place, cwd=str(cwd)) as queue:
        yield queue


def post(queue: AgentQueue, request: ApprovalRequest, **metadata: Any) -> StoredRequest:
    """Post a request as the controller does, without waiting for an answer."""
    return queue.submit(_submission(queue, request, metadata))


def amend(queue: AgentQueue, posted: StoredRequest, request: ApprovalRequest) -> StoredRequest:
    """Put a new revision in place of a request."""
    return queue.amend(posted.id, _submission(queue, request, {}))


def _submission(queue: AgentQueue, request: ApprovalRequest, metadata: Mapping[str, Any]) -> Any:
    context = ApprovalContext(
        tool_name=request.tool_name,
        args=dict(request.payload),
        metadata=dict(metadata),
        honors=request.honors,
        check_edited=lambda arguments: None,
    )
    plain = plain_submission(request, context, cwd=queue.agent.cwd)
    return submission_with_snapshot(request, plain)[0]


def write(path: Path, content: str | bytes, **options: Any) -> ApprovalRequest:
    """A file to write."""
    arguments = {"path": str(path), "content": content if isinstance(content, str) else "(bytes)"}
    return ApprovalRequest(
        tool_name=options.pop("tool_name", "write_file"),
        description=f"Write {path.name}",
        payload=options.pop("payload", {"path": str(path)}),
        arguments=arguments,
        effects=(FileWrite(str(path), content),),
        **options,
    )


def command(text: str, cwd: Path, **options: Any) -> ApprovalRequest:
    """A command to run."""
    return ApprovalRequest(
        tool_name=options.pop("tool_name", "shell"),
        description=f"Run {text}",
        payload={"command": text},
        effects=(Command(text, str(cwd)),),
        **options,
    )


def call(description: str = "Create an issue", **options: Any) -> ApprovalRequest:
    """A call that declares no effects."""
    payload = options.pop("payload", {"title": "Crash on save"})
    return ApprovalRequest(
        tool_name=options.pop("tool_name", "create_issue"), description=description, payload=payload, **options
    )


def lines(count: int, word: str = "line") -> str:
    """A text of numbered lines."""
    return "".join(f"{word} {number}\n" for number in range(1, count + 1))


# -- looking and pressing ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Screen:
    """A running app, with what a person and a test want of it."""

    app: SignoffApp
    pilot: Pilot[None]

    @property
    def desk(self) -> ReviewSession:
        return self.app.review.desk

    @property
    def rows(self) -> list[list[Segment]]:
        """What is drawn, row by row, before the last net."""
        return [list(strip) for strip in self.app.screen._compositor.render_strips()]

    @property
    def frame(self) -> list[str]:
        """What is drawn, as text."""
        return ["".join(segment.text for segment in row) for row in self.rows]

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.frame)

    def line(self, fragment: str) -> str:
        """The first row that contains a fragment."""
        found = next((line for line in self.frame if fragment in line), None)
        assert found is not None, f"no row contains {fragment!r}:\n{self.text}"
        return found

    @property
    def keys(self) -> str:
        """The row of keys."""
        return self.frame[-1]

    @property
    def special(self) -> str:
        """The row above the keys."""
        return self.frame[-2]

    @property
    def status(self) -> str:
        """The guard's word for how the target stands."""
        return self.desk.guard.status(time.monotonic()).word

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for a condition; the frame is in the error when it never comes."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self._still_runs()
            if time.monotonic() > deadline:
                raise AssertionError(f"{what or 'it'} never happened:\n{self.text}")
            await asyncio.sleep(0.01)

    async def shows(self, *fragments: str) -> None:
        """Wait until the frame holds all of these."""

        def shown() -> bool:
            text = self.text  # drawing it takes a while
            return all(fragment in text for fragment in fragments)

        await self.until(shown, f"{fragments}")

    async def shows_no(self, fragment: str) -> None:
        """Wait until the frame does not hold this any more."""
        await self.until(lambda: fragment not in self.text, f"the end of {fragment!r}")

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, and wait until all parts of the screen did what that asked of them.

        A key alone that came while a slow machine was painting is pressed again, as a person would.
        The pilot sends a message through every widget to learn that: a tenth of what all these tests cost.
        """
        if keys:
            await self.app._press_keys(keys)
            await self.until(self._is_done, "the end of what the keys set off")
            self._still_runs()
        end = time.monotonic() + PATIENCE
        while len(keys) == 1 and self._catches_up() and time.monotonic() < end:
            await self.rests()
            await self.app._press_keys(keys)
            await self.until(self._is_done, "the end of what the key set off")

    def _catches_up(self) -> bool:
        """Whether the review has just refused a key because what it is about was not painted yet."""
        said = getattr(self.app.screen, "_said", None) if self.app.screen_stack else None
        return isinstance(said, LastWords) and said.text.endswith("the screen is catching up")

    def _still_runs(self) -> None:
        """Fail at once if the app has crashed: whoever presses until something is shown would do so for ever."""
        assert self.app._exception is None, f"the app crashed: {self.app._exception!r}"

    def _is_done(self) -> bool:
        """Whether no part has a message left, or is at work on one."""
        if self.app._exit or self.app._exception is not None or not self.app.screen_stack:
            return True  # it ends
        parts = [self.app, *self.app.screen.walk_children(with_self=True)]
        queues = [part._message_queue for part in parts if not part._closing]
        return all(queue.empty() and queue.ready_event._waiters for queue in queues)

    def chooses(self, name: str) -> None:
        """Do an action that has no key, as the palette does."""
        screen = self.app.screen
        place = screen.place if isinstance(screen, PlainScreen) else "review"
        screen.perform(next(action for action in actions_on(place) if action.name == name))  # type: ignore[attr-defined]

    async def works(self, key: str) -> None:
        """Wait until a key of the bottom rows stands out, because it does something now."""
        await self.until(lambda: any(map(_stands_out(key), (part for row in self.rows[-6:] for part in row))), key)

    async def types(self, text: str) -> None:
        """Type text."""
        await self.press(*("space" if letter == " " else letter for letter in text))

    def sends(self, text: str) -> None:
        """Have a terminal send all keys of a text at once, and wait for nothing."""
        driver = self.app._driver
        assert driver is not None
        for event in XTermParser().feed(text):
            driver.process_message(event)

    async def rests(self) -> None:
        """Wait until the next key cannot be taken for the same word as the last one."""
        rested = time.monotonic() + self.desk.settings.quiet_before + 0.05
        await self.until(lambda: time.monotonic() > rested)

    async def armed(self) -> None:
        """Wait until the keys act on the target."""
        await self.until(lambda: self.status == "armed", "armed")

    @property
    def armed_at(self) -> float | None:
        """From when on the keys act on the target; None until it is painted."""
        return self.desk.guard._one.armed_at

    async def armed_anew(self, before: float | None) -> None:
        """Wait until the keys act on the target because of a later paint than the one of before."""
        await self.until(lambda: self.armed_at not in (None, before), "another paint of the target")
        await self.armed()

    async def decides(self, key: str) -> None:
        """Press a decision key, and again if it came too early for what was only just painted."""
        await self.press(key)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if re.search(r"not: .*new since you looked", self.text):
                await self.press("escape")
                await self.group_armed()
            elif "too early: look, press again" not in self.text:
                return
            await self.rests()
            await self.press(key)

    async def group_armed(self) -> None:
        """Wait until capitals act on the group, or on what is tagged, as it is named now."""
        await self.until(self._is_named, "a group that is named for long enough")
        await self._armed(lambda: self.desk.guard._set.armed_at, "an armed group")

    def _is_named(self) -> bool:
        """Whether a rejection would reach all that is waiting of the group."""
        guard, target = self.desk.guard, self.desk.guard.target
        return target is None or target.rest <= guard._rest.named_since(
            time.monotonic() - guard.settings.arm_moved
        )

    async def offer_armed(self) -> None:
        """Wait until the bar that offers it takes ``!``."""

        def armed_at() -> float | None:
            bar = self.desk.guard._bar
            return None if bar is None else bar.armed_at

        await self._armed(armed_at, "an armed offer")

    async def sheet_armed(self) -> None:
        """Wait until the open sheet takes its key."""

        def armed_at() -> float | None:
            status = self.desk.guard.status(time.monotonic())
            return status.changes_at if status.word == "sheet" else None

        await self._armed(armed_at, "an armed sheet")

    async def _armed(self, armed_at: Callable[[], float | None], what: str) -> None:
        await self.until(lambda: (at := armed_at()) is not None and at <= time.monotonic(), what)

    async def goes_to(self, request: StoredRequest) -> None:
        """Put the cursor on a request with row keys."""
        await self.until(lambda: request.id in self.desk.inbox, "the request on the screen")
        if self.focus == request.id:
            return
        await self.goes_to_row(RowKey("request", request.id))

    async def goes_to_row(self, key: RowKey) -> None:
        """Put the cursor on a row with row keys."""
        inbox = self.desk.inbox
        for _ in range(3):  # rows that ended fold away on the way
            goal, here = inbox.row_index(key), inbox.row_index(inbox.cursor)
            assert goal is not None
            assert here is not None
            await self.press(*(["j"] * (goal - here) or ["k"] * (here - goal)))
            if inbox.cursor == key:
                return
        assert inbox.cursor == key

    async def goes_to_group(self) -> None:
        """Put the cursor on the heading of the first group."""
        inbox = self.desk.inbox
        await self.until(lambda: any(row.key.kind == "group" for row in inbox.rows()), "a group")
        await self.goes_to_row(next(row.key for row in inbox.rows() if row.key.kind == "group"))

    async def opens(self, request: StoredRequest) -> None:
        """Go to a request, and have its content on the screen."""
        if self.app.review.reading and self.focus != request.id:
            await self.press("escape")
        await self.goes_to(request)
        if not self.app.review.content_visible:
            await self.press("enter")

    async def reads(self, request: StoredRequest) -> None:
        """Go to a request, open it where that is needed, and page until all of it was shown."""
        await self.opens(request)
        entry = self.entry(request)
        while not self.is_read(entry):
            await self.until(lambda: self.has_settled(entry), "settled lines")
            if not self.is_read(entry):
                await self.press("space")
        await self.armed()

    async def reads_if_possible(self, request: StoredRequest) -> None:
        """Go to a request, open it where that is needed, and page until no line is missing."""
        await self.opens(request)
        entry = self.entry(request)
        while True:
            await self.until(lambda: self.has_settled(entry), "settled lines")
            coverage = self.desk.coverage(entry)
            if coverage is not None and not coverage.missing:
                return
            await self.press("space")

    async def page_settled(self) -> None:
        """Wait until the page goes on below the screen, and all that is on the screen was counted."""
        review, desk = self.app.review, self.desk

        def goes_on() -> bool:
            page = review.contents.page
            return page is not None and (page.complete or review.document.rest.more)

        await self.until(goes_on, "a page")
        await self.until(lambda: review.document.drawn and desk.coverages._visible, "a painted page")
        await self.until(lambda: review.document.drawn and desk.coverages.settles_at is None, "settled lines")

    async def reads_group(self) -> None:
        """Press Space until all of the group under the cursor was shown."""
        group = self.desk.inbox.focused_group()
        assert group is not None
        entries = [self.desk.inbox.entry(id_) for id_ in group.members]
        while not all(map(self.is_read, entries)):
            if self.app.review.content_visible:
                await self.page_settled()
            if not all(map(self.is_read, entries)):
                await self.press("space")

    def has_settled(self, entry: Entry) -> bool:
        """Whether all that is on the screen of a request was counted; before that, Space may go too far."""
        coverage = self.desk.coverage(entry)
        return coverage is not None and bool(coverage._painted) and self.desk.coverages.settles_at is None

    def is_read(self, entry: Entry) -> bool:
        coverage = self.desk.coverage(entry)
        return coverage is not None and coverage.complete

    def entry(self, request: StoredRequest) -> Entry:
        """What the screen knows of a request."""
        return self.desk.inbox.entry(request.id)

    @property
    def focus(self) -> str | None:
        """Id of what the cursor is on."""
        cursor = self.desk.inbox.cursor
        return None if cursor is None else cursor.id


@asynccontextmanager
async def screen(
    place: Path,
    *,
    size: tuple[int, int] = SMALL,
    settings: GuardSettings = QUICK,
    reviewer: str = "you",
    theme: str | None = "signoff-dark",
    ascii_only: bool = False,
    read_only: bool = False,
    waiting: int | None = None,
    wall_clock: Callable[[], int] | None = None,
    queue: ReviewQueue | None = None,
    personal: Personal | None = None,
    chosen: ResolvedSettings | None = None,
    asks_for_theme: bool = False,
    list_states: ListStates | None = None,
    mute_file: MuteFile | None = None,
    read_marks: ReadMarks | None = None,
) -> AsyncIterator[Screen]:
    """The screen on a queue, in a terminal of some size.

    Args:
        place: Where the queue is.
        size: Columns and rows.
        settings: Times of the guard.
        reviewer: Who decides.
        theme: Name of a theme.
        ascii_only: Draw with ASCII characters only.
        read_only: Look only.
        waiting: How many requests must be listed before the test goes on.
        wall_clock: The times that people read; none for the clock of the queue.
        queue: An open connection to use, instead of a new one.
        personal: Where settings come from that are followed.
        chosen: What the person chose otherwise.
        asks_for_theme: Ask for a theme first.
        list_states: Where it is kept how the list is left.
        mute_file: Where it is kept what is muted.
        read_marks: Where it is kept what was shown.
    """
    app = SignoffApp(
        queue or open_review_queue(place, reviewer=reviewer),
        place="default",
        theme=theme,
        settings=replace(settings, late=max(settings.late, UNHURRIED["late"])),  # however busy the machine is
        ascii_only=ascii_only,
        read_only=read_only,
        wall_clock=wall_clock,
        chosen=chosen if personal is None else personal.choose(),
        personal=personal,
        asks_for_theme=asks_for_theme,
        list_states=list_states,
        mute_file=mute_file,
        read_marks=read_marks,
    )
    async with app.run_test(size=size) as pilot:
        seen = Screen(app, pilot)
        if waiting is not None:
            await seen.until(lambda: len(list(seen.desk.inbox.entries())) == waiting, f"{waiting} requests")
            await seen.until(lambda: not app.review.contents.patience.waits, "a picture of them")
        await seen.until(lambda: "signoff" in seen.frame[0] or "waiting" in seen.frame[0], "a first frame")
        yield seen


def _stands_out(key: str) -> Callable[[Segment], bool]:
    return lambda part: part.text == key and part.style is not None and bool(part.style.bold)


@contextmanager
def time_passes(seconds: float) -> Iterator[None]:
    """Move the queue's clock on, so that no deadline passes before the request is on the screen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "now_us", lambda: now_us() + round(seconds * SECOND))
        yield


class Cable:
    """A connection to a real queue that can be pulled out and plugged in again."""

    def __init__(self, place: Path, reviewer: str = "you") -> None:
        self._queue = open_review_queue(place, reviewer=reviewer)
        self.pulled = False
        self.takes_decisions = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def decide(self, request_id: str, revision: int, digest: str, decision: Decision) -> DecideResult:
        if self.pulled or not self.takes_decisions:
            raise QueueUnavailableError("the cable was pulled")
        return self._queue.decide(request_id, revision, digest, decision)

    async def watch(self, cursor: int = 0) -> AsyncIterator[ChangeSet]:
        first = True
        while True:
            if self.pulled:
                raise QueueUnavailableError("the cable was pulled")
            found = await asyncio.to_thread(self._queue.changes, cursor)
            if found.changes or first:
                yield found
            cursor, first = found.cursor, False
            await asyncio.sleep(0.05)


def ids(requests: Sequence[StoredRequest]) -> list[str]:
    """Ids of requests."""
    return [request.id for request in requests]
