"""The first line of the screen, and what the list says when there is nothing in it or nobody behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from signoff.present.reveal import reveal
from signoff.text.time import age_text, local_time
from signoff_tui.context import Announcement
from signoff_tui.header import (
    NOTHING_BESIDES,
    PROGRAM,
    Standing,
    Surroundings,
    high_word,
    memory_word,
    queue_word,
    rules_word,
    waiting_word,
)
from signoff_tui.screens.review.extent import LEAST_COLUMNS, LEAST_ROWS
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped

__all__ = ["Muted", "Where", "clock_is_shown", "empty_lines", "lost_lines", "status_line", "too_small_lines"]

NOTABLE_WAIT = 60
"""Seconds after which the age of the oldest waiting request stands out."""

HELD_FROM, NAMES_FROM = 100, 160
"""Columns from which it is told what is held, remembered and trusted; and how each agent stands, and the time."""


class Muted(NamedTuple):
    """Whose notices are held back, and until when, in words."""

    whose: str
    until: str


class Where(Struct, frozen=True):
    """What the status line says besides the counts.

    Attributes:
        title: Which view, in words.
        connected: Whether the queue is there.
        modes: What is switched off or reduced, in words.
        held: How many requests have a decision that is not sent yet.
        names: How each agent stands, where there is room for it: in as few words as fit.
        muted: Whose notices are held back; None if nobody's are.
        surroundings: What is remembered and trusted.
    """

    title: str
    connected: bool = True
    modes: tuple[str, ...] = ()
    held: int = 0
    names: str = ""
    muted: Muted | None = None
    surroundings: Surroundings = NOTHING_BESIDES


def status_line(where: Where, counts: Counts, now: int, width: int) -> Line:
    """Where am I, how much waits, how much of it is HIGH, how long the oldest waits, is the queue there.

    Args:
        where: View, connection and modes.
        counts: What waits.
        now: Wall clock, microseconds since the epoch.
        width: Cells. What matters least is left out first; how much of it is HIGH never is.
    """
    name, title = PROGRAM, foreign(f" {where.title} ", "bar")
    standing = Standing(counts.waiting, counts.high, connected=where.connected)
    waiting, high = (waiting_word(standing),), high_word(counts.high)
    seconds = None if counts.oldest_at is None else (now - counts.oldest_at) / 1e6
    told, oldest, short = (_age(seconds, before) for before in _BEFORE_AGE)
    queue, agents = queue_word(connected=where.connected), _agents(counts)
    modes = tuple(chunk(f" {mode} ", "bar-danger", keep=True) for mode in where.modes)
    held = (_held(where, counts),) if where.held and width >= HELD_FROM else ()
    names = (
        (foreign(f" {where.names} ", "bar-muted", keep=True),) if where.names and width >= NAMES_FROM else agents
    )
    muted, muted_short = _muted(where, " until "), _muted(where, " ")
    roomy = width >= HELD_FROM
    memory, rules = (word(where.surroundings) if roomy else () for word in (memory_word, rules_word))
    full, some = (name, title, *waiting, *held, *high, *told), (name, title, *waiting, *held, *high, *oldest)
    wordings = [
        (full, (*modes, *muted, *names, *memory, *rules, *queue, *_clock(counts, now, width))),
        (full, (*modes, *muted, *names, *memory, *rules, *queue)),
        (full, (*modes, *muted, *agents, *memory, *rules, *queue)),
        (some, (*modes, *muted, *agents, *memory, *rules, *queue)),
        (some, (*modes, *muted, *memory, *rules, *queue)),
        (some, (*modes, *muted, *memory, *queue)),
        (some, (*modes, *muted, *queue)),
        ((name, title, *waiting, *high, *oldest), (*modes, *muted, *queue)),
        ((name, title, *waiting, *high, *short), (*modes, *muted_short, *queue)),
        ((name, *waiting, *high, *short), (*modes, *muted_short, *queue)),
        ((*waiting, *high, *short), (*modes, *muted_short, *queue)),
        ((*waiting, *high, *short), (*modes, *muted_short, *queue_word(connected=where.connected, brief=True))),
        ((*waiting, *high), (*modes, *muted_short, *(() if where.connected else queue))),
        ((*waiting, *high), (*modes, *(() if where.connected else queue))),
        (high, (*modes, *(() if where.connected else queue))),
    ]
    return fullest([Line(left, right, "surface") for left, right in wordings], width)


def clock_is_shown(counts: Counts, width: int) -> bool:
    """Whether the line has the time of day: while something waits the screen wakes up each minute anyway.

    In an empty inbox nothing is ever drawn by itself, and a clock that stands still is worse than none.
    """
    return width >= NAMES_FROM and counts.waiting > 0


def _clock(counts: Counts, now: int, width: int) -> tuple[Chunk, ...]:
    shown = clock_is_shown(counts, width)
    return (chunk(f" {local_time(now, 'minute')} ", "bar-muted", keep=True),) if shown else ()


def _held(where: Where, counts: Counts) -> Chunk:
    """Agents wait for what is held as well, until it is sent: it is part of what waits."""
    words = "all held" if where.held >= counts.waiting else f"{where.held} of them held"
    return chunk(f"({words}) ", "bar", keep=True)


def _muted(where: Where, word: str) -> tuple[Chunk, ...]:
    if where.muted is None:
        return ()
    return (chunk(f" {where.muted.whose}{word}{where.muted.until} ", "bar", keep=True),)


_BEFORE_AGE = ("oldest waits ", "oldest ", "")
"""What stands before the age of the oldest, the fullest wording first."""


def _age(seconds: float | None, before: str) -> tuple[Chunk, ...]:
    if seconds is None:
        return ()
    token = "bar-strong" if seconds >= NOTABLE_WAIT else "bar"
    return (chunk(f" {before}{age_text(seconds)} ", token, keep=True),)


def _agents(counts: Counts) -> tuple[Chunk, ...]:
    word = "agent" if counts.agents == 1 else "agents"
    return (chunk(f" {counts.agents} {word} ", "bar-muted", keep=True),) if counts.agents else ()


def lost_lines(since: int, why: str, width: int, *, gone: bool = False) -> tuple[Line, ...]:
    """What the list says while the queue is not there.

    Args:
        since: Wall clock when it was lost, microseconds since the epoch.
        why: What the queue said.
        width: Cells of a line.
        gone: Whether it is gone for good; then agents were told so, and another one may come.
    """
    mark, at = chunk(" ! ", "danger", keep=True), local_time(since, "clock")
    said = [
        line(mark, chunk(f"{words} since {at}:", "danger", keep=True))
        for words in ("Not connected to the queue", "No queue")
    ]
    stays = (
        "Nothing is approved while this lasts. Trying again.",
        "Nothing is approved. Trying again.",
    )
    if gone:
        stays = ("Nothing is approved. As soon as there is a queue again, it is opened.", "Waiting for a queue.")
    works = (
        "The list is as it was then: reading works, decision keys are off.",
        "Reading works, decision keys are off.",
    )
    return (
        fullest(said, width),
        *wrapped(why, width, "warn", head=chunk("   ", keep=True)),
        *(fullest([line(chunk(f"   {words}", "muted")) for words in told], width) for told in (stays, works)),
    )


def too_small_lines(columns: int, rows: int) -> tuple[Line, ...]:
    """What takes the place of the keys in a pane in which nothing can be decided.

    Args:
        columns: Width of the pane.
        rows: Height of the pane.
    """
    size, enough = f"pane is {columns}x{rows}: ", f"{LEAST_COLUMNS}x{LEAST_ROWS}"
    words = f"too small to show what you would approve, so decision keys are off. Make it at least {enough}."
    told = wrapped(f"{size}{words}", columns, "warn", head=chunk(" ", keep=True))
    if len(told) <= max(rows // 3, 1) and columns >= LEAST_COLUMNS // 2:
        return tuple(told)
    short = [f" {size}keys are off; make it {enough}", f" keys off: make it {enough}", f" {enough}!"]
    return (fullest([line(chunk(each, "warn")) for each in short], columns),)


_COMES = ("Ready: what agents ask appears here.", "What agents ask appears here.")
"""Of an empty inbox. That nothing waits is said above it, where the number stands."""

_TRY_IT = (
    line(chunk("   To try it, type in another terminal:", "muted")),
    line(chunk("     signoff ask --tool deploy --arg to=staging")),
)


def empty_lines(place: str, announcement: Announcement, lately: Sequence[Line], width: int) -> tuple[Line, ...]:
    """What an empty inbox says.

    Args:
        place: Where the queue is.
        announcement: What else there is to say; its words may be empty.
        lately: What was decided lately; where nothing ever was, it is said how to try it.
        width: Cells of a line.
    """
    words, token = announcement
    return (
        Line(),
        fullest([line(chunk(f"   {said}", "strong")) for said in _COMES], width),
        *(wrapped(words, width, token, head=chunk("   ", keep=True)) if words else ()),
        Line(),
        *lately,
        line(
            chunk("   Queue: ", "muted", keep=True),
            Chunk(reveal(place, "path"), "muted"),
        ),
        *(() if lately else _TRY_IT),
    )
