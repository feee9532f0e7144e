"""Syntax colors, computed block by block for the lines on the screen.

The language comes from the file name, or from the tool for its own content; commands are read as shell. Content is
never guessed at. Colors are decoration: a block that starts inside a string may be colored wrongly, and nothing is
hidden or changed by it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, assert_never

from signoff.present.document.model import Document
from signoff.present.document.rows import Row
from signoff.present.kinds import PresentationKind
from signoff_tui.widgets.document.layout import Reading, VisibleLine

if TYPE_CHECKING:  # loaded with the first colors, which come after the first picture
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

__all__ = [
    "BLOCK_LINES",
    "Block",
    "Highlights",
    "Spans",
    "VisibleColors",
    "highlight_block",
    "highlight_blocks",
    "tree_spans",
]


BLOCK_LINES = 50
"""The number of lines that are colored together."""

MAX_LINE = 2_000
"""The longest line, in characters, that is colored: lexers may be slow on longer ones."""

MAX_BLOCKS = 200
"""The number of colored blocks that are kept."""

Side = Literal["old", "new"]
Spans = tuple[tuple[int, int, str], ...]
"""The colors of one line: start, end (in the raw line), syntax token."""

Block = tuple[int, Side, int]
"""Identity of the document, side of the file, number of the block."""


class Highlights:
    """Colored blocks of the documents on screen, least recently used ones forgotten."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[Block, tuple[Spans, ...]] = OrderedDict()

    def spans(self, document: Document, side: Side | None, line: int | None) -> Spans | None:
        """Return the colors of a line: None while its block was not computed, empty if it has none."""
        if side is None or line is None or document.language_name is None:
            return ()
        block = self._blocks.get((id(document), side, line // BLOCK_LINES))
        if block is None:
            return None
        self._blocks.move_to_end((id(document), side, line // BLOCK_LINES))
        offset = line % BLOCK_LINES
        return block[offset] if offset < len(block) else ()

    def __contains__(self, block: Block) -> bool:
        """True if a block was computed, and is kept."""
        return block in self._blocks

    def store(self, block: Block, spans: tuple[Spans, ...]) -> None:
        """Keep a computed block."""
        self._blocks[block] = spans
        while len(self._blocks) > MAX_BLOCKS:
            self._blocks.popitem(last=False)

    def clear(self) -> None:
        """Forget all blocks: other documents are shown."""
        self._blocks.clear()


def highlight_blocks(blocks: Sequence[tuple[Document, Block]]) -> list[tuple[Spans, ...]]:
    """Color the lines of blocks, all those of a page at once. Runs in a thread."""
    return [highlight_block(document, side, number) for document, (_, side, number) in blocks]


def highlight_block(document: Document, side: Side, block: int) -> tuple[Spans, ...]:
    """Color the lines of one block; they stay plain if the language is unknown. Runs in a thread."""
    lines = document.source(side)[block * BLOCK_LINES : (block + 1) * BLOCK_LINES]
    lexer, operator = _lexer_and_operator(document)
    return tuple(() for _ in lines) if lexer is None else _by_line(lexer, lines, operator)


def _lexer_and_operator(document: Document) -> tuple[Lexer | None, str]:
    """The lexer of a document, and the syntax token of its operators."""
    match document.kind:
        case PresentationKind.COMMAND:
            # In a command, joining and redirecting signs matter more than in a program.
            from pygments.lexers import get_lexer_by_name

            return get_lexer_by_name("bash", stripnl=False, ensurenl=False), "keyword"
        case (
            PresentationKind.DIFF
            | PresentationKind.FILE_CONTENT
            | PresentationKind.STRUCTURED
            | PresentationKind.TEXT
            | PresentationKind.BINARY
        ):
            found = _lexer_named(document.language_name) if document.path is None else _lexer_for(document.path)
            return None if found is None else found(stripnl=False, ensurenl=False), "operator"
        case _:
            assert_never(document.kind)


@lru_cache(maxsize=64)
def _lexer_for(path: str) -> type[Lexer] | None:
    """The lexer for a file name, cached: looking for it takes longer than coloring a block."""
    from pygments.lexers import find_lexer_class_for_filename

    return find_lexer_class_for_filename(path)


@lru_cache(maxsize=64)
def _lexer_named(language: str | None) -> type[Lexer] | None:
    """The lexer for a language that a tool named, None if there is none."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        return None if language is None else find_lexer_class_by_name(language)
    except ClassNotFound:
        return None


def _by_line(lexer: Lexer, lines: Sequence[str], operator: str) -> tuple[Spans, ...]:
    # Lines are lexed as one text so that strings over several lines are seen, with every line end as "\n".
    texts = [line.rstrip("\r\n") if len(line) <= MAX_LINE else "" for line in lines]
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    row = column = 0
    for _, token, value in lexer.get_tokens_unprocessed("\n".join(texts)):
        name = operator if (known := _name(token)) == "operator" else known
        for index, piece in enumerate(value.split("\n")):
            if index:
                row, column = row + 1, 0
            if piece and name is not None and row < len(found):
                found[row].append((column, column + len(piece), name))
            column += len(piece)
    return tuple(tuple(spans) for spans in found)


def _name(token: _TokenType) -> str | None:
    # Token types contain their subtypes; the type stubs describe them as plain tuples.
    return next((name for kind, name in _tokens() if token in kind), None)  # type: ignore[comparison-overlap]


@cache
def _tokens() -> tuple[tuple[_TokenType, str], ...]:
    """The types of tokens, each with its syntax token; the first that fits counts."""
    from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Token

    return (
        (Comment, "comment"),
        (String, "string"),
        (Number, "number"),
        (Keyword.Type, "type"),
        (Keyword, "keyword"),
        (Operator.Word, "keyword"),
        (Operator, "operator"),
        (Punctuation, "operator"),
        (Name.Class, "type"),
        (Name.Function, "name"),
        (Name.Decorator, "name"),
        (Name.Tag, "keyword"),
        (Name.Attribute, "name"),
        (Name.Builtin, "type"),
        (Token.Generic.Heading, "keyword"),
        (Token.Generic.Subheading, "keyword"),
    )


# -- The colors of values: keys, strings and numbers of the tree that the arguments of a call are shown as.

_ENTRY = re.compile(r"""\s*(?:- ?)?(?P<key>(?:[\w.-]+|"[^"]*"):(?=\s|$))?\s?(?P<value>.*)""", re.DOTALL)
_NUMBER = re.compile(r"-?(?:\d[\d.eE+-]*|0x[0-9a-f]+)")
_WORDS = frozenset({"true", "false", "null"})


@lru_cache(maxsize=256)
def tree_spans(row: str) -> Spans:
    """Return the colors of a row of a tree, as it is shown."""
    entry = _ENTRY.fullmatch(row)
    if entry is None:
        return ()
    key, value = entry.span("key"), entry["value"]
    if value.startswith(('"', "| ")):
        token = "string"
    elif _NUMBER.fullmatch(value):
        token = "number"
    else:
        token = "keyword" if value in _WORDS else ""
    spans = (*key, "name"), (*entry.span("value"), token)
    return tuple(span for span in spans if span[0] < span[1] and span[2])


# -- The syntax colors of visible lines: blocks without them, and blocks that were asked for already.


class VisibleColors:
    """Has the blocks on the screen colored, and those behind them: the next page has its colors at once."""

    def __init__(self) -> None:
        self._highlights = Highlights()
        self._visible: set[Block] = set()
        self._asked: set[Block] = set()

    def missing(self, reading: Reading, visible: Sequence[VisibleLine]) -> list[tuple[Document, Block]]:
        """Return the blocks of some lines, and those behind them, that have no colors and were not asked for.

        From now on they were.
        """
        here: dict[Block, Document] = {}
        for cell in (cell for line in visible for cell in line.cells):
            document, inner = reading.locate(cell.row)
            row = document.row(inner)
            if row.side is not None and row.source_line is not None and document.language_name is not None:
                here[id(document), row.side, row.source_line // BLOCK_LINES] = document
        behind = {(name, side, number + 1): document for (name, side, number), document in here.items()}
        missing = [
            (document, block)
            for block, document in {**here, **behind}.items()
            if block not in self._highlights and block not in self._asked
        ]
        self._visible = set(here)
        self._asked.update(block for _, block in missing)
        return missing

    def take(
        self,
        shown: Collection[Document],
        blocks: Sequence[tuple[Document, Block]],
        spans: Sequence[tuple[Spans, ...]],
    ) -> bool:
        """Take over colors, except of documents that are not shown any more; True if any are on the screen."""
        known = set(map(id, shown))
        for (document, block), colors in zip(blocks, spans, strict=True):
            self._asked.discard(block)
            if id(document) in known:
                self._highlights.store(block, colors)
        return any(block in self._visible for _, block in blocks)

    def spans(self, document: Document, row: Row) -> Spans | None:
        """Return the colors of a row's source line: None while its block has none, empty if it can have none."""
        return self._highlights.spans(document, row.side, row.source_line)

    def forget(self) -> None:
        """Forget all colors: other documents are shown, or other lines of them."""
        self._highlights.clear()
        self._visible.clear()
        self._asked.clear()
