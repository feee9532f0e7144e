"""Works out what a `FileEdit` makes of a file, or says why it cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.present.files import named
from signoff.present.steps import SnapshotError

if TYPE_CHECKING:
    from signoff.effects import FileEdit
    from signoff.present.steps import FileState

__all__ = ["edited"]


def edited(edit: FileEdit, before: FileState, data: bytes) -> bytes:
    """Content of a file after an edit.

    Args:
        edit: The edit.
        before: State of the file.
        data: Content of the file.

    Raises:
        SnapshotError: If there is no file, it is not UTF-8 text, or the text to replace does not
            occur exactly once. The message says what to do.
    """
    where = named(edit.path)
    if not before.exists:
        raise SnapshotError(f"{where} does not exist, so nothing can be replaced; write it instead")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise SnapshotError(
            f"{where} is not UTF-8 text, so text in it cannot be replaced; write the whole file"
        ) from None
    old, new = _encoded(edit.old, "old", where), _encoded(edit.new, "new", where)
    if not old:
        raise SnapshotError(f"the text to replace in {where} is empty; name the text to replace")
    first = data.find(old)
    if first < 0:
        raise SnapshotError(f"the text to replace is not in {where}; {_why_missing(old, data)}")
    second = data.find(old, first + 1)  # not past the first: "aa" occurs twice in "aaa"
    if second >= 0:
        raise SnapshotError(
            f"the text to replace is more than once in {where}, first on the lines "
            f"{_line(data, first)} and {_line(data, second)}; "
            "add text around it until it occurs once"
        )
    return data[:first] + new + data[first + len(old) :]


def _encoded(text: str, name: str, where: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise SnapshotError(
            f'"{name}" of the edit of {where} holds half a character (a lone surrogate); send text'
        ) from None


def _why_missing(old: bytes, data: bytes) -> str:
    """What to do about a text that was not found."""
    if _with_crlf(old) in data:
        return "it would be with CRLF line ends: give the text with the line ends of the file"
    if old.replace(b"\r\n", b"\n") in data:
        return "it would be with LF line ends: give the text with the line ends of the file"
    return "read the file again and give the text exactly as it stands there"


def _with_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _line(data: bytes, offset: int) -> int:
    """Number of the line, from 1, that holds an offset."""
    return data.count(b"\n", 0, offset) + 1
