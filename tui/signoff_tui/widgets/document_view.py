"""Shows documents: diffs, files, commands, structured calls. Owns the place of the reader in them.

The view draws only what is visible, whatever the length. It knows what was drawn, so that the screen can count
what was shown, and asks for syntax colors of visible blocks only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from signoff.present.document import Choosing, Document
from signoff.present.finding import Words
from signoff.present.rows import RowKind, Side
from signoff_tui.coverage import Part
from signoff_tui.highlight import BLOCK_LINES, Block, Highlights, Spans
from signoff_tui.lines import Line, paint
from signoff_tui.look import look_of
from signoff_tui.reading import Cell, Place, Reading, Rest, VisibleLine
from signoff_tui.split_reading import LEAST_WIDTH, WIDE, SplitReading, can_be_split
from signoff_tui.widgets.document_lines import NARROW, DocumentLine, Gutter, paint_document_line
from signoff_tui.widgets.sized import Sized

__all__ = ["DocumentView"]

CONTEXT = 3
"""Unchanged lines around changes, until somebody asks for more or less."""

_BETWEEN = "|"
"""Stands between two columns; one cell."""

_SIDES: tuple[Side, Side] = ("old", "new")

LEAST_TEXT = 8
"""Cells for text, however narrow the view."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the view shows, and whose it is.

    Attributes:
        owner: Identity of the request and revision; another owner starts at the top.
        given: The documents as they were handed over.
        reading: The same with the wanted amount of context, wrapped for the view.
    """

    owner: object
    given: tuple[Document, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Found:
    """What was looked for, and the row of the documents in which it was found."""

    words: Words
    row: int


class DocumentView(Sized):
    """A viewport on documents, placed by row and wrapped part."""

    DEFAULT_CSS = """
    DocumentView { height: 1fr; width: 1fr; }
    """

    virtual_size = Reactive(Size(0, 0), layout=False)
    """It scrolls by itself: another size asks for no second layout, as it does where Textual scrolls."""

    class Moved(Message):
        """Other lines are visible now."""

    class ColorsWanted(Message):
        """Visible lines have no syntax colors yet: which blocks of which documents."""

        def __init__(self, blocks: Sequence[tuple[Document, Block]]) -> None:
            super().__init__()
            self.blocks = tuple(blocks)

    class Colored(Message):
        """The colors that were wanted, for whoever computes them."""

        def __init__(self, wanted: DocumentView.ColorsWanted, spans: Sequence[tuple[Spans, ...]]) -> None:
            super().__init__()
            self.wanted = wanted
            self.spans = tuple(spans)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._shown: _Shown | None = None
        self._notice: tuple[Line, ...] = ()
        self._around = CONTEXT
        self._levels: int | None = None
        """Levels of trees that are open; None for all."""
        self._wrap = True
        self._split: bool | None = False
        self._found: _Found | None = None
        self._at_hunk: int | None = None
        self._top = Place(0)
        self._places: dict[object, Place] = {}
        self._visible: tuple[VisibleLine, ...] = ()
        self._gutter = Gutter.of((), 0)
        self._drawn = True
        self._highlights = Highlights()
        self._asked: set[Block] = set()
        self._folded: dict[int, tuple[Document, Document]] = {}
        """Documents as they were handed over and with the wanted context, so that those that stay are the same."""

    # -- content -----------------------------------------------------------------------------------------

    @property
    def owner(self) -> object:
        """Whose documents are shown, or None."""
        return self._shown.owner if self._shown is not None else None

    @property
    def drawn(self) -> bool:
        """Whether the last picture that was drawn shows what is visible now."""
        return self._drawn

    @property
    def parts(self) -> tuple[Part, ...]:
        """What of the coverage units is visible."""
        return () if self._shown is None else self._shown.reading.parts(self._visible)

    @property
    def layout_number(self) -> int:
        """How rows are broken into lines, as a number: see `Reading.layout`."""
        return 0 if self._shown is None else self._shown.reading.layout

    def show(self, owner: object, documents: Sequence[Document]) -> None:
        """Show documents. The place in them is remembered per owner.

        Of another owner it is not told that they moved: whoever shows them draws what stands around them as well.
        """
        given = tuple(documents)
        if self._shown is not None and (self._shown.owner, self._shown.given) == (owner, given):
            if self.size.height and not self._visible:
                self._relayout()  # the view had no size yet when it was asked to show them
            return
        self._remember_place()
        if not self.size:
            self.forget_size()
        other = self.owner != owner
        if other:
            self._found = self._at_hunk = None
            self._forget_colors()
            self._folded.clear()
            self._levels = None
        self._shown = _Shown(owner, given, self._read(given))
        self._top = self._places.get(owner, Place(0))
        self._relayout(tells=not other)

    def notice(self, lines: Sequence[Line]) -> None:
        """Show the program's own words instead of documents."""
        notice = tuple(lines)
        if self._shown is None and notice == self._notice:
            return
        self._remember_place()
        self._shown, self._notice = None, notice
        self._relayout()

    def take_colors(self, colored: Colored) -> None:
        """Take over syntax colors, except of documents that are not shown any more."""
        shown = set() if self._shown is None else set(map(id, self._shown.reading.documents))
        for (document, block), spans in zip(colored.wanted.blocks, colored.spans, strict=True):
            if id(document) in shown:
                self._highlights.store(block, spans)
                self.refresh()

    @property
    def context(self) -> int:
        """Unchanged lines around changes."""
        return self._around

    def set_context(self, lines: int) -> None:
        """Show another number of unchanged lines around changes; the reader stays at the same change."""
        self._around = lines
        self._found = self._at_hunk = None
        self._places.clear()
        self._fold_anew()

    def fold_tree(self, *, more: bool) -> tuple[int, int]:
        """Close the deepest level of the trees that is open, or open one more.

        What is closed does not count as shown.

        Returns:
            How many levels are open, and how many there are; of the deepest tree.
        """
        deepest = 0 if self._shown is None else max(document.levels for document in self._shown.given)
        if deepest > 1:
            now = self._levels or deepest
            levels = min(max(now - 1 if more else now + 1, 1), deepest)
            self._levels = None if levels == deepest else levels
            self._fold_anew()
        return self._levels or deepest, deepest

    def _fold_anew(self) -> None:
        self._folded.clear()
        if self._shown is None:
            return
        document, unit = self.document_at_top, self._shown.reading.unit_from(self._top)
        counts = self._shown.reading.documents[document].units > 0
        self._shown = _Shown(self._shown.owner, self._shown.given, self._read(self._shown.given))
        reading = self._shown.reading
        # Where nothing counts, as among the parts of a command, there is no line to stay at.
        self._top = (
            reading.place_of_unit(unit) if counts and unit is not None else reading.place_of_document(document)
        )
        self._forget_colors()
        self._relayout()

    def show_as(self, *, context: int, wrap: bool, split: bool | None) -> None:
        """Show documents in this way from now on.

        Args:
            context: Unchanged lines around changes.
            wrap: Whether rows that are too wide are wrapped.
            split: Whether before and after stand beside each other where there is room; None is as the terminal
                is wide.
        """
        self._wrap, self._split = wrap, split
        self.set_context(context)

    @property
    def wraps(self) -> bool:
        """Whether rows that are too wide are wrapped; in a narrow view they always are."""
        return self._wrap or 0 < self.size.width < NARROW

    def toggle_wrap(self) -> bool:
        """Cut rows that are too wide instead of wrapping them, or wrap them again; the topmost row stays.

        Returns:
            Whether they are to be wrapped. In a narrow view they are in any case.
        """
        self._wrap = not self._wrap
        self._wrap_anew()
        return self._wrap

    def toggle_split(self) -> bool:
        """Show before and after in two columns, or below each other; returns which is wanted now."""
        self._split = not self._wants_split
        self._wrap_anew()
        return self._split

    @property
    def split(self) -> bool:
        """Whether before and after stand in two columns now."""
        return isinstance(self._shown.reading if self._shown is not None else None, SplitReading)

    # -- moving ------------------------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether the end of the text is visible."""
        return self._shown is None or self._shown.reading.at_end(self._top, self._height)

    @property
    def rest(self) -> Rest:
        """What lies below the view."""
        return Rest(0) if self._shown is None else self._shown.reading.rest(self._visible)

    def scroll_lines(self, lines: int) -> None:
        """Scroll by lines, down for positive numbers."""
        if self._shown is None:
            return
        reading = self._shown.reading
        if lines > 0:
            self._scroll(reading.down(self._top, lines, self._height))
        else:
            self._scroll(reading.up(self._top, -lines))

    def scroll_pages(self, pages: float) -> None:
        """Scroll by pages, one line of overlap."""
        self.scroll_lines(round(max(self._height - 1, 1) * pages))

    def go_home(self) -> None:
        """Go to the first line."""
        self._scroll(Place(0))

    def go_end(self) -> None:
        """Go to the last line."""
        if self._shown is not None:
            self._scroll(self._shown.reading.last(self._height))

    def go_hunk(self, *, forward: bool) -> bool:
        """Go to the next or previous hunk, from the one that is pointed at if any; False when there is none."""
        if self._shown is None:
            return False
        reading = self._shown.reading
        pointed = self._pointed
        if pointed is not None:
            # Of the last one, perhaps only the heading is on the screen: it is brought up.
            return self._point(pointed + (1 if forward else -1)) or (forward and self._bring_up(pointed))
        place = reading.next_hunk(self._top) if forward else reading.previous_hunk(self._top)
        if place is not None and self.choosing is not None:
            return self._point(reading.hunk_at(place)[0] - 1)
        return place is not None and self._go(place)

    @property
    def hunk(self) -> tuple[int, int]:
        """Which hunk is at the top, from 1 (0 above the first), and how many there are; 0, 0 if all is visible.

        Where hunks are chosen and a heading is on the screen, it is the one that would be refused.
        """
        pointed = self._pointed
        if self._shown is not None and pointed is not None:
            return pointed + 1, self._shown.reading.hunk_at(Place(0))[1]
        if self._shown is None or (self._top == Place(0) and self.at_end):
            return (0, 0)
        return self._shown.reading.hunk_at(self._top)

    @property
    def document_at_top(self) -> int:
        """Which of the documents is at the top of the view, from 0."""
        return (
            0
            if self._shown is None or not len(self._shown.reading)
            else self._shown.reading.document_at(self._top)
        )

    def go_document(self, number: int) -> bool:
        """Go to the beginning of a document; False when it is there already."""
        return self._shown is not None and self._go(self._shown.reading.place_of_document(number))

    @property
    def chosen_from(self) -> tuple[int, ...]:
        """The hunks to be refused or approved, by number: those under the heading that is pointed at.

        There are none while no heading is on the screen: nobody refuses what cannot be told from the others.
        """
        choosing, pointed = self.choosing, self._pointed
        return () if choosing is None or pointed is None else choosing.numbers[pointed]

    @property
    def hidden_above(self) -> tuple[int, ...]:
        """The hunks by number whose lines are on the screen, while their heading is above it."""
        choosing = self.choosing
        if self._shown is None or choosing is None or self._pointed is not None:
            return ()
        above = self._shown.reading.hunk_at(self._top)[0]
        return choosing.numbers[above - 1] if above else ()

    @property
    def choosing(self) -> Choosing | None:
        """How hunks are chosen of what is shown; None where they are not, or where others have hunks too."""
        documents = () if self._shown is None else self._shown.reading.documents
        found = [document for document in documents if document.hunks]
        return found[0].choosing if len(found) == 1 and found[0].choice is not None else None

    @property
    def _pointed(self) -> int | None:
        """The heading that is pointed at, from 0: the one gone to, or the first on the screen.

        None where no hunks are chosen, and where no heading is on the screen.
        """
        if self._shown is None or self.choosing is None:
            return None
        if self._at_hunk is not None and self._is_on_screen(self._at_hunk):
            return self._at_hunk
        reading = self._shown.reading
        # A heading at the very top is counted as the one that the top is in.
        first = max(reading.hunk_at(self._top)[0] - 1, 0)
        return next((number for number in (first, first + 1) if self._is_on_screen(number)), None)

    def _is_on_screen(self, number: int) -> bool:
        """Whether the first line of a heading is visible: the one that is marked when it is pointed at."""
        assert self._shown is not None
        place = self._shown.reading.hunk_place(number)
        return place is not None and any(
            (line.row, line.part) == (place.row, place.part) for line in self._visible
        )

    def _point(self, number: int) -> bool:
        """Point at a heading, and bring it into the view; False if there is none of that number."""
        assert self._shown is not None
        place = self._shown.reading.hunk_place(number) if number >= 0 else None
        if place is None:
            return False
        self._at_hunk = number
        self._go(place)
        return True

    def _bring_up(self, number: int) -> bool:
        """Point at a heading; False when that moves nothing."""
        before = self._top
        return self._point(number) and self._top != before

    def find(self, words: Words, *, forward: bool = True) -> bool:
        """Go to the next or previous row that holds words as they are shown; False when there is none."""
        if self._shown is None:
            return False
        reading = self._shown.reading
        row = next(cell.row for cell in self._visible[0].cells) if self._visible else 0
        if self._found is not None and self._found.words.text == words.text:
            row = self._found.row + (1 if forward else 0)
        found = reading.find(words, row, forward=forward)
        self._found = None if found is None else _Found(words, found)
        self.refresh()
        if found is None:
            return False
        self._scroll(reading.place_of(words, found))
        return True

    def end_find(self) -> None:
        """Mark the words no more that were looked for."""
        self._found = None
        self.refresh()

    def unseen_on_screen(self, is_shown: Callable[[int], bool]) -> int:
        """How many coverage units are wholly visible now and were not shown for long enough yet."""
        visible = () if self._shown is None else self._shown.reading.whole_units(self._visible)
        return sum(not is_shown(unit) for unit in visible)

    def go_unseen(self, is_shown: Callable[[int], bool]) -> bool:
        """Go to the first coverage unit that was not shown and is not visible now; False when there is none."""
        if self._shown is None:
            return False
        visible = self._shown.reading.whole_units(self._visible)
        for unit in range(self._shown.reading.units):
            if unit not in visible and not is_shown(unit):
                self._at_hunk = None
                if self._levels is not None:  # it may be in what is closed
                    self._levels = None
                    self._fold_anew()
                    self._go(self._shown.reading.place_of_unit(unit))
                    return True
                return self._go(self._shown.reading.place_of_unit(unit))
        return False

    def _scroll(self, place: Place) -> None:
        """Put a place at the top; what was pointed at is left behind, unless nothing moves."""
        if self._go(place):
            self._at_hunk = None

    def _go(self, place: Place) -> bool:
        """Put a place at the top, as far as the text reaches; False when nothing moves."""
        before = self._top
        self._top = place
        self._relayout()
        return self._top != before

    # -- layout and drawing ------------------------------------------------------------------------------

    @property
    def _height(self) -> int:
        return max(self.size.height, 1)

    def _read(self, given: Sequence[Document]) -> Reading:
        documents = tuple(map(self._with_context, given))
        width, gutter = self.size.width, self._gutter_of(documents)
        whole = max(width - gutter.width, LEAST_TEXT)
        if not self._splits(documents):
            return Reading(documents, whole, wrap=self.wraps)
        column = (width - len(_BETWEEN)) // 2 - gutter.width
        return SplitReading(documents, whole, column, wrap=self.wraps)

    def _with_context(self, document: Document) -> Document:
        known = self._folded.get(id(document))
        if known is None or known[0] is not document:
            known = self._folded[id(document)] = (
                document,
                document.with_context(self._around).with_levels(self._levels),
            )
        return known[1]

    def _gutter_of(self, documents: Sequence[Document]) -> Gutter:
        gutter = Gutter.of(documents, self.size.width)
        return replace(gutter, columns=min(gutter.columns, 1)) if self._splits(documents) else gutter

    def _splits(self, documents: Sequence[Document]) -> bool:
        return self._wants_split and self.size.width >= LEAST_WIDTH and can_be_split(documents)

    @property
    def _wants_split(self) -> bool:
        return self.app.size.width >= WIDE if self._split is None else self._split

    def _remember_place(self) -> None:
        if self._shown is not None and self._levels is None:  # trees are open when they are seen again
            self._places[self._shown.owner] = self._top

    def _forget_colors(self) -> None:
        self._highlights.clear()
        self._asked.clear()

    def resized(self) -> None:
        """Wrap anew; the topmost row stays."""
        self._wrap_anew()

    def _wrap_anew(self) -> None:
        if self._shown is not None:
            before, anew = self._shown.reading, self._read(self._shown.given)
            if (before.layout, before.width) != (anew.layout, anew.width):
                self._top = Place(anew.index_of(self._top_row))
                self._shown = replace(self._shown, reading=anew)
                self._forget_colors()
        self._relayout()

    @property
    def _top_row(self) -> int:
        """The row of the documents at the top of the view."""
        if self._shown is None or not len(self._shown.reading):
            return 0
        return next(row for row in self._shown.reading.rows_at(self._top.row) if row is not None)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll three lines down."""
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines up."""
        event.stop()
        self.scroll_lines(-3)

    def _relayout(self, *, tells: bool = True) -> None:
        self._visible = ()
        if self._shown is not None and self.size.height:
            # A view that grew shows the end at its bottom rather than blank lines.
            self._top = self._shown.reading.within(self._top, self._height)
            self._visible = self._shown.reading.window(self._top, self._height)
            self._gutter = self._gutter_of(self._shown.reading.documents)
            self._want_colors(self._shown.reading)
        self._drawn = False
        self.refresh()
        if tells:
            self.post_message(self.Moved())

    def _want_colors(self, reading: Reading) -> None:
        wanted: list[tuple[Document, Block]] = []
        for cell in (cell for line in self._visible for cell in line.cells):
            document, inner = reading.locate(cell.row)
            row = document.row(inner)
            if self._highlights.spans(document, row.side, row.source_line) is not None:
                continue
            assert row.side is not None
            assert row.source_line is not None
            block = (id(document), row.side, row.source_line // BLOCK_LINES)
            if block not in self._asked:
                self._asked.add(block)
                wanted.append((document, block))
        if wanted:
            self.post_message(self.ColorsWanted(wanted))

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        self._drawn = True
        width, look = self.size.width, look_of(self)
        if self._shown is None:
            content = self._notice[y] if y < len(self._notice) else Line()
            return paint(content, width, look.theme, ellipsis=look.glyphs.ellipsis)
        if y >= len(self._visible):
            return paint(Line(), width, look.theme)
        return self._document_line(self._shown.reading, self._visible[y], width)

    def _document_line(self, reading: Reading, visible: VisibleLine, width: int) -> Strip:
        look = look_of(self)
        if len(visible.columns) == 1:
            (cell,) = visible.cells
            return paint_document_line(self._line(reading, cell), self._gutter, width, look)
        half = (width - len(_BETWEEN)) // 2
        left, right = (
            Strip.blank(cells, look.theme.style("text"))
            if cell is None
            else paint_document_line(self._line(reading, cell), replace(self._gutter, side=side), cells, look)
            for cell, side, cells in zip(
                visible.columns, _SIDES, (half, width - half - len(_BETWEEN)), strict=True
            )
        )
        between = Segment(look.glyphs.column, look.theme.style("rule"))
        return Strip([*left, between, *right])

    def _line(self, reading: Reading, cell: Cell) -> DocumentLine:
        row = reading.row(cell.row)
        syntax = self._highlights.spans(reading.locate(cell.row)[0], row.side, row.source_line)
        found = () if self._found is None else tuple(self._found.words.spans(row.text.text))
        pointed = row.kind is RowKind.HUNK and not cell.part and self._is_pointed(reading, cell.row)
        return DocumentLine(row, cell, syntax, reading.emphasis(cell.row), found, pointed)

    def _is_pointed(self, reading: Reading, row: int) -> bool:
        """Whether a row of the documents is the heading that is pointed at."""
        number = self._pointed
        place = None if number is None else reading.hunk_place(number)
        return place is not None and row in reading.rows_at(place.row)
