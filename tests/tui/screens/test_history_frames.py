"""How the history looks: list, record, filters. After a wanted change: pytest --snapshot-update, and look."""

from __future__ import annotations

import asyncio

import pytest
from frames_tour import Frame, Plan, all_tours
from syrupy.assertion import SnapshotAssertion

VIEWS = ("history", "typing", "mistake", "saved", "rejections", "nothing", "record")
PLANS = {
    "small": Plan((80, 24), VIEWS),
    "large": Plan((120, 40), VIEWS),
    "narrow ascii": Plan((50, 40), VIEWS, ascii_only=True),
}

Tours = dict[Plan, dict[str, Frame] | BaseException]


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    """The pictures of all views."""
    return asyncio.run(all_tours(tmp_path_factory.mktemp("tours"), [*PLANS.values()]))


def picture(tours: Tours, plan: str, view: str) -> Frame:
    made = tours[PLANS[plan]]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", PLANS)
def test_the_history_looks_so(plan: str, view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours) -> None:
    assert picture(tours, "narrow ascii", view).text.isascii()
