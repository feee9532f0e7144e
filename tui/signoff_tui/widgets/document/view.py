"""The view of documents: diffs, files, commands, structured calls, with the place of the reader.

The view draws only visible lines, whatever the length. It knows what it has drawn, so that the screen can count
coverage, and asks for syntax colors of visible blocks only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from signoff.present.document.model import Choosing, Document, Words
from signoff.present.document.rows import RowKind
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.text.lines import Line, paint
from signoff_tui.text.look import look_of
from signoff_tui.widgets.document.highlight import Block, Spans, VisibleColors, tree_spans
from signoff_tui.widgets.document.layout import (
    LEAST_WIDTH,
    WIDE,
    Cell,
    Reading,
    Rest,
    SplitReading,
    Viewport,
    ViewPosition,
    VisibleLine,
    can_be_split,
)
from signoff_tui.widgets.document.lines import NARROW, WHOLE_WIDTH, DocumentLine, Gutter, half_of, paint_columns
from signoff_tui.widgets.document.search import FoundWords
from signoff_tui.widgets.document.selection import MarkedRow, Selection, marked_text
from signoff_tui.widgets.sized import Measured, Sized

__all__ = [
    "DocumentForm",
    "DocumentView",
    "HunkPointer",
]


PLACES = 20
"""Owners whose place is remembered."""


class _Shown(Struct, frozen=True):
    """The shown documents and their owner.

    Attributes:
        owner: Identity of the request and revision; another owner starts at the top.
        given: The documents as they were given.
    """

    owner: object
    given: tuple[Document, ...]


class DocumentView(Sized, Measured):
    """Documents, in a viewport that the reader moves.

    Args:
        folds_arrays: True if long arrays are folded until they are opened.
        id: The id of the widget.
    """

    DEFAULT_CSS = """
    DocumentView { height: 1fr; width: 1fr; }
    """

    virtual_size = Reactive(Size(0, 0), layout=False)
    """It scrolls by itself: another size asks for no second layout, as it does where Textual scrolls."""

    class Moved(Message):
        """Posted when other lines are visible."""

    class Marked(Message):
        """Posted when text was marked with the mouse."""

    class Scrolled(Message):
        """Posted when the wheel moved the reader."""

    class ColorsWanted(Message):
        """Posted for visible lines without syntax colors: the blocks of the documents."""

        def __init__(self, blocks: Sequence[tuple[Document, Block]]) -> None:
            super().__init__()
            self.blocks = tuple(blocks)

    class Colored(Message):
        """The wanted colors, from the screen that computes them."""

        def __init__(self, wanted: DocumentView.ColorsWanted, spans: Sequence[tuple[Spans, ...]]) -> None:
            super().__init__()
            self.wanted = wanted
            self.spans = tuple(spans)

    def __init__(self, *, folds_arrays: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.viewport = Viewport(lambda: self.size.height, self._draw_anew)
        """The place of the reader."""
        self.hunks = HunkPointer(self.viewport)
        """The hunk of the reader."""
        self._shown: _Shown | None = None
        self._notice: tuple[Line, ...] = ()
        self._form = DocumentForm(folds_arrays=folds_arrays)
        self._found = FoundWords()
        self._colors = VisibleColors()
        self._places: dict[object, ViewPosition] = {}
        self._gutter = Gutter.of((), 0)
        self._drawn = True
        self._has_moved = False
        self._pressed = 0, 0
        self._selection: Selection | None = None

    # -- the documents -----------------------------------------------------------------------------------

    @property
    def owner(self) -> object:
        """The owner of the shown documents, or None."""
        return self._shown.owner if self._shown is not None else None

    @property
    def drawn(self) -> bool:
        """True if the last drawn picture shows the visible lines."""
        return self._drawn

    def take_move(self) -> bool:
        """True if other lines are visible than when this was called last; who asks need not wait for `Moved`."""
        moved, self._has_moved = self._has_moved, False
        return moved

    @property
    def parts(self) -> tuple[PaintedRow, ...]:
        """The visible parts of coverage units."""
        reading = self.viewport.reading
        return () if reading is None else reading.parts(self.viewport.visible)

    @property
    def rest(self) -> Rest:
        """The lines below the view."""
        reading = self.viewport.reading
        return Rest(0) if reading is None else reading.rest(self.viewport.visible)

    @property
    def layout_number(self) -> int:
        """The number of the present line breaks: see `Reading.layout`."""
        reading = self.viewport.reading
        return 0 if reading is None else reading.layout

    def show(self, owner: object, documents: Sequence[Document]) -> None:
        """Show documents. The place in them is remembered per owner.

        A new owner is not reported as a move: the caller draws the surroundings as well.
        """
        given = tuple(documents)
        if self._shown is not None and (self._shown.owner, self._shown.given) == (owner, given):
            if self.size.height and not self.viewport.visible:
                self._relayout()  # the view had no size yet when `show` was called before
            return
        self._remember_place()
        if not self.size:
            self.forget_size()
        other = self.owner != owner
        if other:
            self._found.forget()
            self.viewport.at_hunk = None
            self._colors.forget()
            self._form.begin()
            self.hunks.among = None
        self._shown = _Shown(owner, given)
        self.viewport.reading = self._form.read(given, self.size.width)
        self.viewport.top = self._places.get(owner, ViewPosition(0))
        self._relayout(tells=not other)

    def notice(self, lines: Sequence[Line]) -> None:
        """Show words of signoff instead of documents."""
        notice = tuple(lines)
        if self._shown is None and notice == self._notice:
            return
        self._remember_place()
        self._shown, self._notice = None, notice
        self.viewport.reading = None
        self._relayout()

    def take_colors(self, colored: Colored) -> None:
        """Take over syntax colors, except of documents that are not shown any more."""
        reading = self.viewport.reading
        shown = () if reading is None else reading.documents
        if self._colors.take(shown, colored.wanted.blocks, colored.spans):
            self.refresh()

    def _remember_place(self) -> None:
        if self._shown is not None and self._form.levels is None:  # trees open again
            self._places.pop(self._shown.owner, None)
            self._places[self._shown.owner] = self.viewport.top
            if len(self._places) > PLACES:
                del self._places[next(iter(self._places))]

    # -- the form of the documents -----------------------------------------------------------------------

    @property
    def context(self) -> int:
        """Unchanged lines around changes."""
        return self._form.context

    def set_context(self, lines: int) -> None:
        """Show another number of unchanged lines around changes; the reader stays at the same change."""
        self._form.context = lines
        self._found.forget()
        self.viewport.at_hunk = None
        self._places.clear()
        self._fold_anew()

    def fold_tree(self, *, more: bool) -> tuple[int, int]:
        """Close the deepest open level of the trees, or open one more; long arrays are the last to open.

        Rows of closed levels do not count as shown.

        Returns:
            The number of open levels, and of all levels, of the deepest tree.
        """
        given = () if self._shown is None else self._shown.given
        before = self._form.open_levels(given)
        self._form.fold_tree(given, more=more)
        now = self._form.open_levels(given)
        if now != before:
            self._fold_anew()
        return now

    def show_as(self, *, context: int, wrap: bool, split: bool | None) -> None:
        """Set the form of documents from now on.

        Args:
            context: Unchanged lines around changes.
            wrap: True to wrap rows that are too wide.
            split: True for before and after beside each other, if there is room; None for that in a wide view.
        """
        self._form.wrap, self._form.split = wrap, split
        self.set_context(context)

    @property
    def wraps(self) -> bool:
        """True if rows that are too wide are wrapped; in a narrow view they always are."""
        return self._form.wraps(self.size.width)

    def toggle_wrap(self) -> bool:
        """Toggle between wrapping and cutting rows that are too wide; the topmost row stays.

        Returns:
            True if they are to be wrapped. In a narrow view they always are.
        """
        self._form.wrap = not self._form.wrap
        self._wrap_anew()
        return self._form.wrap

    def toggle_split(self) -> bool:
        """Toggle between two columns and one; returns True if two are wanted now."""
        wanted = self._form.split = not self._form.wants_split(self.size.width)
        self._wrap_anew()
        return wanted

    @property
    def split(self) -> bool:
        """True if before and after stand in two columns now."""
        return isinstance(self.viewport.reading, SplitReading)

    def _fold_anew(self) -> None:
        self._form.forget()
        before = self.viewport.reading
        if self._shown is None or before is None:
            return
        document, unit = self.viewport.document_at_top, before.unit_from(self.viewport.top)
        counts = before.documents[document].units > 0
        anew = self.viewport.reading = self._form.read(self._shown.given, self.size.width)
        # Without coverage units, as among the parts of a command, there is no line to stay at.
        self.viewport.top = (
            anew.place_of_unit(unit) if counts and unit is not None else anew.place_of_document(document)
        )
        self._colors.forget()
        self._relayout()

    def _wrap_anew(self) -> None:
        before = self.viewport.reading
        if self._shown is not None and before is not None:
            anew = self._form.read(self._shown.given, self.size.width)
            if (before.layout, before.width) != (anew.layout, anew.width):
                self.viewport.top = ViewPosition(anew.index_of(self.viewport.top_row))
                self.viewport.reading = anew
                self._colors.forget()
        self._relayout()

    # -- searching ---------------------------------------------------------------------------------------

    def find(self, words: Words, *, forward: bool = True) -> bool:
        """Go to the next or previous row with the words as they are shown; False if there is none."""
        reading = self.viewport.reading
        if reading is None:
            return False
        place = self._found.look_for(words, reading, self.viewport.first_row, forward=forward)
        self.refresh()
        if place is None:
            return False
        self.viewport.scroll(place)
        return True

    def end_find(self) -> None:
        """Remove the marks of the search."""
        self._found.forget()
        self.refresh()

    def go_unit(self, unit: int | None) -> None:
        """Go to a coverage unit; None is the beginning."""
        reading = self.viewport.reading
        if reading is not None and unit is not None:
            self.viewport.go(reading.place_of_unit(unit))

    def go_unseen(self, is_shown: Callable[[int], bool]) -> bool:
        """Go to the first coverage unit that was neither shown nor is visible; False if there is none."""
        unit = self.viewport.first_unseen(is_shown)
        if unit is None:
            return False
        self.viewport.at_hunk = None
        reading = self.viewport.reading
        assert reading is not None
        opens = not reading.shows_unit(unit)
        if opens:  # it is in a closed part
            self._form.open_trees()
            self._fold_anew()
            reading = self.viewport.reading
            assert reading is not None
        return self.viewport.go(reading.place_of_unit(unit)) or opens

    # -- events ------------------------------------------------------------------------------------------

    def resized(self) -> None:
        """Wrap anew; the topmost row stays."""
        self._wrap_anew()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll three lines down."""
        event.stop()
        self.viewport.scroll_lines(3)
        self.post_message(self.Scrolled())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines up."""
        event.stop()
        self.viewport.scroll_lines(-3)
        self.post_message(self.Scrolled())

    # -- marking text ------------------------------------------------------------------------------------

    @property
    def marked(self) -> str:
        """The text that is marked with the mouse; empty if none is."""
        reading, selection = self.viewport.reading, self._selection
        if reading is None or selection is None:
            return ""
        lines = self.viewport.visible[selection.rows.start : selection.rows.stop]
        second = selection.left > half_of(self.size.width)
        return marked_text(selection, (self._marked_row(reading, line, second=second) for line in lines))

    def _marked_row(self, reading: Reading, line: VisibleLine, *, second: bool) -> MarkedRow:
        cell = line.columns[-1 if second else 0]
        assert self._selection is not None
        if cell is None:
            return MarkedRow("", self._selection.left, goes_on=False)
        row = reading.row(cell.row)
        column = 1 if row.kind in WHOLE_WIDTH else self._selection.left
        return MarkedRow(row.text.text[cell.start : cell.end], column, goes_on=cell.part > 0)

    def unmark(self) -> None:
        """Mark nothing any more."""
        if self._selection is not None:
            self._selection = None
            self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to mark."""
        self.unmark()
        if event.button == 1 and self.viewport.reading is not None:
            self._pressed = event.y, event.x
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark up to the mouse."""
        if self.app.mouse_captured is not self:
            return
        event.stop()
        width, half = self.size.width, half_of(self.size.width)
        second = self.split and self._pressed[1] > half
        left = self._gutter.width + (half + 1 if second else 0)
        right = half if self.split and not second else width
        head = min(max(event.y, 0), self.size.height - 1), min(max(event.x, 0), width - 1)
        self._selection = Selection(self._pressed, head, left, right)
        self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Say that text is marked."""
        if self.app.mouse_captured is self:
            event.stop()
            self.release_mouse()
            if self.marked:
                self.post_message(self.Marked())

    # -- drawing -----------------------------------------------------------------------------------------

    def _relayout(self, *, tells: bool = True) -> None:
        self.viewport.lay_out()
        self._draw_anew(tells=tells)

    def _draw_anew(self, *, tells: bool = True) -> None:
        reading = self.viewport.reading
        if reading is not None and self.size.height:
            self._gutter = self._form.gutter(reading.documents, self.size.width)
            missing = self._colors.missing(reading, self.viewport.visible)
            if missing:
                self.post_message(self.ColorsWanted(missing))
        self._drawn, self._selection = False, None
        self.refresh()
        if tells:
            self._has_moved = True
            self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        self._drawn = True
        width, look = self.width_drawn, look_of(self)
        reading, visible = self.viewport.reading, self.viewport.visible
        if reading is None:
            content = self._notice[y] if y < len(self._notice) else Line()
            return paint(content, width, look.theme, ellipsis=look.glyphs.ellipsis)
        if y >= len(visible):
            return paint(Line(), width, look.theme)
        strip = paint_columns(visible[y], partial(self._line, reading), self._gutter, width, look)
        return strip if self._selection is None else self._selection.painted(strip, y)

    def _line(self, reading: Reading, cell: Cell) -> DocumentLine:
        row, (document, _) = reading.row(cell.row), reading.locate(cell.row)
        syntax, found = self._colors.spans(document, row), self._found.spans(row.text.text)
        pointed = row.kind is RowKind.HUNK and not cell.part and self.hunks.is_pointed(cell.row)
        is_tree = document.levels and row.kind is RowKind.PLAIN and row.side is None
        tree = tree_spans(row.text.text) if is_tree else ()
        return DocumentLine(row, cell, syntax, tree, reading.emphasis(cell.row), found, pointed)


# -- The form of documents: folding, wrapping or cutting, one column or two.

CONTEXT = 3
"""The unchanged lines around changes by default."""

LEAST_TEXT = 8
"""The least cells for text, however narrow the view."""


class DocumentForm:
    """The form in which a person wants to see documents.

    Args:
        folds_arrays: True if long arrays are folded until they are opened.
    """

    def __init__(self, *, folds_arrays: bool = False) -> None:
        self.context = CONTEXT
        """Unchanged lines around changes."""
        self.levels: int | None = None
        """Levels of trees that are open; None for all."""
        self._folds_arrays = folds_arrays
        self._arrays = not folds_arrays
        self.wrap = True
        """True to wrap rows that are too wide."""
        self.split: bool | None = False
        """True for before and after beside each other, if there is room; None: in a wide view."""
        self._folded: dict[int, tuple[Document, Document]] = {}
        """Documents that fit the view, as given and folded, so that unchanged ones keep their identity."""

    def read(self, given: Sequence[Document], width: int) -> Reading:
        """Return documents laid out in this form."""
        gutter = self.gutter(given, width)
        whole, wrap = max(width - gutter.width, LEAST_TEXT), self.wraps(width)
        documents = tuple(self._fold(document.fitting(whole)) for document in given)
        if not self._splits(documents, width):
            return Reading(documents, whole, wrap=wrap)
        return SplitReading(documents, whole, half_of(width) - gutter.width, wrap=wrap)

    def gutter(self, documents: Sequence[Document], width: int) -> Gutter:
        """Return the columns to the left of the text of documents."""
        gutter = Gutter.of(documents, width)
        return replace(gutter, columns=min(gutter.columns, 1)) if self._splits(documents, width) else gutter

    def wraps(self, width: int) -> bool:
        """True if rows that are too wide are wrapped; in a narrow view they always are."""
        return self.wrap or 0 < width < NARROW

    def wants_split(self, width: int) -> bool:
        """True if before and after are to stand beside each other, if there is room."""
        return width >= WIDE if self.split is None else self.split

    def fold_tree(self, given: Sequence[Document], *, more: bool) -> None:
        """Close the deepest open level of trees, or open one more: the last are their long arrays."""
        now, of = self.open_levels(given)
        now = min(max(now - 1 if more else now + 1, 1), of)
        deepest = max((document.levels for document in given), default=0)
        self.levels = None if now >= deepest else now
        self._arrays = not self._folds_arrays or now > deepest

    def open_levels(self, given: Sequence[Document]) -> tuple[int, int]:
        """Return the number of open levels of trees, and of all levels: that in long arrays is one more."""
        deepest = max((document.levels for document in given), default=0)
        long = self._folds_arrays and any(document.long_arrays for document in given)
        return (self.levels or deepest) + (self._arrays and long), deepest + long

    def begin(self) -> None:
        """Show other documents: all levels of their trees are open, apart from long arrays."""
        self.levels, self._arrays = None, not self._folds_arrays
        self.forget()

    def open_trees(self) -> None:
        """Open all levels of trees, and their long arrays."""
        self.levels, self._arrays = None, True
        self.forget()

    def forget(self) -> None:
        """Fold the next documents anew."""
        self._folded.clear()

    def _splits(self, documents: Sequence[Document], width: int) -> bool:
        return self.wants_split(width) and width >= LEAST_WIDTH and can_be_split(documents)

    def _fold(self, document: Document) -> Document:
        known = self._folded.get(id(document))
        if known is None or known[0] is not document:
            known = self._folded[id(document)] = (
                document,
                document.with_context(self.context).with_levels(self.levels, arrays=self._arrays),
            )
        return known[1]


# -- The hunk of the reader: to go to the next one, and to refuse the one that is pointed at.


class HunkPointer:
    """Points at the heading of a hunk in a viewport.

    Args:
        viewport: The viewport.
    """

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self.among: range | None = None
        """The documents whose hunks may be refused; None for all."""

    def go(self, *, forward: bool) -> bool:
        """Go to the next or previous hunk, from the one that is pointed at if any; False if there is none."""
        reading = self._viewport.reading
        if reading is None:
            return False
        pointed = self._pointed
        if pointed is not None:
            # Perhaps only the heading of the last one is on the screen: it is brought up.
            return self._point(pointed + (1 if forward else -1)) or (forward and self._bring_up(pointed))
        top = self._viewport.top
        place = reading.next_hunk(top) if forward else reading.previous_hunk(top)
        return place is not None and self._bring_up(reading.hunk_at(place)[0] - 1)

    @property
    def at(self) -> tuple[int, int]:
        """The number of the hunk at the top, from 1 (0 above the first), and of all; 0, 0 if all is visible.

        If hunks are chosen and a heading is on the screen, it is the hunk that would be refused.
        """
        reading, top, pointed = self._viewport.reading, self._viewport.top, self._pointed
        if reading is not None and pointed is not None:
            return pointed + 1, reading.hunk_at(ViewPosition(0))[1]
        if reading is None or (top == ViewPosition(0) and self._viewport.at_end):
            return (0, 0)
        return reading.hunk_at(top)

    @property
    def below(self) -> int:
        """The number of headings of hunks below the view."""
        reading, visible = self._viewport.reading, self._viewport.visible
        if reading is None or not visible:
            return 0
        last = visible[-1]
        number, of = reading.hunk_at(ViewPosition(last.row, last.part))
        return of - number

    @property
    def choosing(self) -> Choosing | None:
        """The choice of hunks; None without one, or if several of the documents have hunks."""
        found = [document for document in self._chosen_among if document.hunks]
        return found[0].choosing if len(found) == 1 and found[0].choice is not None else None

    @property
    def _chosen_among(self) -> Sequence[Document]:
        reading = self._viewport.reading
        documents = () if reading is None else reading.documents
        return documents if self.among is None else documents[self.among.start : self.among.stop]

    @property
    def _headings(self) -> range:
        """The numbers of the headings of the hunks that may be refused, among all."""
        reading = self._viewport.reading
        above = () if reading is None or self.among is None else reading.documents[: self.among.start]
        first = sum(len(document.hunks) for document in above)
        return range(first, first + sum(len(document.hunks) for document in self._chosen_among))

    @property
    def chosen_from(self) -> tuple[int, ...]:
        """The numbers of the hunks to refuse or approve: those under the heading that is pointed at.

        There are none while no heading is on the screen: a hunk without its heading cannot be told from others.
        """
        choosing, pointed = self.choosing, self._pointed
        return () if choosing is None or pointed is None else choosing.numbers[pointed - self._headings.start]

    @property
    def hidden_above(self) -> tuple[int, ...]:
        """The numbers of the hunks whose lines are on the screen, while their heading is above it."""
        reading, choosing = self._viewport.reading, self.choosing
        if reading is None or choosing is None or self._pointed is not None:
            return ()
        above = reading.hunk_at(self._viewport.top)[0] - 1
        return choosing.numbers[above - self._headings.start] if above in self._headings else ()

    def is_pointed(self, row: int) -> bool:
        """True if a row of the documents is the heading that is pointed at."""
        reading, number = self._viewport.reading, self._pointed
        place = None if reading is None or number is None else reading.hunk_place(number)
        return reading is not None and place is not None and row in reading.rows_at(place.row)

    @property
    def _pointed(self) -> int | None:
        """The heading that is pointed at, from 0: the one gone to, or the first on the screen.

        None without a choice of hunks, and if no heading is on the screen.
        """
        reading, gone_to = self._viewport.reading, self._viewport.at_hunk
        if reading is None or self.choosing is None:
            return None
        if gone_to is not None and gone_to in self._headings and self._is_on_screen(reading, gone_to):
            return gone_to
        # A heading at the very top counts as the one that the top is in.
        first = max(reading.hunk_at(self._viewport.top)[0] - 1, 0)
        near = [number for number in (first, first + 1) if number in self._headings]
        return next((number for number in near if self._is_on_screen(reading, number)), None)

    def _is_on_screen(self, reading: Reading, number: int) -> bool:
        """True if the first line of a heading is visible, which is marked when it is pointed at."""
        place = reading.hunk_place(number)
        return place is not None and any(
            (line.row, line.part) == (place.row, place.part) for line in self._viewport.visible
        )

    def _point(self, number: int) -> bool:
        """Point at a heading, and bring it into the view; False if there is none of that number."""
        reading = self._viewport.reading
        place = reading.hunk_place(number) if reading is not None and number >= 0 else None
        if place is None:
            return False
        self._viewport.at_hunk = number
        self._viewport.go(place)
        return True

    def _bring_up(self, number: int) -> bool:
        """Point at a heading; False if that changes nothing."""
        before = (self._viewport.top, self._viewport.at_hunk)
        return self._point(number) and (self._viewport.top, self._viewport.at_hunk) != before
