"""How every view looks, at the sizes people have. After a wanted change: pytest --snapshot-update, and look."""

from __future__ import annotations

import asyncio

import pytest
from frames_tour import Frame, Plan, all_tours
from syrupy.assertion import SnapshotAssertion

VIEWS = (
    "empty", "inbox", "command", "remember", "feedback", "stop", "stop agent", "unseen", "quit", "diff", "new",
    "structured", "text", "high", "group", "held", "help",
)  # fmt: skip
OVERVIEW = ("inbox", "diff", "group", "remember")
"""Views that are looked at in sizes that most people do not have."""

SMALL, LARGE = Plan((80, 24), VIEWS), Plan((120, 40), VIEWS)
NARROW, WIDE = Plan((50, 40), OVERVIEW), Plan((200, 50), OVERVIEW)
ASCII = Plan((80, 24), VIEWS, ascii_only=True)

Tours = dict[Plan, dict[str, Frame] | BaseException]


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    """The pictures of all views."""
    return asyncio.run(all_tours(tmp_path_factory.mktemp("tours"), [SMALL, LARGE, NARROW, WIDE, ASCII]))


def picture(tours: Tours, plan: Plan, view: str) -> Frame:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
def test_a_small_screen(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, SMALL, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_a_large_screen(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, LARGE, view).text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_side_pane(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, NARROW, view).text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_wide_screen(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, WIDE, view).text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_screen_of_ascii_characters(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, ASCII, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours) -> None:
    assert picture(tours, ASCII, view).text.isascii()


@pytest.mark.parametrize("view", ["inbox", "diff", "remember"])
def test_colors_and_emphasis(view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, SMALL, view).runs == snapshot
