"""Files for their owner alone that are whole or not there: whoever reads sees the old content or the new one."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["new_file", "put"]

_PRIVATE = 0o600


@contextlib.contextmanager
def new_file(target: Path, *, replaces: bool, mode: int = _PRIVATE) -> Iterator[BinaryIO]:
    """Write a file; it lasts once this is left, and is not there, or as it was, if that fails.

    Args:
        target: Where it shall be. A link there is replaced, not followed.
        replaces: Whether it may take the place of another file; that one stays until the new one is whole.
        mode: Its permissions, whatever the umask says.

    Raises:
        FileExistsError: There is a file, and it may not be replaced.
        OSError: It cannot be written.
    """
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}") if replaces else target
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            yield file
            file.flush()
            os.fsync(descriptor)
        if replaces:
            draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def put(target: Path, content: bytes, *, mode: int = _PRIVATE) -> None:
    """Put a content in the place of a file, or where there is none yet.

    Args:
        target: The file. A link there is replaced, not followed.
        content: What it shall hold.
        mode: Its permissions.

    Raises:
        OSError: It cannot be written; the file is as it was.
    """
    with new_file(target, replaces=True, mode=mode) as file:
        file.write(content)
