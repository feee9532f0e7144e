"""How remembered approvals look: a row in the list, and everything about one."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from signoff.canonical import parse_json
from signoff.policy.grant_breadth import Breadth, Reach
from signoff.policy.redaction.masking import Redactor
from signoff.present.reveal import reveal_line
from signoff.queue import Grant
from signoff.queue.grant_pattern import AnyValue, Exact, GrantPattern, Matcher, OneOf, Under
from signoff.text.time import when_text
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.text.grants import (
    BREADTH_WORDS,
    any_words,
    ends_words,
    limits_words,
    names_directory,
    where_words,
)
from signoff_tui.text.lines import (
    Chunk,
    Line,
    chunk,
    folded,
    foreign,
    fullest,
    line,
    wrapped,
)
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import tool_text

__all__ = [
    "LISTED_AS_ROWS",
    "applies_to",
    "breadth_token",
    "breadth_word",
    "covered",
    "detail_lines",
    "free_lines",
    "heading",
    "how_wide_lines",
    "matcher_text",
    "pattern_entry",
    "row_lines",
]

LISTED_AS_ROWS = 76
"""From this many cells on, one line is enough for a row."""

LONGEST_ROW = 400
"""Characters of what is covered that a row is made from; no row is so wide."""

LONGEST_VALUE = 20_000
"""Characters of a value that are shown; of the rest it is said how much there is."""

_MOST_OPEN_FIRST = (AnyValue, Under, OneOf, Exact)

_TOOL, _BREADTH, _USED, _LAST = 12, 11, 5, 6
_NAME = 12


def breadth_word(entry: Entry) -> str:
    """How wide it is, in one word."""
    if entry.grant.damage is not None:
        return "damaged"
    return "unknown" if entry.reach is None else str(entry.reach.breadth)


def breadth_token(word: str) -> str:
    """The style of that word."""
    return {"exact": "muted", "pattern": "text", "damaged": "closed", "unknown": "warn"}.get(word, "danger")


# -- the list ------------------------------------------------------------------------------------------------


def heading(width: int) -> Line:
    """Names of the columns."""
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
    """The lines of a row: one, or two where it is narrow."""
    closed = not entry.in_force
    background = "focus-bg" if focused else "background"
    mark = chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True)
    number = chunk(f"{entry.number:>2}  ", "muted", keep=True)
    tool = Chunk(tool_text(entry.grant), "closed" if closed else "text")
    what = Chunk(reveal_line(covered(entry), "arg_value"), "closed" if closed else "text", cut="end")
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


def covered(entry: Entry) -> str:
    """What is covered, on one line, without its secrets; not safe to draw yet."""
    grant = entry.grant
    if grant.damage is not None:
        return "nothing: its record is damaged"
    pattern = grant.pattern
    if pattern is None:
        parts = [f"{name} = {_json(value, name, entry.masks)}" for name, value in sorted(grant.payload.items())]
    else:
        # The most open first: however short the row is cut, it does not look like the one that was widened.
        entries = sorted(pattern.entries, key=lambda named: _MOST_OPEN_FIRST.index(type(named[1])))
        parts = [f"{name} {matcher_text(name, matcher, entry.masks)}" for name, matcher in entries]
    if entry.reach is not None:
        parts += any_words(entry.reach, _named(grant))
    if entry.reach is not None and entry.reach.breadth is Breadth.EVERYTHING:
        return "ANY call of this tool"
    return (", ".join(parts) or "ANY call of this tool")[:LONGEST_ROW]


def matcher_text(name: str, matcher: Matcher, masks: Redactor) -> str:
    """How an entry of the payload must be, in few words, without secrets; not safe to draw yet."""
    match matcher:
        case Exact(key):
            return f"= {_json(parse_json(key), name, masks)}"
        case OneOf(keys):
            return f"one of {', '.join(_json(parse_json(key), name, masks) for key in keys)}"
        case Under(directory):
            return f"below {masks.mask_value(directory, name)}/"
        case AnyValue():
            return "ANY"


def free_lines(reach: Reach, named: Collection[str], width: int) -> list[Line]:
    """What may be anything because nothing is said about it. Arguments as for `any_words`."""
    free = any_words(reach, named)
    return _fact("", f"with {', '.join(free)}", width, "warn") if free else []


def _named(grant: Grant) -> Collection[str]:
    """Names of what a grant matches on."""
    return grant.payload if grant.pattern is None else {name for name, _ in grant.pattern.entries}


def _json(value: Any, name: str, masks: Redactor) -> str:
    return json.dumps(masks.mask_value(value, name), ensure_ascii=False)


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
    """Everything about one remembered approval.

    Args:
        entry: Which.
        width: Cells.
        now: Wall clock, microseconds since the epoch.
        you: Name of the reviewer.
        waiting: How many requests that wait it would match; None if that is being counted.
    """
    grant = entry.grant
    lines = _fact(f"#{entry.number}", _origin(entry, now, you), width, name_token="strong")
    if grant.revoked_at is not None:
        words = f"{when_text(grant.revoked_at, now)} by {_who(grant.revoked_by or '?', you)}; such calls ask again"
        lines += _fact("revoked", words, width, "warn")
    if grant.damage is not None:
        return [*lines, *_fact("damaged", f"it covers nothing: {grant.damage}", width, "danger")]
    lines += _fact("applies to", applies_to(grant.session, grant.payload, grant.pattern), width)
    lines += _fact("ends", ends_words([grant.definition is not None])[0], width)
    lines += _matches(entry, width)
    lines += _fact("used", _uses(entry, now), width)
    if entry.in_force:
        lines += _fact("right now", _right_now(waiting), width)
    return lines


def applies_to(session: str, payload: Mapping[str, Any], pattern: GrantPattern | None) -> str:
    """Whose calls are answered, and from where; a pattern may leave the directory open.

    Args:
        session: Whose agents.
        payload: Of the call that it was given for.
        pattern: What is covered; None for the payload and no other.
    """
    entries = () if pattern is None else pattern.entries
    open_to_more = {name for name, matcher in entries if not isinstance(matcher, Exact)}
    free = {name for name, matcher in entries if isinstance(matcher, AnyValue)}
    where = where_words([names_directory(payload, free)])
    if names_directory(payload, free) and not names_directory(payload, open_to_more):
        where = "only in directories as said here"
    return f"any agent of session {session}, {where}"


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
    grant, word = entry.grant, breadth_word(entry)
    tool = Chunk(tool_text(grant), keep=True, most=24 if grant.server is None else 48)
    if entry.reach is None:
        how = "how wide is not known"
    else:
        how = BREADTH_WORDS[entry.reach.breadth] if grant.pattern is None else ""
    lines = [line(_name("matches"), tool, chunk(f"  {how}", breadth_token(word), keep=True))]
    if grant.pattern is None:
        for name, value in sorted(grant.payload.items()):
            lines += _value(name, "=", entry.masks.mask_value(value, name), width)
    else:
        for name, matcher in grant.pattern.entries:
            lines += pattern_entry(name, matcher, width, entry.masks)
    if entry.reach is not None:
        lines += free_lines(entry.reach, _named(grant), width)
        if grant.pattern is not None:
            lines += how_wide_lines(entry.reach.breadth, grant.pattern, width)
    if entry.reach is None:
        words = "its request is not stored: what is not named here may be anything"
        lines += _fact("", words, width, "warn")
    elif entry.reach.breadth is Breadth.EVERYTHING:
        lines += _fact("", "ANY call of this tool, no argument is fixed", width, "danger")
    return lines


def how_wide_lines(breadth: Breadth, pattern: GrantPattern, width: int) -> list[Line]:
    """How wide a pattern is, and what alone limits it."""
    return _fact("how wide", limits_words(breadth, pattern), width, breadth_token(str(breadth)))


def pattern_entry(name: str, matcher: Matcher, width: int, masks: Redactor) -> list[Line]:
    """One entry of a pattern, in full."""
    match matcher:
        case Exact(key):
            return _value(name, "=", masks.mask_value(parse_json(key), name), width)
        case OneOf(keys):
            values = [masks.mask_value(parse_json(key), name) for key in keys]
            return [row for value in values for row in _value(name, "may be", value, width)]
        case Under(directory):
            return _value(name, "is any path below", masks.mask_value(directory, name), width)
        case AnyValue():
            return [line(_head(name, "is"), chunk("ANYTHING", "danger", keep=True))]


def _value(name: str, word: str, value: object, width: int) -> list[Line]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = reveal_line(text[:LONGEST_VALUE], "arg_value", mark_trailing=True)
    rows = folded(shown, width, "strong", head=_head(name, word))
    if len(text) > LONGEST_VALUE:
        more = f"and exactly {len(text) - LONGEST_VALUE:,} more characters"
        rows.append(line(chunk(f"{' ' * (_NAME + 1)}{more}", "warn")))
    return rows


def _head(name: str, word: str) -> Chunk:
    return Chunk(foreign(f"{' ' * (_NAME + 1)}{name} {word} ").text, "muted", keep=True, most=44)


def _name(name: str, token: str = "muted") -> Chunk:
    return chunk(f" {name:<{_NAME}}", token, keep=True)


def _fact(name: str, words: str, width: int, token: str = "text", *, name_token: str = "muted") -> list[Line]:
    return wrapped(words, width, token, head=_name(name, name_token))
