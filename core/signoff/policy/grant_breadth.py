"""The breadth of a remembered approval, compared with the call it was given for.

The tool chooses the payload that is matched on. Arguments that are not in the payload may be anything in later
calls; this module puts that in words, before anybody agrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from signoff.canonical import canonical

__all__ = ["Breadth", "Reach", "reach"]


class Breadth(StrEnum):
    """The breadth of a remembered approval, from narrow to wide."""

    EXACT = "exact"
    """Every argument must be equal."""
    PATTERN = "pattern"
    """Some arguments may be anything."""
    WIDE = "WIDE"
    """No argument is fixed; only a container such as a sandbox is named."""
    EVERYTHING = "EVERYTHING"
    """Any call of the tool."""

    @property
    def careless(self) -> bool:
        """True if the ordinary confirming key must not be enough."""
        return self in {Breadth.WIDE, Breadth.EVERYTHING}


@dataclass(frozen=True, slots=True)
class Reach:
    """The calls that a remembered approval would match.

    Attributes:
        breadth: Its breadth as one word.
        fixed: Payload entries that must be equal, sorted by key.
        free: Names of arguments of this call that may be anything in a later one, sorted.
    """

    breadth: Breadth
    fixed: tuple[tuple[str, Any], ...]
    free: tuple[str, ...]


def reach(payload: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reach:
    """Compare a payload with the full arguments of the call.

    Args:
        payload: The payload that a remembered approval matches on.
        arguments: The full arguments.

    Raises:
        NotJsonError: An argument, or the payload entry of its name, is not JSON.
    """
    covered = {
        key for key, value in arguments.items() if key in payload and canonical(payload[key]) == canonical(value)
    }
    free = tuple(sorted(set(arguments) - covered))
    fixed = tuple(sorted(payload.items()))
    if not payload:
        return Reach(Breadth.EVERYTHING, fixed, free)
    if not free:
        return Reach(Breadth.EXACT, fixed, free)
    return Reach(Breadth.PATTERN if covered else Breadth.WIDE, fixed, free)
