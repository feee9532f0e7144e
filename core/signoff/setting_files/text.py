"""The text of a file that may hold settings."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.setting_files.document import LARGEST_TEXT
from signoff.setting_files.errors import ConfigError, Problem

__all__ = ["read_text"]


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a file that may be a settings file.

    Raises:
        ConfigError: It cannot be read, is too large, or is no UTF-8 text.
    """
    most = 4 * LARGEST_TEXT
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise _unreadable(path, "there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _unreadable(path, f"cannot be read: {reason}") from None
    if len(data) > most:
        raise _unreadable(path, f"is larger than {most} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unreadable(path, f"is not UTF-8 text: line {line} has a byte that means nothing there") from None


def _unreadable(path: str | os.PathLike[str], message: str) -> ConfigError:
    return ConfigError([Problem(str(path), None, "", message)])
