"""The history: newest first, with who or what decided; nothing on it decides anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, call, command, lines, post, screen, write

from signoff.queue import AgentQueue, Decision, DecisionSource, ReviewQueue, StoredRequest, open_review_queue
from signoff.submission import plain_submission
from signoff_tui.screens.history.screen import HistoryScreen
from signoff_tui.screens.plain import News

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


@pytest.fixture
def anna(place: Path) -> Iterator[ReviewQueue]:
    """Another reviewer."""
    with open_review_queue(place, reviewer="anna") as queue:
        yield queue


def decide(anna: ReviewQueue, request: StoredRequest, **decision: object) -> None:
    fields: dict[str, object] = {"approved": True, "shown": 1.0, **decision}
    verdict = anna.decide(
        request.id,
        request.revision,
        request.submission.digest,
        Decision(**fields),  # type: ignore[arg-type]
    )
    assert verdict.accepted, verdict.message


async def opens_history(seen: Screen) -> None:
    await seen.press("h")
    await seen.until(lambda: isinstance(seen.app.screen, HistoryScreen))
    await seen.shows("f saved")


@SIZES
async def test_every_end_of_a_request_is_listed_with_who_decided(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    approved, rejected, withdrawn = (post(asking, command(f"ls {name}", workdir)) for name in "abc")
    decide(anna, approved)
    decide(anna, rejected, approved=False, note="use find", shown=0.5)
    asking.withdraw(withdrawn.id, "not needed")
    async with screen(place, size=size) as seen:
        await opens_history(seen)
        await seen.shows("3 records: 1 approved, 1 rejected, 1 other")
        assert "approved" in seen.line("$ ls a")
        assert "anna" in seen.line("$ ls a")
        assert "rejected" in seen.line("$ ls b")
        assert "use find" in seen.text
        assert "withdrawn" in seen.line("$ ls c")
        assert "not needed" in seen.text


async def test_the_newest_record_is_on_top(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        decide(anna, post(asking, command(f"ls {name}", workdir)))
    async with screen(place) as seen:
        await opens_history(seen)
        await seen.shows("ls b")
        assert seen.frame.index(seen.line("ls b")) < seen.frame.index(seen.line("ls a"))


async def test_what_was_answered_without_asking_is_listed_too(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    plain = plain_submission(call(payload={"title": "Crash"}), None, cwd=str(workdir))
    asking.record(plain, Decision(approved=True, source=DecisionSource.RULE, by="rule 7"))
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("rule", 'title: "Crash"')


async def test_an_approval_of_what_was_not_fully_shown_is_marked(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, command("ls", workdir)), shown=0.54, deliberate=True)
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("54 % shown", "read             54 %, approved with !")


async def test_a_large_screen_shows_the_record_beside_the_list_with_its_content(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, write(workdir / "a.txt", "hello there\n")))
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("A a.txt  +1  ", "approved by anna at", "1 of 1 changed lines", "hello there")


async def test_the_content_is_that_of_the_decided_revision_not_of_the_file(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, write(workdir / "a.txt", "as it was shown\n")))
    (workdir / "a.txt").write_text("changed later\n")
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("as it was shown")
        assert "changed later" not in seen.text


async def test_a_small_screen_opens_the_record_and_comes_back(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, write(workdir / "a.txt", "hello there\n")))
    async with screen(place) as seen:
        await opens_history(seen)
        await seen.shows("Enter open")
        await seen.press("enter")
        await seen.shows("A a.txt", "hello there")
        await seen.press("escape")
        await seen.shows_no("hello there")
        await seen.press("escape")
        await seen.shows("Inbox")


async def test_the_record_follows_the_cursor(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        decide(anna, post(asking, write(workdir / f"{name}.txt", f"content of {name}\n")))
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("content of b")
        await seen.press("j")
        await seen.shows("content of a")
        await seen.press("k")
        await seen.shows("content of b")


async def test_the_content_can_be_paged(asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path) -> None:
    decide(anna, post(asking, write(workdir / "a.txt", lines(100))))
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        await seen.shows("line 1")
        await seen.press("space", "space", "space", "space", "space")
        await seen.shows("line 100")


async def test_no_decision_key_does_anything_here(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, command("ls", workdir)))
    waiting = post(asking, command("pwd", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(waiting)
        await opens_history(seen)
        await seen.shows("$ ls")
        for key in ("y", "Y", "n", "x", "s", "!", "u"):
            await seen.press(key, key)
            assert "History" in seen.text, key
            assert len(seen.desk.guard.holds) == 0, key
    assert anna.get(waiting.id).pending


async def test_an_empty_history_says_so(place: Path) -> None:
    async with screen(place) as seen:
        await opens_history(seen)
        await seen.shows("Nothing was decided yet")


async def test_the_history_fits_any_size(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, write(workdir / "a.txt", lines(5))), note="a note that is rather long " * 5)
    async with screen(place) as seen:
        for size in [(40, 10), (50, 40), (200, 50)]:
            await seen.pilot.resize_terminal(*size)
            await opens_history(seen)
            await seen.shows("1 record: 1 approved")
            await seen.press("enter")
            assert [len(line) for line in seen.frame] == [size[0]] * size[1]
            seen.app.go("inbox")
            await seen.until(lambda: seen.app.screen is seen.app.review)


async def test_help_works_in_the_history(place: Path) -> None:
    async with screen(place, waiting=0) as seen:
        await seen.press("h")
        await seen.shows("History", "? keys")
        await seen.press("question_mark")
        await seen.shows("signoff  keys", "j/k scroll")
        await seen.press("escape")
        await seen.shows("History")


async def test_news_that_come_when_the_history_was_just_left_do_no_harm(place: Path) -> None:
    async with screen(place, size=LARGE) as seen:
        await opens_history(seen)
        left = seen.pilot.app.screen
        await seen.press("q")
        await seen.shows("No agent is waiting.")
        assert isinstance(left, HistoryScreen)
        left.take_news(News())
