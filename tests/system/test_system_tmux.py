"""The main job in a real terminal: three agents ask, a person reads and decides, and what was shown happens."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from person_bench import NOTHING_WAITS, Person
from rich.cells import cell_len
from tmux_bench import Tmux

from signoff import ApprovalRequest
from signoff.connection import connect_agent
from signoff.demo.agents import ROLES, AgentReport, read_report
from signoff.demo.project import create_project, saved_files, shop_files
from signoff.queue import DecisionSource, HistoryRecord, RequestState, ReviewQueue, open_review_queue
from system_bench import (
    PATIENCE,
    SCREEN,
    all_records,
    demo_agent,
    environment,
    eventually,
    post,
    running,
    shown_files,
    tree,
)

pytestmark = pytest.mark.system

TESTS = "python3 -m unittest discover -s tests"
ADVICE = "keep build and dist until the release is out"
RENAME = "call it shop.py, please"


@dataclass(frozen=True)
class Shop:
    """A project in which agents of the demo work, and the queue they ask in."""

    folder: Path
    place: Path
    variables: dict[str, str]

    @contextmanager
    def agents(self, *roles: str) -> Iterator[Callable[[], None]]:
        """Run agents; what is given waits until they have ended, with success."""
        with ExitStack() as stack:
            started = [
                stack.enter_context(running(demo_agent(role, self.folder), self.variables, self.folder))
                for role in roles
            ]

            def end() -> None:
                for agent in started:
                    said, _ = agent.communicate(timeout=PATIENCE)
                    assert agent.returncode == 0, said

            yield end

    def screen(self, *, columns: int = 120, rows: int = 40) -> Tmux:
        return Tmux(SCREEN, self.variables, self.folder, columns=columns, rows=rows)

    def report(self, role: str) -> AgentReport:
        report = read_report(self.folder, role)
        assert report is not None
        return report


@dataclass(frozen=True)
class Story:
    """What is left when the person has left and the agents have ended."""

    shop: Shop
    queue: ReviewQueue
    before: dict[str, str]
    history: Sequence[HistoryRecord]
    pages: Sequence[str]
    small_screen: str = ""

    def written(self) -> dict[Path, bytes]:
        """What the approved requests showed that files would become."""
        written: dict[Path, bytes] = {}
        for record in self.history:
            if record.state is RequestState.APPROVED and record.request_id is not None:
                request = self.queue.get(record.request_id, record.revision)
                if request.submission.snapshot is not None:
                    written |= shown_files(self.queue, request)
        return written

    def changed(self) -> set[str]:
        """Files of the project that are not as they were, without the agents' reports and compiled modules."""
        now = tree(self.shop.folder)
        names = {name for name in self.before | now if self.before.get(name) != now.get(name)}
        return {name for name in names if not name.startswith(".demo/") and "__pycache__" not in name}


def open_shop(base: Path) -> Shop:
    (base / "home" / "tmp").mkdir(parents=True)
    place = base / "queue"
    create_project(base / "shop")
    variables = environment(base / "home", SIGNOFF_QUEUE=str(place))
    return Shop((base / "shop").resolve(), place, variables)


def look_at_a_small_screen(shop: Shop) -> str:
    with shop.screen(columns=80, rows=24) as tmux:
        person = Person(tmux)
        person.sees("12 waiting")
        eventually(lambda: person.is_armed, "keys that work")
        screen = tmux.text()
        person.quits()
        eventually(lambda: tmux.ended, "the screen was left")
    return screen


def decide_about_everything(person: Person) -> None:
    person.sees("12 waiting")
    person.remembers(TESTS)
    person.goes_to("README.md")
    person.reads(until="10/10")
    person.goes_to("README.md")
    person.sees(r"Y approve 10\b")
    person.approves_group("README.md")
    person.approves("Create a ticket in SHOP")
    person.approves("ls -R src")
    person.approves("/v1/releases")
    person.approves("grep -rn TODO src")
    person.approves("/v1/announcements")
    person.rejects("rm -rf build dist", ADVICE)
    person.approves("ls -R src")
    person.sees(NOTHING_WAITS)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Three agents, and a person who approves a group, remembers one call and rejects another."""
    shop = open_shop(tmp_path_factory.mktemp("story"))
    before = tree(shop.folder)
    with shop.agents(*ROLES) as end, open_review_queue(shop.place) as queue:
        eventually(lambda: len(queue.pending()) == 12, "twelve requests")
        small_screen = look_at_a_small_screen(shop)
        with shop.screen() as tmux:
            person = Person(tmux)
            decide_about_everything(person)
            end()
            person.press("q")
            eventually(lambda: tmux.ended, "the screen was left")
        yield Story(shop, queue, before, all_records(queue), person.pages, small_screen)


@pytest.fixture(scope="module")
def picky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """One agent, and a person who rejects one file of its group and approves the rest."""
    shop = open_shop(tmp_path_factory.mktemp("picky"))
    before = tree(shop.folder)
    with shop.agents("refactor") as end, open_review_queue(shop.place) as queue, shop.screen() as tmux:
        person = Person(tmux)
        person.sees("10 waiting")
        person.goes_to("README.md")
        person.reads(until="10/10")
        person.rejects("src/app/cli.py", RENAME)
        person.goes_to("README.md")
        person.sees(r"Y approve 9\b")
        person.approves_group("README.md")
        end()
        yield Story(shop, queue, before, all_records(queue), person.pages)


def test_exactly_the_shown_content_was_written(story: Story) -> None:
    written = story.written()
    assert {str(path.relative_to(story.shop.folder)) for path in written} == set(saved_files())
    assert {path: path.read_bytes() for path in written} == written


def test_nothing_else_changed_in_the_project(story: Story) -> None:
    assert story.changed() == {*saved_files(), "outbox.jsonl"}


def test_what_was_written_had_been_on_the_screen(story: Story) -> None:
    new = {path: text for path, text in saved_files().items() if path not in shop_files()}
    screen = "\n".join([story.small_screen, *story.pages])
    # Longer lines are wrapped in the pane beside the list.
    lines = [line.strip() for text in new.values() for line in text.splitlines() if len(line) < 50]
    assert [line for line in lines if line not in screen] == []


def test_approved_calls_ran_as_approved(story: Story) -> None:
    sent = [json.loads(line) for line in (story.shop.folder / "outbox.jsonl").read_text().splitlines()]
    arguments = [dict(record.arguments) for record in story.history if record.agent_name == "release"]
    assert [call["body"] for call in arguments if "body" in call] == [
        call["body"] for call in sent if "body" in call
    ]
    assert [record.outcome for record in story.shop.report("release").calls] == ["ran"] * 3


def test_the_rejected_agent_received_the_note(story: Story) -> None:
    refused = [call for call in story.shop.report("runner").calls if call.outcome == "refused"]
    assert [(call.subject, call.told) for call in refused] == [("rm -rf build dist", f"Approval denied: {ADVICE}")]


def test_a_remembered_call_did_not_ask_again(story: Story) -> None:
    tests = [record for record in story.history if record.arguments.get("command") == TESTS]
    assert [(record.request_id is None, record.decision.source) for record in tests if record.decision] == [
        (False, DecisionSource.REVIEWER),
        (True, DecisionSource.GRANT),
    ]
    assert [call.outcome for call in story.shop.report("runner").calls if call.subject == TESTS] == ["ran", "ran"]


def test_a_call_approved_once_asked_again(story: Story) -> None:
    listings = [record for record in story.history if record.arguments.get("command") == "ls -R src"]
    assert [record.request_id is not None for record in listings] == [True, True]


def test_every_decision_is_in_the_history_with_who_and_how(story: Story) -> None:
    anna = pwd.getpwuid(os.getuid()).pw_name
    by_person = [record.decision for record in story.history if record.request_id is not None]
    assert len(by_person) == len(story.history) - 1 == 18
    assert {
        (decision.source, decision.by, decision.shown, decision.deliberate) for decision in by_person if decision
    } == {(DecisionSource.REVIEWER, anna, 1.0, False)}
    (grant,) = story.queue.grants()
    (answered,) = [record.decision for record in story.history if record.request_id is None]
    assert answered is not None
    assert (answered.by, grant.created_by, grant.uses) == (grant.id, anna, 1)


def test_the_history_is_whole(story: Story) -> None:
    assert story.queue.verify() is None


def test_a_small_screen_shows_what_waits(story: Story) -> None:
    lines = story.small_screen.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert [
        word for word in ("12 waiting", "3 agents", "save project", "reject") if word not in story.small_screen
    ] == []


def test_a_file_rejected_before_its_group_was_approved_is_unchanged(picky: Story) -> None:
    assert "src/app/cli.py" not in picky.changed()
    assert (picky.shop.folder / "src/app/cli.py").read_text() == shop_files()["src/app/cli.py"]


def test_the_rest_of_the_group_was_written_as_shown(picky: Story) -> None:
    written = picky.written()
    assert {path: path.read_bytes() for path in written} == written
    assert picky.changed() == set(saved_files()) - {"src/app/cli.py"}


def test_the_agent_was_told_which_file_and_why(picky: Story) -> None:
    calls = picky.shop.report("refactor").calls
    refused = [(call.tool, call.subject, call.told) for call in calls if call.outcome != "ran"]
    assert refused == [("edit_file", "src/app/cli.py", f"Approval denied: {RENAME}")]


HOSTILE_WIDTHS = "👋🏽" * 10 + "हिन्दी" + "⚠\ufe0f" * 8
"""Each of these has another width in tmux than the table of Rich says."""


def test_no_text_of_an_agent_moves_what_stands_beside_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    variables = environment(home, SIGNOFF_QUEUE=str(home / "queue"))
    with connect_agent(HOSTILE_WIDTHS, session="s", place=home / "queue", cwd=str(home)) as agent:
        payload = {"mood": f"{HOSTILE_WIDTHS}'; evil()"}
        post(agent, ApprovalRequest(tool_name="mood", description=HOSTILE_WIDTHS, payload=payload))
        with Tmux(SCREEN, variables, home) as tmux:
            person = Person(tmux)
            person.sees("evil()")
            rows = tmux.text().split("\n")
            borders = {cell_len(row.partition("│")[0]) for row in rows if "│" in row}
            assert len(borders) == 1
            assert max(map(cell_len, rows)) <= tmux.size[0]
