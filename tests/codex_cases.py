"""Calls of Codex's file tool, and the files that the program (0.171.0) left behind with the hook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claude_cases import Case

__all__ = ["CASES", "addition", "update"]


class PatchCase(Case):
    """A patch of one file."""

    def arguments_for(self, path: str) -> Mapping[str, Any]:
        """The patch, for a file."""
        return {"patch": self.arguments["patch"].replace("PATH", path)}


def patched(name: str, before: bytes | None, lines: str, after: bytes | None) -> Case:
    """A patch with these lines between its first and last."""
    patch = f"*** Begin Patch\n{lines}\n*** End Patch\n"
    return PatchCase(name, before, "apply_patch", {"patch": patch}, after)


def edit(name: str, before: bytes | None, lines: str, after: bytes | None) -> Case:
    """An update of a file."""
    return patched(name, before, f"*** Update File: PATH\n{lines}", after)


def addition(path: str, content: str) -> str:
    """A patch that writes a file."""
    lines = "\n".join(f"+{line}" for line in content.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}\n*** End Patch\n"


def update(path: str, old: str, new: str) -> str:
    """A patch that replaces whole lines."""
    lines = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
    return "\n".join(["*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch", ""])


_THREE = b"one\ntwo\nthree\n"

CASES: Sequence[Case] = (
    edit("a line", _THREE, "@@\n one\n-two\n+TWO\n three", b"one\nTWO\nthree\n"),
    edit("a first part without its sign", _THREE, "-two\n+TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", _THREE, "@@\n-two", b"one\nthree\n"),
    edit("all lines go", b"one\n", "@@\n-one", b""),
    edit("the last line gets an end", b"one\ntwo", "@@\n-two\n+2", b"one\n2\n"),
    edit("the last line gets an end for another", b"one\ntwo", "@@\n-one\n+1", b"1\ntwo\n"),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "@@\n one\n-two\n+2\n+more", b"one\r\n2\r\nmore\r\nthree\r\n"),
    edit("half crlf", b"one\r\ntwo\nthree\r\n", "@@\n-two\n+2\n+more", b"one\r\n2\r\nmore\r\nthree\r\n"),
    edit("half crlf behind a line feed", b"one\ntwo\r\nthree\r\n", "@@\n two\n-three\n+3", b"one\ntwo\r\n3\n"),
    edit("cr alone", b"one\rtwo\nthree\n", "@@\n-three\n+3", None),
    edit("added at the end", b"one\ntwo\n", "@@\n+three", b"one\ntwo\nthree\n"),
    edit("added at the end without an end", b"one\ntwo", "@@\n+three", b"one\ntwo\nthree\n"),
    edit("added below a heading", _THREE, "@@ one\n+x", b"one\ntwo\nthree\nx\n"),
    edit("below a heading", b"a\nx\nb\nx\n", "@@ b\n-x\n+y", b"a\nx\nb\ny\n"),
    edit("below a heading with blanks", b"a\n  b\nx\n", "@@   b\n-x\n+y", b"a\n  b\ny\n"),
    edit("no such heading", b"a\nx\n", "@@ b\n-x\n+y", None),
    edit("a heading is not found twice", _THREE, "@@ one\n-one\n+1", None),
    edit("the first of two", b"x\na\nx\n", "@@\n-x\n+y", b"y\na\nx\n"),
    edit("the last of two", b"x\na\nx\n", "@@\n-x\n+y\n*** End of File", b"x\na\ny\n"),
    edit("not at the end", b"x\na\n", "@@\n-x\n+y\n*** End of File", None),
    edit("two parts", b"x\na\nx\n", "@@\n-x\n+y\n@@\n-x\n+z", b"y\na\nz\n"),
    edit("parts the wrong way round", _THREE, "@@\n-three\n+3\n@@\n-one\n+1", None),
    edit("empty lines", b"one\n\ntwo\n", "@@\n one\n \n-two\n+2", b"one\n\n2\n"),
    edit("empty file", b"", "@@\n+one", b"one\n"),
    edit("mark", b"\xef\xbb\xbfone\ntwo\n", "@@\n-two\n+2", b"\xef\xbb\xbfone\n2\n"),
    edit("mark in the way", b"\xef\xbb\xbfone\ntwo\n", "@@\n-one\n+1", None),
    edit("latin", b"caf\xe9\ntwo\n", "@@\n-two\n+2", None),
    edit("signs of patterns", _THREE, "@@\n-two\n+$& $1 \\n", b"one\n$& $1 \\n\nthree\n"),
    edit("blanks at the end", _THREE, "@@\n-two\n+two  \n+\t", b"one\ntwo  \n\t\nthree\n"),
    edit("separators inside of lines", "a\u2028b\x0c\n".encode(), "@@\n-a\u2028b\x0c\n+c", b"c\n"),
    edit("a line like a marker", b"*** End Patch\nb\n", "@@\n *** End Patch\n-b\n+c", b"*** End Patch\nc\n"),
    edit("a part that keeps all", _THREE, "@@\n one\n two", _THREE),
    edit("not there", None, "@@\n-one\n+1", None),
    edit("no lines", _THREE, "@@", None),
    patched("added", None, "*** Add File: PATH\n+one\n+", b"one\n\n"),
    patched("added empty", None, "*** Add File: PATH", b""),
    patched("added over another", b"old\r\n", "*** Add File: PATH\n+one", b"one\n"),
    patched("folder/of/its/own", None, "*** Add File: PATH\n+x", b"x\n"),
    patched("a line without its sign", None, "*** Add File: PATH\n+one\ntwo", None),
)
