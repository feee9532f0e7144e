"""Words of commands that always stay visible, because they are run, opened or connected to.

This is no reading of shell text: a word that may be the name of a program, a script or a host stays. Rather a
secret is shown than something that runs hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from signoff.policy.shell.wrappers import WRAPPERS

__all__ = [
    "RunnersBefore",
    "WordsAround",
    "may_reuse",
    "name_of",
]


_FAR = 2_000
"""The most characters before a place, in the same word, that are searched for the sign of a program."""
_LONGEST_NAME = 60
"""Characters in which a name of `_RUNS_A_VALUE` is found, with a sign before it."""
_QUOTING = "\"'\\$"
"""Signs around a word that are no part of it."""
_SIGN = re.compile(r"[=:,]")
"""The signs between a name and its value."""
_BLANK = re.compile(r"\s")

_STARTS = re.compile(r"[;&|\n`!]|(?<!\w)\(|\{(?=\s)|(?<!\S)(?:then|do|else|elif|if|while|until)(?=\s)")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_CONNECTORS = re.compile(r"ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ping")
"""Programs with a host among their words."""

_WITH_VALUE = re.compile(r"-[HudbFeA]|--(?:header|user|data|cookie|oauth2-bearer|form|password|token)[a-z-]*")
"""Options of these programs whose next word is no host."""

_RUNS_A_VALUE = re.compile(
    r"(?:.*[\s\"'])?(?:-?o)?(?:Proxy|Local)Command="
    r"|--(?:pre|rsh|use-compress-program|to-command|upload-pack|receive-pack|pager)=",
    re.IGNORECASE,
)
"""Beginnings of a word whose rest is a program that is run."""
_DESCRIPTORS = re.compile(r"(?:(?<![0-9])[0-9]++)?[<>]&(?:[0-9]++-?(?!:AA)|-)")
_TO_FILES = re.compile(r"&>>?|>[&|]")
"""Redirections with a sign that otherwise begins another command."""
_REDIRECTION = re.compile(r"[0-9]*[<>]+\|?")
"""The beginning of a redirection, with the number of its descriptor."""

_HEADER = r"(?:-H|--header=)?\$?\\?[\"'][\w-]+:"
"""The beginning of a quoted header: up to the closing quote, nothing in it is a host."""

_SCHEMES = re.compile(rf"{_HEADER} ?(?:bearer|basic|token)", re.IGNORECASE)

_REUSES = re.compile(
    r"\$[0-9@*{!#]|\b(?:eval|source|xargs)\b|(?<![\w.-])(?:ba|z|k|mk|c|tc|da|a|fi)?sh(?![\w.=-])"
    r"|\$\w*(?:pass|pwd|secret|token|key|auth|cookie|credential)",
    re.IGNORECASE,
)


class WordsAround:
    """The simple commands of a text, read once from beginning to end, to look up the words around a place.

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
        """True if a place is in a simple command that calls a given program, one with a host among its words."""
        self._go_to(start)
        return connector in self._connectors

    def must_stay(self, start: int, end: int) -> bool:
        """True if the word at a place is a program, or something that a program runs or connects to.

        Args:
            start: The place, where a possible secret begins. Asking in ascending order is much faster.
            end: The end of the possible secret.
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
        """True if the text before a place, in the same word, makes a program run what follows."""
        before = self._text[max(self._own, self._read - _FAR) : self._read].rstrip(_QUOTING)
        if not before.endswith("="):
            return False
        if len(before) <= _LONGEST_NAME:
            before = before.lstrip(_QUOTING)
        return _RUNS_A_VALUE.fullmatch(before[-_LONGEST_NAME:]) is not None

    def _is_operand(self, *, is_user: bool) -> bool:
        """True if the next word may be run as the first operand of a program, or be a host."""
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
    """The facts that one word tells of a command by itself.

    Attributes:
        redirects: True if it begins with a redirection.
        has_target_next: True if its target is the next word.
        ends_pattern: True if it ends a pattern of ``case``.
        assigns: True if it sets a variable.
        connector: The program, if that is one with a host among its words.
        tells: True if it is any of these, or a program whose options or words may be run.
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
    """True if a command may run its own words again: it has a shell in it, or an expansion."""
    return _REUSES.search(text) is not None


# -- The words that one program has another program run, as far as words without a parser tell.
#
# Options take values as in `signoff.policy.shell.wrappers`; of other programs few options are known, and the word
# after an unknown one is taken for the operand.

_SHELL = re.compile(r"(?:ba|z|k|mk|c|tc|da|a|fi)?sh")
_OTHERS = re.compile(
    r"python[0-9.]*|perl|ruby|node|php|lua|source|\.|eval|trap|su|script|coproc|npx|pnpx|bunx|uvx"
)
"""Programs besides shells and those in `WRAPPERS` that run, or read as code, their next word."""
_VALUED = {"node": "rC", "npx": "p"}
_LONG_VALUED = {"uvx": frozenset({"from", "with"}), "npx": frozenset({"package"})}
_RUNS_THE_NEXT = re.compile(r"-(?:exec|execdir|ok|okdir)")
"""Options of ``find`` with a command behind them."""
_WITH_A_PROGRAM = {"rsync": ("-e",), "nc": ("-e", "-c"), "ncat": ("-e", "-c"), "tar": ("-I", "-F")}
"""Options of other programs whose value is run."""


_LONGEST_PROGRAM_NAME = 40
"""Characters of the name of a program that runs its next word; the name of no such program is as long."""
_MOST_OPTIONS = 40
"""The most words after a runner that are looked at: beyond them, it is assumed to run the next one."""


class RunnersBefore:
    """Facts about the next word of a command, from the words before it, which are read one by one.

    Attributes:
        waiting: Runners whose command is still to come, with the number of words passed after each. While there
            are none, only words for which `may_run_words` is true need to be added.
    """

    def __init__(self) -> None:
        self.waiting: dict[_Runner, int] = {}
        self._options: set[str] = set()
        self._passed = False

    def add(self, word: str, before: str) -> None:
        """Read on.

        Args:
            word: A word as it is written, with its quotes; the first names a program.
            before: The word before it.
        """
        if self._passed:
            return
        plain = _unquoted(word)
        name = name_of(plain)
        self._options.update(_WITH_A_PROGRAM.get(name, ()))
        if self.waiting:
            self._pass(plain)
        # The value of an option of another program, such as that of rsync, is no runner here.
        if not (plain == "ssh" and _unquoted(before) in {"-e", "--rsh"}) and (runner := _runner_of(name)):
            self.waiting.setdefault(runner, 0)

    def _pass(self, word: str) -> None:
        """Move past a word for each runner. Of two waiting for the same, the older one is enough."""
        runners, self.waiting = self.waiting, {}
        for runner, passed in runners.items():
            after = _behind(runner, word)
            if after is None:
                continue
            total = passed + after[1]
            self._passed = self._passed or total >= _MOST_OPTIONS
            self.waiting[after[0]] = max(total, self.waiting.get(after[0], 0))
        if self._passed:
            self.waiting = {}

    def runs_next(self, last: str) -> bool:
        """True if the next word would be run by one of the programs before it.

        Args:
            last: The last word before it, whether it was added or not.
        """
        return (
            self._passed
            or last in self._options
            or any(not runner.operands for runner in self.waiting)
            or _RUNS_THE_NEXT.fullmatch(last) is not None
        )


class _Runner(Struct, frozen=True):
    """A program that runs its next word, but for its options and some operands."""

    valued: str
    long_valued: frozenset[str]
    operands: int
    has_value_next: bool = False


def may_run_words(word: str) -> bool:
    """True if a word names a program that runs its next word, or one that runs the value of an option."""
    name = name_of(_unquoted(word))
    return _runner_of(name) is not None or name in _WITH_A_PROGRAM


def name_of(word: str) -> str:
    """The name of a program without its directory and quotes."""
    return word.strip("\"'\\$").rpartition("/")[2]


def _runner_of(name: str) -> _Runner | None:
    return _runner(name) if len(name) <= _LONGEST_PROGRAM_NAME else None


@lru_cache(maxsize=256)
def _runner(name: str) -> _Runner | None:
    wrapper = WRAPPERS.get(name)
    if wrapper is not None:
        return _Runner(wrapper.valued, wrapper.long_valued, wrapper.operands)
    if _SHELL.fullmatch(name):
        return _Runner("oO", frozenset(), 0)
    if _OTHERS.fullmatch(name):
        valued = "WX" if name.startswith("python") else _VALUED.get(name, "")
        return _Runner(valued, _LONG_VALUED.get(name, frozenset()), 0)
    return None


def _behind(runner: _Runner, word: str) -> tuple[_Runner, int] | None:
    """The rest of a runner after a word, and how many words that is; None if the word is what it runs."""
    if runner.has_value_next:
        return replace(runner, has_value_next=False), 0
    if word.startswith(("-", "+")):
        has_value = _takes_the_next(word, runner.valued, runner.long_valued)
        return (replace(runner, has_value_next=True), 2) if has_value else (runner, 1)
    if runner.operands:
        return replace(runner, operands=runner.operands - 1), 1
    return None


def _takes_the_next(option: str, valued: str, long_valued: frozenset[str]) -> bool:
    if option.startswith("--"):
        return option[2:] in long_valued
    return next((at == len(option) - 1 for at, letter in enumerate(option) if at and letter in valued), False)


def _unquoted(word: str) -> str:
    """A word without quotes that are closed; an opening quote of a longer text stays."""
    closed = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if closed else word
