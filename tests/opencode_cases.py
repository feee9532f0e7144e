"""Calls of OpenCode's file tools, and the files that the program (1.18.33) left behind with the plugin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claude_cases import Case

__all__ = ["CASES", "PATCHES"]


class OpenCodeCase(Case):
    """A call of edit or write."""

    def arguments_for(self, path: str) -> Mapping[str, Any]:
        """All its arguments, for a file."""
        return {"filePath": path, **self.arguments}


class PatchCase(Case):
    """A patch of one file."""

    def arguments_for(self, path: str) -> Mapping[str, Any]:
        """The patch, for a file."""
        return {"patchText": self.arguments["patch"].replace("PATH", path)}


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of edit."""
    return OpenCodeCase(name, before, "edit", {"oldString": old, "newString": new, **more}, after)


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write."""
    return OpenCodeCase(name, before, "write", {"content": content}, after)


def patched(name: str, before: bytes | None, lines: str, after: bytes | None) -> Case:
    """A patch with these lines between its first and last."""
    patch = f"*** Begin Patch\n{lines}\n*** End Patch\n"
    return PatchCase(name, before, "apply_patch", {"patch": patch}, after)


def update(name: str, before: bytes | None, lines: str, after: bytes | None) -> Case:
    """A patch that updates a file."""
    return patched(name, before, f"*** Update File: PATH\n{lines}", after)


_THREE = b"one\ntwo\nthree\n"
_MARK = b"\xef\xbb\xbf"

CASES: Sequence[Case] = (
    edit("a line", _THREE, "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", _THREE, "two", "", b"one\n\nthree\n"),
    edit("a line goes with its end", _THREE, "two\n", "", b"one\nthree\n"),
    edit("the last line", b"one\ntwo", "two", "2", b"one\n2"),
    edit("all", b"a b a\n", "a", "c", b"c b c\n", replaceAll=True),
    edit("all that overlap", b"aaa\n", "aa", "b", b"ba\n", replaceAll=True),
    edit("one that overlaps", b"aaa\n", "aa", "b", None),
    edit("several and not all", b"a b a\n", "a", "c", None),
    edit("not there", _THREE, "four", "4", None),
    edit("the same", _THREE, "two", "two", None),
    edit("the same but for line ends", _THREE, "one\ntwo", "one\r\ntwo", None),
    edit("signs of patterns", _THREE, "two", "$& $1 $$ $` $'", b"one\n$& $1 $$ $` $'\nthree\n"),
    edit(
        "signs of patterns for all",
        b"a-b-a\n",
        "a",
        "[$&$$$1$<x>]",
        b"[a$$1$<x>]-b-[a$$1$<x>]\n",
        replaceAll=True,
    ),
    edit("what is around for all", b"1a2a3", "a", "[$`|$']", b"1[1|2a3]2[1a2|3]3", replaceAll=True),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("crlf in both", b"one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2\n3", b"1\r\n2\r\n3\r\n"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2\n3", b"one\r\n2\r\n3\n"),
    edit("half crlf across a line feed", b"one\r\ntwo\nthree\n", "two\nthree", "2", None),
    edit("crlf in the new text", _THREE, "two", "2\r\n3", b"one\n2\n3\nthree\n"),
    edit("cr alone", b"one\rtwo\r", "two", "2\r", b"one\r2\r\r"),
    edit("other blanks at the beginning", b"  one\n  two\n", "one\ntwo", "1\n2", None),
    edit("blanks at the end", _THREE, "two", "two  \nx\t", b"one\ntwo  \nx\t\nthree\n"),
    edit("a sign written out", b"a\nb\n", "a\\nb", "c", None),
    edit("new file", None, "", "new", b"new"),
    edit("new file with a mark", None, "", "\ufeffnew\r\n", _MARK + b"new\r\n"),
    edit("new file with two marks", None, "", "\ufeff\ufeffnew\n", _MARK + b"new\n"),
    edit("no file", None, "a", "b", None),
    edit("empty file", b"", "", "filled", None),
    edit("full file", _THREE, "", "x", None),
    edit("mark", _MARK + b"one\n", "one", "two", _MARK + b"two\n"),
    edit("mark in the new text", b"one\n", "one", "\ufefftwo", _MARK + b"two\n"),
    edit("mark in the middle", b"one\ntwo\n", "two", "\ufeff2", b"one\n" + _MARK + b"2\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("utf-16", b"\xff\xfeo\x00n\x00e\x00", "one", "two", None),
    edit("other letters", "日本 é\n".encode(), "é", "ü", "日本 ü\n".encode()),
    write("written", _THREE, "a  \n", b"a  \n"),
    write("written new", None, "a\r\nb\n", b"a\r\nb\n"),
    write("written over crlf", b"one\r\ntwo\r\n", "1\n2\n", b"1\n2\n"),
    write("written over a mark", _MARK + b"x\n", "y\n", _MARK + b"y\n"),
    write("written with a mark", None, "\ufeffx", _MARK + b"x"),
    write("written with two marks", _MARK + b"x\n", "\ufeff\ufeffy\n", _MARK + b"y\n"),
    write("written over latin", b"\xe9\n", "yé\n", "yé\n".encode()),
    write("written empty", _THREE, "", b""),
    write("folder/of/its/own", None, "x", b"x"),
)

PATCHES: Sequence[Case] = (
    update("a line", _THREE, "@@\n one\n-two\n+TWO\n three", b"one\nTWO\nthree\n"),
    update("a first part without its sign", _THREE, "-two\n+TWO", None),
    update("a line goes", _THREE, "@@\n-two", b"one\nthree\n"),
    update("all lines go", b"one\n", "@@\n-one", b""),
    update("the last line gets an end", b"one\ntwo", "@@\n-two\n+2", b"one\n2\n"),
    update("an empty line at the end goes", b"one\ntwo\n\n", "@@\n-one\n+1", b"1\ntwo\n"),
    update("two empty lines at the end", b"one\n\n\n", "@@\n-one\n+1", b"1\n\n"),
    update("crlf", b"one\r\ntwo\r\n", "@@\n-two\n+2", None),
    update("cr alone", b"one\rtwo\nthree\n", "@@\n-three\n+3", None),
    update("added at the end", b"one\ntwo\n", "@@\n+three", b"one\ntwo\nthree\n"),
    update("added at the end without an end", b"one\ntwo", "@@\n+three", b"one\ntwo\nthree\n"),
    update("added before an empty line", b"one\n\n", "@@\n+two", b"one\ntwo\n"),
    update("added below a heading", _THREE, "@@ one\n+x", b"one\ntwo\nthree\nx\n"),
    update("below a heading", b"a\nx\nb\nx\n", "@@ b\n-x\n+y", b"a\nx\nb\ny\n"),
    update("below an indented heading", b"a\nx\n  b\nx\n", "@@ b\n-x\n+y", b"a\nx\n  b\ny\n"),
    update("below a heading with blanks", b"a\nx\n  b \nx\n", "@@   b\n-x\n+y", b"a\nx\n  b \ny\n"),
    update("the exact heading first", b"  b\nx\nb\nx\n", "@@ b\n-x\n+y", b"  b\nx\nb\ny\n"),
    update("no such heading", b"a\nx\n", "@@ b\n-x\n+y", None),
    update("a heading is not found twice", _THREE, "@@ one\n-one\n+1", None),
    update("the first of two", b"x\na\nx\n", "@@\n-x\n+y", b"y\na\nx\n"),
    update("the last of two", b"x\na\nx\n", "@@\n-x\n+y\n*** End of File", None),
    update("at the end", b"x\na\n", "@@\n-a\n+b\n*** End of File", b"x\nb\n"),
    update("added at the end of the file", b"x\n", "@@\n+a\n*** End of File", b"x\na\n"),
    update("more below the end", b"a\nb\n", "@@\n-b\n+c\n*** End of File\n@@\n+d", None),
    update("not at the end", b"x\na\n", "@@\n-x\n+y\n*** End of File", None),
    update("two parts", b"x\na\nx\n", "@@\n-x\n+y\n@@\n-x\n+z", b"y\na\nz\n"),
    update("two parts and one at the end", b"x\na\n", "@@\n-x\n+y\n@@\n+z", b"y\na\nz\n"),
    update("parts the wrong way round", _THREE, "@@\n-three\n+3\n@@\n-one\n+1", None),
    update("empty lines", b"one\n\ntwo\n", "@@\n one\n \n-two\n+2", b"one\n\n2\n"),
    update("other blanks", b"  one\n", "@@\n-one\n+1", None),
    update("empty file", b"", "@@\n+one", b"one\n"),
    update("mark", _MARK + b"one\ntwo\n", "@@\n-one\n+1", _MARK + b"1\ntwo\n"),
    update("latin", b"caf\xe9\ntwo\n", "@@\n-two\n+2", None),
    update("signs of patterns", _THREE, "@@\n-two\n+$& $1 \\n", b"one\n$& $1 \\n\nthree\n"),
    update("separators inside of lines", "a\u2028b\x0c\n".encode(), "@@\n-a\u2028b\x0c\n+c", b"c\n"),
    update("a line like the last", b"*** End Patch\nb\n", "@@\n *** End Patch\n-b\n+c", None),
    update("a part that keeps all", _THREE, "@@\n one\n two", _THREE),
    update("not there", None, "@@\n-one\n+1", None),
    update("no lines", _THREE, "@@", None),
    patched("added", None, "*** Add File: PATH\n+one\n+two", b"one\ntwo\n"),
    patched("added with an empty line at its end", None, "*** Add File: PATH\n+one\n+", b"one\n"),
    patched("added with two empty lines at its end", None, "*** Add File: PATH\n+one\n+\n+", b"one\n\n"),
    patched("added empty", None, "*** Add File: PATH", b""),
    patched("added over another", b"old\r\n", "*** Add File: PATH\n+one", b"one\n"),
    patched("folder/of/its/own", None, "*** Add File: PATH\n+x", b"x\n"),
    patched("a line without its sign", None, "*** Add File: PATH\n+one\ntwo", None),
)
