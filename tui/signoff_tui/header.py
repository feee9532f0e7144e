"""The first row of every screen: name, tabs, what waits, and what is out of order."""

from __future__ import annotations

from msgspec import Struct

from signoff.text.time import age_text
from signoff_tui.layout import LEAST_COLUMNS, LEAST_ROWS, WIDE
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, wrapped

__all__ = ["TABS", "FirstRow", "status_line", "too_small_lines"]


NOTABLE_WAIT = 60
"""Seconds after which the age of the oldest waiting request stands out."""

TABS = ("Inbox", "Agents", "History", "Rules")


class FirstRow(Struct, frozen=True):
    """The facts of the queue and of the program in the first row, the same on all screens.

    Attributes:
        counts: What waits.
        modes: What is switched off or reduced, in words.
        muted: Whose notices are held back and until when, in words; empty for nobody's.
    """

    counts: Counts
    modes: tuple[str, ...] = ()
    muted: str = ""


def status_line(tab: str, row: FirstRow, now: int, width: int) -> Line:
    """Return the first row: name, tabs, how much waits, how much of it is HIGH, the oldest, who asks.

    Args:
        tab: The tab that has the screen.
        row: What there is to say.
        now: Wall clock, microseconds since the epoch.
        width: Cells. What matters least is left out first; what waits, HIGH and modes never are.
    """
    counts = row.counts
    name = chunk(" signoff ", "bar-strong", keep=True)
    tabs = tuple(chunk(f" {each} ", "bar-strong" if each == tab else "bar-muted", keep=True) for each in TABS)
    here = chunk(f" {tab} ", "bar-strong", keep=True)
    waiting = _counted(counts)
    oldest, short = (_oldest(counts, now, words) for words in ("oldest ", ""))
    modes = tuple(chunk(f" {mode} ", "bar-danger", keep=True) for mode in row.modes)
    until = tuple(
        (foreign(f" {words} ", "bar", keep=True),) if words else ()
        for words in (row.muted, row.muted.replace(" until", ""))
    )
    muted, muted_short = until
    agents = _agents(counts)
    middle = chunk("    ", "bar", keep=True)
    rooms: list[tuple[tuple[Chunk, ...], tuple[Chunk, ...]]] = []
    if width >= WIDE:
        rooms = [((name, chunk(" ", "bar"), *tabs, middle, *waiting, *oldest), (*modes, *muted, *agents))]
    rooms += [
        ((name, here, *waiting, *oldest), (*modes, *muted, *agents)),
        ((name, here, *waiting, *oldest), (*modes, *muted)),
        ((here, *waiting, *short), (*modes, *muted_short)),
        (waiting, (*modes, *muted_short)),
        (waiting, modes),
        (waiting[1:] or waiting, modes),
    ]
    fits = next(
        (each for each in rooms if sum(piece.width for part in each for piece in part) <= width), rooms[-1]
    )
    return Line(*fits, "surface")


def _counted(counts: Counts) -> tuple[Chunk, ...]:
    words = f"{counts.waiting} waiting" if counts.waiting else "nothing waiting"
    high = (chunk(f" {counts.high} HIGH ", "bar-danger", keep=True),) if counts.high else ()
    return (chunk(f" {words} ", "bar-strong", keep=True), *high)


def _oldest(counts: Counts, now: int, words: str) -> tuple[Chunk, ...]:
    if counts.oldest_at is None:
        return ()
    seconds = (now - counts.oldest_at) / 1e6
    token = "bar-strong" if seconds >= NOTABLE_WAIT else "bar"
    return (chunk(f" {words}{age_text(seconds)} ", token, keep=True),)


def _agents(counts: Counts) -> tuple[Chunk, ...]:
    word = "agent" if counts.agents == 1 else "agents"
    return (chunk(f" {counts.agents} {word} ", "bar-muted", keep=True),) if counts.agents else ()


def too_small_lines(counts: Counts, columns: int) -> tuple[Line, ...]:
    """Return what takes the place of the keys in a pane in which nothing can be decided."""
    high = f", {counts.high} HIGH" if counts.high else ""
    size = f"{LEAST_COLUMNS}x{LEAST_ROWS}"
    words = f"{counts.waiting} waiting{high}. Make it {size} to decide."
    return tuple(wrapped(words, columns, "warn", head=chunk(" ", keep=True)))
