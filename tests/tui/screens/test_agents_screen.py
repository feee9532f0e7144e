"""The agents screen: who is there, who is blocked, who is gone; nothing on it decides anything."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from screen_bench import LARGE, SMALL, Cable, Screen, agent, call, command, post, screen

from signoff.filter import Filtered, Viewpoint, of_request, parse
from signoff.queue import (
    AgentQueue,
    Decision,
    DecisionSource,
    ReviewQueue,
    Risk,
    StoredRequest,
    open_review_queue,
)
from signoff.queue.clock import now_us
from signoff.submission import plain_submission
from signoff.text.time import local_time
from signoff_tui.screens.agents.figures import AgentKey
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
    return [each.key.name for each in top._agents]


def details(seen: Screen) -> str:
    """All words about the focused agent, as if no line had been broken."""
    lines = seen.app.screen.query_one("#detail", LinesView).lines
    return " ".join("".join(piece.text.text for line in lines for piece in line.left).split())


# -- states --------------------------------------------------------------------------------------------------


@SIZES
async def test_an_agent_whose_request_waits_is_blocked_on_you(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    for name in "ab":
        post(asking, command(f"ls {name}", workdir))
    async with screen(place, size=size, waiting=2) as seen:
        await opens_agents(seen, "tester", "s-1", "blocked on you", "1 blocked on you")
        assert "$ ls a" in seen.text
        assert "2 wait, the oldest for" in details(seen)


@SIZES
async def test_an_agent_that_waits_for_nothing_is_connected(
    asking: AgentQueue, place: Path, size: tuple[int, int]
) -> None:
    async with screen(place, size=size) as seen:
        await opens_agents(seen, "0 blocked on you")
        await seen.shows("connected: nothing of it waits")


async def test_an_agent_that_left_nothing_behind_ended(place: Path, workdir: Path) -> None:
    with agent(place, "tests", cwd=workdir):
        pass
    async with screen(place) as seen:
        await opens_agents(seen, "ended ")
        assert "gone" not in seen.text
        assert "waiting" not in details(seen)


async def test_an_agent_that_you_stopped_says_when(place: Path, you: ReviewQueue, workdir: Path) -> None:
    with agent(place, "tests", cwd=workdir) as tests:
        decide(you, post(tests, command("ls", workdir)), approved=False, hard=True)
    async with screen(place) as seen:
        await opens_agents(seen, "ended ")
        assert f"; stopped by you {local_time(you.history()[0].at, 'clock')}" in details(seen)


async def test_an_agent_that_ends_while_one_looks_is_seen_to_end(place: Path, workdir: Path) -> None:
    with agent(place, "tests", cwd=workdir) as tests:
        async with screen(place) as seen:
            await opens_agents(seen, "connected: nothing of it waits")
            tests.close()
            await seen.shows("ended ", "1 ended")


async def test_an_agent_whose_process_died_while_it_waited_is_gone(place: Path) -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", DIES], check=True)
    async with screen(place) as seen:
        await opens_agents(seen, "gone ", "1 lost")
        assert "its process ended while it waited, 1 request can no longer be answered" in details(seen)
        await seen.press("enter")
        await seen.shows("History", "Fetch a page")


async def test_an_agent_that_closed_its_connection_while_it_waited_is_gone(place: Path, workdir: Path) -> None:
    with agent(place, "crawler", cwd=workdir) as crawler:
        post(crawler, command("ls", workdir))
        given_up = post(crawler, command("pwd", workdir))
        crawler.withdraw(given_up.id, "not needed")
    async with screen(place) as seen:
        await opens_agents(seen, "gone ", "1 lost")
        assert "it closed its connection while it waited" in details(seen)


async def test_an_agent_that_came_back_is_connected(place: Path, workdir: Path) -> None:
    with agent(place, "crawler", cwd=workdir) as crawler:
        post(crawler, command("ls", workdir))
    with agent(place, "crawler", cwd=workdir):
        async with screen(place) as seen:
            await opens_agents(seen, "connected: nothing of it waits", "1 connection that ended earlier")


# -- rows ----------------------------------------------------------------------------------------------------


async def test_connections_of_one_name_and_session_are_one_row(place: Path, workdir: Path) -> None:
    with agent(place, "docs-bot", cwd=workdir) as one, agent(place, "docs-bot", cwd=workdir) as other:
        for queue in (one, other):
            post(queue, command("ls", workdir))
        async with screen(place, waiting=2) as seen:
            await opens_agents(seen, "2x", "2 connections of this name and session")
            assert rows(seen) == ["docs-bot"]
            assert "2 wait" in seen.text


async def test_two_sessions_with_the_same_name_stay_apart(place: Path, workdir: Path) -> None:
    with (
        agent(place, "docs-bot", session="s-1", cwd=workdir),
        agent(place, "docs-bot", session="s-2", cwd=workdir) as asks,
    ):
        waiting = post(asks, command("ls", workdir))
        async with screen(place, waiting=1) as seen:
            await opens_agents(seen, "1 blocked on you, 1 connected")
            assert "connected" in seen.line("s-1 ")
            assert "blocked" in seen.line("s-2 ")
            await seen.press("j", "enter")
            await seen.shows("1 of 1 match", "y approve")
            assert seen.focus == waiting.id


async def test_who_was_seen_first_stands_first_whoever_asks(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir) as first, agent(place, "second", cwd=workdir) as second:
        post(second, command("ls", workdir))
        async with screen(place, waiting=1) as seen:
            await opens_agents(seen, "1 blocked on you")
            assert rows(seen) == ["first", "second"]
            with agent(place, "third", cwd=workdir) as third:
                post(third, command("pwd", workdir))
                await seen.shows("2 blocked on you")
                await seen.until(lambda: rows(seen) == ["first", "second", "third"])
                post(first, command("pwd", workdir))
                await seen.shows("3 blocked on you")
                assert rows(seen) == ["first", "second", "third"]


async def test_the_cursor_stays_on_its_agent_when_others_come(place: Path, workdir: Path) -> None:
    with agent(place, "first", cwd=workdir), agent(place, "second", cwd=workdir):
        async with screen(place) as seen:
            await opens_agents(seen, "2 connected")
            await seen.press("j")
            with agent(place, "third", cwd=workdir) as third:
                post(third, command("pwd", workdir))
                await seen.shows("third")
                assert "second  session" in seen.text


async def test_who_ended_over_a_day_ago_is_counted_and_not_listed(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    with agent(place, "old", cwd=workdir):
        pass

    def later() -> int:
        return now_us() + 25 * HOUR

    async with screen(place, wall_clock=later) as seen:
        await opens_agents(seen, "1 agent that ended over 24 h ago: not listed")
        assert rows(seen) == ["tester"]


async def test_an_empty_queue_says_so(place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "No agent was connected in the last 24 hours.")
        await seen.press("enter", "H", "M", "X", "v", "j", "space")
        assert "Agents" in seen.text


# -- the last hour -------------------------------------------------------------------------------------------


async def test_the_last_hour_is_counted_by_who_answered(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        decide(you, post(asking, command(f"ls {name}", workdir)))
    decide(you, post(asking, command("rm x", workdir)), approved=False)
    with open_review_queue(place, reviewer="anna") as anna:
        decide(anna, post(asking, command("pwd", workdir)))
    asking.withdraw(post(asking, command("id", workdir)).id, "not needed")
    answered(asking, workdir, "git log", DecisionSource.RULE, "rule 7")
    answered(asking, workdir, "git diff", DecisionSource.GRANT, "g-1")
    answered(asking, workdir, "git show", DecisionSource.MODE, "approve_all")
    async with screen(place) as seen:
        await opens_agents(seen, "1h: yes auto  no other", "tester")
        assert seen.line("tester").split()[-4:] == ["2", "3", "1", "2"]
        await seen.press("v")
        await seen.shows("5 times in the last hour", "median wait for you 0:00", "rule 7  1x")
        assert "2 yes by you, 3 auto (1 by mode, 1 by memory, 1 by rule)" in details(seen)
        assert "1 no (1 by you), 2 other" in details(seen)
        assert "1 approved by anna" in details(seen)
        assert "1 withdrawn" in details(seen)


async def test_what_was_decided_over_an_hour_ago_does_not_count(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(you, post(asking, command("ls", workdir)))

    def later() -> int:
        return now_us() + HOUR + 1_000_000

    async with screen(place, wall_clock=later) as seen:
        await opens_agents(seen, "none in the last hour", "not in the last hour")
        assert seen.line("tester").split()[-4:] == ["0", "0", "0", "0"]


async def test_the_figures_follow_the_queue(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {name}", workdir)) for name in "ab"]
    async with screen(place, waiting=2) as seen:
        await opens_agents(seen, "2 wait")
        for request in requests:
            decide(you, request)
        await seen.shows("connected: nothing of it waits", "2 yes by you")


async def test_what_is_remembered_for_the_session_is_told_without_its_secrets(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(you, post(asking, command("mkdocs build", workdir)), remember=True)
    payload = {"api_key": "hush-hush-1234", "title": "Crash"}
    plain = plain_submission(call(payload=payload), None, cwd=str(workdir))
    asking.add_grant(replace(plain, risk=Risk.LOW, supports=frozenset({"session"})), by="callback")
    async with screen(place) as seen:
        await opens_agents(seen)
        await seen.press("v")
        await seen.shows(
            'shell: command "mkdocs build", used 0x', "create_issue: api_key, title (values not shown"
        )
        assert "hush" not in seen.text


async def test_more_than_fits_is_counted_and_shown_on_the_whole_screen(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for number in range(12):
        post(asking, command(f"ls {number}", workdir))
    async with screen(place, waiting=12) as seen:
        await opens_agents(seen, "12 wait", "$ ls 2", "and 9 more", "more lines: [Space]")
        await seen.press("v")
        await seen.shows("$ ls 7", "and 4 more", "memory")
        await seen.press("escape")
        await seen.shows("oldest")


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "key"), [(SMALL, "enter"), (SMALL, "X"), (LARGE, "enter")])
async def test_the_requests_of_an_agent_alone_are_listed_and_not_decided(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int], key: str
) -> None:
    with agent(place, "other", cwd=workdir) as other:
        for name in "abc":
            post(asking, command(f"ls {name}", workdir))
        wanted = [post(other, command(f"pwd {name}", workdir, group_id="g")) for name in "ab"]
        async with screen(place, size=size, waiting=5) as seen:
            await opens_agents(seen, "2 blocked on you")
            await seen.press("j", key)
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


async def test_x_stops_it_in_the_inbox_when_it_is_armed_there(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, "other", cwd=workdir) as other:
        post(asking, command("ls", workdir))
        for name in "ab":
            post(other, command(f"pwd {name}", workdir))
        async with screen(place, waiting=3) as seen:
            await opens_agents(seen)
            await seen.press("j", "X")
            await seen.armed()
            await seen.press("X")
            await seen.sheet_armed()
            await seen.press("!")
            await seen.until(lambda: len(you.pending()) == 1, "two rejections")
        assert [request.asked_by.name for request in you.pending()] == ["tester"]


async def test_x_pressed_twice_in_haste_decides_nothing(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await opens_agents(seen, "blocked")
        await seen.press("X", "X")
        # Where the screen was slow, the second one came when the list was there: it asks, as it does anywhere.
        await seen.until(lambda: seen.status in {"armed", "sheet"}, "keys that count")
        assert len(you.pending()) == 1


async def test_x_on_an_agent_that_waits_for_nothing_says_so(asking: AgentQueue, place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "connected:", "X stop: X again in inbox")
        await seen.press("X")
        await seen.shows("nothing of it waits: there is nothing to reject")
        await seen.press("k")
        await seen.shows("no decision keys work on this screen")


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
            await seen.press("j", "M")
            await seen.shows("Session memory", "session s-41")
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
        await opens_agents(seen, "connected:")
        await seen.press("enter")
        await seen.shows("History", " ls ")


async def test_m_shows_the_memory_of_its_session(asking: AgentQueue, place: Path) -> None:
    async with screen(place) as seen:
        await opens_agents(seen, "connected:")
        await seen.press("M")
        await seen.shows("Session memory", "for session s-1")


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


async def test_no_decision_key_does_anything_here(
    asking: AgentQueue, you: ReviewQueue, place: Path, workdir: Path
) -> None:
    waiting = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(waiting)
        await opens_agents(seen, "blocked")
        await seen.press("y", *"yYnNxsS!uz", "y")
        assert "Agents" in seen.text
        assert len(seen.desk.guard.holds) == 0
    assert you.get(waiting.id).pending


# -- whatever happens ----------------------------------------------------------------------------------------


async def test_a_lost_queue_is_said_and_what_was_known_stays(asking: AgentQueue, place: Path) -> None:
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:  # type: ignore[arg-type]
        await opens_agents(seen, "connected:")
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
            await opens_agents(seen, "1 blocked on you")
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
            await opens_agents(seen, "blocked on you")
            for size in [(40, 10), (50, 40), (99, 30), (120, 40), (200, 50)]:
                await seen.pilot.resize_terminal(*size)
                for key in ("v", "escape"):
                    await seen.press(key)
                    assert [cell_len(line) for line in seen.frame] == [size[0]] * size[1]
                    assert seen.text.isascii() or not ascii_only
