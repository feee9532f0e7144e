"""Reading a request outside of the screen: what goes out is safe, and nothing of it counts here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, Screen, command, lines, post, screen, write

from redaction_corpus import GITHUB
from signoff.present.document.masking import mark
from signoff.queue import AgentQueue
from signoff_tui import external

KEEPS = (
    'for each in "$@"; do echo "== $(basename "$each")"; cat "$each"; done > "$KEPT"; [ $# = 0 ] && cat > "$KEPT"'
)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What pager and viewer were given; each of them is a script that waits for nobody."""
    program, kept = tmp_path / "program.sh", tmp_path / "kept"
    program.write_text(KEEPS)
    monkeypatch.setenv("KEPT", str(kept))
    monkeypatch.setenv("PAGER", f"sh {program}")
    monkeypatch.setattr(external, "_until_enter", lambda: None)
    return kept


def without_terminal(seen: Screen) -> None:
    """There is no terminal to hand over in these tests: the program runs beside the screen."""

    def hand_over(work: Callable[[], None]) -> None:
        assert seen.desk.coverages.settles_at is None, "what is not seen meanwhile is counted as shown"
        work()

    seen.app.hand_over = hand_over  # type: ignore[method-assign]


def told(file: Path) -> str:
    """What is in a file; nothing if it is not there."""
    return file.read_text() if file.exists() else ""


def fill(file: Path, text: str) -> None:
    file.write_text(text)


async def test_a_diff_goes_to_the_viewer_and_all_of_a_request_to_the_pager(
    asking: AgentQueue, place: Path, workdir: Path, kept: Path, tmp_path: Path
) -> None:
    file = workdir / "api.py"
    fill(file, "a = 1\n" + "\tx\n" * 90)
    request = post(asking, write(file, f"token = {GITHUB}\n" + "\tx\n" * 90 + "\x1b[31m\u202e\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        without_terminal(seen)
        await seen.goes_to(request)
        await seen.shows("@@ 89")
        await seen.press("|")
        await seen.shows("what was shown outside does not count as shown here")
        rows = told(kept).splitlines()
        assert rows[0] == "api.py, revision 1: all of it, secrets as marks"
        assert rows.count("  >   x") == 90
        assert f"+ token = {mark(len(GITHUB))}" in rows
        assert "+ ^[[31m<U+202E RLO>" in rows
        seen.app._office.viewer = ("sh", str(tmp_path / "program.sh"))
        await seen.press("|")
        await seen.until(lambda: "== before.py" in told(kept))
        before, after = told(kept).removeprefix("== before.py\n").split("== after.py\n")
        assert before == told(file)
        assert after == f"token = {mark(len(GITHUB))}\n" + "\tx\n" * 90 + "^[[31m<U+202E RLO>\n"


async def test_what_is_no_diff_goes_to_the_pager_and_its_failure_is_told(
    asking: AgentQueue, place: Path, workdir: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = post(asking, command("npm install", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        seen.app._office.viewer = ("false",)
        await seen.goes_to(request)
        await seen.press("|")
        await seen.shows("not shown outside: this terminal cannot be handed to another program")
        without_terminal(seen)
        await seen.press("|")
        await seen.shows("what was shown outside does not count")
        assert "\n  npm install\n" in told(kept)
        monkeypatch.setenv("PAGER", "false")
        await seen.press("|")
        await seen.shows("not shown outside: false ended with 1")


async def test_what_is_shown_outside_does_not_count_as_shown(
    asking: AgentQueue, place: Path, workdir: Path, kept: Path
) -> None:
    request = post(asking, write(workdir / "api.py", lines(300)))
    async with screen(place, size=LARGE, waiting=1) as seen:
        without_terminal(seen)
        await seen.goes_to(request)
        await seen.shows("line 20")
        await seen.press("|")
        await seen.shows("what was shown outside does not count")
        assert "line 300" in told(kept)
        assert 0 <= seen.desk.share(seen.entry(request)) < 0.2


async def test_a_held_decision_does_not_wait_for_a_pager(
    asking: AgentQueue, place: Path, workdir: Path, kept: Path
) -> None:
    for number in range(2):
        post(asking, command(f"ls {number}", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=2) as seen:
        without_terminal(seen)
        await seen.armed()
        await seen.press("n")
        await seen.shows("Tell it what to do instead")
        await seen.press("enter")
        await seen.shows(", sends in ")
        await seen.press("|")
        await seen.shows("| waits: take back what is held")
        assert not told(kept)
