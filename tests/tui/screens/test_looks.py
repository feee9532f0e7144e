"""How every screen looks: one in every theme, all in one, some on a small screen, and in ASCII characters.

After a wanted change: pytest --snapshot-update, then look at what draw_looks.py makes of the stored pictures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from color_contrast import contrast
from frames_tour import Plan
from looks_form import Shot, as_text, from_text
from looks_tour import ALL_LOOKS, NO_COLOR, VIEWS, all_looks
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from signoff_tui.text.themes import DEFAULT_THEME, LIGHT_THEME, builtin_themes

pytestmark = pytest.mark.xdist_group("looks")

OVERVIEW = ("inbox", "request", "group", "allow", "held")
"""Views that are looked at on a small screen as well."""

PLANS = {
    "large": (Plan((120, 40), VIEWS), ALL_LOOKS),
    "small": (Plan((80, 24), OVERVIEW), (DEFAULT_THEME, LIGHT_THEME, NO_COLOR)),
    "ascii": (
        Plan((50, 40), tuple(view for view in VIEWS if view != "split"), ascii_only=True),
        (DEFAULT_THEME, NO_COLOR),
    ),
}
IN_ALL_LOOKS = ("large", "request")
"""The view that is stored in every look; the others in one. Another theme changes its own
pictures of it, and those of the palette and the choice, where themes are listed."""

PICTURES = [
    (plan, view)
    for plan, (visited, _) in PLANS.items()
    for view in visited.views
    if plan != "ascii" or view in OVERVIEW
]
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


@pytest.fixture(scope="module")
def texts(tours: Tours) -> Callable[[str, str], str]:
    """What is stored of a view of a plan."""
    return cache(lambda plan, view: as_text(stored(tours, plan, view)))


def stored(tours: Tours, plan: str, view: str) -> dict[str, Shot]:
    """The pictures of a view that are stored."""
    taken = shots(tours, plan, view)
    return taken if (plan, view) == IN_ALL_LOOKS else {DEFAULT_THEME: taken[DEFAULT_THEME]}


@SIZED
def test_a_view_looks_so(plan: str, view: str, texts: Callable[[str, str], str], look: SnapshotAssertion) -> None:
    assert texts(plan, view) == look


COLORED = [
    pytest.param(plan, look, id=f"{plan}-{look}")
    for plan, (_, looks) in PLANS.items()
    for look in looks
    if look != NO_COLOR
]


def painted_cells(tours: Tours, plan: str, look: str) -> set[tuple[str, str]]:
    """What is on any screen of a plan; the choice of a theme shows the others as well."""
    views = [view for view in PLANS[plan][0].views if view != "themes"]
    return {cell for view in views for row in shots(tours, plan, view)[look] for cell in row}


@pytest.mark.parametrize(("plan", "look"), COLORED)
def test_every_color_on_the_screen_is_one_of_the_theme(plan: str, look: str, tours: Tours) -> None:
    theme = builtin_themes()[look]
    known = {color.removeprefix("ansi_") for color in (*theme.colors.values(), *theme.syntax.values())} | {"-"}
    seen = painted_cells(tours, plan, look)
    assert {cell for cell in seen if not {*colors_of(cell)} <= known} == set()


@pytest.mark.parametrize(("plan", "look"), [case for case in COLORED if "ansi" not in case.values[1]])
def test_every_word_on_the_screen_can_be_read(plan: str, look: str, tours: Tours) -> None:
    words = {cell for cell in painted_cells(tours, plan, look) if cell[0].isalnum()}
    assert {cell for cell in words if contrast(*colors_of(cell)) < 4.5} == set()


@pytest.mark.parametrize("plan", PLANS)
def test_nothing_is_colored_where_no_color_is_wanted(plan: str, tours: Tours) -> None:
    colors = {color for cell in painted_cells(tours, plan, NO_COLOR) for color in colors_of(cell)}
    assert colors == {"-", "default"}


def test_ascii_mode_draws_nothing_but_ascii(tours: Tours) -> None:
    assert {letter for letter, _ in painted_cells(tours, "ascii", NO_COLOR) if not letter.isascii()} == set()


@SIZED
def test_what_is_stored_can_be_drawn_again(
    plan: str, view: str, tours: Tours, texts: Callable[[str, str], str]
) -> None:
    taken = stored(tours, plan, view)
    assert from_text(texts(plan, view)) == {look: [list(row) for row in shot] for look, shot in taken.items()}


def colors_of(cell: tuple[str, str]) -> tuple[str, str]:
    """Foreground and background."""
    foreground, background = cell[1].partition(" ")[0].split("/")
    return foreground, background
