"""Whether the next word of a command is what another program runs, as far as words without a parser tell.

Options take values as `signoff.policy.shell.wrapper_options` says; of other programs few options are known, and
what stands behind an unknown one is taken for the operand.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from signoff.policy.shell.wrapper_options import WRAPPERS

__all__ = ["RunnersBefore", "name_of"]

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


_LONGEST_NAME = 40
"""Characters of the name of a program that runs its next word; the name of no such program is as long."""
_MOST_OPTIONS = 40
"""Words behind a runner that are looked at: beyond them it runs the next one."""


class RunnersBefore:
    """What the words of a command, read one by one, tell of the word behind them.

    Attributes:
        waiting: Runners whose command is still to come, with how many words were passed behind each. As long as
            there are none, words need not be added that are none, as `may_run_words` says.
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
        """Go on behind each runner. Of two that wait for the same, the older one tells as much."""
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
        """Whether a word behind these would be run by one of them.

        Args:
            last: The last one, whether it was added or not.
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
    """Whether a word is the name of a program that runs its next word, or the value of an option."""
    name = name_of(_unquoted(word))
    return _runner_of(name) is not None or name in _WITH_A_PROGRAM


def name_of(word: str) -> str:
    """The name of a program without its directory and quotes."""
    return word.strip("\"'\\$").rpartition("/")[2]


def _runner_of(name: str) -> _Runner | None:
    return _runner(name) if len(name) <= _LONGEST_NAME else None


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
    """What is left of a runner behind a word, and how many words that is; None if the word is what it runs."""
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
    """A word without quotes that are closed; what opens a text of more words stays as it is."""
    closed = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if closed else word
