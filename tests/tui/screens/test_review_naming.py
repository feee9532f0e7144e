"""What is named is what is meant: names, paths, agents and reach on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, agent, amend, call, command, post, screen, write

from signoff.queue import AgentQueue, StoredRequest
from signoff_tui.screens.review.names import LONGEST, as_listed, as_many, listed, told_apart
from signoff_tui.state.inbox import RowKey, ref_of

NARROW = (50, 40)


# -- the file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE, NARROW])
@pytest.mark.parametrize(
    "folder", ["infrastructure/production/eu-central", f"infrastructure/{'deep/' * 9}down", ".."]
)
async def test_the_whole_path_of_a_file_is_shown(
    folder: str, size: tuple[int, int], asking: AgentQueue, place: Path, workdir: Path
) -> None:
    """The head names it; where that is no place for it, a row of the content does, which counts."""
    file = workdir.joinpath(folder).resolve() / "settings.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    request = post(asking, write(file, "a: 1\n"))
    named = f"{folder}/settings.yaml" if folder.endswith("eu-central") else f'file: "{file}"'
    async with screen(place, size=size, waiting=1) as seen:
        await seen.reads(request)
        await seen.until(lambda: named in content(seen.frame), "the whole path")


def pane(frame: list[str]) -> list[str]:
    """The rows of a frame, of the one pane or the right one."""
    return [row.split("│")[-1].strip() for row in frame]


def content(frame: list[str]) -> str:
    """The text of a frame with the folds of long rows undone, in one pane or the right one."""
    return "".join(row.removeprefix("↪ ").removeprefix("@ ") for row in pane(frame))


# -- names ---------------------------------------------------------------------------------------------------


@pytest.fixture
def posted(asking: AgentQueue, workdir: Path) -> Callable[..., list[StoredRequest]]:
    def post_files(*paths: str) -> list[StoredRequest]:
        for path in paths:
            (workdir / path).parent.mkdir(parents=True, exist_ok=True)
        return [post(asking, write(workdir / path, f"{path}\n", group_id="g")) for path in paths]

    return post_files


def test_files_are_named_by_as_much_of_the_path_as_differs(posted: Callable[..., list[StoredRequest]]) -> None:
    requests = posted("src/a/__init__.py", "src/b/__init__.py", "src/setup.py")
    assert list(told_apart(requests).values()) == ["a/__init__.py", "b/__init__.py", "setup.py"]


def test_long_paths_that_differ_far_from_the_name_stay_distinct(
    posted: Callable[..., list[StoredRequest]],
) -> None:
    middle = "/".join(["quite-a-long-folder"] * 3)
    names = list(told_apart(posted(f"a/{middle}/x.py", f"b/{middle}/x.py")).values())
    assert names == ["a/.../x.py", "b/.../x.py"]


def test_calls_are_named_by_the_argument_that_differs(asking: AgentQueue) -> None:
    requests = [
        post(asking, call(payload={"repo": "shop", "title": title}, arguments={"repo": "shop", "title": title}))
        for title in ("Crash", "Leak")
    ]
    assert list(told_apart(requests).values()) == ["Create an issue title=Crash", "Create an issue title=Leak"]


def test_the_same_asked_twice_is_numbered(asking: AgentQueue, workdir: Path) -> None:
    requests = [post(asking, command("ls", workdir)), post(asking, command("ls", workdir))]
    if requests[0].id != requests[1].id:
        assert list(told_apart(requests).values()) == ["ls #1", "ls #2"]


def test_a_name_begins_like_a_long_command(asking: AgentQueue, workdir: Path) -> None:
    (name,) = told_apart([post(asking, command("rm -rf " + "x" * 200, workdir))]).values()
    assert name.startswith("rm -rf x")
    assert len(name) == LONGEST


def test_names_without_room_are_counted() -> None:
    assert as_many(["one", "two", "three"], 14) == "one  +2 more"
    assert as_many(["one", "two", "three"], 100) == "one  two  three"
    assert as_many(["one", "two"], 2) == "2 of them"


# -- lines ---------------------------------------------------------------------------------------------------


async def test_the_head_of_a_long_command_keeps_its_beginning_and_the_agent(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("rm -rf build && " + "echo done " * 40, workdir))
    for size in (SMALL, LARGE, NARROW):
        async with screen(place, size=size, waiting=1) as seen:
            await seen.opens(request)
            await seen.until(lambda: "$ rm -rf" in pane(seen.frame)[1] and "tester" in pane(seen.frame)[2])


async def test_all_agents_of_a_group_are_named(place: Path, workdir: Path) -> None:
    with (
        agent(place, "writer", session="s-9", cwd=workdir) as one,
        agent(place, "tester", session="s-9", cwd=workdir) as two,
    ):
        post(one, write(workdir / "b.txt", "b\n", group_id="g"))
        post(two, write(workdir / "c.txt", "c\n", group_id="g"))
        async with screen(place, size=LARGE) as seen:
            await seen.goes_to_group()
            await seen.shows("2 agents: writer, tester")


async def test_a_stop_says_whom_else_it_reaches(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first = post(asking, command("make one", workdir), batch_id="b", batch_position=0)
    post(asking, command("make two", workdir), batch_id="b", batch_position=1)
    async with screen(place, waiting=2) as seen:
        await seen.goes_to(first)
        await seen.armed()
        await seen.press("x")
        await seen.shows("the rest of the agent's turn", "also rejected, 1 of its turn: make two")


async def test_a_stop_that_reaches_nothing_else_says_so(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("make one", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.armed()
        await seen.press("x")
        await seen.shows("the rest of the agent's turn", "nothing else of its turn waits")


async def test_the_senders_deadline_is_shown(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("make", workdir, expires_in=300.0))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("expires 4:")


# -- the cursor ----------------------------------------------------------------------------------------------


async def test_space_in_the_list_opens_what_the_cursor_is_on(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls a", workdir))
    post(asking, command("ls b", workdir))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to(first)
        await seen.press("space")
        assert (seen.focus, seen.app.review.reading) == (first.id, True)


async def test_taking_back_returns_to_what_was_taken_back(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first = post(asking, command("ls a", workdir))
    post(asking, command("ls b", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=2) as seen:
        await seen.reads(first)
        await seen.press("y")
        await seen.until(lambda: seen.focus != first.id, "the next request")
        await seen.goes_to(first)
        await seen.shows("u undo")
        await seen.press("j", "u")
        assert seen.focus == first.id


async def test_requests_are_named_in_the_order_in_which_they_came(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    asked = [post(asking, write(workdir / name, "x\n")) for name in ("m.txt", "a.txt", "z.txt")]
    async with screen(place, waiting=3) as seen:
        refs = [ref_of(seen.desk.inbox.entry(each.id)) for each in asked]
        assert as_listed(seen.desk, sorted(refs)) == as_listed(seen.desk, refs[::-1]) == refs


async def test_an_approval_of_others_leaves_the_reader_where_he_reads(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    ready, reading, _ = (
        post(asking, write(workdir / name, lines, group_id="g"))
        for name, lines in (("a.txt", "a\n"), ("b.txt", "b\n" * 200), ("c.txt", "c\n"))
    )
    async with screen(place, size=LARGE, settings=HELD, waiting=3) as seen:
        await seen.reads(ready)
        await seen.goes_to(reading)
        await seen.group_armed()
        await seen.press("Y")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.shows("approved a.txt, sends in ")
        assert seen.desk.inbox.cursor == RowKey("request", reading.id)


async def test_what_was_approved_and_changed_says_that_it_came_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, write(workdir / "a.txt", "one\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(first)
        await seen.press("y")
        await seen.until(lambda: not seen.entry(first).request.pending, "the approval")
        amend(asking, first, write(workdir / "a.txt", "two\n"))
        await seen.shows("came back: a.txt changed after you approved it: read again")


# -- lists of names ------------------------------------------------------------------------------------------


def test_no_name_of_a_list_is_cut_because_others_beside_it_show_more_than_alone() -> None:
    names = [f"{number} rm\u0336 -rf\u0336 ~" for number in range(9)]
    lines = listed(" left out: ", names, 90, head="muted", body="text")
    assert all(line.width <= 90 for line in lines)
    assert len(lines) < len(names)
