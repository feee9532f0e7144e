"""Spans of a text that are worked out when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

__all__ = ["Later"]

_Item = TypeVar("_Item")


class Later(Sequence[_Item], Generic[_Item]):
    """A tuple that is made at its first use, and equal to that tuple.

    Args:
        make: Makes it.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[_Item, ...]]) -> None:
        self._make = make
        self._made: tuple[_Item, ...] | None = None

    def _all(self) -> tuple[_Item, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, at: int) -> _Item: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, at: int | slice) -> _Item | tuple[_Item, ...]:
        return self._all()[at]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())
