"""Hostile text made visible: the only way for text of an agent to reach any output.

Whatever a screen, a log, a message on the command line, a notification, a title or the clipboard gets from a
request goes through `reveal`. Characters that act on a terminal, reorder text or cannot be seen become escapes
that can be seen; nothing is dropped, and nothing is markup. Padding is counted, not cut. Findings tell what a
reviewer should know.

Every step is linear in the length of the text; printable ASCII takes a short cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from signoff.present.reveal.confusables import Authority, authorities
from signoff.present.reveal.escape import TextLayout, rewrite
from signoff.present.reveal.findings import RULES, Field, Rules, host_note, judge
from signoff.present.reveal.safe_text import Finding, SafeText
from signoff.present.reveal.unicode_table import JOINTS, LINE_END, RETURN, is_plain, shape
from signoff.present.reveal.widths import is_disputed

__all__ = [
    "Field",
    "Finding",
    "SafeText",
    "clipped",
    "findings",
    "has_no_one_width",
    "one_line",
    "quoted",
    "reveal",
    "reveal_line",
]

_WINDOWS_LINE = re.compile(rf"{RETURN}(?=\n|\Z)")

_SHORT = 200
"""The length up to which a text is remembered: rows of lists are short, and are made anew at each key."""


def reveal(text: str, field: Field) -> SafeText:
    """Make a text safe and everything in it visible.

    Never raises, whatever the text. In single-line fields newline and tab are escapes too; elsewhere they
    stay. The ASCII form of hosts that need one, and the text of hosts in Punycode, are added at the end of a URL.

    Args:
        text: Any text, lone surrogates included.
        field: The part of a request that it is.
    """
    return _reveal_short(text, field) if len(text) <= _SHORT else _reveal(text, RULES[field], TextLayout())


def reveal_line(
    text: str, field: Field = "content", *, tab_width: int = 4, mark_trailing: bool = False
) -> SafeText:
    """Like `reveal`, for one row of the screen: a newline is an escape, a tab is visible.

    A tab is ``>`` and spaces up to the tab stop, all of it in `SafeText.hidden`. A carriage return at the end
    of a line of `content` is shown but not warned of.

    Args:
        text: One line, without the newline that ends it.
        field: The part of a request that it is.
        tab_width: Columns from one tab stop to the next; less than one counts as one.
        mark_trailing: Show each trailing space as ``~``.
    """
    return _reveal(text, RULES[field], TextLayout(max(tab_width, 1), mark_trailing))


def one_line(text: str, field: Field = "content") -> str:
    """Make a text of others safe to print on one line; nothing is left out.

    Args:
        text: Any text; newlines and everything a terminal obeys become visible escapes.
        field: The part of a request that it is.
    """
    return reveal_line(text, field).text


def clipped(text: str, width: int) -> str:
    """Shorten safe text for a table, with the number of characters left out.

    Args:
        text: Text made by `one_line`.
        width: Most characters that are kept.
    """
    return text if len(text) <= width else f"{text[:width]} (+{len(text) - width} characters)"


def findings(text: str, field: Field) -> tuple[Finding, ...]:
    """Return the findings of `reveal` without the text: for large contents with few shown rows.

    Args:
        text: Any text, lone surrogates included.
        field: The part of a request that it is.
    """
    rules = RULES[field]
    return tuple(judge(text, _shape(text, rules, TextLayout()), _links(text, rules), rules, one_row=False))


def has_no_one_width(char: str) -> bool:
    """True if terminals draw a character in different widths; `reveal` lets none through.

    Args:
        char: One character. Half a flag is one too, although a whole flag has one width.
    """
    return is_disputed(ord(char)) or ord(char) in JOINTS


def quoted(safe: SafeText) -> SafeText:
    """Return the text in quotes that belong to `SafeText.hidden`, so that blanks at its ends show."""
    end = len(safe) + 1
    hidden = ((0, 1), *((a + 1, b + 1) for a, b in safe.hidden), (end, end + 1))
    return SafeText(f'"{safe.text}"', hidden, safe.findings, (0, *safe.replaced, 0))


@lru_cache(maxsize=2048)
def _reveal_short(text: str, field: Field) -> SafeText:
    return _reveal(text, RULES[field], TextLayout())


def _reveal(text: str, rules: Rules, layout: TextLayout) -> SafeText:
    signs = _shape(text, rules, layout)
    links = _links(text, rules)
    found = judge(text, signs, links, rules, one_row=layout.one_row)
    new = rewrite(text, signs, rules, layout, host_note(links, _visible))
    return SafeText(new.text, new.hidden, tuple(found), new.replaced)


def _visible(label: str) -> str:
    """A part of a host made visible; it holds no further hosts."""
    return reveal(label, "path").text


def _links(text: str, rules: Rules) -> Sequence[Authority]:
    return tuple(authorities(text, whole=not rules.rows)) if rules.links else ()


def _shape(text: str, rules: Rules, layout: TextLayout) -> str | None:
    """The shape of a text; None if it is printable ASCII, newlines and tabs that stay."""
    kept = rules.kept.replace("\n", "") if layout.one_row else rules.kept
    if is_plain(text, kept):
        return None
    signs = shape(text, exact=rules.exact, kept=kept)
    if rules.windows_lines:
        signs = _WINDOWS_LINE.sub(LINE_END, signs)
    return signs
