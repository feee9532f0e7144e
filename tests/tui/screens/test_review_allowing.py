"""The allow sheet: what each choice covers is said before anybody agrees, and nothing wider is allowed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, agent, amend, call, command, post, screen, write

from signoff import ApprovalContext, ApprovalController, Command
from signoff.queue import AgentQueue, DecisionSource, RequestState, ReviewQueue, StoredRequest
from signoff.queue.grant_pattern import Beginning, GrantPattern, Under
from signoff.queue.history import PatternPreview
from signoff.tool_definition import Definition
from signoff_tui.screens.review.allow import Allowing, choices
from signoff_tui.screens.review.work import Compared

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


async def opens_sheet(seen: Screen) -> None:
    """Press the key of the sheet; again if the screen was too busy to take it."""
    await seen.press("s")
    for _ in range(20):
        if "Allow for this session of " in seen.text:
            break
        await seen.rests()
        await seen.press("s")
    await seen.shows("Allow for this session of ")


async def opens(seen: Screen, request: StoredRequest) -> None:
    """Read a request, and open its sheet."""
    await seen.reads(request)
    await opens_sheet(seen)
    await seen.shows_no("looking ...")

    def compared() -> bool:
        sheet = seen.app.review.bar
        assert isinstance(sheet, Allowing)
        patterns = [choice.pattern for choice in choices(seen.desk, sheet)]
        return all(pattern is None or pattern.key in sheet.found for pattern in patterns)

    await seen.until(compared, "what it was compared with")
    await seen.sheet_armed()


def approved(looking: ReviewQueue, *requests: StoredRequest) -> bool:
    return all(looking.get(request.id).state is RequestState.APPROVED for request in requests)


def granted(looking: ReviewQueue) -> GrantPattern | None:
    """The pattern of the one approval that is remembered; None if it is exact."""
    (grant,) = looking.grants()
    return grant.pattern


async def opens_of_all(seen: Screen) -> None:
    """Read the group, and open the sheet about all of it."""
    await seen.goes_to_group()
    await seen.reads_group()
    await seen.goes_to_group()
    await seen.group_armed()
    await opens_sheet(seen)


def line_of(seen: Screen, key: str) -> str:
    """The row of a choice."""
    return next(row for row in seen.frame if row.startswith(f"  {key}  "))


# -- the three choices ---------------------------------------------------------------------------------------


@SIZES
async def test_the_first_allows_exactly_this_command(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("pytest -q tests", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        await opens(seen, request)
        assert line_of(seen, "1").split()[1:5] == ["exactly", "pytest", "-q", "tests"]
        await seen.press("1")
        await seen.until(lambda: approved(looking, request))
    (grant,) = looking.grants()
    assert (grant.pattern, grant.payload, grant.session) == (None, {"command": "pytest -q tests"}, "s-1")


@pytest.mark.parametrize(
    ("key", "told"),
    [("1", "git diff HEAD~1"), ("2", "starting with git diff …"), ("3", "any command of shell")],
)
async def test_while_it_is_held_a_yes_that_is_remembered_says_for_which_calls(
    asking: AgentQueue, place: Path, workdir: Path, key: str, told: str
) -> None:
    request = post(asking, command("git diff HEAD~1", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await opens(seen, request)
        await seen.press(key)
        await seen.shows(f"allowed {told}, sends in ")


async def test_a_key_that_was_refused_is_told_while_the_sheet_learns_more(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q tests", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("9")
        await seen.shows("9 does nothing here")
        sheet = seen.app.review.bar
        assert isinstance(sheet, Allowing)
        pattern = choices(seen.desk, sheet)[0].pattern
        assert pattern is not None
        seen.app.review.post_message(Compared(pattern, PatternPreview(7, (), 0, 0, ())))
        await seen.shows("0 of last 7")
        assert "9 does nothing here" in seen.text


async def test_the_second_allows_commands_that_begin_alike(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("git diff HEAD~1", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert "starting with" in line_of(seen, "2")
        assert "git diff …" in line_of(seen, "2")
        await seen.press("2")
        await seen.until(lambda: approved(looking, request))
    pattern = granted(looking)
    assert pattern is not None
    assert dict(pattern.entries) == {"command": Beginning(("git", "diff"))}


async def test_left_and_right_make_the_beginning_longer_and_shorter(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("git diff HEAD~1", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("left")
        await seen.shows("git diff HEAD~1 …")
        await seen.press("right", "right", "right")
        await seen.shows("git …")
        await seen.press("left")
        await seen.shows("git diff …")
        await seen.sheet_armed()
        await seen.press("2")
        await seen.until(lambda: approved(looking, request))
    pattern = granted(looking)
    assert pattern is not None
    assert dict(pattern.entries) == {"command": Beginning(("git", "diff"))}


async def test_the_third_allows_every_call_of_the_tool(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert line_of(seen, "3").split()[1:4] == ["any", "command", "shell"]
        await seen.press("3")
        await seen.until(lambda: approved(looking, request))
    pattern = granted(looking)
    assert pattern is not None
    assert pattern.matches("shell", {"command": "make"})


async def test_files_are_allowed_below_a_directory(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    (workdir / "src").mkdir()
    request = post(asking, write(workdir / "src" / "a.txt", "x\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert "files below" in line_of(seen, "2")
        assert "only with" not in seen.text, "the path is what the second leaves open"
        await seen.press("2")
        await seen.until(lambda: approved(looking, request))
    pattern = granted(looking)
    assert pattern is not None
    assert isinstance(dict(pattern.entries)["path"], Under)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bash", "bash with these arguments can do more than can be told"),
        ("ls | wc -l", "only for one plain command"),
    ],
)
async def test_a_beginning_that_could_run_anything_is_not_offered(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, text: str, why: str
) -> None:
    request = post(asking, command(text, workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert f"not offered: {why}" in line_of(seen, "2")
        await seen.press("2")
        await seen.shows("2 does nothing here")
    assert looking.get(request.id).pending


async def test_a_call_of_another_kind_is_allowed_exactly_or_all_of_the_tool(
    asking: AgentQueue, place: Path
) -> None:
    request = post(asking, call())
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert "not offered: for commands and files only" in line_of(seen, "2")
        assert "any call" in line_of(seen, "3")


async def test_a_payload_that_fixes_nothing_is_allowed_as_every_call_of_the_tool_and_not_as_exactly_this_one(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={}, arguments={"command": "npm install"}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert "not offered: its tool names nothing that would tell this call from others" in line_of(seen, "1")
        assert "any call" in line_of(seen, "3")
        await seen.press("1")
        await seen.shows("1 does nothing here")
        await seen.sheet_armed()
        await seen.press("3")
        await seen.until(lambda: approved(looking, request))
    assert looking.grants()[0].payload == {}


@pytest.mark.parametrize("size", [(50, 24), LARGE], ids=["narrow", "large"])
async def test_arguments_that_may_be_anything_are_named_however_long_the_name_of_the_file_is(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    (workdir / "src").mkdir()
    request = post(asking, write(workdir / "src" / f"{'long' * 30}.txt", "x\n"))
    async with screen(place, size=size, waiting=1) as seen:
        await opens(seen, request)
        assert ", ANY content" in line_of(seen, "1")
        assert "/work/src/, ANY content" in line_of(seen, "2")


async def test_of_several_what_may_be_anything_in_any_of_them_is_named(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        post(asking, write(workdir / f"{name}.txt", "x\n", group_id="g"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens_of_all(seen)
        await seen.shows("exactly these 2", "a.txt, b.txt, ANY content")


async def test_of_several_none_is_allowed_with_one_that_fixes_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    for payload in ({"command": "npm install"}, {}):
        post(asking, call(payload=payload, arguments={"command": "npm install"}, group_id="g"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens_of_all(seen)
        await seen.shows("not offered: one of them fixes nothing")
        await seen.sheet_armed()
        await seen.press("1")
        await seen.shows("1 does nothing here")
    assert looking.grants() == ()


# -- what it says --------------------------------------------------------------------------------------------


async def test_each_choice_says_how_many_of_the_last_calls_it_would_have_answered(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for text in ("git diff", "git diff --stat", "ls"):
        earlier = post(asking, command(text, workdir))
        asking.withdraw(earlier.id, "not needed")
    request = post(asking, command("git diff", workdir))
    post(asking, command("git diff src", workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, request)
        await seen.until(lambda: "1 waiting" in line_of(seen, "3"))
        counts = [line_of(seen, key).split("of last ")[0].split()[-1] for key in "123"]
        assert counts == ["1", "2", "3"]
        assert "waiting" not in line_of(seen, "1")
        assert "1 waiting" in line_of(seen, "2")


async def test_what_is_bound_to_the_definition_of_a_tool_says_that_it_ends_with_it(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    tool = Definition.of("shell", "Run a command.", {})
    request = post(asking, command("ls", workdir, definition=tool))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows("ends when the tool changes, too")


async def test_another_value_that_has_to_be_equal_is_said(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"title": "Crash", "repository": "shop"}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows("only with  repository = shop", "only with  title = Crash")
        first, third = (seen.frame.index(line_of(seen, key)) for key in "13")
        fixed = [number for number, row in enumerate(seen.frame) if "only with" in row]
        assert first < fixed[0] <= fixed[-1] < third, "the third leaves them open"


# -- what is not allowed -------------------------------------------------------------------------------------


async def test_what_is_allowed_is_not_asked_again(asking: AgentQueue, place: Path, workdir: Path) -> None:
    controller = ApprovalController(queue=asking, cwd=str(workdir))

    def asks(text: str) -> asyncio.Task[object]:
        context = ApprovalContext(tool_name="shell", args={"command": text})
        return asyncio.create_task(controller.request_approval(command(text, workdir), context))

    first = asks("git diff")
    async with screen(place, size=LARGE, waiting=1) as seen:
        (entry,) = seen.desk.inbox.entries()
        await opens(seen, entry.request)
        await seen.press("2")
        assert (await first).approved  # type: ignore[attr-defined]
        again = await asks("git diff --stat")
        assert (again.approved, again.source) == (True, "grant")  # type: ignore[attr-defined]
        other = asks("git diff > out.txt")
        await seen.shows("1 waiting")
        assert not other.done()
        other.cancel()


@pytest.mark.parametrize("key", ["escape", "enter", "s", "y", "Y"])
async def test_no_other_key_allows_or_approves(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, key: str
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.press(key)
        assert not len(seen.desk.guard.holds)
    assert looking.grants() == ()


async def test_the_sheet_says_what_asks_all_the_same(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows("HIGH always asks")


async def test_a_high_risk_is_never_allowed(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("rm -rf build", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("s")
        await seen.shows("HIGH is never allowed for a session")
    assert looking.grants() == ()


async def test_what_was_not_read_cannot_be_allowed(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.armed()
        await seen.press("s")
        await seen.shows("! approve unread (")
        await seen.offer_armed()
        await seen.press("!")
        await seen.until(lambda: approved(looking, request))
    assert looking.grants() == ()


async def test_the_members_of_a_group_that_were_read_are_allowed_one_by_one(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {name}", workdir, group_id="g")) for name in "ab"]
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens_of_all(seen)
        await seen.shows("exactly these 2", "ls a, ls b")
        await seen.sheet_armed()
        await seen.press("1")
        await seen.until(lambda: approved(looking, *requests))
    assert sorted(grant.payload["command"] for grant in looking.grants()) == ["ls a", "ls b"]
    assert all(grant.pattern is None for grant in looking.grants())


async def test_moving_keys_do_not_change_the_target_under_an_open_sheet(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, _ = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("down", "J", "end", "pagedown")
        assert seen.focus == first.id
        await seen.shows("Allow for this session")


# -- what waits ----------------------------------------------------------------------------------------------


async def test_what_waits_and_matches_stays_waiting(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("1")
        await seen.until(lambda: approved(looking, first))
    assert looking.get(second.id).pending


async def test_with_w_the_digit_approves_what_is_listed_and_nothing_else(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second, third = (post(asking, command("pytest -q", workdir)) for _ in range(3))
    async with screen(place, size=LARGE, waiting=3) as seen:
        await opens(seen, first)
        await seen.press("w")
        await seen.shows("and approves: pytest -q", "also approve what waits: yes")
        await seen.sheet_armed()
        late = post(asking, command("pytest -q", workdir))
        await seen.shows("4 waiting")
        await seen.press("1")
        await seen.until(lambda: approved(looking, first, second, third))
    assert looking.get(late.id).pending
    (grant,) = looking.grants()
    decisions = [looking.get(request.id).decision for request in (second, third)]
    assert [(decision.source, decision.by) for decision in decisions if decision is not None] == [
        (DecisionSource.GRANT, grant.id)
    ] * 2


async def test_what_waits_of_another_session_is_not_released(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "docs-bot", session="s-2", cwd=workdir) as other:
        second = post(other, command("ls", workdir))
        async with screen(place, size=LARGE, waiting=2) as seen:
            await opens(seen, first)
            await seen.press("w")
            await seen.sheet_armed()
            await seen.press("1")
            await seen.until(lambda: approved(looking, first))
        assert looking.get(second.id).pending


async def test_high_risk_and_what_is_snoozed_are_not_released(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second, snoozed = (post(asking, call()) for _ in range(3))
    high = post(asking, call(effects=(Command("rm -rf build", str(workdir)),)))
    async with screen(place, size=LARGE, waiting=4) as seen:
        await seen.goes_to(snoozed)
        await seen.press("z")
        await opens(seen, first)
        await seen.press("w")
        await seen.shows("and approves: ")
        await seen.sheet_armed()
        await seen.press("1")
        await seen.until(lambda: approved(looking, first, second))
    assert looking.get(high.id).pending
    assert looking.get(snoozed.id).pending


async def test_what_changes_under_the_sheet_is_not_released(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, write(workdir / "a.txt", text)) for text in ("x\n", "y\n"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("w")
        await seen.shows("and approves: ")
        await seen.sheet_armed()
        amend(asking, second, write(workdir / "a.txt", "z\n"))
        await seen.until(lambda: seen.entry(second).request.revision == 2)
        await seen.press("1")
        await seen.until(lambda: approved(looking, first))
    assert looking.get(second.id).pending


async def test_undo_takes_all_of_it_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command("ls", workdir)) for _ in range(2))
    async with screen(place, settings=HELD, size=LARGE, waiting=2) as seen:
        await opens(seen, first)
        await seen.press("w")
        await seen.shows("and approves: ")
        await seen.sheet_armed()
        await seen.press("1")
        (held,) = seen.desk.guard.holds
        assert len(held.refs) == 2
        await seen.press("u")
        await seen.shows("are waiting again")
    assert looking.get(first.id).pending
    assert looking.get(second.id).pending
    assert looking.grants() == ()


@pytest.mark.parametrize("size", [(50, 40), SMALL, LARGE, (200, 50)], ids=str)
async def test_only_what_has_room_to_be_named_is_released(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    first, *_ = (post(asking, command("ls", workdir)) for _ in range(30))
    async with screen(place, settings=HELD, size=size, waiting=30) as seen:
        await opens(seen, first)
        await seen.press("w")
        await seen.shows("and approves: ")
        await seen.sheet_armed()
        named = seen.text.split("and approves: ")[1].split("\n  2  ")[0].count("ls ")
        await seen.press("1")
        (held,) = seen.desk.guard.holds
        assert len(held.refs) == named + 1
        assert named
