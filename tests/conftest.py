"""A queue of its own for a test, and somebody who answers in it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from answering import Answer, Reviewer
from signoff.connecting import connect_agent
from signoff.queue import AgentQueue, ReviewQueue, open_review_queue
from system_bench import environment


def pytest_configure() -> None:
    """Make the suite independent of how busy the machine is and of who started it."""
    # A slow machine is no failure.
    slow_is_fine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("signoff", slow_is_fine)
    settings.load_profile("signoff")
    _let_programs_be_interrupted()


def _let_programs_be_interrupted() -> None:
    """A shell starts what runs in the background with interrupts ignored, and children inherit that."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user of this machine keeps for signoff has no say in tests, and is not touched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("SIGNOFF_KEYS_DIR", str(tmp_path_factory.mktemp("keys")))
        for name in ("SIGNOFF_SETTINGS", "SIGNOFF_THEME"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the queue of this test is; also what ``SIGNOFF_QUEUE`` says."""
    place = tmp_path / "queue"
    monkeypatch.setenv("SIGNOFF_QUEUE", str(place))
    open_review_queue(place, create=True).close()
    return place


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """An empty directory that tools work in, without links in its path."""
    workdir = (tmp_path / "work").resolve()
    workdir.mkdir()
    return workdir


@pytest.fixture
def asking(place: Path, workdir: Path) -> Iterator[AgentQueue]:
    """The connection of an agent named tester."""
    with connect_agent("tester", session="s-1", place=place, cwd=str(workdir)) as queue:
        yield queue


@pytest.fixture
def looking(place: Path) -> Iterator[ReviewQueue]:
    """The connection of a reviewer who looks at the history."""
    with open_review_queue(place) as queue:
        yield queue


@pytest.fixture
def reviewed(place: Path) -> Iterator[Callable[[Answer], Reviewer]]:
    """Start a reviewer who answers every request with a function, until the end of the test."""
    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(Reviewer(place, answer))


@pytest.fixture
def variables(place: Path, workdir: Path) -> dict[str, str]:
    """What programs of the test are started with."""
    (workdir / "tmp").mkdir()
    return environment(workdir, SIGNOFF_QUEUE=str(place))
