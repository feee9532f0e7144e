"""A program run as an ordinary user, although what it needs may lie in a directory that only root can enter.

Python and this repository are often below ``/root``. The program gets a view of the files in which each directory
that it needs is at its own path, and what is closed on the way is covered by an empty directory. Nothing is
copied, and no mode on the machine changes.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["as_ordinary_user"]

_USER = 12345
"""A user that has nothing on any machine."""

_NEW_MOUNTS, _BIND, _RECURSIVE, _PRIVATE = 0x20000, 4096, 16384, 1 << 18


def as_ordinary_user(argv: Sequence[str]) -> int:
    """Run a program as a user without rights, and return its exit code.

    Raises:
        OSError: This root may not mount.
    """
    needed = {
        sys.prefix,
        sys.base_prefix,
        str(Path(__file__).parents[2]),
        *os.environ.get("PYTHONPATH", "").split(":"),
    }
    folders = sorted(os.path.realpath(path) for path in needed if path)

    def become() -> None:
        _open_up(folders)
        os.setgroups([])
        os.setgid(_USER)
        os.setuid(_USER)
        os.umask(0o022)

    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(argv, preexec_fn=become, env=kept | {"HOME": "/nonexistent"}, check=False)
    return done.returncode


def _open_up(folders: Sequence[str]) -> None:
    """Make directories reachable for everybody, in a mount namespace of this process."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
        words = [os.fsencode(word) or None for word in (source, target, kind)]
        if libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None):
            raise OSError(ctypes.get_errno(), f"mount {target}")

    closed = {folder: gate for folder in folders if (gate := _gate(folder)) is not None}
    if not closed:
        return
    if libc.unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "unshare")
    mount("", "/", "", _RECURSIVE | _PRIVATE)
    held = {folder: os.open(folder, os.O_PATH | os.O_DIRECTORY) for folder in closed}
    for gate in sorted(set(closed.values())):
        mount("tmpfs", gate, "tmpfs", 0, "mode=755")
    for folder, number in held.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        mount(f"/proc/self/fd/{number}", folder, "", _BIND | _RECURSIVE)


def _gate(folder: str) -> str | None:
    """The first directory on the way that not everybody can enter."""
    for above in (*reversed(Path(folder).parents), Path(folder)):
        if not above.stat().st_mode & 0o001:
            return str(above)
    return None
