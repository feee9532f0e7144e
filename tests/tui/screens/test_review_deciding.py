"""Deciding about one request: what the queue stores is what was shown and pressed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, call, command, lines, post, screen, write
from textual.events import Paste

from signoff import ApprovalContext, ApprovalController, Command
from signoff.queue import AgentQueue, DecisionSource, RequestState, ReviewQueue
from signoff.queue.wording import NOT_RUN
from signoff_tui.guard import GuardSettings

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


@SIZES
async def test_y_on_a_request_that_was_shown_approves_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
    stored = looking.get(request.id)
    assert stored.state is RequestState.APPROVED
    assert stored.decision is not None
    assert (stored.decision.by, stored.decision.source) == ("you", DecisionSource.REVIEWER)
    assert (stored.decision.shown, stored.decision.deliberate) == (1.0, False)
    assert (stored.decision.remember, stored.decision.note) == (False, None)


async def test_the_agent_is_told_at_once(place: Path, workdir: Path, asking: AgentQueue) -> None:
    controller = ApprovalController(queue=asking, cwd=str(workdir))
    request = command("pytest -q", workdir)
    context = ApprovalContext(tool_name="shell", args={"command": "pytest -q"})
    asked = asyncio.create_task(controller.request_approval(request, context))
    async with screen(place, waiting=1) as seen:
        (entry,) = seen.desk.inbox.entries()
        await seen.reads(entry.request)
        await seen.press("y")
        decision = await asked
    assert (decision.approved, decision.by) == (True, "you")


async def test_what_the_agent_could_not_run_is_not_called_approved(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
        asking.give_up(request.id, request.revision, f"{NOT_RUN}: a file was changed")
        await seen.shows("NOT RUN, though approved", "! approved, not run: a file was changed")
        await seen.press("h")
        await seen.shows("NOT RUN  ")


async def test_a_decision_is_held_before_it_is_sent(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved pytest -q, sends in", "u undo")
        assert looking.get(request.id).pending


async def test_a_held_decision_is_sent_when_its_time_is_over(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    shortest = GuardSettings(arm_moved=0.15, arm_arrived=0.15, quiet_before=0, dwell=0.02, hold=0.8)
    async with screen(place, settings=shortest, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert decision.held_us >= 800_000


async def test_after_a_decision_the_next_request_is_the_target(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, second = post(asking, command("ls", workdir)), post(asking, command("pwd", workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(first)
        await seen.press("y")
        await seen.until(lambda: seen.focus == second.id)
        await seen.shows("▌     $ pwd")


async def test_keys_that_are_no_decision_keys_never_approve(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        for key in ("space", "enter", "escape", "a", "ctrl+c"):
            await seen.armed()
            await seen.press(key, key)
            assert len(seen.desk.guard.holds) == 0, key
            assert looking.get(request.id).pending, key
    assert looking.get(request.id).pending


async def test_a_key_that_comes_too_early_is_dropped_and_said(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    patient = GuardSettings(arm_moved=30, arm_arrived=30, dwell=0.02, quiet_before=0)
    async with screen(place, settings=patient, size=LARGE, waiting=1) as seen:
        await seen.until(lambda: seen.is_read(seen.entry(request)))
        await seen.press("y")
        await seen.shows("too early: look, press again")
    assert looking.get(request.id).pending


async def test_a_held_key_approves_one_request_only(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(3)]
    hurried = GuardSettings(dwell=0.02, autorepeat=5.0)
    async with screen(place, settings=hurried, size=LARGE, waiting=3) as seen:
        for request in reversed(requests):
            await seen.reads(request)
        await seen.press(*"yyyyyyyyyyyy")
        assert len(seen.desk.guard.holds) <= 1
    assert [looking.get(request.id).pending for request in requests[1:]] == [True, True]


async def test_a_word_typed_by_mistake_takes_back_what_its_letters_decided(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=GuardSettings(dwell=0.02, burst_window=5.0), size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.rests()
        await seen.types("yarn test")
        await seen.shows("looked like typing")
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(request.id).pending


async def test_typing_undoes_what_its_letters_put_aside(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=GuardSettings(burst_window=5.0), size=LARGE, waiting=1) as seen:
        await seen.armed()
        await seen.types("zero")
        await seen.shows("looked like typing")
        assert not seen.entry(request).later


async def test_a_paste_is_never_a_command(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        seen.app.screen.post_message(Paste("y"))
        await seen.shows("pasted text is never a command")
    assert looking.get(request.id).pending


async def test_what_was_shown_of_a_long_file_is_counted_page_by_page(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "long.txt", lines(60)))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.press("enter")
        entry = seen.entry(request)
        await seen.until(lambda: (coverage := seen.desk.coverage(entry)) and 0 < coverage.shown < 60)
        await seen.shows(" lines below", " % read")
        await seen.reads(request)
        await seen.until(lambda: seen.line("A long.txt").endswith(" read "))
        await seen.shows_no(" lines below")


async def test_the_line_under_the_content_follows_the_reader(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "long.txt", lines(60)))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.press("enter")
        await seen.shows(" lines below")
        before = seen.line(" lines below")
        await seen.press("j")
        await seen.until(lambda: " lines below" in seen.text and seen.line(" lines below") != before)
        await seen.press("G")
        await seen.shows_no(" lines below")


async def test_a_call_without_preview_shows_its_arguments(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"title": "Crash on save", "labels": ["bug", "ui"]}))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows('title: "Crash on save"', '- "bug"', '- "ui"')


async def test_a_command_is_shown_with_its_working_directory(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("make\nmake install", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("@ cwd: ", "$ make", "$ make install")


async def test_several_files_of_one_call_are_read_one_after_the_other(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    both = write(workdir / "a.txt", "one\n")
    both = both.model_copy(update={"effects": (*both.effects, Command("ls", str(workdir)))})
    request = post(asking, both)
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("one", "$ ls", "a.txt and 1 more")


async def test_documents_are_made_only_for_what_is_looked_at(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(60)]
    async with screen(place, waiting=60) as seen:
        await seen.until(lambda: seen.desk.content(seen.entry(requests[0])))
        assert seen.desk.content(seen.entry(requests[-1])) is None
