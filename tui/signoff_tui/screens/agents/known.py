"""All that is known about one agent at one moment, and which of it goes on by itself."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff.queue import StoredRequest
from signoff.text.time import age_text
from signoff_tui.screens.agents.figures import Figures
from signoff_tui.screens.agents.roster import Agent, Remembered

__all__ = ["Known", "ages"]


class Known(Struct, frozen=True):
    """All that is known about one agent now.

    Attributes:
        agent: Its connections.
        waiting: What waits of it, oldest first.
        figures: Its last hour.
        grants: What is remembered for its session.
        now: Wall clock, microseconds since the epoch.
        muted_until: Until when notices about it are held back; None if they are not.
    """

    agent: Agent
    waiting: Sequence[StoredRequest]
    figures: Figures
    grants: Sequence[Remembered]
    now: int
    muted_until: int | None = None

    @property
    def state(self) -> tuple[str, str]:
        """How it is, in words, and the style of the words."""
        if self.waiting:
            return "blocked on you", "warn"
        ended_at = self.agent.ended_at
        if ended_at is None:
            return "connected", "text"
        ago = age_text((self.now - ended_at) / 1e6)
        return (f"gone {ago} ago", "danger") if self.agent.left.number else (f"ended {ago} ago", "closed")

    @property
    def waited(self) -> float | None:
        """Seconds that the oldest of what waits has waited."""
        oldest = min((request.created_at for request in self.waiting), default=None)
        return None if oldest is None else (self.now - oldest) / 1e6


def ages(known: Known) -> Sequence[float]:
    """The times of a row that go on while they are shown, in seconds."""
    ended_at = known.agent.ended_at
    ended = [] if ended_at is None else [(known.now - ended_at) / 1e6]
    return ended if known.waited is None else [*ended, known.waited]
