"""A picture waits for contents that are about to be there, and nothing counts as shown meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from screen_bench import LARGE, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.screens.review import contents as review_contents
from signoff_tui.screens.review.frames import PATIENCE_SECONDS, Patience
from signoff_tui.state.documents import ContentKey
from signoff_tui.state.inbox import RowKey

ONE: ContentKey = ("one", 1, "digest")
OTHER: ContentKey = ("other", 1, "digest")


def test_a_picture_waits_for_contents_that_are_being_made() -> None:
    patience = Patience()
    assert patience.begins(ONE, 0.0)
    assert patience.waits


def test_it_waits_no_longer_once_they_are_there() -> None:
    patience = Patience()
    patience.begins(ONE, 0.0)
    assert not patience.begins(None, 0.01)
    assert not patience.waits


def test_it_does_not_wait_longer_than_it_may() -> None:
    patience = Patience()
    patience.begins(ONE, 0.0)
    assert patience.begins(ONE, PATIENCE_SECONDS / 2)
    assert not patience.begins(ONE, PATIENCE_SECONDS)


def test_for_the_same_contents_it_waits_once() -> None:
    patience = Patience()
    patience.begins(ONE, 0.0)
    patience.ends()
    patience.painted()
    assert not patience.begins(ONE, 1.0)


def test_it_never_waits_twice_without_a_picture_between() -> None:
    patience = Patience()
    patience.begins(ONE, 0.0)
    assert not patience.begins(OTHER, 0.01)


def test_after_a_picture_it_waits_for_other_contents() -> None:
    patience = Patience()
    patience.begins(ONE, 0.0)
    patience.begins(None, 0.01)
    patience.painted()
    assert patience.begins(OTHER, 0.02)


async def test_while_a_picture_is_owed_nothing_is_armed_or_counts_and_a_key_has_it_drawn(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = post(asking, write(workdir / "first.txt", "one\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.until(lambda: seen.is_read(seen.entry(first)), "the first is read")
        review, office, ready = seen.app.review, seen.app._office, asyncio.Event()
        make, begins = office.content, review.contents.patience.begins

        async def made_late(*arguments: Any, **options: Any) -> Any:
            await ready.wait()
            return await make(*arguments, **options)

        monkeypatch.setattr(office, "content", made_late)
        monkeypatch.setattr(review.contents.patience, "begins", lambda missing, _: begins(missing, 0.0))
        monkeypatch.setattr(review_contents, "PATIENCE_SECONDS", 60.0)
        second = post(asking, write(workdir / "second.txt", "two\n"))
        await seen.until(lambda: second.id in seen.desk.inbox)
        await seen.goes_to_row(RowKey("request", second.id))
        assert review.contents.patience.waits

        pictures: list[None] = []
        displayed = review.displayed
        monkeypatch.setattr(review, "displayed", lambda: pictures.append(displayed()))
        review.document.refresh()
        await seen.until(lambda: pictures, "a picture of something else")
        assert (seen.armed_at, seen.desk.coverages.settles_at) == (None, None)
        await seen.press("y")
        await seen.shows("preparing what this would do")
        assert not any(seen.entry(request).held for request in (first, second))

        ready.set()
        await seen.until(lambda: seen.is_read(seen.entry(second)), "the second is read")
