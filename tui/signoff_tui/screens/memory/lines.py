"""The lines of remembered approvals: a row in the list, and everything about one."""

from __future__ import annotations

from signoff.policy.redaction.masking import Redactor
from signoff.present.reveal import reveal_line
from signoff.queue.grant_coverage import (
    BREADTH_WORDS,
    NOTHING_FIXED,
    Breadth,
    Reach,
    applies_to,
    end_words,
    free_words,
    limit_text,
    row_text,
)
from signoff.queue.grant_pattern import GrantPattern, Matcher, matcher_words
from signoff.text.time import when_text
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.text.lines import (
    Chunk,
    Line,
    chunk,
    foreign,
    fullest,
    line,
    value_lines,
    wrapped,
)
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import tool_text

__all__ = [
    "INDENT",
    "LISTED_AS_ROWS",
    "breadth_token",
    "breadth_word",
    "detail_lines",
    "fact_lines",
    "fact_name",
    "heading",
    "limit_lines",
    "pattern_lines",
    "row_lines",
]

LISTED_AS_ROWS = 76
"""From this many cells on, one line is enough for a row."""

LONGEST_VALUE = 20_000
"""The most characters of a value that are shown; of the rest it is said how many there are."""

_TOOL, _BREADTH, _USED, _LAST = 12, 11, 5, 6
_NAME = 12
INDENT = " " * (_NAME + 1)
"""The blanks below the name of a fact."""


def breadth_word(entry: Entry) -> str:
    """Return the breadth of an approval in one word."""
    if entry.grant.damage is not None:
        return "damaged"
    return "unknown" if entry.reach is None else str(entry.reach.breadth)


def breadth_token(word: str) -> str:
    """Return the style of that word."""
    return {"exact": "muted", "pattern": "text", "damaged": "closed", "unknown": "warn"}.get(word, "danger")


# -- the list ------------------------------------------------------------------------------------------------


def heading(width: int) -> Line:
    """Return the names of the columns."""
    if width < LISTED_AS_ROWS:
        words = chunk("   #  tool, and what runs without asking", "muted")
        return fullest([line(words, right=(chunk(" breadth, uses, last use ", "muted"),)), line(words)], width)
    columns = "breadth".ljust(_BREADTH) + "used".rjust(_USED) + "last".rjust(_LAST) + " "
    return line(
        chunk(f"   #  {'tool':<{_TOOL}} ", "muted", keep=True),
        chunk("what runs without asking", "muted"),
        right=(chunk(f" {columns}", "muted"),),
    )


def row_lines(entry: Entry, glyphs: Glyphs, width: int, *, focused: bool, now: int, you: str) -> tuple[Line, ...]:
    """Return the lines of a row: one, or two where it is narrow."""
    closed = not entry.in_force
    background = "focus-bg" if focused else "background"
    mark = chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True)
    number = chunk(f"{entry.number:>2}  ", "muted", keep=True)
    tool = Chunk(tool_text(entry.grant), "closed" if closed else "text")
    what = Chunk(
        reveal_line(row_text(entry.grant, entry.reach, entry.masks.mask_value), "arg_value"),
        "closed" if closed else "text",
        cut="end",
    )
    word = breadth_word(entry)
    breadth = chunk(f"{word:<{_BREADTH}}", "closed" if closed else breadth_token(word), keep=True)
    ended = () if not closed else (foreign(f"{_revoked(entry, now, you)} ", "warn", keep=True),)
    counts = (
        chunk(f"{entry.grant.uses}x".rjust(_USED), "text", keep=True),
        chunk(f"{_last(entry, now)} ".rjust(_LAST + 1), "muted", keep=True),
    )
    if width >= LISTED_AS_ROWS:
        column = Chunk(tool.text, tool.token, keep=True, most=_TOOL, least=_TOOL)
        tail = ended or (breadth, *counts)
        return (Line((mark, number, column, chunk(" "), what), (chunk(" "), *tail), background, focused),)
    first = Line(
        (mark, number, Chunk(tool.text, tool.token, cut="middle")),
        (chunk(" "), *(ended or (chunk(f"{word} ", breadth.token, keep=True),))),
        background,
        focused,
    )
    return (first, Line((chunk(" " * 6, keep=True), what), (chunk(" "), *counts), background))


def _last(entry: Entry, now: int) -> str:
    at = entry.grant.last_used_at
    return "--" if at is None else when_text(at, now, "short")


def _revoked(entry: Entry, now: int, you: str) -> str:
    at = entry.grant.revoked_at
    assert at is not None
    return f"revoked {when_text(at, now, 'short')} by {_who(entry.grant.revoked_by or '?', you)[:16]}"


def _who(name: str, you: str) -> str:
    return "you" if name == you else name


# -- one of them -----------------------------------------------------------------------------------------------


def detail_lines(entry: Entry, width: int, *, now: int, you: str, waiting: int | None) -> list[Line]:
    """Return everything about one remembered approval.

    Args:
        entry: The approval.
        width: Cells.
        now: Wall clock, microseconds since the epoch.
        you: Name of the reviewer.
        waiting: The number of waiting requests that it would match; None if that is being counted.
    """
    grant = entry.grant
    lines = fact_lines(f"#{entry.number}", _origin(entry, now, you), width, name_token="strong")
    if grant.revoked_at is not None:
        words = f"{when_text(grant.revoked_at, now)} by {_who(grant.revoked_by or '?', you)}; such calls ask again"
        lines += fact_lines("revoked", words, width, "warn")
    if grant.damage is not None:
        return [*lines, *fact_lines("damaged", f"it covers nothing: {grant.damage}", width, "danger")]
    lines += fact_lines("applies to", applies_to(grant.session, grant.payload, grant.as_pattern()), width)
    lines += fact_lines("ends", end_words([grant.definition is not None])[0], width)
    lines += _matches(entry, width)
    lines += fact_lines("used", _uses(entry, now), width)
    if entry.in_force:
        lines += fact_lines("right now", _right_now(waiting), width)
    return lines


def _origin(entry: Entry, now: int, you: str) -> str:
    grant = entry.grant
    when = f"remembered {when_text(grant.created_at, now)}"
    if not grant.origin_request:
        return f"{when} by {grant.created_by} for agent {grant.agent_name}, outside the queue"
    origin = f"from request {grant.origin_request[:8]} of agent {grant.agent_name}"
    return f"{when} by {_who(grant.created_by, you)}, {origin}"


def _uses(entry: Entry, now: int) -> str:
    grant = entry.grant
    if not grant.uses:
        return "never"
    times = "once" if grant.uses == 1 else f"{grant.uses} times"
    last = "" if grant.last_used_at is None else f", last {when_text(grant.last_used_at, now)}"
    return f"{times}{last}; Enter lists {'it' if grant.uses == 1 else 'them'} in the history"


def _right_now(waiting: int | None) -> str:
    if waiting is None:
        return "counting the requests that match ..."
    return f"would match {waiting} waiting {'request' if waiting == 1 else 'requests'}"


def _matches(entry: Entry, width: int) -> list[Line]:
    grant, word, reach, pattern = entry.grant, breadth_word(entry), entry.reach, entry.grant.as_pattern()
    tool = Chunk(tool_text(grant), keep=True, most=24 if grant.server is None else 48)
    if reach is None:
        how = "how wide is not known"
    else:
        how = BREADTH_WORDS[reach.breadth] if grant.pattern is None else ""
    lines = [line(fact_name("matches"), tool, chunk(f"  {how}", breadth_token(word), keep=True))]
    lines += pattern_lines(pattern, reach, width, entry.masks)
    if reach is None:
        words = "its request is not stored: what is not named here may be anything"
        return lines + fact_lines("", words, width, "warn")
    if grant.pattern is not None:
        lines += limit_lines(pattern, reach, width)
    if reach.breadth is Breadth.EVERYTHING:
        lines += fact_lines("", NOTHING_FIXED, width, "danger")
    return lines


def pattern_lines(pattern: GrantPattern, reach: Reach | None, width: int, masks: Redactor) -> list[Line]:
    """Return every entry of a pattern in full, and what may be anything because no entry limits it, if known."""
    entries = pattern.entries
    lines = [row for name, matcher in entries for row in _entry(name, matcher, width, masks)]
    free = [] if reach is None else free_words(reach, dict(entries))
    return lines + fact_lines("", f"with {', '.join(free)}", width, "warn") if free else lines


def limit_lines(pattern: GrantPattern, reach: Reach, width: int) -> list[Line]:
    """Return the breadth of a pattern, and its only limits."""
    return fact_lines("how wide", limit_text(reach.breadth, pattern), width, breadth_token(str(reach.breadth)))


def _entry(name: str, matcher: Matcher, width: int, masks: Redactor) -> list[Line]:
    words, values = matcher_words(matcher, "entry")
    if not values:
        verb, _, anything = words.partition(" ")
        return [line(_head(name, verb), chunk(anything, "danger", keep=True))]
    head = _head(name, words)
    return [
        row
        for value in values
        for row in value_lines(masks.mask_value(value, name), width, head, longest=LONGEST_VALUE, indent=INDENT)
    ]


def _head(name: str, word: str) -> Chunk:
    return Chunk(foreign(f"{INDENT}{name} {word} ").text, "muted", keep=True, most=44)


def fact_name(name: str, token: str = "muted") -> Chunk:
    """Return the name of a fact, in the column of names."""
    return chunk(f" {name:<{_NAME}}", token, keep=True)


def fact_lines(name: str, words: str, width: int, token: str = "text", *, name_token: str = "muted") -> list[Line]:
    """Return a fact behind its name, on as many lines as it needs."""
    return wrapped(words, width, token, head=fact_name(name, name_token))
