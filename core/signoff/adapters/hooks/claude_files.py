"""The files that Claude Code's own tools leave behind, byte for byte.

Its tools write something else than their arguments say. Facts, measured with the program (2.1.332) and compared
with it again by ``make clients``:

- Blanks at the ends of lines are left out of what is written, but not in Markdown (``.md``, ``.mdx``).
- A file is read with line feeds alone, and an edited one gets back the endings that most of its lines had, as far
  as its beginning tells: a longer file with both kinds is refused here. What is written as a whole keeps the
  endings of the argument.
- A byte order mark stays, and with it the encoding: UTF-8 or UTF-16.
- An edit that replaces text by nothing, and leaves an empty line where the text was, takes the line with it.
- A text that is not found is looked for once more with straight quotes for curly ones; the new text then gets
  curly ones, too.
- Links are not written through, and notebooks are not edited as text.
- ``NotebookEdit`` reads a notebook as JavaScript reads JSON, changes one cell, and writes all of it with an indent
  of one blank. The text of the cell becomes one string. Where the format has ids (4.5 and later) a new cell gets
  one of eight random digits, which nobody knows before.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from signoff.adapters.hooks.text_files import TextFile, line_feeds, read_text_file, require_written, text_argument
from signoff.effects import FileWrite, SnapshotError
from signoff.present.snapshot.files import named

__all__ = ["ID_OF_NEW_CELL", "NOTEBOOK_EDIT", "arguments_for", "file_after"]

# What JavaScript takes for white space, without line ends of its own.
_BLANKS_AT_END = re.compile("[\t\v\f \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+(?=[\r\n]|\\Z)")
_LOOKED_AT = 4_000
"""So many characters at least the program looks at, to tell the line ends of a file."""
NOTEBOOK_EDIT = "NotebookEdit"
"""The tool that changes one cell of a notebook."""

ID_OF_NEW_CELL = "(8 digits that Claude Code chooses)"
"""The id of a new cell of a notebook, as it is shown."""

_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def file_after(tool: str, arguments: Mapping[str, Any], path: str) -> FileWrite:
    """Return the file that a call leaves behind.

    Args:
        tool: The tool.
        arguments: Its arguments.
        path: The absolute path that they name.

    Raises:
        SnapshotError: The tool would refuse, or the file cannot be read.
    """
    if Path(path).is_symlink():
        raise SnapshotError(f"{named(path)} is a link, which the tool refuses; name the file that it leads to")
    if tool == NOTEBOOK_EDIT:
        return _notebook_after(arguments, path)
    if tool != "Write" and path.lower().endswith(".ipynb"):
        raise SnapshotError(f"{named(path)} is a notebook, which the tool refuses to edit as text")
    file = read_text_file(path)
    if tool == "Write":
        text = _without_blanks(path, text_argument(arguments, "content"))
        after = file.encoded(text.removeprefix("\ufeff") if file.mark else text, crlf=False)
    else:
        text = file.text
        edits = [arguments] if tool == "Edit" else arguments.get("edits")
        if not isinstance(edits, list) or not edits:
            raise SnapshotError("the call names no edits")
        for edit in edits:
            text = _edited(path, file, text, edit)
        _require_known_line_ends(path, file)
        after = file.encoded(text, crlf=file.mostly_crlf)
    return FileWrite(path, after, replaces=file.sha256)


def arguments_for(tool: str, arguments: Mapping[str, Any], path: str, content: bytes) -> dict[str, Any]:
    """Return arguments with which a tool writes exactly this content.

    Args:
        tool: The tool.
        arguments: The arguments that were asked.
        path: The absolute path that they name.
        content: The content.

    Raises:
        ValueError: There are none.
    """
    file = read_text_file(path)
    text = file.decoded(content)
    if tool == "Write":
        changed = {**arguments, "content": text}
    elif tool == "Edit" and file.text:
        changed = {**arguments, "old_string": file.text, "new_string": line_feeds(text)}
    elif tool == NOTEBOOK_EDIT:
        changed = {**arguments, "new_source": _source_in(line_feeds(text), arguments, file)}
    else:
        raise ValueError(f"{tool} cannot be told to write something else")
    require_written(content, lambda: file_after(tool, changed, path))
    return changed


def _require_known_line_ends(path: str, file: TextFile) -> None:
    if file.is_mixed and len(file.text) > _LOOKED_AT:
        raise SnapshotError(f"{named(path)} has line ends of two kinds, of which the tool may change all")


def _edited(path: str, file: TextFile, text: str, edit: object) -> str:
    """The text after one edit.

    Raises:
        SnapshotError: The tool would refuse it.
    """
    if not isinstance(edit, Mapping):
        raise SnapshotError("an edit is not an object")
    old, new = text_argument(edit, "old_string"), _without_blanks(path, text_argument(edit, "new_string"))
    if old == new:
        raise SnapshotError("the edit changes nothing: old and new text are the same")
    if not old:
        if text:
            raise SnapshotError(f"{named(path)} is not empty, and the edit names no text to replace")
        return new
    if old not in text:
        found = text.translate(_STRAIGHT).find(old.translate(_STRAIGHT))
        if found < 0:
            raise SnapshotError(f"the text to replace is not in {named(path)}")
        straight, old = old, text[found : found + len(old)]
        new = _curly_as(straight, old, new)
    count = text.count(old)
    if count > 1 and edit.get("replace_all") is not True:
        raise SnapshotError(
            f"the text to replace is {count} times in {named(path)}; name more of what is around it"
        )
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"
    return text.replace(old, new) if edit.get("replace_all") is True else text.replace(old, new, 1)


def _without_blanks(path: str, text: str) -> str:
    return text if path.lower().endswith((".md", ".mdx")) else _BLANKS_AT_END.sub("", text)


def _curly_as(straight: str, found: str, new: str) -> str:
    """The new text with curly quotes, if the text that was found has such where straight ones were named."""
    if straight == found:
        return new
    if any(each in found for each in "\u201c\u201d"):
        new = _curled(new, '"', "\u201c", "\u201d")
    if any(each in found for each in "\u2018\u2019"):
        new = _curled(new, "'", "\u2018", "\u2019")
    return new


def _curled(text: str, straight: str, opening: str, closing: str) -> str:
    letters = list(text)
    for place, letter in enumerate(letters):
        if letter != straight:
            continue
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        inside_word = straight == "'" and before.isalpha() and after.isalpha()
        opens = not inside_word and (not before or before.isspace() or before in "([{\u2013\u2014")
        letters[place] = opening if opens else closing
    return "".join(letters)


# -- Notebooks.

_MODES = frozenset({"replace", "insert", "delete"})
_WITH_IDS = (4, 5)
_LARGEST = 2**53
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


def _notebook_after(arguments: Mapping[str, Any], path: str) -> FileWrite:
    if not path.endswith(".ipynb"):
        raise SnapshotError(f"{named(path)} is no notebook; its name does not end in .ipynb")
    file = read_text_file(path)
    if not file.sha256:
        raise SnapshotError(f"{named(path)} does not exist")
    _require_known_line_ends(path, file)
    notebook = _notebook(path, file.text)
    cells, mode, kind = notebook["cells"], arguments.get("edit_mode", "replace"), arguments.get("cell_type")
    if mode not in _MODES or kind not in (None, "code", "markdown"):
        raise SnapshotError("the call names a mode, or a kind of cell, that the tool does not know")
    source, place = text_argument(arguments, "new_source"), _place(cells, arguments.get("cell_id"), mode)
    if mode == "delete":
        del cells[place]
    elif mode == "insert":
        if kind is None:
            raise SnapshotError("the call names no kind for the new cell")
        cells.insert(place, _new_cell(notebook, kind, source))
    else:
        _change_cell(cells[place], kind, source)
    try:
        text = "".join(_written_by_javascript(notebook, 0)) + ("\n" if file.text.endswith("\n") else "")
    except RecursionError:
        raise SnapshotError(f"{named(path)} has too many levels") from None
    return FileWrite(path, file.encoded(text, crlf=file.mostly_crlf), replaces=file.sha256)


def _notebook(path: str, text: str) -> dict[str, Any]:
    """A notebook as the program reads it.

    Raises:
        SnapshotError: It reads none.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    try:
        found: object = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{named(path)} cannot be read as a notebook: {error}") from None
    if isinstance(found, dict):
        cells = found.get("cells")
        if isinstance(cells, list) and all(_is_cell(each) for each in cells):
            return found
    raise SnapshotError(f"{named(path)} is no notebook with a list of cells")


def _is_cell(cell: object) -> bool:
    source = cell.get("source") if isinstance(cell, dict) else None
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(each, str) for each in source))


def _place(cells: list[dict[str, Any]], ident: object, mode: str) -> int:
    """The index of the cell that a call names, or of the new one after it.

    Raises:
        SnapshotError: There is no such cell.
    """
    if not isinstance(ident, str | None):
        raise SnapshotError("the id of the cell is no text")
    if not ident:
        if mode == "insert":
            return 0
        raise SnapshotError("the call names no cell")
    place = next((place for place, cell in enumerate(cells) if cell.get("id") == ident), None)
    if place is None:
        numbered = re.fullmatch("cell-([0-9]{1,9})", ident)
        if numbered is None or int(numbered.group(1)) >= len(cells):
            raise SnapshotError(f"there is no cell {ident!a} in the notebook")
        place = int(numbered.group(1))
    return place + 1 if mode == "insert" else place


def _new_cell(notebook: Mapping[str, Any], kind: str, source: str) -> dict[str, Any]:
    version = [notebook.get("nbformat", 0), notebook.get("nbformat_minor", 0)]
    if any(type(part) is not int for part in version):
        raise SnapshotError("the format of the notebook is no whole number")
    ident = {"id": ID_OF_NEW_CELL} if (version[0], version[1]) >= _WITH_IDS else {}
    ran: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, **ident, "source": source, "metadata": {}, **ran}


def _change_cell(cell: dict[str, Any], kind: str | None, source: str) -> None:
    attached = cell.get("attachments")
    if attached is not None and not isinstance(attached, dict):
        raise SnapshotError("the attachments of the cell are no object")
    if kind == "code" and cell.get("cell_type") != "code" and attached:
        raise SnapshotError("the cell has attachments, which a cell of code cannot have")
    cell["source"] = source
    if kind is not None:
        cell["cell_type"] = kind
    if cell.get("cell_type") == "code":
        cell.update(execution_count=None, outputs=[])
        if not attached:
            cell.pop("attachments", None)
    elif cell.get("cell_type") in ("markdown", "raw"):
        cell.pop("execution_count", None)
        cell.pop("outputs", None)


def _source_in(text: str, arguments: Mapping[str, Any], file: TextFile) -> str:
    """The text of the cell that a call changes, in what was approved in its place.

    Raises:
        ValueError: There is none.
    """
    mode = arguments.get("edit_mode", "replace")
    try:
        before = _notebook("", file.text)
        place = _place(before["cells"], arguments.get("cell_id"), mode)
        source = json.loads(text)["cells"][place]["source"]
    except (SnapshotError, ValueError, LookupError, TypeError, RecursionError):
        source = None
    if mode == "delete" or not isinstance(source, str):
        raise ValueError("it changes the text of one cell alone")
    return source


def _written_by_javascript(value: Any, depth: int) -> Iterator[str]:
    """The pieces of a JSON text as ``JSON.stringify`` writes it with an indent of one blank."""
    if not isinstance(value, dict | list) or not value:
        yield _scalar(value)
        return
    between, last = "\n" + " " * (depth + 1), "\n" + " " * depth
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield opening
    items = _in_its_order(value) if isinstance(value, dict) else (("", each) for each in value)
    for number, (key, item) in enumerate(items):
        yield f"{',' if number else ''}{between}"
        yield f"{_scalar(key)}: " if isinstance(value, dict) else ""
        yield from _written_by_javascript(item, depth + 1)
    yield last + closing


def _in_its_order(value: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The entries of an object: keys that are indexes come first, by their size."""
    indexes = [key for key in value if re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1]
    order = dict.fromkeys([*sorted(indexes, key=int), *value])
    return [(key, value[key]) for key in order]


def _scalar(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        try:
            value = float(value)
        except OverflowError:
            return "null"
    if isinstance(value, float):
        return _number(value)
    written = json.dumps(value, ensure_ascii=False)
    return _HALF_A_CHARACTER.sub(lambda half: f"\\u{ord(half.group()):04x}", written)


def _number(value: float) -> str:
    """A number as JavaScript writes it (ECMA-262, Number::toString); what is infinite is null."""
    if not math.isfinite(value):
        return "null"
    if not value:
        return "0"
    number = Decimal(repr(abs(value))).normalize()
    digits, exponent = "".join(map(str, number.as_tuple().digits)), number.adjusted()
    sign = "-" if value < 0 else ""
    if 0 <= exponent <= 20:
        whole, part = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    elif -7 < exponent < 0:
        whole, part = "0", "0" * (-exponent - 1) + digits
    else:
        whole, part = digits[0], digits[1:]
    written = f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
    return written if -7 < exponent <= 20 else f"{written}e{exponent:+d}"
