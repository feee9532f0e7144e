"""Calls of Mistral Vibe's file tools, and the files that the program (3.0.2) left behind with the hook."""

from __future__ import annotations

from collections.abc import Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of edit, which its hooks know by another name."""
    return Case(name, before, "search_replace", {"old_string": old, "new_string": new, **more}, after)


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write_file."""
    return Case(name, before, "write_file", {"content": content}, after)


CASES: Sequence[Case] = (
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
    edit("a line without its end", b"one\ntwo\nthree\n", "two", "", b"one\n\nthree\n"),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("crlf in the texts", b"one\ntwo\n", "one\r\n", "1\r\n2\r\n", b"1\n2\ntwo\n"),
    edit("one crlf", b"one\r\ntwo", "two", "2\n3", b"one\r\n2\r\n3"),
    edit("no line end", b"two", "two", "x\r\ny", b"x\ny"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2", None),
    edit("carriage returns", b"a\rtwo\r", "two", "2", None),
    edit("carriage return in the text", b"a\r\nb\r\n", "a\r", "c\r", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("utf-16", b"\xff\xfeo\x00n\x00e\x00\n\x00", "one", "two", None),
    edit("several", b"a b a\n", "a", "c", None),
    edit("all", b"a b a\n", "a", "c", b"c b c\n", replace_all=True),
    edit("all that overlap", b"aaa\n", "aa", "b", b"ba\n", replace_all=True),
    edit("other blanks", b"  one\n\ttwo  \n", "one\ntwo", "x", None),
    edit("not there", b"one\ntwo\n", "four", "4", None),
    edit("the same", b"one\ntwo\n", "two", "two", None),
    edit("no file", None, "one", "new\n", None),
    edit("signs of patterns", b"one\ntwo\n", "two", "$& \\1", b"one\n$& \\1\n"),
    write("new", None, "x", b"x"),
    write("new with crlf", None, "a\r\nb\n", b"a\r\nb\n"),
    write("new with a mark", None, "\ufeffx  \n\t \n", b"\xef\xbb\xbfx  \n\t \n"),
    write("there", b"old\n", "a\r\nb", b"a\nb"),
    write("empty", b"", "a\r\nb\n", b"a\r\nb\n"),
    write("crlf file", b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
    write("mark goes", b"\xef\xbb\xbfone\n", "two\n", b"two\n"),
    write("one line", b"one", "a\r\nb", b"a\r\nb"),
)
