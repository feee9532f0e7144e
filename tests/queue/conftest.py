"""Fixtures of the conformance suite: every engine has to pass the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from queue_engines import ENGINES, NAMED, Opener

from signoff.queue import AgentQueue, ReviewQueue
from signoff.queue.sql import answers
from signoff.queue.sql import review_queue as reviewing

WITH_ROLES = frozenset(
    f"test_queue_{name}"
    for name in (
        "amendment",
        "deciding",
        "ending",
        "history",
        "releasing",
        "replacing",
        "submitting",
        "waiting",
    )
)
"""The modules whose tests run with roles, too: of asking and deciding, as far as nobody goes around the queue."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of the suite on every engine, or on those that it names."""
    if "opener" not in metafunc.fixturenames or "opener" in vars(metafunc.module):  # some have their own
        return
    chosen = metafunc.definition.get_closest_marker("engines")
    usual = [name for name in ENGINES if name != "roles" or metafunc.module.__name__ in WITH_ROLES]
    metafunc.parametrize("opener", chosen.args if chosen else usual, indirect=True)


@pytest.fixture
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """One empty queue of the engine under test."""
    opener = NAMED[request.param](tmp_path)
    yield opener
    opener.close()


@pytest.fixture
def open_agent(opener: Opener) -> Callable[..., AgentQueue]:
    """Connect an agent: ``open_agent(name=…, session=…)``."""
    return opener.agent


@pytest.fixture
def open_review(opener: Opener) -> Callable[..., ReviewQueue]:
    """Connect a reviewer: ``open_review(reviewer=…)``."""
    return opener.review


@pytest.fixture
def agent(open_agent: Callable[..., AgentQueue]) -> AgentQueue:
    """An agent named refactor in session s-41."""
    return open_agent()


@pytest.fixture
def review(open_review: Callable[..., ReviewQueue]) -> ReviewQueue:
    """A reviewer named anna."""
    return open_review()


@pytest.fixture
def only_bells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sleepers look again when they are rung, and at no other time."""
    for module in (answers, reviewing):
        monkeypatch.setattr(module, "RELOOK_SECONDS", 3600.0)
