"""A queue that is not there: everything stays readable, and nothing is decided."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from rich.cells import cell_len
from screen_bench import HELD, LARGE, Cable, Screen, command, post, screen, time_passes

from signoff.queue import (
    AgentInfo,
    AgentQueue,
    Decision,
    QueueUnavailableError,
    RequestState,
    ReviewQueue,
    open_agent_queue,
)
from signoff_tui import context
from signoff_tui.screens.review.heads import lost_lines


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once."""
    monkeypatch.setattr(context, "RETRY_SECONDS", 0.02)


def cable(place: Path) -> tuple[Cable, ReviewQueue]:
    made = Cable(place)
    return made, cast("ReviewQueue", made)


async def lose(seen: Screen, pulled: Cable) -> None:
    pulled.pulled = True
    await seen.shows("QUEUE LOST")


async def test_a_lost_queue_is_said_with_the_reason(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        await seen.shows("Nothing is approved; keys are off.")
        first, second = seen.frame[:2]
        assert re.match(r" QUEUE LOST  default was lost 0:\d0 ago\. Nothing is approved; keys are off\.", first)
        assert second.startswith(" Agents keep waiting. Trying again by itself: the cable was pulled")


async def test_a_lost_queue_stands_out_over_the_full_width_of_two_rows(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        for row in seen.rows[:2]:
            assert sum(part.cell_length for part in row if part.style is not None and part.style.reverse) == 80


def test_a_long_place_of_a_lost_queue_loses_its_beginning() -> None:
    first, _ = lost_lines("/home/anna/projects/shop/.signoff/queue", "was removed", "", 12.0, 90)
    text = "".join(piece.text.text for piece in first.left)
    assert text.startswith(" QUEUE LOST  ...")
    assert "queue was removed 0:10 ago. Nothing is approved; keys are off." in text
    assert cell_len(text) == 90


async def test_the_rows_of_a_lost_queue_are_muted(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("rm -rf build", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        (row,) = [row for row in seen.rows if "rm -rf" in "".join(part.text for part in row)]
        colors = {part.style.color for part in row if part.style is not None and part.text.strip()}
        assert len(colors) == 1


async def test_a_queue_that_is_back_says_what_waits(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        pulled.pulled = False
        await seen.until(lambda: seen.special.strip() == "queue is back: 1 waiting")


async def test_the_list_stays_readable_without_the_queue(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls -R src", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await seen.reads(request)
        await lose(seen, pulled)
        await seen.shows("ls -R src")


class CutThrough(Cable):
    """A connection by which nothing is read either while it is pulled out."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)

        def call(*arguments: Any, **named: Any) -> Any:
            if self.pulled:
                raise QueueUnavailableError("the cable was cut through")
            return found(*arguments, **named)

        return call if callable(found) and name != "close" else found


@pytest.mark.parametrize(
    ("key", "title", "unknown"),
    [
        ("h", "History", r"records"),
    ],
)
async def test_a_screen_that_could_read_nothing_gives_no_numbers(
    asking: AgentQueue, place: Path, workdir: Path, key: str, title: str, unknown: str
) -> None:
    post(asking, command("ls", workdir))
    pulled = CutThrough(place)
    async with screen(place, queue=cast("ReviewQueue", pulled), waiting=1) as seen:
        await lose(seen, pulled)
        await seen.press(key)
        await seen.shows(title, "QUEUE LOST", "the cable was")
        assert not re.search(unknown, seen.text)
        pulled.pulled = False
        await seen.shows(title, "1 waiting")
        await seen.shows_no("QUEUE LOST")


@pytest.mark.parametrize("key", ["2", "4"], ids=["agents", "rules"])
async def test_a_list_that_could_not_be_read_says_why(
    asking: AgentQueue, place: Path, workdir: Path, key: str
) -> None:
    post(asking, command("ls", workdir))
    pulled = CutThrough(place)
    async with screen(place, queue=cast("ReviewQueue", pulled), waiting=1) as seen:
        await lose(seen, pulled)
        await seen.press(key)
        await seen.shows("QUEUE LOST", "the cable was")
        pulled.pulled = False
        await seen.shows_no("QUEUE LOST")
        await seen.shows_no("the cable was")


async def test_a_deadline_that_passes_without_the_queue_is_said(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("make", workdir, expires_in=60))
    pulled, queue = cable(place)
    async with screen(place, size=LARGE, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        with time_passes(61):
            await seen.shows("its time is up")
            assert "expires" not in seen.text


async def test_decision_keys_do_nothing_without_the_queue(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await seen.reads(request)
        await lose(seen, pulled)
        await seen.press("y")
        await seen.shows("not connected to the queue")
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(request.id).pending


async def test_a_sheet_that_offers_to_approve_closes_when_the_queue_is_lost(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("\n".join(f"echo {n}" for n in range(200)), workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1, size=(80, 24)) as seen:
        await seen.armed()
        await seen.press("y")
        await seen.shows("approve unread")
        await lose(seen, pulled)
        await seen.shows_no("approve unread")
        await seen.press("!")
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(request.id).pending


async def test_held_decisions_are_taken_back_when_the_queue_is_lost(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await lose(seen, pulled)
        await seen.shows("not sent: ls is waiting again")
        assert seen.entry(request).waiting
    assert looking.get(request.id).pending


async def test_work_goes_on_when_the_queue_is_back(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await seen.reads(request)
        await lose(seen, pulled)
        pulled.pulled = False
        await seen.shows_no("QUEUE LOST")
        await seen.armed()
        await seen.press("y")
        await seen.shows("approved by you")
    assert looking.get(request.id).state is RequestState.APPROVED


async def test_what_arrived_meanwhile_is_listed_when_the_queue_is_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await lose(seen, pulled)
        post(asking, command("pwd", workdir))
        pulled.pulled = False
        await seen.shows("$ pwd")


async def test_an_approval_that_the_queue_did_not_take_is_said_and_waits_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        await seen.reads(request)
        pulled.takes_decisions = False
        await seen.press("y")
        await seen.shows("the cable was pulled")
        await seen.until(lambda: seen.entry(request).waiting, "waiting again")
    assert looking.get(request.id).pending


def remove(place: Path) -> None:
    """Take the queue away at once."""
    trash = place.with_name("trash")
    place.rename(trash)
    shutil.rmtree(trash)


def protect(place: Path, mode: int) -> None:
    """Say who has access to the queue."""
    place.chmod(mode)


async def test_a_removed_queue_is_said_to_be_gone_and_opened_again_when_there_is_one(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        remove(place)
        await seen.shows("QUEUE LOST  default was removed 0:", "What waited there does not run.")
        await seen.shows("not sent: ls is waiting again")
        await seen.press("y")
        assert len(seen.desk.guard.holds) == 0
        with open_agent_queue(AgentInfo("other", "s-2", str(workdir)), place) as other:
            post(other, command("pwd", workdir))
            await seen.shows("$ pwd", "queue is back: 1 waiting, 1 of before is gone")
            assert request.id not in seen.desk.inbox
            assert len(seen.desk.guard.holds) == 0


@pytest.mark.parametrize("loses", ["gone", "away"])
async def test_what_waited_in_a_queue_that_is_lost_is_no_reason_to_ask_before_quitting(
    asking: AgentQueue, place: Path, workdir: Path, loses: str
) -> None:
    post(asking, command("ls", workdir))
    pulled, queue = cable(place)
    async with screen(place, queue=queue, waiting=1) as seen:
        if loses == "gone":
            remove(place)
            await seen.shows("QUEUE LOST")
        else:
            await lose(seen, pulled)
        await seen.press("q")
        await seen.until(lambda: not seen.app.is_running, "the end")


async def test_a_question_about_quitting_is_closed_when_the_queue_is_lost(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("q")
        await seen.shows("1 keeps waiting.")
        remove(place)
        await seen.shows("QUEUE LOST")
        await seen.shows_no("keeps waiting")


async def test_access_that_others_get_to_the_queue_is_said_until_they_have_it_no_more(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        protect(place, 0o777)
        await seen.shows("QUEUE LOST", "other users have access to")
        await seen.press("y")
        assert len(seen.desk.guard.holds) == 0
        protect(place, 0o700)
        await seen.shows_no("QUEUE LOST")
    assert looking.get(request.id).pending


async def test_what_was_read_before_a_copy_was_put_in_place_counts_no_more(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        entry = seen.entry(request)
        before = seen.desk.coverage(entry)
        with closing(sqlite3.connect(place / "queue.db")) as now, closing(sqlite3.connect(place / "new")) as copy:
            now.backup(copy)
        (place / "new").chmod(0o600)
        (place / "new").rename(place / "queue.db")
        await seen.shows("queue is back: 1 waiting")
        assert seen.desk.coverage(seen.entry(request)) is not before
        await seen.reads(request)
        await seen.armed()
        await seen.press("y")
        await seen.shows("approved by you")


async def test_a_history_that_became_shorter_is_told_on_the_first_line(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for text in ("ls", "pwd"):
        posted = post(asking, command(text, workdir))
        looking.decide(posted.id, posted.revision, posted.submission.digest, Decision(approved=True))
    looking.recall_history()
    with closing(sqlite3.connect(place / "queue.db")) as file, file:
        file.execute("DROP TRIGGER history_is_kept")
        file.execute("DELETE FROM history WHERE seq = 2")
    async with screen(place) as seen:
        await seen.shows("HISTORY CUT", "the history became shorter: you had seen 2 records, 1 are")
        await seen.press("h")
        await seen.shows("-- the history became shorter: you had seen 2 records", "$ ls")
