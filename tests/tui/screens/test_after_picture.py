"""Work that would hold up a picture waits for it, and for nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from signoff_tui.screens.review.frames import AfterPicture
from signoff_tui.screens.review.screen import ReviewScreen


@pytest.fixture
def pane() -> SimpleNamespace:
    """What the screen says of its content pane: it is seen, and what it shows was not painted yet."""
    return SimpleNamespace(document=SimpleNamespace(drawn=False), content_visible=True)


@pytest.fixture
def after(pane: SimpleNamespace) -> AfterPicture:
    return AfterPicture(cast("ReviewScreen", pane))


def test_work_waits_until_the_content_was_painted(after: AfterPicture, pane: SimpleNamespace) -> None:
    done: list[str] = []
    after.start(lambda: done.append("scan"))
    after.displayed()  # a picture without the content
    assert done == []
    pane.document.drawn = True
    after.displayed()
    after.displayed()
    assert done == ["scan"]


def test_work_starts_at_once_if_the_content_is_painted_already(after: AfterPicture, pane: SimpleNamespace) -> None:
    done: list[str] = []
    pane.document.drawn = True
    after.start(lambda: done.append("scan"))
    assert done == ["scan"]


def test_work_waits_for_no_picture_where_no_content_is_seen(after: AfterPicture, pane: SimpleNamespace) -> None:
    done: list[str] = []
    pane.content_visible = False
    after.start(lambda: done.append("scan"))
    assert done == ["scan"]


def test_what_waits_starts_in_its_order(after: AfterPicture, pane: SimpleNamespace) -> None:
    done: list[str] = []
    after.start(lambda: done.append("scan"))
    after.start(lambda: done.append("colors"))
    pane.document.drawn = True
    after.displayed()
    assert done == ["scan", "colors"]
