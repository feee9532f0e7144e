"""Calls of Crush's file tools, and the files that they leave behind, as its source (0.96) says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claude_cases import Case

__all__ = ["CASES"]


def edit(name: str, before: bytes | None, old: str, new: str, after: bytes | None, **more: object) -> Case:
    """A call of edit."""
    return Case(name, before, "edit", {"old_string": old, "new_string": new, **more}, after)


def edits(name: str, before: bytes | None, after: bytes | None, *several: Mapping[str, object]) -> Case:
    """A call of multiedit."""
    return Case(name, before, "multiedit", {"edits": list(several)}, after)


def one(old: str, new: str) -> Mapping[str, object]:
    """An edit of several."""
    return {"old_string": old, "new_string": new}


def write(name: str, before: bytes | None, content: str, after: bytes | None) -> Case:
    """A call of write."""
    return Case(name, before, "write", {"content": content}, after)


CASES: Sequence[Case] = (
    edit("a line", b"one\ntwo\nthree\n", "two", "TWO", b"one\nTWO\nthree\n"),
    edit("a line without its end", b"one\ntwo\nthree\n", "two", "", b"one\n\nthree\n"),
    edit("crlf", b"one\r\ntwo\r\n", "one\ntwo", "1\n2", b"1\r\n2\r\n"),
    edit("half crlf", b"one\r\ntwo\n", "two", "2", b"one\r\n2\r\n"),
    edit("crlf in the new text", b"one\r\ntwo\r\n", "two", "2\r\n3", b"one\n2\r\n3\n"),
    edit("crlf in the old text", b"one\r\ntwo\r\n", "one\r\ntwo", "1", None),
    edit("mark", b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n"),
    edit("latin", b"caf\xe9 one\n", "one", "two", None),
    edit("several", b"a b a\n", "a", "c", None),
    edit("all", b"a b a\n", "a", "c", b"c b c\n", replace_all=True),
    edit("other blanks", b"  one\n  two\n", "one\ntwo", "x", None),
    edit("not there", b"one\n", "four", "4", None),
    edit("the same", b"one\n", "one", "one", None),
    edit("new", None, "", "a\r\nb\n", b"a\r\nb\n"),
    edit("full", b"one\n", "", "x", None),
    edit("no file", None, "one", "x", None),
    edits("one after the other", b"one\ntwo\n", b"3\ntwo\n", one("one", "2"), one("2", "3")),
    edits("new in parts", None, b"b\n", one("", "a\n"), one("a", "b")),
    edits("one of them fails", b"one\ntwo\n", None, one("one", "1"), one("four", "4")),
    edits("a later one without a text", b"one\n", None, one("one", "1"), one("", "x")),
    edits("none", b"one\n", None),
    write("new file", None, "x", b"x"),
    write("over another", b"a\r\nb\r\n", "x\n", b"x\n"),
)
