"""A widget of another package opens a change, in a process of its own.

python -m benchmarks.peer_view KIND BEFORE AFTER PATCH

It runs in an environment that knows nothing of signoff, and prints one line of JSON. The stock widgets of Textual
get the patch ready made: they have no diff engine.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import RichLog, Static, TextArea

from benchmarks.peak_memory import peak_memory

SIZE = 120, 40
MOST_PAGES = 30
MOST_SECONDS = 5.0


def diff_view(before: Path, after: Path, _: Path) -> Widget:
    """Textual's own author's view of a diff, below each other as ours."""
    from textual_diff_view import DiffView

    texts = before.read_text(encoding="utf-8"), after.read_text(encoding="utf-8")
    return VerticalScroll(DiffView(str(before), str(after), *texts, split=False))


def text_area(_: Path, __: Path, patch: Path) -> Widget:
    """The editor, which may only be read."""
    return TextArea(patch.read_text(encoding="utf-8"), read_only=True)


def static(_: Path, __: Path, patch: Path) -> Widget:
    """A block of text in a scrolling container."""
    return VerticalScroll(Static(patch.read_text(encoding="utf-8"), markup=False))


def rich_log(_: Path, __: Path, patch: Path) -> Widget:
    """A log to which the lines are written."""
    log = RichLog(auto_scroll=False)
    log.write(patch.read_text(encoding="utf-8"))
    return log


KINDS: dict[str, Callable[[Path, Path, Path], Widget]] = {
    "textual-diff-view": diff_view,
    "Textual TextArea": text_area,
    "Textual Static": static,
    "Textual RichLog": rich_log,
}


class Empty(App[None]):
    """A screen to which a widget is added."""

    painted = 0

    def compose(self) -> ComposeResult:
        """Something to start with."""
        yield Static("nothing yet", id="nothing")

    def post_display_hook(self) -> None:
        """Count pictures."""
        self.painted += 1


async def opened(kind: str, paths: list[Path]) -> dict[str, float]:
    """Open, then page down to the end; processor time in milliseconds, memory in megabytes."""
    app = Empty()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        begin = time.process_time()
        view = KINDS[kind](*paths)
        await app.query_one("#nothing").remove()
        await app.mount(view)
        await _until(lambda: view.is_attached and view.size.height and _has_text(app))
        first = time.process_time() - begin
        pages, begin, until = 0, time.process_time(), time.monotonic() + MOST_SECONDS
        while view.scroll_y < view.max_scroll_y and pages < MOST_PAGES and time.monotonic() < until:
            before = app.painted
            view.scroll_page_down(animate=False)
            await pilot.pause()
            await _until(lambda: app.painted != before or time.monotonic() > until)  # noqa: B023
            pages += 1
        page = (time.process_time() - begin) / max(pages, 1)
        end = page * max(1.0, (view.max_scroll_y + view.size.height) / max(view.size.height, 1) - 1)
    memory = peak_memory()
    return {"first": 1_000 * first, "page": 1_000 * page, "end": 1_000 * (first + end), "memory": memory}


async def _until(condition: Callable[[], object]) -> None:
    """Wait for something that nobody announces."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


def _has_text(app: Empty) -> bool:
    """Whether most rows of the picture say something."""
    rows = app.screen._compositor.render_strips()  # noqa: SLF001
    return sum(bool(strip.text.strip()) for strip in rows) > 2


if __name__ == "__main__":
    print(json.dumps(asyncio.run(opened(sys.argv[1], [Path(name) for name in sys.argv[2:]]))))
