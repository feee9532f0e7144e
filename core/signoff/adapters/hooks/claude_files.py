"""The files that Claude Code's own tools leave behind, byte for byte.

Its tools write something else than their arguments say. Facts, measured with the program (2.1.332) and compared
with it again by ``make clients``:

- Blanks at the ends of lines are left out of what is written, but not in Markdown (``.md``, ``.mdx``).
- A file is read with line feeds alone, and an edited one gets back the endings that most of its lines had, as far
  as its beginning tells: a longer file with both kinds is refused here. What is written as a whole keeps the
  endings of the argument.
- A byte order mark stays, and with it the encoding: UTF-8 or UTF-16.
- An edit that replaces text by nothing, and leaves an empty line where the text was, takes the line with it.
- A text that is not found is looked for once more with straight quotes for curly ones; the new text then gets
  curly ones, too.
- Links are not written through, and notebooks are not edited as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.adapters.hooks.text_files import TextFile, line_feeds, read_text_file, require_written, text_argument
from signoff.effects import FileWrite, SnapshotError
from signoff.present.snapshot.files import named

__all__ = ["arguments_for", "file_after"]

# What JavaScript takes for white space, without line ends of its own.
_BLANKS_AT_END = re.compile("[\t\v\f \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+(?=[\r\n]|\\Z)")
_LOOKED_AT = 4_000
"""So many characters at least the program looks at, to tell the line ends of a file."""
_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def file_after(tool: str, arguments: Mapping[str, Any], path: str) -> FileWrite:
    """Return the file that a call leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        path: The absolute path that they name.

    Raises:
        SnapshotError: The tool would refuse, or the file cannot be read.
    """
    if Path(path).is_symlink():
        raise SnapshotError(f"{named(path)} is a link, which the tool refuses; name the file that it leads to")
    if tool != "Write" and path.lower().endswith(".ipynb"):
        raise SnapshotError(f"{named(path)} is a notebook, which the tool refuses to edit as text")
    file = read_text_file(path)
    if tool == "Write":
        text = _without_blanks(path, text_argument(arguments, "content"))
        after = file.encoded(text.removeprefix("\ufeff") if file.mark else text, crlf=False)
    else:
        text = file.text
        edits = [arguments] if tool == "Edit" else arguments.get("edits")
        if not isinstance(edits, list) or not edits:
            raise SnapshotError("the call names no edits")
        for edit in edits:
            text = _edited(path, file, text, edit)
        if file.is_mixed and len(file.text) > _LOOKED_AT:
            raise SnapshotError(f"{named(path)} has line ends of two kinds, of which the tool may change all")
        after = file.encoded(text, crlf=file.mostly_crlf)
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
    if tool == "Write":
        changed = {**arguments, "content": text}
    elif tool == "Edit" and file.text:
        changed = {**arguments, "old_string": file.text, "new_string": line_feeds(text)}
    else:
        raise ValueError(f"{tool} cannot be told to write something else")
    require_written(content, lambda: file_after(tool, changed, path))
    return changed


def _edited(path: str, file: TextFile, text: str, edit: object) -> str:
    """The text after one edit.

    Raises:
        SnapshotError: The tool would refuse it.
    """
    if not isinstance(edit, Mapping):
        raise SnapshotError("an edit is not an object")
    old, new = text_argument(edit, "old_string"), _without_blanks(path, text_argument(edit, "new_string"))
    if old == new:
        raise SnapshotError("the edit changes nothing: old and new text are the same")
    if not old:
        if text:
            raise SnapshotError(f"{named(path)} is not empty, and the edit names no text to replace")
        return new
    if old not in text:
        found = text.translate(_STRAIGHT).find(old.translate(_STRAIGHT))
        if found < 0:
            raise SnapshotError(f"the text to replace is not in {named(path)}")
        straight, old = old, text[found : found + len(old)]
        new = _curly_as(straight, old, new)
    count = text.count(old)
    if count > 1 and edit.get("replace_all") is not True:
        raise SnapshotError(
            f"the text to replace is {count} times in {named(path)}; name more of what is around it"
        )
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"
    return text.replace(old, new) if edit.get("replace_all") is True else text.replace(old, new, 1)


def _without_blanks(path: str, text: str) -> str:
    return text if path.lower().endswith((".md", ".mdx")) else _BLANKS_AT_END.sub("", text)


def _curly_as(straight: str, found: str, new: str) -> str:
    """The new text with curly quotes, if the text that was found has such where straight ones were named."""
    if straight == found:
        return new
    if any(each in found for each in "\u201c\u201d"):
        new = _curled(new, '"', "\u201c", "\u201d")
    if any(each in found for each in "\u2018\u2019"):
        new = _curled(new, "'", "\u2018", "\u2019")
    return new


def _curled(text: str, straight: str, opening: str, closing: str) -> str:
    letters = list(text)
    for place, letter in enumerate(letters):
        if letter != straight:
            continue
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        inside_word = straight == "'" and before.isalpha() and after.isalpha()
        opens = not inside_word and (not before or before.isspace() or before in "([{\u2013\u2014")
        letters[place] = opening if opens else closing
    return "".join(letters)
