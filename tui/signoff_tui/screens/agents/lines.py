"""How agents look: a row in the list, and everything that is known about one."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from signoff.queue import AgentMode, StoredRequest
from signoff_tui.ages import age_text, length_text
from signoff_tui.lines import Chunk, Line, chunk, folded, foreign, fullest, line, wrapped
from signoff_tui.look import Glyphs
from signoff_tui.muting import end_text
from signoff_tui.screens.agents.figures import HOUR_US, Answered, Figures
from signoff_tui.screens.agents.roster import Agent, Remembered
from signoff_tui.summary import clock_text, summarize

__all__ = ["Columns", "Known", "ages", "columns_for", "detail_lines", "heading", "row_lines"]

_ONE_LINE = 79
"""From this many cells on, one line is enough for a row without columns that not everybody needs."""

FEW = 3
"""So many of each kind are told one by one; of the others, how many there are."""

MANY = 8
"""The same where there is room."""

_STATE, _WAITING, _OLDEST, _MUTED, _MODE = 16, 8, 7, 13, 12
_YES, _AUTO, _NO, _OTHER = 10, 5, 4, 6
_YES_BY_YOU = 18
"""The same, where there is room to say whose yes is counted."""

_SHORTEST_NAME, _NAME = 10, 10
_SCROLLBAR = 1
_LONGEST = 300

_SECOND_LINE = "; waiting, and the last hour"

_ROOMY = 56
"""From this many cells on, the age of the oldest is called so."""

_MODES = {
    AgentMode.INTERACTIVE: ("ask", "text"),
    AgentMode.APPROVE_ALL: ("approve_all", "danger"),
    AgentMode.STRICT: ("strict", "danger"),
    None: ("--", "muted"),
}

_MODE_WORDS = {
    AgentMode.APPROVE_ALL: "approve_all: everything is approved without you",
    AgentMode.STRICT: "strict: everything is refused without you",
}

_COLUMNS: tuple[tuple[Answered, str], ...] = (
    ("you", "yes by you"),
    ("auto", "auto"),
    ("rejected", "no"),
    ("other", "other"),
)


class Known(Struct, frozen=True):
    """All that is known about one agent now.

    Attributes:
        agent: Its connections.
        waiting: What waits of it, oldest first.
        figures: Its last hour.
        grants: What is remembered for its session.
        now: Wall clock, microseconds since the epoch.
        muted_until: Until when notices about it are held back; None if they are not.
    """

    agent: Agent
    waiting: Sequence[StoredRequest]
    figures: Figures
    grants: Sequence[Remembered]
    now: int
    muted_until: int | None = None

    @property
    def state(self) -> tuple[str, str]:
        """How it is, in words, and the style of the words."""
        if self.waiting:
            return "blocked on you", "warn"
        ended_at = self.agent.ended_at
        if ended_at is None:
            return "connected", "text"
        ago = age_text((self.now - ended_at) / 1e6)
        return (f"gone {ago} ago", "danger") if self.agent.left.number else (f"ended {ago} ago", "closed")

    @property
    def waited(self) -> float | None:
        """Seconds that the oldest of what waits has waited."""
        oldest = min((request.created_at for request in self.waiting), default=None)
        return None if oldest is None else (self.now - oldest) / 1e6


def ages(known: Known) -> Sequence[float]:
    """The times of a row that go on while they are shown, in seconds."""
    ended_at = known.agent.ended_at
    ended = [] if ended_at is None else [(known.now - ended_at) / 1e6]
    return ended if known.waited is None else [*ended, known.waited]


# -- rows ------------------------------------------------------------------------------------------------------


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
    loud = any(agent.mode in _MODE_WORDS and agent.ended_at is None for agent in agents)
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
    until = "" if known.muted_until is None else end_text(known.muted_until)
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
            *([chunk(f" {mode} ", mode_token, keep=True)] if agent.mode in _MODE_WORDS else []),
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
        f"1h: {_number(figures.calls, 'call')}",
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
    return Chunk(foreign(text[:_LONGEST]).text, keep=True, most=width, least=width)


def _cell(words: str, width: int, token: str = "text") -> Chunk:
    return Chunk(chunk(words).text, token, keep=True, most=width, least=width)


def _right(number: int, width: int) -> Chunk:
    return chunk(str(number).rjust(width), "text" if number else "muted", keep=True)


# -- everything about one --------------------------------------------------------------------------------------


def detail_lines(known: Known, width: int, *, roomy: bool) -> list[Line]:
    """All that the queue knows about an agent. What is not told one by one is counted.

    Args:
        known: The agent.
        width: Cells.
        roomy: Whether there is room for more than a few of each kind.
    """
    agent, most = known.agent, MANY if roomy else FEW
    record = agent.newest
    lines = _named(agent, width)
    lines += _fact("state", _state_words(known), width, known.state[1])
    if agent.mode in _MODE_WORDS:
        words = _MODE_WORDS[agent.mode] if agent.ended_at is None else f"{agent.mode}, until it ended"
        lines += _fact("mode", words, width, "danger" if agent.ended_at is None else "text")
    if known.muted_until is not None:
        words = f"until {end_text(known.muted_until)}: only HIGH risk of it calls; all it asks is listed"
        lines += _fact("muted", words, width)
    lines += _listed("waits", [_request_row(request) for request in known.waiting], most)
    if record.damage is not None:
        lines += _fact("damaged", record.damage, width, "danger")
    lines += _connections(agent, known.now, width, most)
    lines += _fact("cwd", record.cwd, width)
    lines += _fact("asked", _asked(known), width)
    lines += _fact("answers", _answers(known.figures), width)
    lines += _memory(known.grants, width, most)
    lines += _listed("rules", [_counted(*each) for each in known.figures.rules.most_common()], most)
    return lines


def _named(agent: Agent, width: int) -> list[Line]:
    """Name and session on one line, or each on as many lines as it needs."""
    name, session = (foreign(words[:_LONGEST]) for words in (agent.key.name, agent.key.session))
    whole = line(chunk(" "), replace(name, token="strong"), chunk("  session ", "muted", keep=True), session)
    if whole.width <= width - _SCROLLBAR:
        return [whole]
    return [
        *folded(name.text, width - _SCROLLBAR, "strong", head=chunk(" ", keep=True)),
        *folded(session.text, width - _SCROLLBAR, head=_head("session")),
    ]


def _state_words(known: Known) -> str:
    words, agent = known.state[0], known.agent
    if known.waiting:
        age, number = age_text(known.waited or 0.0), len(known.waiting)
        return f"{words}: {number} wait, the oldest for {age}" if number > 1 else f"{words}: 1 waits, for {age}"
    if agent.ended_at is None:
        return f"{words}: nothing of it waits"
    left = agent.left
    if left.stopped_at is not None:
        words = f"{words}; stopped by you {when_text(left.stopped_at, known.now)}"
    if not left.number:
        return words  # what it withdrew itself before it ended is not counted, so not that nothing waited
    how = "its process ended" if left.died else "it closed its connection"
    most = " at least" * left.more
    return (
        f"{words}: {how} while it waited, {_number(left.number, 'request')}{most} can no longer be answered;"
        " [Enter] shows the history"
    )


def _request_row(request: StoredRequest) -> Sequence[Chunk]:
    summary = summarize(request)
    return (chunk(f"{summary.kind} ", "muted", keep=True), summary.shown())


def _connections(agent: Agent, now: int, width: int, most: int) -> list[Line]:
    told = agent.connected or (agent.newest,)
    lines: list[Line] = []
    if len(told) > 1:
        lines += _fact("process", f"{len(told)} connections of this name and session:", width)
    for record in told[:most]:
        ended = "" if record.ended_at is None else f", ended {when_text(record.ended_at, now)}"
        times = f"started {when_text(record.started_at, now)}{ended}"
        words = f"pid {record.pid} on {record.host}, {times}, via {record.via}"
        lines += _fact("" if lines else "process", words, width)
    rest = len(told) - most
    if rest > 0:
        lines += _fact("", f"and {_number(rest, 'connection')} more", width, "warn")
    earlier = len(agent.connections) - len(told)
    if earlier:
        lines += _fact("", f"and {_number(earlier, 'connection')} that ended earlier", width, "muted")
    return lines


def _asked(known: Known) -> str:
    figures = known.figures
    hour = [request for request in known.waiting if known.now - request.created_at <= HOUR_US]
    asked = len(figures.requests | {request.id for request in hour})
    last = max(
        [*([figures.last_asked] if figures.last_asked else []), *(each.created_at for each in known.waiting)],
        default=None,
    )
    median_wait = figures.median_wait
    parts = [
        f"{_number(asked, 'time')} in the last hour" if asked else "not in the last hour",
        f"last {when_text(last, known.now)}" if last is not None else "",
        f"median wait for you {length_text(median_wait)}" if median_wait is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def _answers(figures: Figures) -> str:
    told = [_answered(figures, column, words) for column, words in _COLUMNS if figures.columns[column]]
    return ", ".join(told) or "none in the last hour"


def _answered(figures: Figures, column: Answered, words: str) -> str:
    how = figures.how.get(column, Counter())
    parts = [f"{number} {what}" for what, number in how.most_common(FEW)]
    rest = how.total() - sum(number for _, number in how.most_common(FEW))
    parts += [f"{rest} in other ways"] if rest else []
    return f"{figures.columns[column]} {words}" + (f" ({', '.join(parts)})" if parts else "")


def _memory(grants: Sequence[Remembered], width: int, most: int) -> list[Line]:
    if not grants:
        return _fact("memory", "nothing is remembered for its session", width, "muted")
    shown = grants if len(grants) <= most + 1 else grants[:most]
    lines = [
        row for at, grant in enumerate(shown) for row in _fact("" if at else "memory", _granted(grant), width)
    ]
    rest = len(grants) - len(shown)
    return [*lines, *(_fact("", f"and {rest} more", width, "warn") if rest else ())]


def _granted(remembered: Remembered) -> str:
    """What is remembered, without its secrets; patterns are told in full on the memory screen."""
    grant, masks = remembered.grant, remembered.masks
    if grant.damage is not None:
        what = "a damaged record, it covers nothing"
    elif grant.pattern is not None:
        what = "a pattern, [M] shows what it covers"
    elif masks is None:
        what = f"{', '.join(sorted(grant.payload))} (values not shown: its request is not stored)"
    else:
        values = sorted(masks.mask_value(dict(grant.payload)).items())
        what = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in values)
        what = masks.mask_text(what or "without arguments", command=True).text
    more = f" ... and {len(what) - _LONGEST} characters more" if len(what) > _LONGEST else ""
    return f"{grant.tool_name[:_LONGEST]}: {what[:_LONGEST]}{more}, used {grant.uses}x"


def _counted(words: str, number: int) -> Sequence[Chunk]:
    return (Chunk(foreign(words[:_LONGEST]).text, cut="end"), chunk(f"  {number}x", "muted", keep=True))


def _listed(name: str, rows: Sequence[Sequence[Chunk]], most: int) -> list[Line]:
    """The first few, one on each line, and how many more there are."""
    shown = rows if len(rows) <= most + 1 else rows[:most]
    lines = [line(_head("" if index else name), *row) for index, row in enumerate(shown)]
    if len(shown) < len(rows):
        lines.append(line(_head(""), chunk(f"and {len(rows) - len(shown)} more", "warn")))
    return lines


def _fact(name: str, words: str, width: int, token: str = "text") -> list[Line]:
    return wrapped(words[:2_000], width, token, head=_head(name))


def _head(name: str) -> Chunk:
    return chunk(f" {name:<{_NAME}}", "muted", keep=True)


def _number(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def when_text(at: int, now: int) -> str:
    """Time of day of what was today, else the date as well."""
    day, today = (dt.datetime.fromtimestamp(each / 1e6, tz=dt.UTC).astimezone().date() for each in (at, now))
    return clock_text(at) if day == today else f"{day:%Y-%m-%d} {clock_text(at)[:5]}"
