"""Help: every key, at any size, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, command, post, screen

from signoff.present.kinds import PresentationKind
from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui.input.actions import Place
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.help.screen import key_lines, mark_lines
from signoff_tui.text.lines import Line
from signoff_tui.text.summary import letter_of


def words_of(shown: Line) -> str:
    return "".join(piece.text.text for piece in shown.left)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_help_says_what_the_keys_and_marks_mean(place: Path, size: tuple[int, int]) -> None:
    async with screen(place, size=size) as seen:
        await seen.press("question_mark")
        await seen.shows(" y      approve", "Enter and Space never approve", "Esc back")


def test_each_kind_has_a_letter_of_its_own_that_help_explains() -> None:
    letters = [letter_of(kind) for kind in PresentationKind]
    assert len({*letters}) == len(letters)
    shown = "".join(map(words_of, mark_lines(199)))
    assert [letter for letter in (*letters, "D") if f" {letter} " not in shown.partition("kinds:")[2]] == []


def test_what_help_says_of_keys_follows_the_settings() -> None:
    keys = KeyMap({"undo": ("R",), "stop": ("Q",), "reject": ("X",), "despite": ("W",)})
    inbox, agents = ("".join(map(words_of, key_lines(place, 199, keys))) for place in ("review", "agents"))
    assert "R takes back what is held" in inbox
    assert "message box (X, Q)" in inbox
    assert "Q asks first, W stops it" in agents


@pytest.mark.parametrize("key", ["escape", "q", "question_mark"])
async def test_help_leads_back(place: Path, key: str) -> None:
    async with screen(place) as seen:
        await seen.press("question_mark")
        await seen.shows("signoff  keys for: inbox, request and group")
        await seen.press(key)
        await seen.shows("No agent is waiting.")


async def test_decision_keys_do_nothing_in_help(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("question_mark")
        await seen.press("y", "n", "x")
        await seen.shows("signoff  keys for: inbox, request and group")
    assert looking.get(request.id).pending


@pytest.mark.parametrize("place", ["review", "history", "agents", "rules"])
def test_a_wider_screen_needs_fewer_rows_and_cuts_nothing(place: Place) -> None:
    pages = {width: key_lines(place, width) for width in (60, 79, 119, 199)}
    rows = [len(page) for page in pages.values()]
    assert rows == sorted(rows, reverse=True)
    assert rows[0] > rows[2]
    assert all(line.width <= width for width, page in pages.items() for line in page)


def test_all_keys_of_the_inbox_are_on_one_page_of_a_large_screen() -> None:
    assert len(key_lines("review", 119)) <= 32


async def test_help_can_be_scrolled_to_its_end(place: Path) -> None:
    async with screen(place, size=SMALL) as seen:
        await seen.press("question_mark")
        await seen.shows("signoff  keys for: inbox, request and group")
        await seen.press("G")
        await seen.shows("Esc    back; your text is kept", "kinds: ")
