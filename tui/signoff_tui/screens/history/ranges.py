"""How far back the history is looked at: one key goes through the ranges that people want."""

from __future__ import annotations

from signoff.filter import Query, asked_of, exactly, only, reworded
from signoff.queue import HistoryRecord

__all__ = ["next_range", "of_one_agent", "range_of"]

_FIELDS = ("since", "until", "on", "session")
_ORDER = ("all", "1h", "today", "session")


def range_of(query: Query) -> str:
    """The range that a filter asks for, in a word; ``set`` if it is none of those that a key chooses."""
    asked = [pair for field in _FIELDS for pair in asked_of(query, field)]
    if not asked:
        return "all"
    if len(asked) > 1 or len(asked[0].values) > 1:
        return "set"
    if asked[0].name == "session":
        return "session"
    word = asked[0].values[0].text.lower()
    return word if asked[0].name == "since" and word in _ORDER else "set"


def next_range(query: Query, current: HistoryRecord | None) -> str:
    """The filter with the next range: last hour, today, the session of a record, everything.

    Args:
        query: The filter as it is.
        current: The record whose session is meant, if there is one.
    """
    now = range_of(query)
    following = _ORDER[(_ORDER.index(now) + 1) % len(_ORDER)] if now in _ORDER else _ORDER[1]
    if following == "session" and current is None:
        following = "all"
    match following:
        case "all":
            more = []
        case "session" if current is not None:
            more = [exactly("session", current.session)]
        case _:
            more = [f"since:{following}"]
    return reworded(query, without=_FIELDS, more=more)


def of_one_agent(query: Query, current: HistoryRecord | None) -> str | None:
    """The filter with the agent of a record, or with all agents if it asks for one; None if there is no record."""
    return only(query, "agent", None if current is None else current.agent_name)
