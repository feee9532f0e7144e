"""The warnings on the first line of every screen: agents that ask nobody or do not believe you, broken rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.reveal import reveal_line
from signoff.queue.records import ALL_ASK, AgentMode, Modes
from signoff_tui.text.lines import Chunk, Line, chunk, crop, foreign

__all__ = ["Alarms", "with_alarms"]

LONGEST_NAME = 20
"""The most cells of an agent's name."""

ROOM_FOR_SENTENCES, ROOM_FOR_NAMES, ROOM_FOR_RULES = 60, 48, 20
"""The least cells for the rest of the line with sentences, with names, and with rules."""

_DONE = {AgentMode.APPROVE_ALL: "approved", AgentMode.STRICT: "refused"}


class Alarms(Struct, frozen=True):
    """The warnings.

    Attributes:
        modes: The agents that ask nobody.
        not_believing: Name and session of each agent that does not trust the key of this reviewer.
        rules_broken: True if a trusted rule file cannot be used as it is.
        history_cut: True if the history has lost records that a reviewer had seen.
    """

    modes: Modes = ALL_ASK
    not_believing: tuple[tuple[str, str], ...] = ()
    rules_broken: bool = False
    history_cut: bool = False


def with_alarms(title: Callable[[int], Line], alarms: Alarms, width: int, *, ellipsis: str = "…") -> Line:
    """Return a first line with the warnings, if there are any.

    Args:
        title: Makes the line for a number of cells.
        alarms: The warnings.
        width: The width in cells. Modes are always shown, if in few words.
        ellipsis: The sign for a cut name.
    """
    if alarms == Alarms():
        return title(width)
    told = [(words, room) for words, room in _wordings(alarms, ellipsis) if words]
    words = next((words for words, room in told if width - _cells(words) >= room), told[-1][0])
    made = title(width - _cells(words))
    return replace(made, right=(*words, *made.right))


def _wordings(alarms: Alarms, ellipsis: str) -> Iterator[tuple[tuple[Chunk, ...], int]]:
    """The wordings, the fullest first, each with the least cells for the rest of the line."""
    rules = (chunk(" rules: ERROR ", "bar-danger", keep=True),) if alarms.rules_broken else ()
    if alarms.not_believing:
        rules = (chunk(" KEY NOT TRUSTED ", "bar-danger", keep=True), *rules)
    if alarms.history_cut:
        rules = (chunk(" HISTORY CUT ", "bar-danger", keep=True), *rules)
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
    """Each mode with its agents and a verb."""
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
