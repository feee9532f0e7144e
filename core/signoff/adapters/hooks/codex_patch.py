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
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from signoff.adapters.hooks.text_files import line_feeds, require_written
from signoff.effects import Command, Effect, FileWrite, SnapshotError
from signoff.present.snapshot.files import look, named

__all__ = ["CODEX", "PatchPart", "Patcher", "effects_of", "lines_at", "patch_for"]

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = _SIGNS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")
_MOVE, _AT_END = "*** Move to: ", "*** End of File"


class PatchPart(NamedTuple):
    """A part of an update of one file.

    Attributes:
        heading: A line that is before it; "" for none.
        lines: Its lines with their signs.
        at_end: True if it is at the end of the file.
        marked: False for a first part that does not begin with ``@@``.
    """

    heading: str
    lines: Sequence[str]
    at_end: bool
    marked: bool = True

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
    parts: Sequence[PatchPart] = ()
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


class Patcher(NamedTuple):
    """The way in which an agent applies the parts of a patch to files.

    Attributes:
        added: Returns the content of a file that is added, of its lines.
        lines: Returns the lines of a file that is to be updated, of its path.
        updated: Returns the content of an updated file, and the hash of the one before, of its path and the parts.
    """

    added: Callable[[Sequence[str]], bytes]
    lines: Callable[[str], Sequence[str]]
    updated: Callable[[str, Sequence[PatchPart]], tuple[bytes, str]]


def effects_of(patch: str, cwd: str, patcher: Patcher | None = None) -> Sequence[Effect]:
    """Return what a patch does: files that it writes, and those that it removes.

    Args:
        patch: The patch.
        cwd: The directory that its paths start from.
        patcher: The agent's way to apply it; that of Codex by default.

    Raises:
        SnapshotError: It does not apply exactly as it is written; the message says what to do.
    """
    sections = _sections(patch, cwd)
    return tuple(effect for section in sections for effect in _effects(section, cwd, patcher or CODEX))


def patch_for(patch: str, cwd: str, path: str, content: bytes, patcher: Patcher | None = None) -> str:
    """Return a patch that writes exactly this content, in place of one that writes something else.

    Args:
        patch: The patch that was asked, of one file.
        cwd: The directory that its paths start from.
        path: The file that the content is for.
        content: The content.
        patcher: The agent's way to apply it; that of Codex by default.

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
        old = [f"-{line}" for line in (patcher or CODEX).lines(path)]
        changed = [_BEGIN, _UPDATE + path, "@@", *old, *new, _END]
    written = "\n".join(changed)

    def again() -> FileWrite:
        [effect] = effects_of(written, cwd, patcher)
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


def _parts(path: str, lines: Sequence[str]) -> Iterator[PatchPart]:
    wrong = SnapshotError(
        f"an update of {named(path)} is not as it should be: each part begins with @@, and each of its lines "
        "with a space, + or -"
    )
    starts = [number for number, line in enumerate(lines) if line == "@@" or line.startswith("@@ ")]
    if not lines:
        raise wrong
    marked = starts[:1] == [0]
    if not marked:  # the first part needs no heading
        lines, starts = ["@@", *lines], [0, *(number + 1 for number in starts)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        heading, body = lines[start][3:], lines[start + 1 : end]
        at_end = bool(body) and body[-1] == _AT_END
        body = body[:-1] if at_end else body
        if not body or heading != heading.rstrip() or not all(line.startswith((" ", "+", "-")) for line in body):
            raise wrong
        yield PatchPart(heading, body, at_end, marked or start > 0)


# -- From the parts to the files.


def _effects(section: _Section, cwd: str, patcher: Patcher) -> Sequence[Effect]:
    path = section.path
    for each in (path, section.target):
        if os.path.islink(each):  # noqa: PTH114 - text is what is stored
            raise SnapshotError(f"{named(each)} is a link; name the file that it leads to")
    if section.sign == _ADD:
        state, _ = look(path)
        return (FileWrite(path, patcher.added(section.lines), replaces=state.sha256 or ""),)
    if section.sign == _DELETE:
        state, _ = look(path)
        if state.sha256 is None:
            raise SnapshotError(f"{named(path)} is not there")
        return _removal(path, state.sha256, cwd)
    content, before = patcher.updated(path, section.parts)
    if not section.target:
        return (FileWrite(path, content, replaces=before),)
    state, _ = look(section.target)
    return (FileWrite(section.target, content, replaces=state.sha256 or ""), *_removal(path, before, cwd))


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


def _added(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _updated(path: str, parts: Sequence[PatchPart]) -> tuple[bytes, str]:
    """The file after an update, and the hash of the one before.

    Raises:
        SnapshotError: A part is not found exactly as it is written.
    """
    file = _read(path)
    end = file.ends[0] or "\n" if file.ends else "\n"
    lines = [(line, each or end) for line, each in zip(file.lines, file.ends, strict=True)]
    after: list[tuple[str, str]] = []
    done = 0
    place = 0
    for part in parts:
        if part.heading:
            place = lines_at(path, file.lines, [part.heading], place) + 1
        old = part.old
        if not old and part is not parts[-1]:
            raise SnapshotError(
                f"a part of the patch only adds to {named(path)}, so at its end; give it lines around it"
            )
        at = lines_at(path, file.lines, old, place, at_end=part.at_end) if old else len(lines)
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
    return "".join(line + each for line, each in [*after, *lines[done:]]).encode(), file.sha256


def lines_at(path: str, lines: Sequence[str], wanted: Sequence[str], start: int, *, at_end: bool = False) -> int:
    """Return the number of the first line from which lines are there.

    Args:
        path: The file, for the message.
        lines: Its lines.
        wanted: The lines to find.
        start: The number of the line to begin with.
        at_end: True if they have to be the last ones.

    Raises:
        SnapshotError: They are not there.
    """
    last = len(lines) - len(wanted)
    for place in range(max(start, last) if at_end else start, last + 1):
        if list(lines[place : place + len(wanted)]) == list(wanted):
            return place
    raise SnapshotError(
        f"lines of the patch are not in {named(path)} exactly as they are written, or not in this order; "
        "read it again"
    )


CODEX = Patcher(_added, lambda path: _read(path).lines, _updated)
"""The way of Codex."""
