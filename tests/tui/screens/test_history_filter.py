"""Filtering the history: typed or by one key, applied at once, followed live, paged, and written into a file."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Cable, Screen, agent, call, command, post, screen

from signoff.queue import AgentQueue, Decision, DecisionSource, ReviewQueue, StoredRequest, open_review_queue
from signoff.submission import plain_submission
from signoff_tui.screens.history.data import offered_path
from signoff_tui.screens.history.screen import HistoryScreen
from signoff_tui.widgets.filter_bar import FilterBar


@pytest.fixture
def anna(place: Path) -> Iterator[ReviewQueue]:
    """Another reviewer."""
    with open_review_queue(place, reviewer="anna") as queue:
        yield queue


def decide(anna: ReviewQueue, request: StoredRequest, **fields: object) -> None:
    decision = Decision(**{"approved": True, "shown": 1.0, **fields})  # type: ignore[arg-type]
    verdict = anna.decide(request.id, request.revision, request.submission.digest, decision)
    assert verdict.accepted, verdict.message


def record(
    asking: AgentQueue, title: str, source: DecisionSource = DecisionSource.RULE, by: str = "rule 7"
) -> None:
    """A call that was answered without asking."""
    plain = plain_submission(call(title, payload={"title": title}), None, cwd=asking.agent.cwd)
    asking.record(plain, Decision(approved=True, source=source, by=by))


async def opens(seen: Screen, *, records: int) -> None:
    await seen.press("h")
    await seen.shows(f"{records} records:" if records > 1 else "1 record:")


@pytest.fixture
def three(asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path) -> None:
    """Three decisions: two calls that were approved, and one of `release` that was rejected."""
    decide(anna, post(asking, command("ls a", workdir)))
    decide(anna, post(asking, command("ls b", workdir)))
    with agent(place, "release", session="s-9", cwd=workdir) as release:
        decide(anna, post(release, command("npm publish", workdir)), approved=False, note="not today")


# -- typing --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three")
async def test_a_filter_is_applied_while_it_is_typed(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("agent:release")
        await seen.shows("agent:release   1 of 3", "npm publish")
        assert "ls a" not in seen.text


@pytest.mark.usefixtures("three")
async def test_a_picture_that_is_painted_while_the_list_gets_shorter_shows_what_was_listed(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        history = seen.app.screen
        assert isinstance(history, HistoryScreen)
        draw = history.rows(80).painter
        before = draw(2, 80)
        await seen.press("slash")
        await seen.types("agent:release")
        await seen.shows("agent:release   1 of 3")
        assert draw(2, 80) == before


@pytest.mark.usefixtures("three")
async def test_enter_keeps_the_filter(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("ls")
        await seen.press("enter")
        await seen.shows("ls   2 of 3: 2 approved", "? keys")


@pytest.mark.usefixtures("three")
async def test_escape_brings_the_filter_of_before_back(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("ls")
        await seen.shows("2 of 3")
        await seen.press("escape")
        await seen.shows("3 records:")


@pytest.mark.usefixtures("three")
async def test_backspace_takes_a_letter_back(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("npmx")
        await seen.shows("0 of 3")
        await seen.press("backspace")
        await seen.shows("1 of 3")


@pytest.mark.usefixtures("three")
async def test_escape_on_the_list_clears_the_filter_then_goes_back(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("npm")
        await seen.press("enter")
        await seen.shows("1 of 3", "? keys")
        await seen.press("escape")
        await seen.shows("3 records:")
        await seen.press("escape")
        await seen.shows("No agent is waiting.")


@pytest.mark.usefixtures("three")
async def test_a_mistake_keeps_the_last_good_result_and_is_marked(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("npm risk:x")
        await seen.shows("risk does not take 'x'")
        words, below = seen.line(" / npm"), seen.line("^")
        assert words.index("x") == below.index("^")


@pytest.mark.usefixtures("three")
async def test_tab_completes_a_field_and_a_value_that_exists(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("ag")
        await seen.press("tab")
        await seen.shows(" / agent:")
        await seen.types("r")
        await seen.press("tab")
        await seen.shows(" / agent:release", "1 of 3")


@pytest.mark.usefixtures("three")
async def test_what_is_typed_is_no_command(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("hqTf3")
        await seen.shows("/ hqTf3", "0 of 3")


@pytest.mark.usefixtures("three")
async def test_the_box_begins_empty_and_up_brings_the_last_filter_back(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("npm")
        await seen.press("enter", "slash")
        await seen.shows("Enter lists")
        assert "npm" not in seen.frame[-2]
        await seen.press("up")
        await seen.shows(" / npm")


@pytest.mark.usefixtures("three")
async def test_enter_goes_to_the_first_match(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("G", "slash")
        await seen.types("ls")
        await seen.press("enter")
        await seen.until(lambda: "▌" in seen.line("ls b"))


# -- one key -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.usefixtures("three")
async def test_one_key_leads_from_a_request_to_the_last_hour_of_its_agent(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    post(asking, command("pwd", workdir))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.press("H")
        await seen.shows("agent:=tester since:1h", "2 of 3")


@pytest.mark.usefixtures("three")
async def test_one_key_leads_from_a_group_to_the_last_hour_of_its_agent(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for text in ("pwd", "date"):
        post(asking, command(text, workdir, group_id="look"))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("H")
        await seen.shows("agent:=tester since:1h", "2 of 3")


@pytest.mark.usefixtures("three")
async def test_one_key_leads_from_a_record_to_the_last_hour_of_its_agent(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("H")
        await seen.shows("agent:=release since:1h", "1 of 3")


async def test_without_anything_that_waits_there_is_no_agent_to_look_at(place: Path) -> None:
    async with screen(place) as seen:
        await seen.press("H")
        await seen.shows("Inbox")


@pytest.mark.usefixtures("three")
async def test_f_lists_filters_and_each_is_applied_as_it_is_chosen(place: Path) -> None:
    async with screen(place, size=(50, 40)) as seen:
        await opens(seen, records=3)
        await seen.press("f")
        await seen.shows("this agent     agent:=release", "automatic      by:memory,rule", "1 of 3")
        await seen.press("down", "down", "down")
        await seen.shows("/ decision:rejected", "1 of 3")
        await seen.press("enter")
        await seen.shows_no("automatic")
        assert seen.app.screen.query_one(FilterBar).query_in_force.text == "decision:rejected"


@pytest.mark.usefixtures("three")
async def test_escape_leaves_the_list_of_filters_as_it_was(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("f", "down", "escape")
        await seen.shows("3 records:", "f saved")


@pytest.mark.usefixtures("three")
async def test_a_filter_of_the_list_can_be_clicked(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("f")
        await seen.shows("decision:rejected")
        row = seen.frame.index(seen.line("decision:rejected"))
        await seen.pilot.click(offset=(5, row))
        await seen.shows("/ decision:rejected", "1 of 3")


@pytest.mark.usefixtures("three")
async def test_the_keys_of_the_bottom_row_can_be_clicked(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.pilot.click(offset=(seen.frame[-1].index("/ filter"), len(seen.frame) - 1))
        await seen.until(lambda: seen.app.screen.query_one(FilterBar).is_open)


@pytest.mark.usefixtures("three")
async def test_c_copies_the_command_of_the_record(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        await seen.press("c")
        await seen.shows("copied, if the terminal lets programs copy")


async def test_the_uses_of_a_remembered_approval_are_listed_with_its_number(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    decide(anna, post(asking, command("ls", workdir)), remember=True)
    (grant,) = anna.grants()
    record(asking, "used", DecisionSource.GRANT, grant.id)
    async with screen(place) as seen:
        seen.app.go("history", f"by:{grant.id}")
        await seen.shows("1 of 2: 1 approved", "allowed #1")


async def test_a_query_that_cannot_be_read_is_shown_with_its_fault(place: Path) -> None:
    async with screen(place) as seen:
        seen.app.go("history", "agnet:x")
        await seen.shows("/ agnet:x", "did you mean agent?")


async def test_a_name_that_cannot_be_seen_never_gets_into_the_filter(
    place: Path, anna: ReviewQueue, workdir: Path
) -> None:
    with agent(place, "re\u202efactor", cwd=workdir) as asking:
        decide(anna, post(asking, command("ls", workdir)))
    async with screen(place) as seen:
        await opens(seen, records=1)
        await seen.press("f")
        await seen.shows("/ agent:re?factor", "1 of 1")


# -- live, and further back ----------------------------------------------------------------------------------


async def test_new_records_come_above_and_leave_the_cursor_where_it_is(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    for number in range(25):
        record(asking, f"call {number}")
    async with screen(place) as seen:
        await opens(seen, records=25)
        await seen.press("j")
        await seen.until(lambda: "▌" in seen.line("call 23"))
        before = seen.frame.index(seen.line("call 23"))
        decide(anna, post(asking, command("pwd", workdir)))
        await seen.shows("1 newer: g", "26 records")
        assert seen.frame.index(seen.line("call 23")) == before
        assert "▌" in seen.line("call 23")
        await seen.press("g")
        await seen.shows("pwd")


@pytest.mark.usefixtures("three")
async def test_new_records_that_do_not_fit_are_not_listed(
    asking: AgentQueue, anna: ReviewQueue, place: Path, workdir: Path
) -> None:
    async with screen(place) as seen:
        await seen.press("h", "slash")
        await seen.types("npm")
        await seen.press("enter")
        await seen.shows("1 of 3")
        decide(anna, post(asking, command("pwd", workdir)))
        await seen.shows("1 of 4")
        assert "pwd" not in seen.text


async def test_older_records_are_read_when_the_end_is_reached(
    asking: AgentQueue, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff_tui.screens.history.data.PAGE", 30)
    for number in range(70):
        record(asking, f"call {number}")
    async with screen(place) as seen:
        await seen.press("h")
        await seen.shows("newest 30 of 70:")
        await seen.press("G")
        await seen.shows("newest 60 of 70:")
        await seen.press("G")
        await seen.shows("70 records:")
        await seen.press("G")
        await seen.shows("call 0")


async def test_a_search_that_finds_little_says_how_to_go_on(
    asking: AgentQueue, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STEP", "MOST"):
        monkeypatch.setattr(f"signoff_tui.screens.history.data.{name}", 5)
    for number in range(12):
        record(asking, f"call {number}")
    async with screen(place) as seen:
        seen.app.go("history", '"call 0"')
        await seen.shows("G looks further back", "0+ of 12")
        await seen.press("G", "G")
        await seen.shows("1 of 12")


async def test_a_queue_that_is_lost_is_said(place: Path) -> None:
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:  # type: ignore[arg-type]
        await seen.press("h")
        await seen.shows_no("QUEUE LOST")
        cable.pulled = True
        await seen.shows("QUEUE LOST")


# -- the record ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.usefixtures("three")
async def test_details_have_whole_hashes_and_what_a_check_of_the_chain_found(
    anna: ReviewQueue, place: Path, size: tuple[int, int]
) -> None:
    async with screen(place, size=size) as seen:
        await opens(seen, records=3)
        await seen.press("i")
        await seen.shows("told the agent   not today", "pid ")
        await seen.press("space")
        await seen.shows("chain", "whole: 3 records checked", anna.history(limit=1)[0].hash[:24])
        await seen.press("i")
        await seen.shows_no("sha256")


# -- into a file ---------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def files_in(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


@pytest.mark.usefixtures("three")
async def test_what_the_filter_keeps_is_written_into_a_file_of_ones_own(place: Path, home: Path) -> None:
    async with screen(place, size=(200, 50)) as seen:
        await opens(seen, records=3)
        await seen.press("slash")
        await seen.types("ls")
        await seen.press("enter")
        seen.chooses("export")
        await seen.shows(f"write to: {home}/signoff-history-", ".jsonl", "no file is replaced")
        assert not files_in(home)
        await seen.press("enter")
        await seen.shows("2 records written, secrets hidden: ")
        (file,) = files_in(home)
        assert str(file) in seen.text
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert [facts["arguments"]["command"] for facts in written] == ["ls a", "ls b"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.usefixtures("three")
async def test_a_file_that_is_there_is_never_replaced(place: Path, home: Path) -> None:
    there = home / "there.jsonl"
    there.write_text("mine")
    async with screen(place) as seen:
        await opens(seen, records=3)
        seen.chooses("export")
        await seen.press("ctrl+u")
        await seen.types("~/there.jsonl")
        await seen.press("enter")
        await seen.shows("not written: there is such a file already")
        await seen.types("x")
        await seen.shows("Enter writes", "~/there.jsonlx")
        await seen.press("escape")
        await seen.shows_no("write to:")
        seen.chooses("export")
        await seen.press("ctrl+u")
        await seen.types("~/none/there.jsonl")
        await seen.press("enter")
        await seen.shows("not written: No such file or directory")
    assert {file.name: file.read_text() for file in files_in(home)} == {"there.jsonl": "mine"}


def test_the_place_that_is_offered_is_free_and_at_home(home: Path) -> None:
    now = 1_790_000_000_000_000
    first = offered_path(now, os.environ)
    first.touch()
    assert first.parent == home
    assert offered_path(now, os.environ).name == f"{first.stem}-2.jsonl"


@pytest.mark.usefixtures("three")
async def test_enter_keeps_all_that_was_typed_however_fast_it_came(place: Path) -> None:
    async with screen(place) as seen:
        await opens(seen, records=3)
        seen.sends("/agent:releasee\x7f\r")
        await seen.until(lambda: not seen.app.screen.query_one(FilterBar).is_open)
        await seen.shows("agent:release   1 of 3")
        assert seen.app.screen.query_one(FilterBar).query_in_force.text == "agent:release"
