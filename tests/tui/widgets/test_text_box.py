"""What gets into the box for one line of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import SMALL, screen
from textual.app import App, ComposeResult

from signoff_tui.widgets.text_box import TextBox


class Boxed(App[None]):
    """An application with one box."""

    def compose(self) -> ComposeResult:
        yield TextBox()


async def test_nothing_that_cannot_be_seen_gets_into_the_box_wherever_it_comes_from() -> None:
    async with Boxed().run_test() as pilot:
        box = pilot.app.query_one(TextBox)
        box.value = "docs\u3164bot\u115f \u202ea"
        assert box.value == "docsbot a"


@pytest.mark.parametrize(
    "opened_with", [("colon",), ("slash",), ("3", "slash")], ids=["palette", "filter", "history"]
)
async def test_no_key_that_a_box_knows_ends_the_screen(tmp_path: Path, opened_with: tuple[str, ...]) -> None:
    async with screen(tmp_path / "queue", size=SMALL) as seen:
        await seen.shows("nothing waiting")
        await seen.press(*opened_with)
        box = seen.app.screen.query_one(TextBox)
        for key in sorted(box._bindings.key_to_bindings):
            await seen.press(key)
            if not box.has_focus:
                await seen.press(*opened_with[-1:])
        assert seen.app.is_running
