"""An empty inbox says what was decided last and who is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from screen_bench import LARGE, agent, command, post, screen

from signoff.queue import AgentQueue, Decision, ReviewQueue
from signoff_tui.screens.recent_activity import RecentActivity, read_recent_activity, recent_lines
from signoff_tui.text.lines import Line

NOON = 1_790_000_000_000_000


def text(lines: list[Line]) -> list[str]:
    return [" ".join("".join(piece.text.text for piece in (*row.left, *row.right)).split()) for row in lines]


def test_nothing_is_said_of_what_there_is_nothing_to_say_of() -> None:
    assert recent_lines(RecentActivity(), NOON, 80) == []


def test_of_many_agents_it_is_said_how_many_more_there_are() -> None:
    (line,) = text(recent_lines(RecentActivity(working=list("abcde"), exited=list("xyz")), NOON, 120))
    assert line == ("agents a working, b working, c working, d working, e working, x exited, and 2 more")


@pytest.mark.parametrize("width", [40, 50, 80, 200])
def test_hostile_names_and_long_subjects_fit_and_are_inert(
    looking: ReviewQueue, asking: AgentQueue, workdir: Path, width: int
) -> None:
    request = post(asking, command("ls \x1b[2J" + "x" * 300, workdir))
    looking.decide(request.id, 1, request.submission.digest, Decision(approved=True))
    recent = read_recent_activity(looking, request.created_at)
    lines = recent_lines(replace(recent, working=["\x1b[2J" + "y" * 90]), request.created_at, width)
    assert all(piece.text.text.isprintable() for row in lines for piece in (*row.left, *row.right))


def test_an_end_without_a_decision_is_not_called_one(
    looking: ReviewQueue, asking: AgentQueue, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    asking.withdraw(request.id, "plan changed")
    [line] = text(recent_lines(read_recent_activity(looking, request.created_at), request.created_at, 80))[:1]
    assert line.startswith("last ended")


async def test_an_inbox_in_which_nothing_waits_any_more_says_what_was_last(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in ("ls", "pwd"):
        request = post(asking, command(name, workdir))
        looking.decide(request.id, 1, request.submission.digest, Decision(approved=name == "ls"))
    with agent(place, "docs", cwd=workdir):
        async with screen(place, size=LARGE, reviewer=looking.reviewer) as seen:
            await seen.shows("last decision", "rejected pwd (tester)", "docs working")
            assert "To try it" not in seen.text
