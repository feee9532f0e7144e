"""Files that only their owner may read, complete or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

__all__ = ["new_file"]


@contextlib.contextmanager
def new_file(target: Path, *, force: bool = False) -> Iterator[TextIO]:
    """Write a file that only its owner may read, and leave none behind that is not complete.

    Args:
        target: Where it shall be.
        force: Whether it may replace another file; that one stays until the new one is complete.

    Raises:
        FileExistsError: There is one, and it was not to be replaced.
    """
    written = target.with_name(f".{target.name}.{secrets.token_hex(4)}") if force else target
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if force:
            written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
