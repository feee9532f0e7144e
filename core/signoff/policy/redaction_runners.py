"""Whether the next word of a command is what another program runs, as far as words without a parser tell.

Options take values as `signoff.policy.shell.wrapper_options` says; of other programs few options are known, and
what stands behind an unknown one is taken for the operand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.policy.shell.wrapper_options import WRAPPERS

__all__ = ["name_of", "runs_next"]

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


_MOST_OPTIONS = 40
"""Words behind a runner that are looked at: beyond them it runs the next one."""


def runs_next(words: Sequence[str]) -> bool:
    """Whether a word behind these would be run by one of them.

    Args:
        words: Words as they are written, with their quotes; the first names a program.
    """
    if _RUNS_THE_NEXT.fullmatch(words[-1]):
        return True
    plain = [_unquoted(word) for word in words]
    if any(words[-1] in _WITH_A_PROGRAM.get(name_of(word), ()) for word in plain):
        return True
    runners = (at for at in reversed(range(len(plain))) if not _is_shell_of(plain, at))
    return any(_comes_next(name_of(plain[at]), plain[at + 1 :]) for at in runners)


def name_of(word: str) -> str:
    """The name of a program without its directory and quotes."""
    return word.strip("\"'\\$").rpartition("/")[2]


def _is_shell_of(words: Sequence[str], at: int) -> bool:
    """Whether a word is ``ssh`` as the value of an option of another program."""
    return at > 0 and words[at] == "ssh" and words[at - 1] in {"-e", "--rsh"}


def _comes_next(name: str, behind: Sequence[str]) -> bool:
    """Whether there are only options of a runner, and operands before its command, behind its name."""
    wrapper = WRAPPERS.get(name)
    if wrapper is not None:
        valued, long_valued, operands = wrapper.valued, wrapper.long_valued, wrapper.operands
    elif _SHELL.fullmatch(name):
        valued, long_valued, operands = "oO", frozenset[str](), 0
    elif _OTHERS.fullmatch(name):
        valued = "WX" if name.startswith("python") else _VALUED.get(name, "")
        long_valued, operands = _LONG_VALUED.get(name, frozenset()), 0
    else:
        return False
    at = 0
    while at < min(len(behind), _MOST_OPTIONS):
        word = behind[at]
        if word.startswith(("-", "+")):
            at += 2 if _takes_the_next(word, valued, long_valued) else 1
        elif operands:
            operands -= 1
            at += 1
        else:
            return False
    return not operands or at >= _MOST_OPTIONS


def _takes_the_next(option: str, valued: str, long_valued: frozenset[str]) -> bool:
    if option.startswith("--"):
        return option[2:] in long_valued
    return next((at == len(option) - 1 for at, letter in enumerate(option) if at and letter in valued), False)


def _unquoted(word: str) -> str:
    """A word without quotes that are closed; what opens a text of more words stays as it is."""
    closed = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if closed else word
