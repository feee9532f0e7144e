"""Facts about a change of a file that are no lines of it, and yet part of what is approved."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator

from msgspec import Struct

from signoff.present.media import media_type
from signoff.present.reveal import SafeText
from signoff.present.rows import RowKind, Run, fixed, joined, number_of, quoted_path

__all__ = ["FileFacts", "content_fact", "line_ends", "line_fact_runs", "place_runs"]

_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_SPECIAL = stat.S_ISUID | stat.S_ISGID


class FileFacts(Struct, frozen=True):
    """What is known of a file besides its content.

    Attributes:
        mode_before: Permission bits as they are, None if there is no file or nothing is known.
        mode_after: Permission bits as they would be, None if the call does not set them.
        link_target: What the path links to, None if it is no link.
        real_path: Where the path leads with every link followed, None if nothing is known.
        follows: Whether an earlier step of the same call writes the file.
    """

    mode_before: int | None = None
    mode_after: int | None = None
    link_target: str | None = None
    real_path: str | None = None
    follows: bool = False

    def notes(self) -> tuple[str, ...]:
        """Facts that stay as they are, for the heading of a document."""
        notes = []
        if self.follows:
            notes.append("compared with what an earlier step of this call leaves")
        mode = self.mode_before
        if mode is not None and mode & _SPECIAL:
            notes.append(f"runs with the rights of its owner or group (mode {mode:o})")
        elif mode is not None and mode & _EXECUTABLE:
            notes.append(f"executable file (mode {mode:o})")
        return tuple(notes)


def place_runs(path: str, facts: FileFacts) -> Iterator[Run]:
    """Rows about the file: its whole path, where that leads, and which permissions change."""
    yield fixed(RowKind.PLACE, joined("file: ", quoted_path(path)), counts=True)
    real = facts.real_path
    if facts.link_target is not None:
        yield _fact(
            "writes through a link: ",
            quoted_path(path),
            " -> ",
            quoted_path(facts.link_target),
            *((", the file is ", quoted_path(real)) if real is not None else ()),
        )
    elif real is not None and real != path:
        yield _fact("the path leads to ", quoted_path(real))
    before, after = facts.mode_before, facts.mode_after
    if after is not None and after != before:
        was = "" if before is None else f" from {before:o}"
        yield _fact(f"permissions change{was} to {after:o}{_executable_change(before, after)}")


def line_fact_runs(before: str, after: str) -> Iterator[Run]:
    """Rows about changes of line ends and of the newline at the end of a file."""
    was, becomes = line_ends(before), line_ends(after)
    if was and becomes and was != becomes:
        yield _fact(f"line ends change from {was} to {becomes}")
    if before and after:
        had, has = before.endswith("\n"), after.endswith("\n")
        if had and not has:
            yield _fact("no newline at end of file any more")
        elif has and not had:
            yield _fact("a newline at end of file is added")
    if before and not after:
        yield _fact("the file becomes empty")


def line_ends(text: str) -> str | None:
    """How the lines of a text end: "LF", "CRLF", "LF and CRLF mixed", or None without any end."""
    if "\n" not in text:
        return None
    # One character is found much sooner than two, and most texts need not be counted through.
    windows = text.count("\r\n") if "\r" in text else 0
    if not windows:
        return "LF"
    return "CRLF" if windows == text.count("\n") else "LF and CRLF mixed"


def content_fact(words: str, data: bytes, path: str) -> Run:
    """A row that names content which cannot be shown: type, size and hash."""
    kind = media_type(data, path)
    digest = hashlib.sha256(data).hexdigest()
    return _fact(f"{words}: {kind}, {number_of(len(data), 'byte')}, sha256 {digest}")


def _fact(*parts: SafeText | str) -> Run:
    return fixed(RowKind.FACT, joined(*parts), counts=True)


def _executable_change(before: int | None, after: int) -> str:
    was, becomes = bool((before or 0) & _EXECUTABLE), bool(after & _EXECUTABLE)
    if becomes and not was:
        return " (becomes executable)"
    return " (no longer executable)" if was and not becomes else ""
