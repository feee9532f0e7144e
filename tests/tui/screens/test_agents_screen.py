"""The agents screen: who is there, who waits, who exited, and stopping one."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from screen_bench import HELD, LARGE, SMALL, UNHURRIED, Cable, Screen, agent, command, post, screen, write

from signoff.filter import Filtered, Viewpoint, of_request, parse
from signoff.queue import (
    AgentInfo,
    AgentMode,
    AgentQueue,
    Decision,
    DecisionSource,
    ReviewQueue,
    StoredRequest,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.clock import now_us
from signoff.submission import plain_submission
from signoff.text.time import local_time
from signoff.types import ApprovalContext
from signoff_tui.guard import GuardSettings
from signoff_tui.screens.agents.last_hour import AgentKey
from signoff_tui.screens.agents.roster import picks
from signoff_tui.screens.agents.screen import AgentsScreen
from signoff_tui.widgets.lines_view import LinesView

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE, (50, 40)], ids=["small", "large", "narrow"])
EVIL = '[@click=app.quit]a[/] \x1b[2J\x1b]0;t\x07 \u202egnp.exe \u200bb"\ufeff \n 世界 [bold]f[/bold] \ud800 x'
HOUR = 3_600_000_000

DIES = """
import os, sys
from signoff.connection import connect_agent
from signoff.submission import plain_submission
from signoff.types import ApprovalContext
from signoff import ApprovalRequest
queue = connect_agent("crawler", session="s-37", cwd="/")
request = ApprovalRequest(tool_name="fetch", description="Fetch a page", payload={"url": "a"})
queue.submit(plain_submission(request, None, cwd="/"))
os._exit(0)
"""


@pytest.fixture
def you(place: Path) -> Iterator[ReviewQueue]:
    """The reviewer at the screen, once more."""
    with open_review_queue(place, reviewer="you") as queue:
        yield queue


def decide(queue: ReviewQueue, request: StoredRequest, **decision: object) -> None:
    fields: dict[str, object] = {"approved": True, "shown": 1.0, **decision}
    verdict = queue.decide(request.id, 1, request.submission.digest, Decision(**fields))  # type: ignore[arg-type]
    assert verdict.accepted, verdict.message


def answered(asking: AgentQueue, workdir: Path, text: str, source: DecisionSource, by: str) -> None:
    plain = plain_submission(command(text, workdir), None, cwd=str(workdir))
    asking.record(plain, Decision(approved=True, source=source, by=by))


async def opens_agents(seen: Screen, *fragments: str) -> None:
    await seen.press("2")
    await seen.shows("Agents", *fragments)


def rows(seen: Screen) -> list[str]:
    """The names in the list, from top to bottom."""
    top = seen.app.screen
    assert isinstance(top, AgentsScreen)
    return [each.key.name for each in top._roster.agents]


def row(seen: Screen, name: str) -> str:
    """The row of an agent."""
    lists = (line.partition("│")[0] for line in seen.frame[2:])
    return next(line for line in lists if name in line)


def details(seen: Screen) -> str:
    """All words about the focused agent, as if no line had been broken."""
    lines = seen.app.screen.query_one("#detail", LinesView).lines
    return " ".join("".join(piece.text.text for line in lines for piece in line.left).split())


# -- states --------------------------------------------------------------------------------------------------


@SIZES
async def test_an_agent_whose_request_waits_is_said_to_wait_for_you_and_since_when(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    for name in "ab":
        post(asking, command(f"ls {name}", workdir))

    def later() -> int:
        return now_us() + 110_000_000

    async with screen(place, size=size, waiting=2, wall_clock=later) as seen:
        await opens_agents(seen, "tester")
        await seen.until(lambda: "waiting for you 1:50" in row(seen, "tester"))
        assert row(seen, "tester").split()[6] == "2"


async def test_an_agent_that_waits_for_nothing_is_working(asking: AgentQueue, place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "tester")
        assert "working" in row(seen, "tester")


async def test_what_it_waits_for_stands_beside_it(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls a", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens_agents(seen, "$ ls a", "session   s-1")


async def test_what_sub_agents_wait_for_stands_below_their_names(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for text, caller in (("ls a", "Explore a63678"), ("ls b", ""), ("ls c", "Explore a63678")):
        context = ApprovalContext(tool_name="shell", args={}, metadata={"caller": caller})
        asking.submit(plain_submission(command(text, workdir), context, cwd=str(workdir)))
    async with screen(place, size=LARGE, waiting=3) as seen:
        await opens_agents(seen, "Explore a63678")
        assert "ls b Explore a63678 { Run ls a { Run ls c" in details(seen)


async def test_an_agent_whose_hook_ended_is_not_said_to_have_exited(place: Path, workdir: Path) -> None:
    with open_agent_queue(AgentInfo("shop, Claude Code", "s-1", str(workdir), "Claude Code hook"), place):
        pass
    async with screen(place, waiting=0) as seen:
        await opens_agents(seen, "last asked ")


async def test_on_a_narrow_screen_space_opens_the_details_and_escape_leads_back_to_the_row(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls a", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens_agents(seen, "tester")
        await seen.press("space")
        await seen.shows("$ ls a")
        await seen.press("escape")
        await seen.shows_no("$ ls a")
        assert "Agents" in seen.text


async def test_an_agent_that_is_gone_says_when_it_exited(place: Path, workdir: Path) -> None:
    with agent(place, "tests", cwd=workdir):
        pass
    async with screen(place) as seen:
        await opens_agents(seen, "tests")
        at = local_time(seen.app.screen._roster.agents[0].exited_at, "minute")[-5:]  # type: ignore[attr-defined]
        assert f"exited {at}" in row(seen, "tests")
        assert "withdrawn" not in details(seen)


async def test_an_agent_that_ends_while_one_looks_is_seen_to_end(place: Path, workdir: Path) -> None:
    with agent(place, "tests", cwd=workdir) as tests:
        async with screen(place) as seen:
            await opens_agents(seen, "working")
            tests.close()
            await seen.shows("exited ")


async def test_what_a_dead_process_left_behind_is_counted(place: Path) -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", DIES], check=True)
    async with screen(place, size=LARGE) as seen:
        await opens_agents(seen, "exited ")
        assert "1 request withdrawn" in details(seen)
        await seen.press("enter")
        await seen.shows("History", "Fetch a page")


async def test_what_an_agent_withdrew_itself_was_not_left_behind(place: Path, workdir: Path) -> None:
    with agent(place, "crawler", cwd=workdir) as crawler:
        post(crawler, command("ls", workdir))
        given_up = post(crawler, command("pwd", workdir))
        crawler.withdraw(given_up.id, "not needed")
    async with screen(place, size=LARGE) as seen:
        await opens_agents(seen, "exited ")
        assert "1 request withdrawn" in details(seen)


async def test_an_agent_that_came_back_is_working(place: Path, workdir: Path) -> None:
    with agent(place, "crawler", cwd=workdir) as crawler:
        post(crawler, command("ls", workdir))
    with agent(place, "crawler", cwd=workdir):
        async with screen(place) as seen:
            await opens_agents(seen, "working")
            assert rows(seen) == ["crawler"]


async def test_a_mode_is_said_where_it_is_not_the_normal_one(place: Path, workdir: Path) -> None:
    loud = AgentInfo("loud", "s-9", str(workdir), mode=AgentMode.APPROVE_ALL)
    with agent(place, "usual", cwd=workdir), open_agent_queue(loud, place):
        async with screen(place, size=LARGE) as seen:
            await opens_agents(seen, "usual")
            await seen.until(lambda: "approve_all" in row(seen, " loud "))
            assert "approve_all" not in row(seen, " usual ")
            await seen.press("j")
            await seen.until(lambda: "approve_all: everything is approved without you" in details(seen))


# -- rows ----------------------------------------------------------------------------------------------------


async def test_connections_of_one_name_and_session_are_one_row(place: Path, workdir: Path) -> None:
    with agent(place, "docs-bot", cwd=workdir) as one, agent(place, "docs-bot", cwd=workdir) as other:
        for queue in (one, other):
            post(queue, command("ls", workdir))
        async with screen(place, waiting=2) as seen:
            await opens_agents(seen, "docs-bot")
            assert rows(seen) == ["docs-bot"]
            assert row(seen, "docs-bot").split()[6] == "2"


async def test_two_sessions_with_the_same_name_stay_apart(place: Path, workdir: Path) -> None:
    with (
        agent(place, "docs-bot", session="s-1", cwd=workdir),
        agent(place, "docs-bot", session="s-2", cwd=workdir) as asks,
    ):
        waiting = post(asks, command("ls", workdir))
        async with screen(place, waiting=1) as seen:
            await opens_agents(seen, "docs-bot s-1", "docs-bot s-2")
            assert "working" in row(seen, "s-1 ")
            assert "waiting for you" in row(seen, "s-2 ")
            await seen.press("j", "enter")
            await seen.shows("1 of 1 match", "y approve")
            assert seen.focus == waiting.id


async def test_a_long_name_takes_the_room_of_the_last_hour(place: Path, workdir: Path) -> None:
    info = AgentInfo("shop count money in cents, Claude Code", "s-1", str(workdir))
    with open_agent_queue(info, place):
        async with screen(place, size=LARGE, waiting=0) as seen:
            await opens_agents(seen, "shop count money in cents,… working")


async def test_who_was_seen_first_stands_first_whoever_asks(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir) as first, agent(place, "second", cwd=workdir) as second:
        post(second, command("ls", workdir))
        async with screen(place, waiting=1) as seen:
            await opens_agents(seen, "second")
            assert rows(seen) == ["first", "second"]
            with agent(place, "third", cwd=workdir) as third:
                post(third, command("pwd", workdir))
                await seen.until(lambda: rows(seen) == ["first", "second", "third"])
                post(first, command("pwd", workdir))
                await seen.until(lambda: "waiting for you" in row(seen, " first "))
                assert rows(seen) == ["first", "second", "third"]


async def test_the_cursor_stays_on_its_agent_when_others_come(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir), agent(place, "second", cwd=workdir):
        async with screen(place) as seen:
            await opens_agents(seen, "second")
            await seen.press("j")
            with agent(place, "third", cwd=workdir) as third:
                post(third, command("pwd", workdir))
                await seen.shows("third")
                assert details(seen).split()[0] == "second"


async def test_who_ended_over_a_day_ago_is_counted_and_not_listed(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    with agent(place, "old", cwd=workdir):
        pass

    def later() -> int:
        return now_us() + 25 * HOUR

    async with screen(place, wall_clock=later) as seen:
        await opens_agents(seen, "1 agent that exited over 24 h ago not listed")
        assert rows(seen) == ["tester"]


async def test_an_empty_queue_says_so(place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "No agent was connected in the last 24 hours.")
        await seen.press("enter", "H", "x", "v", "j", "space")
        assert "Agents" in seen.text


# -- the last hour -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_the_last_hour_is_counted_by_how_requests_ended(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    decide(you, post(asking, command("rm x", workdir)), approved=False)
    decide(you, post(asking, command("ls", workdir)))
    asking.withdraw(post(asking, command("id", workdir)).id, "not needed")
    answered(asking, workdir, "git log", DecisionSource.RULE, "rule 7")
    async with screen(place, size=size) as seen:
        await opens_agents(seen, "tester")
        assert "2 approved, 1 rejected" in row(seen, "tester")


async def test_what_was_decided_over_an_hour_ago_does_not_count(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(you, post(asking, command("ls", workdir)))

    def later() -> int:
        return now_us() + HOUR + 1_000_000

    async with screen(place, size=LARGE, wall_clock=later) as seen:
        await opens_agents(seen, "nothing ended")
        assert "approved" not in row(seen, "tester")


async def test_the_figures_follow_the_queue(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {name}", workdir)) for name in "ab"]
    async with screen(place, waiting=2) as seen:
        await opens_agents(seen, "waiting for you")
        for request in requests:
            decide(you, request)
        await seen.shows("working", "2 approved")


async def test_how_much_is_allowed_for_its_session_is_told(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(you, post(asking, command("mkdocs build", workdir)), remember=True)
    async with screen(place, size=LARGE) as seen:
        await opens_agents(seen)
        await seen.until(lambda: "1 for its session" in details(seen))


async def test_of_many_requests_the_first_are_named_and_the_others_counted(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for number in range(20):
        post(asking, command(f"ls {number}", workdir))
    async with screen(place, size=LARGE, waiting=20) as seen:
        await opens_agents(seen, "$ ls 11", "and 8 more")


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_the_requests_of_an_agent_alone_are_listed_and_not_decided(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    with agent(place, "other", cwd=workdir) as other:
        for name in "abc":
            post(asking, command(f"ls {name}", workdir))
        wanted = [post(other, command(f"pwd {name}", workdir, group_id="g")) for name in "ab"]
        async with screen(place, size=size, waiting=5) as seen:
            await opens_agents(seen, "other")
            await seen.press("j", "enter")
            await seen.shows("only its requests are listed", "2 of 5 match")
            assert seen.focus == wanted[0].id
            assert "$ ls " not in seen.text
            await seen.armed()
            assert len(seen.desk.guard.holds) == 0
            await seen.press("escape")  # back to its row; nothing is filtered any more
            await seen.until(lambda: "Agents" in seen.text and details(seen).split()[0] == "other", "its row")
            await seen.press("escape")
            await seen.shows("$ ls ")
        assert len(you.pending()) == 5


async def test_the_last_hour_of_an_agent_is_at_most_three_keys_away(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir), agent(place, "second", cwd=workdir):
        async with screen(place) as seen:
            gone = _where_it_goes(seen)
            await opens_agents(seen, "second")
            await seen.press("j", "H")
            assert gone == [("history", 'agent:="second" session:="s-41" since:1h')]


async def test_what_was_opened_for_an_agent_leads_back_to_its_row(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir), agent(place, "second", cwd=workdir):
        async with screen(place) as seen:
            await opens_agents(seen, "second")
            await seen.press("j", "H")
            await seen.shows("History")
            await seen.press("escape")
            await seen.shows("Agents")
            assert details(seen).split()[0] == "second"
            await seen.press("H")
            await seen.shows("History")
            await seen.press("2", "escape")
            await seen.shows("Inbox")


async def test_enter_on_an_agent_that_waits_for_nothing_shows_its_last_hour(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(you, post(asking, command("ls", workdir)))
    async with screen(place) as seen:
        await opens_agents(seen, "working")
        await seen.press("enter")
        await seen.shows("History", " ls ")


def _where_it_goes(seen: Screen) -> list[tuple[str, str]]:
    """Take note of the screens that are asked for besides this one."""
    asked: list[tuple[str, str]] = []
    go = seen.app.go

    def note(name: str, query: str = "") -> None:
        if name == "agents":
            go(name, query)
        else:
            asked.append((name, query))

    seen.app.go = note  # type: ignore[method-assign]
    return asked


@pytest.mark.parametrize("first", ["h", "?", ""])
async def test_the_agents_are_one_key_away_from_every_screen(asking: AgentQueue, place: Path, first: str) -> None:
    async with screen(place) as seen:
        await seen.press(*([first] if first else []))
        await opens_agents(seen, "tester")
        await seen.press("1")
        await seen.shows("Inbox")


async def test_no_key_but_stop_decides_anything_here(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    waiting = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(waiting)
        await opens_agents(seen, "waiting for you")
        await stop_armed(seen)
        await seen.press("y", *"yYnNsSX!z", "enter")
        assert len(seen.desk.guard.holds) == 0
    assert you.get(waiting.id).pending


# -- stopping ------------------------------------------------------------------------------------------------


async def stop_armed(seen: Screen) -> None:
    """Wait until the key that asks before a stop counts."""
    top = seen.app.screen
    assert isinstance(top, AgentsScreen)
    await seen.until(lambda: top._stopping.armed, "a key that stops")


async def question_armed(seen: Screen) -> None:
    """Wait until the key that confirms a stop counts."""
    top = seen.app.screen
    assert isinstance(top, AgentsScreen)
    await seen.until(lambda: top._stopping.sheet_armed, "a key that confirms")


async def asks_to_stop(seen: Screen, *shown: str) -> None:
    await stop_armed(seen)
    await seen.press("x")
    await seen.shows("STOP ", *shown)
    await question_armed(seen)


@SIZES
async def test_a_stop_lists_all_that_the_agent_waits_for_and_reaches_no_other(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    with agent(place, "other", session="s-2", cwd=workdir) as other:
        kept = post(asking, command("ls", workdir))
        mine = [post(other, command(f"pwd {name}", workdir)) for name in "ab"]
        async with screen(place, size=size, waiting=3) as seen:
            await opens_agents(seen, "other")
            await seen.press("j")
            await asks_to_stop(seen, "other: reject all 2 requests", "pwd a", "pwd b", "! stop it, reject these")
            await seen.press("!")
            await seen.until(lambda: not any(you.get(request.id).pending for request in mine), "two rejections")
        decisions = [you.get(request.id).decision for request in mine]
    assert [decision.hard for decision in decisions if decision is not None] == [True, True]
    assert you.get(kept.id).pending


async def test_a_stop_is_held_and_undone_with_one_key(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await opens_agents(seen, "tester")
        await asks_to_stop(seen)
        await seen.press("!")
        await seen.shows("stopped ls, sends in ", "u undo")
        await seen.press("u")
        await seen.shows("taken back: ls is waiting again")
        assert seen.entry(request).waiting
    assert you.get(request.id).pending


@pytest.mark.parametrize("key", ["x", "enter", "y", "space", "j"])
async def test_no_other_key_confirms_a_stop(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path, key: str
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await opens_agents(seen, "tester")
        await asks_to_stop(seen)
        await seen.press(key)
        assert "STOP " in seen.text
        await seen.press("escape")
        await seen.shows_no("STOP ")
        assert len(seen.desk.guard.holds) == 0
    assert you.get(request.id).pending


async def test_what_comes_while_it_is_asked_is_not_stopped(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await opens_agents(seen, "tester")
        await asks_to_stop(seen, "the 1 request")
        late = post(asking, command("pwd", workdir))
        await seen.shows("2 waiting")
        await seen.press("!")
        await seen.until(lambda: not you.get(first.id).pending, "a rejection")
    assert you.get(late.id).pending


async def test_what_the_filter_of_the_inbox_hides_is_stopped_too_and_said(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(text, workdir)) for text in ("ls", "pwd")]
    async with screen(place, size=LARGE, waiting=2) as seen:
        seen.app.review.filtering.use("ls")
        await opens_agents(seen, "tester")
        await asks_to_stop(seen, "all 2 requests it waits for, also the 1 that the filter hides", "ls", "pwd")
        await seen.press("!")
        await seen.until(lambda: not any(you.get(request.id).pending for request in requests), "two rejections")


async def test_a_stop_pressed_before_the_row_was_seen_asks_nothing(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(
        place, waiting=1, settings=GuardSettings(**UNHURRIED, hold=0.0, typing_lock=False, arm_moved=30.0)
    ) as seen:
        await opens_agents(seen, "tester")
        await seen.press("x")
        await seen.shows("too early: look, press again")
        assert "STOP" not in seen.text


async def test_an_agent_that_waits_for_nothing_is_not_stopped(asking: AgentQueue, place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "working")
        await stop_armed(seen)
        await seen.press("x")
        await seen.shows("it waits for nothing")


async def test_nothing_is_stopped_on_a_screen_that_only_reads(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1, read_only=True) as seen:
        await opens_agents(seen, "tester", "READ ONLY")
        await seen.press("x")
        await seen.shows("x does nothing: read only")


async def test_nothing_is_stopped_on_a_pane_that_is_too_small(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, size=(39, 9), waiting=1) as seen:
        await seen.press("2")
        await seen.until(lambda: "Make it 40x10" in " ".join(seen.text.split()))
        await seen.press("x")
        await seen.pilot.pause()
        top = seen.app.screen
        assert isinstance(top, AgentsScreen)
        assert top._stopping.refs == ()


async def test_a_lost_queue_closes_the_question(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    cable = Cable(place)
    async with screen(place, waiting=1, queue=cable) as seen:  # type: ignore[arg-type]
        await opens_agents(seen, "tester")
        await asks_to_stop(seen)
        cable.pulled = True
        await seen.shows("QUEUE LOST")
        await seen.shows_no("STOP ")


# -- whatever happens ----------------------------------------------------------------------------------------


async def test_a_lost_queue_is_said_and_what_was_known_stays(asking: AgentQueue, place: Path) -> None:
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:  # type: ignore[arg-type]
        await opens_agents(seen, "working")
        cable.pulled = True
        await seen.shows("QUEUE LOST", "tester")
        cable.pulled = False
        await seen.shows_no("QUEUE LOST")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_hostile_names_are_inert_wherever_they_stand(
    place: Path, workdir: Path, you: ReviewQueue, size: tuple[int, int]
) -> None:
    name = EVIL.encode("utf-8", "ignore").decode()
    with agent(place, name, session=name, cwd=workdir) as evil, agent(place, "second", cwd=workdir):
        decide(you, post(evil, command("pwd", workdir)), remember=True)
        waiting = post(evil, command("ls", workdir))
        async with screen(place, size=size, waiting=1) as seen:
            await opens_agents(seen, "waiting for you")
            for row in range(0, size[1], 3):
                await seen.pilot.click(offset=(6, row))
            await seen.press("g", "v")
            await seen.shows("[@click=app.quit]", "[bold]f[/bold]")
            assert not set(seen.text) & {"\x1b", "\x07", "\u202e", "\u200b"}
            assert all(cell_len(line) == size[0] for line in seen.frame)
            styles = [segment.style for row in seen.rows for segment in row if segment.style is not None]
            assert not [style for style in styles if style.link or style.meta]
            await seen.press("enter")
            await seen.shows("y approve")
            assert seen.focus == waiting.id
            assert you.get(waiting.id).pending


@pytest.mark.parametrize("name", ["a b", 'q"uote', "x|y", "-z", "(", "*", "a,b", "tab\there", "1..2", "=", "ü"])
async def test_the_request_of_any_name_is_found(place: Path, workdir: Path, name: str) -> None:
    with agent(place, name, session=name, cwd=workdir) as asks, agent(place, f"{name}2", cwd=workdir) as other:
        mine, others = post(asks, command("ls", workdir)), post(other, command("ls", workdir))
    keeps = parse(picks(AgentKey(name, name)), Filtered.INBOX)
    view = Viewpoint(now_us())
    assert keeps.matches(of_request(mine), view)
    assert not keeps.matches(of_request(others), view)


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_the_agents_fit_any_size(place: Path, workdir: Path, *, ascii_only: bool) -> None:
    with (
        agent(place, "a-name-that-is-longer-than-any-column-has-room-for", cwd=workdir) as one,
        agent(place, "second", session="a-session-with-a-very-long-name-as-well-0123456789", cwd=workdir),
    ):
        post(one, command("ls", workdir))
        async with screen(place, waiting=1, ascii_only=ascii_only) as seen:
            await opens_agents(seen, "waiting for")
            for size in [(40, 10), (50, 40), (99, 30), (120, 40), (200, 50)]:
                await seen.pilot.resize_terminal(*size)
                for key in ("v", "escape"):
                    await seen.press(key)
                    assert [cell_len(line) for line in seen.frame] == [size[0]] * size[1]
                    assert seen.text.isascii() or not ascii_only


async def test_what_it_waits_for_is_listed_in_the_order_of_the_inbox(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for name in ("c.py", "a.py", "b.py"):
        post(asking, write(workdir / name, "new\n", group_id="save"))
    async with screen(place, size=LARGE, waiting=3) as seen:
        await opens_agents(seen, "A a.py")
        assert re.findall(r"A (\w\.py)", seen.text) == ["a.py", "b.py", "c.py"]
