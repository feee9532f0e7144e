"""Documents of file changes: diffs, new files, binary content, and facts such as mode and line ends."""

from __future__ import annotations

import dataclasses
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from signoff.present.diff.engine import LineDiff, Opcode, diff_lines, split_lines
from signoff.present.diff.refine import CONTEXT, Hunk, HunkChoice, folds, hunks_of
from signoff.present.document.masking import Masks
from signoff.present.document.media import image_size, is_binary, language_of, media_type, size_text, text_of
from signoff.present.document.model import LONG_LINE, Choosing, Document, Refusal, Sources
from signoff.present.document.rows import (
    RowKind,
    RowRun,
    RowRuns,
    Side,
    fixed,
    joined,
    lines_run,
    made_run,
    number_of,
    quoted_path,
)
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, quoted, reveal_line

__all__ = [
    "CONTEXT",
    "FileFacts",
    "binary_document",
    "content_fact",
    "diff_document",
    "file_document",
    "line_ends",
    "line_fact_runs",
    "place_runs",
]


# -- Facts about a change of a file that are not lines of it, and yet part of what is approved.

_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_SPECIAL = stat.S_ISUID | stat.S_ISGID


class FileFacts(Struct, frozen=True):
    """The facts about a file besides its content.

    Attributes:
        mode_before: Permission bits as they are, None if there is no file or nothing is known.
        mode_after: Permission bits as they would be, None if the call does not set them.
        link_target: The target of the path, None if it is no link.
        real_path: The path with every link followed, None if not known.
        follows: True if an earlier step of the same call writes the file.
        removed: True if the next step, which is the last, removes it.
        headed: True if a heading above the document names the path in full.
    """

    mode_before: int | None = None
    mode_after: int | None = None
    link_target: str | None = None
    real_path: str | None = None
    follows: bool = False
    removed: bool = False
    headed: bool = False

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


def place_runs(path: str, facts: FileFacts) -> Iterator[RowRun]:
    """Rows about the file: its whole path, the target of its links, and changed permissions."""
    if not facts.headed:
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
    if facts.removed:
        yield _fact("the file is removed")
    before, after = facts.mode_before, facts.mode_after
    if after is not None and after != before:
        was = "" if before is None else f" from {before:o}"
        yield _fact(f"permissions change{was} to {after:o}{_executable_change(before, after)}")


def line_fact_runs(before: str, after: str) -> Iterator[RowRun]:
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
    """The line ends of a text: "LF", "CRLF", "LF and CRLF mixed", or None without any."""
    if "\n" not in text:
        return None
    # One character is found much faster than two, and most texts need not be counted through.
    windows = text.count("\r\n") if "\r" in text else 0
    if not windows:
        return "LF"
    return "CRLF" if windows == text.count("\n") else "LF and CRLF mixed"


def content_fact(before: bytes | None, after: bytes, path: str) -> RowRun:
    """A row about content that is not shown as lines: type, size of an image, and the kind of the change."""
    versions = [after] if before is None else [before, after]
    kinds = [media_type(data, path) if is_binary(data) else "text" for data in versions]
    images = [f"{size[0]:,} × {size[1]:,}" for size in map(image_size, versions) if size is not None]
    pixels = (f"{' → '.join(dict.fromkeys(images))} pixels",) if images else ()
    sizes = " → ".join(size_text(len(data)) for data in versions)
    if before is None:
        change = f"new, {sizes}"
    elif before == after:
        change = f"{size_text(len(after))}, the content stays the same"
    else:
        change = f"replaced, {sizes}"
    return _fact(", ".join((" → ".join(dict.fromkeys(kinds)), *pixels, change)))


def _fact(*parts: SafeText | str) -> RowRun:
    return fixed(RowKind.FACT, joined(*parts), counts=True)


def _executable_change(before: int | None, after: int) -> str:
    was, becomes = bool((before or 0) & _EXECUTABLE), bool(after & _EXECUTABLE)
    if becomes and not was:
        return " (becomes executable)"
    return " (no longer executable)" if was and not becomes else ""


MOST_BLANK = 5
"""The most equal blank lines in a row that are shown one by one; more of them are one row."""

_CHOICES_KEPT = 4
"""The number of choices whose documents are kept: that of a long diff takes a while to make."""

_HEX_BYTES = 64
_HEX_WIDTH = 16
_HEX_ROW = 75  # cells of a row of so many bytes
_HEADING_SEARCH = 2_000  # lines above a hunk that are searched for the one that its heading shows
_HEADING_LENGTH = 200  # the longest line that a heading shows, in characters
_NO_NEWLINE = "\\ no newline at end of file"
_GAVE_UP = (
    "shown as replaced: too much differs here to be compared line by line, so equal lines may be among these"
)


def diff_document(
    before: bytes | None,
    after: bytes,
    path: str,
    *,
    facts: FileFacts = FileFacts(),  # noqa: B008  immutable
    masks: Masks | None = None,
) -> Document:
    """Show how a file would change.

    Args:
        before: Content as it is, None if there is no file.
        after: Content as it would be.
        path: Path as the call names it; empty for texts of no file.
        facts: Further facts about the file.
        masks: The rules of what to hide; None hides nothing.

    Returns:
        A document of the kind DIFF; FILE_CONTENT if there is no file before, BINARY if the content after
        is not text.
    """
    if before is None:
        return file_document(after, path, facts=facts, masks=masks)
    old, new = text_of(before), text_of(after)
    if new is None:
        return binary_document(before, after, path, facts=facts)
    replaces_binary = old is None
    old = old or ""
    rows = [*place_runs(path, facts)] if path else []
    if replaces_binary:
        rows.append(content_fact(before, after, path))
    else:
        rows.extend(() if facts.removed else line_fact_runs(old, new))
    sources = _sources(old, new, masks)
    diff = diff_lines(sources.old, sources.new)
    change = _Change(path, facts, sources, diff, tuple(rows), not replaces_binary)
    return change.document(CONTEXT)


def file_document(
    content: bytes,
    path: str,
    *,
    facts: FileFacts = FileFacts(),  # noqa: B008  immutable
    masks: Masks | None = None,
) -> Document:
    """Show a file that would be created; every line counts.

    Args:
        content: Content as it would be.
        path: Path as the call names it.
        facts: Further facts about the file.
        masks: The rules of what to hide; None hides nothing.

    Returns:
        A document of the kind FILE_CONTENT, or BINARY if the content is not text.
    """
    if is_binary(content):
        return binary_document(None, content, path, facts=facts)
    sources = _sources("", content.decode(), masks)
    lines = sources.new
    runs = [*place_runs(path, facts), *_changed_lines(RowKind.PLAIN, sources, 0, len(lines))]
    if not lines:
        runs.append(fixed(RowKind.NOTE, "(empty file)", counts=True))
    elif not lines[-1].endswith("\n"):
        runs.append(fixed(RowKind.NOTE, _NO_NEWLINE))
    return Document(
        PresentationKind.FILE_CONTENT,
        runs,
        sources,
        path=path,
        language_name=language_of(path),
        added=len(lines),
        notes=(
            *facts.notes(),
            *_eol_notes(sources),
        ),
    )


def binary_document(
    before: bytes | None,
    after: bytes,
    path: str,
    *,
    facts: FileFacts = FileFacts(),  # noqa: B008  immutable
) -> Document:
    """Describe content that cannot be shown: type, size and first bytes, where there is room for a row of them.

    Args:
        before: Content as it is, None if there is no file.
        after: Content as it would be.
        path: Path as the call names it.
        facts: Further facts about the file.

    Returns:
        A document that is not complete.
    """
    runs = [*place_runs(path, facts), content_fact(before, after, path)]
    notes = ("binary: not shown in full", *facts.notes())
    without = Document(PresentationKind.BINARY, runs, path=path, complete=False, notes=notes)
    runs = [*runs, *_hex_runs(after)]
    least = _HEX_ROW if len(after) >= _HEX_WIDTH else 0
    return Document(
        PresentationKind.BINARY, runs, path=path, complete=False, notes=notes, narrower=(least, without)
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """A diff, from which documents with any amount of context are made."""

    path: str
    facts: FileFacts
    sources: Sources
    diff: LineDiff
    fact_runs: tuple[RowRun, ...]
    complete: bool
    choice: HunkChoice | None = None
    kept: dict[int, RowRuns] = field(default_factory=dict, repr=False, compare=False)
    """Rows by context; choices share them, apart from the words in headings."""
    of_hunks: list[tuple[Hunk, ...]] = field(default_factory=list, repr=False, compare=False)
    """The hunks to choose from, made on first use; choices share them."""

    def chosen(self, choice: HunkChoice | None) -> Document:
        """Make the document with some hunks marked as approved and the others as refused."""
        return dataclasses.replace(self, choice=choice).document(CONTEXT)

    def document(self, context: int) -> Document:
        """Make the document with so many unchanged lines around each change."""
        context = max(context, 0)
        changed = [opcode for opcode in self.diff.opcodes if opcode.tag != "equal"]
        if context not in self.kept:
            self.kept[context] = RowRuns(self._runs(context, anything=bool(changed)))
        return Document(
            PresentationKind.DIFF,
            self.kept[context],
            self.sources,
            path=self.path,
            language_name=language_of(self.path),
            added=sum(opcode.b1 - opcode.b0 for opcode in changed),
            removed=sum(opcode.a1 - opcode.a0 for opcode in changed),
            exact=self.diff.exact,
            complete=self.complete,
            notes=(*self.facts.notes(), *_eol_notes(self.sources)),
            context=context,
            other_context=self.document,
            choosing=partial(self._choosing, context) if self.complete else None,
            choice=self.choice if self.complete else None,
            refusal=self._refusal(context),
        )

    def _runs(self, context: int, *, anything: bool) -> Iterator[RowRun]:
        yield from self.fact_runs
        if anything or any(run.kind is not RowKind.PLACE for run in self.fact_runs):
            yield from _hunk_runs(self.sources, self.diff.opcodes, context)
        else:
            yield fixed(RowKind.NOTE, "(the content stays the same)", counts=True)

    def _choosing(self, context: int) -> Choosing:
        hunks = self._hunks()
        chosen = lru_cache(maxsize=_CHOICES_KEPT)(self.chosen)
        return Choosing(hunks, self.choice, self._numbers(hunks, context), chosen)

    def _numbers(self, hunks: Sequence[Hunk], context: int) -> tuple[tuple[int, ...], ...]:
        """The numbers of the hunks under each heading."""
        if context == CONTEXT:
            return tuple((number,) for number in range(len(hunks)))
        number_of_change = {change: number for number, hunk in enumerate(hunks) for change in hunk.changes}
        shown = hunks_of(self.diff.opcodes, context)
        return tuple(tuple(sorted({number_of_change[change] for change in hunk.changes})) for hunk in shown)

    def _hunks(self) -> tuple[Hunk, ...]:
        if not self.of_hunks:
            self.of_hunks.append(hunks_of(self.diff.opcodes))
        return self.of_hunks[0]

    def _refusal(self, context: int) -> Refusal | None:
        """The refused hunks among those under each heading; None while there are none."""
        if self.choice is None or not self.choice.refused:
            return None
        return Refusal(self.choice, self._numbers(self._hunks(), context))


def _sources(old: str, new: str, masks: Masks | None) -> Sources:
    ends = {line_ends(text) for text in (old, new)} - {None}
    eol = "\r\n" if ends == {"CRLF"} else "\n"
    return Sources(split_lines(old), split_lines(new), eol, masks=masks, short=_is_short(old) and _is_short(new))


def _is_short(text: str) -> bool:
    """True if no line of a text is very long; it looks at few of them."""
    at = 0
    while len(text) - at > LONG_LINE:
        end = text.rfind("\n", at, at + LONG_LINE)
        if end < 0:
            return False
        at = end + 1
    return True


def _eol_notes(sources: Sources) -> tuple[str, ...]:
    return ("every line ends with CRLF",) if sources.eol == "\r\n" else ()


def _hunk_runs(sources: Sources, opcodes: Sequence[Opcode], context: int) -> Sequence[RowRun]:
    """Rows of a diff: headings that stand for what is folded above, unchanged and changed lines, the last fold."""
    runs: list[RowRun] = []
    hunk: list[RowRun] = []
    start, above = (0, 0), 0
    for number, opcode in enumerate(opcodes):
        tag, a0, a1, b0, b1, _ = opcode
        if tag != "equal":
            hunk += _change_runs(sources, opcode)
            continue
        length = a1 - a0
        head = context if number else 0
        tail = context if number < len(opcodes) - 1 else 0
        if not folds(length, head + tail):
            hunk += _context_runs(sources, a0, b0, length)
            continue
        if hunk:
            hunk += _context_runs(sources, a0, b0, head)
            runs.append(made_run(RowKind.HUNK, _Heading(sources, start, above).text, above))
            runs += hunk
        above = length - head - tail
        start = a1 - tail, b1 - tail
        hunk = [*_context_runs(sources, *start, tail)]
    if hunk:
        runs.append(made_run(RowKind.HUNK, _Heading(sources, start, above).text, above))
        runs += hunk
    elif above:
        runs.append(made_run(RowKind.FOLD, partial(_fold_text, above), above))
    return runs


def _fold_text(hidden: int) -> SafeText:
    return SafeText.own(f"({number_of(hidden, 'unchanged line')})")


def _context_runs(sources: Sources, a0: int, b0: int, length: int) -> Sequence[RowRun]:
    if not length:
        return ()
    run = lines_run(RowKind.CONTEXT, length, False, a0, b0)
    return (run,) if a0 + length < len(sources.old) else (run, *_newline_note(sources.old))


def _change_runs(sources: Sources, opcode: Opcode) -> Sequence[RowRun]:
    """Rows of one change: first the removed lines, then the added ones."""
    _, a0, a1, b0, b1, exact = opcode
    if exact and a1 - a0 == b1 - b0 <= MOST_BLANK and a1 < len(sources.old) and b1 < len(sources.new):
        # Most changes are a few lines in place of as many others.
        return (
            lines_run(RowKind.REMOVED, a1 - a0, True, a0, None, b0),
            lines_run(RowKind.ADDED, b1 - b0, True, None, b0, a0),
        )
    runs: list[RowRun] = []
    if not exact:
        runs.append(fixed(RowKind.NOTE, _GAVE_UP))
    shift = b0 - a0 if exact and a1 - a0 == b1 - b0 else None
    if a0 < a1:
        runs += _changed_lines(RowKind.REMOVED, sources, a0, a1, shift)
        runs += () if a1 < len(sources.old) else _newline_note(sources.old)
    if b0 < b1:
        runs += _changed_lines(RowKind.ADDED, sources, b0, b1, None if shift is None else -shift)
        runs += () if b1 < len(sources.new) else _newline_note(sources.new)
    return runs


def _newline_note(lines: Sequence[str]) -> Sequence[RowRun]:
    """A row that says that the last line of a version has no newline, if so."""
    return () if lines[-1].endswith("\n") else (fixed(RowKind.NOTE, _NO_NEWLINE),)


def _changed_lines(
    kind: RowKind, sources: Sources, start: int, stop: int, shift: int | None = None
) -> Sequence[RowRun]:
    """Rows of removed or added lines; many equal blank lines in a row become one row.

    Args:
        kind: `REMOVED` takes the lines before, everything else the lines after.
        sources: The lines.
        start: First line.
        stop: Line that follows the last one.
        shift: The distance to the line of the other version that each is compared with.
    """
    removed = kind is RowKind.REMOVED

    def run(first: int, length: int) -> RowRun:
        partner = None if shift is None else first + shift
        return lines_run(kind, length, True, first if removed else None, None if removed else first, partner)

    if stop - start <= MOST_BLANK:
        return (run(start, stop - start),) if start < stop else ()

    side: Side = "old" if removed else "new"
    lines = sources.of(side)
    runs: list[RowRun] = []
    shown = at = start
    for line, group in groupby(lines[start:stop], key=lambda line: "" if line.strip() else line):
        length = sum(1 for _ in group)
        if line and length > MOST_BLANK:
            if shown < at:
                runs.append(run(shown, at - shown))
            text = partial(_blank_text, kind, length, sources.line(side, at))
            runs.append(run(at, 1)._replace(partner=None, text=text, lines=length))
            shown = at + length
        at += length
    if shown < stop:
        runs.append(run(shown, stop - shown))
    return runs


def _blank_text(kind: RowKind, count: int, line: str) -> SafeText:
    """Words for a number of equal blank lines, and for what is in them if they are not empty."""
    what = {RowKind.ADDED: " added", RowKind.REMOVED: " removed"}.get(kind, "")
    words = f"({number_of(count, 'blank line')}{what}"
    if not line:
        return SafeText.own(f"{words})")
    return joined(f"{words}, each ", quoted(reveal_line(line, mark_trailing=True)), ")")


_OPENING = re.compile(r"(?:(?:export|pub|static|async)\s+)*(?:def|fn|func|function|sub)\s+(?=[\w(])", re.ASCII)
"""The words before the name of a function."""


class _Heading(NamedTuple):
    """Heading of a hunk; its text is made when it is read.

    Attributes:
        sources: The lines.
        start: Its first lines, before and after.
        above: The number of unchanged lines that are folded above it.
    """

    sources: Sources
    start: tuple[int, int]
    above: int

    def text(self) -> SafeText:
        """Make the text: the number of the first line, the function that it is in, what is folded."""
        sources, start, above = self
        inside: tuple[SafeText | str, ...] = ()
        for index in range(start[0] - 1, max(-1, start[0] - 1 - _HEADING_SEARCH), -1):
            line = sources.line("old", index)
            if line[:1].isidentifier() and len(line) <= _HEADING_LENGTH:
                whole = sources.masks_of("old").masked(reveal_line(line), line, index)
                inside = (" ", _name_in(whole))
                break
        return joined(f"@@ {start[1] + 1}", *inside, *(("  ", _fold_text(above)) if above else ()))


def _name_in(line: SafeText) -> SafeText:
    """A line that opens a function, without the words around its name; others as they are."""
    text = line.text
    opened = _OPENING.match(text)
    return line.part(opened.end() if opened else 0, len(text.rstrip(" {:")) or len(text))


def _hex_runs(data: bytes) -> Iterator[RowRun]:
    """The first bytes as numbers and letters, side by side, no wider than the longest row needs."""
    width = 3 * min(len(data), _HEX_WIDTH) - 1
    for offset in range(0, min(len(data), _HEX_BYTES), _HEX_WIDTH):
        part = data[offset : min(offset + _HEX_WIDTH, _HEX_BYTES)]
        letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        numbers = part.hex(" ").ljust(width)
        yield fixed(RowKind.PLAIN, f"{offset:08x}  {numbers}  {letters}")
    if len(data) > _HEX_BYTES:
        rest = number_of(len(data) - _HEX_BYTES, "more byte")
        yield fixed(RowKind.NOTE, f"({rest} not shown)")
