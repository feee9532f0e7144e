"""The first line of every screen: title, number of waiting requests, facts, state of the queue.

The review has more facts and less room: ``screens.review.status`` builds its line, from the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from signoff.queue.records import AgentRecord
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Chunk, Line, chunk, fullest

__all__ = [
    "NOTHING_BESIDES",
    "PROGRAM",
    "Standing",
    "Surroundings",
    "first_line",
    "high_word",
    "memory_word",
    "names_of_agents",
    "queue_word",
    "rules_word",
    "standing_of",
    "waiting_word",
]


PROGRAM = chunk(" signoff ", "bar-strong", keep=True)
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
    told, brief = (waiting_word(standing, brief=brief) for brief in (False, True))
    high, queue = high_word(standing.high), queue_word(connected=standing.connected)
    needed = () if standing.connected else queue
    wordings = [
        ((PROGRAM, long, told, *high, *facts[0]), (*extra, *queue)),
        *(((PROGRAM, long, told, *high, *each), queue) for each in facts),
        ((PROGRAM, short, brief, *high, *facts[-1]), queue),
        ((PROGRAM, short, brief, *high, *facts[-1]), needed),
        ((short, brief, *high, *facts[-1]), needed),
        ((short, *high, *facts[-1]), needed),
        ((*high, *facts[-1]), needed),
        ((*high,), needed),
    ]
    return fullest([Line(left, right, "surface") for left, right in wordings], width)


def waiting_word(standing: Standing, *, brief: bool = False) -> Chunk:
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


def high_word(high: int) -> Facts:
    """Return the number of HIGH requests; empty if there are none."""
    return (chunk(f" {high} HIGH ", "bar-danger", keep=True),) if high else ()


def queue_word(*, connected: bool, brief: bool = False) -> Facts:
    """Return the state of the queue, the last word of the line; short if `brief`."""
    fine = "ok " if brief else "queue ok "
    words, token = (fine, "bar-muted") if connected else ("QUEUE LOST ", "bar-danger")
    return (chunk(words, token, keep=True),)


class Surroundings(Struct, frozen=True):
    """The counts of other things than requests.

    Attributes:
        remembered: The number of remembered approvals in force.
        rule_files: The number of trusted rule files.
        agents: Names of the connected agents, in the order of arrival.
    """

    remembered: int = 0
    rule_files: int = 0
    agents: tuple[str, ...] = ()


NOTHING_BESIDES = Surroundings()
"""The value for: nothing is known of it, or it does not matter."""


def names_of_agents(records: Iterable[AgentRecord]) -> tuple[str, ...]:
    """Return the names of the connected agents, each once."""
    return tuple(dict.fromkeys(record.name for record in records))


def memory_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """Return the number of remembered approvals; empty if there are none."""
    number = surroundings.remembered
    return (chunk(f" memory {number} ", "bar-muted", keep=True),) if number else ()


def rules_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """Return the number of trusted rule files; empty if there are none."""
    number = surroundings.rule_files
    files = "file" if number == 1 else "files"
    return (chunk(f" rules {number} {files} ", "bar-muted", keep=True),) if number else ()
