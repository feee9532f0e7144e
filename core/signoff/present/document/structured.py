"""The arguments of a call as a tree that reads like YAML, but has only one reading.

One entry takes one row, so nothing in a value can pass for another entry. Strings always stand in
quotes, or, if they have several lines, behind bars below their entry; everything else is a number,
a truth value, null, or an empty container. Nothing is cut. A string that is JSON itself is shown as a tree, and
marked; where a reader can open it, a long array may be one row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from signoff.canonical import json_in
from signoff.present.document.masking import LineMasks, Masks, mark_of
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, RowRun, fixed, joined, number_of
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, quoted, reveal, reveal_line

__all__ = ["structured_document"]

_DEEPEST = 200
"""The most levels of nesting that are shown; no honest call comes near."""

LONGEST_ARRAY = 20
"""The most items of an array that is never folded."""

_INDENT = "  "
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)

_Todo = tuple[int, SafeText, Any, str]
"""Depth, label and value of an entry that is still to be shown, and the nearest name above it."""


def structured_document(
    arguments: Any, *, notes: tuple[str, ...] = (), rows: tuple[str, ...] = (), masks: Masks | None = None
) -> Document:
    """Show JSON values; every row of them counts.

    Args:
        arguments: Usually the arguments of a call; keys are shown sorted.
        notes: Facts for the heading.
        rows: Remarks of signoff, each in a row before the tree.
        masks: The rules of what to hide; None hides nothing.

    Returns:
        A document that is not complete if a value is not JSON, or is nested absurdly deep.
    """
    first = [fixed(RowKind.NOTE, row) for row in rows]
    if isinstance(arguments, Mapping) and not arguments:
        no_rows = [*first, fixed(RowKind.NOTE, "(no arguments)", counts=True)]
        return Document(PresentationKind.STRUCTURED, no_rows, notes=notes)
    tree = _Tree(masks)
    runs = tree.runs(arguments)

    shapes = _folds(runs, tree.depths, tree.arrays)

    def shaped(levels: int | None, *, arrays: bool) -> Document:
        """The rows of the outer levels, with long arrays open or not."""
        shown = [*first, *_folded(runs, tree.depths, levels, {} if arrays else shapes)]
        return Document(
            PresentationKind.STRUCTURED,
            shown,
            complete=tree.complete,
            notes=notes,
            levels=max(tree.depths) + 1,
            long_arrays=bool(shapes),
            reshaped=shaped,
        )

    return shaped(None, arrays=True)


def _folds(runs: Sequence[RowRun], depths: Sequence[int], arrays: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """The rows of the outermost long arrays: each row with the first one of its array, and the number of items."""
    folds: dict[int, tuple[int, int]] = {}
    for first, items in sorted(arrays.items()):
        at = first
        while first not in folds and at < len(runs) and depths[at] >= depths[first]:
            at += 1
        folds.update(dict.fromkeys(range(first, at), (first, items)))
    return folds


def _folded(
    runs: Sequence[RowRun], depths: Sequence[int], levels: int | None, arrays: Mapping[int, tuple[int, int]]
) -> Iterator[RowRun]:
    """The rows that are shown; each stretch of the others becomes one row with their number."""

    def fold_of(row: int) -> tuple[int, int] | None:
        """Return the stretch that a row is folded with: the items of an array, or the rows of closed levels."""
        array, closed = arrays.get(row), levels is not None and depths[row] >= levels
        if array is not None and (levels is None or depths[array[0]] < levels):
            return array
        return (-1, 0) if closed else None

    for fold, rows in groupby(range(len(runs)), key=fold_of):
        stretch = list(rows)
        if fold is None:
            yield from (runs[row] for row in stretch)
            continue
        what = f"{fold[1]:,} items" if fold[1] else number_of(len(stretch), "row")
        words = SafeText.own(f"{_INDENT * min(depths[row] for row in stretch)}({what} folded)")
        yield RowRun(RowKind.FOLD, text=partial(joined, words), lines=len(stretch), folded=len(stretch))


class _Tree:
    """Nested values turned into rows, with a stack instead of recursion: the sender chooses the depth."""

    def __init__(self, masks: Masks | None) -> None:
        self.complete = True
        self.depths: list[int] = []
        """The depth of each row."""
        self.arrays: dict[int, int] = {}
        """The first row of each long array, and the number of its items."""
        self._masks = masks

    def runs(self, value: Any) -> list[RowRun]:
        """All rows, in order."""
        runs: list[RowRun] = []
        todo: list[_Todo] = []
        if _is_branch(value):
            todo.extend(self._inside(0, value, "", 0))
        else:
            todo.append((0, SafeText.own(""), value, ""))
        while todo:
            depth, label, value, name = todo.pop()
            if self._masks is not None and self._masks.hides(name, value):
                runs.append(_row(depth, label, mark_of(value)))
            elif not _is_branch(value) and (tree := self._json_in(value, name)) is not None:
                runs.append(_row(depth, label, "(JSON in a string, re-formatted)"))
                todo.extend(self._inside(depth + 1, tree, name, len(runs)))
            elif not _is_branch(value):
                runs.extend(self._leaf(depth, label, value, name))
            elif depth + 1 >= _DEEPEST:
                self.complete = False
                runs.append(_row(depth, label, "(nested deeper than this is shown)"))
            else:
                runs.append(_row(depth, label))
                todo.extend(self._inside(depth + 1, value, name, len(runs)))
            # The other rows of the entry are lines of its text.
            self.depths.append(depth)
            self.depths += [depth + 1] * (len(runs) - len(self.depths))
        return runs

    def _inside(self, depth: int, value: Any, name: str, row: int) -> Iterator[_Todo]:
        """The entries of a value whose first one will be in some row, the last one first."""
        if not isinstance(value, Mapping) and len(value) > LONGEST_ARRAY:
            self.arrays[row] = len(value)
        return reversed([*_entries(depth, value, name, self._masks)])

    def _json_in(self, value: Any, name: str) -> Any:
        """The list or the object that a string spells; None if it spells anything else, or may be run."""
        if self._masks is not None and self._masks.runs(name):
            return None
        return json_in(value)

    def _leaf(self, depth: int, label: SafeText, value: Any, name: str) -> Iterator[RowRun]:
        if isinstance(value, str):
            lines = value.split("\n")
            masks = LineMasks(self._masks, lines, command=self._masks is not None and self._masks.runs(name))
            if len(lines) > 1:
                yield from _block(depth, label, lines, masks)
            else:
                yield _row(depth, label, quoted(masks.masked(_revealed(value), value, 0)))
        elif value is None or isinstance(value, bool | int | float):
            yield _row(depth, label, _scalar(value))
        elif isinstance(value, Mapping):
            yield _row(depth, label, "{}")
        elif isinstance(value, list | tuple):
            yield _row(depth, label, "[]")
        else:
            self.complete = False
            kind = reveal(type(value).__name__, "arg_key")
            yield _row(depth, label, "(not JSON: ", kind, ") ", _revealed(repr(value)))


def _scalar(value: bool | float | None) -> str:
    """A value in the words of JSON."""
    try:
        return json.dumps(value)
    except ValueError:  # Python limits the length of decimal numbers, but not of hexadecimal ones
        return f"{value:#x}"


def _is_branch(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple) and bool(value)


def _entries(depth: int, value: Any, name: str, masks: Masks | None) -> Iterator[_Todo]:
    """The entries of a mapping, sorted by key, or of a sequence."""
    names = None if masks is None else masks.names_in(value, name)
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield depth, joined(_key(key), ":"), value[key], str(key) if names is None else names.of(key)
    else:
        for index, item in enumerate(value):
            yield depth, SafeText.own("-"), item, name if names is None else names.of(index)


def _key(key: Any) -> SafeText:
    """A key, in quotes unless it is a plain name."""
    if not isinstance(key, str):
        return joined("(key that is not text) ", _revealed(repr(key)))
    shown = reveal(key, "arg_key")
    return shown if _PLAIN_KEY.fullmatch(key) else quoted(shown)


def _block(depth: int, label: SafeText, lines: list[str], masks: LineMasks) -> Iterator[RowRun]:
    """A text of several lines, each behind a bar."""
    ended = not lines[-1]
    if ended:
        lines.pop()
    end = "" if ended else ", no newline at the end"
    yield _row(depth, label, f"| ({number_of(len(lines), 'line')}{end})")
    for index, line in enumerate(lines):
        yield RowRun(RowKind.PLAIN, counts=True, text=partial(_barred, depth + 1, line, index, masks))


def _barred(depth: int, line: str, index: int, masks: LineMasks) -> SafeText:
    return joined(f"{_INDENT * depth}| ", masks.masked(_revealed(line), line, index))


def _revealed(text: str) -> SafeText:
    return reveal_line(text, "arg_value", mark_trailing=True)


def _row(depth: int, label: SafeText, *value: SafeText | str) -> RowRun:
    gap = " " if label.text and value else ""
    return fixed(RowKind.PLAIN, joined(_INDENT * depth, label, gap, *value), counts=True)
