"""Calls of Claude Code's file tools, and the files that the program (2.1.332) left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["CASES", "CODE", "NOTEBOOKS", "Case", "notebook"]


class Case(NamedTuple):
    """A call.

    Attributes:
        name: Name of the file, which says what is special.
        before: The file before the call; None for no file.
        tool: The tool.
        arguments: Its arguments without the path.
        after: The file after it; None if the tool refuses.
        path: The argument for the path.
    """

    name: str
    before: bytes | None
    tool: str
    arguments: Mapping[str, Any]
    after: bytes | None
    path: str = "file_path"

    def arguments_for(self, path: str) -> Mapping[str, Any]:
        """All its arguments, for a file."""
        return {self.path: path, **self.arguments}


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of Edit."""
    return Case(name, before, "Edit", {"old_string": old, "new_string": new, **more}, after)


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of Write."""
    return Case(name, before, "Write", {"content": content}, after)


def cell(name: str, before: bytes | None, source: str, after: bytes | None, **more: object) -> Case:
    """A call of NotebookEdit."""
    return Case(f"{name}.ipynb", before, "NotebookEdit", {"new_source": source, **more}, after, "notebook_path")


def notebook(*cells: bytes, indent: bool = False, minor: int = 4) -> bytes:
    """A notebook with some cells: as a person may have it, or as the program writes it."""
    if not indent:
        return b'{"cells": [%s], "metadata": {}, "nbformat": 4, "nbformat_minor": %d}' % (b", ".join(cells), minor)
    return b'{\n "cells": [%s\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": %d\n}' % (
        b",".join(b"\n  " + each for each in cells),
        minor,
    )


CODE = (
    b'{"cell_type": "code", "execution_count": 3, "id": "a", "metadata": {}, '
    b'"outputs": [{"text": ["1\\n"]}], "source": ["x = 1\\n", "x"]}'
)
TEXT = b'{"cell_type": "markdown", "id": "b", "metadata": {}, "source": "# T", "attachments": {"i": {}}}'
CODE_AFTER = b"""{
   "cell_type": "code",
   "execution_count": 3,
   "id": "a",
   "metadata": {},
   "outputs": [
    {
     "text": [
      "1\\n"
     ]
    }
   ],
   "source": [
    "x = 1\\n",
    "x"
   ]
  }"""
TEXT_AFTER = b"""{
   "cell_type": "markdown",
   "id": "b",
   "metadata": {},
   "source": "# T",
   "attachments": {
    "i": {}
   }
  }"""
CHANGED = b"""{
   "cell_type": "code",
   "execution_count": null,
   "id": "a",
   "metadata": {},
   "outputs": [],
   "source": "y = 2  \\n\xc3\xa9\\u0001\xe2\x80\xa8\\"\\\\"
  }"""
ODD = (
    b'{"cell_type": "raw", "id": "o", "source": "", "metadata": {"b": 1.0, "10": 1e21, "2": 1e-7, "a": -0.0, '
    b'"n": [1e20, 123456789012345678901, 0.000001, 1.5e300, 9007199254740993, -2.50, 1e400, 100, 0.1], '
    b'"e": [], "u": "\\ud800\\u00e9\\/\\u007f\\ud83d\\ude00", "b": 2}}'
)
ODD_AFTER = b"""{
   "cell_type": "raw",
   "id": "o",
   "source": "r",
   "metadata": {
    "2": 1e-7,
    "10": 1e+21,
    "b": 2,
    "a": 0,
    "n": [
     100000000000000000000,
     123456789012345680000,
     0.000001,
     1.5e+300,
     9007199254740992,
     -2.5,
     null,
     100,
     0.1
    ],
    "e": [],
    "u": "\\ud800\xc3\xa9/\x7f\xf0\x9f\x98\x80"
   }
  }"""
NEW_TEXT = b"""{
   "cell_type": "markdown",
   "source": "new",
   "metadata": {}
  }"""
NEW_CODE = b"""{
   "cell_type": "code",
   "source": "new",
   "metadata": {},
   "execution_count": null,
   "outputs": []
  }"""
TEXT_AS_CODE = b"""{
   "cell_type": "code",
   "source": "s",
   "execution_count": null,
   "outputs": []
  }"""

NOTEBOOKS: Sequence[Case] = (
    cell(
        "a cell",
        notebook(CODE, TEXT),
        'y = 2  \né\x01\u2028"\\',
        notebook(CHANGED, TEXT_AFTER, indent=True),
        cell_id="a",
    ),
    cell("a cell by its place", notebook(ODD), "r", notebook(ODD_AFTER, indent=True), cell_id="cell-0"),
    cell("no such cell", notebook(CODE), "r", None, cell_id="c"),
    cell("no such place", notebook(CODE), "r", None, cell_id="cell-1"),
    cell("no cell named", notebook(CODE), "r", None),
    cell(
        "a cell goes", notebook(CODE, TEXT), "", notebook(CODE_AFTER, indent=True), cell_id="b", edit_mode="delete"
    ),
    cell(
        "a new cell first",
        notebook(CODE),
        "new",
        notebook(NEW_TEXT, CODE_AFTER, indent=True),
        edit_mode="insert",
        cell_type="markdown",
    ),
    cell(
        "a new cell after another",
        notebook(CODE) + b"\n",
        "new",
        notebook(CODE_AFTER, NEW_CODE, indent=True) + b"\n",
        edit_mode="insert",
        cell_type="code",
        cell_id="a",
    ),
    cell("a new cell of no kind", notebook(CODE), "new", None, edit_mode="insert"),
    cell("attachments in code", notebook(TEXT), "s", None, cell_id="b", cell_type="code"),
    cell(
        "text becomes code",
        notebook(b'{"cell_type": "markdown", "source": "a", "attachments": {}}'),
        "s",
        notebook(TEXT_AS_CODE, indent=True),
        cell_id="cell-0",
        cell_type="code",
    ),
    cell(
        "crlf and a mark",
        b"\xef\xbb\xbf" + notebook(CODE).replace(b"[", b"[\r\n") + b"\r\n",
        "new",
        b"\xef\xbb\xbf" + notebook(CODE_AFTER, NEW_CODE, indent=True).replace(b"\n", b"\r\n") + b"\r\n",
        edit_mode="insert",
        cell_type="code",
        cell_id="a",
    ),
    cell("not json", b'{"cells": [NaN]}', "s", None, cell_id="cell-0"),
    cell("no cells", b'{"metadata": {}}', "s", None, cell_id="cell-0"),
    cell("another source", b'{"cells": [{"source": 1}]}', "s", None, cell_id="cell-0"),
    cell("not there", None, "s", None, cell_id="cell-0"),
    Case(
        "no notebook",
        b'{"cells": []}',
        "NotebookEdit",
        {"new_source": "s", "edit_mode": "insert", "cell_type": "code"},
        None,
        "notebook_path",
    ),
)
CASES: Sequence[Case] = (
    edit(
        "signs that are no blanks", b"one\n", "one", "a\x1c\nb\x1f\nc\x85\nd", "a\x1c\nb\x1f\nc\x85\nd\n".encode()
    ),
    write("written signs that are no blanks", None, "a\x1f\nb\u2028\n", b"a\x1f\nb\n"),
    edit("first lf and then crlf", b"l\n" * 2_100 + b"l\r\n" * 4_000 + b"x", "x", "y", None),
    edit("first crlf and then lf", b"l\r\n" * 2_100 + b"l\n" * 8_000 + b"x", "x", "y", None),
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", b"one\ntwo\nthree\n", "two", "", b"one\nthree\n"),
    edit("a line goes with its end", b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
    edit("the last line goes", b"one\ntwo", "two", "", b"one\n"),
    edit("a part of a word goes", b"one\ntwo\nthree\n", "tw", "", b"one\no\nthree\n"),
    edit("all lines go", b"one\nab\nab\n", "ab", "", b"one\n", replace_all=True),
    edit("all", b"a b a b\n", "a", "c", b"c b c b\n", replace_all=True),
    edit("all that overlap", b"aaa\n", "aa", "b", b"ba\n", replace_all=True),
    edit("several and not all", b"a a\n", "a", "b", None),
    edit("not there", b"one\ntwo\nthree\n", "four", "4", None),
    edit("the same", b"one\ntwo\nthree\n", "two", "two", None),
    edit("signs of patterns", b"one\ntwo\nthree\n", "two", "$& $1 \\1", b"one\n$& $1 \\1\nthree\n"),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("mostly crlf", b"one\r\ntwo\r\nthree\n", "two", "2\n3", b"one\r\n2\r\n3\r\nthree\r\n"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2\n3", b"one\n2\n3\n"),
    edit("crlf named", b"one\r\n", "one\r\n", "1", None),
    edit("crlf in the new text", b"one\ntwo\nthree\n", "two", "2  \r\n3", b"one\n2\r\n3\nthree\n"),
    edit("cr alone", b"one\rtwo\r", "two", "2", b"one\r2\r"),
    edit(
        "curly quotes",
        b"say \xe2\x80\x9chi\xe2\x80\x9d it\xe2\x80\x99s\n",
        'say "hi" it\'s',
        'say "bye" it\'s ("x") "',
        b"say \xe2\x80\x9cbye\xe2\x80\x9d it\xe2\x80\x99s (\xe2\x80\x9cx\xe2\x80\x9d) \xe2\x80\x9c\n",
    ),
    edit("curly quotes in the argument", b'say "hi"\n', "say “hi”", "x “y”", b"x \xe2\x80\x9cy\xe2\x80\x9d\n"),
    edit("curly quotes in both", b"one \xe2\x80\x9cq\xe2\x80\x9d\n", "one “q”", 'two "r"', b'two "r"\n'),
    edit("blanks at the end", b"one\ntwo\nthree\n", "two", "two \t\nx\xa0\ny\u3000", b"one\ntwo\nx\ny\nthree\n"),
    edit("blanks in the middle", b"two three\n", "two", "TWO ", b"TWO three\n"),
    edit("nothing but blanks", b"ab\n", "b", "b \t", None),
    edit("blanks in the old text", b"one  \ntwo\n", "one\ntwo", "x", None),
    edit("blanks.md", b"one\ntwo\nthree\n", "two", "two  ", b"one\ntwo  \nthree\n"),
    edit("blanks.MDX", b"one\ntwo\nthree\n", "two", "two  ", b"one\ntwo  \nthree\n"),
    edit("blanks.markdown", b"one\ntwo\nthree\n", "two", "two  ", None),
    edit("mark", b"\xef\xbb\xbfone\ntwo\n", "two", "TWO", b"\xef\xbb\xbfone\nTWO\n"),
    edit(
        "utf-16",
        b"\xff\xfeo\x00n\x00e\x00\n\x00t\x00w\x00o\x00\n\x00",
        "two",
        "TWO é",
        b"\xff\xfeo\x00n\x00e\x00\n\x00T\x00W\x00O\x00 \x00\xe9\x00\n\x00",
    ),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("new file", None, "", "created\n", b"created\n"),
    edit("empty file", b"", "", "filled", b"filled"),
    edit("full file", b"one\ntwo\nthree\n", "", "x", None),
    edit("notebook.ipynb", b"{}", "{}", "[]", None),
    write("written", b"one\ntwo\nthree\n", "a\r\nb\n", b"a\r\nb\n"),
    write("written over crlf", b"one\r\ntwo\r\n", "1\n2\n", b"1\n2\n"),
    write("written new", None, "a  \n\tb\t \n   \n\x0c\nz  ", b"a\n\tb\n\n\nz"),
    write("written.md", b"one\ntwo\nthree\n", "a  \n", b"a  \n"),
    write("written empty", b"one\ntwo\nthree\n", "", b""),
    write("written the same", b"one\ntwo\nthree\n", "one\ntwo\nthree\n", b"one\ntwo\nthree\n"),
    write("written over a mark", b"\xef\xbb\xbfx\n", "y\n", b"\xef\xbb\xbfy\n"),
    write("written with a mark", None, "\ufeffx\n", b"\xef\xbb\xbfx\n"),
    write("written with two marks", b"\xef\xbb\xbfx\n", "\ufeffy\n", b"\xef\xbb\xbfy\n"),
    write("written over utf-16", b"\xff\xfe\xe9\x00\n\x00", "y\n", b"\xff\xfey\x00\n\x00"),
    write("folder/of/its/own", None, "x\n", b"x\n"),
)
