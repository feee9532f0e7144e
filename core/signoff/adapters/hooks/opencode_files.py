"""The files that OpenCode's own tools leave behind, byte for byte.

Measured with the program (1.18.33), and compared with it again by ``make clients``:

- A relative path starts from the project.
- Files are read and written as UTF-8. A byte order mark stays, and one at the beginning of a new text is one, too.
- ``write`` keeps no line ends. ``edit`` gives old and new text line ends of two characters where the file has one
  such, whatever the arguments have.
- ``edit`` with ``replaceAll`` reads ``$$``, ``$&``, ``$``` and ``$'`` in the new text as signs of a pattern.
- ``edit`` looks further when a text is not found, or is there several times: without regard to blanks, indentation
  and escapes, then by its first and last line. What it would find is not known before, so such a call is refused.
- ``apply_patch`` has the form of Codex's, with differences. What comes before the first ``@@`` of an update is
  left out, and what comes behind ``*** End of File``, which itself says nothing. A heading is without blanks
  around it. A changed file ends with a line end, and of an empty line at its end nothing stays. Of a file with
  line ends of two characters some would become line feeds, so it is refused.
- Formatters, which are off unless the settings turn them on, are run behind the tools.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from signoff.adapters.hooks.codex_patch import Patcher, PatchPart, effects_of, lines_at, patch_for
from signoff.adapters.hooks.text_files import (
    TextFile,
    line_feeds,
    read_text_file,
    require_one_place,
    require_written,
    text_argument,
)
from signoff.effects import Effect, FileWrite, SnapshotError
from signoff.present.snapshot.files import look, named

__all__ = ["arguments_for", "file_after", "patch_effects"]

_MARK = "\ufeff"

# What JavaScript takes for white space.
_BLANKS = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))


def file_after(tool: str, arguments: Mapping[str, Any], cwd: str) -> FileWrite:
    """Return the file that a call of ``write`` or ``edit`` leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        cwd: The directory that a relative path starts from.

    Raises:
        SnapshotError: The tool would refuse, or what it would do is not known before.
    """
    path = _path(arguments, cwd)
    if tool == "write":
        state, data = look(path)
        text = text_argument(arguments, "content")
        has_mark = data.startswith(_MARK.encode()) or text.startswith(_MARK)
        return FileWrite(path, _encoded(text.removeprefix(_MARK), has_mark), replaces=state.sha256 or "")
    old, new = text_argument(arguments, "oldString"), text_argument(arguments, "newString")
    everywhere = arguments.get("replaceAll") is True
    file = _read(path)
    if not old:
        require_one_place(path, file.text, old, new, everywhere=everywhere, there=bool(file.sha256))
        return FileWrite(path, _encoded(new.removeprefix(_MARK), new.startswith(_MARK)), replaces="")
    if not file.sha256:
        raise SnapshotError(f"{named(path)} is not there")
    # Unlike the text of a `TextFile` this one keeps its own line ends.
    text = look(path)[1].decode().removeprefix(_MARK)
    if file.crlf:
        old, new = (line_feeds(each).replace("\n", "\r\n") for each in (old, new))
    else:
        old, new = line_feeds(old), line_feeds(new)
    require_one_place(path, text, old, new, everywhere=everywhere, there=True)
    after = _replaced(path, text, old, new, everywhere=everywhere)
    has_mark = bool(file.mark) or after.startswith(_MARK)
    return FileWrite(path, _encoded(after.removeprefix(_MARK), has_mark), replaces=file.sha256)


def patch_effects(arguments: Mapping[str, Any], cwd: str) -> Sequence[Effect]:
    """Return what a call of ``apply_patch`` does: files that it writes, and those that it removes.

    Args:
        arguments: Its arguments.
        cwd: The directory that its paths start from.

    Raises:
        SnapshotError: The patch does not apply exactly as it is written; the message says what to do.
    """
    return effects_of(_patch(arguments), cwd, _OPENCODE)


def arguments_for(tool: str, arguments: Mapping[str, Any], cwd: str, path: str, content: bytes) -> dict[str, Any]:
    """Return arguments with which a tool writes exactly this content.

    Args:
        tool: The tool.
        arguments: The arguments that were asked.
        cwd: The directory that their paths start from.
        path: The file that the content is for.
        content: The content.

    Raises:
        ValueError: There are none.
    """
    if tool == "apply_patch":
        return {"patchText": patch_for(_patch(arguments), cwd, path, content, _OPENCODE)}
    if path != _path(arguments, cwd):
        raise ValueError("what was approved is for another file")
    file = _read(path) if tool == "edit" else TextFile("", "", b"", 0)
    text = file.decoded(content)
    if tool == "write":
        changed = {**arguments, "content": text}
    else:
        changed = {**arguments, "oldString": file.text, "newString": text, "replaceAll": False}
    require_written(content, lambda: file_after(tool, changed, cwd))
    return changed


def _path(arguments: Mapping[str, Any], cwd: str) -> str:
    path = text_argument(arguments, "filePath")
    if not path or "\0" in path:
        raise SnapshotError("filePath is not the path of a file; call the tool with the path from / on")
    if os.path.isabs(path):  # noqa: PTH117 - text is what is stored and compared
        return path
    return os.path.normpath(os.path.join(cwd, path))  # noqa: PTH118 - likewise


def _read(path: str) -> TextFile:
    """Read a file in UTF-8.

    Raises:
        SnapshotError: It is in another encoding.
    """
    file = read_text_file(path)
    if file.mark and file.mark != _MARK.encode():
        raise SnapshotError(f"{named(path)} is not UTF-8 text, and the tool might damage it")
    return file


def _encoded(text: str, has_mark: bool) -> bytes:
    """A text as the tools write it: with one byte order mark, if it is to have any."""
    return ((_MARK if has_mark else "") + text.removeprefix(_MARK)).encode()


def _replaced(path: str, text: str, old: str, new: str, *, everywhere: bool) -> str:
    """The text after an edit.

    Raises:
        SnapshotError: The old text is there again within itself.
    """
    if not everywhere:
        at = text.find(old)
        if at != text.rfind(old):
            raise SnapshotError(
                f"the text to replace is several times in {named(path)}; name more of its surroundings"
            )
        return text[:at] + new + text[at + len(old) :]

    def written(found: re.Match[str]) -> str:
        signs = {"$": "$", "&": old, "`": text[: found.start()], "'": text[found.end() :]}
        return re.sub(r"\$([$&`'])", lambda sign: signs[sign[1]], new)

    return re.sub(re.escape(old), written, text)


# -- Patches.


def _patch(arguments: Mapping[str, Any]) -> str:
    """The patch of a call.

    Raises:
        SnapshotError: There is none, or a line of it is taken for the last one.
    """
    patch = text_argument(arguments, "patchText")
    if sum(line.strip(_BLANKS) == "*** End Patch" for line in patch.split("\n")) != 1:
        raise SnapshotError('the patch needs one line "*** End Patch", at its end')
    return patch


def _added(lines: Sequence[str]) -> bytes:
    text = "\n".join(lines)
    ended = text if not text or text.endswith("\n") else f"{text}\n"
    return _encoded(ended.removeprefix(_MARK), ended.startswith(_MARK))


def _lines(path: str) -> Sequence[str]:
    return _file_lines(path)[0]


def _file_lines(path: str) -> tuple[list[str], TextFile]:
    """The lines of a file that is to be updated.

    Raises:
        SnapshotError: It is not there, or has carriage returns.
    """
    file = _read(path)
    if not file.sha256:
        raise SnapshotError(f"{named(path)} is not there")
    if file.crlf or "\r" in file.text:
        raise SnapshotError(
            f"{named(path)} has carriage returns at line ends, of which the tool would keep only some; "
            "change it with a command"
        )
    lines = file.text.split("\n")
    return (lines if lines[-1] else lines[:-1]), file


def _updated(path: str, parts: Sequence[PatchPart]) -> tuple[bytes, str]:
    """The file after an update, and the hash of the one before.

    Raises:
        SnapshotError: A part is not found exactly as it is written.
    """
    lines, file = _file_lines(path)
    after: list[str] = []
    done = 0
    place = 0
    for part in parts:
        if not part.marked:
            raise SnapshotError(f"a part of the patch for {named(path)} does not begin with @@")
        if part.heading:
            place = _heading_at(path, lines, part.heading.strip(_BLANKS), place) + 1
        if part.old:
            at = lines_at(path, lines, part.old, place)
            place = at + len(part.old)
        else:
            at = len(lines) - 1 if lines and not lines[-1] else len(lines)
            if part is not parts[-1] or at < done:
                raise SnapshotError(
                    f"a part of the patch only adds to {named(path)}, so at its end; give it lines around it"
                )
        if part.at_end and (part is not parts[-1] or (place < len(lines) and part.old)):
            raise SnapshotError(
                f"a part of the patch is to be at the end of {named(path)}, which the tool does not heed; "
                "give it more lines around it"
            )
        after += [*lines[done:at], *(line[1:] for line in part.lines if not line.startswith("-"))]
        done = at + len(part.old)
    after += lines[done:]
    text = "\n".join(after if after and not after[-1] else [*after, ""])
    has_mark = bool(file.mark) or text.startswith(_MARK)
    return _encoded(text.removeprefix(_MARK), has_mark), file.sha256


def _heading_at(path: str, lines: Sequence[str], heading: str, start: int) -> int:
    """The number of the line that a heading names: itself, or without regard to the blanks around it."""
    for alike in (str, lambda line: line.rstrip(_BLANKS), lambda line: line.strip(_BLANKS)):
        for number in range(start, len(lines)):
            if alike(lines[number]) == heading:
                return number
    return lines_at(path, lines, [heading], start)


_OPENCODE = Patcher(_added, _lines, _updated)
