"""The registry of functions that do the actions of a place, by the names of the table of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

__all__ = ["Handlers"]

T = TypeVar("T")


class Handlers(Generic[T]):
    """The functions that do the actions of one place, by the actions' names.

    Each takes what it acts on: the object whose methods they are.

    Args:
        inherited: The handlers of the class that this one is derived from; its own take their place.
    """

    def __init__(self, inherited: Handlers[Any] | None = None) -> None:
        self._by_name: dict[str, Callable[[T], None]] = {}
        if inherited is not None:
            self._by_name = {name: partial(inherited.do, name) for name in inherited}

    def __call__(self, *names: str) -> Callable[[Callable[[T], None]], Callable[[T], None]]:
        """Mark the handler of some actions, as a decorator."""

        def mark(handler: Callable[[T], None]) -> Callable[[T], None]:
            self._by_name.update(dict.fromkeys(names, handler))
            return handler

        return mark

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def do(self, name: str, what: T) -> None:
        """Do an action.

        Raises:
            KeyError: The action has no handler.
        """
        self._by_name[name](what)
