"""The files that Gemini CLI's own tools leave behind, byte for byte.

Measured with the program (0.61.0), and compared with it again by ``make clients``:

- Files are read and written as UTF-8. ``write_file`` does not keep a byte order mark.
- A file with at least one line end of two characters gets such everywhere, whatever the arguments have. In others
  ``replace`` writes line feeds alone.
- ``replace`` looks further when a text is not found: without regard to blanks, then with the help of a model. What
  it would find is not known before, so such a call is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from signoff.effects import Effect, FileWrite, SnapshotError
from signoff.present.snapshot.files import look, named

__all__ = ["FILE_TOOLS", "arguments_for", "files_after"]

FILE_TOOLS = frozenset({"write_file", "replace"})
"""The tools of which it is known what they write."""


class _TextFile(NamedTuple):
    """A file as the tools read it.

    Attributes:
        sha256: Hash of the bytes, in hexadecimal; "" if there is no file.
        text: The text, with line feeds alone.
        crlf: True if a line ends in two characters.
    """

    sha256: str
    text: str
    crlf: bool

    def encoded(self, text: str) -> bytes:
        """Return a text as the bytes of this file."""
        return (_line_feeds(text).replace("\n", "\r\n") if self.crlf else text).encode("utf-8")


def files_after(tool: str, arguments: Mapping[str, Any], path: str) -> Sequence[Effect]:
    """Return the file that a call of one of `FILE_TOOLS` leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        path: The absolute path that they name.

    Raises:
        SnapshotError: The tool would refuse, or what it would do is not known before.
    """
    state, data = look(path)
    try:
        text = data.decode("utf-8") if state.exists else ""
    except UnicodeDecodeError:
        if tool == "replace":
            raise SnapshotError(f"{named(path)} is not UTF-8 text, and the tool would damage it") from None
        text = ""
    file = _TextFile(state.sha256 or "", _line_feeds(text), "\r\n" in text)
    if tool == "write_file":
        after = file.encoded(_text(arguments, "content"))
    else:
        after = file.encoded(_line_feeds(_replaced(path, file, arguments)))
    return [FileWrite(path, after, replaces=file.sha256)]


def arguments_for(tool: str, arguments: Mapping[str, Any], path: str, content: bytes) -> dict[str, Any]:
    """Return arguments with which a tool writes exactly this content.

    Args:
        tool: One of `FILE_TOOLS`.
        arguments: The arguments that were asked.
        path: The absolute path that they name.
        content: The content.

    Raises:
        ValueError: There are none.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("what was approved is not UTF-8 text") from None
    if tool == "write_file":
        changed = {**arguments, "content": text}
    else:
        _, data = look(path)
        old, new = _line_feeds(data.decode("utf-8", "replace")), _line_feeds(text)
        changed = {**arguments, "old_string": old, "new_string": new, "allow_multiple": False}
    try:
        [after] = files_after(tool, changed, path)
    except SnapshotError as error:
        raise ValueError(str(error)) from error
    if not isinstance(after, FileWrite) or after.data != content:
        raise ValueError(f"{tool} would write it differently")
    return changed


def _replaced(path: str, file: _TextFile, arguments: Mapping[str, Any]) -> str:
    old, new = (_line_feeds(_text(arguments, key)) for key in ("old_string", "new_string"))
    if not old:
        if file.sha256:
            raise SnapshotError(f"{named(path)} is there already, and the call names no text to replace")
        return new
    if old == new:
        raise SnapshotError("the call changes nothing: old and new text are the same")
    count = file.text.count(old)
    if not count:
        raise SnapshotError(f"the text to replace is not in {named(path)} exactly as it is named; read it again")
    if count > 1 and arguments.get("allow_multiple") is not True:
        raise SnapshotError(
            f"the text to replace is {count} times in {named(path)}; name more of what is around it"
        )
    return file.text.replace(old, new)


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _text(arguments: Mapping[str, Any], key: str) -> str:
    value = arguments.get(key)
    if not isinstance(value, str):
        raise SnapshotError(f"the call has no text {key}")
    return value
