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

from signoff.cli.ask_waiting import Stopped, stoppable
from signoff.cli.exit_codes import ExitCode
from signoff.cli.output import complain
from signoff.cli.page import width_of
from signoff.cli.plain.desk import Desk, Manners
from signoff.queue.errors import QueueError

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import ChangeSet

__all__ = ["run_plain"]

_GREETING = "signoff, line by line; help lists the commands\n"


@dataclass(frozen=True, slots=True)
class _Typed:
    line: str


@dataclass(frozen=True, slots=True)
class _Ended:
    """Nobody types any more, or the queue is gone."""

    error: QueueError | None = None


def run_plain(queue: ReviewQueue, manners: Manners) -> int:
    """Review line by line until the person quits.

    Args:
        queue: An open review connection.
        manners: How careful it is.

    Returns:
        The exit code.
    """
    desk = Desk(queue, manners, time.monotonic, lambda: time.time_ns() // 1_000, width_of(sys.stdout))
    try:
        with stoppable():
            return asyncio.run(_Talk(queue, desk).run())
    except Stopped as stopped:
        return stopped.exit_code
    finally:
        with contextlib.suppress(OSError):  # the terminal may be what went away
            _print(desk.leave())


class _Talk:
    def __init__(self, queue: ReviewQueue, desk: Desk) -> None:
        self._queue = queue
        self._desk = desk
        self._events: asyncio.Queue[_Typed | _Ended | ChangeSet] = asyncio.Queue()
        self._typed = b""

    async def run(self) -> int:
        _print(_GREETING)
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

    async def _answer_all(self) -> int:
        while True:
            match await self._next():
                case None:
                    _print(await asyncio.to_thread(self._desk.due))
                case _Ended(error):
                    if error is None:
                        return ExitCode.OK
                    complain(f"the queue is lost, nothing more is decided: {error}")
                    return error.exit_code
                case _Typed(line):
                    if await self._do(line):
                        return ExitCode.OK
                case changes:
                    _print(self._desk.news(changes))

    async def _next(self) -> _Typed | _Ended | ChangeSet | None:
        """What happens next; None when something held is due."""
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
            self._events.put_nowait(_Ended())
            return
        *lines, self._typed = (self._typed + read).split(b"\n")
        for line in lines:
            self._events.put_nowait(_Typed(line.decode("utf-8", "replace")))

    def _drop_typed(self) -> None:
        """What was typed before the text was there is no answer to it."""
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
        try:
            async for changes in self._queue.watch():
                self._events.put_nowait(changes)
        except QueueError as error:
            self._events.put_nowait(_Ended(error))


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
