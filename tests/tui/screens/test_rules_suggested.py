"""Rules suggested on the rules screen: drawn from one session, shown as a difference, never written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rules_bench import RULES, change, trusted_rules
from screen_bench import LARGE, SMALL, command, post, screen

from signoff.connection import connect_agent
from signoff.policy.trust import changed_files
from signoff.queue import AgentQueue, Decision, ReviewQueue
from signoff_tui.screens.rules.files import RuleFile, read_files
from signoff_tui.screens.rules.suggesting import NothingToSuggestError, Suggested, suggest, suggested_lines
from signoff_tui.terminal.sequences import Copy, Saying

Answers = Callable[..., None]


@pytest.fixture(autouse=True)
def _own_list_of_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def rules(workdir: Path) -> Path:
    return trusted_rules(workdir)


@pytest.fixture
def other_agent(place: Path, workdir: Path) -> Iterator[AgentQueue]:
    with connect_agent("other", session="s-2", place=place, cwd=str(workdir)) as queue:
        yield queue


@pytest.fixture
def answers(asking: AgentQueue, looking: ReviewQueue, workdir: Path) -> Answers:
    """Ask about commands and answer them."""

    def answer(*commands: str, approved: bool = True, agent: AgentQueue = asking, folder: Path = workdir) -> None:
        for text in commands:
            posted = post(agent, command(text, folder))
            looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=approved))

    return answer


def file() -> RuleFile:
    return next(each for each in read_files() if not each.code)


def words(suggested: Suggested, width: int = 100) -> str:
    return "\n".join("".join(piece.text.text for piece in line.left) for line in suggested_lines(suggested, width))


COMMITS = [f"git commit -m {word}" for word in ("one", "two", "three")]
LOGS = [f"git log --oneline {word}" for word in ("a", "b", "c", "d")]


def test_a_rule_is_drawn_from_what_the_file_asks_about_and_shown_as_a_difference(
    rules: Path, answers: Answers, looking: ReviewQueue
) -> None:
    answers(*LOGS)
    found = suggest(looking, file())
    assert [(rule.pattern, rule.approved, rule.unasked) for rule in found.rules] == [("git log --oneline", 4, 4)]
    text = words(found)
    assert "people approved 4 such calls; the file asked 4 times, and would not ask again" in text
    assert '10 +     - pattern: "git log --oneline"' in text
    assert "11 +       approval: false" in text
    assert "- {pattern: rm" in text, "what stands around the new lines"
    assert "each rule also lets through what is known to be harmless behind its words" in text
    assert (rules.read_text("utf-8"), changed_files()) == (RULES, ())


def test_a_rule_that_a_stricter_one_of_the_file_outranks_is_not_suggested(
    rules: Path, answers: Answers, looking: ReviewQueue
) -> None:
    answers(*COMMITS)
    with pytest.raises(NothingToSuggestError, match="nothing to suggest from session"):
        suggest(looking, file())


def test_only_the_session_in_which_was_approved_last_counts_for_a_rule(
    rules: Path, answers: Answers, asking: AgentQueue, looking: ReviewQueue, other_agent: AgentQueue
) -> None:
    answers(*LOGS[:2])
    answers(*LOGS[2:], agent=other_agent)
    with pytest.raises(NothingToSuggestError):
        suggest(looking, file())
    answers(LOGS[0], agent=other_agent)
    assert suggest(looking, file()).rules[0].approved == 3


def test_what_was_refused_in_any_session_counts_against_a_rule(
    rules: Path, answers: Answers, looking: ReviewQueue, other_agent: AgentQueue
) -> None:
    answers("git log --oneline x", approved=False, agent=other_agent)
    answers(*LOGS)
    with pytest.raises(NothingToSuggestError):
        suggest(looking, file())


def test_what_ran_outside_of_the_directory_of_the_file_does_not_count(
    rules: Path, answers: Answers, looking: ReviewQueue, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answers(*LOGS, folder=elsewhere)
    with pytest.raises(NothingToSuggestError, match="in the directory of this file"):
        suggest(looking, file())


@pytest.mark.parametrize(
    ("text", "why"), [("tools: {}\n", "gives no shell"), ("shell: {default: {approval: none}}\n", "nothing to")]
)
def test_a_file_that_has_no_use_for_a_rule_gets_none(
    workdir: Path, answers: Answers, looking: ReviewQueue, text: str, why: str
) -> None:
    trusted_rules(workdir, text)
    answers(*LOGS)
    with pytest.raises(NothingToSuggestError, match=why):
        suggest(looking, file())


def test_a_list_in_brackets_is_told_which_lines_it_would_need(
    workdir: Path, answers: Answers, looking: ReviewQueue
) -> None:
    trusted_rules(workdir, "shell: {rules: [{pattern: rm}]}\n")
    answers(*LOGS)
    found = suggest(looking, file())
    assert found.document is None
    assert '+ - pattern: "git log --oneline"' in words(found)


def test_a_file_that_is_not_as_trusted_gets_no_suggestion(
    rules: Path, answers: Answers, looking: ReviewQueue
) -> None:
    answers(*LOGS)
    change(rules)
    with pytest.raises(NothingToSuggestError, match="as you trusted it"):
        suggest(looking, file())


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_the_screen_shows_the_difference_copies_it_and_saves_nothing(
    place: Path, rules: Path, answers: Answers, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(*LOGS)
    async with screen(place, size=size) as seen:
        said: list[Saying] = []
        monkeypatch.setattr(seen.app, "speak", said.append)
        await seen.press("5")
        await seen.shows("Rules", "A suggest rules")
        await seen.press("c")
        await seen.shows("A suggests rules; then c copies them")
        await seen.press("A")
        await seen.shows("Suggested: 1 rule", "git log --oneline", "c copy the lines", "nothing is saved")
        await seen.press("t", "T", "!", "enter", "y", "c")
        await seen.shows("copied 2 lines")
        assert [each.text for each in said if isinstance(each, Copy)] == [
            '    - pattern: "git log --oneline"\n      approval: false\n'
        ]
        change(rules)
        await seen.press("escape")
        await seen.shows_no("Suggested: 1 rule")
        await seen.press("ctrl+r")
        await seen.shows("1 NOT AS TRUSTED")
        await seen.press("A")
        await seen.shows("rules are suggested only for a file that is as you trusted it")
