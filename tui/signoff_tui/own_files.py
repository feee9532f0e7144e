"""Reading and writing files of the person's own."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import platformdirs

from signoff import private_files

__all__ = ["put_text", "read_bytes", "state_file"]


def read_bytes(file: Path, *, most: int) -> bytes:
    """Read a file that is no device and no FIFO, which may have no end, or never begin.

    Args:
        file: The file.
        most: Bytes that it may have.

    Raises:
        OSError: It cannot be read, or is no file.
        ValueError: It is larger.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{file} is no file")
        data = opened.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{file} is larger than {most} bytes")
    return data


def put_text(file: Path, text: str) -> None:
    """Put a text in the place of a file, whole or not at all; a new one is for its owner alone.

    A link stays a link, and who may read a file stays as it was.

    Args:
        file: The file; its folder is made if it is not there.
        text: What it shall hold, line ends as they are.

    Raises:
        OSError: It cannot be written; it is as it was.
    """
    file = Path(os.path.realpath(file))
    private_files.make_directory(file.parent)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    private_files.put(file, text.encode(), mode=mode)


def state_file(kind: str, place: str, folder: Path | None = None) -> Path:
    """The file in which something of one queue is kept.

    Args:
        kind: What is kept; the name of a folder in the person's state directory.
        place: Where the queue is, as nobody else's.
        folder: Where the files lie instead.
    """
    folder = folder or Path(platformdirs.user_state_path("signoff", appauthor=False)) / kind
    return folder / f"{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"
