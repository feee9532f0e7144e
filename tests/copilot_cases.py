"""Calls of Copilot CLI's file tools, and the files that the program (1.0.102) left behind with the hook."""

from __future__ import annotations

from collections.abc import Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None) -> Case:
    """A call of edit."""
    return Case(name, before, "edit", {"old_str": old, "new_str": new}, after, "path")


def create(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of create."""
    return Case(name, before, "create", {"file_text": content}, after, "path")


CASES: Sequence[Case] = (
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
    edit("a line without its end", b"one\ntwo\nthree\n", "two", "", b"one\nthree\n"),
    edit("lines without their end", b"a\r\nb\r\nc\r\nd\r\n", "b\nc", "", b"a\r\nd\r\n"),
    edit("the end of a line", b"x two\nb\n", "two", "", b"x \nb\n"),
    edit("the last line", b"a\ntwo", "two", "", b"a\n"),
    edit("a line behind blanks", b"a\n  two\nb\n", "two", "", b"a\n  \nb\n"),
    edit("an empty line and another", b"a\n\ntwo\nb\n", "\ntwo", "", None),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("crlf in the old text", b"a\r\nb\r\n", "b\r\n", "c\n", b"a\r\nc\r\n"),
    edit("crlf in the new text", b"a\nb\n", "a", "x\r\ny", b"x\ny\nb\n"),
    edit("one crlf", b"one\r\ntwo", "one", "x\ny", b"x\r\ny\r\ntwo"),
    edit("no line end", b"two", "two", "x\r\ny", b"x\ny"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2\n3", None),
    edit("carriage returns", b"a\rtwo\r", "two", "2\n3", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("utf-16", b"\xff\xfeo\x00n\x00e\x00\n\x00", "one", "two", None),
    edit("several", b"a b a\n", "a", "c", None),
    edit("other blanks", b"  one\n\ttwo  \n", "one\ntwo", "x", None),
    edit("curly quotes", b"say \xe2\x80\x9chi\xe2\x80\x9d\n", 'say "hi"', "x", None),
    edit("not there", b"one\ntwo\n", "four", "4", None),
    edit("the same", b"one\ntwo\n", "two", "two", None),
    edit("no old text", b"one\n", "", "x", None),
    edit("no file", None, "", "new\n", None),
    edit("signs of patterns", b"one\ntwo\n", "two", "$& $1 $$", b"one\n$& $1 $$\n"),
    edit("a zero byte", b"a\x00two\n", "two", "2", b"a\x002\n"),
    create("new", None, "x", b"x"),
    create("new with crlf", None, "a\r\nb\n", b"a\r\nb\n"),
    create("new with a mark", None, "\ufeffx  \n\t \n", b"\xef\xbb\xbfx  \n\t \n"),
    create("there", b"old\n", "new\n", None),
    create("empty", b"", "x\n", None),
)
