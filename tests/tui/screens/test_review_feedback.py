"""Saying no, and why."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, amend, command, post, screen
from textual.events import Paste

from signoff import ApprovalContext
from signoff.queue import AgentQueue, Decision, RequestState, ReviewQueue, StoredRequest
from signoff.submission import plain_submission, submission_with_snapshot
from signoff_tui.guard import GuardSettings

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


async def begins_to_reject(seen: Screen, request: StoredRequest) -> None:
    await seen.goes_to(request)
    await seen.armed()
    await seen.press("n")
    await seen.shows("Tell it what to do instead")


async def test_words_that_no_agent_hears_are_said_to_be_for_the_history(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    asked = command("make", workdir)
    context = ApprovalContext(tool_name=asked.tool_name, args=dict(asked.payload), lacks=frozenset({"note"}))
    plain = plain_submission(asked, context, cwd=str(workdir))
    request = asking.submit(submission_with_snapshot(asked, plain)[0])
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.armed()
        await seen.press("n")
        await seen.shows("the agent goes on and hears no words. For the history (optional):")


@dataclass
class Rejecting:
    """A person who rejects the only request that waits."""

    looking: ReviewQueue
    place: Path
    request: StoredRequest

    @asynccontextmanager
    async def box(self, **options: Any) -> AsyncIterator[Screen]:
        """The screen, with the message box open."""
        async with screen(self.place, waiting=1, **options) as seen:
            await begins_to_reject(seen, self.request)
            yield seen

    @asynccontextmanager
    async def sent(self, **options: Any) -> AsyncIterator[Screen]:
        """The same; at the end, Enter sends what was written."""
        async with self.box(**options) as seen:
            yield seen
            await seen.press("enter")
            await seen.shows("rejected by you")

    @property
    def waits(self) -> bool:
        return self.looking.get(self.request.id).pending

    @property
    def decision(self) -> Decision:
        decision = self.looking.get(self.request.id).decision
        assert decision is not None
        return decision


@pytest.fixture
def rejecting(asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path) -> Rejecting:
    return Rejecting(looking, place, post(asking, command("ls", workdir)))


@SIZES
async def test_the_agent_gets_the_words_and_goes_on(
    asking: AgentQueue, rejecting: Rejecting, size: tuple[int, int]
) -> None:
    async with rejecting.sent(size=size) as seen:
        await seen.types("use yarn, not npm!")
        await seen.shows("use yarn, not npm!")
    outcome = asking.wait(rejecting.request.id)
    assert outcome.decision is not None
    assert (outcome.decision.approved, outcome.decision.hard) == (False, False)
    assert outcome.decision.note == "use yarn, not npm!"


async def test_words_are_optional_and_so_is_reading(rejecting: Rejecting) -> None:
    async with rejecting.sent():
        pass
    assert (rejecting.decision.note, rejecting.decision.shown) == (None, 0.0)


async def test_letters_in_the_box_are_text_and_no_decisions(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(2)]
    async with screen(place, size=LARGE, waiting=2) as seen:
        await begins_to_reject(seen, requests[0])
        await seen.types("ysxYNq")
        await seen.shows("ysxYNq")
        assert len(seen.desk.guard.holds) == 0
    assert [looking.get(request.id).pending for request in requests] == [True, True]


async def test_the_text_can_be_edited(rejecting: Rejecting) -> None:
    async with rejecting.sent() as seen:
        await seen.types("no pe")
        await seen.press("backspace", "backspace", "backspace", "left", "left", "home", "delete")
        await seen.press("alt+2")
        await seen.shows("alt+2 does nothing here: nothing was written")
        await seen.types("N")
    assert rejecting.decision.note == "No"


async def test_escape_goes_back_and_keeps_the_text(rejecting: Rejecting) -> None:
    async with rejecting.box() as seen:
        await seen.types("use yarn")
        await seen.press("escape")
        await seen.shows_no("use yarn")
        await begins_to_reject(seen, rejecting.request)
        await seen.shows("use yarn")


async def test_a_draft_belongs_to_its_request(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first, second = (post(asking, command(f"ls {number}", workdir)) for number in range(2))
    async with screen(place, waiting=2) as seen:
        await begins_to_reject(seen, first)
        await seen.types("about the first")
        await seen.press("escape")
        await begins_to_reject(seen, second)
        await seen.shows_no("about the first")


async def test_a_paste_keeps_its_lines_shows_all_of_it_and_sends_nothing(rejecting: Rejecting) -> None:
    async with rejecting.sent() as seen:
        focused = seen.app.screen.focused
        assert focused is not None
        focused.post_message(Paste("first\r\nsecond\x1b[2J\n"))
        await seen.shows(" > first\n   second[2J")
        assert rejecting.waits
    assert rejecting.decision.note == "first\nsecond[2J"


async def test_ctrl_j_begins_a_line_and_enter_sends_all_of_them(rejecting: Rejecting) -> None:
    async with rejecting.sent() as seen:
        await seen.types("use yarn")
        await seen.press("ctrl+j")
        await seen.types("not npm")
        await seen.press("up", "end")
        await seen.types("!")
        await seen.shows(" > use yarn!\n   not npm")
    assert rejecting.decision.note == "use yarn!\nnot npm"


async def test_tab_leaves_neither_the_text_nor_the_box(rejecting: Rejecting) -> None:
    async with rejecting.sent() as seen:
        await seen.types("use")
        await seen.press("tab")
        await seen.types(" yarn")
        await seen.shows(" > use yarn")
    assert rejecting.decision.note == "use yarn"


async def test_up_goes_back_to_what_was_sent_and_down_to_what_was_written(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command(f"ls {number}", workdir)) for number in range(2))
    async with screen(place, waiting=2) as seen:
        await begins_to_reject(seen, first)
        await seen.types("use yarn")
        await seen.press("enter")
        await seen.shows("rejected by you")
        await begins_to_reject(seen, second)
        await seen.types("use")
        await seen.press("up")
        await seen.shows(" > use yarn")
        await seen.press("down")
        await seen.shows_no("use yarn ")


async def test_a_message_is_written_in_the_editor_and_what_is_too_long_is_left_out(rejecting: Rejecting) -> None:
    async with rejecting.box() as seen:
        await seen.types("use")
        seen.app.edit = lambda text, suffix: f"{text} yarn\u202e\nnot npm\n"  # type: ignore[method-assign]
        await seen.press("ctrl+e")
        await seen.shows(" > use yarn\n   not npm")
        focused = seen.app.screen.focused
        assert focused is not None
        focused.post_message(Paste("x" * 10_001))
        await seen.shows("not pasted: a message has at most 10,000 characters", "   not npm")


async def test_a_request_that_ends_while_writing_leaves_the_box_and_its_text(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    other = post(asking, command("pwd", workdir))
    async with screen(place, waiting=2) as seen:
        await begins_to_reject(seen, request)
        await seen.types("use yarn")
        asking.withdraw(request.id, "not needed any more")
        await seen.shows("it ended meanwhile: withdrawn", "use yarn", "Enter nothing to send")
        await seen.types(" y")
        await seen.press("enter")
        await seen.shows("it ended meanwhile: nothing can be sent", "use yarn y")
    assert looking.get(other.id).pending


async def test_a_request_that_changes_while_writing_is_not_rejected_unseen(
    asking: AgentQueue, rejecting: Rejecting, workdir: Path
) -> None:
    async with rejecting.box() as seen:
        amend(asking, rejecting.request, command("pwd", workdir))
        await seen.until(lambda: seen.entry(rejecting.request).request.revision == 2)
        await seen.press("enter")
        await seen.shows("it ended meanwhile")
    assert rejecting.waits


async def test_a_box_opened_in_haste_wants_enter_twice(rejecting: Rejecting) -> None:
    hasty = GuardSettings(arm_moved=0.15, arm_arrived=0.15, hasty_text=30, paste_gap=0, hold=0)
    async with rejecting.box(settings=hasty) as seen:
        await seen.types("a")
        await seen.press("enter")
        await seen.shows("Enter again to send this")
    assert rejecting.waits


async def test_enter_that_came_like_a_paste_begins_a_line_and_says_so(rejecting: Rejecting) -> None:
    pasting = GuardSettings(arm_moved=0.15, arm_arrived=0.15, hasty_text=0, paste_gap=30, hold=0)
    async with rejecting.box(settings=pasting) as seen:
        await seen.types("use yarn")
        await seen.press("enter")
        await seen.shows("began a line; press it again")
        assert seen.app.review.message_box.value == "use yarn\n"
    assert rejecting.waits


async def test_words_of_a_rejection_that_was_taken_back_are_kept(rejecting: Rejecting) -> None:
    async with rejecting.box(settings=HELD) as seen:
        await seen.types("use yarn")
        await seen.press("enter")
        await seen.shows(", sends in ")
        await seen.press("u")
        await seen.shows("taken back: ls is waiting again")
        await begins_to_reject(seen, rejecting.request)
        await seen.shows("use yarn")


async def test_a_rejection_of_one_request_leaves_the_rest_of_its_batch(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    batch = [
        post(asking, command(f"ls {number}", workdir), batch_id="b-1", batch_position=number)
        for number in range(2)
    ]
    async with screen(place, waiting=2) as seen:
        await begins_to_reject(seen, batch[0])
        await seen.press("enter")
        await seen.shows("rejected by you")
    assert [looking.get(request.id).state for request in batch] == [RequestState.REJECTED, RequestState.PENDING]


async def test_enter_sends_all_that_was_written_however_fast_it_came(rejecting: Rejecting) -> None:
    async with rejecting.box() as seen:
        seen.sends("use yarnn\x7f!\r")
        await seen.shows("rejected by you")
    assert rejecting.decision.note == "use yarn!"
