"""The first line of every screen, in one order: where am I, how much waits, what is here, is the queue there.

The review has more to say and less room: its line is put together in ``screens.review.status``, of the same words.
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
"""What stands first."""

Facts = tuple[Chunk, ...]


class Standing(Struct, frozen=True):
    """How things stand, whatever is looked at.

    Attributes:
        waiting: How many requests wait, as far as is known.
        high: How many of them are HIGH.
        connected: Whether the queue is there.
    """

    waiting: int
    high: int = 0
    connected: bool = True


def standing_of(counts: Counts, *, lost: bool) -> Standing:
    """How things stand by what the inbox counts.

    Args:
        counts: What waits.
        lost: Whether the queue is not there.
    """
    return Standing(counts.waiting, counts.high, connected=not lost)


def first_line(
    titles: Sequence[str], standing: Standing, width: int, facts: Sequence[Facts] = ((),), *, extra: Facts = ()
) -> Line:
    """The line of a screen over the review.

    Args:
        titles: Which screen, the longest words first.
        standing: What waits, and whether the queue is there.
        width: Cells. That HIGH waits, that the queue is lost, and the shortest facts stay longest.
        facts: What is particular to the screen, in several wordings, the fullest first.
        extra: What else stands at the right end where there is room.
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
    """How much waits; if the queue is not there, how much it was.

    Args:
        standing: What is known.
        brief: Whether few words are wanted: then it leaves out what it was.
    """
    if not standing.connected:
        words = "?? waiting" if brief else f"?? waiting (last known {standing.waiting})"
    else:
        words = f"{standing.waiting} waiting" if standing.waiting or brief else "nothing waiting"
    return chunk(f" {words} ", "bar-strong", keep=True)


def high_word(high: int) -> Facts:
    """How much of it is HIGH; nothing if none is."""
    return (chunk(f" {high} HIGH ", "bar-danger", keep=True),) if high else ()


def queue_word(*, connected: bool, brief: bool = False) -> Facts:
    """Whether the queue is there: the last word of the line; in as few cells as go if that is wanted."""
    fine = "ok " if brief else "queue ok "
    words, token = (fine, "bar-muted") if connected else ("QUEUE LOST ", "bar-danger")
    return (chunk(words, token, keep=True),)


class Surroundings(Struct, frozen=True):
    """What is there besides requests.

    Attributes:
        remembered: How many remembered approvals are in force.
        rule_files: How many rule files are trusted.
        agents: Names of the agents that are connected, first come first.
    """

    remembered: int = 0
    rule_files: int = 0
    agents: tuple[str, ...] = ()


NOTHING_BESIDES = Surroundings()
"""Nothing is known of it, or it does not matter."""


def names_of_agents(records: Iterable[AgentRecord]) -> tuple[str, ...]:
    """The names of who is connected, each once."""
    return tuple(dict.fromkeys(record.name for record in records))


def memory_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """How much runs without being asked about, because somebody said so once; nothing if nothing does."""
    number = surroundings.remembered
    return (chunk(f" memory {number} ", "bar-muted", keep=True),) if number else ()


def rules_word(surroundings: Surroundings) -> Sequence[Chunk]:
    """How many rule files are trusted; nothing if none is."""
    number = surroundings.rule_files
    files = "file" if number == 1 else "files"
    return (chunk(f" rules {number} {files} ", "bar-muted", keep=True),) if number else ()
