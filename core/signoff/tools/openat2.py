"""Opening files below an open directory, safe against links that are swapped in meanwhile.

If the kernel can (Linux 5.6 and later), it resolves the path itself: `openat2(2)` with ``RESOLVE_BENEATH`` cannot
be led out of the directory at any instant. Elsewhere every directory on the way is opened by itself, relative to
the one before. Neither follows a link: paths here have been resolved already, so a link on the way was put there
afterwards.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from signoff.present.snapshot.files import named

__all__ = ["PASSED", "LedElsewhereError", "RootDirectory", "kernel_resolves", "open_beneath"]

# Where there is O_PATH, a directory that may be passed but not listed can be opened too.
PASSED: int = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
"""Flags for a directory that is only opened to reach something in it."""

_ALWAYS = os.O_NOFOLLOW | os.O_CLOEXEC
_IN_THE_WAY = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EXDEV})
_ATTEMPTS = 100

_OPENAT2 = 437
_OPENAT2_MACHINES = frozenset(
    {
        "x86_64", "i386", "i486", "i586", "i686", "aarch64", "armv6l", "armv7l", "armv8l", "riscv32", "riscv64",
        "ppc", "ppc64", "ppc64le", "s390x", "loongarch64",
    }
)  # fmt: skip
"""Machines on which `openat2` has that number: all that Linux runs on, but Alpha and MIPS."""

# From <linux/openat2.h>.
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_RESOLVE = _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS

_Opener = Callable[[int, str, int], int]


class LedElsewhereError(PermissionError):
    """A resolved path does not lead to the same place any more; nothing was opened."""


def open_beneath(directory: int, path: str, flags: int, *, by_kernel: bool = True) -> int:
    """Open a file or directory below a directory, without following any link.

    Args:
        directory: Descriptor of the directory.
        path: Path below the directory, without ``..``; ``.`` for the directory itself.
        flags: Flags of `os.open`, without ``O_CREAT``; ``O_NOFOLLOW`` and ``O_CLOEXEC`` are added.
        by_kernel: True to let the kernel resolve the path if it can; otherwise each component is opened by itself.

    Returns:
        A descriptor, which the caller closes.

    Raises:
        ValueError: The path is empty or absolute, or holds ``..``.
        LedElsewhereError: A component is a link, or is passed through and no directory.
        OSError: The file cannot be opened.
    """
    if not path or path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"{named(path)} is no path below a directory")
    opened = (_kernel_opener() if by_kernel else None) or _walk
    try:
        return opened(directory, path, flags | _ALWAYS)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        raise LedElsewhereError(f"{named(path)} was led elsewhere while it was opened") from error


def kernel_resolves() -> bool:
    """True if the kernel of this machine can resolve paths below a directory."""
    return _kernel_opener() is not None


class RootDirectory:
    """A directory that was opened once, and stays the same whatever takes its name.

    Args:
        path: Absolute path without links.
        by_kernel: True to let the kernel resolve the paths below it if it can.

    Raises:
        LedElsewhereError: The path is not without links.
        OSError: The directory cannot be opened.
    """

    __slots__ = ("__weakref__", "_by_kernel", "_descriptor", "path")

    def __init__(self, path: str, *, by_kernel: bool = True) -> None:
        self.path = path
        self._by_kernel = by_kernel
        self._descriptor = self._opened_by_name()
        weakref.finalize(self, os.close, self._descriptor)

    def __copy__(self) -> RootDirectory:
        return self

    def __deepcopy__(self, memo: object) -> RootDirectory:
        return self  # a second owner of the descriptor would close it twice

    def __reduce__(self) -> str:
        raise TypeError("an opened directory means nothing to another process")

    @contextmanager
    def opened(self, relative: str, flags: int = PASSED) -> Iterator[int]:
        """Yield a descriptor of a file or directory below the directory, closed after the body.

        Args:
            relative: Its path, without ``..``; ``.`` for the directory itself.
            flags: Flags of `os.open`, without ``O_CREAT``.

        Raises:
            LedElsewhereError: There is a link on the way, or another directory has this one's name by now.
            OSError: The file cannot be opened.
        """
        self.require_in_place()
        descriptor = open_beneath(self._descriptor, relative, flags, by_kernel=self._by_kernel)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def make_directories(self, relative: str) -> None:
        """Make a directory, and missing parents of it.

        Args:
            relative: Its path, without ``..``; ``.`` for the directory itself.

        Raises:
            LedElsewhereError: There is a link on the way, or another directory has this one's name by now.
            OSError: The directory cannot be made.
        """
        self.require_in_place()
        current = os.dup(self._descriptor)
        try:
            for name in relative.split("/"):
                below = self._opened_or_made(name, current)
                os.close(current)
                current = below
        finally:
            os.close(current)

    def require_in_place(self) -> None:
        """Return if the path of the directory still leads to it, without links.

        Raises:
            LedElsewhereError: It leads elsewhere.
            OSError: The path cannot be looked at.
        """
        try:
            now = self._opened_by_name()
        except (FileNotFoundError, LedElsewhereError) as error:
            raise LedElsewhereError(self._replaced()) from error
        try:
            same = os.path.samestat(os.fstat(now), os.fstat(self._descriptor))
        finally:
            os.close(now)
        if not same:
            raise LedElsewhereError(self._replaced())

    def _opened_or_made(self, name: str, parent: int) -> int:
        try:
            return open_beneath(parent, name, PASSED, by_kernel=self._by_kernel)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=parent)
        return open_beneath(parent, name, PASSED, by_kernel=self._by_kernel)

    def _replaced(self) -> str:
        return f"{named(self.path)} is not the directory any more that it was when the rules were loaded"

    def _opened_by_name(self) -> int:
        top = os.open("/", PASSED | _ALWAYS)
        try:
            return open_beneath(top, self.path.strip("/") or ".", PASSED, by_kernel=self._by_kernel)
        finally:
            os.close(top)


def _walk(directory: int, path: str, flags: int) -> int:
    *parents, name = path.split("/")
    current = os.dup(directory)
    try:
        for parent in parents:
            below = os.open(parent, PASSED | _ALWAYS, dir_fd=current)
            os.close(current)
            current = below
        return os.open(name, flags, dir_fd=current)
    finally:
        os.close(current)


@cache
def _kernel_opener() -> _Opener | None:
    """The function that opens by `openat2`; None if there is none, or a filter of system calls forbids it."""
    if sys.platform != "linux" or platform.machine() not in _OPENAT2_MACHINES:
        return None
    opener = _openat2()
    top = os.open("/", PASSED | _ALWAYS)
    try:
        os.close(opener(top, ".", PASSED | _ALWAYS))
    except OSError:
        return None
    finally:
        os.close(top)
    return opener


def _openat2() -> _Opener:
    import ctypes

    class OpenHow(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long

    def opener(directory: int, path: str, flags: int) -> int:
        how = OpenHow(flags, 0, _RESOLVE)
        size = ctypes.c_size_t(ctypes.sizeof(how))
        text = ctypes.c_char_p(os.fsencode(path))
        for attempt in range(_ATTEMPTS):
            number, at = ctypes.c_long(_OPENAT2), ctypes.c_int(directory)
            descriptor: int = call(number, at, text, ctypes.byref(how), size)
            if descriptor >= 0:
                return descriptor
            failed = ctypes.get_errno()
            # A rename in the meantime, or a signal.
            if failed not in (errno.EAGAIN, errno.EINTR) or attempt == _ATTEMPTS - 1:
                raise OSError(failed, os.strerror(failed), path)
        raise AssertionError("unreachable")

    return opener
