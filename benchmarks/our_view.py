"""The review screen opens a change, in a process of its own: python -m benchmarks.our_view BEFORE AFTER.

It prints one line of JSON. The screen runs already and shows something small; the request comes from the queue and
stands in the list, which is painted. The time begins when the cursor is moved to it and ends when its first lines
are painted, so that reading it back and checking it is in it. What is in the list is usually made ahead, before
anybody moves to it: here that is held back.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from benchmarks.peak_memory import peak_memory
from signoff import ApprovalContext, ApprovalRequest, FileWrite, connect_agent
from signoff.effects import Effect
from signoff.queue import AgentQueue, StoredRequest, open_review_queue
from signoff.queue.amendment import PARTIAL
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff.submission import plain_submission, submission_with_snapshot
from signoff_tui.app import SignoffApp, spare_the_collector
from signoff_tui.screens.review.screen import ReviewScreen
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import RowKey

SIZE = 120, 40
MOST_PAGES = 30
CHANGED = "changed.py"
BEAT = 0.005
"""Seconds after which the loop should come round again."""

SETTLES = 1.0
"""Seconds in which everything is over that opening starts."""


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that nobody announces."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(BEAT)


class Heart:
    """Beats in the loop: what holds it up holds everything up."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def beat(self) -> None:
        """Go on for ever."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            self.longest, last = max(self.longest, now - last - BEAT), now


class Opening:
    """When a request was moved to and when it was painted, in processor time of the whole process."""

    def __init__(self, app: SignoffApp, request: StoredRequest) -> None:
        self._app, self._request = app, request
        self._shown = asyncio.Event()
        self.painted: float | None = None
        displayed = app.review.displayed

        def shows() -> None:
            view, page = app.review.document, app.review.contents.page
            of_request = page is not None and page.owner is view.owner and page.first[0] == request.id
            if self.painted is None and of_request and view.drawn:
                self.painted = time.process_time()
                self._shown.set()
            displayed()

        app.review.displayed = shows  # type: ignore[method-assign]

    async def first_page(self) -> float:
        """Move to the request; how long it takes until its first lines are painted."""
        review, inbox = self._app.review, self._app.review.desk.inbox
        under_way = review.desk.contents._wanted  # noqa: SLF001 - nothing is made ahead: that is what is measured
        under_way.add(content_key(self._request))
        await until(lambda: self._request.id in inbox)
        await asyncio.sleep(SETTLES)
        under_way.discard(content_key(self._request))
        began = time.process_time()
        inbox.move_to(RowKey("request", self._request.id))
        review.redraw()
        await self._shown.wait()
        return (self.painted or 0.0) - began


def _ask(queue: AgentQueue, effect: Effect) -> StoredRequest:
    request = ApprovalRequest(tool_name="tool", description="Change", payload={}, effects=(effect,))
    context = ApprovalContext(tool_name="tool", args={})
    plain = plain_submission(request, context, cwd=queue.agent.cwd)
    submission = submission_with_snapshot(request, plain)[0]
    # As our own file tools ask: hunk by hunk, so that the headings have marks.
    return queue.submit(replace(submission, supports=submission.supports | {PARTIAL}))


async def opened(after: bytes, folder: Path) -> dict[str, float]:
    """Open, then page down; processor time and the longest standstill in milliseconds, memory in megabytes."""
    place = folder / "queue"
    open_review_queue(place, create=True).close()
    with connect_agent("bench", session="s", place=place, cwd=str(folder)) as agent:
        _ask(agent, FileWrite(str(folder / "small.py"), b"one = 1\ntwo = 2\n"))
        spare_the_collector()  # as the program does
        app, heart = SignoffApp(open_review_queue(place), place="bench"), Heart()
        async with app.run_test(size=SIZE) as pilot:
            await until(app.review.desk.inbox.rows)
            await asyncio.sleep(SETTLES)  # somebody reads something else
            opening = Opening(app, _ask(agent, FileWrite(str(folder / CHANGED), after)))
            beating = asyncio.create_task(heart.beat())
            first = await opening.first_page()
            await asyncio.sleep(SETTLES)
            stood = heart.longest
            page, end = await _scrolled(app.review, pilot)
            beating.cancel()
    memory = peak_memory()
    times = {"first": first, "page": page, "end": first + end, "gap": stood, "gap paging": heart.longest}
    return {name: 1_000 * value for name, value in times.items()} | {"memory": memory}


async def _scrolled(review: ReviewScreen, pilot: Pilot[None]) -> tuple[float, float]:
    """Seconds for a page down, and for as many as there are to the end."""
    view, pages, begin = review.document, 0, time.process_time()
    rows = view.rest.rows
    while not view.viewport.at_end and pages < MOST_PAGES:
        view.viewport.scroll_pages(1)
        await pilot.pause()
        await until(lambda: view.drawn)
        pages += 1
    page = (time.process_time() - begin) / max(pages, 1)
    return page, page * max(rows / max(view.size.height - 1, 1), pages and 1)


def _measured(texts: Sequence[bytes]) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        os.environ[KEYS_VARIABLE] = f"{name}/keys"
        folder = Path(name).resolve()
        (folder / CHANGED).write_bytes(texts[0])
        return asyncio.run(opened(texts[1], folder))


if __name__ == "__main__":
    print(json.dumps(_measured([Path(file).read_bytes() for file in sys.argv[1:3]])))
