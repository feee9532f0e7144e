"""The document: a long sequence of rows of which only those that are looked at are made.

A document is kept as runs of rows over the lines of its sources. Opening one costs a pass over its
lines; the text of a row is made safe when the row is read.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol

from msgspec import Struct

from signoff.present.diff.refine import Hunk, HunkChoice, Span, diff_words
from signoff.present.document.masking import LineMasks, Masks
from signoff.present.document.rows import Block, Row, RowKind, RowRun, RowRuns, Side, joined, side_by_side
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import Field, SafeText, findings, reveal, reveal_line

__all__ = [
    "LONG_LINE",
    "Alert",
    "Choosing",
    "Document",
    "Refusal",
    "Sources",
    "Words",
]


# -- Search in texts that are shown.


class Words:
    """The words of a search. Capitals count only if there is one among the words.

    Args:
        text: At least one character.

    Raises:
        ValueError: The text is empty.
    """

    def __init__(self, text: str) -> None:
        if not text:
            raise ValueError("type what to look for")
        self.text = text
        self._exact = any(char.isupper() for char in text)
        self._wanted = text if self._exact else text.casefold()

    def may_be_in(self, line: str) -> bool:
        """True if a line may hold the words, although some of its characters are shown as others."""
        if not (line.isascii() and line.isprintable()):
            return True
        return self._wanted in (line if self._exact else line.lower())

    def spans(self, text: str) -> Iterator[Span]:
        """The spans of the words in a text, one after the other."""
        folded = text if self._exact else text.casefold()
        # Some characters fold to several: the ends of the folded ones tell which character is meant.
        ends = None
        if len(folded) != len(text):
            ends = list(accumulate(len(char.casefold()) for char in text))
        at = folded.find(self._wanted)
        while at >= 0:
            stop = at + len(self._wanted)
            yield (at, stop) if ends is None else (bisect_right(ends, at), bisect_right(ends, stop - 1) + 1)
            at = folded.find(self._wanted, stop)


_ROWS_KEPT = 512
"""The number of rows that are kept after they were read: some screens full."""

LONG_LINE = 20_000
"""The length in characters from which a line takes long to be made safe, so that the result is kept."""

_SIDES: tuple[Side, Side] = ("old", "new")
_CHANGED = frozenset({RowKind.ADDED, RowKind.REMOVED})


class Alert(Struct, frozen=True):
    """Something in a document that a reviewer should know, once for each kind.

    Attributes:
        kind: Short stable word, as in `signoff.present.reveal.Finding`.
        message: Plain words.
        row: First row that it is about.
    """

    kind: str
    message: str
    row: int


@dataclass(frozen=True, slots=True)
class Sources:
    r"""The texts that the rows of a document are lines of.

    Attributes:
        old: Lines before, with their line ends.
        new: Lines after, with their line ends.
        eol: The end of lines, which is not shown: `\r\n` only if every line of both ends with it.
        field: The field that decides how strictly the lines are read.
        masks: The rules of what to hide; None hides nothing.
        short: True if no line is known to be longer than `LONG_LINE`, so that nobody need look.
    """

    old: Sequence[str] = ()
    new: Sequence[str] = ()
    eol: str = "\n"
    field: Field = "content"
    masks: Masks | None = None
    short: bool = False
    _masks: dict[Side, LineMasks] = dataclasses.field(default_factory=dict, repr=False, compare=False)
    _long: dict[tuple[Side, int, bool], SafeText] = dataclasses.field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, side: Side) -> Sequence[str]:
        """The lines of one version."""
        return self.old if side == "old" else self.new

    def line(self, side: Side, index: int) -> str:
        """One line without its end."""
        return self.of(side)[index].removesuffix(self.eol)

    def masks_of(self, side: Side) -> LineMasks:
        """The secrets in the lines of one version."""
        if side not in self._masks:
            self._masks[side] = LineMasks(self.masks, self.of(side), command=self.field == "command")
        return self._masks[side]

    def safe_line(self, side: Side, index: int, *, mark_trailing: bool) -> SafeText:
        """One line as it is shown; a very long one is kept."""
        line, key = self.line(side, index), (side, index, mark_trailing)
        if (known := self._long.get(key)) is not None:
            return known
        text = reveal_line(line, self.field, mark_trailing=mark_trailing)
        text = self.masks_of(side).masked(text, line, index)
        if len(line) > LONG_LINE:
            self._long[key] = text
        return text

    def long_lines(self, side: Side) -> Sequence[int]:
        """The very long lines of one version."""
        if self.short or max(map(len, self.of(side)), default=0) <= LONG_LINE:
            return ()
        return [index for index, line in enumerate(self.of(side)) if len(line) > LONG_LINE]


class Choosing(Struct, frozen=True):
    """The choice of hunks of a diff: some approved, others not.

    Attributes:
        hunks: The hunks to choose from.
        choice: The approved and refused hunks; None while nobody chooses, and headings do not mention it.
        numbers: The hunks under each heading: several, where much context joins them.
        chosen: Makes the same document with a choice, or with none.
    """

    hunks: tuple[Hunk, ...]
    choice: HunkChoice | None
    numbers: tuple[tuple[int, ...], ...]
    chosen: Callable[[HunkChoice | None], Document]


class Reshaped(Protocol):
    """Makes the same tree with other parts of it folded."""

    def __call__(self, levels: int | None, *, arrays: bool) -> Document: ...


class Refusal(NamedTuple):
    """The hunks that are not approved.

    Attributes:
        choice: The approved hunks, and the others.
        numbers: The hunks under each heading: several, where much context joins them.
    """

    choice: HunkChoice
    numbers: tuple[tuple[int, ...], ...]

    def word(self, heading: int) -> str:
        """The word for a heading, by its number; empty if all under it is approved."""
        under = self.numbers[heading]
        refused = self.choice.refused.intersection(under)
        return "" if not refused else "refused" if len(refused) == len(under) else "partly refused"

    def holds(self, heading: int, side: Side, line: int) -> bool:
        """True if a line under a heading is refused; a line that stays is, if all others are."""
        refused = self.choice.refused.intersection(self.numbers[heading])
        changes = (change for number in refused for change in self.choice.hunks[number].changes)
        return len(refused) == len(self.numbers[heading]) or any(
            change.a0 <= line < change.a1 if side == "old" else change.b0 <= line < change.b1 for change in changes
        )


class Document:
    """Rows that are made when they are read.

    A row that counts must have been seen before the whole was shown; such rows are called units
    and numbered in order. The numbers stay the same whatever the amount of context.

    Attributes:
        kind: The kind of the shown content.
        path: File that the document is about, as the call names it; it is not safe to show.
        language_name: Language by the name of the file, or as named by the tool.
        added: Lines that would be added.
        removed: Lines that would be removed.
        exact: False if a block is shown as replaced although some of its lines may be the same.
        complete: False if not everything can be shown, so that seeing every row is not enough.
        notes: Plain and safe facts about the document, for its heading.
        choice: The approved hunks; None while nobody chooses.
        levels: The depth of the values in it; 0 if it is no tree.
        long_arrays: True if there are arrays in it that may be folded.
    """

    def __init__(
        self,
        kind: PresentationKind,
        runs: Iterable[RowRun] | RowRuns,
        sources: Sources = Sources(),
        *,
        path: str | None = None,
        language_name: str | None = None,
        added: int = 0,
        removed: int = 0,
        exact: bool = True,
        complete: bool = True,
        notes: tuple[str, ...] = (),
        context: int | None = None,
        other_context: Callable[[int], Document] | None = None,
        choosing: Callable[[], Choosing] | None = None,
        choice: HunkChoice | None = None,
        refusal: Refusal | None = None,
        levels: int = 0,
        long_arrays: bool = False,
        reshaped: Reshaped | None = None,
        narrower: tuple[int, Document] | None = None,
    ) -> None:
        self.kind = kind
        self.path = path
        self.language_name = language_name
        self.added = added
        self.removed = removed
        self.exact = exact
        self.complete = complete
        self.notes = notes
        self.choice = choice
        self.levels = levels
        self._choosing = choosing
        self.long_arrays = long_arrays
        self._reshaped = reshaped
        self._narrower = narrower
        self._sources = sources
        self._context = context
        self._other_context = other_context
        self._refusal = refusal
        self._kept = runs if isinstance(runs, RowRuns) else RowRuns(runs)
        self._runs, self._starts, self._units = self._kept.all, self._kept.starts, self._kept.units
        self._rows: OrderedDict[int, Row] = OrderedDict()

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def units(self) -> int:
        """Number of rows that count."""
        return self._units[-1]

    @cached_property
    def choosing(self) -> Choosing | None:
        """The choice of its hunks; None if it has none."""
        return None if self._choosing is None else self._choosing()

    @property
    def hunks(self) -> Sequence[int]:
        """Rows that are headings of hunks."""
        return self._kept.headings

    @property
    def folds(self) -> bool:
        """True if unchanged lines of it are folded."""
        return any(run.lines > 1 and run.kind in {RowKind.HUNK, RowKind.FOLD} for run in self._runs)

    @cached_property
    def changes(self) -> Sequence[int]:
        """Rows at which a block of counted rows begins: there are more of them than hunks."""
        begins: list[int] = []
        counted = False
        for run, start in zip(self._runs, self._starts, strict=False):
            if run.counts and not counted:
                begins.append(start)
            counted = run.counts
        return begins

    @cached_property
    def sides(self) -> Sequence[Block]:
        """The rows that stand beside each other when before and after are shown in two columns."""
        return side_by_side(self._runs, self._starts)

    def row(self, index: int) -> Row:
        """Read one row.

        Raises:
            IndexError: There is no such row.
        """
        if row := self._rows.get(index):
            self._rows.move_to_end(index)
            return row
        row = self._make(*self._at(index))
        self._rows[index] = row
        if len(self._rows) > _ROWS_KEPT:
            self._rows.popitem(last=False)
        return row

    def emphasis(self, index: int) -> tuple[Span, ...]:
        """Parts of a row's text that differ from the line it replaces, or is replaced by.

        Only lines of blocks with as many lines before as after are compared.
        """
        number, offset = self._at(index)
        run = self._runs[number]
        if run.partner is None:
            return ()
        if run.old is not None:
            old, new = run.old + offset, run.partner + offset
        else:
            old, new = run.partner + offset, (run.new or 0) + offset
        spans = diff_words(self._sources.line("old", old), self._sources.line("new", new))
        mine = spans[0] if run.old is not None else spans[1]
        return tuple(self.row(index).text.map_spans(mine))

    def source(self, side: Side) -> Sequence[str]:
        """The lines of one version as they are, for highlighters; they are not safe to show."""
        return self._sources.of(side)

    def safe_lines(self, side: Side) -> Iterator[SafeText]:
        """All lines of one version, made safe and with secrets hidden; tabs stay tabs."""
        sources = self._sources
        masks = sources.masks_of(side)
        for index in range(len(sources.of(side))):
            line = sources.line(side, index)
            yield masks.masked(reveal(line, sources.field), line, index)

    def with_context(self, lines: int) -> Document:
        """Return the same document with another number of unchanged lines around each change."""
        return self if self._other_context is None or lines == self._context else self._other_context(lines)

    def with_levels(self, levels: int | None, *, arrays: bool = True) -> Document:
        """Return the same tree with so many of its levels open, None for all; folded rows still count.

        Args:
            levels: The number of levels.
            arrays: False to fold long arrays.
        """
        levels = None if levels is None or levels >= self.levels else levels
        arrays = arrays or not self.long_arrays
        if self._reshaped is None or (levels is None and arrays):
            return self
        return self._reshaped(levels, arrays=arrays)

    def fitting(self, cells: int) -> Document:
        """Return the same document without the rows that nobody need see and that would not fit into a line."""
        return self if self._narrower is None or cells >= self._narrower[0] else self._narrower[1]

    @cached_property
    def has_long_lines(self) -> bool:
        """True if some rows take long to make: see `prepare`."""
        return any(self._sources.long_lines(side) for side in _SIDES)

    def prepare(self, *, first: bool = False) -> None:
        """Make the rows that take long to make, so that reading them later does not.

        It may be called in a thread of its own, before the document is read.

        Args:
            first: Only the first of them: nobody sees two such lines on one page.
        """
        if not self.has_long_lines:
            return
        for side, index, counts in self._long_rows():
            self._sources.safe_line(side, index, mark_trailing=counts)
            if first:
                return

    def _long_rows(self) -> Iterator[tuple[Side, int, bool]]:
        """The rows that take long to make: version, line, and whether they count."""
        long = {side: self._sources.long_lines(side) for side in _SIDES}
        for run in self._runs:
            if run.text is None:
                side, first = _side_of(run)
                lines = long[side]
                for index in lines[bisect_left(lines, first) : bisect_left(lines, first + run.length)]:
                    yield side, index, run.counts

    def unit_at(self, index: int) -> int | None:
        """The unit of a row, without reading the row; None if it does not count."""
        number, offset = self._at(index)
        return self._units[number] + offset if self._runs[number].counts else None

    def units_in(self, start: int, stop: int) -> range:
        """The units among the rows from `start` to before `stop`."""
        return range(self._units_before(start), self._units_before(stop))

    def row_of_unit(self, unit: int) -> int:
        """The row of a unit, or the row that stands for it where it is folded.

        Raises:
            IndexError: There is no such unit.
        """
        if not 0 <= unit < self.units:
            raise IndexError(f"there is no unit {unit} of {self.units}")
        number = bisect_right(self._units, unit) - 1
        return min(self._starts[number] + unit - self._units[number], self._starts[number + 1] - 1)

    def find(self, words: Words, rows: Iterable[int]) -> int | None:
        """The first of some rows, in their order, that shows the words; None if none does."""
        for index in rows:
            number, offset = self._at(index)
            run = self._runs[number]
            if run.text is None:
                side, first = _side_of(run)
                if not words.may_be_in(self._sources.line(side, first + offset)):
                    continue  # the row need not be made
            if any(words.spans(self.row(index).text.text)):
                return index
        return None

    def scan(self) -> tuple[Alert, ...]:
        """Look through everything that counts for things that a reviewer should be warned of.

        This reads the whole document, with the rows that take long to make; it may be called in a thread.

        Returns:
            The first finding of each kind and character.
        """
        self.prepare()
        alerts: dict[tuple[str, int | None], Alert] = {}
        for run, start in zip(self._runs, self._starts, strict=False):
            if not run.counts:
                continue
            text = "" if run.text else self._text_of(run)
            for finding in run.text().findings if run.text else findings(text, self._sources.field):
                key = finding.kind, finding.codepoint
                if finding.warn and key not in alerts:
                    row = start + text.count("\n", 0, finding.where)
                    alerts[key] = Alert(finding.kind, finding.message, row)
        return tuple(alerts.values())

    def __iter__(self) -> Iterator[Row]:
        return (self.row(index) for index in range(len(self)))

    def _at(self, index: int) -> tuple[int, int]:
        """The run that holds a row, and the number of the row in it."""
        if not 0 <= index < len(self):
            raise IndexError(f"there is no row {index} of {len(self)}")
        number = bisect_right(self._starts, index) - 1
        return number, index - self._starts[number]

    def _units_before(self, index: int) -> int:
        if index >= len(self):
            return self.units
        number, offset = self._at(max(index, 0))
        return self._units[number] + (offset if self._runs[number].counts else 0)

    def _text_of(self, run: RowRun) -> str:
        """The lines of a run as one text."""
        side, first = _side_of(run)
        lines = self._sources.of(side)[first : first + run.length]
        return "".join(lines).replace(self._sources.eol, "\n")

    def _make(self, number: int, offset: int) -> Row:
        """Make a row of a run."""
        run = self._runs[number]
        unit = self._units[number] + offset if run.counts else None
        old = None if run.old is None else run.old + offset
        new = None if run.new is None else run.new + offset
        old_no = None if old is None or not run.numbered else old + 1
        new_no = None if new is None or not run.numbered else new + 1
        if run.text is not None:
            words, lead = run.text(), run.lead
            if run.kind is RowKind.HUNK and self._refusal is not None:
                word = self._refusal.word(bisect_left(self.hunks, self._starts[number]))
                words, lead = joined(f"{word}  " if word else "", words), len(word)
            return Row(run.kind, words, old_no, new_no, unit, lines=run.lines, lead=lead)
        side, first = _side_of(run)
        text = self._sources.safe_line(side, first + offset, mark_trailing=run.counts)
        refused = False
        if self._refusal is not None and (heading := bisect_right(self.hunks, self._starts[number]) - 1) >= 0:
            refused = self._refusal.holds(heading, side, first + offset)
        return Row(run.kind, text, old_no, new_no, unit, side, first + offset, refused=refused)


def _side_of(run: RowRun) -> tuple[Side, int]:
    """The version and first line that the rows of a run show."""
    if run.new is not None:
        return "new", run.new
    return "old", run.old or 0
