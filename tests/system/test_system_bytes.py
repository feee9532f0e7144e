"""Nothing that an agent wrote acts on the terminal: told from every byte that the screen writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hostile_scene import HostileScene
from hostile_texts import Hostile, hostile_texts
from person_bench import Person
from pty_bench import Terminal
from written_bench import Listener, Written

from system_bench import SCREEN, environment

pytestmark = pytest.mark.system

TEXTS = hostile_texts()

NOT_WHOLE = {"help", "taken back", "text box", "details"}
"""Where not every text stands in full on one line: nothing or two names only, what was pasted without what it hid,
and what is folded within a sign."""

SPOKEN = {"m", "H"}
"""What a screen says besides text once it has started: colors and places."""

Stages = dict[str, Written]


@contextmanager
def screen(scene: HostileScene, columns: int, rows: int) -> Iterator[Listener]:
    """A screen on the queue of the scene."""
    variables = environment(scene.folder, SIGNOFF_QUEUE=str(scene.place))
    with Terminal(SCREEN, variables, scene.folder, columns=columns, rows=rows) as terminal:
        listener = Listener(terminal)
        listener.begins("start")
        listener.hears(f"{len(scene.waiting)} waiting")
        yield listener


def looks_at_each_request(scene: HostileScene) -> Stages:
    """On a small screen: every request by itself."""
    with screen(scene, 80, 24) as listener:
        listener.begins("request")
        listener.presses("j", f"TARGET .*{TEXTS[0].mark}")
        listener.presses("Enter", TEXTS[0].end)
        for text in TEXTS[1:]:
            listener.presses("J", f"TARGET .*{text.mark}", text.end)
            listener.begins("details")
            listener.presses("i", "signoff +details of", f"asked by +{text.mark}")
            listener.begins("request")
            listener.presses("Escape", "TARGET", text.end)
    return listener.stages


def looks_at_memory(scene: HostileScene) -> Stages:
    """On a very high screen: what is remembered of every text, and the details of the first ones."""
    scene.remembers()
    with screen(scene, 100, 420) as listener:
        listener.begins("memory")
        listener.presses("4", "#1 +remembered")
        listener.sees_all(TEXTS)
        for number in range(2, 10):
            listener.presses("j", f"#{number} +remembered")
    return listener.stages


def looks_at_agents(scene: HostileScene) -> Stages:
    """On a very high screen: every agent of the scene, and the details of the first ones."""
    with screen(scene, 100, 420) as listener:
        listener.begins("agents")
        listener.presses("2", "signoff +Agents", f"session +{TEXTS[0].mark}")
        listener.sees_all(TEXTS)
        for text in TEXTS[1:8]:
            listener.presses("j", f"session +{text.mark}")
    return listener.stages


def looks_at_list(scene: HostileScene) -> Stages:
    """On a large screen: the list with every request beside it, help, and what ends while it is looked at."""
    with screen(scene, 100, 30) as listener:
        listener.begins("inbox")
        listener.presses("j", f"TARGET .*{TEXTS[0].mark}", TEXTS[0].end)
        for text in TEXTS[1:]:
            listener.presses("J", f"TARGET .*{text.mark}", text.end)
        listener.begins("help")
        listener.presses("?", "any key not listed", "Esc. back")
        listener.presses("Escape", "TARGET")
        scene.ends()
        listener.presses("G", "TARGET .*everything")
    return listener.stages


def looks_at_history(scene: HostileScene) -> Stages:
    """On a very high screen: all that ended, and the records of the sorts of trouble."""
    with screen(scene, 100, 420) as listener:
        listener.begins("history")
        listener.presses("h", "signoff +History", said(TEXTS[-1]))
        listener.sees_all(TEXTS)
        for text in reversed(TEXTS[-8:-1]):
            listener.presses("j", said(text))
    return listener.stages


def said(text: Hostile) -> str:
    """What stands in the record of a request that ended: whose it was."""
    return f"agent +{text.mark}"


def looks_at_sheets(scene: HostileScene) -> Stages:
    """On a very high screen: what has a row for each of many requests, arguments or files."""
    with screen(scene, 99, 420) as listener:
        listener.begins("documents")
        listener.presses("G", "TARGET .*everything")
        listener.presses("Enter", "rows? below")
        while " end " not in listener.presses("Space", "rows? below| end "):
            pass
        listener.begins("remember sheet")
        listener.presses("K", "TARGET .*remember all", "all shown")
        listener.decides("s", "Remember for this session")
        listener.sees_all(TEXTS)
        listener.presses("Escape", r"\[n\] reject")
        listener.begins("group")
        listener.presses("Escape", "signoff +Inbox")
        listener.presses("K", f"TARGET .*{TEXTS[-1].mark}")
        listener.presses("Left", "TARGET group all")
        listener.presses("Enter", "signoff +Group")
        listener.sees_all(TEXTS)
        listener.begins("group bar")
        listener.decides("Y", "nothing approved")
        listener.sees_all(TEXTS)
        listener.presses("Escape", r"\[n\] reject")
        listener.begins("stop sheet")
        listener.decides("X", "STOP: reject all")
        listener.sees_all(TEXTS)
        listener.presses("Escape", r"\[n\] reject")
    return listener.stages


def looks_at_lines(scene: HostileScene) -> Stages:
    """On a very wide screen: what names many requests in one line, and what was pasted into the text box."""
    with screen(scene, 5_200, 12) as listener:
        listener.begins("stop with a message")
        listener.presses("G", "TARGET .*everything")
        listener.presses("K", "TARGET .*remember all")
        listener.presses("K", f"TARGET .*{TEXTS[-1].mark}")
        listener.decides("x", "also rejected")
        listener.sees_all(TEXTS)
        listener.begins("text box")
        pasted = " ".join(text.name for text in TEXTS).replace("\x1b", "").encode(errors="ignore").decode()
        listener.types(f"\x1b[200~{pasted}\x1b[201~", TEXTS[-1].mark)
        listener.presses("Escape", r"\[n\] reject")
        listener.begins("held")
        listener.decides("N", "what to do instead|Tell it")
        listener.decides("Enter", "held: ")
        listener.sees_all(TEXTS)
        listener.begins("taken back")
        listener.presses("U", "taken back|nothing is held")
    return listener.stages


LOOKS: tuple[Callable[[HostileScene], Stages], ...] = (
    looks_at_each_request,
    looks_at_list,
    looks_at_history,
    looks_at_sheets,
    looks_at_lines,
    looks_at_memory,
    looks_at_agents,
)
SURFACES = (
    "request",
    "documents",
    "remember sheet",
    "group",
    "group bar",
    "stop sheet",
    "stop with a message",
    "text box",
    "held",
    "taken back",
    "inbox",
    "help",
    "history",
    "details",
    "memory",
    "agents",
)
EVERY_SURFACE = pytest.mark.parametrize("surface", SURFACES)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """What was written on each surface, of every hostile text."""
    stages: Stages = {}
    with HostileScene(tmp_path_factory.mktemp("hostile"), TEXTS) as scene:
        for look in LOOKS:
            stages |= look(scene)
    return stages


@EVERY_SURFACE
def test_no_hostile_text_sends_a_control_sequence(written: Stages, surface: str) -> None:
    assert written[surface].sequences <= SPOKEN


@EVERY_SURFACE
def test_no_hostile_text_sends_a_character_that_cannot_be_seen(written: Stages, surface: str) -> None:
    assert written[surface].unprintable == set()


@pytest.mark.parametrize("surface", [surface for surface in SURFACES if surface not in NOT_WHOLE])
def test_every_hostile_text_is_there_and_shows_what_it_hides(written: Stages, surface: str) -> None:
    assert written[surface].unseen(TEXTS) == set()


def test_no_click_on_any_cell_of_any_screen_does_more_than_move(tmp_path: Path) -> None:
    with HostileScene(tmp_path, TEXTS[-8:]) as scene:
        with screen(scene, 64, 13) as listener:
            clicks_on_lists(listener)
            clicks_on_sheets(listener)
        with screen(scene, 100, 12) as listener:
            listener.presses("J", "TARGET .*q")
            listener.clicks_everywhere()
            listener.presses("h", "signoff +History")
        assert scene.still_waiting() == [True] * len(scene.waiting)


def clicks_on_lists(listener: Listener) -> None:
    """On the list, help, history, and the question before leaving. Each is left by the one key that leaves it."""
    listener.clicks_everywhere()
    for key, words in (("?", "signoff +keys"), ("2", "signoff +Agents"), ("4", "signoff +Session memory")):
        listener.presses(key, words)
        listener.clicks_everywhere()
        listener.presses("Escape", "TARGET")
    listener.presses("h", "signoff +History")
    listener.clicks_everywhere()
    listener.presses("Escape", "TARGET")
    listener.presses("q", r"\[y\] quit")
    listener.clicks_everywhere()
    listener.presses("Escape", "approve")


def clicks_on_sheets(listener: Listener) -> None:
    """On a group, a request, and what lies over its action bar: Esc leaves that, and not the request."""
    listener.presses("G", r"TARGET .*1 of \d+: ")
    listener.presses("K", "TARGET .*remember all")
    listener.presses("Enter", "signoff +Request")
    Person(listener.terminal).reads("shown 100%")
    listener.clicks_everywhere()
    for key, words in (
        ("s", "Remember for this session"),
        ("n", "what to do instead"),
        ("x", "STOP"),
        ("X", "STOP: reject all"),
    ):
        listener.decides(key, words)
        listener.clicks_everywhere()
        assert "Inbox" not in listener.presses("Escape", r"\[y\] approve"), words
    listener.presses("K", "TARGET .*q")
    listener.presses("Escape", "signoff +Group")
    listener.clicks_everywhere()
    listener.presses("Enter", "signoff +Request")
