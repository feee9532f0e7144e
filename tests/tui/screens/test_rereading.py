"""Readings do not overtake each other, and do not pile up."""

from __future__ import annotations

from signoff_tui.screens.rereading import Rereading


def test_what_comes_during_a_reading_is_read_once_afterwards() -> None:
    started: list[None] = []
    rereading = Rereading(lambda: started.append(None))
    for _ in range(3):
        rereading.wanted()
    assert len(started) == 1
    rereading.ended()
    assert len(started) == 2
    rereading.ended()
    assert len(started) == 2
    rereading.wanted()
    assert len(started) == 3
