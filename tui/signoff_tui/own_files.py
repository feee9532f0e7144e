"""Writing files of the person's own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["put_text"]


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
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=file.parent, delete=False) as new:
        made = Path(new.name)
        try:
            new.write(text)
            new.flush()
            made.chmod(mode)
            made.replace(file)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
