"""Filters that are there without being typed."""

from __future__ import annotations

from msgspec import Struct

from signoff.filtering.rewording import exactly

__all__ = ["SAVED_FILTERS", "SavedFilter", "last_hour_of"]

_AGENT = "agent:{agent}"


class SavedFilter(Struct, frozen=True):
    """A filter under a digit.

    Attributes:
        digit: The digit.
        label: What it shows, in a few words.
        query: The filter; ``{agent}`` stands for the agent that is looked at.
        decided: It asks how something was decided, so it fits nothing that waits.
    """

    digit: int
    label: str
    query: str
    decided: bool = False

    @property
    def needs_agent(self) -> bool:
        """Whether it is about the agent that is looked at."""
        return _AGENT in self.query

    def text(self, agent: str = "") -> str:
        """The filter as it would be typed.

        Args:
            agent: Name of the agent that is looked at.
        """
        return self.query.replace(_AGENT, exactly("agent", agent))


SAVED_FILTERS = (
    SavedFilter(1, "last hour of this agent", f"{_AGENT} since:1h"),
    SavedFilter(2, "approved without reading all", "shown:<100 decision:approved by:you", decided=True),
    SavedFilter(3, "rejections", "decision:rejected", decided=True),
    SavedFilter(4, "high risk", "risk:high"),
    SavedFilter(5, "automatic", "by:memory,rule", decided=True),
)
"""The filters that everybody has; the history has all, the inbox those about what waits, the memory the first."""


def last_hour_of(agent: str) -> str:
    """The filter that keeps what an agent asked in the last hour."""
    return SAVED_FILTERS[0].text(agent)
