"""The patches of Codex, and the files that they leave behind, byte for byte.

Measured with the program (0.171.0), and compared with it again by ``make clients``:

- Each part of an update is looked for behind the one before it, and takes the first place. With a heading
  (``@@ heading``) it is looked for behind the first line that is the heading; with ``*** End of File`` at the end.
  A part that removes nothing and has no line around it is put at the end, whatever its heading.
- What is added ends as the first line of the file does. All other lines keep their ends. The last line gets one.
- A file that is added has line feeds alone, also over one that is there.
- Lines that are not found are looked for again without regard to blanks, quotes and dashes, and much that is no
  patch is taken for one. What comes of that was written by nobody, so it is refused here.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from signoff.adapters.hooks.text_files import line_feeds, require_written
from signoff.effects import Command, Effect, FileWrite, SnapshotError
from signoff.present.snapshot.files import look, named

__all__ = ["effects_of", "patch_for"]

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = _SIGNS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")
_MOVE, _AT_END = "*** Move to: ", "*** End of File"


class _Part(NamedTuple):
    """A part of an update of one file.

    Attributes:
        heading: A line that is before it; "" for none.
        lines: Its lines with their signs.
        at_end: True if it is at the end of the file.
    """

    heading: str
    lines: Sequence[str]
    at_end: bool

    @property
    def old(self) -> list[str]:
        """The lines that have to be there."""
        return [line[1:] for line in self.lines if not line.startswith("+")]


class _Section(NamedTuple):
    """The part of a patch that is about one file.

    Attributes:
        sign: The beginning of its heading.
        path: Absolute path of the file.
        lines: The lines of a file that is added.
        parts: The parts of an update.
        target: Absolute path that the file gets; "" if it keeps its own.
    """

    sign: str
    path: str
    lines: Sequence[str] = ()
    parts: Sequence[_Part] = ()
    target: str = ""


class _File(NamedTuple):
    """A text file as lines and their ends.

    Attributes:
        sha256: Hash of its bytes, in hexadecimal.
        lines: Its lines.
        ends: The end of each; "" for a last one without.
    """

    sha256: str
    lines: list[str]
    ends: list[str]


def effects_of(patch: str, cwd: str) -> Sequence[Effect]:
    """Return what a patch does: files that it writes, and those that it removes.

    Args:
        patch: The patch.
        cwd: The directory that its paths start from.

    Raises:
        SnapshotError: It does not apply exactly as it is written; the message says what to do.
    """
    return tuple(effect for section in _sections(patch, cwd) for effect in _effects(section, cwd))


def patch_for(patch: str, cwd: str, path: str, content: bytes) -> str:
    """Return a patch that writes exactly this content, in place of one that writes something else.

    Args:
        patch: The patch that was asked, of one file.
        cwd: The directory that its paths start from.
        path: The file that the content is for.
        content: The content.

    Raises:
        ValueError: There is none.
    """
    section, *others = _sections(patch, cwd)
    if others or section.target or section.path != path:
        raise ValueError("what was approved is for another file")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise ValueError("what was approved is not UTF-8 text") from None
    new = [f"+{line}" for line in line_feeds(text).removesuffix("\n").split("\n")] if text else []
    if section.sign == _ADD:
        changed = [_BEGIN, _ADD + path, *new, _END]
    else:
        old = [f"-{line}" for line in _read(path).lines]
        changed = [_BEGIN, _UPDATE + path, "@@", *old, *new, _END]
    written = "\n".join(changed)

    def again() -> FileWrite:
        [effect] = effects_of(written, cwd)
        assert isinstance(effect, FileWrite)
        return effect

    require_written(content, again)
    return written


# -- From the text to its parts.


def _sections(patch: str, cwd: str) -> list[_Section]:
    """The sections of a patch.

    Raises:
        SnapshotError: It is none, or names a file twice.
    """
    if "\r" in patch:
        raise SnapshotError("the patch has carriage returns; write it with line feeds alone")
    lines = patch.removesuffix("\n").split("\n")
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        raise SnapshotError(f'the patch does not begin with the line "{_BEGIN}" and end with "{_END}"')
    found = list(_parsed(lines[1:-1], cwd))
    touched = [path for section in found for path in (section.path, section.target) if path]
    if again := next((path for path in touched if touched.count(path) > 1), None):
        raise SnapshotError(f"the patch names {named(again)} twice; change each file in one section")
    return found


def _parsed(lines: list[str], cwd: str) -> Iterator[_Section]:
    while lines:
        sign = next((sign for sign in _SIGNS if lines[0].startswith(sign)), None)
        if sign is None:
            raise SnapshotError(
                f'a section of the patch begins with none of "{_ADD}", "{_UPDATE}" and "{_DELETE}"'
            )
        path = _path(lines[0].removeprefix(sign), cwd)
        length = 1
        while length < len(lines) and not lines[length].startswith(_SIGNS):
            length += 1
        body, lines = lines[1:length], lines[length:]
        if sign == _ADD:
            if not all(line.startswith("+") for line in body):
                raise SnapshotError(f"each line of the new file {named(path)} must begin with +")
            yield _Section(sign, path, lines=[line[1:] for line in body])
        elif sign == _UPDATE:
            moved = bool(body) and body[0].startswith(_MOVE)
            target = _path(body[0].removeprefix(_MOVE), cwd) if moved else ""
            yield _Section(sign, path, parts=list(_parts(path, body[moved:])), target=target)
        elif body:
            raise SnapshotError(f"the patch has lines below the removal of {named(path)}")
        else:
            yield _Section(sign, path)


def _path(name: str, cwd: str) -> str:
    """The absolute path of a file that a patch names.

    Raises:
        SnapshotError: The agent may look for it somewhere else.
    """
    if not name or name != name.strip() or name.startswith("~") or ".." in name.split("/") or name.endswith("/"):
        raise SnapshotError(
            f"{named(name)} is not a plain path; name the file from {named(cwd)} on, or from / on, without .."
        )
    return os.path.normpath(os.path.join(cwd, name))  # noqa: PTH118 - text is what is stored and compared


def _parts(path: str, lines: Sequence[str]) -> Iterator[_Part]:
    wrong = SnapshotError(
        f"an update of {named(path)} is not as it should be: each part begins with @@, and each of its lines "
        "with a space, + or -"
    )
    starts = [number for number, line in enumerate(lines) if line == "@@" or line.startswith("@@ ")]
    if not lines:
        raise wrong
    if starts[:1] != [0]:  # the first part needs no heading
        lines, starts = ["@@", *lines], [0, *(number + 1 for number in starts)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        heading, body = lines[start][3:], lines[start + 1 : end]
        at_end = bool(body) and body[-1] == _AT_END
        body = body[:-1] if at_end else body
        if not body or heading != heading.rstrip() or not all(line.startswith((" ", "+", "-")) for line in body):
            raise wrong
        yield _Part(heading, body, at_end)


# -- From the parts to the files.


def _effects(section: _Section, cwd: str) -> Sequence[Effect]:
    path = section.path
    for each in (path, section.target):
        if os.path.islink(each):  # noqa: PTH114 - text is what is stored
            raise SnapshotError(f"{named(each)} is a link; name the file that it leads to")
    if section.sign == _ADD:
        state, _ = look(path)
        content = "".join(f"{line}\n" for line in section.lines).encode()
        return (FileWrite(path, content, replaces=state.sha256 or ""),)
    if section.sign == _DELETE:
        state, _ = look(path)
        if state.sha256 is None:
            raise SnapshotError(f"{named(path)} is not there")
        return _removal(path, state.sha256, cwd)
    file = _read(path)
    content = _updated(path, file, section.parts).encode()
    if not section.target:
        return (FileWrite(path, content, replaces=file.sha256),)
    state, _ = look(section.target)
    return (FileWrite(section.target, content, replaces=state.sha256 or ""), *_removal(path, file.sha256, cwd))


def _removal(path: str, sha256: str, cwd: str) -> Sequence[Effect]:
    return FileWrite(path, b"", replaces=sha256), Command(f"rm -- {shlex.quote(path)}", cwd)


def _read(path: str) -> _File:
    """Read a file that an update is for.

    Raises:
        SnapshotError: It is not there, or no text with line ends that the tool keeps.
    """
    state, data = look(path)
    if state.sha256 is None:
        raise SnapshotError(f"{named(path)} is not there")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise SnapshotError(f"{named(path)} is not UTF-8 text, which the tool does not change") from None
    if "\r" in text.replace("\r\n", "\n"):
        raise SnapshotError(f"{named(path)} has carriage returns, of which the tool may change some")
    *whole, last = text.split("\n")
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in whole]
    lines = [line.removesuffix("\r") for line in whole]
    return _File(state.sha256, [*lines, last], [*ends, ""]) if last else _File(state.sha256, lines, ends)


def _updated(path: str, file: _File, parts: Sequence[_Part]) -> str:
    """The text after an update.

    Raises:
        SnapshotError: A part is not found exactly as it is written.
    """
    end = file.ends[0] or "\n" if file.ends else "\n"
    lines = [(line, each or end) for line, each in zip(file.lines, file.ends, strict=True)]
    after: list[tuple[str, str]] = []
    done = 0
    place = 0
    for part in parts:
        if part.heading:
            place = _found(path, file.lines, [part.heading], place) + 1
        old = part.old
        if not old and part is not parts[-1]:
            raise SnapshotError(
                f"a part of the patch only adds to {named(path)}, so at its end; give it lines around it"
            )
        at = _found(path, file.lines, old, place, at_end=part.at_end) if old else len(lines)
        after += lines[done:at]
        place = at
        for line in part.lines:
            if line.startswith("+"):
                after.append((line[1:], end))
                continue
            if line.startswith(" "):
                after.append(lines[place])
            place += 1
        done = place
    return "".join(line + each for line, each in [*after, *lines[done:]])


def _found(path: str, lines: Sequence[str], wanted: Sequence[str], start: int, *, at_end: bool = False) -> int:
    """The number of the first line from which lines are there."""
    last = len(lines) - len(wanted)
    for place in range(max(start, last) if at_end else start, last + 1):
        if list(lines[place : place + len(wanted)]) == list(wanted):
            return place
    raise SnapshotError(
        f"lines of the patch are not in {named(path)} exactly as they are written, or not in this order; "
        "read it again"
    )
