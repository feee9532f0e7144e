"""Remembering an approval: in words, before anybody agrees, and never wider than they say."""

from __future__ import annotations

import asyncio
from pathlib import Path

from screen_bench import LARGE, Screen, call, command, post, screen, write

from signoff import ApprovalContext, ApprovalController
from signoff.queue import AgentQueue, ReviewQueue, StoredRequest
from signoff.tool_definition import Definition


async def asks_to_remember(seen: Screen, request: StoredRequest, key: str = "s") -> None:
    await seen.reads(request)
    if key == "S":
        await seen.group_armed()
    await seen.press(key)
    await seen.shows("Remember for this session?", "runs WITHOUT asking you", "[sheet]")
    await seen.sheet_armed()


async def test_an_exact_call_is_remembered_with_s_and_y(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.shows("command = pytest -q", "exactly this call", "tester", "session s-1, from any directory")
        await seen.shows("[y] yes, remember")
        await seen.press("y")
        await seen.shows("approved for session")
    (grant,) = looking.grants()
    assert (grant.tool_name, grant.payload, grant.session) == ("shell", {"command": "pytest -q"}, "s-1")


async def test_what_is_remembered_is_not_asked_again(asking: AgentQueue, place: Path, workdir: Path) -> None:
    controller = ApprovalController(queue=asking, cwd=str(workdir))
    context = ApprovalContext(tool_name="shell", args={"command": "pytest -q"})
    asked = asyncio.create_task(controller.request_approval(command("pytest -q", workdir), context))
    async with screen(place, waiting=1) as seen:
        (entry,) = seen.desk.inbox.entries()
        await asks_to_remember(seen, entry.request)
        await seen.press("y")
        assert (await asked).approved
        again = await controller.request_approval(command("pytest -q", workdir), context)
    assert (again.approved, again.source) == (True, "grant")


async def test_escape_remembers_and_approves_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.press("escape")
        await seen.shows_no("Remember for this session?")
    assert looking.get(request.id).pending
    assert looking.grants() == ()


async def test_enter_and_s_do_not_confirm(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.press("enter", "s")
        await seen.shows("s does nothing here", "Remember for this session?")
    assert looking.get(request.id).pending


async def test_a_payload_that_fixes_nothing_wants_another_key_and_says_why(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={}, arguments={"command": "npm install"}))
    async with screen(place, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.shows("EVERYTHING: ANY call, no argument is fixed", "[!] remember anyway")
        await seen.press("y")
        await seen.shows("y does nothing here")
        await seen.sheet_armed()
        await seen.press("!")
        await seen.shows("approved for session")
    (grant,) = looking.grants()
    assert grant.payload == {}


async def test_arguments_that_may_be_anything_are_named(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, write(workdir / "a.txt", "x\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.shows("any call with these values, ANY content")


async def test_what_is_bound_to_the_definition_of_a_tool_says_that_it_ends_with_it(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    tool = Definition.of("shell", "Run a command.", {})
    request = post(asking, command("ls", workdir, definition=tool))
    async with screen(place, waiting=1) as seen:
        await asks_to_remember(seen, request)
        await seen.shows("with the session, or when the tool's definition changes")
        await seen.press("y")
        await seen.shows("approved for session")
        await seen.press("4")
        await seen.shows("with the session, or when the tool's definition changes")


async def test_other_waiting_requests_that_match_stay(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, waiting=2) as seen:
        await asks_to_remember(seen, first)
        await seen.shows("y approves only this request")
        await seen.press("y")
        await seen.until(lambda: not looking.get(first.id).pending)
    assert looking.get(second.id).pending


async def test_high_risk_is_never_remembered(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("rm -rf build", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("(s) never for HIGH")
        await seen.press("s")
        await seen.shows("a HIGH request is never remembered")
    assert looking.grants() == ()


async def test_what_was_not_shown_is_approved_once_at_most_and_never_remembered(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.armed()
        await seen.press("s")
        await seen.shows("(s) not remembered: ", "not shown yet", "[!] approve ONCE anyway, recorded as")
        await seen.offer_armed()
        await seen.press("!")
        await seen.shows("approved by you")
    assert looking.grants() == ()


async def test_a_group_is_remembered_member_by_member(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {name}", workdir, group_id="g")) for name in "ab"]
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(requests[0])
        await asks_to_remember(seen, requests[1], "S")
        await seen.shows("command = ls a", "command = ls b", "approves only these 2 requests")
        await seen.press("y")
        await seen.until(lambda: len(looking.grants()) == 2)


async def test_moving_keys_do_not_change_the_target_under_an_open_sheet(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, _ = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await asks_to_remember(seen, first)
        await seen.press("down", "J", "end", "pagedown")
        assert seen.focus == first.id
        await seen.shows("Remember for this session?")
