"""Words of commands that stay visible whatever they look like, because they are run, opened or connected to.

This is no reading of shell text: a word that may be the name of a program, a script or a host stays. Rather a
secret is shown than something that runs hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct

from signoff.policy.redaction_runners import RunnersBefore, may_run_words, name_of

__all__ = ["WordsAround", "may_reuse"]

_FAR = 2_000
"""Characters before something that are searched, in its own word, for what may make a program of it."""
_LONGEST_NAME = 60
"""Characters in which a name of `_RUNS_A_VALUE` is found, with a sign before it."""
_QUOTING = "\"'\\$"
"""Signs around a word that are no part of it."""
_SIGN = re.compile(r"[=:,]")
"""What separates a name from its value."""
_BLANK = re.compile(r"\s")

_STARTS = re.compile(r"[;&|\n`!]|(?<!\w)\(|\{(?=\s)|(?<!\S)(?:then|do|else|elif|if|while|until)(?=\s)")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_CONNECTORS = re.compile(r"ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ping")
"""Programs with a host among their words."""

_WITH_VALUE = re.compile(r"-[HudbFeA]|--(?:header|user|data|cookie|oauth2-bearer|form|password|token)[a-z-]*")
"""Options of these programs whose next word is none."""

_RUNS_A_VALUE = re.compile(
    r"(?:.*[\s\"'])?(?:-?o)?(?:Proxy|Local)Command="
    r"|--(?:pre|rsh|use-compress-program|to-command|upload-pack|receive-pack|pager)=",
    re.IGNORECASE,
)
"""What stands before a program within its own word."""
_DESCRIPTORS = re.compile(r"(?:(?<![0-9])[0-9]++)?[<>]&(?:[0-9]++-?(?!:AA)|-)")
_TO_FILES = re.compile(r"&>>?|>[&|]")
"""Redirections with a sign that otherwise begins another command."""
_REDIRECTION = re.compile(r"[0-9]*[<>]+\|?")
"""Where a redirection begins, with the descriptor that it may be about."""

_HEADER = r"(?:-H|--header=)?\$?\\?[\"'][\w-]+:"
"""The beginning of a quoted header: what follows, until the quote ends, is none either."""

_SCHEMES = re.compile(rf"{_HEADER} ?(?:bearer|basic|token)", re.IGNORECASE)

_REUSES = re.compile(
    r"\$[0-9@*{!#]|\b(?:eval|source|xargs)\b|(?<![\w.-])(?:ba|z|k|mk|c|tc|da|a|fi)?sh(?![\w.=-])"
    r"|\$\w*(?:pass|pwd|secret|token|key|auth|cookie|credential)",
    re.IGNORECASE,
)


class WordsAround:
    """The simple commands of a text, for what stands in their words: read once, from the beginning to the end.

    Args:
        text: A command, or a line of it.
    """

    def __init__(self, text: str) -> None:
        # As long as before, and then one character longer for each of two.
        blank = _DESCRIPTORS.sub(lambda found: " " * len(found[0]), text)
        self._longer = [found.end() for found in _TO_FILES.finditer(blank) if len(found[0]) == 2]
        self._text = _TO_FILES.sub(" > ", blank)
        self._starts = [found.end() for found in _STARTS.finditer(self._text)]
        self._full = text
        self._known: dict[str, _Word] = {}
        self._begin(0)

    def _begin(self, start: int) -> None:
        """Go to the beginning of a simple command."""
        self._start = self._own = self._read = start
        self._has_sign = self._has_letter = self._is_target = False
        self._forget()

    def _forget(self) -> None:
        self._connectors: set[str] = set()
        self._connects = False
        self._last = self._last_but_one = ""
        self._runners = RunnersBefore()

    def is_for(self, connector: str, start: int) -> bool:
        """Whether something stands in a simple command that calls a program, one with a host among its words."""
        self._go_to(start)
        return connector in self._connectors

    def must_stay(self, start: int, end: int) -> bool:
        """Whether the word in which something begins is a program, or what a program runs or connects to.

        Args:
            start: Where what could be hidden begins. It is much sooner to ask in the order of these.
            end: Where it ends.
        """
        self._go_to(start)
        if self._runs_a_value():
            return True
        if self._has_sign:
            return False
        if not self._last:
            return True
        return not self._has_letter and self._is_operand(is_user=self._full.startswith("@", end))

    def _go_to(self, start: int) -> None:
        place = start + bisect_right(self._longer, start)
        number = bisect_right(self._starts, place)
        begin = self._starts[number - 1] if number else 0
        if begin != self._start or place < self._read:
            self._begin(begin)
        if place == self._read:
            return
        piece = self._text[self._read : place]
        self._read = place
        if _BLANK.search(piece):
            words = self._text[self._own : place].split()
            piece = "" if piece[-1].isspace() else words.pop()
            self._own, self._has_sign, self._has_letter = place - len(piece), False, False
            self._add(words)
        self._has_sign = self._has_sign or _SIGN.search(piece) is not None
        self._has_letter = self._has_letter or piece.strip(_QUOTING) != ""

    def _add(self, words: Iterable[str]) -> None:
        """Read whole words. Redirections are none of the command, nor is the pattern of a ``case``."""
        for word in words:
            known = self._known.get(word)
            if known is None:
                known = self._known[word] = _word(word)
            if not known.tells and not self._is_target and not self._runners.waiting:
                self._last_but_one, self._last = self._last, word
                continue
            was_target, self._is_target = self._is_target, known.has_target_next
            if known.redirects or was_target:
                continue
            if known.ends_pattern:
                self._forget()
                continue
            if known.connector:
                self._connectors.add(known.connector)
            if not known.assigns:
                self._connects = self._connects or known.connector != ""
                self._runners.add(word, self._last)
                self._last_but_one, self._last = self._last, word

    def _runs_a_value(self) -> bool:
        """Whether what stands before a place in its own word makes a program run what follows."""
        before = self._text[max(self._own, self._read - _FAR) : self._read].rstrip(_QUOTING)
        if not before.endswith("="):
            return False
        if len(before) <= _LONGEST_NAME:
            before = before.lstrip(_QUOTING)
        return _RUNS_A_VALUE.fullmatch(before[-_LONGEST_NAME:]) is not None

    def _is_operand(self, *, is_user: bool) -> bool:
        """Whether what follows these words may be run as the first operand of a program, or be a host."""
        last = self._last
        if self._runners.runs_next(last):
            return True
        if is_user or not self._connects:
            return False
        in_option = (
            _WITH_VALUE.fullmatch(last) or last.endswith(":") or _SCHEMES.fullmatch(f"{self._last_but_one} {last}")
            or _SCHEMES.fullmatch(last)
        )  # fmt: skip
        return not in_option


class _Word(Struct, frozen=True):
    """What a word tells of a command by itself.

    Attributes:
        redirects: Whether it begins with a redirection.
        has_target_next: Whether that goes on in the next word.
        ends_pattern: Whether it ends a pattern of ``case``.
        assigns: Whether it sets a variable.
        connector: The program, if that is one with a host among its words.
        tells: Whether it is any of these, or a program whose options or words may be run.
    """

    redirects: bool
    has_target_next: bool
    ends_pattern: bool
    assigns: bool
    connector: str
    tells: bool


def _word(word: str) -> _Word:
    redirects = _REDIRECTION.match(word)
    ends_pattern = word.endswith(")") and "(" not in word
    assigns = _ASSIGNMENT.match(word) is not None
    name = name_of(word)
    connector = name if _CONNECTORS.fullmatch(name) else ""
    tells = bool(redirects or ends_pattern or assigns or connector or may_run_words(word))
    has_target_next = redirects is not None and redirects.end() == len(word)
    return _Word(redirects is not None, has_target_next, ends_pattern, assigns, connector, tells)


def may_reuse(text: str) -> bool:
    """Whether a command may run its own words again: by a shell in it, or by what an expansion stands for."""
    return _REUSES.search(text) is not None
