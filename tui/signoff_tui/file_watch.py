"""Notice of changed files, by the `watchfiles` library.

The directories are watched, not the files: an editor replaces the file when it saves. The library gathers the
events outside of Python, and a timer of the event loop fetches them. A thread that waits for events would look as
often, and the program could end only after its next look. Where the system has no watch left to give, which other
programs of the same user may cause, a change is told every few seconds, whether there was one or not. The library
could look at the files itself then, but it sees no change within a second of the one before.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain, takewhile
from pathlib import Path

__all__ = ["FileWatch"]

FETCH_SECONDS = 1.0
"""The time between two fetches of events: an idle screen wakes up for each."""

_MOST_TRIES = 3
"""Beginnings to watch; directories that come and go all the time must not keep it busy."""

_AT_ONCE = 1
"""The duration of a fetch in milliseconds, the shortest possible."""

_UNWATCHED_SECONDS = 2.0
"""The time after which files may have changed, where the system reports nothing."""


class FileWatch:
    """Calls a function after files have changed, come or gone; files that cannot be watched are ignored.

    Args:
        changed: Called in the event loop that was running when `start` was called. Files may also be unchanged.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._looks: Generator[bool] | None = None
        self._next_look: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin; call it in the event loop."""
        self._loop = asyncio.get_running_loop()

    def watch(self, files: Iterable[Path], folders: Iterable[Path] = ()) -> None:
        """Watch these files and folders from now on, and no others.

        Resolving a path may take long on a drive that does not answer, so it may also be called in a thread.
        Look at the files afterwards: changes while it runs may be missed.

        Args:
            files: Files that need not be there yet, nor their directories.
            folders: Folders of which every file counts; they need not be there yet either.
        """
        loop = self._loop
        if loop is None:
            return
        looks = _begun(list(files), list(folders))
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(self._use, looks)

    def stop(self) -> None:
        """Stop; no more changes are reported."""
        self._loop = None
        if self._next_look is not None:
            self._next_look.cancel()
        if self._looks is not None:
            self._looks.close()

    def _use(self, looks: Generator[bool]) -> None:
        if self._loop is None:
            looks.close()
            return
        if self._looks is not None:
            self._looks.close()
        self._looks = looks
        if self._next_look is None:
            self._next_look = self._loop.call_later(FETCH_SECONDS, self._look)

    def _look(self) -> None:
        self._next_look = None
        if self._loop is None or self._looks is None:
            return
        try:
            told = next(self._looks)
        except RuntimeError:  # such as for a name that is not UTF-8: `watch` has to be called again
            self._looks, told = None, True
        else:
            self._next_look = self._loop.call_later(FETCH_SECONDS, self._look)
        if told:
            self._changed()


def _begun(files: Sequence[Path], folders: Sequence[Path]) -> Generator[bool]:
    """Begin to watch; a directory that came while it began is watched itself."""
    left = _MOST_TRIES
    while True:
        places = _watched(files, folders)
        looks = _looks(*places)
        try:
            next(looks)
        except (OSError, RuntimeError):  # the system has no watch left, or a directory has gone
            return _unwatched_looks()
        left -= 1
        if not left or places == _watched(files, folders):
            return looks
        looks.close()


def _watched(files: Sequence[Path], folders: Sequence[Path]) -> tuple[dict[str, str], set[str]]:
    """The paths to wait for, each with the directory to watch; and the folders of which every file counts."""
    parent_of = dict(chain.from_iterable(map(_places, chain(files, folders))))
    return parent_of, set(filter(None, map(_watchable, folders)))


def _looks(parent_of: Mapping[str, str], whole: Set[str]) -> Generator[bool]:
    """Watch, and yield at each look whether something happened since the last one."""
    from watchfiles import watch  # not needed for the first picture

    for changes in watch(
        *{*parent_of.values(), *whole},
        watch_filter=None,  # a filter would not return while other files go on changing
        debounce=_AT_ONCE,
        step=_AT_ONCE,
        rust_timeout=_AT_ONCE,
        yield_on_timeout=True,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=False,  # it would hide that no watch is left, too
    ):
        yield any(path in parent_of or str(Path(path).parent) in whole for _, path in changes)


def _unwatched_looks() -> Generator[bool]:
    """Yield True once in a while: who is told tries to watch again."""
    while True:
        end = time.monotonic() + _UNWATCHED_SECONDS
        while time.monotonic() < end:
            yield False
        yield True


def _places(path: Path) -> Iterator[tuple[str, str]]:
    """Each path to wait for, also the target of a link, and the directory to watch for it.

    For a directory that does not exist, the one above is watched.
    """
    try:
        ends = {path, Path(os.path.realpath(path))}
    except ValueError:  # no file can have that name
        return
    for end in ends:
        # From the root on, as far as there are directories: an agent may name thousands that are not there.
        there = [*takewhile(os.path.isdir, reversed(end.parents))]
        for parent in reversed(there):
            folder = _watchable(parent)
            if folder is not None:
                yield str(Path(folder, end.parts[len(parent.parts)])), folder
                break


def _watchable(folder: Path) -> str | None:
    """The real path of a directory that can be watched; None if it cannot be. It may take long."""
    try:
        real = os.path.realpath(folder)
        real.encode()  # the library takes no other names
        # The library would keep all threads waiting for a drive that does not answer: this thread waits before.
        return real if os.access(f"{real}/.", os.R_OK) else None
    except ValueError:
        return None
