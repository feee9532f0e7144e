"""Reads lines from a terminal while the queue is watched, and prints what there is to say."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.cli.ask_wait import Stopped, stoppable
from signoff.cli.exit_codes import ExitCode
from signoff.cli.output import complain, width_of
from signoff.cli.plain.session import PlainSession, PlainSettings
from signoff.queue.errors import QueueAwayError, QueueError, QueueGoneError, ReviewerKeysError

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import ChangeSet

__all__ = ["run_plain"]

_RETRY_SECONDS = 1.0
"""Between two looks whether there is a queue again."""

_GREETING = "signoff, line by line; help lists the commands\n"


@dataclass(frozen=True, slots=True)
class _Typed:
    line: str


@dataclass(frozen=True, slots=True)
class _InputEnded:
    """Nobody types any more, or the queue cannot be used."""

    error: QueueError | None = None


@dataclass(frozen=True, slots=True)
class _Gone:
    """The queue was removed or replaced, or its server is away; the next change is one of a queue opened anew."""

    why: str


def run_plain(queue: ReviewQueue, plain_settings: PlainSettings) -> int:
    """Review line by line until the person quits.

    Args:
        queue: An open review connection.
        plain_settings: The settings.

    Returns:
        The exit code.
    """
    talk = _Talk(queue, plain_settings)
    try:
        with stoppable():
            return asyncio.run(talk.run())
    except Stopped as stopped:
        return stopped.exit_code
    finally:
        with contextlib.suppress(OSError):  # the terminal may be what went away
            talk.leave()


class _Talk:
    def __init__(self, queue: ReviewQueue, plain_settings: PlainSettings) -> None:
        self._queue = queue
        self._plain_settings = plain_settings
        self._desk = self._new_desk()
        self._gone = False
        self._history_loss = ""
        self._events: asyncio.Queue[_Typed | _InputEnded | _Gone | ChangeSet] = asyncio.Queue()
        self._typed = b""

    async def run(self) -> int:
        _print(_GREETING)
        await self._tell_history_loss()
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        following = asyncio.create_task(self._follow())
        try:
            return await self._answer_all()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following

    def leave(self) -> None:
        """Say what is taken back because the person leaves, or the queue is gone."""
        _print(self._desk.leave())

    def _new_desk(self) -> PlainSession:
        return PlainSession(
            self._queue,
            self._plain_settings,
            time.monotonic,
            lambda: self._queue.now,
            width_of(sys.stdout),
        )

    async def _answer_all(self) -> int:
        while True:
            match await self._next():
                case None:
                    _print(await asyncio.to_thread(self._desk.due))
                case _InputEnded(error):
                    if error is None:
                        return ExitCode.OK
                    complain(f"the queue is lost, nothing more is decided: {error}")
                    return error.exit_code
                case _Gone(why):
                    complain(f"{why}; nothing is decided until there is a queue again")
                    self.leave()
                    self._gone, self._desk = True, self._new_desk()
                case _Typed(line) if self._gone:
                    if line.strip() in ("q", "quit", "exit"):
                        return ExitCode.OK
                    _print("there is no queue: nothing was done\n")
                case _Typed(line):
                    if await self._do(line):
                        return ExitCode.OK
                case changes:
                    if self._gone:
                        self._gone = False
                        _print("the queue was opened again, with other numbers: read anew what waits\n")
                    _print(self._desk.news(changes))
                    await self._tell_history_loss()

    async def _tell_history_loss(self) -> None:
        """Note the newest record of the history beside the keys; say once if what was noted is gone."""
        try:
            loss = await asyncio.to_thread(self._queue.recall_history)
        except ReviewerKeysError as error:
            loss = f"the history cannot be compared with what you had seen: {error}"
        except QueueError:  # whoever follows the queue says so
            return
        if loss not in ("", self._history_loss):
            complain(f"HISTORY CUT: {loss}")
        self._history_loss = loss

    async def _next(self) -> _Typed | _InputEnded | _Gone | ChangeSet | None:
        """The next event; None when something held is due."""
        due = self._desk.next_due()
        left = None if due is None else max(0.0, due - time.monotonic())
        try:
            return await asyncio.wait_for(self._events.get(), left)
        except TimeoutError:
            return None

    async def _do(self, line: str) -> bool:
        answer = await asyncio.to_thread(self._desk.line, line)
        _print(answer.text)
        if answer.drop_typed:
            self._drop_typed()
        return answer.quit

    def _read(self) -> None:
        read = os.read(sys.stdin.fileno(), 65_536)
        if not read:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._events.put_nowait(_InputEnded())
            return
        *lines, self._typed = (self._typed + read).split(b"\n")
        for line in lines:
            self._events.put_nowait(_Typed(line.decode("utf-8", "replace")))

    def _drop_typed(self) -> None:
        """Drop what was typed before the text was there."""
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
        self._typed = b""
        kept = []
        while not self._events.empty():
            event = self._events.get_nowait()
            if not isinstance(event, _Typed):
                kept.append(event)
        for event in kept:
            self._events.put_nowait(event)

    async def _follow(self) -> None:
        away = False
        while True:
            try:
                async for changes in self._queue.watch():
                    away = False
                    self._events.put_nowait(changes)
            except QueueAwayError as error:
                if not away:
                    self._events.put_nowait(_Gone(str(error)))
                away = True
                await asyncio.sleep(_RETRY_SECONDS)
            except QueueGoneError as error:
                self._events.put_nowait(_Gone(str(error)))
                await self._opened_again()
            except QueueError as error:
                self._events.put_nowait(_InputEnded(error))
                return

    async def _opened_again(self) -> None:
        """Return when there is a queue again."""
        while True:
            await asyncio.sleep(_RETRY_SECONDS)
            with contextlib.suppress(QueueError):
                await asyncio.to_thread(self._queue.reopen)
                return


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
