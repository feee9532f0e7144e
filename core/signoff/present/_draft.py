"""The rewriting of a text: escapes for what is hidden, counts for padding, marks for tabs and ends."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from signoff.present._rules import Rules
from signoff.present._safetext import Finding
from signoff.present._unicode import HIDDEN, LINE_END, escaped

__all__ = ["Draft", "Layout", "rewrite"]

_SAME = re.compile(r" +|\t+|\n+")
_COUNTED = 4
"""Equal blanks in a row from which padding shows their number instead of each."""
_NAMES = {" ": "space", "\t": "tab", "\n": "newline"}
_EACH = {" ": " ", "\t": "^I", "\n": "^J"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a text are drawn.

    Attributes:
        tab_width: Columns from one tab stop to the next in a text of one row; 0 where tabs and rows stay.
        mark_trailing: Show the blanks at the end.
    """

    tab_width: int = 0
    mark_trailing: bool = False

    @property
    def one_row(self) -> bool:
        """Whether the text is one row of the screen."""
        return self.tab_width > 0


@dataclass(slots=True)
class Draft:
    """Safe text in the making; see `SafeText` for the attributes."""

    parts: list[str] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    _size: int = 0
    _column: int = 0
    _measured: int = 0

    def keep(self, raw: str) -> None:
        """Add characters as they are."""
        if raw:
            self.parts.append(raw)
            self._size += len(raw)

    def hide(self, sign: str, count: int) -> None:
        """Add a sign that stands for a number of characters."""
        self.parts.append(sign)
        end = self._size + len(sign)
        self.hidden.append((self._size, end))
        self.replaced.append(count)
        self._size = end

    def find(self, kind: str, where: int, message: str) -> None:
        """Add a finding, unless there is one of that kind."""
        self.findings.setdefault(kind, Finding(kind, where, None, True, message))

    def column(self) -> int:
        """Width in cells of a draft that has one row."""
        self._column += sum(map(_cells, self.parts[self._measured :]))
        self._measured = len(self.parts)
        return self._column


def rewrite(text: str, signs: str | None, rules: Rules, layout: Layout) -> Draft:
    """Replace what must not stay as it is.

    Args:
        text: The text as it came.
        signs: Its shape; None for printable ASCII, newlines and tabs that stay.
        rules: The rules of its field.
        layout: How its rows are drawn.
    """
    draft = Draft()
    if signs is None and _untouched(text, rules, layout):
        draft.keep(text)
        return draft
    at = 0
    for found in _pattern(rules, layout).finditer(text if signs is None else signs):
        start, end = found.span()
        if found.lastgroup == "gap":
            end -= 1  # the last newline stays, so that what follows has a row of its own
        raw = text[start:end]
        draft.keep(text[at:start])
        match found.lastgroup:
            case "hidden":
                sign = escaped(raw)
            case "tab" | "trailing":
                sign = _marked(raw, draft.column(), layout.tab_width)
            case "edge":
                sign = _counted(raw)
                draft.find("edge-blank", start, f"the text begins or ends with {sign}")
            case _:
                sign = _collapsed(raw)
                draft.find("padding", start, f"padding: {len(raw)} blanks in a row")
        draft.hide(sign, end - start)
        at = end
    draft.keep(text[at:])
    return draft


def _untouched(text: str, rules: Rules, layout: Layout) -> bool:
    """Whether printable ASCII is sure to stay as it is; False if that takes a closer look."""
    blank_ends = text[:1] == " " or text[-1:] == " "
    return not (
        "\t" in text
        or " " * rules.blanks in text
        or text.count("\n") >= rules.gap
        or (blank_ends and (layout.mark_trailing or not rules.rows))
    )


@cache
def _pattern(rules: Rules, layout: Layout) -> re.Pattern[str]:
    """What must not stay as it is, in shapes. No group can match at two starts of one run: time is linear."""
    groups = [f"(?P<hidden>[{HIDDEN}]+)"]
    line_start = r"(?:\A|(?<=\n))"
    if not rules.rows:
        groups.append(r"(?P<edge>\A +|(?<! ) ++\Z)")
    if rules.rows and not layout.one_row:
        groups.append(rf"(?P<gap>{line_start}(?:[ \t]*+\n){{{rules.gap},}}+)")
    groups.append(rf"(?P<indent>{line_start}[ \t]{{{rules.indent},}})")
    groups.append(rf"(?P<blanks>(?<=[^ \t\n])[ \t]{{{rules.blanks},}})")
    if layout.mark_trailing:
        groups.append(rf"(?P<trailing>(?<![ \t])[ \t]++(?={LINE_END}?\Z))")
    if layout.one_row:
        groups.append(r"(?P<tab>\t+)")
    return re.compile("|".join(groups))


def _counted(run: str) -> str:
    number = len(run)
    return f"[{number} {_NAMES[run[0]]}{'s' if number > 1 else ''}]"


def _collapsed(blanks: str) -> str:
    """Padding: equal blanks as their number, and what is left one by one."""
    runs = (run[0] for run in _SAME.finditer(blanks))
    return "".join(_counted(run) if len(run) >= _COUNTED else _EACH[run[0]] * len(run) for run in runs)


def _marked(blanks: str, column: int, tab_width: int) -> str:
    """Visible tabs and spaces, the first of them in the given column."""
    signs = []
    for blank in blanks:
        sign = "~"
        if blank == "\t":
            sign = ">".ljust(tab_width - column % tab_width)
        signs.append(sign)
        column += len(sign)
    return "".join(signs)


def _cells(text: str) -> int:
    """Columns that a text takes, near enough for tab stops."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(char)[0] == "M" else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
