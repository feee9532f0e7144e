"""The files that Qwen Code's own tools leave behind, byte for byte.

Measured with the program (0.24.4), and compared with it again by ``make clients``:

- A byte order mark stays, and with it the encoding. The encoding of other files is guessed, so those that are not
  UTF-8 are refused here.
- A file with at least one line end of two characters gets such everywhere, whatever the arguments have.
- An edit that replaces text by nothing, and leaves an empty line where the text was, takes the line with it.
- A text that is not found is looked for without regard to blanks at line ends and to the form of quotes. Such a
  call is refused here, for the sake of one rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.adapters.hooks.text_files import TextFile, line_feeds, read_text_file, text_argument
from signoff.effects import Effect, FileWrite, SnapshotError
from signoff.present.snapshot.files import named

__all__ = ["FILE_TOOLS", "files_after"]

FILE_TOOLS = frozenset({"write_file", "edit"})
"""The tools of which it is known what they write."""


def files_after(tool: str, arguments: Mapping[str, Any], path: str) -> Sequence[Effect]:
    """Return the file that a call of one of `FILE_TOOLS` leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        path: The absolute path that they name.

    Raises:
        SnapshotError: The tool would refuse, or what it would do is not known before.
    """
    file = read_text_file(path)
    text = text_argument(arguments, "content") if tool == "write_file" else _edited(path, file, arguments)
    after = file.encoded(text.removeprefix("\ufeff") if file.mark else text, crlf=file.crlf > 0)
    return [FileWrite(path, after, replaces=file.sha256)]


def _edited(path: str, file: TextFile, arguments: Mapping[str, Any]) -> str:
    old, new = line_feeds(text_argument(arguments, "old_string")), text_argument(arguments, "new_string")
    if not old:
        if file.sha256:
            raise SnapshotError(f"{named(path)} is there already, and the call names no text to replace")
        return new
    if old == new:
        raise SnapshotError("the call changes nothing: old and new text are the same")
    count = file.text.count(old)
    if not count:
        raise SnapshotError(f"the text to replace is not in {named(path)} exactly as it is named; read it again")
    if count > 1 and arguments.get("replace_all") is not True:
        raise SnapshotError(
            f"the text to replace is {count} times in {named(path)}; name more of its surroundings"
        )
    if not new and not old.endswith("\n") and f"{old}\n" in file.text:
        old += "\n"
    return file.text.replace(old, new)
