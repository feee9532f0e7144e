"""In which form documents are read: how much of them is folded, wrapped or cut, in one column or two."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.document.model import Document
from signoff_tui.reading import Reading
from signoff_tui.split_reading import LEAST_WIDTH, WIDE, SplitReading, can_be_split
from signoff_tui.widgets.document_columns import half_of
from signoff_tui.widgets.document_lines import NARROW, Gutter

__all__ = ["DocumentForm", "Room"]

CONTEXT = 3
"""Unchanged lines around changes, until somebody asks for more or less."""

LEAST_TEXT = 8
"""Cells for text, however narrow the view."""


class Room(Struct, frozen=True):
    """Where documents are shown.

    Attributes:
        view: Cells of a line of the view.
        terminal: Columns of the terminal.
    """

    view: int
    terminal: int


class DocumentForm:
    """What somebody wants to see of documents, and how."""

    def __init__(self) -> None:
        self.context = CONTEXT
        """Unchanged lines around changes."""
        self.levels: int | None = None
        """Levels of trees that are open; None for all."""
        self.wrap = True
        """Whether rows that are too wide are wrapped."""
        self.split: bool | None = False
        """Whether before and after stand beside each other where there is room; None: in a wide terminal."""
        self._folded: dict[int, tuple[Document, Document]] = {}
        """Documents as they were handed over and with the wanted context, so that those that stay are the same."""

    def read(self, given: Sequence[Document], room: Room) -> Reading:
        """Documents in this form."""
        documents = tuple(map(self._fold, given))
        gutter = self.gutter(documents, room)
        whole, wrap = max(room.view - gutter.width, LEAST_TEXT), self.wraps(room)
        if not self._splits(documents, room):
            return Reading(documents, whole, wrap=wrap)
        return SplitReading(documents, whole, half_of(room.view) - gutter.width, wrap=wrap)

    def gutter(self, documents: Sequence[Document], room: Room) -> Gutter:
        """What stands to the left of the text of documents."""
        gutter = Gutter.of(documents, room.view)
        return replace(gutter, columns=min(gutter.columns, 1)) if self._splits(documents, room) else gutter

    def wraps(self, room: Room) -> bool:
        """Whether rows that are too wide are wrapped; in a narrow view they always are."""
        return self.wrap or 0 < room.view < NARROW

    def wants_split(self, room: Room) -> bool:
        """Whether before and after are to stand beside each other, where there is room for it."""
        return room.terminal >= WIDE if self.split is None else self.split

    def fold_tree(self, deepest: int, *, more: bool) -> None:
        """Close the deepest open level of trees that have so many, or open one more."""
        now = self.levels or deepest
        levels = min(max(now - 1 if more else now + 1, 1), deepest)
        self.levels = None if levels == deepest else levels

    def forget(self) -> None:
        """Fold the documents anew that are read next."""
        self._folded.clear()

    def _splits(self, documents: Sequence[Document], room: Room) -> bool:
        return self.wants_split(room) and room.view >= LEAST_WIDTH and can_be_split(documents)

    def _fold(self, document: Document) -> Document:
        known = self._folded.get(id(document))
        if known is None or known[0] is not document:
            known = self._folded[id(document)] = (
                document,
                document.with_context(self.context).with_levels(self.levels),
            )
        return known[1]
