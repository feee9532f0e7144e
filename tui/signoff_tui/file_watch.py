"""Being told by the kernel when files change, without ever looking: inotify of Linux.

The directories are watched, not the files: an editor that saves puts another file in the place of the old one.
The usual package for this (watchfiles) wakes up twenty times a second to look whether something happened; a screen
that stays open all day should cost nothing.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["FileWatch"]

GATHER_SECONDS = 0.1
"""What happens this close together is told once: saving takes several steps."""

# See inotify(7) and <sys/inotify.h>.
_MODIFY, _CLOSE_WRITE = 0x2, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_ANY_CHANGE = _MODIFY | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_OVERFLOW = 0x4000
_HEAD = struct.Struct("iIII")
_READ_BYTES = 65_536


class FileWatch:
    """Calls a function after files have changed, come or gone.

    Where there is no inotify, or no more of it can be had, nothing is ever told; `works` says so.

    Args:
        changed: Called in the event loop that was running when `start` was called.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._file = -1
        self._closing = threading.Lock()
        self._names: dict[int, set[str] | None] = {}
        self._told_soon: asyncio.TimerHandle | None = None

    @property
    def works(self) -> bool:
        """Whether changes will be told."""
        return self._file >= 0

    def start(self) -> None:
        """Begin; call it in the event loop."""
        init = getattr(ctypes.CDLL(None), "inotify_init1", None)
        if init is None:
            return
        self._file = init(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.works:
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._file, self._read)

    def watch(self, files: Iterable[Path], folders: Iterable[Path] = ()) -> None:
        """Watch these from now on, and also those from before.

        Finding a place may take long where a drive does not answer, so it may also be called in a thread. What
        changes while it runs may not be told.

        Args:
            files: Files that need not be there yet, nor their directories.
            folders: Folders of which every file counts; they need not be there yet either.
        """
        with self._closing:
            if not self.works:
                return
            watch = os.dup(self._file)  # its number is not given to others while this goes on
        try:
            for file in files:
                self._watch_name(watch, file)
                if os.path.islink(file):  # noqa: PTH114 - unlike pathlib's, it never raises
                    self._watch_name(watch, Path(os.path.realpath(file)))
            for folder in folders:
                self._watch_name(watch, folder)
                if folder.is_dir():
                    self._add(watch, folder, None)
        finally:
            os.close(watch)

    def stop(self) -> None:
        """End; nothing is told any more."""
        if self._told_soon is not None:
            self._told_soon.cancel()
        if self._loop is not None:
            self._loop.remove_reader(self._file)
            with self._closing:
                os.close(self._file)
                self._file = -1
        self._loop = None

    def _watch_name(self, watch: int, path: Path) -> None:
        """Watch for a name in its directory; while that is not there, for the directory in the one above."""
        for parent in path.parents:
            if self._add(watch, parent, path.name):
                return
            path = parent

    def _add(self, watch: int, folder: Path, name: str | None) -> bool:
        add = ctypes.CDLL(None).inotify_add_watch
        try:
            path = os.fsencode(folder)
        except UnicodeEncodeError:  # half a character: no file can be called so
            return False
        number = add(watch, path, ctypes.c_uint32(_ANY_CHANGE))
        if number < 0:
            return False
        known = self._names.setdefault(number, set())
        if name is None or known is None:
            self._names[number] = None
        else:
            known.add(name)
        return True

    def _read(self) -> None:
        try:
            data = os.read(self._file, _READ_BYTES)
        except BlockingIOError:
            return
        at, told = 0, False
        while at < len(data):
            number, mask, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
            at += length
            names = self._names.get(number, set())
            told = told or bool(mask & _OVERFLOW) or names is None or name in names
        if told and self._told_soon is None and self._loop is not None:
            self._told_soon = self._loop.call_later(GATHER_SECONDS, self._tell)

    def _tell(self) -> None:
        self._told_soon = None
        self._changed()
