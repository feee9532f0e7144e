"""Filters under a digit: the same on every list, some of them the person's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import agent, command, ids, post, screen

from signoff.filter import SAVED_FILTERS, Filtered
from signoff.queue import AgentQueue
from signoff.settings_yaml import ConfigError
from signoff_tui.settings import parse_settings
from signoff_tui.settings.resolve import Personal, ResolvedSettings
from signoff_tui.state.persistence import saved_by_digit, saved_with, usable
from signoff_tui.text.key_hints import BarRoom, flow, saved_hints

OWN = {6: "agent:docs-bot is:unseen", 7: "session:s-1"}


# -- which there are -----------------------------------------------------------------------------------------


def test_the_filters_that_everybody_has_are_for_inbox_and_history() -> None:
    assert usable(SAVED_FILTERS, Filtered.HISTORY) == SAVED_FILTERS
    assert [each.digit for each in usable(SAVED_FILTERS, Filtered.INBOX)] == [1, 4]


def test_remembered_approvals_have_those_that_ask_only_for_what_they_know() -> None:
    assert [each.digit for each in usable(saved_with(OWN), Filtered.MEMORY)] == [1, 7]


def test_a_persons_own_filter_is_told_by_its_words() -> None:
    chosen = saved_by_digit(saved_with(OWN), "6")
    assert chosen is not None
    assert (chosen.label, chosen.text("x")) == (OWN[6], OWN[6])


def test_with_hardly_any_room_all_digits_are_in_one_place() -> None:
    hints = saved_hints(saved_with(OWN), BarRoom(30, 1))
    assert [(hint.key, hint.label) for hint in hints] == [("1234567", "filters"), ("Esc", "back")]


@pytest.mark.parametrize("room", [BarRoom(200, 2), BarRoom(80, 2), BarRoom(50, 3), BarRoom(40, 2)], ids=str)
def test_every_digit_is_told_however_narrow_it_is(room: BarRoom) -> None:
    hints = saved_hints(saved_with(OWN), room)
    shown = [piece.text.text for row in flow(hints, room) for piece in row.left if piece.token == "key"]
    assert shown == [*map(str, range(1, 8)), "Esc"]


# -- in the settings -----------------------------------------------------------------------------------------


def test_filters_of_ones_own_are_read_from_the_settings() -> None:
    read = parse_settings('filters: {6: "agent:docs-bot is:unseen", 7: "session:s-1"}')
    assert read.filters == OWN


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{1: risk:high}", "s:1:1: filters: 1 is no digit of yours: 6, 7, 8, 9 are"),
        ('{6: "agnet:x"}', "at character 1: 'agnet' is not a field, did you mean agent?"),
        ("{6: [a]}", "6 must have a filter as you would type it"),
        ("[a]", "must hold digits with filters"),
    ],
)
def test_what_is_no_filter_is_refused_with_file_line_and_key(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(f"filters: {text}", "s")
    assert problem in str(caught.value)


# -- saved from the screen -----------------------------------------------------------------------------------


async def test_ctrl_s_while_a_filter_is_typed_saves_it_in_the_persons_settings(
    asking: AgentQueue, place: Path, workdir: Path, folder: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, theme=None, personal=Personal({"TERM": "xterm"}), waiting=1) as seen:
        await seen.press("/", "ctrl+s")
        await seen.shows("not saved: nothing is typed")
        await seen.press(*"risk:", "ctrl+s")
        await seen.shows("not saved: it cannot be used as it stands")
        await seen.press(*"high", "ctrl+s")
        await seen.shows("saved in your settings: f 6 lists this")
        assert parse_settings((folder / "screen.yaml").read_text()).filters == {6: "risk:high"}
        await seen.press("enter", "f")
        await seen.shows("6 risk:high  Esc back")


# -- in the inbox --------------------------------------------------------------------------------------------


async def test_f_and_a_digit_choose_what_the_inbox_lists(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        danger = post(release, command("rm -rf build", workdir))
        chosen = ResolvedSettings(filters={6: "agent:release"})
        async with screen(place, waiting=2, chosen=chosen) as seen:

            def listed() -> list[str]:
                return [row.key.id for row in seen.desk.inbox.rows() if row.key.kind == "request"]

            await seen.goes_to(first)
            await seen.press("f")
            await seen.shows(
                "List only (2, 3, 5 only in the history)",
                "1 last hour of this agent  4 high risk  6 agent:release  Esc back",
            )
            await seen.press("q", "y", "escape")  # a letter does nothing there, and Esc chooses none
            await seen.until(lambda: listed() == ids([first, danger]))
            await seen.press("f", "1")
            await seen.shows("1 of 2 match  agent:=tester since:1h")
            await seen.shows("nothing that waits is hidden")
            await seen.press("f", "6")
            await seen.shows("agent:release")
            await seen.until(lambda: seen.desk.inbox.is_hidden(first.id) or danger.id in listed())
            await seen.press("escape")
            await seen.until(lambda: listed() == ids([first, danger]))
            assert seen.desk.inbox.entry(first.id).request.pending


async def test_a_filter_that_typing_chose_is_undone_with_the_typing(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("f", "1")
        await seen.until(lambda: seen.app.review.filtering.filter.query.text == "agent:=tester since:1h")
        await seen.press("f", "4")
        await seen.until(lambda: seen.app.review.filtering.filter.query.text == "risk:high")
        seen.app.review._decisions._undo(("f", "4"))
        assert seen.app.review.filtering.filter.query.text == "agent:=tester since:1h"
