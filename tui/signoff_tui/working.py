"""What a screen does beside drawing, without holding it up."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode
from textual.worker import WorkType

__all__ = ["run_beside"]


def run_beside(
    node: DOMNode, act: Callable[[], Coroutine[Any, Any, None]], *, group: str, exclusive: bool = False
) -> None:
    """Do something in a worker of a screen.

    It is given as what makes the coroutine, not as a coroutine: one that is cancelled before it began would
    otherwise be left behind, never awaited.

    Args:
        node: The screen, or the program, with which it ends.
        act: What to do.
        group: Name of what belongs together.
        exclusive: Whether what runs in the group already is cancelled.
    """
    work: WorkType[None] = act
    node.run_worker(work, group=group, exclusive=exclusive)
