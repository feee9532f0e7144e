"""What the first line of every screen warns of: agents that ask nobody, and rule files that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.reveal import reveal_line
from signoff.queue.records import AgentMode, AgentRecord
from signoff_tui.lines import Chunk, Line, chunk, crop, foreign

__all__ = ["Alarms", "Modes", "loudest", "modes_of", "with_alarms"]

LONGEST_NAME = 20
"""Cells that the name of an agent may take."""

ROOM_FOR_SENTENCES, ROOM_FOR_NAMES, ROOM_FOR_RULES = 60, 48, 20
"""Cells that have to be left for the rest of the line, so that so much is said."""

_LOUDEST_FIRST = (AgentMode.APPROVE_ALL, AgentMode.STRICT, None, AgentMode.INTERACTIVE)

_DONE = {AgentMode.APPROVE_ALL: "approved", AgentMode.STRICT: "refused"}


class Modes(Struct, frozen=True):
    """The agents that are there and ask nobody; nothing at all if there are none.

    Attributes:
        approving: Names of those that approve everything.
        refusing: Names of those that refuse everything.
        connected: How many agents are there, with those that ask.
    """

    approving: tuple[str, ...] = ()
    refusing: tuple[str, ...] = ()
    connected: int = 0


class Alarms(Struct, frozen=True):
    """What is warned of.

    Attributes:
        modes: Who asks nobody.
        rules_broken: Whether a trusted rule file cannot be used as it is.
    """

    modes: Modes = Modes()
    rules_broken: bool = False


def modes_of(records: Iterable[AgentRecord]) -> Modes:
    """The modes of connections that are there. Several of one name and session are one agent."""
    found: dict[tuple[str, str], list[AgentMode | None]] = {}
    for record in records:
        found.setdefault((record.name, record.session), []).append(record.mode)
    loud = {key: loudest(modes) for key, modes in found.items()}
    approving, refusing = (
        tuple(name for (name, _), mode in loud.items() if mode is wanted)
        for wanted in (AgentMode.APPROVE_ALL, AgentMode.STRICT)
    )
    return Modes(approving, refusing, len(found)) if approving or refusing else Modes()


def loudest(modes: Iterable[AgentMode | None]) -> AgentMode | None:
    """The one of several modes that a person must know of most; None stands for one that is not known."""
    there = set(modes)
    return next((mode for mode in _LOUDEST_FIRST if mode in there), None)


def with_alarms(title: Callable[[int], Line], alarms: Alarms, width: int, *, ellipsis: str = "…") -> Line:
    """A first line that warns besides, where there is something to warn of.

    Args:
        title: Makes the line for a number of cells.
        alarms: What is warned of.
        width: Cells. Modes are always said, if in few words.
        ellipsis: What stands where the name of an agent is cut.
    """
    if alarms == Alarms():
        return title(width)
    told = [(words, room) for words, room in _wordings(alarms, ellipsis) if words]
    words = next((words for words, room in told if width - _cells(words) >= room), told[-1][0])
    made = title(width - _cells(words))
    return replace(made, right=(*words, *made.right))


def _wordings(alarms: Alarms, ellipsis: str) -> Iterator[tuple[tuple[Chunk, ...], int]]:
    """What is said, the fullest words first, each with the cells that have to be left for the rest."""
    rules = (chunk(" rules: ERROR ", "bar-danger", keep=True),) if alarms.rules_broken else ()
    told = _told(alarms.modes, ellipsis)
    if not told:
        yield rules, 0
        return
    sentences = [f"{mode}: {who} {is_} {_DONE[mode]} without you" for mode, who, is_ in told]
    yield (_mode_chunk(", ".join(sentences)), *rules), ROOM_FOR_SENTENCES
    names = [f"{mode}: {'without you' if who == 'everything' else who}" for mode, who, _ in told]
    yield (_mode_chunk(", ".join(names)), *rules), ROOM_FOR_NAMES
    both = _mode_chunk(", ".join(mode for mode, _, _ in told))
    yield (both, *rules), ROOM_FOR_RULES
    yield (both,), ROOM_FOR_RULES
    yield (_mode_chunk(told[0][0]),), 0


def _told(modes: Modes, ellipsis: str) -> Sequence[tuple[AgentMode, str, str]]:
    """Each mode, whose it is, and the verb."""
    each = ((AgentMode.APPROVE_ALL, modes.approving), (AgentMode.STRICT, modes.refusing))
    return [(mode, *_who(names, modes.connected, ellipsis)) for mode, names in each if names]


def _who(names: Sequence[str], connected: int, ellipsis: str) -> tuple[str, str]:
    if len(names) == connected:
        return "everything", "is"
    if len(names) == 1:
        return crop(reveal_line(names[0], "agent").text, LONGEST_NAME, "end", ellipsis=ellipsis), "is"
    return f"{len(names)} of {connected} agents", "are"


def _mode_chunk(words: str) -> Chunk:
    return foreign(f" MODE {words} ", "bar-danger", keep=True)


def _cells(chunks: Iterable[Chunk]) -> int:
    return sum(each.width for each in chunks)
