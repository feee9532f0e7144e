"""What is saved while the screen is open is read at once; what is not valid changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from rich.color import ColorType
from screen_bench import LARGE, SMALL, Screen, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.settings.resolve import Personal

Opens = Callable[..., AbstractAsyncContextManager[Screen]]
DARK = (Path(__file__).resolve().parents[3] / "themes" / "signoff-dark.yaml").read_text()


@pytest.fixture
def opens(place: Path, folder: Path) -> Opens:
    """Open the screen as `signoff` does."""

    @asynccontextmanager
    async def opened(size: tuple[int, int] = SMALL) -> AsyncIterator[Screen]:
        personal = Personal({"TERM": "xterm"})
        async with screen(place, size=size, theme=None, personal=personal) as seen:
            await seen.shows("nothing waiting")
            await seen.until(lambda: seen.app._following._watch._looks is not None, "files to be watched")
            yield seen

    return opened


def save(folder: Path, text: str, name: str = "screen.yaml") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


async def test_a_file_that_is_saved_for_the_first_time_counts(opens: Opens, folder: Path) -> None:
    async with opens() as seen:
        save(folder, "theme: signoff-light")
        await seen.shows("settings read again")
        assert seen.app.look.theme.name == "signoff-light"


async def test_a_file_that_is_not_valid_keeps_the_old_values_and_is_told(opens: Opens, folder: Path) -> None:
    save(folder, "theme: signoff-light")
    async with opens() as seen:
        save(folder, "theme: signoff-dark\nmouze: on\n")
        await seen.shows("the old settings hold: screen.yaml:2:1: mouze: is no key")
        assert seen.app.look.theme.name == "signoff-light"


async def test_times_of_the_guard_do_not_change_under_the_hand(opens: Opens, folder: Path) -> None:
    async with opens() as seen:
        before = seen.desk.guard.settings
        save(folder, "guard: {hold: 5s}")
        await seen.shows("guard, keys and mouse count from the next start")
        assert seen.desk.guard.settings == before


async def test_diffs_are_shown_as_the_file_says(opens: Opens, folder: Path) -> None:
    save(folder, "diff: {context: 7, wrap: off, layout: split}")
    async with opens(LARGE) as seen:
        document = seen.app.review.document
        assert (document.context, document.wraps, document._form.split) == (7, False, True)


async def test_a_theme_of_ones_own_is_drawn_anew_when_it_is_saved(opens: Opens, folder: Path) -> None:
    save(folder, DARK.replace("signoff-dark", "mine"), "themes/mine.yaml")
    save(folder, "theme: mine")
    async with opens() as seen:
        save(folder, DARK.replace("signoff-dark", "mine").replace("#11151c", "#123456"), "themes/mine.yaml")
        await seen.until(lambda: seen.app.look.theme.colors["background"] == "#123456", "the new color")
        await seen.until(lambda: seen.app.screen.styles.background.hex == "#123456", "it on the screen")


async def test_a_theme_that_becomes_bad_is_told_and_the_screen_stays_as_it_is(opens: Opens, folder: Path) -> None:
    save(folder, DARK.replace("signoff-dark", "mine"), "themes/mine.yaml")
    save(folder, "theme: mine")
    async with opens() as seen:
        save(folder, "name: mine", "themes/mine.yaml")
        await seen.shows("section 'colors' is missing")
        assert seen.app.look.theme.name == "mine"


# -- colors --------------------------------------------------------------------------------------------------


def colors(seen: Screen) -> set[ColorType]:
    """The kinds of color that are drawn, behind all filters."""
    styles = [segment.style for row in seen.rows for segment in row if segment.style is not None]
    return {color.type for style in styles for color in (style.color, style.bgcolor) if color is not None}


async def test_who_wants_no_color_gets_none_and_the_same_words(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "a.py").write_text("one\ntwo\n")
    post(asking, write(workdir / "a.py", "one\nthree\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("▌", "M a.py", "three")
        colored = seen.text
        assert colors(seen) == {ColorType.TRUECOLOR}
    monkeypatch.setenv("NO_COLOR", "1")
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("▌", "M a.py", "three")
        assert colors(seen) == {ColorType.DEFAULT}
        assert [line for line in seen.text.splitlines() if "three" in line] == [
            line for line in colored.splitlines() if "three" in line
        ]


async def test_the_ansi_theme_leaves_every_color_to_the_terminal(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.py").write_text("one\ntwo\n")
    post(asking, write(workdir / "a.py", "one\nthree\n"))
    async with screen(place, size=LARGE, waiting=1, theme="signoff-ansi") as seen:
        await seen.shows("three")
        assert colors(seen) == {ColorType.DEFAULT, ColorType.STANDARD}
        seen.app.use_theme("signoff-dark")
        await seen.until(lambda: ColorType.TRUECOLOR in colors(seen), "the other theme")
