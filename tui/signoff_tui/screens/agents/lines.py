"""How agents look in the list: a row for each, and the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff.queue import AgentMode
from signoff.text.time import age_text, local_time
from signoff_tui.screens.agents.figures import Figures
from signoff_tui.screens.agents.known import Known
from signoff_tui.screens.agents.roster import Agent
from signoff_tui.screens.agents.wording import LONGEST, MODE_WORDS, number_text
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line
from signoff_tui.text.look import Glyphs

__all__ = ["Columns", "columns_for", "heading", "row_lines"]

_ONE_LINE = 79
"""From this many cells on, one line is enough for a row without columns that not everybody needs."""

_STATE, _WAITING, _OLDEST, _MUTED, _MODE = 16, 8, 7, 13, 12
_YES, _AUTO, _NO, _OTHER = 10, 5, 4, 6
_YES_BY_YOU = 18
"""The same, where there is room to say whose yes is counted."""

_SHORTEST_NAME = 10

_SECOND_LINE = "; waiting, and the last hour"

_ROOMY = 56
"""From this many cells on, the age of the oldest is called so."""

_MODES = {
    AgentMode.INTERACTIVE: ("ask", "text"),
    AgentMode.APPROVE_ALL: ("approve_all", "danger"),
    AgentMode.STRICT: ("strict", "danger"),
    None: ("--", "muted"),
}


class Columns(Struct, frozen=True):
    """Which columns a row has.

    Attributes:
        one_line: Whether one line is enough for a row; else it has two, without columns.
        muted: Whether it is said until when somebody is muted.
        mode: Whether it is said how each answers.
        whose: Whether it is said whose yes is counted.
    """

    one_line: bool
    muted: bool
    mode: bool
    whose: bool = False

    @property
    def yes(self) -> int:
        """Cells for the number of approvals."""
        return _YES_BY_YOU if self.whose else _YES


def columns_for(width: int, agents: Sequence[Agent], *, muted: bool) -> Columns:
    """The columns for a list. How each answers is always said if one that is there asks nobody.

    Args:
        width: Cells.
        agents: Those in the list.
        muted: Whether one of them is muted.
    """
    needed = _ONE_LINE + (_MUTED if muted else 0)
    loud = any(agent.mode in MODE_WORDS and agent.ended_at is None for agent in agents)
    mode = loud or width >= needed + _MODE
    needed += _MODE if mode else 0
    return Columns(width >= needed, muted, mode, whose=width >= needed + _YES_BY_YOU - _YES)


def heading(width: int, columns: Columns) -> Line:
    """Names of the columns.

    Args:
        width: Cells.
        columns: Which there are.
    """
    if not columns.one_line:
        state = (chunk(" state ", "muted", keep=True),)
        wordings = [Line((chunk(f"  agent, session{rest}", "muted"),), state) for rest in (_SECOND_LINE, "")]
        return fullest(wordings, width)
    cells = (
        _cell("state", _STATE, "muted"),
        *([_cell("mode", _MODE, "muted")] if columns.mode else []),
        *([_cell("muted until", _MUTED, "muted")] if columns.muted else []),
        chunk("waiting".rjust(_WAITING), "muted", keep=True),
        chunk("oldest".rjust(_OLDEST), "muted", keep=True),
        chunk(("1h: yes by you" if columns.whose else "1h: yes").rjust(columns.yes), "muted", keep=True),
        chunk("auto".rjust(_AUTO), "muted", keep=True),
        chunk("no".rjust(_NO), "muted", keep=True),
        chunk("other".rjust(_OTHER), "muted", keep=True),
    )
    name, session = _name_and_session(width, columns)
    return line(chunk("  "), _cell("agent", name, "muted"), _cell("session", session, "muted"), *cells)


def row_lines(known: Known, columns: Columns, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line, ...]:
    """The lines of a row: one, or two where it is narrow.

    Args:
        known: The agent.
        columns: Which there are.
        glyphs: Signs of this run.
        width: Cells.
        focused: Whether the cursor is on it.
    """
    agent, (state, token) = known.agent, known.state
    background = "focus-bg" if focused else "background"
    mark = chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True)
    number = len(agent.connected)
    times = f" {number}x" if number > 1 else ""
    answered = known.figures.columns
    mode, mode_token = _MODES[agent.mode]
    waiting, waiting_token = _waiting(known)
    oldest = "--" if known.waited is None else age_text(known.waited)
    until = "" if known.muted_until is None else local_time(known.muted_until, "minute")
    if columns.one_line:
        name, session = _name_and_session(width, columns)
        figures = (
            _right(answered["you"], columns.yes),
            _right(answered["auto"], _AUTO),
            _right(answered["rejected"], _NO),
            _right(answered["other"], _OTHER),
        )
        left = (
            mark,
            _foreign_cell(agent.key.name, name - len(times) - 1),
            chunk(f"{times} ", "muted", keep=True),
            _foreign_cell(agent.key.session, session - 1),
            chunk(" ", keep=True),
            _cell(state, _STATE, token),
            *([_cell(mode, _MODE, mode_token)] if columns.mode else []),
            *([_cell(until, _MUTED)] if columns.muted else []),
            chunk(waiting.rjust(_WAITING), waiting_token, keep=True),
            chunk(oldest.rjust(_OLDEST), "text" if known.waiting else "muted", keep=True),
        )
        return (Line((*left, *figures), (chunk(" "),), background, focused),)
    first = Line(
        (
            mark,
            foreign(agent.key.name),
            chunk(f"{times}  ", "muted", keep=True),
            foreign(agent.key.session, "muted"),
        ),
        (
            *([chunk(f" {mode} ", mode_token, keep=True)] if agent.mode in MODE_WORDS else []),
            chunk(f" {state} ", token, keep=True),
        ),
        background,
        focused,
    )
    words = waiting if agent.left.number and not known.waiting else f"{waiting} waiting"
    age = f", oldest {oldest}" if known.waiting and width >= _ROOMY else f" {oldest}" if known.waiting else ""
    age += f", muted until {until}" if until else ""
    last_hour = _hour_words(known.figures, width - len(words) - len(age) - 6)
    second = Line(
        (chunk(f"    {words}{age}", waiting_token, keep=True),), (chunk(f"{last_hour} ", "muted"),), background
    )
    return (first, second)


def _waiting(known: Known) -> tuple[str, str]:
    if known.waiting:
        return str(len(known.waiting)), "text"
    left = known.agent.left
    if left.number:
        return f"{left.number}{'+' if left.more else ''} lost", "danger"
    return "0", "muted"


def _hour_words(figures: Figures, room: int) -> str:
    columns = figures.columns
    wordings = (
        f"1h: {columns['you']} yes, {columns['auto']} auto, {columns['rejected']} no, {columns['other']} other",
        f"1h: {columns['you']} yes {columns['auto']} auto {columns['rejected']} no {columns['other']} other",
        f"1h: {number_text(figures.calls, 'call')}",
    )
    return next((words for words in wordings if len(words) <= room), wordings[-1])


def _name_and_session(width: int, columns: Columns) -> tuple[int, int]:
    """Cells for the name, and for the session."""
    fixed = 2 + _STATE + _WAITING + _OLDEST + columns.yes + _AUTO + _NO + _OTHER + 1
    some = (_MUTED if columns.muted else 0) + (_MODE if columns.mode else 0)
    both = max(width - fixed - some, _SHORTEST_NAME * 2)
    session = max(both // 3, 8)
    return both - session, session


def _foreign_cell(text: str, width: int) -> Chunk:
    return Chunk(foreign(text[:LONGEST]).text, keep=True, most=width, least=width)


def _cell(words: str, width: int, token: str = "text") -> Chunk:
    return Chunk(chunk(words).text, token, keep=True, most=width, least=width)


def _right(number: int, width: int) -> Chunk:
    return chunk(str(number).rjust(width), "text" if number else "muted", keep=True)
