"""How rules look: a row in the list, and everything about a file or a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from signoff.present.reveal import reveal_line
from signoff_tui.screens.rules.files import Listed, RuleFile
from signoff_tui.screens.rules.hits import Hits
from signoff_tui.screens.rules.wording import TOKENS, answer_word, fact, fact_name
from signoff_tui.text.lines import Chunk, Line, chunk, folded, fullest, line
from signoff_tui.text.look import Glyphs

__all__ = ["ONE_LINE", "Known", "detail_lines", "heading", "row_lines"]

ONE_LINE = 60
"""From this many cells on, one line is enough for a row."""

_SECTION, _HITS, _ANSWER = 12, 6, 7
_SAID_BY_EFFECT = frozenset({"runs without asking", "asks first", "blocked"})
_JOINTS = ":, "
"""Between the directory of a root and what is said of it; the directory stands elsewhere here."""

_LONGEST = 400
_LONGEST_DETAIL = 20_000
_STATES = {"trusted": "ok", "CHANGED": "danger", "GONE": "danger", "BROKEN": "danger"}
_MODES = {
    None: "not set: as the program or SIGNOFF_MODE says",
    "interactive": "interactive: a person is asked",
    "approve_all": "approve_all: whatever asks is approved",
    "strict": "strict: whatever asks is refused",
}


class Known(Struct, frozen=True):
    """A row of the list, with what else is known of it.

    Attributes:
        row: The row.
        hits: How often the rule asked or decided; None while that is not known, or for a file.
        looked_at: Records of the history that were looked at.
    """

    row: Listed
    hits: Hits | None
    looked_at: int


# -- the list ------------------------------------------------------------------------------------------------


def heading(width: int) -> Line:
    """Names of the columns."""
    right = (chunk(f"{'asked':>{_HITS}}  {'effect':<{_ANSWER}} ", "muted"),)
    if width < ONE_LINE:
        words = chunk("   #  what it is about, and what it says", "muted")
        return fullest([line(words, right=right), line(chunk("   #  rules", "muted"), right=right)], width)
    return line(chunk(f"   #  {'where':<{_SECTION}} rule", "muted"), right=right)


def row_lines(known: Known, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line, ...]:
    """The lines of a row: one, or two where it is narrow."""
    background = "focus-bg" if focused else "background"
    mark = chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True)
    rule = known.row.rule
    if rule is None:
        return _file_row(known.row.file, mark, width, background, focused=focused)
    live = known.row.file.in_force
    token = "text" if live else "closed"
    number = chunk(f"{known.row.number:>2}  ", "muted", keep=True)
    about = Chunk(reveal_line(rule.about[:_LONGEST], "arg_value"), token, cut="end", enough=8)
    said = "" if width >= ONE_LINE and rule.words in _SAID_BY_EFFECT else rule.words.lstrip(_JOINTS)
    words = Chunk(reveal_line(said[:_LONGEST], "arg_value"), "muted", cut="end", enough=0)
    section = chunk(f"{rule.section:<{_SECTION}} ", "muted", keep=True)
    answer = answer_word(rule.answer)
    effect = chunk(f"  {answer:<{_ANSWER}} ", TOKENS.get(answer, "muted") if live else "closed", keep=True)
    hits = chunk(_hits(known.hits).rjust(_HITS), "text", keep=True)
    if width >= ONE_LINE:
        return (Line((mark, number, section, about, chunk("  "), words), (hits, effect), background, focused),)
    indent = chunk(" " * 6, keep=True)
    short = chunk(f"{rule.section} ", "muted", keep=True)
    return (
        Line((mark, number, short, about), (hits, effect), background, focused),
        Line((indent, words), (chunk(" "),), background),
    )


def _file_row(file: RuleFile, mark: Chunk, width: int, background: str, *, focused: bool) -> tuple[Line, ...]:
    path = Path(file.name)
    name = Chunk(reveal_line(path.name, "path"), "strong", keep=True, most=max(width // 2, 8))
    folder = Chunk(reveal_line(str(path.parent), "path"), "muted", cut="front", enough=0)
    state = chunk(f"  {file.state:<{_ANSWER}} ", _STATES[file.state], keep=True)
    if width >= ONE_LINE:
        count = chunk(f" {_counted(file)}", "muted", keep=True)
        return (Line((mark, name, chunk("  "), folder), (count, state), background, focused),)
    return (
        Line((mark, name), (state,), background, focused),
        Line((chunk("  ", keep=True), folder), (chunk(f" {_counted(file)} ", "muted"),), background),
    )


def _counted(file: RuleFile) -> str:
    if file.code:
        return "code of custom tools"
    if file.settings is None:
        return ""
    return "1 rule" if len(file.rows) == 1 else f"{len(file.rows)} rules"


def _hits(hits: Hits | None) -> str:
    if hits is None:
        return ".."
    return f"{hits.total}x" if hits.total else "--"


# -- one of them ---------------------------------------------------------------------------------------------


def detail_lines(known: Known, width: int) -> list[Line]:
    """Everything about a file or a rule.

    Args:
        known: Which, and what is known of it.
        width: Cells.
    """
    table = fact("problem", known.row.file.table, width, "danger") if known.row.file.table else []
    return [*table, *(_rule_lines(known, width) if known.row.number else _file_lines(known.row, width))]


def _rule_lines(known: Known, width: int) -> Iterator[Line]:
    rule, file = known.row.rule, known.row.file
    assert rule is not None
    about = reveal_line(rule.about[:_LONGEST_DETAIL], "arg_value")
    yield from folded(about, width, "strong", head=chunk(f" {rule.section}  ", "muted"))
    yield Line()
    if rule.place:
        yield from folded(reveal_line(rule.place, "path"), width, head=fact_name("directory"))
    words = rule.words[:_LONGEST_DETAIL].lstrip(_JOINTS)
    yield from fact("says", words, width, TOKENS.get(answer_word(rule.answer), "text"))
    at = "" if known.row.line is None else f", line {known.row.line}"
    yield from fact("written", f"{Path(file.name).name}{at}", width)
    yield from _in_force(file, width)
    yield from _warnings(known.row, width)
    yield from _history(known, rule.told, width)


def _history(known: Known, told: Sequence[str], width: int) -> Iterator[Line]:
    hits = known.hits
    if not told:
        yield from fact("history", "requests do not name this rule, so nothing is counted", width, "muted")
        return
    if hits is None:
        yield from fact("history", "counting ...", width, "muted")
        return
    records = f"{known.looked_at:,} records"
    yield from fact("asked", f"{_times(hits.asked)} among the newest {records} of the history", width)
    if hits.decided:
        yield from fact("decided", _times(hits.decided), width)
    said = "counted by its name; what runs or is blocked without asking is not recorded"
    yield from fact("", said, width, "muted")


def _warnings(row: Listed, width: int) -> Iterator[Line]:
    for warning in row.warnings:
        yield from fact("warning", str(warning), width, "warn")


def _file_lines(row: Listed, width: int) -> Iterator[Line]:
    file = row.file
    yield from folded(reveal_line(file.name, "path"), width, "strong", head=chunk(" "))
    yield Line()
    yield from _in_force(file, width)
    for problem in file.problems:
        yield from fact("problem", problem, width, "danger")
    if file.code:
        said = "code of custom tools: it counts with the settings file beside it"
        yield from fact("holds", said, width)
        return
    if file.settings is None:
        return
    answers = Counter(answer_word(row.answer) for row in file.rows)
    counts = ", ".join(f"{answers[word]} {label}" for word, label in _LABELS.items() if answers[word])
    yield from fact("rules", f"{len(file.rows)}: {counts}" if file.rows else "none", width)
    mode = file.settings.config.approval_mode
    yield from fact("mode", _MODES[mode], width, "danger" if mode == "approve_all" else "text")
    yield from _warnings(row, width)
    yield Line()
    said = "an agent reads its rules when it starts; after a change, start it again or have it load them"
    yield from fact("agents", said, width, "muted")


_LABELS = {"runs": "let calls run", "asks": "ask", "blocked": "block", "unclear": "unclear", "--": "other"}


def _in_force(file: RuleFile, width: int) -> Iterator[Line]:
    said = {
        "trusted": "yes, with just this content",
        "CHANGED": "NO: it changed since. Agents that start now refuse it. T shows what changed",
        "GONE": "NO: the file is not there any more. It can be taken off the list",
        "BROKEN": "NO: it is not valid. Agents that start now refuse it. e opens it",
    }[file.state]
    if file.code_differs and file.known.state == "unchanged":
        said = "NO: the code of its custom tools changed since. Agents that start now refuse it. T shows it"
    yield from fact("trusted", said, width, _STATES[file.state])


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")
