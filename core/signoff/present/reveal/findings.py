"""Warnings about a text, the strictness of each field, and blanks that push text out of sight."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Literal

from msgspec import Struct

from signoff.present.reveal import unicode_table as signs_of
from signoff.present.reveal.confusables import (
    Authority,
    ascii_host,
    ascii_twin,
    decoded_host,
    in_punycode,
    look_alikes,
    name_disguise,
    script_change,
    whole_disguise,
)
from signoff.present.reveal.safe_text import Finding
from signoff.present.reveal.unicode_table import Table, escape, shape

__all__ = [
    "PADDING",
    "RULES",
    "Field",
    "Rules",
    "collapsed_runs",
    "counted",
    "extent",
    "host_note",
    "judge",
    "may_pad",
    "pads",
    "with_padding",
]


_CHARACTERS = {
    signs_of.CONTROL: ("control", "control character"),
    signs_of.RETURN: ("control", "carriage return"),
    signs_of.LINE_END: ("line-ending", "Windows line ending"),
    signs_of.BIDI: ("bidi", "text direction control"),
    signs_of.INVISIBLE: ("invisible", "invisible character"),
    signs_of.TAG: ("tag", "invisible tag character"),
    signs_of.LINE_BREAK: ("line-break", "hidden line break"),
    signs_of.PRIVATE: ("private", "private-use character"),
    signs_of.UNASSIGNED: ("unassigned", "unassigned code point"),
    signs_of.SURROGATE: ("surrogate", "broken character"),
    signs_of.EXACT_BLANK: ("blank", "odd blank"),
    signs_of.BLANK: ("blank", "odd blank"),
    signs_of.EXACT_OVERLAY: ("overlay", "strike-out mark"),
    signs_of.STRAY_MARK: ("marks", "stray or piled-up mark"),
    signs_of.DISPUTED: ("width", "odd-width character"),
}
"""The kind and noun of each sign that is always worth a finding."""

_HIDDEN = re.compile(f"[{signs_of.UNSAFE}]")
_SPELLING = re.compile("[\U000e0020-\U000e007e]")
_UNWARNED = frozenset({signs_of.LINE_END, signs_of.BLANK, signs_of.DISPUTED})
_SCREEN_LENGTH, _SCREEN_HEIGHT = 24 * 80, 24
"""The characters and lines that a small terminal shows at once; a longer text gets a finding."""
_LONG_HOST = 80
_MOST_HOSTS = 20
_DELIMITERS = frozenset("/\\?#@:")


def judge(
    text: str, signs: str | None, links: Sequence[Authority], rules: Rules, *, one_row: bool
) -> list[Finding]:
    """Find what a reviewer should know about a text, in the order of the text.

    Args:
        text: The text as it came.
        signs: Its shape; None for printable ASCII, newlines and tabs that stay.
        links: The hosts that the URLs in it lead to.
        rules: The rules of its field.
        one_row: The text is one row of the screen.
    """
    findings = [
        *_length(text, rules),
        *(_hidden(text, signs, rules) if signs is not None else ()),
        *_links(links),
        *_blanks(text if signs is None else signs, rules, one_row=one_row),
    ]
    return sorted(findings, key=lambda finding: finding.where)


def host_note(links: Sequence[Authority], visible: Callable[[str], str]) -> str:
    """The second form of hosts that have two, ``<host xn--...>`` or ``<host xn--... is ...>``; else "".

    Letters that pass for ASCII ones are given by their code points, to tell them apart.

    Args:
        links: The hosts that the URLs in a text lead to.
        visible: Makes any text visible.
    """
    hosts = list(dict.fromkeys(each.host for each in links if _has_two_forms(each.host)))
    forms = [form for host in hosts[:_MOST_HOSTS] if (form := _forms(host, visible))]
    if not forms:
        return ""
    more = f" and {len(hosts) - _MOST_HOSTS} more" if len(hosts) > _MOST_HOSTS else ""
    return f" <host {', '.join(forms)}{more}>"


def _length(text: str, rules: Rules) -> Iterator[Finding]:
    height = text.count("\n") + 1
    unread = (rules.length is not None and len(text) > rules.length) or (
        rules.height is not None and height > rules.height
    )
    if unread or len(text) > _SCREEN_LENGTH or height > _SCREEN_HEIGHT:
        size = f"{len(text)} characters" + (f" in {height} lines" if height > 1 else "")
        yield Finding("long", 0, None, unread and rules.decides, f"long text: {size}; read it to its end")


def _hidden(text: str, signs: str, rules: Rules) -> Iterator[Finding]:
    yield from _characters(text, signs)
    yield from _scripts(text, signs, rules)


def _blanks(signs: str, rules: Rules, *, one_row: bool) -> Iterator[Finding]:
    """The first padding, and the first blanks at an end that counts."""
    if not may_pad(signs, rules, one_row=one_row):
        return
    told: set[str] = set()
    for found in pads(rules, one_row=one_row).finditer(signs):
        start, end = extent(found)
        edge = found.lastgroup == "edge"
        kind = "edge-blank" if edge else "padding"
        if kind not in told:
            blanks = f"the text begins or ends with {counted(found[0])}"
            message = blanks if edge else f"padding: {end - start} blanks in a row"
            yield Finding(kind, start, None, True, message)
            told.add(kind)
        if rules.rows or len(told) == 2:
            return  # there are no others


def _characters(text: str, signs: str) -> Iterator[Finding]:
    for sign, (kind, noun) in _CHARACTERS.items():
        count = signs.count(sign)
        if count:
            where = signs.index(sign)
            code = ord(text[where])
            words = noun if count == 1 else f"{count} {noun}s, the first one"
            if sign == signs_of.TAG:
                words += _spelled(text)
            yield Finding(kind, where, code, sign not in _UNWARNED, f"{words}: {escape(code)}")


def _spelled(text: str) -> str:
    """The text that tag characters spell for a machine, as a part of a message."""
    tags = _SPELLING.findall(text)
    words = "".join(chr(ord(tag) - 0xE0000) for tag in tags[:60])
    shown = f"{words}... ({len(tags)} in all)" if len(tags) > 60 else words
    return f" (they spell '{shown}')" if words else ""


def _scripts(text: str, signs: str, rules: Rules) -> Iterator[Finding]:
    mixed = script_change(signs)
    if mixed is not None:
        message = f"two scripts inside one word: {_named(text[mixed])}"
        yield Finding("mixed-script", mixed, ord(text[mixed]), rules.exact, message)
    if not rules.exact:
        return
    found = look_alikes(text)
    if found:
        char = text[found[0]]
        count = "a look-alike" if len(found) == 1 else f"{len(found)} look-alikes, the first one"
        message = f"{count}: {_named(char)} is not '{ascii_twin(char)}'"
        yield Finding("look-alike", found[0], ord(char), True, message)
    disguise = name_disguise(text) if rules.name and mixed is None else None
    if disguise is not None:
        message = f"a word of other letters that reads like ASCII: {_named(text[disguise])}"
        yield Finding("disguise", disguise, ord(text[disguise]), True, message)


def _links(links: Sequence[Authority]) -> Iterator[Finding]:
    first = next((each for each in links if each.credentials or len(each.host) > _LONG_HOST), None)
    if first is not None and first.credentials:
        told = "programs disagree on the host" if first.ambiguous else f"the host is {_ascii(first.host)}"
        message = f"the URL has a user part; {told}"
        yield Finding("credentials", first.where, None, True, message)
    elif first is not None:
        yield Finding("long", first.where, None, True, f"long host: {len(first.host)} characters")
    seen: set[str] = set()
    for authority in links:
        if authority.host in seen or not _has_two_forms(authority.host):
            continue
        if len(seen) == _MOST_HOSTS:
            message = f"more than {_MOST_HOSTS} hosts with letters that are not ASCII, or in Punycode"
            yield Finding("punycode", authority.where, None, True, message)
            break
        seen.add(authority.host)
        yield _foreign_host(authority)


def _foreign_host(authority: Authority) -> Finding:
    host, where = authority.host, authority.where
    form = _looked_up(host)
    if form is None:
        return Finding("punycode", where, None, True, f"no host can be named {_ascii(host)}")
    if in_punycode(host):
        said = decoded_host(host)
        told = "is no valid Punycode" if said is None else f"is Punycode for {_ascii(said)}"
        return Finding("punycode", where, None, True, f"the host {form} {told}")
    suspect = _disguised(host) or bool(look_alikes(host)) or not _DELIMITERS.isdisjoint(form)
    return Finding("punycode", where, None, suspect, f"the host is looked up as {form}")


def _has_two_forms(host: str) -> bool:
    return not host.isascii() or in_punycode(host)


def _forms(host: str, visible: Callable[[str], str]) -> str | None:
    form = _looked_up(host)
    if form is None or not in_punycode(host):
        return form
    said = decoded_host(host)
    if said is None:
        return f"{form} is no valid Punycode"
    return f"{form} is {'.'.join(_unmistakable(label, visible) for label in said.split('.'))}"


def _unmistakable(label: str, visible: Callable[[str], str]) -> str:
    shown = visible(label)
    if name_disguise(label) is None and not look_alikes(label) and not _mixed(label):
        return shown
    return "".join(char if char.isascii() else escape(ord(char)) for char in shown)


def _looked_up(host: str) -> str | None:
    form = ascii_host(host)
    hidden = form and _HIDDEN.search(shape(host, exact=True, kept=""))
    return None if hidden else form


def _disguised(host: str) -> bool:
    """True if a host has mixed scripts in one label, or a label that reads like an ASCII one."""
    return whole_disguise(host) is not None or _mixed(host)


def _mixed(host: str) -> bool:
    return script_change(shape(host.replace("-", ""), exact=True, kept="")) is not None


def _named(char: str) -> str:
    return f"{escape(ord(char))} {unicodedata.name(char, '')}".rstrip()


def _ascii(text: str) -> str:
    """Printable ASCII for a message: everything else as an escape."""
    shown = "".join(char if " " <= char <= "~" else escape(ord(char)) for char in text[:200])
    return shown if len(text) <= 200 else f"{shown}... ({len(text)} characters)"


# -- The fields of a request, which decide how strictly a text is read.

Field = Literal["command", "path", "url", "tool_name", "arg_key", "arg_value", "agent", "description", "content"]
"""The part of a request that a text is: a path is read more strictly than the body of a file."""


class Rules(Struct, frozen=True):
    """The rules for reading the text of one field.

    Attributes:
        exact: Every character counts: odd blanks and overlays are shown as escapes, look-alikes and mixed
            scripts are warned of.
        rows: The text may have more than one line: newline and tab are kept.
        blanks: Blanks in a row, behind other text, from which they are padding.
        indent: Blanks at the start of a line from which they are padding.
        gap: Blank lines in a row from which they are padding.
        length: Characters above which the end may go unread; None for no such limit.
        height: Lines above which the end may go unread; None for no such limit.
        decides: The text is part of the executed call: an unread end is worth a badge.
        name: The text is a plain name, which is a disguise if all of its letters pass for ASCII ones.
        links: The text may hold URLs.
        windows_lines: CR before LF is an ordinary line ending, shown but not warned of.
    """

    exact: bool = False
    rows: bool = False
    blanks: int = 8
    indent: int = 8
    gap: int = 5
    length: int | None = None
    height: int | None = None
    decides: bool = True
    name: bool = False
    links: bool = False
    windows_lines: bool = False

    @property
    def kept(self) -> str:
        """Control characters that stay as they are."""
        return "\n\t" if self.rows else ""


_NAME = Rules(exact=True, name=True, length=100)

RULES: dict[Field, Rules] = {
    "command": Rules(exact=True, rows=True, blanks=20, indent=40, length=1_000, height=24, links=True),
    "path": Rules(exact=True, length=200),
    "url": Rules(exact=True, length=500, links=True),
    "tool_name": _NAME,
    "arg_key": _NAME,
    "agent": _NAME,
    "arg_value": Rules(rows=True, blanks=40, indent=80, gap=10, length=4_000, height=100, links=True),
    "description": Rules(rows=True, blanks=20, indent=40, length=2_000, height=40, decides=False, links=True),
    "content": Rules(rows=True, blanks=80, indent=120, gap=20, windows_lines=True),
}
"""The rules of every field. Lengths fit the first screen of a small terminal."""


# -- Blanks that push text out of sight: their place and number.
#
# Everything here works on shapes (see `unicode_table`), in which space, newline and tab stand for themselves. No
# pattern can match at two starts of one run of blanks, so that time is linear.

PADDING = "\x91"
"""The sign of a blank of padding, in shapes that `with_padding` marked; other shapes do not hold it."""

_SAME = re.compile(r" +|\t+|\n+")
_COUNTED = 4
"""The number of equal blanks in a row from which padding shows a count instead of each."""
_NAMES = {" ": "space", "\t": "tab", "\n": "newline"}
_EACH = {" ": " ", "\t": "^I", "\n": "^J"}


def may_pad(signs: str, rules: Rules, *, one_row: bool) -> bool:
    """True if there may be padding, or blanks at an end that counts; False is certain, and fast."""
    if not rules.rows and (signs[:1] == " " or signs[-1:] == " "):
        return True
    spaces = signs.replace("\t", " ")
    if " " * min(rules.blanks, rules.indent) in spaces:
        return True
    return rules.rows and not one_row and _has_gap(spaces, rules.gap)


def _has_gap(spaces: str, gap: int) -> bool:
    """True if so many lines in a row are blank, in a shape without tabs."""
    if spaces.count("\n") < gap:
        return False
    at_start, later = _gaps(gap)
    return bool(at_start.match(spaces) or later.search(spaces))


@cache
def _gaps(gap: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for blank lines at the start of a text and later; two are faster than one."""
    lines = f"(?: *+\n){{{gap}}}"
    return re.compile(lines), re.compile(f"\n{lines}")


@cache
def pads(rules: Rules, *, one_row: bool) -> re.Pattern[str]:
    """A pattern for padding (groups "gap", "indent", "blanks") and for blanks at ends (group "edge")."""
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
    """The start and end of a match of `pads`."""
    start, end = found.span()
    # The last newline of a gap stays, so that what follows has a row of its own.
    return start, end - (found.lastgroup == "gap")


def with_padding(signs: str, rules: Rules) -> str:
    """Return the shape of a text that may have many rows, with `PADDING` for the blanks of padding."""
    return pads(rules, one_row=False).sub(_marked, signs)


def _marked(found: re.Match[str]) -> str:
    # The last newline of a gap stays; see `extent`.
    return _marked_gaps[found[0]] if found.lastgroup == "gap" else PADDING * len(found[0])


_marked_gaps = Table[str]({}, lambda blanks: PADDING * (len(blanks) - 1) + blanks[-1])


def counted(run: str) -> str:
    """The number of equal blanks in words, such as ``[400 spaces]``."""
    number = len(run)
    return f"[{number} {_NAMES[run[0]]}{'s' if number > 1 else ''}]"


def _collapsed(blanks: str) -> str:
    runs = (run[0] for run in _SAME.finditer(blanks))
    return "".join(counted(run) if len(run) >= _COUNTED else _EACH[run[0]] * len(run) for run in runs)


collapsed_runs = Table[str]({}, _collapsed)
"""Replacements for padding: the number of equal blanks, and the others one by one."""
