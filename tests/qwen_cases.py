"""Calls of Qwen Code's file tools, and the files that the program (0.24.4) left behind with the hook."""

from __future__ import annotations

from collections.abc import Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of edit."""
    return Case(name, before, "edit", {"old_string": old, "new_string": new, **more}, after)


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write_file."""
    return Case(name, before, "write_file", {"content": content}, after)


CASES: Sequence[Case] = (
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line goes", b"one\ntwo\nthree\n", "two", "", b"one\nthree\n"),
    edit("crlf", b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n"),
    edit("curly quotes", b"say \xe2\x80\x9chi\xe2\x80\x9d\n", 'say "hi"', "x", None),
    edit("blanks at the end", b"one\ntwo\nthree\n", "two", "two  \nx\t", b"one\ntwo  \nx\t\nthree\n"),
    edit("all", b"a b a\n", "a", "c", b"c b c\n", replace_all=True),
    edit("several and not all", b"a b a\n", "a", "c", None),
    edit("new file", None, "", "new\n", b"new\n"),
    edit("full file", b"one\ntwo\nthree\n", "", "x", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("not there", b"one\ntwo\nthree\n", "four", "4", None),
    edit("the same", b"one\ntwo\nthree\n", "two", "two", None),
    edit("signs of patterns", b"one\ntwo\nthree\n", "two", "$& $1", b"one\n$& $1\nthree\n"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2\n3", b"one\r\n2\r\n3\r\n"),
    edit("crlf in the new text", b"one\ntwo\nthree\n", "two", "2\r\n3", b"one\n2\r\n3\nthree\n"),
    edit("other blanks at the beginning", b"  one\n  two\n", "one\ntwo", "1\n2", None),
    edit("blanks in the old text", b"one  \ntwo\n", "one\ntwo", "x", None),
    edit("the last line", b"one\ntwo", "two", "2", b"one\n2"),
    edit("a sign written out", b"a\\nb\n", "a\\\\nb", "c", None),
    edit("empty file", b"", "", "filled", None),
    edit("all that overlap", b"aaa\n", "aa", "b", b"ba\n", replace_all=True),
    edit("a line goes with its end", b"one\ntwo\nthree\n", "two\n", "", b"one\nthree\n"),
    edit("blanks in the middle", b"one\ntwo\nthree\n", "two", "TWO ", b"one\nTWO \nthree\n"),
    edit(
        "utf-16",
        b"\xff\xfeo\x00n\x00e\x00\n\x00t\x00w\x00o\x00\n\x00",
        "two",
        "2",
        b"\xff\xfeo\x00n\x00e\x00\n\x002\x00\n\x00",
    ),
    write("written", b"one\ntwo\nthree\n", "a  \n", b"a  \n"),
    write("written over crlf", b"one\r\ntwo\r\n", "1\n2\n", b"1\r\n2\r\n"),
    write("written new", None, "a\r\nb\n", b"a\r\nb\n"),
    write("written over a mark", b"\xef\xbb\xbfx\n", "y\n", b"\xef\xbb\xbfy\n"),
    write("written over utf-16", b"\xff\xfe\xe9\x00\n\x00", "y\n", b"\xff\xfey\x00\n\x00"),
    write("written over latin", b"\xe9\n", "yé\n", None),
    write("written empty", None, "", b""),
    write("folder/of/its/own", None, "x", b"x"),
    write("crlf written", b"one\ntwo\n", "1\r\n2\r\n", b"1\r\n2\r\n"),
    write("written with a mark", None, "\ufeffx", b"\xef\xbb\xbfx"),
    write("written over cr alone", b"a\rb\r", "x\ny\n", b"x\ny\n"),
    write("written over half crlf", b"one\r\ntwo\n", "1\n2\n", b"1\r\n2\r\n"),
)
