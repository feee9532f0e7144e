"""Hostile texts, each with a mark by which it is found again among what a screen wrote."""

from __future__ import annotations

import json
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache

from display_corpus import Case, cases, visible_forms

SORTS = (
    "\x1b[2J\x1b[H\x1b[?1049l\x1b[?2004l\x1b[31m",
    '\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x1b\\\x1b]8;;https://evil.example/\x1b\\\x1bP$q"p\x1b\\\x1b_Gpwned\x1b\\',
    "\x9b2J\x9d0;pwned\x9c\x90x\x9c\x85\x1bc",
    "\x07\x08\x7f\rmalign\tone\x0btwo\x0cthree",
    "\u202egpj.exe\u202c\u2066admin\u2069\u2067x\u2069\u200f\u061c",
    "a\u200bb\u2060c\ufeffd\u00ade\u2028f\u2029g\U000e0041\U000e007f",
    "\ue000\uf8ff\U000f0000\u0378\uffff\ud800x\udfff",
    "[@click=app.quit]go[/] [bold red]x[/] [link=https://evil.example]y[/link]",
)
"""Sorts of trouble, several of a sort in one text."""

UNPRINTABLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Categories of characters that are no visible text."""

_LONGEST_NAME = 200
_LONGEST_TEXT = 500
"""Of a longer text there are both ends: plain words pad it, which no terminal acts on."""

_MIXED = 5
"""In so many texts are the invisible characters that no sort of trouble has."""

_MARKUP = re.compile(r"(?<![\x1b\x9b])\[")
_PADDING = f"{string.ascii_letters}{string.digits} -~\n"
_ENDS_LINES = "\n\t"


@dataclass(frozen=True)
class Hostile:
    """A hostile text.

    Attributes:
        number: Its place among all of them.
        text: What was written; of the longest ones both ends.
        hidden: What of it can be kept in files and is no visible text by itself, in its order.
    """

    number: int
    text: str
    hidden: str

    @property
    def mark(self) -> str:
        """Stands before the text in every field."""
        return f"q{self.number:03}"

    @property
    def end(self) -> str:
        """A word for the last line of its request."""
        return f"e{self.number:03}"

    @property
    def name(self) -> str:
        """The text with its mark, as far as a name may be long."""
        return f"{self.mark} {self.text[:_LONGEST_NAME]}"

    @property
    def part_of_a_path(self) -> str:
        """The same as a file can be named: without what no file name can hold."""
        return _storable(self.name).replace("/", "")[:60]

    @property
    def content(self) -> str:
        """The same, whole, as a file or command can hold it."""
        return _storable(f"{self.mark} {self.text}")

    def is_seen_in(self, lines: Iterable[str]) -> bool:
        """Whether one of the texts after its mark shows its first or last hidden character, if it hides any.

        Where there is no room for a name its middle is left out; in JSON, characters are escaped as that does it.
        """
        ends = self.hidden[:1] + self.hidden[-1:]
        signs = [sign for char in ends for sign in (*visible_forms(ord(char)), json.dumps(char)[1:-1])] or [""]
        return any(sign in line for line in lines for sign in signs)


@cache
def hostile_texts() -> tuple[Hostile, ...]:
    """Cases of the display corpus that no other stands for, and every sort of trouble.

    What the screen makes of each case is tested where no terminal is needed. Here a surface is found that forgets
    to do it: each case with markup, and texts in which each invisible character is, are enough.
    """
    texts = list(_unlike(cases()))
    texts += [(text, set(text)) for text in SORTS]
    return tuple(Hostile(number, text, _hidden(text, among)) for number, (text, among) in enumerate(texts))


def _unlike(cases: Iterable[Case]) -> Iterator[tuple[str, set[str]]]:
    """Texts of cases, and what each hides: one with markup is alone, as others could undo it; the rest share."""
    seen = _invisible("".join(SORTS))
    beside: list[Case] = []
    for case in cases:
        invisible = _invisible(case.text)
        if case.benign:
            continue
        if _MARKUP.search(case.text):
            yield _with_both_ends(case.text), set(map(chr, case.hidden))
        elif invisible - seen:
            beside.append(case)
        else:
            continue
        seen |= invisible
    for first in range(_MIXED):
        some = beside[first::_MIXED]
        text = " ".join(_with_both_ends(case.text) for case in some)
        yield text, {chr(each) for case in some for each in case.hidden}


def _invisible(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in UNPRINTABLE}


def _with_both_ends(text: str) -> str:
    half = _LONGEST_TEXT // 2
    if len(text) <= _LONGEST_TEXT:
        return text
    assert not set(text[half:-half]) - set(_PADDING), "nothing but padding is left out"
    return text[:half] + text[-half:]


def _hidden(text: str, among: Set[str]) -> str:
    chars = (char for char in text if char in among and unicodedata.category(char) in UNPRINTABLE)
    return _storable("".join(char for char in chars if char not in _ENDS_LINES))


def _storable(text: str) -> str:
    return text.encode("utf-8", "ignore").decode().replace("\0", "")
