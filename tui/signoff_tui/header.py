"""The first line of the screens over the review: title, number of waiting requests, facts, a lost queue."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Chunk, Line, chunk, fullest

__all__ = ["Standing", "first_line", "standing_of"]


_LOST = (chunk(" QUEUE LOST ", "bar-danger", keep=True),)

_PROGRAM = chunk(" signoff ", "bar-strong", keep=True)
"""The first words of the line."""

Facts = tuple[Chunk, ...]


class Standing(Struct, frozen=True):
    """The state of the queue, the same for all screens.

    Attributes:
        waiting: The number of waiting requests, as far as is known; None if none was read yet.
        high: The number of HIGH ones among them.
        connected: True if the queue is connected.
    """

    waiting: int | None
    high: int = 0
    connected: bool = True


def standing_of(counts: Counts, *, lost: bool) -> Standing:
    """Return the state of the queue from the counts of the inbox.

    Args:
        counts: The counts of waiting requests.
        lost: True if the queue is lost.
    """
    return Standing(counts.waiting, counts.high, connected=not lost)


def first_line(
    titles: Sequence[str], standing: Standing, width: int, facts: Sequence[Facts] = ((),), *, extra: Facts = ()
) -> Line:
    """Return the first line of a screen over the review.

    Args:
        titles: The title of the screen, the longest wording first.
        standing: The state of the queue.
        width: The width in cells. HIGH requests, a lost queue and the shortest facts stay longest.
        facts: Facts of the screen, in several wordings, the fullest first.
        extra: Further facts for the right end, if there is room.
    """
    long, short = (chunk(f" {title} ", "bar-strong", keep=True) for title in (titles[0], titles[-1]))
    told, brief = (_waiting_word(standing, brief=brief) for brief in (False, True))
    high, lost = _high_word(standing.high), _LOST if not standing.connected else ()
    wordings = [
        ((_PROGRAM, long, told, *high, *facts[0]), (*extra, *lost)),
        *(((_PROGRAM, long, told, *high, *each), lost) for each in facts),
        ((_PROGRAM, short, brief, *high, *facts[-1]), lost),
        ((short, brief, *high, *facts[-1]), lost),
        ((short, *high, *facts[-1]), lost),
        ((*high, *facts[-1]), lost),
        ((*high,), lost),
    ]
    return fullest([Line(left, right, "surface") for left, right in wordings], width)


def _waiting_word(standing: Standing, *, brief: bool = False) -> Chunk:
    """Return the number of waiting requests; if the queue is lost, the last known number.

    Args:
        standing: The state of the queue.
        brief: True for few words, without the last known number.
    """
    if not standing.connected:
        words = (
            "?? waiting" if brief or standing.waiting is None else f"?? waiting (last known {standing.waiting})"
        )
    elif standing.waiting is None:
        return chunk("")
    else:
        words = f"{standing.waiting} waiting" if standing.waiting or brief else "nothing waiting"
    return chunk(f" {words} ", "bar-strong", keep=True)


def _high_word(high: int) -> Facts:
    """Return the number of HIGH requests; empty if there are none."""
    return (chunk(f" {high} HIGH ", "bar-danger", keep=True),) if high else ()
