"""A list beside a log in Textual, and nothing else: what the screen is measured beside.

python -m benchmarks.bare_textual ROWS LINES. Up and Down move in the list, Space is a page down in the log.
"""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import OptionList, RichLog


class Bare(App[None]):
    """Stock widgets.

    Args:
        rows: Rows of the list.
        lines: Lines of the log.
    """

    CSS = "OptionList { width: 40; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "page", priority=True)]

    def __init__(self, rows: int, lines: int) -> None:
        super().__init__()
        self._rows, self._lines = rows, lines

    def compose(self) -> ComposeResult:
        """The list and the log."""
        with Horizontal():
            yield OptionList(*(f"command {number}" for number in range(self._rows)))
            yield RichLog(auto_scroll=False)

    def on_mount(self) -> None:
        """Fill the log, and give the list the keys."""
        self.query_one(RichLog).write("\n".join(f"+ value_{number} = {number}" for number in range(self._lines)))
        self.query_one(OptionList).focus()

    def action_page(self) -> None:
        """Page down in the log."""
        self.query_one(RichLog).scroll_page_down(animate=False)


if __name__ == "__main__":
    Bare(*map(int, sys.argv[1:3])).run()
