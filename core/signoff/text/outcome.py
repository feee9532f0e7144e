"""The end of a request in words, for each place where it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from signoff.text.time import length_text

__all__ = ["OutcomeStyle", "expired_text", "outcome_text"]

OutcomeStyle = Literal["message", "row", "cell"]
"""The place of the words: a message of the queue, a row of the screen, or a cell of the history."""

_STYLES: tuple[OutcomeStyle, ...] = ("message", "row", "cell")
_WORDS = {
    "part": ("approved with changes", "approved with changes", "approved"),
    "edited": ("approved with changes", "approved with changes", "approved"),
    "memory": ("approved", "allowed", "approved"),
    "session": ("approved", "approved for session", "approved"),
    "once": ("approved", "approved", "approved"),
    "cascade": ("rejected with its batch", "stopped with its turn", "stopped"),
    "hard": ("rejected", "stopped", "stopped"),
    "expired": ("expired", "expired", "expired"),
    "gone": ("withdrawn", "agent exited", "agent exited"),
    "withdrawn": ("withdrawn", "withdrawn by the agent", "withdrawn"),
    "not run": ("approved, not run", "NOT RUN, though approved", "NOT RUN"),
    "superseded": ("superseded", "superseded by a newer revision", "replaced"),
    "pending": ("waiting", "waiting", "waiting"),
}


class _Changes(Protocol):
    @property
    def refused(self) -> Sequence[str]: ...


class _Decided(Protocol):
    @property
    def source(self) -> str: ...
    @property
    def remember(self) -> bool: ...
    @property
    def hard(self) -> bool: ...
    @property
    def instead(self) -> _Changes | None: ...


def outcome_text(
    state: str, decision: _Decided | None, style: OutcomeStyle, *, gone: bool = False, unrun: bool = False
) -> str:
    """Return the end of a request in words, without the decider; else the name of the state.

    Args:
        state: Its state.
        decision: The decision, if there is one.
        style: The place of the words.
        gone: True if its agent is gone.
        unrun: True if it was approved, and its agent could not run it as it was approved.
    """
    words = _WORDS.get(_end(state, decision, gone=gone, unrun=unrun))
    return str(state) if words is None else words[_STYLES.index(style)]


_HALF_A_SECOND = 500_000  # a deadline of 12 s is set a moment before the request is posted


def expired_text(waited: int, style: Literal["message", "row"]) -> str:
    """Return the end of a request past its deadline in words.

    Args:
        waited: The time from asking to the deadline, in microseconds.
        style: The place of the words.
    """
    words = outcome_text("expired", None, style)
    if style == "message":
        return f"{words} {length_text(waited + _HALF_A_SECOND, 'words')} after asking, nobody decided"
    return f"{words} after {length_text(waited + _HALF_A_SECOND)}"


def _end(state: str, decision: _Decided | None, *, gone: bool, unrun: bool) -> str:
    if unrun:
        return "not run"
    if state == "withdrawn" and gone:
        return "gone"
    if decision is None or state not in ("approved", "rejected"):
        return state
    if state == "rejected":
        return "cascade" if decision.source == "cascade" else "hard" if decision.hard else state
    if decision.instead is not None:
        return "part" if decision.instead.refused else "edited"
    if decision.source == "grant":
        return "memory"
    if decision.remember:
        return "session"
    return "once" if decision.source == "reviewer" else state
