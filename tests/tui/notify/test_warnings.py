"""The first line of every screen warns: an agent asks nobody, or does not believe you; a rule file is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, agent, command, post, screen

from signoff.policy.trust import trust
from signoff.queue import AgentMode, AgentQueue, AgentRecord
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder
from signoff.queue.keys.identity import load_or_make
from signoff.queue.records import Modes, modes_of
from signoff_tui.header import FirstRow, status_line
from signoff_tui.notify.warnings import Alarms, with_alarms
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Line, chunk, fullest

APPROVE_ALL, STRICT, INTERACTIVE = AgentMode
EVIL = "docs\x1b[2J\u202e[b]" + "x" * 90
AGENTS = "signoff Agents 16 waiting 2 HIGH 3 blocked on you"
ALONE = Modes(approving=("docs-bot",), connected=1)
SCREENS = (
    *(("2", "Agents"), ("3", "History"), ("4", "Rules")),
    *(("question_mark", "keys for"), ("escape", "Rules"), ("colon", "what to do")),
)
BOTH = Modes(approving=("docs-bot",), refusing=("crawler",), connected=5)


def record(name: str, mode: AgentMode | None, *, session: str = "s-1") -> AgentRecord:
    return AgentRecord("id", name, session, "/", "library", 1, "ada", 1, None, mode=mode)


def title(width: int) -> Line:
    pieces = [chunk(f" {words} ", keep=True) for words in ("signoff", "Agents", "16 waiting", "2 HIGH")]
    wide = [*pieces, chunk(" 3 blocked on you", keep=True)]
    return fullest([Line(tuple(part)) for part in (wide, wide[1:], wide[3:], wide[3:4])], width)


def review(width: int, modes: tuple[str, ...] = ()) -> Line:
    return status_line("Inbox", FirstRow(Counts(16, 2, 1, 3), modes), 5_000_000, width)


def text(line: Line) -> str:
    return " ".join(piece.text.text.strip() for piece in (*line.left, *line.right))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_where_nothing_is_wrong_the_line_is_as_it_was(width: int) -> None:
    assert with_alarms(title, Alarms(), width) == title(width)


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        (ALONE, "MODE approve_all: everything is approved without you"),
        (Modes((), ("a", "b"), 2), "MODE strict: everything is refused without you"),
        (Modes(("docs-bot",), (), 2), "MODE approve_all: docs-bot is approved without you"),
        (Modes(("a", "b"), (), 5), "MODE approve_all: 2 of 5 agents are approved without you"),
        (BOTH, "MODE approve_all: docs-bot is approved without you, strict: crawler is refused without you"),
    ],
)
def test_a_wide_line_says_what_the_mode_means_and_whose_it_is(modes: Modes, words: str) -> None:
    line = with_alarms(title, Alarms(modes), 200)
    said = next(piece for piece in line.right if "MODE" in piece.text.text)
    assert (said.text.text, said.token) == (f" {words} ", "bar-danger")


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (
            120,
            f"{AGENTS} MODE approve_all: everything is approved without you",
        ),
        (90, f"{AGENTS} MODE approve_all: without you"),
        (76, f"{AGENTS} MODE approve_all"),
        (40, "2 HIGH MODE approve_all"),
    ],
)
def test_a_narrow_line_says_it_in_fewer_words(width: int, words: str) -> None:
    line = with_alarms(title, Alarms(ALONE), width)
    assert text(line) == words
    assert line.width <= width


@pytest.mark.parametrize("alarms", [Alarms(ALONE), Alarms(BOTH, rules_broken=True)], ids=["one", "all"])
@pytest.mark.parametrize("width", range(40, 210, 10))
def test_the_mode_and_high_are_never_dropped(width: int, alarms: Alarms) -> None:
    for make in (
        title,
        review,
        lambda room: review(room, ("READ ONLY",)),
    ):
        line = with_alarms(make, alarms, width)
        assert "MODE approve_all" in text(line)
        assert "2 HIGH" in text(line)
        assert line.width <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_broken_rule_file_is_said_at_any_width(width: int) -> None:
    line = with_alarms(review, Alarms(rules_broken=True), width)
    assert "rules: ERROR" in text(line)
    assert line.width <= width


@pytest.mark.parametrize("width", [50, 80, 120])
def test_an_agent_that_does_not_trust_the_key_is_said_at_any_width(width: int) -> None:
    line = with_alarms(review, Alarms(not_believing=(("docs-bot", "s"),), rules_broken=True), width)
    assert "KEY NOT TRUSTED rules: ERROR" in text(line)
    assert line.width <= width


def test_the_name_of_an_agent_is_cut_and_cannot_draw() -> None:
    line = with_alarms(title, Alarms(Modes((EVIL,), (), 2)), 200)
    assert "MODE approve_all: docs^[[2J" in text(line)
    assert "… is approved without you" in text(line)
    assert not {"\x1b", "\u202e"} & set(text(line))


def test_connections_of_one_agent_count_once_and_by_the_one_that_asks_nobody() -> None:
    records = [
        record("a", INTERACTIVE),
        record("a", APPROVE_ALL),
        record("b", STRICT),
        record("b", None, session="2"),
    ]
    assert modes_of(records) == Modes(("a",), ("b",), 3)


def test_agents_that_ask_or_say_nothing_known_are_no_alarm() -> None:
    assert modes_of([record("a", INTERACTIVE), record("b", None)]) == Modes()


async def test_every_screen_warns_of_an_agent_that_approves_everything(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    with agent(place, "docs-bot", session="s-2", cwd=workdir) as other:
        async with screen(place, size=SMALL, waiting=1) as seen:
            assert "MODE" not in seen.frame[0]
            other.announce_mode(APPROVE_ALL)
            await seen.until(lambda: "MODE approve_all: docs-bot" in seen.frame[0])
            for key, title in SCREENS:
                await seen.press(key)
                await seen.until(lambda t=title: t in seen.frame[0] and "MODE approve_all" in seen.frame[0], title)
            await seen.press("escape", "escape", "2")
            await seen.until(lambda: any("docs-bot" in line and "approve_all" in line for line in seen.frame[2:]))
            other.announce_mode(INTERACTIVE)
            await seen.until(lambda: "MODE" not in seen.frame[0])


async def test_a_reviewer_whose_key_an_agent_does_not_trust_is_told_before_deciding(
    place: Path, tmp_path: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_agent, own = KeysFolder(tmp_path / "of the agent"), KeysFolder(tmp_path / "own")
    load_or_make(of_agent)
    load_or_make(own)
    monkeypatch.setenv(KEYS_VARIABLE, str(of_agent.directory))
    with agent(place, "docs-bot", session="s-2", cwd=workdir) as asking:
        post(asking, command("ls", workdir))
        monkeypatch.setenv(KEYS_VARIABLE, str(own.directory))
        async with screen(place, size=LARGE, waiting=1) as seen:
            await seen.until(lambda: "KEY NOT TRUSTED" in seen.frame[0])
            await seen.shows("docs-bot did not trust your key when asking: what you approve there does not run")
            await seen.press("2")
            await seen.until(lambda: any("docs-bot" in line and "key not trusted" in line for line in seen.frame))
            await seen.shows("it did not trust your key")


async def test_every_screen_says_that_a_rule_file_is_broken_until_it_is_not(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    rules, sound = tmp_path / "signoff.yaml", b"agent: {tools: {}}\n"
    rules.write_bytes(sound)
    trust({str(rules): sound})
    async with screen(place, size=LARGE) as seen:
        await seen.shows("nothing waiting")
        assert "rules:" not in seen.frame[0]
        rules.write_bytes(b"agent: {tols: {}}\n")
        await seen.until(lambda: "rules: ERROR" in seen.frame[0])
        await seen.press("question_mark")
        await seen.until(lambda: "rules: ERROR" in seen.frame[0] and "keys for" in seen.frame[0])
        rules.write_bytes(sound)
        await seen.until(lambda: "rules:" not in seen.frame[0])


async def test_what_is_found_out_while_the_screen_ends_is_told_nobody(tmp_path: Path) -> None:
    async with screen(tmp_path / "queue") as seen:
        await seen.shows("nothing waiting")
        seen.app.review.office.alarms = Alarms(rules_broken=True)
    seen.app.rules_looked_at(changed=False)
    seen.app.announce("all rule files are as you trusted them")
    assert seen.app.review.office.alarms == Alarms()
