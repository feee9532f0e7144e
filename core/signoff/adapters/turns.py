"""Calls that change the same file take turns, in event loops and in threads.

A model may ask for several edits of one file in one turn. Asked together and approved together, each would be
shown against a content that the others are about to change. So the next is asked only when the one before has run,
and is shown against its result.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence, Set
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from weakref import WeakValueDictionary

from signoff.effects import Command, Effect

__all__ = [
    "taking_turns",
    "taking_turns_in_threads",
]


# A lock belongs to one event loop, so the loop is part of its key; an entry goes with its last user.
_locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

_held: ContextVar[frozenset[str]] = ContextVar("signoff_files_in_turn", default=frozenset())
"""Files that an enclosing call holds: a call that it starts must not wait for them."""


def taking_turns(effects: Sequence[Effect]) -> AbstractAsyncContextManager[None]:
    """Wait until no other call uses the same files, and hold them for the body."""
    files = {effect.path for effect in effects if not isinstance(effect, Command)}
    return _turns(files) if files else nullcontext()


@asynccontextmanager
async def _turns(files: Set[str]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for file in sorted(files - _held.get()):  # always in the same order: no two wait for each other
            await stack.enter_async_context(_lock(file))
        token = _held.set(_held.get() | files)
        try:
            yield
        finally:
            _held.reset(token)


def _lock(file: str) -> asyncio.Lock:
    key = (id(asyncio.get_running_loop()), file)
    lock = _locks.get(key)
    if lock is None:
        lock = _locks[key] = asyncio.Lock()
    return lock


# -- The same for agents that run their calls in threads.
#
# `signoff.adapters.turns` has the reason, and does it for calls in one event loop.

_thread_locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_finding = threading.Lock()

_held_by_thread: ContextVar[frozenset[str]] = ContextVar("signoff_files_in_turn_of_thread", default=frozenset())
"""Files that an enclosing call holds: a call that it starts must not wait for them."""


@contextmanager
def taking_turns_in_threads(effects: Sequence[Effect]) -> Iterator[None]:
    """Wait until no other thread uses the same files, and hold them for the body."""
    files = {effect.path for effect in effects if not isinstance(effect, Command)}
    with ExitStack() as stack:
        for file in sorted(files - _held_by_thread.get()):  # always in the same order: no two wait for each other
            stack.enter_context(_thread_lock(file))
        token = _held_by_thread.set(_held_by_thread.get() | files)
        try:
            yield
        finally:
            _held_by_thread.reset(token)


def _thread_lock(file: str) -> threading.Lock:
    with _finding:
        lock = _thread_locks.get(file)
        if lock is None:
            lock = _thread_locks[file] = threading.Lock()
        return lock
