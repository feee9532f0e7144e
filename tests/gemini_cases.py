"""Calls of Gemini CLI's file tools, and the files that the program (0.61.0) left behind with the hook."""

from __future__ import annotations

from collections.abc import Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of replace."""
    return Case(name, before, "replace", {"old_string": old, "new_string": new, "instruction": "", **more}, after)


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write_file."""
    return Case(name, before, "write_file", {"content": content}, after)


CASES: Sequence[Case] = (
    edit("the last line loses its end", b"one\ntwo\n", "two\n", "two", b"one\ntwo\n"),
    edit("the last line gets an end", b"one\ntwo", "two", "two\n", b"one\ntwo"),
    edit("the last line gets two ends", b"one\ntwo", "two", "two\n\n", b"one\ntwo\n"),
    edit("all lines lose their ends", b"one\none\n", "one\n", "1", b"11\n", allow_multiple=True),
    edit("the last line loses its crlf", b"one\r\ntwo\r\n", "two\n", "2", b"one\r\n2\r\n"),
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", b"one\ntwo\nthree\n", "two", "", b"one\n\nthree\n"),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("curly quotes", b"say \xe2\x80\x9chi\xe2\x80\x9d\n", 'say "hi"', "x", None),
    edit("blanks at the end", b"one\ntwo\nthree\n", "two", "two  \nx\t", b"one\ntwo  \nx\t\nthree\n"),
    edit("all", b"a b a\n", "a", "c", b"c b c\n", allow_multiple=True),
    edit("several and not all", b"a b a\n", "a", "c", None),
    edit("new file", None, "", "new\n", b"new\n"),
    edit("full file", b"one\ntwo\nthree\n", "", "x", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("not there", b"one\ntwo\nthree\n", "four", "4", None),
    edit("the same", b"one\ntwo\nthree\n", "two", "two", None),
    edit("signs of patterns", b"one\ntwo\nthree\n", "two", "$& $1", b"one\n$& $1\nthree\n"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2\n3", b"one\r\n2\r\n3\r\n"),
    edit("crlf in the new text", b"one\ntwo\nthree\n", "two", "2\r\n3", b"one\n2\n3\nthree\n"),
    edit("the last line", b"one\ntwo", "two", "2", b"one\n2"),
    edit("a sign written out", b"a\\nb\n", "a\\\\nb", "c", None),
    edit("empty file", b"", "", "filled", None),
    edit("all that overlap", b"aaa\n", "aa", "b", b"ba\n", allow_multiple=True),
    edit("a line goes with its end", b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
    edit("blanks in the middle", b"one\ntwo\nthree\n", "two", "TWO ", b"one\nTWO \nthree\n"),
    write("written", b"one\ntwo\nthree\n", "a  \n", b"a  \n"),
    write("written over crlf", b"one\r\ntwo\r\n", "1\n2\n", b"1\r\n2\r\n"),
    write("written new", None, "a\r\nb\n", b"a\r\nb\n"),
    write("written over a mark", b"\xef\xbb\xbfx\n", "y\n", b"y\n"),
    write("written over utf-16", b"\xff\xfe\xe9\x00\n\x00", "y\n", b"y\n"),
    write("written over latin", b"\xe9\n", "yé\n", None),
    write("written empty", None, "", b""),
    write("folder/of/its/own", None, "x", b"x"),
    write("crlf written", b"one\ntwo\n", "1\r\n2\r\n", b"1\r\n2\r\n"),
    write("written with a mark", None, "\ufeffx", b"\xef\xbb\xbfx"),
    write("a sign written out as it is", None, "a\\nb", b"a\\nb"),
    write("written over cr alone", b"a\rb\r", "x\ny\n", b"x\ny\n"),
)
