"""A fault of the screen ends it, says what became of held decisions, and writes nothing of what agents sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, command, post, screen

from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui import app
from signoff_tui.fault import ScreenFaultError, fault_of
from signoff_tui.settings.resolve import ResolvedSettings


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (0, "the screen ended, no decision was held; KeyError: 'x'"),
        (1, "the screen ended, 1 decision was held: nothing was sent, its request still waits; KeyError: 'x'"),
        (2, "the screen ended, 2 decisions were held: nothing was sent, their requests still wait; KeyError: 'x'"),
    ],
)
def test_what_was_held_is_told(held: int, words: str) -> None:
    assert str(fault_of(KeyError("x"), held)) == words


async def test_a_fault_sends_nothing_and_writes_nothing_of_what_was_known(
    asking: AgentQueue,
    looking: ReviewQueue,
    place: Path,
    workdir: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    request = post(asking, command("echo hunter2", workdir))

    def fails() -> None:
        known = request
        raise LookupError(known.id)

    async def ends() -> None:
        async with screen(place, settings=HELD, waiting=1) as seen:
            await seen.reads(request)
            await seen.press("y")
            await seen.shows("u undo")
            seen.app.call_later(fails)
            await seen.until(lambda: seen.app.fault is not None, "the fault")

    with pytest.raises(LookupError):
        await ends()
    assert looking.get(request.id).pending
    assert "hunter2" not in "".join(capfd.readouterr())


def test_whoever_started_the_screen_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(screen: app.SignoffApp, **_: object) -> None:
        screen.fault = LookupError("gone")
        screen._office.close()

    monkeypatch.setattr(app.SignoffApp, "run", ends)
    monkeypatch.setattr(app, "spare_the_collector", lambda: None)
    with pytest.raises(ScreenFaultError, match="no decision was held; LookupError: gone"):
        app.run(str(place), chosen=ResolvedSettings())
