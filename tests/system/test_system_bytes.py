"""Nothing that an agent wrote acts on the terminal: told from every byte that is written to it."""

from __future__ import annotations

import base64
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from gates_of_the_screen import SHEETS
from hostile_lines import TOPICS, printed
from hostile_scene import HostileScene
from hostile_tour import HANDED_OVER, SURFACES, Surface, opened, tour
from person_bench import Person
from textual.screen import Screen
from written_bench import Listener, Written

import signoff_tui.screens
from hostile_texts import SORTS, hostile_texts
from system_bench import SCREEN

pytestmark = pytest.mark.system

TEXTS = hostile_texts()
OF_ALL_SORTS = TEXTS[-len(SORTS) :]

NO_CURSOR = tuple(text for text in OF_ALL_SORTS if "\u202e" in text.text or "\u200b" in text.text)
"""Texts with which a screen without any gate can still be worked."""

GATES = [sys.executable, str(Path(__file__).with_name("gates.py"))]

SPOKEN = {"m", "H"}
"""What a screen says besides text once it has started: colors and places."""

Stages = dict[str, Written]


def on(field: str, name: str, wanted: Callable[[Surface], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Run a test for each surface, with what was written in the tour that comes by it."""
    found = [(tour_name, each) for tour_name, surfaces in SURFACES.items() for each in surfaces if wanted(each)]
    return pytest.mark.parametrize((field, name), found, ids=[each.name for _, each in found], indirect=[field])


def in_tour(name: str) -> pytest.MarkDecorator:
    """Run a test with what was written in one tour."""
    return pytest.mark.parametrize("written", [name], indirect=True)


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is noted what the nets behind the gate had to drop."""
    return tmp_path_factory.mktemp("nets") / "dropped"


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory, nets: Path) -> Iterator[Callable[[str, str], Future[Stages]]]:
    """Goes on each tour once, also if it fails; on two at a time, because most of each is waiting."""
    ways = {"watched": ([*GATES, "watched", str(nets)], TEXTS), "open": ([*GATES, "open", "-"], NO_CURSOR)}
    with ThreadPoolExecutor(2) as worker:
        goes = cache(lambda name, way: worker.submit(tour, tmp_path_factory.mktemp(way), *ways[way], name))
        for name in SURFACES:
            goes(name, "watched")
        yield goes


@pytest.fixture
def written(request: pytest.FixtureRequest, tours: Callable[[str, str], Future[Stages]]) -> Stages:
    """What was written on each surface of a tour, of every hostile text."""
    return tours(request.param, "watched").result()


@pytest.fixture
def ungated(request: pytest.FixtureRequest, tours: Callable[[str, str], Future[Stages]]) -> Stages:
    """What was written on each surface of a tour by a screen without any gate."""
    return tours(request.param, "open").result()


@on("written", "surface")
def test_no_hostile_text_sends_a_control_sequence(written: Stages, surface: Surface) -> None:
    assert written[surface.name].sequences <= SPOKEN


@on("written", "surface")
def test_no_hostile_text_sends_a_character_that_cannot_be_seen(written: Stages, surface: Surface) -> None:
    assert written[surface.name].unprintable == set()


@on("written", "surface", lambda surface: surface.each)
def test_every_hostile_text_is_there_and_shows_what_it_hides(written: Stages, surface: Surface) -> None:
    assert surface.part(written).unseen(TEXTS) == set()


@on("written", "surface", lambda surface: surface.name in {"empty inbox", "export", "queue lost"})
def test_a_hostile_name_of_a_directory_shows_what_it_hides(written: Stages, surface: Surface) -> None:
    assert "<U+202E RLO><U+200B ZWSP><U+00AD SHY>" in surface.part(written).text


@pytest.mark.parametrize("written", SURFACES, indirect=True)
def test_between_the_surfaces_nothing_else_is_written_either(written: Stages) -> None:
    between = {name: stage for name, stage in written.items() if name != "start"}
    rung = written["notice"].unprintable & {"\x07"} if "notice" in written else set()
    assert set().union(*(stage.sequences for name, stage in between.items() if name != HANDED_OVER)) <= SPOKEN
    assert set().union(*(stage.unprintable for stage in between.values())) == rung


@pytest.mark.parametrize("written", SURFACES, indirect=True)
def test_the_gate_leaves_nothing_to_drop_for_the_nets_behind_it(written: Stages, nets: Path) -> None:
    assert written
    assert not nets.exists(), nets.read_text()


def test_some_tour_opens_every_screen_and_sheet(tours: Callable[[str, str], Future[Stages]], nets: Path) -> None:
    for name in SURFACES:
        tours(name, "watched").result()
    shown = set(nets.with_name("shown").read_text().split())
    assert {each.__name__ for each in (*screens(), *SHEETS)} <= shown


def screens() -> set[type]:
    """Every screen that there is, and none that is only the base of others."""
    for module in pkgutil.walk_packages(signoff_tui.screens.__path__, "signoff_tui.screens."):
        importlib.import_module(module.name)
    found: set[type] = set()
    todo: list[type] = [Screen]
    while todo:
        below: list[type] = todo.pop().__subclasses__()
        found.update(below)
        todo += below
    ours = (each for each in found if each.__module__.startswith("signoff_tui."))
    return {each for each in ours if not each.__subclasses__()}


@in_tour("waiting")
def test_the_keys_of_help_name_no_agent(written: Stages) -> None:
    found = written["help"].part("signoff +keys", one_row=False).text
    assert "signoff  keys" in found
    assert not any(text.mark in found for text in TEXTS)


def test_the_end_of_a_line_may_come_in_two_parts_and_a_lone_return_is_noticed() -> None:
    one, next_one = Written(), Written()
    one.add("a\r")
    next_one.add(one.takes_back())
    next_one.add("\nb\rc")
    assert (one.unprintable, next_one.text) == (set(), "\nb\rc")
    assert next_one.unprintable == {"\r"}


@in_tour("waiting")
def test_text_is_copied_as_it_is_shown(written: Stages) -> None:
    (copied,) = [said for said in written["copy"].said if said.startswith("\x1b]52;")]
    text = base64.b64decode(copied.removeprefix("\x1b]52;c;").removesuffix("\x1b\\")).decode()
    assert Written([text]).unprintable == set()
    assert Written([text]).unseen(TEXTS) == set()


@in_tour("alike")
def test_a_notice_holds_counts_and_nothing_of_a_request(written: Stages) -> None:
    (notice,) = [said for said in written["notice"].said if said.startswith("\x1b]9;")]
    assert f"waiting, 1 HIGH, from {len(TEXTS)} agents" in notice


@on("ungated", "surface", lambda surface: not surface.bare)
def test_without_the_gate_this_is_noticed_on_each_surface(ungated: Stages, surface: Surface) -> None:
    assert surface.part(ungated).unprintable


# -- the command line --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """What is printed on each topic, of every hostile text."""
    return printed(tmp_path_factory.mktemp("lines"), [*GATES, "watched", "-"], TEXTS)


@pytest.fixture(scope="module")
def ungated_lines(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """What is printed on each topic without any gate."""
    return printed(tmp_path_factory.mktemp("lines"), [*GATES, "open", "-"], NO_CURSOR)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_command_line_prints_every_hostile_text_and_shows_what_it_hides(lines: Stages, topic: str) -> None:
    assert lines[topic].sequences <= {"m"}, "nothing but colours"
    assert lines[topic].unprintable == set()
    assert lines[topic].unseen(TEXTS) == set()


@pytest.mark.parametrize("topic", TOPICS)
def test_without_the_gate_this_is_noticed_on_the_command_line(ungated_lines: Stages, topic: str) -> None:
    assert ungated_lines[topic].unprintable


# -- the mouse ---------------------------------------------------------------------------------------------


def test_no_click_anywhere_on_any_screen_does_more_than_move(tmp_path: Path) -> None:
    with HostileScene(tmp_path, OF_ALL_SORTS) as scene:
        scene.asks()
        with opened(scene, SCREEN, 64, 13) as listener:
            clicks_on_lists(listener)
            clicks_on_sheets(listener)
            clicks_on_what_is_allowed(listener, scene)
            clicks_on_changes(listener, scene)
            listener.resizes(100, 12)
            listener.presses("1", "▌")
            listener.presses("K", "▌.*q")
            listener.clicks_everywhere()
            listener.presses("h", "f saved")
        assert scene.still_waiting() == [True] * len(scene.waiting)


def clicks_on_lists(listener: Listener) -> None:
    """On the list, what lies over it, and the question before leaving; each is left by its one key."""
    listener.hears("▌")
    listener.clicks_everywhere()
    for key, words in (
        ("?", "signoff +keys"),
        ("2", "signoff +Agents"),
        ("4", "signoff +Rules"),
    ):
        listener.presses(key, words)
        listener.clicks_everywhere()
        listener.presses("1", "y approve|Y approve")
    listener.presses("h", "f saved")
    listener.clicks_everywhere()
    listener.presses("/", "Tab completes")
    listener.clicks_everywhere()
    listener.presses("Escape", "saved|this agent")
    listener.presses("q", "y approve|Y approve")
    listener.presses(":", "what to do")
    listener.clicks_everywhere()
    listener.presses("Escape", "y approve|Y approve")
    listener.presses("q", "y quit")
    listener.clicks_everywhere()
    listener.terminal.press("Escape")
    listener.loses(".*y quit")


def clicks_on_sheets(listener: Listener) -> None:
    """On a group, a request, and what lies over its action bar: Esc leaves that, and not the request."""
    listener.presses("G", "▌")
    listener.presses("K", "▌.*remember all")
    listener.presses("Enter", "remember all")
    Person(listener.terminal).reads_about("remember all")
    listener.clicks_everywhere()
    for key, words in (
        ("s", "Allow for this session"),
        ("n", "what to do instead"),
        ("x", "rest of the agent's turn"),
    ):
        listener.decides(key, words)
        listener.clicks_everywhere()
        assert "▌" not in listener.presses("Escape", "y approve"), words
    listener.presses("i", "signoff +details of")
    listener.clicks_everywhere()
    listener.presses("Escape", "y approve|Y approve")
    listener.presses("K", "q")
    listener.presses("1", "▌")
    listener.presses("Left", "▌.* all ")
    listener.clicks_everywhere()


def clicks_on_what_is_allowed(listener: Listener, scene: HostileScene) -> None:
    """On what is allowed for a session: nothing is revoked by a click."""
    listener.presses("1", "▌")
    scene.remembers()
    granted = scene.granted()
    listener.presses("4", "Allowed for a session", "x revoke")
    listener.clicks_everywhere()
    listener.presses("1", "y approve|Y approve")
    assert scene.granted() == granted


def clicks_on_changes(listener: Listener, scene: HostileScene) -> None:
    """On refused hunks, and on an edit with its diff, a tree of which is folded."""
    scene.asks_for_what_may_be_changed()
    listener.hears(f" {len(scene.waiting)} waiting")
    listener.insists("G", "▌.*hunks.txt")
    listener.presses("Enter", "hunks.txt")
    listener.presses("]", ">@@")
    listener.rests()
    listener.presses("-", "would be written|all hunks are refused")
    listener.clicks_everywhere()
    listener.presses("K", "edit this", r"(?<!% )read (?!on)")
    listener.rests()
    listener.presses("E", "Enter done, read it")
    listener.clicks_everywhere()
    listener.presses("\x05", "Enter done, read it")
    listener.decides("Enter", "EDITED BY YOU")
    listener.clicks_everywhere()
    listener.presses("Left")
    listener.presses("\x06", "Find in what is shown")
    listener.types("folded", "folded")
    listener.presses("Enter", "rows? folded")
    listener.presses("Escape", "n reject")
    listener.clicks_everywhere()
