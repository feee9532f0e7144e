"""Filters to choose from: the same on every list, some of them the person's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import Screen, agent, command, ids, post, screen

from signoff.filter import SAVED_FILTERS, Filtered
from signoff.queue import AgentQueue
from signoff.settings_yaml import ConfigError
from signoff_tui.settings import parse_settings
from signoff_tui.settings.resolve import Personal, ResolvedSettings
from signoff_tui.state.persistence import saved_with, usable

OWN = ("agent:docs-bot is:unseen", "session:s-1")


# -- which there are -----------------------------------------------------------------------------------------


def labels(filtered: Filtered, own: tuple[str, ...] = (), agent: str | None = "a") -> list[str]:
    return [each.label for each in usable(saved_with(own), filtered, agent)]


def test_the_history_has_all_and_the_inbox_those_that_ask_for_no_decision() -> None:
    assert usable(SAVED_FILTERS, Filtered.HISTORY, "a") == SAVED_FILTERS
    assert labels(Filtered.INBOX) == ["this agent", "last hour", "HIGH"]


def test_remembered_approvals_have_those_that_ask_only_for_what_they_know() -> None:
    assert labels(Filtered.MEMORY, OWN) == ["this agent", "last hour", "session:s-1"]


def test_without_a_selected_agent_there_is_none_to_choose() -> None:
    assert labels(Filtered.INBOX, agent=None) == ["last hour", "HIGH"]


def test_a_persons_own_filter_is_told_by_its_words() -> None:
    own = saved_with(OWN)[-1]
    assert (own.label, own.text("x")) == (OWN[-1], OWN[-1])


# -- in the settings -----------------------------------------------------------------------------------------


def test_filters_of_ones_own_are_read_from_the_settings() -> None:
    assert parse_settings('filters: ["agent:docs-bot is:unseen", "session:s-1"]').filters == OWN


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('["agnet:x"]', "at character 1: 'agnet' is not a field, did you mean agent?"),
        ("[[a]]", "must have filters as you would type them"),
        ("{6: a}", "must be a list of filters"),
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
        await seen.press(*"low", "ctrl+s")
        await seen.shows("saved in your settings: f lists it")
        assert parse_settings((folder / "screen.yaml").read_text()).filters == ("risk:low",)
        await seen.press("enter", "f")
        await seen.shows("HIGH        risk:high", "  risk:low")


# -- in the inbox --------------------------------------------------------------------------------------------


def listed(seen: Screen) -> list[str]:
    return [row.key.id for row in seen.desk.inbox.rows() if row.key.kind == "request"]


async def test_f_lists_filters_and_what_the_chosen_one_keeps(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        other = post(release, command("pwd", workdir))
        chosen = ResolvedSettings(filters=("agent:release",))
        async with screen(place, waiting=2, chosen=chosen) as seen:
            await seen.goes_to(first)
            await seen.press("f")
            await seen.shows("this agent  agent:=tester", "last hour", "HIGH", "agent:release", "Enter lists")
            await seen.press("y")  # a letter is text there, and no decision
            await seen.shows("/ agent:=testery")
            await seen.press("escape")
            await seen.until(lambda: listed(seen) == ids([first, other]))
            await seen.press("f", "down", "down", "down", "enter")
            await seen.until(lambda: listed(seen) == ids([other]))
            assert seen.focus == other.id
            await seen.press("escape")
            await seen.until(lambda: listed(seen) == ids([first, other]))
            assert seen.desk.inbox.entry(first.id).request.pending
