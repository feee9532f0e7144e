"""How every view looks, at the sizes people have. After a wanted change: pytest --snapshot-update, and look."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from frames_tour import Frame, frozen, tour
from syrupy.assertion import SnapshotAssertion

VIEWS = [
    "empty", "inbox", "command", "remember", "feedback", "stop", "stop agent", "unseen", "quit", "diff", "new",
    "structured", "text", "high", "group", "held", "history", "record", "help",
]  # fmt: skip
OVERVIEW = ["inbox", "diff", "group", "remember", "history"]
"""Views that are looked at in sizes and modes that most people do not have."""

Tours = dict[tuple[tuple[int, int], bool], dict[str, Frame]]
"""What was seen at a size, in a mode; nothing if the tour was broken off."""


@pytest.fixture(scope="module")
def tours() -> Tours:
    """Tours that were made, by size and mode."""
    return {}


def visit(tours: Tours, folder: Path, size: tuple[int, int], *, ascii_only: bool = False) -> dict[str, Frame]:
    """The pictures of a tour, made once."""
    if (size, ascii_only) not in tours:
        tours[size, ascii_only] = {}
        with frozen() as clock:
            tours[size, ascii_only] = asyncio.run(tour(folder / "queue", size, clock, ascii_only=ascii_only))
    return tours[size, ascii_only]


@pytest.mark.parametrize("view", VIEWS)
def test_a_small_screen(view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert visit(tours, tmp_path, (80, 24))[view].text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_a_large_screen(view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert visit(tours, tmp_path, (120, 40))[view].text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_side_pane(view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert visit(tours, tmp_path, (50, 40))[view].text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_wide_screen(view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert visit(tours, tmp_path, (200, 50))[view].text == snapshot


@pytest.mark.parametrize("view", OVERVIEW)
def test_a_screen_of_ascii_characters(
    view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert visit(tours, tmp_path, (80, 24), ascii_only=True)[view].text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours, tmp_path: Path) -> None:
    assert visit(tours, tmp_path, (80, 24), ascii_only=True)[view].text.isascii()


@pytest.mark.parametrize("view", ["inbox", "diff", "remember"])
def test_colors_and_emphasis(view: str, tours: Tours, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert visit(tours, tmp_path, (80, 24))[view].runs == snapshot
