"""What gets into the box for one line of text."""

from __future__ import annotations

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
