"""Shows documents: diffs, files, commands, structured calls. Keeps the place of the reader in them.

The view draws only what is visible, whatever the length. It knows what was drawn, so that the screen can count
what was shown, and asks for syntax colors of visible blocks only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from signoff.present.document.model import Document, Words
from signoff.present.document.rows import RowKind
from signoff_tui.coverage import Part
from signoff_tui.found_words import FoundWords
from signoff_tui.highlight import Block, Spans
from signoff_tui.hunk_pointer import HunkPointer
from signoff_tui.lines import Line, paint
from signoff_tui.look import look_of
from signoff_tui.reading import Cell, Place, Reading, Rest
from signoff_tui.split_reading import SplitReading
from signoff_tui.viewport import Viewport
from signoff_tui.visible_colors import VisibleColors
from signoff_tui.widgets.document_columns import paint_columns
from signoff_tui.widgets.document_form import DocumentForm, Room
from signoff_tui.widgets.document_lines import DocumentLine, Gutter
from signoff_tui.widgets.measured import Measured
from signoff_tui.widgets.sized import Sized

__all__ = ["DocumentView"]


class _Shown(Struct, frozen=True):
    """What the view shows, and whose it is.

    Attributes:
        owner: Identity of the request and revision; another owner starts at the top.
        given: The documents as they were handed over.
    """

    owner: object
    given: tuple[Document, ...]


class DocumentView(Sized, Measured):
    """Documents, in a viewport that the reader moves."""

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
        self.viewport = Viewport(lambda: self.size.height, self._draw_anew)
        """The place of the reader."""
        self.hunks = HunkPointer(self.viewport)
        """The hunk that the reader is at."""
        self._shown: _Shown | None = None
        self._notice: tuple[Line, ...] = ()
        self._form = DocumentForm()
        self._found = FoundWords()
        self._colors = VisibleColors()
        self._places: dict[object, Place] = {}
        self._gutter = Gutter.of((), 0)
        self._drawn = True

    # -- what is shown -----------------------------------------------------------------------------------

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
        reading = self.viewport.reading
        return () if reading is None else reading.parts(self.viewport.visible)

    @property
    def rest(self) -> Rest:
        """What lies below the view."""
        reading = self.viewport.reading
        return Rest(0) if reading is None else reading.rest(self.viewport.visible)

    @property
    def layout_number(self) -> int:
        """How rows are broken into lines, as a number: see `Reading.layout`."""
        reading = self.viewport.reading
        return 0 if reading is None else reading.layout

    def show(self, owner: object, documents: Sequence[Document]) -> None:
        """Show documents. The place in them is remembered per owner.

        Of another owner it is not told that they moved: whoever shows them draws what stands around them as well.
        """
        given = tuple(documents)
        if self._shown is not None and (self._shown.owner, self._shown.given) == (owner, given):
            if self.size.height and not self.viewport.visible:
                self._relayout()  # the view had no size yet when it was asked to show them
            return
        self._remember_place()
        if not self.size:
            self.forget_size()
        other = self.owner != owner
        if other:
            self._found.forget()
            self.viewport.at_hunk = None
            self._colors.forget()
            self._form.forget()
            self._form.levels = None
        self._shown = _Shown(owner, given)
        self.viewport.reading = self._form.read(given, self._room)
        self.viewport.top = self._places.get(owner, Place(0))
        self._relayout(tells=not other)

    def notice(self, lines: Sequence[Line]) -> None:
        """Show the program's own words instead of documents."""
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
        if self._shown is not None and self._form.levels is None:  # trees are open when they are seen again
            self._places[self._shown.owner] = self.viewport.top

    # -- the form in which it is shown -------------------------------------------------------------------

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
        """Close the deepest level of the trees that is open, or open one more.

        What is closed does not count as shown.

        Returns:
            How many levels are open, and how many there are; of the deepest tree.
        """
        deepest = 0 if self._shown is None else max(document.levels for document in self._shown.given)
        if deepest > 1:
            self._form.fold_tree(deepest, more=more)
            self._fold_anew()
        return self._form.levels or deepest, deepest

    def show_as(self, *, context: int, wrap: bool, split: bool | None) -> None:
        """Show documents in this way from now on.

        Args:
            context: Unchanged lines around changes.
            wrap: Whether rows that are too wide are wrapped.
            split: Whether before and after stand beside each other where there is room; None is as the terminal
                is wide.
        """
        self._form.wrap, self._form.split = wrap, split
        self.set_context(context)

    @property
    def wraps(self) -> bool:
        """Whether rows that are too wide are wrapped; in a narrow view they always are."""
        return self._form.wraps(self._room)

    def toggle_wrap(self) -> bool:
        """Cut rows that are too wide instead of wrapping them, or wrap them again; the topmost row stays.

        Returns:
            Whether they are to be wrapped. In a narrow view they are in any case.
        """
        self._form.wrap = not self._form.wrap
        self._wrap_anew()
        return self._form.wrap

    def toggle_split(self) -> bool:
        """Show before and after in two columns, or below each other; returns which is wanted now."""
        wanted = self._form.split = not self._form.wants_split(self._room)
        self._wrap_anew()
        return wanted

    @property
    def split(self) -> bool:
        """Whether before and after stand in two columns now."""
        return isinstance(self.viewport.reading, SplitReading)

    @property
    def _room(self) -> Room:
        return Room(self.size.width, self.app.size.width)

    def _fold_anew(self) -> None:
        self._form.forget()
        before = self.viewport.reading
        if self._shown is None or before is None:
            return
        document, unit = self.viewport.document_at_top, before.unit_from(self.viewport.top)
        counts = before.documents[document].units > 0
        anew = self.viewport.reading = self._form.read(self._shown.given, self._room)
        # Where nothing counts, as among the parts of a command, there is no line to stay at.
        self.viewport.top = (
            anew.place_of_unit(unit) if counts and unit is not None else anew.place_of_document(document)
        )
        self._colors.forget()
        self._relayout()

    def _wrap_anew(self) -> None:
        before = self.viewport.reading
        if self._shown is not None and before is not None:
            anew = self._form.read(self._shown.given, self._room)
            if (before.layout, before.width) != (anew.layout, anew.width):
                self.viewport.top = Place(anew.index_of(self.viewport.top_row))
                self.viewport.reading = anew
                self._colors.forget()
        self._relayout()

    # -- going to what is looked for ---------------------------------------------------------------------

    def find(self, words: Words, *, forward: bool = True) -> bool:
        """Go to the next or previous row that holds words as they are shown; False when there is none."""
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
        """Mark the words no more that were looked for."""
        self._found.forget()
        self.refresh()

    def go_unseen(self, is_shown: Callable[[int], bool]) -> bool:
        """Go to the first coverage unit that was not shown and is not visible now; False when there is none."""
        unit = self.viewport.first_unseen(is_shown)
        if unit is None:
            return False
        self.viewport.at_hunk = None
        opens = self._form.levels is not None
        if opens:  # it may be in what is closed
            self._form.levels = None
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

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines up."""
        event.stop()
        self.viewport.scroll_lines(-3)

    # -- drawing -----------------------------------------------------------------------------------------

    def _relayout(self, *, tells: bool = True) -> None:
        self.viewport.lay_out()
        self._draw_anew(tells=tells)

    def _draw_anew(self, *, tells: bool = True) -> None:
        reading = self.viewport.reading
        if reading is not None and self.size.height:
            self._gutter = self._form.gutter(reading.documents, self._room)
            missing = self._colors.missing(reading, self.viewport.visible)
            if missing:
                self.post_message(self.ColorsWanted(missing))
        self._drawn = False
        self.refresh()
        if tells:
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
        return paint_columns(visible[y], partial(self._line, reading), self._gutter, width, look)

    def _line(self, reading: Reading, cell: Cell) -> DocumentLine:
        row, (document, _) = reading.row(cell.row), reading.locate(cell.row)
        syntax, found = self._colors.spans(document, row), self._found.spans(row.text.text)
        pointed = row.kind is RowKind.HUNK and not cell.part and self.hunks.is_pointed(cell.row)
        return DocumentLine(row, cell, syntax, reading.emphasis(cell.row), found, pointed)
