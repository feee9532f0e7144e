"""Read marks hold across restarts and screens; those that are forged or cannot be checked do not count."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screen_bench import LARGE, Screen, amend, command, lines, post, screen, write

from signoff.queue import AgentQueue, StoredRequest
from signoff.queue.keys.folder import KEYS_VARIABLE, keys_folder
from signoff.queue.keys.identity import load_or_make
from signoff_tui.state.read_marks import KEPT_US, ReadMark, ReadMarks

NOW = 1_790_000_000_000_000
KEY = ("r-1", 1, "d" * 64)
MARK = ReadMark(10, frozenset({0, 1, 2, 7, 9}), NOW)


@pytest.fixture(autouse=True)
def _reviewer_has_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "keys"))
    load_or_make(keys_folder())


@pytest.fixture
def no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "no keys"
    monkeypatch.setenv(KEYS_VARIABLE, str(folder))
    return folder


@pytest.fixture
def marks(tmp_path: Path) -> ReadMarks:
    return ReadMarks("/queues/one", "ada", tmp_path / "read")


@given(st.dictionaries(st.text(max_size=5), st.frozensets(st.integers(0, 99))))
def test_marks_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, shown: dict[str, frozenset[int]]
) -> None:
    kept = ReadMarks("/queues/one", "ada", tmp_path_factory.mktemp("read"))
    made = {(id_, 1, "d"): ReadMark(100, units, NOW) for id_, units in shown.items() if units}
    kept.add(made, NOW)
    assert kept.load() == made


def test_marks_of_two_screens_are_one(marks: ReadMarks, tmp_path: Path) -> None:
    marks.add({KEY: ReadMark(10, frozenset({1}), NOW)}, NOW)
    ReadMarks("/queues/one", "ada", tmp_path / "read").add({KEY: ReadMark(10, frozenset({2}), NOW)}, NOW)
    assert marks.load()[KEY].shown == {1, 2}


def test_screens_that_write_at_once_lose_nothing(marks: ReadMarks) -> None:
    def add(number: int) -> None:
        marks.add({(f"r-{number}", 1, "d"): ReadMark(3, frozenset({1}), NOW)}, NOW)

    writers = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert {key[0] for key in marks.load()} == {f"r-{number}" for number in range(8)}


def test_marks_go_a_day_after_their_request_was_last_seen_waiting(marks: ReadMarks) -> None:
    marks.add({KEY: MARK}, NOW)
    marks.add({}, NOW + KEPT_US - 1)
    assert marks.load()
    marks.add({("r-2", 1, "d"): ReadMark(1, frozenset({0}), NOW + KEPT_US)}, NOW + KEPT_US)
    assert KEY not in marks.load()


def test_the_file_is_private(marks: ReadMarks) -> None:
    marks.add({KEY: MARK}, NOW)
    assert marks.path.stat().st_mode & 0o777 == 0o600
    assert marks.path.parent.stat().st_mode & 0o777 == 0o700


def test_marks_that_were_changed_do_not_count(marks: ReadMarks) -> None:
    marks.add({KEY: MARK}, NOW)
    found = json.loads(marks.path.read_text())
    found["marks"][0][4] = [[0, 9]]
    marks.path.write_text(json.dumps(found))
    assert marks.load() == {}


def test_marks_of_another_reviewer_do_not_count(marks: ReadMarks, tmp_path: Path) -> None:
    marks.add({KEY: MARK}, NOW)
    other = ReadMarks("/queues/one", "eve", tmp_path / "read")
    other.path.write_bytes(marks.path.read_bytes())
    assert other.load() == {}


def test_without_the_key_nothing_counts(marks: ReadMarks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks.add({KEY: MARK}, NOW)
    monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "no keys"))
    assert marks.load() == {}


def test_marks_before_the_first_approval_are_kept_when_the_screen_closes(marks: ReadMarks, no_key: Path) -> None:
    marks.add({KEY: MARK}, NOW)
    assert not no_key.exists()
    marks.add({KEY: MARK}, NOW, closing=True)
    assert marks.load() == {KEY: MARK}


def test_where_nothing_is_decided_no_key_is_made(tmp_path: Path, no_key: Path) -> None:
    marks = ReadMarks("/queues/one", "ada", tmp_path / "read", read_only=True)
    marks.add({KEY: MARK}, NOW, closing=True)
    assert not marks.path.exists()
    assert not no_key.exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"marks": 3, "code": "x"}', '{"marks": [[1]], "code": 2}', "\x00"]
)
def test_a_file_that_cannot_be_read_is_no_marks(marks: ReadMarks, content: str) -> None:
    marks.path.parent.mkdir()
    marks.path.write_text(content)
    assert marks.load() == {}


# -- on the screen -----------------------------------------------------------------------------------------


async def shown_as(seen: Screen, request: StoredRequest, state: str) -> None:
    await seen.until(lambda: request.id in seen.desk.inbox, "the request")
    await seen.until(lambda: state in seen.line("a.txt"), f"{state} in the row")


async def test_what_was_read_is_read_after_a_restart(
    asking: AgentQueue, place: Path, workdir: Path, marks: ReadMarks
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(3)))
    async with screen(place, size=LARGE, waiting=1, read_marks=marks) as seen:
        await seen.reads(request)
    async with screen(place, waiting=1, read_marks=marks) as seen:
        await shown_as(seen, request, "read")


async def test_half_of_it_is_half_read_after_a_restart_and_opens_where_the_reader_was(
    asking: AgentQueue, place: Path, workdir: Path, marks: ReadMarks
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(60)))
    async with screen(place, size=LARGE, waiting=1, read_marks=marks) as seen:
        await seen.opens(request)
        await seen.until(
            lambda: seen.has_settled(seen.entry(request)) and seen.desk.share(seen.entry(request)) > 0.3
        )
        share = seen.desk.share(seen.entry(request))
    async with screen(place, size=LARGE, waiting=1, read_marks=marks) as seen:
        await seen.opens(request)
        await seen.until(lambda: seen.desk.share(seen.entry(request)) >= share)
        await seen.until(lambda: "line 1 " not in seen.text and "line 40" in seen.text, "the first unread line")


async def test_what_changed_is_to_be_read_again_after_a_restart(
    asking: AgentQueue, place: Path, workdir: Path, marks: ReadMarks
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(3)))
    async with screen(place, size=LARGE, waiting=1, read_marks=marks) as seen:
        await seen.reads(request)
    amend(asking, request, write(workdir / "a.txt", lines(4)))
    async with screen(place, waiting=1, read_marks=marks) as seen:
        await shown_as(seen, request, "new")
        await seen.rests()
        assert seen.desk.share(seen.entry(request)) == 0.0


async def test_what_another_screen_shows_counts_here_within_a_moment(
    asking: AgentQueue, place: Path, workdir: Path, marks: ReadMarks, tmp_path: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(3)))
    other = ReadMarks("/queues/one", "ada", tmp_path / "read")
    async with (
        screen(place, waiting=1, read_marks=marks) as seen,
        screen(place, size=LARGE, waiting=1, read_marks=other) as second,
    ):
        await second.reads(request)
        await shown_as(seen, request, "read")


async def test_a_screen_without_a_place_for_marks_works(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
