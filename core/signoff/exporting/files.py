"""Text files that only their owner may read, complete or not there."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from signoff import private_files

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
    with private_files.new_file(target, replaces=force) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield text
        text.detach()  # what was written is in the file then
