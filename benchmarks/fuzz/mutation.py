"""Changes commands by chance: most stay near to what bash still runs, and parsers begin to differ."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["mutated", "soup"]

_PIECES = (
    ";", "&", "|", "\n", " ", "\t", "\r", "(", ")", "{", "}", "<", ">", "`", "'", '"', "\\", "\\\n", "$", "#",
    " #", "!", "=", "~", "*", "?", "[", "]", "$(", "${", "$((", "))", "<<", "<<<", "<<E\n", "\nE\n", "<(", ">(",
    ">&", "&>", ";;", "|&", "||", "&&", "$'", '$"', "''", '""', "\\'", '\\"', "; rm f", "\nrm f\n", "$(rm f)",
    "`rm f`", "| rm", "& rm f", "&& git push ", "# \\\n", "-", "--", " -- ", ",", "%", "^", "@", ":", "0",
    "\x0c", "\x0b", "\xa0", "\u200b", "{a,b}", "x=1 ", "LANG=C ", "if ", "then ", "fi ", "do ", "done ", "esac",
    "in ", "case x in ", "time ", "! ", "eval ", "command ", "exec ", "-c ", "[[ ", " ]]", "((", "function ",
    "() ", "coproc ", "\x01", "\x7f", "\xe9", "\\x72", "\\", "/dev/null", "2>&1", "$x",
)  # fmt: skip

_LAYERS = (
    (":;", ""), (":\n", ""), (" ", ""), ("\n", ""), ("#\n", ""), ("\\\n", ""), ("! ", ""), ("LANG=C ", ""),
    ("{ ", "; }"), ("( ", " )"), ("if :; then ", "; fi"), ("while ", "; do break; done"), ("time ", ""),
    ("for x in a; do ", "; done"), ("case a in a) ", ";; esac"), ("echo $(", ")"), ("cat <(", ")"),
    ("echo ${x:-$(", ")}"), ("eval ", ""), ("env ", ""), ("nice ", ""), ("command ", ""), ("exec ", ""),
    ("nohup timeout 5 ", ""), ("echo ", ""), ("true && ", ""), ("echo a | ", ""), ("", " f"), ("", " ''"),
    ("", ";"), ("", "\n:"), ("", "\\\n"), ("", "\t"),
)  # fmt: skip
"""What is put around a command, many times over."""
_CHEAP = frozenset({":;", ":\n", " ", "\n", "#\n", "\\\n", "! ", "{ ", "LANG=C ", "true && ", ""})
"""Layers that cost bash no process: there may be many."""


def mutated(text: str, others: Sequence[str], rng: random.Random) -> str:
    """The text with some changes.

    Args:
        text: A command.
        others: Commands that pieces are taken from.
        rng: Where chance comes from.
    """
    if rng.random() < 0.03:
        return _grown(text, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        text = _changed(text, others, rng)
    return text


def soup(others: Sequence[str], rng: random.Random) -> str:
    """Pieces of commands in no order at all.

    Args:
        others: Commands, some of which are in it.
        rng: Where chance comes from.
    """
    bowls = (_PIECES, _PIECES, (" ",), others)
    return "".join(rng.choice(rng.choice(bowls)) for _ in range(rng.randint(3, 12)))


def _grown(text: str, rng: random.Random) -> str:
    before, after = rng.choice(_LAYERS)
    layers = rng.choice((2, 13, 30, 250, 3000) if before in _CHEAP else (2, 5, 13, 30))
    return before * layers + text + after * layers


def _changed(text: str, others: Sequence[str], rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    until = min(len(text), at + rng.choice((1, 1, 1, 2, 4, 8)))
    match rng.randrange(8):
        case 0 | 1 | 2:
            return text[:at] + rng.choice(_PIECES) + text[at:]
        case 3:
            return text[:at] + text[until:]
        case 4:
            return text[:until] + text[at:until] + text[until:]
        case 5:
            return text[:at] + rng.choice(_PIECES) + text[until:]
        case 6:
            other = rng.choice(others)
            start = rng.randint(0, len(other))
            return text[:at] + other[start : start + rng.randint(1, 30)] + text[at:]
        case _:
            swap = rng.choice(
                (("'", '"'), ('"', "'"), ('"', "`"), ("'", "$'"), (" ", "\t"), (" ", "\\\n"), (";", "\n"))
            )
            return text.replace(swap[0], swap[1], rng.choice((1, -1)))
