"""Shows documents: diffs, files, commands, structured calls. Owns the place of the reader in them.

The view draws only what is visible, whatever the length. It tells its screen what was painted, so that the
screen can count what was shown, and asks for syntax colors of visible blocks only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from signoff.present.document import Document
from signoff.present.rows import Row, RowKind
from signoff_tui.coverage import Part
from signoff_tui.highlight import BLOCK_LINES, Block, Highlights, Spans
from signoff_tui.lines import Line, paint, sign_tokens
from signoff_tui.look import look_of
from signoff_tui.reading import Place, Reading, VisibleLine

__all__ = ["DocumentView"]

NARROW = 60
"""Below this many cells, one line number is shown instead of two."""

_BASE = {
    RowKind.ADDED: "add",
    RowKind.REMOVED: "del",
    RowKind.HUNK: "hunk",
    RowKind.FOLD: "fold",
    RowKind.FACT: "fact",
    RowKind.NOTE: "warn",
    RowKind.FILE: "bar-strong",
    RowKind.COMMAND: "strong",
}
_SIGN = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.FACT: "!", RowKind.NOTE: "!", RowKind.COMMAND: "$"}
_WHOLE_WIDTH = frozenset({RowKind.HUNK, RowKind.FOLD, RowKind.FILE})


@dataclass(frozen=True, slots=True)
class Content:
    """What the view shows, and whose it is."""

    owner: object
    """Identity of the request and revision; another owner starts at the top."""
    documents: tuple[Document, ...]


class DocumentView(Widget):
    """A viewport on documents, placed by row and wrapped part."""

    DEFAULT_CSS = """
    DocumentView { height: 1fr; width: 1fr; }
    """

    class Painted(Message):
        """What the view shows now was laid out: the screen counts it once it was painted."""

        def __init__(self, owner: object, parts: tuple[Part, ...], width: int) -> None:
            super().__init__()
            self.owner = owner
            self.parts = parts
            self.width = width

    class ColorsWanted(Message):
        """Visible lines have no syntax colors yet."""

        def __init__(self, document: Document, block: Block) -> None:
            super().__init__()
            self.document = document
            self.block = block

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._content: Content | None = None
        self._reading: Reading | None = None
        self._top = Place(0)
        self._places: dict[object, Place] = {}
        self._notice: tuple[Line, ...] = ()
        self._visible: tuple[VisibleLine, ...] = ()
        self._highlights = Highlights()
        self._asked: set[Block] = set()

    # -- content -----------------------------------------------------------------------------------------

    @property
    def owner(self) -> object:
        """Whose documents are shown, or None."""
        return self._content.owner if self._content is not None else None

    def show(self, owner: object, documents: Sequence[Document]) -> None:
        """Show documents. The place in them is remembered per owner."""
        if (
            self._content is not None
            and self._content.owner == owner
            and self._content.documents == tuple(documents)
        ):
            return
        if self._content is not None:
            self._places[self._content.owner] = self._top
        self._content = Content(owner, tuple(documents))
        self._reading = Reading(self._content.documents, self._text_width())
        self._top = self._places.get(owner, Place(0))
        self._notice = ()
        self._highlights.clear()
        self._asked.clear()
        self._relayout()

    def notice(self, lines: Sequence[Line]) -> None:
        """Show the program's own words instead of documents."""
        if self._content is not None:
            self._places[self._content.owner] = self._top
        self._content = self._reading = None
        self._notice = tuple(lines)
        self._relayout()

    def colored(self, block: Block, spans: tuple[Spans, ...]) -> None:
        """Take over the syntax colors of a block."""
        self._highlights.store(block, spans)
        self._asked.discard(block)
        self.refresh()

    # -- moving ------------------------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether the end of the text is visible."""
        return self._reading is None or self._reading.at_end(self._top, self._height)

    @property
    def rows_below(self) -> int:
        """How many rows lie below the view."""
        return 0 if self._reading is None else self._reading.missing_below(self._top, self._height)

    def scroll_lines(self, lines: int) -> None:
        """Scroll by lines, down for positive numbers."""
        if self._reading is not None:
            self._go(
                self._reading.down(self._top, lines, self._height)
                if lines > 0
                else self._reading.up(self._top, -lines)
            )

    def scroll_pages(self, pages: float) -> None:
        """Scroll by pages, one line of overlap."""
        self.scroll_lines(round(max(self._height - 1, 1) * pages))

    def go_home(self) -> None:
        """Go to the first line."""
        self._go(Place(0))

    def go_end(self) -> None:
        """Go to the last line."""
        if self._reading is not None:
            self._go(self._reading.last(self._height))

    def go_hunk(self, *, forward: bool) -> bool:
        """Go to the next or previous hunk; False when there is none."""
        if self._reading is None:
            return False
        place = self._reading.next_hunk(self._top) if forward else self._reading.previous_hunk(self._top)
        if place is not None:
            self._go(place)
        return place is not None

    def go_unseen(self, is_shown: Callable[[int], bool]) -> bool:
        """Go to the first coverage unit that was not shown and is not visible now; False when there is none."""
        if self._reading is None:
            return False
        visible = {part.unit for part in self._reading.parts(self._visible) if part.count == 1}
        for unit in range(self._reading.units):
            if unit not in visible and not is_shown(unit):
                self._go(self._reading.place_of_unit(unit))
                return True
        return False

    def set_context(self, lines: int) -> None:
        """Show another number of unchanged lines around changes; what was shown stays shown."""
        if self._content is not None:
            documents = tuple(document.with_context(lines) for document in self._content.documents)
            self._content = Content(self._content.owner, documents)
            self._reading = Reading(documents, self._text_width())
            self._top = Place(0)
            self._highlights.clear()
            self._asked.clear()
            self._relayout()

    def _go(self, place: Place) -> None:
        if place != self._top:
            self._top = place
            self._relayout()

    # -- layout and drawing ------------------------------------------------------------------------------

    @property
    def _height(self) -> int:
        return max(self.size.height, 1)

    @property
    def _gutter(self) -> int:
        """Cells for line numbers, sign and the space behind it."""
        return _gutter_width(narrow=self.size.width < NARROW)

    def _text_width(self) -> int:
        return max(self.size.width - self._gutter, 8)

    def on_resize(self, _: events.Resize) -> None:
        """Wrap anew; the topmost row stays."""
        if self._reading is not None and self._reading.width != self._text_width():
            self._reading.set_width(self._text_width())
            self._top = Place(self._top.row)
        self._relayout()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll three lines down."""
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines up."""
        event.stop()
        self.scroll_lines(-3)

    def _relayout(self) -> None:
        if self._reading is None or self._content is None or not self.size.height:
            self._visible = ()
            self.refresh()
            return
        # A view that grew shows the end at its bottom rather than blank lines.
        self._top = min(self._top, self._reading.last(self._height))
        self._visible = self._reading.window(self._top, self._height)
        self._want_colors()
        self.refresh()
        parts = self._reading.parts(self._visible)
        self.post_message(self.Painted(self._content.owner, parts, self._reading.width))

    def _want_colors(self) -> None:
        assert self._reading is not None
        for visible in self._visible:
            document, inner = self._reading.locate(visible.row)
            row = document.row(inner)
            if self._highlights.spans(document, row.side, row.source_line) is None:
                assert row.side is not None
                assert row.source_line is not None
                block = (id(document), row.side, row.source_line // BLOCK_LINES)
                if block not in self._asked:
                    self._asked.add(block)
                    self.post_message(self.ColorsWanted(document, block))

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        width = self.size.width
        look = look_of(self)
        if self._reading is None:
            content = self._notice[y] if y < len(self._notice) else Line()
            return paint(content, width, look.theme, ellipsis=look.glyphs.ellipsis)
        if y >= len(self._visible):
            return paint(Line(), width, look.theme)
        visible = self._visible[y]
        document, inner = self._reading.locate(visible.row)
        row = document.row(inner)
        if row.kind in _WHOLE_WIDTH:
            text = self._text_segments(document, inner, row, visible)
            fill = self._style(_BASE[row.kind])
            return Strip([Segment(" ", fill), *text]).adjust_cell_length(width, fill)
        base = self._style(_BASE.get(row.kind, "text"))
        segments = [*self._gutter_segments(row, visible), *self._text_segments(document, inner, row, visible)]
        return Strip(segments).adjust_cell_length(
            width, base if row.kind in {RowKind.ADDED, RowKind.REMOVED} else self._style("text")
        )

    def _style(self, token: str) -> Style:
        return look_of(self).theme.style(token)

    def _gutter_segments(self, row: Row, visible: VisibleLine) -> list[Segment]:
        sign_token = {RowKind.ADDED: "add-sign", RowKind.REMOVED: "del-sign"}.get(
            row.kind, _BASE.get(row.kind, "text")
        )
        background = {RowKind.ADDED: "add-bg", RowKind.REMOVED: "del-bg"}.get(row.kind, "background")
        numbers = look_of(self).theme.style("muted", background=background)
        if visible.part:
            mark = look_of(self).glyphs.wrap
            return [Segment(mark.rjust(self._gutter - 1) + " ", numbers)]
        sign = _SIGN.get(row.kind, " ")
        return [
            Segment(_numbers(row, narrow=self.size.width < NARROW), numbers),
            Segment(f"{sign} ", self._style(sign_token)),
        ]

    def _text_segments(self, document: Document, inner: int, row: Row, visible: VisibleLine) -> list[Segment]:
        base = self._style(_BASE.get(row.kind, "text"))
        overlays: list[tuple[int, int, Style]] = []
        if row.kind not in _WHOLE_WIDTH:
            overlays += self._syntax(document, row, base)
            emphasis = {RowKind.ADDED: "add-emph", RowKind.REMOVED: "del-emph"}.get(row.kind)
            if emphasis is not None:
                overlays += [(start, end, self._style(emphasis)) for start, end in document.emphasis(inner)]
        signs = zip(row.text.hidden, sign_tokens(row.text), strict=True)
        overlays += [(start, end, self._style(token)) for (start, end), token in signs]
        return _styled(row.text.text, visible.start, visible.end, base, overlays)

    def _syntax(self, document: Document, row: Row, base: Style) -> list[tuple[int, int, Style]]:
        # Changed lines keep the color of the change: it is what the reader looks for.
        if row.kind not in {RowKind.CONTEXT, RowKind.PLAIN}:
            return []
        spans = self._highlights.spans(document, row.side, row.source_line) or ()
        theme = look_of(self).theme
        return [
            (*row.text.map_span(start, end), base + Style(color=theme.syntax[token]))
            for start, end, token in spans
        ]


def _gutter_width(narrow: bool) -> int:
    return 8 if narrow else 14


def _numbers(row: Row, *, narrow: bool) -> str:
    old = "" if row.old_no is None else str(row.old_no)
    new = "" if row.new_no is None else str(row.new_no)
    if narrow:
        return f"{(new or old)[-5:]:>5} "
    return f"{old[-5:]:>5} {new[-5:]:>5} "


def _styled(
    text: str, start: int, end: int, base: Style, overlays: Sequence[tuple[int, int, Style]]
) -> list[Segment]:
    """Cut a stretch of text into segments; later overlays lie on top of earlier ones."""
    if not overlays:
        return [Segment(text[start:end], base)]
    clipped = [(max(a, start), min(b, end), style) for a, b, style in overlays if a < end and b > start]
    cuts = sorted({start, end, *(a for a, _, _ in clipped), *(b for _, b, _ in clipped)})
    segments = []
    for a, b in pairwise(cuts):
        style = next((s for x, y, s in reversed(clipped) if x <= a and y >= b), base)
        segments.append(Segment(text[a:b], style))
    return segments
