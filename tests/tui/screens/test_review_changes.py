"""What happens to requests while somebody looks at them: it is said, and nothing is decided by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, agent, amend, command, post, screen, time_passes, write

from signoff.queue import (
    AgentQueue,
    Decision,
    RequestState,
    ReviewQueue,
    StoredRequest,
    open_review_queue,
    wording,
)


def approves_elsewhere(place: Path, request: StoredRequest, reviewer: str = "anna") -> None:
    with open_review_queue(place, reviewer=reviewer) as queue:
        decision = Decision(approved=True, by=reviewer)
        assert queue.decide(request.id, request.revision, request.submission.digest, decision).accepted


def end_as_if_killed(asking: AgentQueue) -> None:
    """Withdraw all of an agent for the reason of one whose process is gone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wording, "CLOSED", wording.agent_is_gone(7))
        asking.close()


# -- tombstones ----------------------------------------------------------------------------------------------


async def test_a_withdrawn_request_stays_as_a_tombstone_until_the_cursor_moves(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        asking.withdraw(request.id, "not needed any more")
        await seen.until(lambda: "---" in seen.line("$ ls"))
        await seen.shows("withdrawn by the agent")
        await seen.press("j")
        await seen.shows("No agent is waiting.")


async def test_an_open_request_says_why_it_ended(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        asking.withdraw(request.id, "not needed any more")
        await seen.shows("withdrawn by the agent", "! not needed any more")


async def test_an_agent_that_closes_takes_its_requests_along(place: Path, workdir: Path) -> None:
    with agent(place, cwd=workdir) as asking:
        request = post(asking, command("ls", workdir))
        async with screen(place, size=LARGE, waiting=1) as seen:
            await seen.reads(request)
            asking.close()
            await seen.shows("the agent closed its connection")


async def test_an_expired_request_is_nobodys_no(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir, expires_in=60))
    async with screen(place, waiting=1) as seen:
        with time_passes(61):
            await seen.shows("expired after 1:0")
    assert looking.get(request.id).decision is None


async def test_a_tombstone_cannot_be_decided_and_says_why(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        asking.withdraw(request.id, "not needed any more")
        await seen.until(lambda: seen.status == "closed")
        await seen.press("y")
        await seen.shows("withdrawn by the agent")
        assert len(seen.desk.guard.holds) == 0


async def test_the_cursor_stays_on_a_tombstone(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first = post(asking, command("ls", workdir))
    post(asking, command("pwd", workdir))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to(first)
        asking.withdraw(first.id, "not needed any more")
        await seen.until(lambda: seen.status == "closed")
        assert seen.focus == first.id


async def test_an_agent_that_dies_is_told_once_with_the_number_of_its_requests_until_a_key(
    place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking:
        requests = [post(asking, command(f"ls {number}", workdir)) for number in range(3)]
        async with screen(place, size=LARGE, waiting=3) as seen:
            await seen.reads(requests[0])
            end_as_if_killed(asking)
            await seen.shows("refactor exited; 3 requests withdrawn")
            assert sum("--- " in row for row in seen.frame) == 3
            await seen.press("j")
            await seen.shows_no("exited;")


async def test_an_expired_request_says_so_once(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir, expires_in=60))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        with time_passes(61):
            await seen.until(lambda: seen.status == "closed")
            # In its row, and above its content.
            await seen.until(lambda: seen.text.count("expired after 1:0") == 2, "the same in both places")


# -- another content -----------------------------------------------------------------------------------------


async def test_a_new_revision_is_said_and_has_to_be_read_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", "one\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        amend(asking, request, write(workdir / "a.txt", "two\n"))
        await seen.shows("changed: read again", "two")
        await seen.until(lambda: seen.is_read(seen.entry(request)))
        await seen.armed()
        await seen.press("y")
        await seen.shows("approved by you")
    stored = looking.get(request.id)
    assert (stored.revision, stored.state) == (2, RequestState.APPROVED)


async def test_a_held_approval_of_what_changed_is_taken_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", "one\n"))
    async with screen(place, settings=HELD, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows(", sends in ")
        amend(asking, request, write(workdir / "a.txt", "two\n"))
        await seen.shows("not sent, it changed: a.txt is waiting again")
    assert looking.get(request.id).pending


async def test_a_request_that_is_amended_after_its_approval_asks_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", "one\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
        amend(asking, request, write(workdir / "a.txt", "two\n"))
        await seen.until(lambda: seen.entry(request).waiting)
        await seen.shows("1 waiting", "two")


# -- other reviewers -----------------------------------------------------------------------------------------


async def test_a_decision_of_another_reviewer_is_shown_with_the_name(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        approves_elsewhere(place, request)
        await seen.shows("approved by anna", "nothing waiting")


async def test_the_first_decision_wins_and_the_second_is_told_by_whom(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows(", sends in ")
        approves_elsewhere(place, request)
        (held,) = seen.desk.guard.holds.release_all()
        seen.app.review.send(held)
        await seen.shows("not accepted: anna was first")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert decision.by == "anna"


async def test_two_screens_on_one_queue_agree(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as mine, screen(place, waiting=1, reviewer="anna") as hers:
        await hers.reads(request)
        await hers.press("y")
        await mine.shows("approved by anna")
        await hers.shows("approved by you")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert decision.by == "anna"
