"""A tour through the screens in which each is painted in every look before the next one is visited."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from frames_shop import HOME, SECOND, START, Clock, _shell, decide_some, fill, frozen, new_clock
from frames_tour import STILL, Plan, goes_to, opens, quiet, stands_on
from looks_form import Cell, Shot, cells
from msgspec.structs import replace
from rules_bench import at_home, change, trusted_rules
from screen_bench import HELD, Cable, Screen, screen

from signoff.queue import AgentInfo, Decision, ReviewQueue, StoredRequest, open_agent_queue, open_review_queue
from signoff_tui import context
from signoff_tui.screens.rules import screen as rules_screen
from signoff_tui.state.inbox import RowKey
from signoff_tui.text.themes import DEFAULT_THEME, builtin_themes

NO_COLOR = "no-color"
THEMES = (DEFAULT_THEME, *(name for name in builtin_themes() if name != DEFAULT_THEME))
ALL_LOOKS = (*THEMES, NO_COLOR)
VIEWS = (
    "empty", "inbox", "request", "split", "new", "high", "group", "message", "allow", "stop", "unseen", "quit",
    "approve", "tagged", "filtered", "held",
    "details", "help", "palette", "themes", "history", "record", "agents", "rules", "change", "lost",
)  # fmt: skip

Shots = Mapping[str, Shot]
"""Pictures of one view by the names of the looks."""

_IDS: ContextVar[Iterator[int]] = ContextVar("_IDS")


class Album:
    """Pictures of views in looks.

    Args:
        wanted: Names of the views whose pictures are kept.
        looks: In what looks they are painted.
    """

    def __init__(self, wanted: Sequence[str], looks: Sequence[str]) -> None:
        self.wanted = wanted
        self.looks = looks
        self.shots: dict[str, Shots] = {}

    async def take(self, name: str, seen: Screen) -> None:
        """Take pictures when the screen stands still, if they are wanted."""
        if name not in self.wanted:
            return
        before = ""
        while before != (before := seen.text):  # noqa: ASYNC110 - nobody announces that nothing happens any more
            await asyncio.sleep(STILL)
        # The look in which the tour goes on comes last: each change works out all styles anew.
        shots = {look: await self._painted(look, seen) for look in reversed(self.looks)}
        self.shots[name] = {look: shots[look] for look in self.looks}

    async def _painted(self, look: str, seen: Screen) -> Shot:
        seen.app.no_color = look == NO_COLOR
        seen.app._paint_in(self.looks[0] if look == NO_COLOR else look)
        await seen.app._flush_next_callbacks()  # Textual works out the styles a little later
        return [_steady(cells(row)) for row in seen.rows]


def _steady(row: list[Cell]) -> list[Cell]:
    """The same row without what is left of times, and of digests of them."""
    written = "".join(letter for letter, _ in row)
    for found in re.finditer(r"\b\d\d(?= s\b)|(?<=   )\d\d(?=│)|(?<=sha256 )[0-9a-f]+", written):
        for place in range(*found.span()):
            row[place] = ("0", row[place][1])
    return row


async def all_looks(folder: Path, plans: Mapping[str, tuple[Plan, Sequence[str]]]) -> dict[str, Any]:
    """Make several tours at the same time: most of each is waiting.

    Args:
        folder: An empty folder.
        plans: What to visit, and in what looks.

    Returns:
        The pictures of each plan, or what went wrong.
    """
    with frozen(), _same_everywhere(folder):
        tours = [
            _tour(folder / f"queue-{number}", plan, looks, 1_000 * number + 1)
            for number, (plan, looks) in enumerate(plans.values())
        ]
        return dict(zip(plans, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@contextmanager
def _same_everywhere(folder: Path) -> Iterator[None]:
    """The same identifiers, processes and rule files wherever and whenever the test runs."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("agent_queue", "grants"):
            patch.setattr(f"signoff.queue.sql.{module}.new_id", lambda: f"{next(_IDS.get()):0>8}abcdefghjkmn")
        patch.setattr("signoff.queue.sql.agent_queue.os", SimpleNamespace(getpid=lambda: 4101))
        patch.setattr("signoff.queue.sql.agent_queue.this_host", lambda: "shop")
        patch.setattr(context, "RETRY_SECONDS", 0.02)
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        trusted_rules(folder / "shop")
        change(trusted_rules(folder / "site", name="site.yaml"))
        files, changed = at_home(folder)
        patch.setattr(rules_screen, "read_files", files)
        patch.setattr(rules_screen, "look_at", changed)
        yield


async def _tour(place: Path, plan: Plan, looks: Sequence[str], first_id: int) -> dict[str, Shots]:
    """Visit the views of a plan and take their pictures.

    Tours share no identifiers: agents of one would seem to be those of another, and gone.
    """
    clock = new_clock()
    _IDS.set(itertools.count(first_id))
    album = Album(plan.views, looks)
    # Nothing counts as shown while the screen is being laid out.
    settings = replace(HELD, typing_lock=True, burst_keys=99, dwell=1.0)
    open_review_queue(place, create=True).close()
    cable = Cable(place)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
    with ExitStack() as stack:
        _remember(place, clock, stack)
        async with screen(place, settings=settings, queue=cast("ReviewQueue", cable), **options) as seen:
            await seen.shows("nothing waiting", "last decision")
            await album.take("empty", seen)
            posted = fill(place, clock, stack)
            clock.now = START + 140 * SECOND
            await seen.until(lambda: all(request.id in seen.desk.inbox for request in posted.values()))
            await _waiting(seen, posted, album)
            decide_some(place, clock, posted)
            await _other_screens(seen, album)
            cable.pulled = True
            await seen.shows("QUEUE LOST")
            await album.take("lost", seen)
    return album.shots


def _remember(place: Path, clock: Clock, stack: ExitStack) -> None:
    """Have two calls of a session remembered, one of them used and one revoked."""
    asking = stack.enter_context(open_agent_queue(AgentInfo("migrate", "s-39", HOME), place))
    with open_review_queue(place, reviewer="anna") as anna:
        for command in ("alembic upgrade head", "git fetch origin", "pytest -q"):
            submission = _shell(command)
            posted = asking.submit(submission)
            clock.now += SECOND
            anna.decide(posted.id, 1, submission.digest, Decision(approved=True, remember=True, shown=1.0))
            assert asking.use_grant(dataclasses.replace(submission, key=f"again {command}"))
        anna.revoke(anna.grants()[0].id)


async def _waiting(seen: Screen, posted: Mapping[str, StoredRequest], album: Album) -> None:
    await stands_on(seen, RowKey("request", posted["command"].id))
    await album.take("inbox", seen)
    for name, key in (("allow", "s"), ("stop", "x"), ("message", "n")):
        if name in album.wanted:
            await goes_to(seen, RowKey("request", posted["command"].id))
            await opens(seen, key)
            if name == "message":
                await seen.types("use tox, not pytest")
                await seen.shows("use tox, not pytest")
            await album.take(name, seen)
            await seen.press("escape", "1")
    if "unseen" in album.wanted:
        await goes_to(seen, RowKey("request", posted["long"].id))
        await seen.press("y")
        await seen.shows("approve unread")
        await album.take("unseen", seen)
        await seen.press("escape", "1")
    for view, name in (("request", "diff"), ("new", "new"), ("high", "high")):
        if view in album.wanted:
            await goes_to(seen, RowKey("request", posted[name].id))
            await album.take(view, seen)
            await seen.press("1")
    if "split" in album.wanted:
        await goes_to(seen, RowKey("request", posted["diff"].id))
        await seen.press("v", "d")
        await seen.shows("side by side")
        await quiet(seen)
        await album.take("split", seen)
        await seen.press("d", "v", "1")
    await goes_to(seen, RowKey("group", "s-41\x1fsave project"))
    await album.take("group", seen)
    await seen.press("1")
    await _lists(seen, posted, album)
    if "held" in album.wanted:
        await stands_on(seen, RowKey("request", posted["command"].id))
        await seen.press("y")
        await seen.shows("u undo")
        await quiet(seen)
        await album.take("held", seen)
        await seen.press("u")
        await seen.shows_no("u undo")
    if "details" in album.wanted:
        await stands_on(seen, RowKey("request", posted["high"].id))
        await seen.press("i")
        await seen.shows("signoff  details of")
        await album.take("details", seen)
        await seen.press("escape")


async def _lists(seen: Screen, posted: Mapping[str, StoredRequest], album: Album) -> None:
    if "tagged" in album.wanted:
        # A tag moves the cursor on, for who knows how long: what it comes to is read before.
        await stands_on(seen, RowKey("request", posted["structured"].id))
        for name in ("high", "new"):
            await stands_on(seen, RowKey("request", posted[name].id))
            await seen.press("t")
        await stands_on(seen, RowKey("request", posted["text"].id))
        await album.take("tagged", seen)
        await seen.group_armed()
        await seen.press("Y")
        await seen.shows("Approve exactly")
        await seen.sheet_armed()
        await album.take("approve", seen)
        await seen.press("escape", "escape")
    if "filtered" in album.wanted:
        await seen.press("slash")
        await seen.until(lambda: seen.app.review.filter_bar.is_open)
        await seen.types("agent:docs* | path:src/**")
        await seen.press("enter")
        await quiet(seen)
        await album.take("filtered", seen)
        await seen.press("escape")
    if "quit" in album.wanted:
        await seen.press("q")
        await seen.shows("keep waiting")
        await seen.sheet_armed()
        await album.take("quit", seen)
        await seen.press("escape")


async def _other_screens(seen: Screen, album: Album) -> None:
    for name, key, said in (
        ("help", "question_mark", "signoff  keys"),
        ("palette", "colon", "what to do"),
        ("themes", "", "signoff  theme"),
        ("agents", "2", "working"),
    ):
        if name in album.wanted:
            if key:
                await seen.press(key)
            else:
                seen.app.go(name)
            await seen.shows(said)
            await album.take(name, seen)
            await seen.press("escape")
    if "rules" in album.wanted:
        await seen.press("4")
        await seen.shows("git commit")
        await album.take("rules", seen)
        await seen.press("G", *"kkkkk", "v")
        await seen.shows("1 rule gone")
        await seen.works("!")
        await album.take("change", seen)
        await seen.press("escape", "escape")
    if {"history", "record"} & {*album.wanted}:
        await seen.press("h")
        await seen.shows("records:", "not from this branch")
        await album.take("history", seen)
        await seen.press("j", "j", "enter")
        await seen.shows("keep 5", "@@ 19 f4(x)")
        await quiet(seen)
        await album.take("record", seen)
        await seen.press("escape", "escape")
    seen.app.go("inbox")
