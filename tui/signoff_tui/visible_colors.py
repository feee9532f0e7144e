"""The syntax colors of what is looked at: which blocks lack them, and which were asked for already."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from signoff.present.document.model import Document
from signoff.present.document.rows import Row
from signoff_tui.highlight import BLOCK_LINES, Block, Highlights, Spans
from signoff_tui.reading import Reading, VisibleLine

__all__ = ["VisibleColors"]


class VisibleColors:
    """Has each block of the documents colored once, when it is first seen."""

    def __init__(self) -> None:
        self._highlights = Highlights()
        self._asked: set[Block] = set()

    def missing(self, reading: Reading, visible: Sequence[VisibleLine]) -> list[tuple[Document, Block]]:
        """The blocks of some lines that have no colors yet and were not asked for: they are from now on."""
        missing: list[tuple[Document, Block]] = []
        for cell in (cell for line in visible for cell in line.cells):
            document, inner = reading.locate(cell.row)
            row = document.row(inner)
            if self.spans(document, row) is not None:
                continue
            assert row.side is not None
            assert row.source_line is not None
            block = (id(document), row.side, row.source_line // BLOCK_LINES)
            if block not in self._asked:
                self._asked.add(block)
                missing.append((document, block))
        return missing

    def take(
        self,
        shown: Collection[Document],
        blocks: Sequence[tuple[Document, Block]],
        spans: Sequence[tuple[Spans, ...]],
    ) -> bool:
        """Take over colors, except of documents that are not shown any more; returns whether there were any."""
        known = set(map(id, shown))
        taken = False
        for (document, block), colors in zip(blocks, spans, strict=True):
            if id(document) in known:
                self._highlights.store(block, colors)
                taken = True
        return taken

    def spans(self, document: Document, row: Row) -> Spans | None:
        """Colors of a row's source line: None while its block has none, empty where there are none to be had."""
        return self._highlights.spans(document, row.side, row.source_line)

    def forget(self) -> None:
        """Forget all colors: other documents are shown, or other lines of them."""
        self._highlights.clear()
        self._asked.clear()
