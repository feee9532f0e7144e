"""How every screen looks in every theme, without colors and in ASCII characters.

After a wanted change: pytest --snapshot-update, then look at what draw_looks.py makes of the stored pictures.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from frames_tour import Plan
from looks_form import Shot, as_text, from_text
from looks_tour import ALL_LOOKS, NO_COLOR, VIEWS, all_looks
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from test_themes import contrast

from signoff_tui.themes import DEFAULT_THEME, LIGHT_THEME, Theme, builtin_themes

pytestmark = pytest.mark.xdist_group("looks")

OVERVIEW = ("inbox", "request", "group", "message", "remember", "stop", "held", "record", "memory", "agents")
"""Views that are looked at on a small screen as well."""

PLANS = {
    "large": (Plan((120, 40), VIEWS), ALL_LOOKS),
    "small": (Plan((80, 24), OVERVIEW), (DEFAULT_THEME, LIGHT_THEME, NO_COLOR)),
    "ascii": (Plan((50, 40), tuple(view for view in VIEWS if view != "split"), ascii_only=True), (DEFAULT_THEME, NO_COLOR)),
}
PICTURES = [(plan, view) for plan, (visited, _) in PLANS.items() for view in visited.views]
SIZED = pytest.mark.parametrize(("plan", "view"), PICTURES, ids=[f"{plan}-{view}" for plan, view in PICTURES])
Tours = dict[str, Any]


class Looks(SingleFileSnapshotExtension):
    """One file of text for each view."""

    _write_mode = WriteMode.TEXT
    file_extension = "look"


@pytest.fixture
def look(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The stored picture."""
    return snapshot.use_extension(Looks)


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    """The pictures of all views."""
    return asyncio.run(all_looks(tmp_path_factory.mktemp("looks"), PLANS))


def shots(tours: Tours, plan: str, view: str) -> dict[str, Shot]:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    taken: dict[str, Shot] = made[view]
    return taken


@SIZED
def test_a_view_in_all_looks(plan: str, view: str, tours: Tours, look: SnapshotAssertion) -> None:
    assert as_text(shots(tours, plan, view)) == look
