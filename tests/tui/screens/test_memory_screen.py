"""The memory screen: what runs without asking, and taking it back."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from screen_bench import LARGE, PATIENCE, QUICK, SMALL, Cable, Screen, agent, call, command, post, screen, write

from signoff import ApprovalContext, ApprovalController, ApprovalRequest
from signoff.queue import AgentQueue, Decision, Grant, GrantPattern, ReviewQueue, Risk, open_review_queue
from signoff.queue.grant_coverage import row_text
from signoff.queue.grant_pattern import AnyValue, Exact, Under
from signoff_tui.guard import Cause
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.lines import detail_lines, row_lines
from signoff_tui.screens.memory.screen import MemoryScreen
from signoff_tui.text.lines import Line
from signoff_tui.text.look import UNICODE
from signoff_tui.widgets.lines_view import LinesView

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


def remembered(asking: AgentQueue, looking: ReviewQueue, request: ApprovalRequest) -> Grant:
    """Have a request approved and remembered."""
    posted = post(asking, request)
    decision = Decision(approved=True, remember=True, shown=1.0)
    verdict = looking.decide(posted.id, posted.revision, posted.submission.digest, decision)
    assert verdict.accepted, verdict.message
    return looking.grants()[-1]


def used(asking: AgentQueue, looking: ReviewQueue, request: ApprovalRequest) -> None:
    """Ask once more, and be answered by what is remembered."""
    with_grant = post(asking, request)
    asking.withdraw(with_grant.id, "only its submission is wanted")
    assert asking.use_grant(with_grant.submission) is not None


async def opens_memory(seen: Screen, *shown: str) -> None:
    await seen.press("4")
    await seen.shows("Session memory", *shown)


async def presses(seen: Screen, key: str, what: str = "list") -> None:
    """Press a key once it is armed."""
    await seen.until(
        lambda: memory(seen)._asking.deliberate.armed_at(what, Cause.MOVED) < asyncio.get_running_loop().time()
    )
    await seen.press(key)


async def tells(seen: Screen, *fragments: str) -> None:
    """Wait until the details say all this, on however many lines."""

    def words() -> str:
        rows = memory(seen).query_one("#detail", LinesView).lines
        return " ".join("".join(piece.text.text for piece in row.left) for row in rows)

    def told() -> bool:
        return all(fragment in " ".join(words().split()) for fragment in fragments)

    await seen.until(told, f"{fragments}")


def memory(seen: Screen) -> MemoryScreen:
    """The screen on top."""
    assert isinstance(seen.app.screen, MemoryScreen)
    return seen.app.screen


@SIZES
async def test_a_row_says_what_runs_how_wide_it_is_and_how_often_it_ran(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    remembered(asking, looking, command("pytest -q", workdir))
    used(asking, looking, command("pytest -q", workdir))
    async with screen(place, size=size) as seen:
        await opens_memory(seen, "1 active", 'command = "pytest -q"')
        at = seen.frame.index(seen.line('command = "pytest -q"'))
        row = " ".join(seen.frame[at - (size == LARGE) : at + 1])
        assert "shell" in row
        assert "exact" in row
        assert "1x" in row


@SIZES
async def test_the_details_say_who_remembered_it_for_whom_and_from_which_request(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    grant = remembered(asking, looking, command("pytest -q", workdir))
    async with screen(place, size=size, reviewer=looking.reviewer) as seen:
        await opens_memory(seen, "1 active")
        await tells(seen, f"by you, from request {grant.origin_request[:8]}", "any agent of session s-1")
        await tells(seen, "of agent tester", "with the session; HIGH risk still asks", "used never")


async def test_another_reviewer_is_named(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with open_review_queue(place, reviewer="anna") as anna:
        remembered(asking, anna, command("pytest -q", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "by anna, from request")


async def test_breadth_is_told_from_the_arguments_of_the_call_and_not_from_its_payload_alone(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    told = [
        ({"path": "a", "mode": "w"}, "exactly this call", 'mode = "w", path = "a"'),
        ({"path": "a"}, "any call with these values", 'path = "a", ANY mode'),
        ({"sandbox": "docs"}, "WIDE: only this is fixed", 'sandbox = "docs", ANY mode, ANY path'),
        ({}, "EVERYTHING", "ANY call of this tool"),
    ]
    for payload, _, _ in told:
        remembered(asking, looking, call(payload=payload, arguments={"path": "a", "mode": "w"}))
    async with screen(place, size=LARGE) as seen:
        await opens_memory(seen, *(words for _, _, words in told))
        for _, breadth, _ in told:
            await tells(seen, breadth)
            await seen.press("j")


def test_secrets_are_marks(asking: AgentQueue, looking: ReviewQueue, workdir: Path) -> None:
    grant = dataclasses.replace(
        remembered(asking, looking, command("ls", workdir)), payload={"password": "correct horse"}
    )
    entry = Entry(1, grant, None)
    lines = [*row_lines(entry, UNICODE, 80, focused=True, now=0, you=""), *detail(entry)]
    text = "".join(piece.text.text for line in lines for piece in line.left)
    assert "password" in text
    assert "horse" not in text


def detail(entry: Entry) -> list[Line]:
    return detail_lines(entry, 80, now=0, you="", waiting=None)


@SIZES
async def test_what_was_revoked_asks_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    remembered(asking, looking, command("pytest -q", workdir))
    controller = ApprovalController(queue=asking, cwd=str(workdir))
    context = ApprovalContext(tool_name="shell", args={"command": "pytest -q"})
    before = await controller.request_approval(command("pytest -q", workdir), context)
    assert (before.approved, before.source) == (True, "grant")
    async with screen(place, size=size, reviewer=looking.reviewer) as seen:
        await opens_memory(seen, "1x")
        await presses(seen, "x")
        await seen.shows("#1 revoked: the next such call asks again", "by you", "0 active, 1 revoked")
        asked = asyncio.create_task(controller.request_approval(command("pytest -q", workdir), context))
        await seen.shows("1 waiting")
        (request,) = looking.pending()
        looking.decide(request.id, request.revision, request.submission.digest, Decision(approved=False))
        assert not (await asked).approved


async def test_nothing_moves_when_a_row_is_revoked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "abc":
        remembered(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "ls c")
        places = [index for index, line in enumerate(seen.frame) for name in "abc" if f'"ls {name}"' in line]
        await seen.press("j")
        await presses(seen, "x")
        await seen.shows("#2 revoked")
        after = [index for index, line in enumerate(seen.frame) for name in "abc" if f'"ls {name}"' in line]
        assert after == places
        assert "revoked" in seen.frame[places[1]]


async def test_a_second_press_does_not_go_on_to_the_next(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        remembered(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "ls b")
        await presses(seen, "x")
        await seen.shows("1 active, 1 revoked")
        await presses(seen, "x")
        await seen.shows("#1 is revoked already")
    assert len(looking.grants()) == 1


async def test_somebody_who_was_first_is_said(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    grant = remembered(asking, looking, command("ls", workdir))

    class Late(Cable):
        def revoke(self, grant_id: str) -> bool:
            with open_review_queue(place, reviewer="anna") as anna:
                anna.revoke(grant_id)
            return self._queue.revoke(grant_id)

    async with screen(place, queue=Late(place)) as seen:
        await opens_memory(seen, "1 active")
        await presses(seen, "x")
        await seen.shows("#1 had been revoked by somebody else before", "by anna")
    assert looking.grants(include_revoked=True)[0].id == grant.id


async def test_what_another_screen_revokes_is_seen_without_a_key(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    grant = remembered(asking, looking, command("ls", workdir))
    async with screen(place, size=LARGE) as seen:
        await opens_memory(seen, "1 active")
        with open_review_queue(place, reviewer="anna") as anna:
            anna.revoke(grant.id)
        await seen.shows("0 active, 1 revoked", "by anna", "such calls ask again")


async def test_what_is_remembered_meanwhile_comes_at_the_end(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls a", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "1 active")
        remembered(asking, looking, command("ls b", workdir))
        await seen.shows("2 active")
        assert seen.frame.index(seen.line('"ls a"')) < seen.frame.index(seen.line('"ls b"'))


async def test_uses_are_counted_while_one_looks(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "0x")
        used(asking, looking, command("ls", workdir))
        await seen.shows("1x", "once, last")


async def test_it_says_how_many_waiting_requests_would_match(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "1 active")
        await tells(seen, "would match 0 waiting requests")
        waiting = post(asking, command("ls", workdir))
        asking.submit(dataclasses.replace(waiting.submission, key="risky", risk=Risk.HIGH))
        post(asking, command("pwd", workdir))
        await tells(seen, "would match 1 waiting request")


async def test_enter_opens_the_history_of_its_uses_and_revokes_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    used(asking, looking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "1x")
        await presses(seen, "enter")
        await seen.shows("signoff  History")
    assert len(looking.grants()) == 1


# -- all of them -------------------------------------------------------------------------------------------


async def test_all_are_revoked_with_a_second_key(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "abc":
        remembered(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "3 active")
        await presses(seen, "R")
        await seen.shows("Revoke ALL 3?", "! revoke all 3")
        await seen.works("!")
        await presses(seen, "!", "all")
        await seen.shows("3 revoked: the next such calls ask again", "0 active")
    assert looking.grants() == ()


async def test_no_other_key_revokes_all(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        remembered(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "2 active")
        for key in ("enter", "R", "escape"):
            await presses(seen, "R")
            await seen.shows("! revoke all 2")
            await seen.works("!")
            await presses(seen, key, "all")
            await seen.pilot.pause()
            assert len(looking.grants()) == 2, key
            if memory(seen)._asking.is_open:
                await seen.press("escape")
            await seen.shows_no("! revoke all 2")


async def test_only_the_session_that_is_listed_is_revoked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    with agent(place, session="s-2", cwd=workdir) as other:
        remembered(other, looking, command("pwd", workdir))
        async with screen(place) as seen:
            await opens_memory(seen, "2 active")
            await seen.press("M")
            await seen.shows("1 active", "session s-1")
            assert "pwd" not in seen.text
            await presses(seen, "R")
            await seen.shows("! revoke all 1")
            await seen.works("!")
            await presses(seen, "!", "all")
            await seen.shows("0 active")
            await seen.press("4")
            await seen.shows("1 active, 1 revoked", "pwd")


# -- keys that were not meant --------------------------------------------------------------------------------

TYPED = replace(QUICK, quiet_before=0.25, typing_lock=True)


@pytest.mark.parametrize("word", ["xerox x", "jxjxjx", "xxxxxx", "Rx!R!"])
async def test_a_word_typed_here_revokes_one_at_most(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, word: str
) -> None:
    for name in "abc":
        remembered(asking, looking, command(f"ls {name}", workdir))
    async with screen(place, settings=TYPED) as seen:
        await opens_memory(seen, "3 active")
        await presses(seen, "down")
        await seen.types(word)
        await seen.until(lambda: not memory(seen)._busy)
    assert len(looking.grants()) >= 2


class Late:
    """A connection to a real queue that lists what is remembered only when the test lets it."""

    def __init__(self, place: Path) -> None:
        self._queue = open_review_queue(place, reviewer="you")
        self.may_list = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def grants(self, *, include_revoked: bool = False) -> tuple[Grant, ...]:
        if include_revoked:
            assert self.may_list.wait(PATIENCE)
        return self._queue.grants(include_revoked=include_revoked)


async def test_a_key_pressed_before_the_list_was_there_does_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    late: Any = Late(place)
    async with screen(place, queue=late) as seen:
        await opens_memory(seen)
        await seen.press("x")
        late.may_list.set()
        await seen.shows("1 active")
    assert len(looking.grants()) == 1


async def test_no_request_can_be_decided_here(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    waiting = post(asking, command("pwd", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(waiting)
        await opens_memory(seen, "1 active")
        await presses(seen, "y")
        await seen.press("Y", "s", "S", "N", "X", "u", "!")
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(waiting.id).pending
    assert len(looking.grants()) == 1


# -- wider and narrower ----------------------------------------------------------------------------------------


def writing(path: str) -> ApprovalRequest:
    return call(f"Write {path}", tool_name="write_file", payload={"path": path, "mode": "w"})


@SIZES
async def test_a_wider_one_is_saved_after_its_preview(
    asking: AgentQueue, looking: ReviewQueue, place: Path, size: tuple[int, int]
) -> None:
    remembered(asking, looking, writing("docs/guide/a.md"))
    for name in "bc":
        posted = post(asking, writing(f"docs/guide/{name}.md"))
        looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=name == "b"))
    post(asking, writing("docs/guide/d.md"))
    async with screen(place, size=size, waiting=1) as seen:
        await opens_memory(seen, "1 active")
        await presses(seen, "w")
        await seen.shows("Widen #1", "path below docs/guide/", "path below docs/", "path ANY", "mode ANY")
        await tells(seen, "would have matched 3 of the last 3 calls of the session", "Write docs/guide/b.md")
        await tells(seen, "1 waiting request matches, and stays undecided")
        assert len(looking.grants()) == 1
        await saves(seen)
        await seen.shows("#1: the wider one is remembered besides it", "2 active")
    pattern = GrantPattern.exactly("write_file", {"path": "docs/guide/a.md", "mode": "w"})
    assert looking.grants()[-1].pattern == pattern.widened("path", Under("docs/guide"))
    (waiting,) = looking.pending()
    assert waiting.pending


async def saves(seen: Screen) -> None:
    """Show the rest of the sheet, and save."""
    await seen.until(lambda: (sheet := memory(seen)._asking.sheet) is not None and sheet.preview is not None)
    await seen.press("space", "space", "space")
    await seen.shows("! save")
    await seen.works("!")
    await seen.press("!")


def test_the_row_of_a_wider_one_begins_with_what_is_wider(
    asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    grant = remembered(asking, looking, command("python3 -m unittest discover -s tests", workdir))
    pattern = GrantPattern("shell", (("command", Exact.of("ls")), ("cwd", AnyValue())))
    entry = Entry(2, dataclasses.replace(grant, pattern=pattern), None)
    assert row_text(entry.grant, None, entry.masks.mask_value) == 'cwd ANY, command = "ls"'


async def test_another_choice_has_another_preview(asking: AgentQueue, looking: ReviewQueue, place: Path) -> None:
    remembered(asking, looking, writing("docs/a.md"))
    posted = post(asking, writing("src/b.py"))
    looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))
    async with screen(place, size=LARGE) as seen:
        await opens_memory(seen, "1 active")
        await presses(seen, "w")
        await tells(seen, "would have matched 1 of the last 2 calls")
        await seen.press("j", "j")
        await tells(seen, "would have matched 2 of the last 2 calls", "Write src/b.py")


async def test_no_other_key_saves(asking: AgentQueue, looking: ReviewQueue, place: Path) -> None:
    remembered(asking, looking, writing("docs/a.md"))
    async with screen(place, size=LARGE) as seen:
        await opens_memory(seen, "1 active")
        for key in ("enter", "y", "escape"):
            await presses(seen, "w")
            await seen.shows("! save")
            await seen.works("!")
            await seen.press(key)
            await seen.pilot.pause()
            assert len(looking.grants()) == 1, key
            if memory(seen)._asking.is_open:
                await seen.press("escape")
            await seen.shows_no("! save")
    assert len(looking.grants(include_revoked=True)) == 1


async def test_a_narrower_one_takes_the_place_of_the_wide_one(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    exact = remembered(asking, looking, writing("docs/a.md"))
    looking.revoke(exact.id)
    wide = GrantPattern.exactly("write_file", {"path": "docs/a.md", "mode": "w"}).widened("path", AnyValue())
    looking.add_pattern(wide, session="s-1", origin=exact.origin_request)
    async with screen(place, size=LARGE) as seen:
        await opens_memory(seen, "1 active, 1 revoked")
        await seen.press("j")
        await presses(seen, "n")
        await seen.shows("Narrow #2", "path below docs/")
        await saves(seen)
        await seen.shows("#2: replaced by the narrower one", "1 active, 2 revoked")
    (grant,) = looking.grants()
    assert grant.pattern == wide.widened("path", Under("docs"))


async def test_there_is_nothing_narrower_than_one_call(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_memory(seen, "1 active", "n narrow", "Enter uses")
        await presses(seen, "n")
        await seen.shows("#1 gets no narrower: it covers one call only")
        assert "nothing narrower" not in seen.text


async def test_a_row_for_which_there_is_no_room_can_be_read_on_the_whole_screen(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls " + "name " * 50, workdir))
    async with screen(place, size=(40, 10)) as seen:
        await seen.press("4")
        await seen.shows("1 active")
        await seen.press("v")
        await seen.shows("remembered")
        await seen.press(*["space"] * 30)
        await seen.shows("right now", "would match 0")
        await seen.press("escape")
        await seen.shows("tool, and what runs")


# -- states ----------------------------------------------------------------------------------------------------


async def test_an_empty_memory_says_so(place: Path) -> None:
    async with screen(place) as seen:
        await opens_memory(seen, "Nothing is remembered: no call is let through by memory.")
        await seen.press("x", "R", "!", "w", "n", "enter", "j", "space", "M")
        assert "Nothing is remembered" in seen.text


async def test_a_lost_queue_is_said_and_nothing_can_be_changed(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("ls", workdir))
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:
        await opens_memory(seen, "1 active")
        cable.pulled = True
        await seen.shows("QUEUE LOST")
        await presses(seen, "x")
        await seen.shows("the queue is not there")
        cable.pulled = False
        await seen.shows_no("QUEUE LOST")
    assert len(looking.grants()) == 1


async def test_help_lists_the_keys_of_this_screen(place: Path) -> None:
    async with screen(place) as seen:
        await opens_memory(seen)
        await seen.press("question_mark")
        await seen.shows("keys for: session memory", "revoke; such calls ask again", "cover more")
        await seen.press("escape")
        await seen.shows("Session memory")


HOSTILE = "[@click=app.quit]a[/]\x1b]0;owned\x07\x1b[31m\u202e\u200bevil\nline"


@SIZES
async def test_hostile_words_are_inert_wherever_they_stand(
    looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    with agent(place, HOSTILE, session=HOSTILE, cwd=workdir) as evil:
        remembered(
            evil, looking, call(HOSTILE, tool_name=HOSTILE, payload={HOSTILE: HOSTILE, "path": f"a/{HOSTILE}"})
        )
        async with screen(place, size=size) as seen:
            await opens_memory(seen, "1 active", "[@click=app.quit]")
            await presses(seen, "w")
            await seen.shows("Widen #1", "would have matched")
            assert not set(seen.text) & {"\x1b", "\x07", "\u202e", "\u200b"}
            await seen.press("escape")
            for column, row in product((12, size[0] - 12), range(size[1])):
                await seen.pilot.click(offset=(column, row))
            await seen.shows("Session memory")
    assert len(looking.grants(include_revoked=True)) == 1


async def test_the_memory_fits_any_size(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    remembered(asking, looking, command("pytest -q " + "tests/very/long/name.py " * 20, workdir))
    remembered(asking, looking, write(workdir / "a.txt", "text"))
    async with screen(place) as seen:
        for size in [(40, 10), (50, 40), (60, 16), (80, 24), (99, 30), (120, 40), (200, 50)]:
            await seen.pilot.resize_terminal(*size)
            await opens_memory(seen) if size[0] > 60 else await seen.press("4")
            await seen.shows("2 active")
            assert [len(line) for line in seen.frame] == [size[0]] * size[1]
            await presses(seen, "w")
            await seen.shows("Widen #1")
            assert [len(line) for line in seen.frame] == [size[0]] * size[1]
            seen.app.go("inbox")
            await seen.until(lambda: seen.app.screen is seen.app.review)
