"""Blanks that push text out of sight: where they begin, and how many there are.

Everything here works on shapes (see `_unicode`), in which space, newline and tab stand for themselves. No
pattern can match at two starts of one run of blanks, so that time is linear.
"""

from __future__ import annotations

import re
from functools import cache

from signoff.present._rules import Rules
from signoff.present._unicode import Table

__all__ = ["PADDING", "collapsed_runs", "counted", "extent", "may_pad", "pads", "with_padding"]

PADDING = "\x91"
"""The sign of a blank of padding, in shapes in which `with_padding` marked it; other shapes do not hold it."""

_SAME = re.compile(r" +|\t+|\n+")
_COUNTED = 4
"""Equal blanks in a row from which padding shows their number instead of each."""
_NAMES = {" ": "space", "\t": "tab", "\n": "newline"}
_EACH = {" ": " ", "\t": "^I", "\n": "^J"}


def may_pad(signs: str, rules: Rules, *, one_row: bool) -> bool:
    """Whether there may be padding, or blanks at an end that counts; False is certain, and told soon."""
    if not rules.rows and (signs[:1] == " " or signs[-1:] == " "):
        return True
    spaces = signs.replace("\t", " ")
    if " " * min(rules.blanks, rules.indent) in spaces:
        return True
    return rules.rows and not one_row and _has_gap(spaces, rules.gap)


def _has_gap(spaces: str, gap: int) -> bool:
    """Whether so many lines in a row are blank, in a shape without tabs."""
    if spaces.count("\n") < gap:
        return False
    at_start, later = _gaps(gap)
    return bool(at_start.match(spaces) or later.search(spaces))


@cache
def _gaps(gap: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Blank lines at the start of a text, and later; apart, because a search for one first character is fast."""
    lines = f"(?: *+\n){{{gap}}}"
    return re.compile(lines), re.compile(f"\n{lines}")


@cache
def pads(rules: Rules, *, one_row: bool) -> re.Pattern[str]:
    """What finds padding (groups "gap", "indent" and "blanks") and blanks at ends that count (group "edge")."""
    groups = []
    line_start = r"(?:\A|(?<=\n))"
    if not rules.rows:
        groups.append(r"(?P<edge>\A +|(?<! ) ++\Z)")
    if rules.rows and not one_row:
        groups.append(rf"(?P<gap>{line_start}(?:[ \t]*+\n){{{rules.gap},}}+)")
    groups.append(rf"(?P<indent>{line_start}[ \t]{{{rules.indent},}})")
    groups.append(rf"(?P<blanks>(?<=[^ \t\n])[ \t]{{{rules.blanks},}})")
    return re.compile("|".join(groups))


def extent(found: re.Match[str]) -> tuple[int, int]:
    """Where what `pads` found begins and ends."""
    start, end = found.span()
    # The last newline of a gap stays, so that what follows has a row of its own.
    return start, end - (found.lastgroup == "gap")


def with_padding(signs: str, rules: Rules) -> str:
    """The shape of a text that may have many rows, with `PADDING` for the blanks of padding."""
    return pads(rules, one_row=False).sub(_marked, signs)


def _marked(found: re.Match[str]) -> str:
    # The last newline of a gap stays; see `extent`.
    return _marked_gaps[found[0]] if found.lastgroup == "gap" else PADDING * len(found[0])


_marked_gaps = Table[str]({}, lambda blanks: PADDING * (len(blanks) - 1) + blanks[-1])


def counted(run: str) -> str:
    """Equal blanks as their number, such as ``[400 spaces]``."""
    number = len(run)
    return f"[{number} {_NAMES[run[0]]}{'s' if number > 1 else ''}]"


def _collapsed(blanks: str) -> str:
    runs = (run[0] for run in _SAME.finditer(blanks))
    return "".join(counted(run) if len(run) >= _COUNTED else _EACH[run[0]] * len(run) for run in runs)


collapsed_runs = Table[str]({}, _collapsed)
"""Padding: equal blanks as their number, and what is left one by one."""
