"""Counts the keys that reach the program, by what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from screen_bench import Screen
from textual.events import Event, Key

from signoff.queue import StoredRequest
from signoff_tui.screens.review.open_bar import Writing

READING = frozenset(
    {"space", "b", "j", "k", "J", "K", "right_square_bracket", "left_square_bracket", "g", "G"}
    | {"up", "down", "left", "right", "pageup", "pagedown"}
)
"""Keys that only move what is seen."""


@dataclass
class Keys:
    """What was pressed.

    Attributes:
        commands: All that is neither of the others.
        reading: Keys that move what is seen.
        text: Characters that were typed into a text box.
    """

    commands: list[str] = field(default_factory=list)
    reading: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@contextmanager
def counted(seen: Screen) -> Iterator[Keys]:
    """Count the keys that the program gets meanwhile."""
    keys, app = Keys(), seen.app
    takes = app.on_event

    async def on_event(event: Event) -> None:
        # A key passes here once more on its way up from what had it first.
        if isinstance(event, Key) and not event.is_forwarded:
            if isinstance(app.review.bar, Writing) and event.is_printable:
                keys.text.append(event.key)
            else:
                (keys.reading if event.key in READING else keys.commands).append(event.key)
        await takes(event)

    app.on_event = on_event  # type: ignore[method-assign]
    yield keys
    del app.on_event


async def reads_all(seen: Screen, *requests: StoredRequest) -> None:
    """Press Space, page by page, until every line of all these was shown."""
    entries = [seen.entry(request) for request in requests]
    while not all(map(seen.is_read, entries)):
        if seen.app.review.content_visible:
            await seen.page_settled()
        if not all(map(seen.is_read, entries)):
            await seen.press("space")
    await seen.armed()
