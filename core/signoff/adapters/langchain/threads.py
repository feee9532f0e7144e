"""Calls that change the same file take turns, for agents that run their calls in threads.

`signoff.adapters.turns` says why, and does the same for calls in one event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from weakref import WeakValueDictionary

from signoff.effects import Command, Effect

__all__ = ["taking_turns_in_threads"]

_locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_finding = threading.Lock()

_held: ContextVar[frozenset[str]] = ContextVar("signoff_files_in_turn_of_thread", default=frozenset())
"""Files whose turn an enclosing call has: what that call starts must not wait for it."""


@contextmanager
def taking_turns_in_threads(effects: Sequence[Effect]) -> Iterator[None]:
    """Wait until no other thread is on its way to the same files, and keep them for the body."""
    files = {effect.path for effect in effects if not isinstance(effect, Command)}
    with ExitStack() as stack:
        for file in sorted(files - _held.get()):  # always in the same order: no two wait for each other
            stack.enter_context(_lock(file))
        token = _held.set(_held.get() | files)
        try:
            yield
        finally:
            _held.reset(token)


def _lock(file: str) -> threading.Lock:
    with _finding:
        lock = _locks.get(file)
        if lock is None:
            lock = _locks[file] = threading.Lock()
        return lock
