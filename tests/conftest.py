"""A queue of its own for a test, and somebody who answers in it."""

from __future__ import annotations

import gc
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from answering import Answer, Reviewer
from signoff.connection import connect_agent
from signoff.queue import AgentQueue, ReviewQueue, open_review_queue
from signoff.queue.keys.identity import signer_for
from system_bench import environment


def pytest_configure() -> None:
    """Make the suite independent of how busy the machine is and of who started it."""
    # A slow machine is no failure. Each run draws other examples, so that few of them are many in a week.
    slow_is_fine = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


LONGEST = {"test_system_bytes", "test_system_pty", "test_system_tmux"}
"""Files that alone take as long as many others."""

GARBAGE = (10_000, 50, 100)
"""When the garbage collector looks. A screen makes and drops so many objects that it looked all the time."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What was loaded stays to the end: looking through it again and again took a fifth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that mostly wait take turns with files that compute, so that processors are neither idle nor crowded.

    What takes long begins early: real terminals wait most, the tests of the screen compute most.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    waiting = [found for found in files.values() if found[0].get_closest_marker("system")]
    computing = [found for found in files.values() if not found[0].get_closest_marker("system")]
    waiting.sort(key=lambda found: found[0].path.stem not in LONGEST)
    computing.sort(key=lambda found: "tui" not in found[0].path.parts)
    turns = (found for both in zip_longest(waiting, computing, fillvalue=[]) for found in both)
    items[:] = [item for found in turns for item in found]


@pytest.fixture(scope="session", autouse=True)
def _own_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user of this machine keeps for signoff has no say in tests, and is not touched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("SIGNOFF_KEYS_DIR", str(tmp_path_factory.mktemp("keys")))
        for name in ("SIGNOFF_SETTINGS", "SIGNOFF_THEME"):
            patch.delenv(name, raising=False)
        signer_for()  # the key is there from the first test on, whichever that is: agents trust what they find
        yield


@pytest.fixture(scope="session")
def new_queue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A queue that nobody has used. Nobody may: to copy it takes a tenth of what it takes to make one."""
    place = tmp_path_factory.mktemp("new") / "queue"
    open_review_queue(place, create=True).close()
    return place


@pytest.fixture
def place(new_queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the queue of this test is; also what ``SIGNOFF_QUEUE`` says."""
    place = tmp_path / "queue"
    monkeypatch.setenv("SIGNOFF_QUEUE", str(place))
    shutil.copytree(new_queue, place)
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
