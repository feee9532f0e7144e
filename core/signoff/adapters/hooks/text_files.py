"""A text file as an agent's own tools read it and write it back: line ends, byte order mark, encoding."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from signoff.effects import FileWrite, SnapshotError
from signoff.present.snapshot.files import look, named

__all__ = [
    "TextFile",
    "line_feeds",
    "read_text_file",
    "read_utf8",
    "require_one_place",
    "require_written",
    "text_argument",
]

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le"}


class TextFile(NamedTuple):
    """A text file.

    Attributes:
        sha256: Hash of the bytes, in hexadecimal; "" if there is no file.
        text: The text, with line feeds alone.
        mark: The byte order mark; empty for none.
        crlf: The number of line ends of two characters.
    """

    sha256: str
    text: str
    mark: bytes
    crlf: int

    @property
    def mostly_crlf(self) -> bool:
        """True if more than half of the line ends are of two characters."""
        return 2 * self.crlf > self.text.count("\n")

    @property
    def is_mixed(self) -> bool:
        """True if there are line ends of both kinds."""
        return 0 < self.crlf < self.text.count("\n")

    def encoded(self, text: str, *, crlf: bool) -> bytes:
        """Return a text as the bytes of this file; with ``crlf`` all line ends are of two characters."""
        ended = line_feeds(text).replace("\n", "\r\n") if crlf else text
        return self.mark + ended.encode(_MARKS.get(self.mark, "utf-8"))

    def decoded(self, content: bytes) -> str:
        """Return the text of another content of this file.

        Raises:
            ValueError: It is not text in this encoding.
        """
        try:
            return content.removeprefix(self.mark).decode(_MARKS.get(self.mark, "utf-8"))
        except UnicodeDecodeError:
            raise ValueError("what was approved is not text in the encoding of the file") from None


def read_text_file(path: str) -> TextFile:
    """Read a file; one that is not there is empty.

    Raises:
        SnapshotError: It cannot be read, or is neither UTF-8 nor marked as UTF-16.
    """
    state, data = look(path)
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    try:
        text = data.removeprefix(mark).decode(_MARKS.get(mark, "utf-8"))
    except UnicodeDecodeError:
        raise SnapshotError(f"{named(path)} is not UTF-8 text, and the tool might damage it") from None
    return TextFile(state.sha256 or "", line_feeds(text), mark, text.count("\r\n"))


def read_utf8(path: str) -> tuple[str, str]:
    """Read a file as it is, also its line ends and its mark; one that is not there is empty.

    Returns:
        The hash of its bytes, in hexadecimal, "" if there is no file; and its text.

    Raises:
        SnapshotError: It cannot be read, or is not UTF-8.
    """
    state, data = look(path)
    try:
        return state.sha256 or "", data.decode("utf-8")
    except UnicodeDecodeError:
        raise SnapshotError(f"{named(path)} is not UTF-8 text, and the tool might damage it") from None


def line_feeds(text: str) -> str:
    """Return a text with line feeds alone."""
    return text.replace("\r\n", "\n")


def text_argument(arguments: Mapping[str, Any], key: str) -> str:
    """Return an argument that is a text.

    Raises:
        SnapshotError: It is missing, or something else.
    """
    value = arguments.get(key)
    if not isinstance(value, str):
        raise SnapshotError(f"the call has no text {key}")
    return value


def require_one_place(path: str, text: str, old: str, new: str, *, everywhere: bool, there: bool) -> None:
    """Return if an edit is clear: the old text is there, exactly as it is named, in one place if not everywhere.

    Args:
        path: The path, for the message.
        text: The text of the file.
        old: The text to replace; empty for a file that is to be made.
        new: The text that takes its place.
        everywhere: True if all places are meant.
        there: True if there is a file.

    Raises:
        SnapshotError: It is not; the message says what to do.
    """
    if not old and there:
        raise SnapshotError(f"{named(path)} is there already, and the call names no text to replace")
    if old == new:
        raise SnapshotError("the call changes nothing: old and new text are the same")
    count = text.count(old) if old else 1
    if not count:
        raise SnapshotError(f"the text to replace is not in {named(path)} exactly as it is named; read it again")
    if count > 1 and not everywhere:
        raise SnapshotError(
            f"the text to replace is {count} times in {named(path)}; name more of its surroundings"
        )


def require_written(content: bytes, write: Callable[[], FileWrite]) -> None:
    """Return if other arguments of a tool write exactly what was approved.

    Args:
        content: The approved content.
        write: Works out what they write.

    Raises:
        ValueError: They do not, or the tool would refuse them.
    """
    try:
        after = write()
    except SnapshotError as error:
        raise ValueError(str(error)) from error
    if after.data != content:
        raise ValueError("its tool would write it differently")
