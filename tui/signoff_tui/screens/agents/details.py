"""Everything that the queue knows about one agent, beside or below the list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from signoff.present.subject import SERVER_SIGN
from signoff.queue import StoredRequest
from signoff.text.time import age_text, length_text, local_time, when_text
from signoff_tui.screens.agents.figures import HOUR_US, Answered, Figures
from signoff_tui.screens.agents.known import Known
from signoff_tui.screens.agents.roster import Agent, Remembered
from signoff_tui.screens.agents.wording import LONGEST, MODE_WORDS, number_text
from signoff_tui.text.lines import Chunk, Line, chunk, folded, foreign, line, wrapped
from signoff_tui.text.summary import summarize

__all__ = ["detail_lines"]

FEW = 3
"""So many of each kind are told one by one; of the others, how many there are."""

MANY = 8
"""The same where there is room."""

_NAME = 10
_SCROLLBAR = 1

_COLUMNS: tuple[tuple[Answered, str], ...] = (
    ("you", "yes by you"),
    ("auto", "auto"),
    ("rejected", "no"),
    ("other", "other"),
)


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
    if agent.mode in MODE_WORDS:
        words = MODE_WORDS[agent.mode] if agent.ended_at is None else f"{agent.mode}, until it ended"
        lines += _fact("mode", words, width, "danger" if agent.ended_at is None else "text")
    if known.muted_until is not None:
        words = (
            f"until {local_time(known.muted_until, 'minute')}: only HIGH risk of it calls; all it asks is listed"
        )
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
    name, session = (foreign(words[:LONGEST]) for words in (agent.key.name, agent.key.session))
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
    ended = "it lost its connection" if left.cut_off else "it closed its connection"
    how = "its process ended" if left.died else ended
    most = " at least" * left.more
    return (
        f"{words}: {how} while it waited, {number_text(left.number, 'request')}{most} can no longer be answered;"
        " Enter shows the history"
    )


def _request_row(request: StoredRequest) -> Sequence[Chunk]:
    summary = summarize(request)
    return (chunk(f"{summary.letter} ", "muted", keep=True), summary.shown())


def _connections(agent: Agent, now: int, width: int, most: int) -> list[Line]:
    told = agent.connected or (agent.newest,)
    lines: list[Line] = []
    if len(told) > 1:
        lines += _fact("process", f"{len(told)} connections of this name and session:", width)
    for record in told[:most]:
        ended = "" if record.ended_at is None else f", ended {when_text(record.ended_at, now)}"
        times = f"started {when_text(record.started_at, now)}{ended}"
        program = "" if record.program in ("", record.name) else f", in {record.program}"
        words = f"pid {record.pid} on {record.host}, {times}, via {record.via}{program}"
        lines += _fact("" if lines else "process", words, width)
    rest = len(told) - most
    if rest > 0:
        lines += _fact("", f"and {number_text(rest, 'connection')} more", width, "warn")
    earlier = len(agent.connections) - len(told)
    if earlier:
        lines += _fact("", f"and {number_text(earlier, 'connection')} that ended earlier", width, "muted")
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
        f"{number_text(asked, 'time')} in the last hour" if asked else "not in the last hour",
        f"last {when_text(last, known.now)}" if last is not None else "",
        f"median wait for you {length_text(int(median_wait * 1e6))}" if median_wait is not None else "",
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
        what = "a pattern, M shows what it covers"
    elif masks is None:
        what = f"{', '.join(sorted(grant.payload))} (values not shown: its request is not stored)"
    else:
        values = sorted(masks.mask_value(dict(grant.payload)).items())
        what = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in values)
        what = masks.mask_text(what or "without arguments", command=True).text
    more = f" ... and {len(what) - LONGEST} characters more" if len(what) > LONGEST else ""
    server = "" if grant.server is None else f"{grant.server[:LONGEST]}{SERVER_SIGN}"
    return f"{server}{grant.tool_name[:LONGEST]}: {what[:LONGEST]}{more}, used {grant.uses}x"


def _counted(words: str, number: int) -> Sequence[Chunk]:
    return (Chunk(foreign(words[:LONGEST]).text, cut="end"), chunk(f"  {number}x", "muted", keep=True))


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
