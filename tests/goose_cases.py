"""Calls of goose's file tools, and the files that they leave behind, as its source says."""

from __future__ import annotations

from collections.abc import Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None) -> Case:
    """A call of edit."""
    return Case(name, before, "edit", {"before": old, "after": new}, after, "path")


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write."""
    return Case(name, before, "write", {"content": content}, after, "path")


CASES: Sequence[Case] = (
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("crlf stays", b"one\r\ntwo\r\n", "two", "2\n3", b"one\r\n2\n3\r\n"),
    edit("lines of a file with crlf", b"one\r\ntwo\r\n", "one\ntwo", "x", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("several", b"a b a\n", "a", "c", None),
    edit("not there", b"one\n", "four", "4", None),
    edit("no old text", b"one\n", "", "x", None),
    edit("no file", None, "one", "x", None),
    write("new", None, "a\r\nb", b"a\r\nb"),
    write("over another", b"a\r\n", "x\n", b"x\n"),
)
