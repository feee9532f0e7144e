"""Words that the list of agents and the details of one share."""

from __future__ import annotations

from signoff.queue import AgentMode

__all__ = ["LONGEST", "MODE_WORDS", "number_text"]

LONGEST = 300
"""Most characters that are told of what somebody else wrote."""

MODE_WORDS = {
    AgentMode.APPROVE_ALL: "approve_all: everything is approved without you",
    AgentMode.STRICT: "strict: everything is refused without you",
}
"""What an agent that asks nobody does instead."""


def number_text(number: int, word: str) -> str:
    """A number of things, in words."""
    return f"{number} {word}{'s' * (number != 1)}"
