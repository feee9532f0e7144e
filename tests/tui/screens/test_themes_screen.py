"""The first start asks for a theme; what is chosen is used, written down, and not asked again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.app import SignoffApp
from signoff_tui.settings import load_settings
from signoff_tui.settings.resolve import Personal
from signoff_tui.terminal.background import BackgroundTold
from signoff_tui.text.themes import builtin_themes

Opens = Callable[..., AbstractAsyncContextManager[Screen]]
FIRST, *_, LAST = builtin_themes()
WHITE, BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)


@pytest.fixture
def opens(place: Path, folder: Path) -> Opens:
    """Open the screen as `signoff` does."""

    @asynccontextmanager
    async def opened(size: tuple[int, int] = SMALL, **variables: str) -> AsyncIterator[Screen]:
        personal = Personal({"TERM": "xterm", **variables})
        asks = not personal.choose().theme_was_chosen
        async with screen(place, size=size, theme=None, personal=personal, asks_for_theme=asks) as seen:
            yield seen

    return opened


def save(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "screen.yaml").write_text(text)


def files_in(folder: Path) -> list[Path]:
    return list(folder.glob("*"))


async def test_the_first_start_shows_every_theme_and_writes_the_chosen_one_down(
    opens: Opens, folder: Path
) -> None:
    async with opens(size=LARGE) as seen:
        await seen.shows("which one do you read best?")
        for name in builtin_themes():
            await seen.shows(name)
        await seen.press("G", "enter")
        await seen.shows(f"theme {LAST}, written to your settings")
        assert seen.app.look.theme.name == LAST
    assert load_settings(folder / "screen.yaml").theme == LAST


async def test_esc_writes_nothing(opens: Opens, folder: Path) -> None:
    async with opens() as seen:
        await seen.shows("which one do you read best?")
        await seen.press("escape")
        await seen.shows("nothing waiting")
    assert files_in(folder) == []


async def test_the_question_is_no_way_to_decide(opens: Opens, asking: AgentQueue, tmp_path: Path) -> None:
    posted = post(asking, write(tmp_path / "a.txt", "a"))
    async with opens() as seen:
        await seen.shows("which one do you read best?")
        await seen.press("y", "y", "enter", "y")
        assert seen.desk.inbox.entry(posted.id) is not None


async def test_who_chose_before_is_not_asked(opens: Opens, folder: Path) -> None:
    save(folder, "mouse: on\n")
    async with opens() as seen:
        await seen.shows("nothing waiting")


async def test_who_starts_it_with_a_theme_is_not_asked(opens: Opens) -> None:
    async with opens(SIGNOFF_THEME="signoff-contrast") as seen:
        await seen.shows("nothing waiting")


async def test_the_choice_is_there_at_any_time(opens: Opens, folder: Path) -> None:
    async with opens(SIGNOFF_THEME="signoff-dark") as seen:
        await seen.shows("nothing waiting")
        seen.app.go("themes")
        await seen.press("g", "j", "enter")
        await seen.shows(f"theme {FIRST}, written to your settings")
    assert load_settings(folder / "screen.yaml").theme == FIRST


async def test_where_it_cannot_be_written_the_theme_is_used_and_that_is_told(opens: Opens, folder: Path) -> None:
    save(folder, "{mouse: on}\n")
    async with opens() as seen:
        seen.app.go("themes")
        await seen.press("g", "j", "enter")
        await seen.shows("not written: put")
        assert seen.app.look.theme.name == FIRST


async def test_the_first_choice_is_auto_which_stays_what_it_says(opens: Opens, folder: Path) -> None:
    async with opens() as seen:
        await seen.shows("auto", "as the terminal is: now signoff-dark")
        seen.app.post_message(BackgroundTold(WHITE))
        await seen.shows("as the terminal is: now signoff-light")
        await seen.press("enter")
        await seen.shows("theme auto, written to your settings")
        assert seen.app.look.theme.name == "signoff-light"
        seen.app.post_message(BackgroundTold(BLACK))
        await seen.until(lambda: seen.app.look.theme.name == "signoff-dark")
    assert load_settings(folder / "screen.yaml").theme == "auto"


async def test_a_theme_chosen_by_name_does_not_follow_the_terminal(opens: Opens) -> None:
    async with opens(SIGNOFF_THEME="auto") as seen:
        seen.app.use_theme("signoff-dark")
        seen.app.post_message(BackgroundTold(WHITE))
        await seen.press("f5")
        assert seen.app.look.theme.name == "signoff-dark"
        seen.app.use_theme("auto")
        assert seen.app.look.theme.name == "signoff-light"


@pytest.mark.parametrize(("variable", "used"), [("0;15", "signoff-light"), ("15;0", "signoff-dark")])
async def test_auto_follows_the_environment_where_the_terminal_does_not_answer(
    opens: Opens, variable: str, used: str
) -> None:
    async with opens(SIGNOFF_THEME="auto", COLORFGBG=variable) as seen:
        await seen.press("f5")
        assert seen.app.look.theme.name == used


async def test_the_answer_of_the_terminal_counts_more_than_the_environment(opens: Opens) -> None:
    async with opens(SIGNOFF_THEME="auto", COLORFGBG="0;15") as seen:
        seen.app.post_message(BackgroundTold(BLACK))
        await seen.until(lambda: seen.app.look.theme.name == "signoff-dark")


@pytest.mark.parametrize("background", [WHITE, BLACK])
async def test_with_sixteen_colors_auto_is_the_theme_in_the_colors_of_the_terminal(
    opens: Opens, monkeypatch: pytest.MonkeyPatch, background: tuple[float, float, float]
) -> None:
    monkeypatch.setattr(SignoffApp, "has_few_colors", True)
    async with opens(SIGNOFF_THEME="auto") as seen:
        seen.app.post_message(BackgroundTold(background))
        await seen.press("f5")
        assert seen.app.look.theme.name == "signoff-ansi"


@pytest.mark.parametrize(
    ("theme", "background", "used"),
    [
        ("auto", WHITE, "signoff-light"),
        ("auto", BLACK, "signoff-dark"),
        ("signoff-contrast", WHITE, "signoff-contrast"),
    ],
)
async def test_auto_follows_the_background_of_the_terminal(
    opens: Opens, theme: str, background: tuple[float, float, float], used: str
) -> None:
    async with opens(SIGNOFF_THEME=theme) as seen:
        seen.app.post_message(BackgroundTold(background))
        await seen.press("f5")
        assert seen.app.look.theme.name == used


async def test_on_a_light_background_the_terminals_own_yellow_and_green_are_not_used(opens: Opens) -> None:
    async with opens(SIGNOFF_THEME="signoff-ansi") as seen:
        assert seen.app.look.theme.colors["warn"] == "ansi_yellow"
        seen.app.post_message(BackgroundTold(WHITE))
        await seen.press("f5")
        theme = seen.app.look.theme
        assert theme.name == seen.app.theme == "signoff-ansi"
        assert not {"ansi_yellow", "ansi_green", "ansi_cyan"} & {*theme.colors.values()}
        seen.app.use_theme("signoff-light")
        assert seen.app.look.theme.name != "signoff-ansi"


async def test_with_sixteen_colors_no_other_is_written(opens: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignoffApp, "has_few_colors", True)
    async with opens(LARGE, SIGNOFF_THEME="signoff-light") as seen:
        colors = seen.app.look.theme.colors
        assert {each for each in colors.values() if not each.startswith("ansi_")} == set()
        seen.app.go("themes")
        await seen.shows("Enter writes it")
        pieces = [piece for row in seen.rows for piece in row if piece.style is not None]
        used = {color for piece in pieces for color in (piece.style.color, piece.style.bgcolor) if color}
        assert {color.name for color in used if color.is_system_defined} == {color.name for color in used}


async def test_each_sample_has_the_colors_of_its_theme(opens: Opens) -> None:
    async with opens(LARGE) as seen:
        await seen.shows("which one do you read best?")
        for theme in builtin_themes().values():
            if not theme.ansi:
                row = next(at for at, line in enumerate(seen.frame) if theme.name in line)
                (removed,) = [piece for piece in seen.rows[row + 1] if "retries" in piece.text]
                assert removed.style is not None
                assert removed.style.bgcolor is not None
                assert removed.style.bgcolor.name == theme.colors["del-bg"]
