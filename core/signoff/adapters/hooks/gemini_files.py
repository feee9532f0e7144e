"""The files that Gemini CLI's own tools leave behind, byte for byte.

Measured with the program (0.61.0), and compared with it again by ``make clients``:

- Files are read and written as UTF-8. ``write_file`` does not keep a byte order mark.
- A file with at least one line end of two characters gets such everywhere, whatever the arguments have. In others
  ``replace`` writes line feeds alone.
- ``replace`` keeps the line feed at the end of a file, or that there is none.
- ``replace`` looks further when a text is not found: without regard to blanks, then with the help of a model. What
  it would find is not known before, so such a call is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.adapters.hooks.text_files import (
    TextFile,
    line_feeds,
    read_text_file,
    require_one_place,
    require_written,
    text_argument,
)
from signoff.effects import FileWrite, SnapshotError
from signoff.present.snapshot.files import named

__all__ = ["arguments_for", "file_after"]


def file_after(tool: str, arguments: Mapping[str, Any], path: str) -> FileWrite:
    """Return the file that a call leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        path: The absolute path that they name.

    Raises:
        SnapshotError: The tool would refuse, or what it would do is not known before.
    """
    file = read_text_file(path)
    if tool == "write_file":
        after = file._replace(mark=b"").encoded(text_argument(arguments, "content"), crlf=file.crlf > 0)
    elif file.mark and not file.mark.startswith(b"\xef"):
        raise SnapshotError(f"{named(path)} is not UTF-8 text, and the tool might damage it")
    else:
        after = file.encoded(line_feeds(_replaced(path, file, arguments)), crlf=file.crlf > 0)
    return FileWrite(path, after, replaces=file.sha256)


def arguments_for(tool: str, arguments: Mapping[str, Any], path: str, content: bytes) -> dict[str, Any]:
    """Return arguments with which a tool writes exactly this content.

    Args:
        tool: The tool.
        arguments: The arguments that were asked.
        path: The absolute path that they name.
        content: The content.

    Raises:
        ValueError: There are none.
    """
    file = read_text_file(path)
    text = file.decoded(content)
    if tool == "write_file":
        changed = {**arguments, "content": text}
    else:
        changed = {**arguments, "old_string": file.text, "new_string": line_feeds(text), "allow_multiple": False}
    require_written(content, lambda: file_after(tool, changed, path))
    return changed


def _replaced(path: str, file: TextFile, arguments: Mapping[str, Any]) -> str:
    old, new = (line_feeds(text_argument(arguments, key)) for key in ("old_string", "new_string"))
    require_one_place(
        path, file.text, old, new, everywhere=arguments.get("allow_multiple") is True, there=bool(file.sha256)
    )
    if not old:
        return new
    return _ended_as(file.text, file.text.replace(old, new))


def _ended_as(before: str, after: str) -> str:
    """The text with a line feed at its end if there was one before, and else with one less."""
    if before.endswith("\n"):
        return after if after.endswith("\n") else f"{after}\n"
    return after.removesuffix("\n")
