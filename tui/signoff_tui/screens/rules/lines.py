"""The lines about grants, rule files and rules: a row in the list, and everything about one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.cells import cell_len

from signoff.present.reveal import reveal_line
from signoff.queue.grant_coverage import (
    BREADTH_WORDS,
    NOTHING_FIXED,
    Breadth,
    applies_to,
    end_words,
    free_words,
    limit_text,
    row_text,
)
from signoff.queue.grant_pattern import Matcher, matcher_words
from signoff.text.time import when_text
from signoff_tui.screens.rules.allowed import Allowed
from signoff_tui.screens.rules.files import FileRule, RuleFile
from signoff_tui.screens.rules.hits import Hits
from signoff_tui.screens.rules.trust_change import ANSWER_TOKENS
from signoff_tui.text.lines import Chunk, Line, chunk, folded, foreign, line, value_lines, wrapped
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import tool_text

__all__ = [
    "allowed_details",
    "allowed_row",
    "file_details",
    "file_row",
    "heading_details",
    "heading_row",
    "no_files_details",
    "no_files_row",
    "rule_details",
    "rule_row",
]

_LONGEST, _LONGEST_DETAIL = 400, 20_000
_ROOMY = 56
"""Cells of a row from which it has the session of a grant and the section of a rule."""

_TOOL, _SESSION, _USED, _LAST, _SECTION, _ANSWER = 12, 12, 5, 7, 12, 7
_FACT = 11
_INDENT = " " * (_FACT + 1)
_WIDEST_HEAD = 44
"""Cells of the words before a value; longer ones stand above it."""
_JOINTS = ":, "
"""Signs between the directory of a root and the words about it; the directory stands elsewhere here."""

_SAID_BY_EFFECT = frozenset({"runs without asking", "asks first", "blocked"})
_STATES = {"trusted": "ok", "CHANGED": "danger", "GONE": "danger", "BROKEN": "danger"}
_MODES = {
    None: "not set: as the program or SIGNOFF_MODE says",
    "interactive": "interactive: a person is asked",
    "approve_all": "approve_all: whatever asks is approved",
    "strict": "strict: whatever asks is refused",
}
_ANSWERS = {"runs": "let calls run", "asks": "ask", "blocked": "block", "unclear": "unclear", "--": "other"}


def _row(left: tuple[Chunk, ...], right: tuple[Chunk, ...], glyphs: Glyphs, *, focused: bool) -> tuple[Line]:
    mark = chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True)
    return (Line((mark, *left), right, "focus-bg" if focused else "background", focused),)


# -- what is allowed for a session -----------------------------------------------------------------------------


def heading_row(number: int | None, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line]:
    """Return the row above what is allowed for a session.

    Args:
        number: Number of grants in force; None if they were not read yet.
        glyphs: Signs of this run.
        width: Cells.
        focused: True if the cursor is on it.
    """
    count = "" if number is None else ": nothing" if not number else f"  {number}"
    columns = f"{'session':<{_SESSION}}" if width >= _ROOMY else ""
    columns += f"{'uses':>{_USED}}{'last':>{_LAST}} "
    left = (chunk("Allowed for a session", "strong", keep=True), chunk(count, "muted", keep=True))
    return _row(left, (chunk(columns, "muted"),) if number else (), glyphs, focused=focused)


def allowed_row(entry: Allowed, glyphs: Glyphs, width: int, now: int, you: str, *, focused: bool) -> tuple[Line]:
    """Return the row of a grant: number, what, session, uses, last use; or by whom it was revoked."""
    grant, token = entry.grant, "text" if entry.in_force else "closed"
    what = reveal_line(row_text(grant, entry.reach, entry.masks.mask_value), "arg_value")
    left = (
        chunk(f"{entry.number:>2}  ", "muted", keep=True),
        Chunk(tool_text(grant), token, keep=True, most=_TOOL),
        chunk(" "),
        Chunk(what, "danger" if entry.careless and entry.in_force else token, cut="end"),
    )
    session = Chunk(foreign(grant.session[:_LONGEST]).text, "muted", keep=True, most=_SESSION - 1, least=_SESSION)
    last = "never" if grant.last_used_at is None else when_text(grant.last_used_at, now, "short")
    counts = (
        chunk(f"{grant.uses:>{_USED}}", token, keep=True),
        chunk(f"{last:>{_LAST}} ", "muted", keep=True),
    )
    if not entry.in_force:
        right: tuple[Chunk, ...] = (chunk(" "), foreign(f"{_revoked(entry, now, you)} ", "warn", keep=True))
    else:
        right = (chunk(" "), *([session] if width >= _ROOMY else []), *counts)
    return _row(left, right, glyphs, focused=focused)


def _revoked(entry: Allowed, now: int, you: str) -> str:
    at, by = entry.grant.revoked_at, entry.grant.revoked_by or "?"
    who = "you" if by == you else by[:16]
    return "revoked" if at is None else f"revoked {when_text(at, now, 'short')} by {who}"


def heading_details(width: int) -> list[Line]:
    """Return the explanation of what is allowed for a session."""
    words = (
        "Calls listed here run unasked until their session ends, or until the definition of their tool changes."
        " HIGH risk asks all the same. To allow more, press s on the next call; to allow less, revoke."
    )
    return wrapped(words, width, head=chunk(" "))


def allowed_details(entry: Allowed, width: int, now: int, you: str) -> list[Line]:
    """Return everything about a grant.

    Args:
        entry: The grant.
        width: Cells.
        now: Wall clock, microseconds since the epoch.
        you: Name of the reviewer.
    """
    grant = entry.grant
    by = "you" if grant.created_by == you else grant.created_by
    origin = "" if grant.origin_request else ", outside the queue"
    words = f"allowed by {by} at {when_text(grant.created_at, now)}"
    lines = wrapped(words, width, "strong", head=chunk(f" #{entry.number}  "))
    lines += _fact("asked by", f"{grant.agent_name}{origin}", width)
    if not entry.in_force:
        lines += _fact("ended", f"{_revoked(entry, now, you)}; such calls ask again", width, "warn")
    if grant.damage is not None:
        return [*lines, *_fact("damaged", f"it covers nothing: {grant.damage}", width, "danger")]
    lines += _fact("applies to", applies_to(grant.session, grant.payload, grant.as_pattern()), width)
    lines += _fact("ends", end_words([grant.definition is not None])[0], width)
    lines += _covered(entry, width)
    last = "" if grant.last_used_at is None else f", last {when_text(grant.last_used_at, now)}"
    return [*lines, *_fact("used", f"{_times(grant.uses)}{last}", width)]


def _covered(entry: Allowed, width: int) -> Iterator[Line]:
    """Yield every entry of what is covered in full, and what may be anything because no entry limits it."""
    grant, reach, pattern = entry.grant, entry.reach, entry.grant.as_pattern()
    token = "danger" if entry.careless else "text"
    how = "how wide is not known" if reach is None else "" if grant.pattern else BREADTH_WORDS[reach.breadth]
    tool = Chunk(tool_text(grant), keep=True, most=24 if grant.server is None else 48)
    yield line(_head("covers"), tool, chunk(f"  {how}", "warn" if reach is None else token, keep=True))
    for name, matcher in pattern.entries:
        yield from _entry(entry, name, matcher, width)
    if reach is None:
        words = "its request is not stored: what is not named here may be anything"
        yield from _fact("", words, width, "warn")
        return
    if free := free_words(reach, dict(pattern.entries)):
        yield from _fact("", f"with {', '.join(free)}", width, "warn")
    if grant.pattern is not None:
        yield from _fact("how wide", limit_text(reach.breadth, pattern), width, token)
    if reach.breadth is Breadth.EVERYTHING:
        yield from _fact("", NOTHING_FIXED, width, "danger")


def _entry(entry: Allowed, name: str, matcher: Matcher, width: int) -> Iterator[Line]:
    words, values = matcher_words(matcher, "entry")
    if not values:
        verb, _, anything = words.partition(" ")
        yield line(_entry_head(name, verb), chunk(anything, "danger", keep=True))
    head = _entry_head(name, words)
    if values and len(_INDENT) + cell_len(f"{name} {words} ") > min(width // 2, _WIDEST_HEAD):
        yield from wrapped(f"{name} {words}", width, "muted", head=chunk(_INDENT))
        head = chunk(f"{_INDENT}  ")
    for value in values:
        shown = entry.masks.mask_value(value, name)
        yield from value_lines(shown, width, head, longest=_LONGEST_DETAIL, indent=_INDENT)


def _entry_head(name: str, word: str) -> Chunk:
    return Chunk(foreign(f"{_INDENT}{name} {word} ").text, "muted", keep=True, most=_WIDEST_HEAD)


# -- rule files --------------------------------------------------------------------------------------------------


def file_row(file: RuleFile, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line]:
    """Return the row of a file: name, directory, number of rules, state."""
    path = Path(file.name)
    name = Chunk(reveal_line(path.name, "path"), "strong", keep=True, most=max(width // 2, 8))
    folder = Chunk(reveal_line(str(path.parent), "path"), "muted", cut="front", enough=0)
    rules = "code of custom tools" if file.code else "" if file.settings is None else _number(len(file.rows))
    state = chunk(f"  {file.state:<{_ANSWER}} ", _STATES[file.state], keep=True)
    return _row((name, chunk("  "), folder), (chunk(f" {rules}", "muted"), state), glyphs, focused=focused)


def file_details(file: RuleFile, width: int) -> Iterator[Line]:
    """Yield everything about a file that is as it was trusted, or cannot be shown."""
    yield from folded(reveal_line(file.name, "path"), width, "strong", head=chunk(" "))
    yield from _in_force(file, width)
    for problem in (*([file.table] if file.table else []), *file.problems):
        yield from _fact("problem", problem, width, "danger")
    if file.code:
        yield from _fact("holds", "code of custom tools: it counts with the settings file beside it", width)
        return
    if file.settings is None:
        return
    answers: Counter[str] = Counter(row.answer or "--" for row in file.rows)
    counts = ", ".join(f"{answers[word]} {label}" for word, label in _ANSWERS.items() if answers[word])
    yield from _fact("rules", f"{len(file.rows)}: {counts}" if file.rows else "none", width)
    mode = file.settings.config.approval_mode
    yield from _fact("mode", _MODES[mode], width, "danger" if mode == "approve_all" else "text")
    for warning in file.warnings:
        yield from _fact("warning", str(warning), width, "warn")
    said = "an agent reads its rules when it starts; after a change, start it again or have it load them"
    yield from _fact("agents", said, width, "muted")


def _in_force(file: RuleFile, width: int) -> Iterator[Line]:
    said = {
        "trusted": "yes, with just this content",
        "CHANGED": "NO: it changed since. Agents that start now refuse it",
        "GONE": "NO: the file is not there any more",
        "BROKEN": "NO: it is not valid. Agents that start now refuse it",
    }[file.state]
    if file.code_differs and file.known.state == "unchanged":
        said = "NO: the code of its custom tools changed since. Agents that start now refuse it"
    yield from _fact("trusted", said, width, _STATES[file.state])


def rule_row(row: FileRule, hits: Hits | None, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line]:
    """Return the row of a rule: number, where, the rule in words, how often it asked or decided, what it does."""
    rule, live = row.rule, row.file.in_force
    token, answer = "text" if live else "closed", rule.answer or "--"
    said = "" if rule.words in _SAID_BY_EFFECT else rule.words.lstrip(_JOINTS)
    section = f"{rule.section:<{_SECTION}} " if width >= _ROOMY else f"{rule.section} "
    left = (
        chunk(f"{row.number:>2}  ", "muted", keep=True),
        chunk(section, "muted", keep=True),
        Chunk(reveal_line(rule.about[:_LONGEST], "arg_value"), token, cut="end", enough=8),
        chunk("  "),
        Chunk(reveal_line(said[:_LONGEST], "arg_value"), "muted", cut="end", enough=0),
    )
    counted = ".." if hits is None else f"{hits.total}x" if hits.total else ""
    right = (
        chunk(f" {counted:>{_USED}}", token, keep=True),
        chunk(f"  {answer:<{_ANSWER}} ", ANSWER_TOKENS.get(answer, "muted") if live else "closed", keep=True),
    )
    return _row(left, right, glyphs, focused=focused)


def rule_details(row: FileRule, hits: Hits | None, looked_at: int, width: int) -> Iterator[Line]:
    """Yield everything about a rule.

    Args:
        row: The rule.
        hits: The calls that it asked about or decided; None while they are not known.
        looked_at: Records of the history that were looked at.
        width: Cells.
    """
    rule, file = row.rule, row.file
    if file.table:
        yield from _fact("problem", file.table, width, "danger")
    about = reveal_line(rule.about[:_LONGEST_DETAIL], "arg_value")
    yield from folded(about, width, "strong", head=chunk(f" {rule.section}  ", "muted"))
    if rule.place:
        yield from folded(reveal_line(rule.place, "path"), width, head=_head("directory"))
    words = rule.words[:_LONGEST_DETAIL].lstrip(_JOINTS)
    yield from _fact("says", words, width, ANSWER_TOKENS.get(rule.answer or "--", "text"))
    at = "" if row.line is None else f", line {row.line}"
    yield from _fact("written", f"{Path(file.name).name}{at}", width)
    yield from _in_force(file, width)
    for warning in row.warnings:
        yield from _fact("warning", str(warning), width, "warn")
    if not rule.told:
        yield from _fact("hits", "requests do not name this rule, so none are counted", width, "muted")
    elif hits is not None:
        asked = f"asked {_times(hits.asked)}" + (f", decided {_times(hits.decided)}" if hits.decided else "")
        yield from _fact("hits", f"{asked}, in the newest {looked_at:,} records of the history", width)


def no_files_row(glyphs: Glyphs, *, focused: bool) -> tuple[Line]:
    """Return the row in the place of rule files where none is trusted."""
    left = (chunk("Rule files", "strong", keep=True), chunk(": none is trusted here", "muted", keep=True))
    return _row(left, (), glyphs, focused=focused)


def no_files_details(width: int) -> list[Line]:
    """Return the explanation that no rule file is trusted, and how one comes here."""
    words = "Each agent's own program decides what it asks; i on a request says why it was asked."
    how = "signoff policy trust FILE shows what a file allows, and lists it here."
    return [*wrapped(words, width, head=chunk(" ")), *wrapped(how, width, "muted", head=chunk(" "))]


# -- parts -------------------------------------------------------------------------------------------------------


def _number(rules: int) -> str:
    return "1 rule" if rules == 1 else f"{rules} rules"


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")


def _fact(name: str, words: str, width: int, token: str = "text") -> list[Line]:
    return wrapped(words, width, token, head=_head(name))


def _head(name: str) -> Chunk:
    return chunk(f" {name:<{_FACT}}", "muted", keep=True)
