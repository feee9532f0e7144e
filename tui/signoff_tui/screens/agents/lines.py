"""The lines about agents: a row in the list, everything about one, and the question before one is stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from signoff.present.reveal import SafeText
from signoff.queue import AgentMode, StoredRequest
from signoff.queue.records import VIA_HOOK
from signoff.text.time import age_text, local_time, when_text
from signoff_tui.screens.agents.last_hour import Outcome, last_hour_text
from signoff_tui.screens.agents.roster import MOST_LEFT, Agent
from signoff_tui.screens.review.names import listed
from signoff_tui.text.bars import key_chunks, whole_words
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, line, wrapped
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import summarize

__all__ = [
    "KnownAgent",
    "agent_details",
    "agent_row",
    "cells_of_name",
    "list_heading",
    "nobody_lines",
    "note_lines",
    "stop_question",
]

_STATE, _WAITING, _HOUR, _FEW_WORDS = 22, 8, 24, 11
_LEAST_NAME, _MOST_NAME = 10, 56
_TOLD_SESSION = 8
"""So many characters at the end of a session tell it apart."""
_FACT = 10

MOST_NAMED = 12
"""Requests that are named one by one; of the others, how many there are."""

LONGEST = 300
"""Most characters that are told of what somebody else wrote."""

_MODES = {
    AgentMode.APPROVE_ALL: "approve_all: everything is approved without you",
    AgentMode.STRICT: "strict: everything is refused without you",
}


_NOT_TRUSTED = (
    "it did not trust your key when it asked: what you approve does not run; where it runs, give signoff reviewers"
    " trust the line that signoff reviewers show prints here"
)


class KnownAgent(Struct, frozen=True):
    """An agent, with all that is known about it now.

    Attributes:
        agent: Its connections.
        waiting: Its waiting requests.
        hour: Number of its requests in the last hour, by outcome.
        now: Wall clock, microseconds since the epoch.
        allowed: Number of grants in force for its session.
        muted_until: Time until which notices about it are held back; None if they are not.
        believes: False if it does not trust the key of this reviewer.
        namesake: True if another agent of this name is listed, so that only the session tells them apart.
    """

    agent: Agent
    waiting: Sequence[StoredRequest]
    hour: Mapping[Outcome, int]
    now: int
    allowed: int = 0
    muted_until: int | None = None
    believes: bool = True
    namesake: bool = False

    @property
    def state(self) -> tuple[str, str]:
        """The state in words, and the style of the words."""
        if self.waiting:
            return f"waiting for you {age_text(self.ages[0])}", "warn"
        exited_at = self.agent.exited_at
        if exited_at is None:
            return "working", "text"
        ended = when_text(exited_at, self.now, "short")
        if self.agent.newest.via.endswith(VIA_HOOK) and not self.agent.withdrawn:
            return f"last asked {ended}", "muted"  # each call is asked by a process of its own
        return f"exited {ended}", "danger" if self.agent.withdrawn else "closed"

    @property
    def ages(self) -> Sequence[float]:
        """The times of its row that go on while they are shown, in seconds."""
        oldest = min((request.created_at for request in self.waiting), default=None)
        return [] if oldest is None else [(self.now - oldest) / 1e6]


# -- the list ------------------------------------------------------------------------------------------------


def cells_of_name(known: KnownAgent) -> int:
    """Return the cells that the name of an agent takes in its row, with the session that tells it apart."""
    return Chunk(_name(known)).width + Chunk(_session(known)).width + 1


def _name(known: KnownAgent) -> SafeText:
    return foreign(known.agent.key.name[:LONGEST]).text


def _session(known: KnownAgent) -> SafeText:
    return foreign(f" {known.agent.key.session[-_TOLD_SESSION:]}" if known.namesake else "").text


def list_heading(width: int, longest: int) -> Line:
    """Return the names of the columns.

    Args:
        width: Cells.
        longest: Cells of the longest name in the list, of `cells_of_name`.
    """
    name, hour = _rooms(width, longest)
    columns = (_cell("state", _STATE, "muted"), _right("waiting", "muted"))
    told = (chunk("  last hour", "muted", keep=True),) if hour >= len("last hour") else ()
    return line(chunk("  "), _cell("agent", name, "muted"), *columns, *told)


def agent_row(known: KnownAgent, glyphs: Glyphs, width: int, longest: int, *, focused: bool) -> tuple[Line]:
    """Return the row of an agent.

    Args:
        known: The agent.
        glyphs: Signs of this run.
        width: Cells.
        longest: As for `list_heading`.
        focused: True if the cursor is on it.
    """
    agent, (state, token) = known.agent, known.state
    mode = agent.unusual_mode
    right = (
        *([chunk(f" {mode}", "danger", keep=True)] if mode is not None else []),
        *([] if known.believes else [chunk(" key not trusted", "danger", keep=True)]),
        *([chunk(" muted", "muted", keep=True)] if known.muted_until is not None else []),
    )
    room, hour = _rooms(width - sum(piece.width for piece in right), longest)
    told = whole_words(last_hour_text(known.hour), hour)
    style = "closed" if token == "closed" else "text"
    session = Chunk(_session(known), style)
    name = Chunk(_name(known), style, keep=True, most=room - 1 - session.width, cut="end")
    left = (
        chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True),
        name,
        Chunk(session.text, style, keep=True, least=room - name.width),
        _cell(state, _STATE, token),
        _right(str(len(known.waiting)) if known.waiting else "", "text"),
        chunk(f"  {told}", "muted", keep=True),
    )
    return (Line(left, right, "focus-bg" if focused else "background", focused),)


def note_lines(hidden: int, counted: int | None) -> list[Line]:
    """Return the lines about what is left out of the list and of the last hour.

    Args:
        hidden: Number of agents that exited too long ago.
        counted: Number of records of the last hour that are counted, if there were more.
    """
    older = f" {_number(hidden, 'agent')} that exited over 24 h ago not listed"
    hour = f" last hour: only the newest {counted} are counted"
    return [
        *([line(Chunk(chunk(older).text, "muted", cut="end"))] if hidden else []),
        *([line(Chunk(chunk(hour).text, "warn", cut="end"))] if counted is not None else []),
    ]


def nobody_lines(problem: str, width: int, *, read: bool) -> list[Line]:
    """Return the words in the place of an empty list."""
    if problem:
        return [Line(), *wrapped(problem, width, "danger", head=chunk("   "))]
    if not read:
        return [Line(), line(chunk("   reading who is there ...", "muted"))]
    nobody = wrapped("No agent was connected in the last 24 hours.", width, "strong", head=chunk("   "))
    how = wrapped("Agents appear here when they open the queue.", width, "muted", head=chunk("   "))
    return [Line(), *nobody, *how]


def _rooms(width: int, longest: int) -> tuple[int, int]:
    """Return the cells of the name, and what is left for the last hour, which gives way to long names."""
    free = width - 2 - _STATE - _WAITING - 2
    hour = next((each for each in (_HOUR, _FEW_WORDS) if free - each >= min(longest, _MOST_NAME)), _FEW_WORDS)
    if free - hour < _LEAST_NAME:
        return min(free, _MOST_NAME), 0
    name = min(free - hour, _MOST_NAME)
    return name, free - name


def _cell(words: str, width: int, token: str) -> Chunk:
    return Chunk(chunk(words).text, token, keep=True, most=width, least=width)


def _right(words: str, token: str) -> Chunk:
    return chunk(words.rjust(_WAITING), token, keep=True)


# -- one of them ---------------------------------------------------------------------------------------------


def agent_details(known: KnownAgent, width: int) -> list[Line]:
    """Return everything about an agent, but what the history says of it.

    Args:
        known: The agent.
        width: Cells.
    """
    agent, record = known.agent, known.agent.newest
    lines = wrapped(agent.key.name[:LONGEST], width, "strong", head=chunk(" "))
    lines += _fact("session", agent.key.session[:LONGEST], width)
    lines += _fact("state", _state_words(known), width, known.state[1])
    if agent.unusual_mode is not None:
        lines += _fact("mode", _MODES[agent.unusual_mode], width, "danger")
    if not known.believes:
        lines += _fact("trust", _NOT_TRUSTED, width, "danger")
    if known.muted_until is not None:
        until = local_time(known.muted_until, "minute")
        lines += _fact("muted", f"until {until}: no notices about it, but for HIGH", width)
    lines += _waiting_lines(known.waiting)
    lines += _fact("last hour", last_hour_text(known.hour) or "nothing ended", width)
    allowed = f"{known.allowed} for its session; the rules list them" if known.allowed else "nothing"
    lines += _fact("allowed", allowed, width)
    if record.damage is not None:
        lines += _fact("damaged", record.damage, width, "danger")
    lines += _fact("directory", record.cwd, width)
    shown = (agent.connected or (record,))[:MOST_NAMED]
    for number, each in enumerate(shown):
        program = "" if each.program in ("", each.name) else f", in {each.program}"
        began = when_text(each.started_at, known.now)
        words = f"{each.pid} on {each.host}, since {began}, via {each.via}{program}"
        lines += _fact("" if number else "process", words, width)
    rest = len(agent.connected) - len(shown)
    return [*lines, *(_fact("", f"and {_number(rest, 'connection')} more", width, "warn") if rest > 0 else [])]


def _state_words(known: KnownAgent) -> str:
    words, withdrawn = known.state[0], known.agent.withdrawn
    if known.waiting or not withdrawn:
        return words
    least = " at least" if withdrawn == MOST_LEFT else ""
    return f"{words}; {_number(withdrawn, 'request')}{least} withdrawn"


def _waiting_lines(requests: Sequence[StoredRequest]) -> list[Line]:
    """The waiting requests: the agent's own, and then those of each sub-agent below its name."""
    ordered = sorted(requests, key=_sub_agent)  # of one sub-agent they stay in their order
    shown = ordered if len(ordered) <= MOST_NAMED + 1 else ordered[:MOST_NAMED]
    lines: list[Line] = []
    for name, of_it in groupby(shown, _sub_agent):
        if name:
            lines.append(line(_head("" if lines else "waits"), foreign(name[:LONGEST], "strong")))
        for request in of_it:
            summary = summarize(request)
            letter = chunk(f"{'  ' if name else ''}{summary.letter} ", "muted")
            lines.append(line(_head("" if lines else "waits"), letter, summary.shown()))
    rest = len(requests) - len(shown)
    return [*lines, *([line(_head(""), chunk(f"and {rest} more", "warn"))] if rest else [])]


def _sub_agent(request: StoredRequest) -> str:
    asked = request.asked_by
    return "" if asked.caller == asked.name else asked.caller


def _number(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _fact(name: str, words: str, width: int, token: str = "text") -> list[Line]:
    return wrapped(words[:2_000], width, token, head=_head(name))


def _head(name: str) -> Chunk:
    return chunk(f" {name:<{_FACT}}", "muted", keep=True)


# -- stopping one --------------------------------------------------------------------------------------------


def stop_question(
    who: str, names: Sequence[str], width: int, rows: int, *, hidden: int, confirm: str, armed: bool
) -> Sequence[Line]:
    """Return the question before an agent is stopped: all that it waits for, by name, and the key that confirms.

    Args:
        who: Name of the agent.
        names: Names of the requests that would be rejected.
        width: Cells.
        rows: The most rows.
        hidden: Number of them that the filter of the inbox hides.
        confirm: The key that confirms.
        armed: True if it counts now.
    """
    which = "the 1 request" if len(names) == 1 else f"all {len(names)} requests"
    also = f", also the {hidden} that the filter hides" if hidden else ""
    head = (chunk(" STOP ", "danger", keep=True), Chunk(foreign(who[:LONGEST]).text, "danger", cut="end"))
    told = line(*head, chunk(f": reject {which} it waits for{also}", "danger", keep=True))
    after = "It is told to stop; what it asks later waits for you again."
    keys = (
        *key_chunks(confirm, "stop it, reject these", live=armed),
        chunk("   "),
        *key_chunks("Esc", "back", live=True),
    )
    return [
        told,
        *listed("   ", names, width, head="text", body="text", most=max(rows - 4, 1)),
        *wrapped(after, width, "muted", head=chunk("   "))[:1],
        Line((chunk(" ", keep=True), *keys), background="surface"),
    ]
