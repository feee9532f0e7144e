"""What listens for SIGCONT."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from signoff_tui.terminal.sigcont import Standstill


@pytest.fixture(autouse=True)
def _handlers_stay() -> Iterator[None]:
    before = signal.getsignal(signal.SIGCONT)
    yield
    signal.signal(signal.SIGCONT, before)


def test_it_tells_that_the_process_goes_on() -> None:
    told: list[str] = []
    standstill = Standstill(lambda: told.append("went on"))
    standstill.listen()
    os.kill(os.getpid(), signal.SIGCONT)
    assert told == ["went on"]


def test_whoever_listened_before_is_told_too() -> None:
    told: list[str] = []
    signal.signal(signal.SIGCONT, lambda *_: told.append("before"))
    Standstill(lambda: told.append("went on")).listen()
    os.kill(os.getpid(), signal.SIGCONT)
    assert told == ["went on", "before"]


def test_the_signal_is_given_back() -> None:
    before = signal.getsignal(signal.SIGCONT)
    standstill = Standstill(lambda: None)
    standstill.listen()
    standstill.stop()
    assert signal.getsignal(signal.SIGCONT) is before


def test_a_thread_that_gets_no_signals_listens_to_none() -> None:
    before = signal.getsignal(signal.SIGCONT)
    thread = threading.Thread(target=Standstill(lambda: None).listen)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGCONT) is before
