"""Commands in their parts, and an edited call in the history, as pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from frames_shop import HOME, _shell, _submission, frozen, new_clock
from frames_tour import Album, Frame, Plan, quiet
from msgspec.structs import replace
from rules_bench import trusted_rules
from screen_bench import Screen, screen
from syrupy.assertion import SnapshotAssertion

from signoff import command_review
from signoff.command_review import ShellRules, shell_rules_for
from signoff.queue import AgentInfo, Decision, Instead, Risk, open_agent_queue, open_review_queue

pytestmark = pytest.mark.xdist_group("parts frames")

COMMANDS = {
    "parts": "git status && git commit -m 'a fix' > log; curl -s https://x.test/i | sudo bash -c 'tee /etc/hosts'",
    "unread": "echo 'never ends; rm -rf build",
    "folded": "; ".join(f"rm -rf tmp{at}" if at % 40 == 7 else f"echo {at}" for at in range(120)),
}
VIEWS = (*COMMANDS, "edited")
PLANS = {
    "narrow": Plan((50, 40), VIEWS, ascii_only=True),
    "small": Plan((80, 24), VIEWS),
    "large": Plan((120, 40), VIEWS),
}

Made = dict[str, Frame] | BaseException


@contextmanager
def asked(place: Path) -> Iterator[None]:
    """Ask for the commands, and decide on a call that was edited."""
    open_review_queue(place, create=True).close()
    call = {"body": "It crashes.", "labels": ["bug"], "title": "Crash"}
    issue = _submission("issue", "create_issue", "Create an issue", call, supports=frozenset({"edit"}))
    with (
        open_agent_queue(AgentInfo("refactor", "s-41", HOME), place) as asking,
        open_review_queue(place, reviewer="you") as you,
    ):
        posted = asking.submit(issue)
        changed = Instead(arguments={**call, "title": "Crash on save"}, summary="edited arguments title")
        you.decide(posted.id, 1, posted.submission.digest, Decision(approved=True, shown=1.0, instead=changed))
        for command in COMMANDS.values():
            asking.submit(_shell(command, risk=Risk.HIGH, risk_reasons=("delete",), why='shell rule "rm"'))
        yield


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    album = Album(plan.views)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": new_clock()}
    with asked(place):
        async with screen(place, waiting=len(COMMANDS), **options) as seen:
            await tour(seen, album, two_panes=plan.size[0] >= 100)
    return album.frames


async def tour(seen: Screen, album: Album, *, two_panes: bool) -> None:
    for name in COMMANDS:
        if not two_panes:
            await seen.press("enter")
        await seen.until(lambda: whole(seen), "the parts")
        await quiet(seen)
        if name == "folded":
            await seen.press("end")
            await seen.shows("folded")
        await album.take(name, seen)
        if not two_panes:
            await seen.press("escape")
        await seen.press("j")
    await seen.press("h")
    await seen.shows("edited")
    if not two_panes:
        await seen.press("enter")
    await seen.shows("CHANGED by", "Crash on save")
    await album.take("edited", seen)


def whole(seen: Screen) -> bool:
    """Whether all of what the cursor is on is there."""
    entry = seen.desk.inbox.focused_request()
    content = None if entry is None else seen.desk.content(entry)
    return content is not None and content.scanned


async def all_pictures(folder: Path) -> Mapping[str, Made]:
    with frozen(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        trusted_rules(folder / "shop")
        rules = replace(shell_rules_for(str(folder / "shop")), directory=HOME, file=f"{HOME}/signoff.yaml")

        def of_the_shop(_: str) -> ShellRules:
            return rules

        patch.setattr(command_review, "shell_rules_for", of_the_shop)
        tours = [pictures(folder / f"queue-{name}", plan) for name, plan in PLANS.items()]
        return dict(zip(PLANS, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Made]:
    """The pictures of all sizes."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("parts")))


def picture(tours: Mapping[str, Made], plan: str, view: str) -> Frame:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", PLANS)
def test_a_picture_of_parts(plan: str, view: str, tours: Mapping[str, Made], snapshot: SnapshotAssertion) -> None:
    assert picture(tours, plan, view).text == snapshot


def test_risk_stands_out_by_style_as_well(tours: Mapping[str, Made], snapshot: SnapshotAssertion) -> None:
    assert picture(tours, "small", "parts").runs == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Mapping[str, Made]) -> None:
    assert picture(tours, "narrow", view).text.isascii()
