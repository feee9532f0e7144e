"""Text of agents is inert: no control reaches the terminal, no markup acts, no click on it does anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from screen_bench import LARGE, QUICK, SMALL, Screen, agent, call, command, post, screen, write

from signoff import ApprovalPresentation, ApprovalRequest, Command, FileWrite
from signoff.queue import AgentQueue, Decision, ReviewQueue, StoredRequest, open_review_queue

EVIL = (
    "[@click=app.quit]a[/] \x1b[2J\x1b]0;t\x07 \x9b31m \u202egnp.exe \u2066x\u2069 \u200bb\ufeff "
    "\rc \x7f \u2028d \u00add \U000e0041e 世界\u3000 e\u0301\u0301\u0301\u0301 \ud800 [bold]f[/bold] \t {g}"
)
"""Escape sequences, bidirectional controls, invisible characters, markup, wide and piled-up characters."""

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

VALID = EVIL.encode("utf-8", "ignore").decode()
"""The same as far as it can be stored in a file."""

NAME = VALID.replace("/", "")[:80]
"""The same as a file name."""

FIELDS: dict[str, Any] = {"tool_name": EVIL, "group_id": EVIL, "why": EVIL}


def text(_: Path) -> ApprovalRequest:
    return call(EVIL, presentation=ApprovalPresentation(type="text", content=EVIL, language=EVIL), **FIELDS)


def tool_diff(_: Path) -> ApprovalRequest:
    content = f"--- a\n+++ b\n@@ -1 +1 @@\n-{EVIL}\n+{EVIL} more\n"
    return call(EVIL, presentation=ApprovalPresentation(type="diff", content=content), **FIELDS)


def structured(_: Path) -> ApprovalRequest:
    payload = {
        "clean": "".join(char for char in EVIL if char.isascii()),
        "list": [EVIL.encode("utf-8", "ignore").decode()],
    }
    return call(EVIL, payload=payload, **FIELDS)


def shell(folder: Path) -> ApprovalRequest:
    return command(VALID, folder, **FIELDS)


def new_file(folder: Path) -> ApprovalRequest:
    return write(folder / f"{NAME}.py", EVIL.encode("utf-8", "ignore"), **FIELDS)


def edited_file(folder: Path) -> ApprovalRequest:
    (folder / "a.py").write_bytes(b"old = 1\n")
    return write(folder / "a.py", b"new = '" + EVIL.encode("utf-8", "ignore") + b"'\n", **FIELDS)


def binary_file(folder: Path) -> ApprovalRequest:
    return write(folder / f"{NAME}.bin", b"\0" + EVIL.encode("utf-8", "ignore"), **FIELDS)


KINDS: list[Callable[[Path], ApprovalRequest]] = [
    text, tool_diff, structured, shell, new_file, edited_file, binary_file
]  # fmt: skip
EACH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
BATCH = {"batch_id": "b-1", "batch_position": 0, "batch_remaining": [{"tool": EVIL, "arguments": {"x": EVIL}}]}
BATCH |= {"caller": EVIL, "via": EVIL}


def is_clean(seen: Screen) -> bool:
    """Nothing on the screen acts, hides or is a link; every row has its exact width."""
    rows = seen.rows
    for row in rows:
        for segment in row:
            assert not FORBIDDEN.search(segment.text), segment
            assert segment.style is None or (segment.style.link is None and not segment.style.meta), segment
    return all(cell_len("".join(segment.text for segment in row)) == seen.app.size.width for row in rows)


@EACH_KIND
@pytest.mark.parametrize("size", [SMALL, LARGE, (50, 40)], ids=["small", "large", "narrow"])
async def test_no_frame_holds_a_character_that_acts_or_hides(
    place: Path, workdir: Path, kind: Callable[[Path], ApprovalRequest], size: tuple[int, int]
) -> None:
    with agent(place, EVIL, session=EVIL, cwd=workdir) as asking:
        request = post(asking, kind(workdir), **BATCH)
        async with screen(place, size=size, reviewer=EVIL, waiting=1) as seen:
            assert is_clean(seen)
            await seen.reads_if_possible(request)
            assert is_clean(seen)
            for key in ("v", "escape", "k", "enter", "escape"):
                await seen.press(key)
                assert is_clean(seen)


@EACH_KIND
async def test_no_sheet_holds_a_character_that_acts_or_hides(
    place: Path, workdir: Path, kind: Callable[[Path], ApprovalRequest]
) -> None:
    with agent(place, EVIL, session=EVIL, cwd=workdir) as asking:
        request = post(asking, kind(workdir), **BATCH)
        async with screen(place, waiting=1) as seen:
            await seen.reads_if_possible(request)
            for key in ("s", "n", "N", "x", "X"):
                await seen.armed()
                await seen.press(key)
                assert is_clean(seen)
                await seen.press("escape")


async def test_what_is_said_when_a_hostile_request_ends_is_clean(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, EVIL, session=EVIL, cwd=workdir) as asking:
        withdrawn, rejected = post(asking, text(workdir)), post(asking, shell(workdir))
        async with screen(place, size=LARGE, waiting=2) as seen:
            await seen.goes_to(withdrawn)
            asking.withdraw(withdrawn.id, EVIL)
            rejects(place, rejected)
            await seen.until(lambda: not any(entry.request.pending for entry in seen.desk.inbox.entries()))
            assert is_clean(seen)
            await seen.press("h")
            await seen.until(lambda: "History" in seen.text and "rejected" in seen.text)
            for key in ("j", "k"):
                await seen.press(key)
                assert is_clean(seen)


def rejects(place: Path, request: StoredRequest) -> None:
    """Another reviewer, with a hostile name and hostile words."""
    with open_review_queue(place, reviewer=EVIL) as queue:
        decision = Decision(approved=False, by=EVIL, note=EVIL)
        assert queue.decide(request.id, request.revision, request.submission.digest, decision).accepted


async def test_the_hidden_characters_are_shown_and_warned_of(place: Path, workdir: Path) -> None:
    with agent(place, "\u0441\u043e\u0440\u0443", cwd=workdir) as asking:
        request = post(asking, write(workdir / "a.txt", "name = 'ad\u200bmin\u202e'\n", tool_name="\u0440ut"))
        async with screen(place, size=LARGE, waiting=1) as seen:
            await seen.reads(request)
            await seen.shows(
                "ad<U+200B ZWSP>min<U+202E RLO>",
                "hidden chars",
                "! agent: a word of other letters that reads like ASCII",
                "! tool: two scripts inside one word: <U+0440>",
            )


async def test_markup_is_only_text(place: Path, workdir: Path) -> None:
    with agent(place, cwd=workdir) as asking:
        request = post(asking, call("[bold]Create[/bold] [@click=app.quit]an issue[/]"))
        async with screen(place, size=LARGE, waiting=1) as seen:
            await seen.reads(request)
            await seen.shows("[bold]Create[/bold]", "[@click=app.quit]an issue[/]")


async def test_no_click_on_hostile_text_does_anything_but_move(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, EVIL, session=EVIL, cwd=workdir) as asking:
        requests = [post(asking, text(workdir)), post(asking, shell(workdir))]
        async with screen(place, waiting=2) as seen:
            await seen.reads_if_possible(requests[0])
            for row in range(SMALL[1]):
                for column in (12, 40):
                    await seen.pilot.click(offset=(column, row))
            assert seen.app.is_running
            assert seen.app.screen is seen.app.review
            assert len(seen.desk.guard.holds) == 0
            assert all(looking.get(request.id).pending for request in requests)


async def test_names_of_any_length_leave_risk_and_state_in_the_row(place: Path, workdir: Path) -> None:
    long = "x" * 300
    unread = replace(QUICK, dwell=60.0)
    with agent(place, long, session=long, cwd=workdir) as asking:
        for text in (f"rm -rf {long}", f"rm -r {long}"):
            post(asking, command(text, workdir, tool_name=long, group_id=long))
        for size in (SMALL, LARGE, (40, 24)):
            async with screen(place, size=size, waiting=2, settings=unread) as seen:
                rows = [row.split("│")[0] for row in seen.frame if "HIGH" in row[:6]]
                assert [row.split()[-1] for row in rows] == ["0/2", "new", "new"]


async def test_a_very_long_line_is_read_to_its_end(place: Path, workdir: Path, asking: AgentQueue) -> None:
    request = post(asking, command("echo " + "x" * 5_000 + " THE END", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("THE END")


async def test_blank_lines_before_a_command_do_not_push_it_off_the_screen(
    place: Path, workdir: Path, asking: AgentQueue
) -> None:
    hidden = ApprovalRequest(
        tool_name="both",
        description="A harmless edit",
        payload={},
        effects=(
            FileWrite(str(workdir / "a.txt"), "x" + "\n" * 200 + "y\n"),
            Command("rm -rf build", str(workdir)),
        ),
    )
    request = post(asking, hidden)
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.shows("and 1 more", "HIGH", "(199 blank lines)", "$ rm -rf build")
        await seen.reads(request)
