"""The list of a queue is shown as it was left; what cannot be read is forgotten, and no other queue is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screen_bench import LARGE, agent, post, screen, write

from signoff_tui.state.inbox import RowKey
from signoff_tui.state.persistence import ListState, ListStates

LEFT = ListState("risk", ("s-41\x1fsave",), ("request", "r-1"), {120: 44})


@pytest.fixture
def states(tmp_path: Path) -> ListStates:
    return ListStates("/queues/one", tmp_path / "lists")


def file_of(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "lists").iterdir()
    return file


def test_what_is_kept_comes_back(states: ListStates, tmp_path: Path) -> None:
    states.save(LEFT)
    assert ListStates("/queues/one", tmp_path / "lists").load() == LEFT


@given(
    st.builds(
        ListState,
        st.sampled_from(["arrival", "risk", "agent"]),
        st.lists(st.text(), max_size=3).map(tuple),
        st.none() | st.tuples(st.sampled_from(["group", "request"]), st.text()),
        st.dictionaries(st.integers(100, 300), st.integers(34, 200), max_size=3),
    )
)
def test_any_state_comes_back(tmp_path_factory: pytest.TempPathFactory, state: ListState) -> None:
    folder = tmp_path_factory.mktemp("lists")
    ListStates("one", folder).save(state)
    assert ListStates("one", folder).load() == state


def test_another_queue_has_a_state_of_its_own(states: ListStates, tmp_path: Path) -> None:
    states.save(LEFT)
    assert ListStates("/queues/two", tmp_path / "lists").load() == ListState()


def test_nobody_else_can_read_it(states: ListStates, tmp_path: Path) -> None:
    states.save(LEFT)
    assert file_of(tmp_path).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"borders": [], "order": "risk", "closed": [], "focus": null}',
        '{"borders": {"wide": 3}, "order": "risk", "closed": [], "focus": null}',
        '{"borders": {}, "order": "best", "closed": [], "focus": null}',
        '{"borders": {}, "order": "risk", "closed": [1], "focus": null}',
        '{"borders": {}, "order": "risk", "closed": "ab", "focus": null}',
        '{"borders": {}, "order": "risk", "closed": [], "focus": ["agent", "x"]}',
        '{"borders": {}, "order": "risk", "closed": [], "focus": ["group"]}',
        '{"borders": {}, "order": "risk", "closed": [], "focus": null, "more": 1}',
        '{"borders": {}, "order": "risk", "closed": ["' + "a" * 1_000_000 + '"], "focus": null}',
    ],
)
def test_what_cannot_be_read_is_forgotten(states: ListStates, tmp_path: Path, text: str) -> None:
    states.save(LEFT)
    file_of(tmp_path).write_text(text)
    assert states.load() == ListState()


def test_where_nothing_can_be_kept_nothing_fails(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    ListStates("one", blocked).save(LEFT)
    assert ListStates("one", blocked).load() == ListState()


async def test_the_screen_goes_on_where_it_was_left(place: Path, tmp_path: Path, states: ListStates) -> None:
    with agent(place, "docs", cwd=tmp_path) as docs, agent(place, "tests", cwd=tmp_path) as other:
        first, second = (post(docs, write(tmp_path / f"{name}.txt", name)) for name in "ab")
        member, _ = (post(docs, write(tmp_path / f"{name}.txt", name, group_id="save")) for name in "cd")
        post(other, write(tmp_path / "e.txt", "e"))
        async with screen(place, size=LARGE, list_states=states, waiting=5) as seen:
            await seen.press("o")
            await seen.goes_to(member)
            await seen.press("left")
            await seen.goes_to(second)
            await seen.press("greater_than_sign")
            seen.app.review.filtering.use("agent:docs")
        async with screen(place, size=LARGE, list_states=states, waiting=5) as seen:
            inbox = seen.desk.inbox
            assert inbox.hidden() == ()
            assert inbox.order == "risk"
            assert inbox.cursor == RowKey("request", second.id)
            assert first.id in inbox
            assert seen.app.review.border
            assert inbox.row_index(RowKey("request", member.id)) is None


def test_a_state_that_would_never_end_or_never_begin_is_forgotten(states: ListStates, tmp_path: Path) -> None:
    states.save(LEFT)
    file = file_of(tmp_path)
    file.unlink()
    os.mkfifo(file)
    assert states.load() == ListState()
    file.unlink()
    file.symlink_to("/dev/zero")
    assert states.load() == ListState()
