"""The lines around the list: title, what an empty list says, what is not listed, and what the keys do now."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff_tui.header import Standing, first_line
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line, chunk, foreign, fullest, line, wrapped

__all__ = ["Numbers", "empty_lines", "foot_lines", "note_lines", "title_line"]


class Numbers(Struct, frozen=True):
    """How many there are of each kind.

    Attributes:
        blocked: Agents that wait for a person.
        connected: Agents that are there and wait for nothing.
        ended: Agents that are not there any more.
        hidden: Agents that ended so long ago that they are not listed.
    """

    blocked: int
    connected: int
    ended: int
    hidden: int


def title_line(numbers: Numbers | None, standing: Standing, width: int) -> Line:
    """Where am I, how much waits, for whom (None: nothing was read yet), is the queue there."""
    if numbers is None:
        return first_line(["Agents"], standing, width)
    others = "".join(
        f", {number} {word}"
        for number, word in ((numbers.connected, "connected"), (numbers.ended, "ended"))
        if number
    )
    token = "warn" if numbers.blocked else "muted"
    blocked = chunk(f" {numbers.blocked} blocked on you", token, keep=True)
    rest = (chunk(f"{others} ", "muted", keep=True),)
    order = (chunk(" fixed order  ", "bar-muted", keep=True),)
    return first_line(["Agents"], standing, width, [(blocked, *rest), (blocked,)], extra=order)


def empty_lines(problem: str, width: int, *, ready: bool) -> list[Line]:
    """What the list says when there is nothing in it."""
    if problem:
        return [Line(), *_words(problem, width, "danger")]
    if not ready:
        return [Line(), *_words("reading who is there ...", width, "muted")]
    return [
        Line(),
        *_words("No agent was connected in the last 24 hours.", width, "strong"),
        *_words("Agents appear here when they open the queue.", width, "muted"),
    ]


def note_lines(numbers: Numbers, width: int, *, counted: int | None) -> list[Line]:
    """What is left out of the list and of its figures.

    Args:
        numbers: How many there are of each kind.
        width: Cells.
        counted: How many calls of the last hour are counted, if there were more.
    """
    lines = []
    if numbers.hidden:
        who = "agent" if numbers.hidden == 1 else "agents"
        long, short = f" {numbers.hidden} {who} that ended over 24 h ago", f" {numbers.hidden} older {who}"
        lines.append(_shortened(f"{long}: not listed", f"{short} not listed", width, "muted"))
    if counted is not None:
        long, short = f" 1h: only the newest {counted} calls are counted", f" 1h: newest {counted} only"
        lines.append(_shortened(long, short, width, "warn"))
    return lines


def foot_lines(hints: Sequence[KeyHint], said: str, width: int, *, rows: int) -> list[Line]:
    """The keys, and in the last row what was said last, as on every screen.

    Args:
        hints: What they do now.
        said: What became of the last key.
        width: Cells.
        rows: Rows for the keys.
    """
    words = (
        line(foreign(f" {said}", "warn"))
        if said
        else line(chunk(" no decision keys work on this screen", "muted"))
    )
    return [*flow(hints, BarRoom(width, rows)), words]


def _shortened(long: str, short: str, width: int, token: str) -> Line:
    return fullest([line(chunk(long, token)), line(chunk(short, token))], width)


def _words(words: str, width: int, token: str) -> list[Line]:
    return wrapped(words, width, token, head=chunk("   "))
