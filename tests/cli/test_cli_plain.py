"""`signoff --plain`: the queue line by line, with the care of the screen."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

import pytest
from cli_bench import HOSTILE, Cli, agent_on, at_a_terminal, call, command, exit_status, high, post, write
from hypothesis import given
from hypothesis import strategies as st

from signoff import ApprovalRequest
from signoff.cli.plain.commands import CommandError, TypedCommand, parse
from signoff.cli.plain.session import Output, PlainSession, PlainSettings
from signoff.queue import AgentMode, AgentQueue, Decision, QueueGoneError, RequestState, ReviewQueue, StoredRequest
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder
from signoff.queue.keys.identity import load_or_make
from signoff.queue.records import Change, ChangeSet
from signoff.queue.wording import agent_is_gone
from signoff.submission import plain_submission

SECOND = 1_000_000


@dataclass
class Talk:
    """A desk whose clock is moved by hand."""

    queue: ReviewQueue
    plain_settings: PlainSettings = field(default_factory=PlainSettings)
    seconds: float = 0.0
    cursor: int = 0
    width: int | None = None

    def __post_init__(self) -> None:
        self.desk = PlainSession(self.queue, self.plain_settings, lambda: self.seconds, lambda: 0, self.width)

    def news(self) -> str:
        changes = self.queue.changes(self.cursor)
        self.cursor = changes.cursor
        return self.desk.news(changes)

    def answer(self, line: str) -> Output:
        """Type a line when what was printed could be read."""
        self.seconds += 1.0
        return self.desk.line(line)

    def says(self, line: str) -> str:
        return self.answer(line).text

    def later(self) -> str:
        """What is printed when all that is held was sent."""
        self.seconds += self.plain_settings.hold
        return self.desk.due()


@pytest.fixture
def reviewing(cli: Cli, agent: AgentQueue) -> Iterator[ReviewQueue]:
    with cli.review() as queue:
        yield queue


@pytest.fixture
def talk(reviewing: ReviewQueue) -> Talk:
    return Talk(reviewing)


def states(talk: Talk, *requests: StoredRequest) -> list[RequestState]:
    return [talk.queue.get(request.id).state for request in requests]


def amend(agent: AgentQueue, request: StoredRequest, other: ApprovalRequest) -> None:
    agent.amend(request.id, plain_submission(other, None, cwd=agent.agent.cwd))


def test_what_was_read_is_approved_by_its_number(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("pytest -q", cli.folder))
    assert talk.news() == "new: 1. low command, refactor, shell: pytest -q\n"
    shown = talk.answer("show 1")
    assert "$ pytest -q" in shown.text
    assert shown.drop_typed
    assert talk.says("y 1").startswith("approve 1, sent in 3 s; u takes it back\n  1. low command")
    assert states(talk, request) == [RequestState.PENDING]
    assert talk.later() == "1: approved\n"
    decision = talk.queue.get(request.id).decision
    assert decision is not None
    assert (decision.approved, decision.shown, decision.deliberate, decision.remember) == (True, 1.0, False, False)
    assert decision.held_us >= SECOND
    assert talk.news() == ""


def test_what_was_not_shown_is_shown_and_not_approved(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    post(agent, command("pytest -q", cli.folder))
    talk.news()
    answer = talk.answer("y 1")
    assert "$ pytest -q" in answer.text
    assert answer.text.endswith("NOT approved: 1 had not been shown. y 1 approves it now.\n")
    assert answer.drop_typed
    assert talk.desk.next_due() is None
    assert "sent in" in talk.says("y 1")


def test_a_decision_typed_before_the_text_could_be_read_is_not_taken(
    talk: Talk, agent: AgentQueue, cli: Cli
) -> None:
    post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("show 1")
    assert "too early" in talk.desk.line("y 1").text
    assert talk.desk.next_due() is None


def test_what_changed_since_it_was_shown_is_shown_anew(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("show 1")
    amend(agent, request, command("ls -la", cli.folder))
    assert talk.news() == "changed: 1 was changed, it is revision 2 now: show 1\n"
    assert talk.says("y 1").endswith("NOT approved: 1 was changed since it was shown. y 1 approves it now.\n")


def test_a_change_that_is_not_known_yet_is_not_approved_either(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("show 1")
    amend(agent, request, command("ls -la", cli.folder))
    talk.says("y 1")
    assert "1 NOT decided: " in talk.later()
    assert states(talk, request) == [RequestState.PENDING]


def test_what_is_held_can_be_taken_back(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("n 1 not now")
    assert "1 is decided and held" in talk.says("y 1")
    assert talk.says("u") == "taken back: reject 1\n"
    assert talk.later() == ""
    assert states(talk, request) == [RequestState.PENDING]
    assert "too late: what was decided is sent already" in talk.says("u")


def test_who_leaves_has_decided_no_more_than_was_sent(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("n 1 no")
    assert not talk.answer("quit").quit
    assert talk.desk.leave() == "taken back: reject 1\n"
    assert talk.answer("quit").quit
    assert states(talk, request) == [RequestState.PENDING]


def test_no_is_told_with_its_words_and_needs_no_reading(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("n 1 keep the old name until v2")
    talk.later()
    decision = talk.queue.get(request.id).decision
    assert decision is not None
    assert (decision.approved, decision.hard, decision.note) == (False, False, "keep the old name until v2")


def test_x_stops_the_batch(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    request = post(agent, command("ls", cli.folder))
    talk.news()
    assert "sent in 3 s" in talk.says("x 1 stop")
    talk.later()
    decision = talk.queue.get(request.id).decision
    assert decision is not None
    assert (decision.hard, decision.note) == (True, "stop")


def test_what_a_held_stop_rejects_too_is_not_approved_meanwhile(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    for at, text in enumerate(("ls", "pwd")):
        submission = plain_submission(command(text, cli.folder), None, cwd=agent.agent.cwd)
        agent.submit(replace(submission, batch_id="b", batch_position=at))
    talk.news()
    talk.says("show 2")
    talk.says("x 1")
    assert talk.says("y 2") == "a stop that is held rejects 2 too; u takes that back\n"
    talk.says("u")
    assert "approve 2, sent in" in talk.says("y 2")


def test_several_are_approved_by_their_numbers_but_never_high_ones(
    talk: Talk, agent: AgentQueue, cli: Cli
) -> None:
    requests = [post(agent, command(text, cli.folder)) for text in ("ls", "pwd")]
    requests.append(post(agent, high(cli.folder)))
    talk.news()
    for number in (1, 2, 3):
        talk.says(f"show {number}")
    assert "3 is HIGH: nothing was decided" in talk.says("y 1 2 3")
    assert "approve 1, 2, sent in 3 s" in talk.says("y 1 2")
    talk.later()
    assert states(talk, *requests) == [RequestState.APPROVED, RequestState.APPROVED, RequestState.PENDING]
    assert "sent in 3 s" in talk.says("y 3")


def test_a_group_is_approved_when_all_of_it_was_shown(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    requests = [post(agent, command(text, cli.folder, group_id="tidy")) for text in ("ls", "pwd")]
    talk.news()
    talk.says("show 1")
    told = talk.says("group 1 y")
    assert told == "nothing was decided: the group has 2 (not shown in full). The others: y 1\n"
    assert talk.answer("group 1 show").drop_typed
    assert "approve 1, 2" in talk.says("group 1 y")
    talk.later()
    assert set(states(talk, *requests)) == {RequestState.APPROVED}
    assert "nothing of a group 1 waits" in talk.says("group 1")


def test_a_high_member_keeps_a_group_from_being_approved_at_once(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    post(agent, command("ls", cli.folder, group_id="tidy"))
    post(agent, command("rm -rf build", cli.folder, group_id="tidy"))
    talk.news()
    talk.says("group 1 show")
    assert talk.says("group 1 y") == ("nothing was decided: the group has 2 (HIGH: alone). The others: y 1\n")


def test_remembering_says_first_what_it_covers(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    post(agent, command("pytest -q", cli.folder))
    talk.news()
    assert "was not shown in full" in talk.says("s 1")
    talk.says("show 1")
    told = talk.says("s 1")
    assert told.startswith("would also approve every later call of shell in session s-1 with exactly")
    assert told.endswith("nothing was decided; s 1 does it\n")
    assert "approve for the session 1" in talk.says("s 1")
    talk.later()
    (grant,) = talk.queue.grants()
    assert grant.tool_name == "shell"
    assert "command" in talk.says("allowed")
    assert talk.says("revoke 1") == "1 revoked: the next such call asks again\n"
    assert talk.queue.grants() == ()


def test_a_wide_approval_wants_the_word(talk: Talk, agent: AgentQueue) -> None:
    post(agent, call(payload={}, arguments={"path": "a"}))
    talk.news()
    talk.says("show 1")
    for _ in range(2):
        assert talk.says("s 1").endswith("nothing was decided; s 1 wide does it\n")
    assert "approve for the session 1" in talk.says("s 1 wide")


def test_high_risk_is_never_remembered(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    post(agent, high(cli.folder))
    talk.news()
    talk.says("show 1")
    assert "never remembered" in talk.says("s 1")


def test_what_cannot_be_shown_in_full_wants_a_sign_of_its_own(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    (cli.folder / "logo").write_bytes(bytes(range(256)))
    request = post(agent, write(cli.folder / "logo", bytes(range(255, -1, -1)) * 300))
    talk.news()
    talk.says("show 1")
    assert "! 1 approves it" in talk.says("y 1")
    assert "although not all was shown" in talk.says("! 1")
    talk.later()
    decision = talk.queue.get(request.id).decision
    assert decision is not None
    assert (decision.deliberate, decision.shown) == (True, None)


def test_read_only_decides_nothing(reviewing: ReviewQueue, agent: AgentQueue, cli: Cli) -> None:
    talk = Talk(reviewing, PlainSettings(read_only=True))
    post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("show 1")
    for line in ("y 1", "n 1 no", "x 1", "s 1", "! 1", "u", "revoke 1", "group 1 n"):
        talk.says(line)
        assert talk.desk.next_due() is None
    assert "read-only" in talk.says("y 1")


def test_an_agent_that_asks_nobody_is_told_of_at_once_and_in_the_list(talk: Talk, agent: AgentQueue) -> None:
    assert "MODE" not in talk.news()
    agent.announce_mode(AgentMode.APPROVE_ALL)
    told = f"MODE approve_all: everything is approved without you: {agent.agent.name}\n"
    assert talk.news() == told
    assert talk.news() == ""
    assert talk.says("list").startswith(told)
    agent.announce_mode(AgentMode.INTERACTIVE)
    assert talk.news() == "MODE interactive: every agent asks you again\n"
    assert "MODE" not in talk.says("list")


def test_an_agent_that_does_not_trust_the_key_is_told_of_at_once_and_in_the_list(
    talk: Talk, agent: AgentQueue, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_agent, own = (KeysFolder(cli.folder / name) for name in ("of the agent", "own"))
    for folder in (of_agent, own):
        load_or_make(folder)
    monkeypatch.setenv(KEYS_VARIABLE, str(of_agent.directory))
    post(agent, command("ls", cli.folder))
    monkeypatch.setenv(KEYS_VARIABLE, str(own.directory))
    told = f"KEY NOT TRUSTED: {agent.agent.name} did not trust your key when asking: "
    assert told in talk.news()
    assert told not in talk.news()
    assert talk.says("list").startswith(told)


def test_numbers_stay_with_their_requests(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    first = post(agent, command("ls", cli.folder))
    talk.news()
    agent.withdraw(first.id, "not needed")
    assert talk.news().startswith("ended: 1 withdrawn: not needed")
    post(agent, command("pwd", cli.folder))
    assert talk.news().startswith("new: 2. ")
    assert talk.says("y 1") == "1 has ended, withdrawn: not needed; nothing was decided\n"
    assert "there is no 3" in talk.says("y 3")


def test_what_ends_with_its_agent_is_one_line(talk: Talk, cli: Cli) -> None:
    with agent_on(cli, "docs") as other, agent_on(cli, "gone", "s-2") as agent:
        post(other, command("ls", cli.folder))
        requests = [post(agent, command(f"ls {number}", cli.folder)) for number in range(3)]
        talk.news()
        ended = [
            Change(replace(request, state=RequestState.WITHDRAWN, state_note=agent_is_gone(request.asked_by.pid)))
            for request in requests
        ]
        told = talk.desk.news(ChangeSet(tuple(ended), talk.cursor))
        assert told == "ended: gone exited; 3 requests withdrawn: 2, 3, 4\n"


def test_many_arrivals_are_one_line(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    for number in range(12):
        post(agent, command(f"ls {number}", cli.folder))
    assert talk.news() == "new: 12 requests, 1 to 12; list names them\n"
    assert talk.says("list").splitlines()[0] == "12 waiting"


def test_the_history_takes_filters(talk: Talk, agent: AgentQueue, cli: Cli) -> None:
    post(agent, command("ls", cli.folder))
    talk.news()
    talk.says("n 1 no")
    talk.later()
    assert "rejected" in talk.says("history by:anna")
    assert talk.says("history by:bert") == "no such record in the history\n"
    assert "no filter" in talk.says("history risk:")


def test_text_of_agents_cannot_act_on_the_terminal(talk: Talk, cli: Cli) -> None:
    with agent_on(cli, name=HOSTILE[:60]) as hostile:
        post(hostile, call(HOSTILE, HOSTILE, payload={HOSTILE: HOSTILE}, group_id=HOSTILE))
        said = [talk.news()]
        said += [talk.says(line) for line in ("list", "show 1", "group 1", "s 1", "s 1", "y 1", "u", "n 1 x")]
        said.append(talk.later())
        said += [talk.news(), talk.says("history"), talk.says("allowed")]
    for line in "".join(said).split("\n"):
        assert line.isprintable(), line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("yes", "there is no such command"),
        ("shwo 1", "did you mean show"),
        ("y", "y needs a number"),
        ("y one", "y needs a number"),
        ("y 1 please", "takes numbers only"),
        ("list all", "takes nothing only"),
        ("! 1 2", "takes numbers only"),
        ("\N{ARABIC-INDIC DIGIT ONE} 1", "no such command"),
        ("y \N{ARABIC-INDIC DIGIT ONE}", "needs a number"),
    ],
)
def test_a_line_that_is_no_command_does_nothing(line: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        parse(line)


@given(st.text(max_size=60))
def test_only_a_verb_and_ascii_digits_decide(line: str) -> None:
    try:
        command = parse(line)
    except CommandError:
        return
    if command is not None and command.verb in {"y", "!", "s", "n", "x"}:
        assert line.split(maxsplit=1)[0] == command.verb
        assert all(str(number) in line for number in command.numbers)


def test_names_of_verbs_are_short_or_whole() -> None:
    assert parse("  q ") == TypedCommand("quit")
    assert parse("n 3   keep  it ") == TypedCommand("n", (3,), "keep  it")
    assert parse("") is None


# -- at a terminal -----------------------------------------------------------------------------------------


def test_at_a_terminal_a_person_reads_and_decides(cli: Cli, agent: AgentQueue) -> None:
    terminal = at_a_terminal(cli, "--plain")
    terminal.expect("line by line")
    request = post(agent, command("pytest -q", cli.folder))
    terminal.expect(r"new: 1\. low command")
    # Typed ahead of the text: dropped.
    terminal.send("y 1\ny 1\ny 1\n")
    terminal.expect("NOT approved: 1 had not been shown")
    terminal.sendline("n 1 not today")
    while terminal.expect(["reject 1, sent in", "too early"]):
        terminal.sendline("n 1 not today")
    terminal.expect("1: ")
    terminal.sendline("quit")
    assert exit_status(terminal) == 0
    with cli.review() as review:
        assert review.get(request.id).state is RequestState.REJECTED


def test_a_dumb_terminal_gets_lines(cli: Cli, agent: AgentQueue) -> None:
    terminal = at_a_terminal(cli, TERM="dumb")
    terminal.expect("line by line")
    terminal.sendeof()
    assert exit_status(terminal) == 0


def test_lines_need_no_screen_library() -> None:
    code = (
        "import sys, signoff.cli.plain, signoff_tui.settings;"
        "sys.exit(','.join(sorted({'textual', 'rich'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_no_name_begins_a_row_of_a_narrow_terminal(reviewing: ReviewQueue, cli: Cli) -> None:
    talk, name = Talk(reviewing, width=40), "z" * 90
    with agent_on(cli, name=name) as agent:
        post(agent, call(name, name, payload={name: name}, group_id=name))
        said = [talk.news()]
        said += [talk.says(line) for line in ("list", "group 1", "show 1", "s 1", "s 1 wide", "u", "n 1", "u")]
    for told in said:
        assert not [row for row in told.splitlines() if row.startswith("z")], told
    assert sum("zzz" in told for told in said) == 7


def test_a_removed_queue_is_said_to_be_gone_and_the_next_one_is_opened(cli: Cli) -> None:
    with agent_on(cli) as agent:
        request = post(agent, command("pytest -q", cli.folder))
        terminal = at_a_terminal(cli, "--plain")
        terminal.expect("line by line")
        terminal.expect("pytest -q")
        trash = cli.place.with_name("trash")
        cli.place.rename(trash)
        shutil.rmtree(trash)
        terminal.expect("the queue was removed: ")
        terminal.sendline("y 1")
        terminal.expect("there is no queue: nothing was done")
        with pytest.raises(QueueGoneError):
            agent.wait(request.id)
    with agent_on(cli) as other:
        posted = post(other, command("make check", cli.folder))
        terminal.expect("the queue was opened again")
        terminal.sendline("quit")
        assert exit_status(terminal) == 0
        with cli.review() as review:
            assert review.get(posted.id).pending


def test_a_history_that_became_shorter_is_told_at_the_start(cli: Cli, agent: AgentQueue) -> None:
    with cli.review() as review:
        for text in ("ls", "pwd"):
            posted = post(agent, command(text, cli.folder))
            review.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))
        review.recall_history()
    with closing(sqlite3.connect(cli.place / "queue.db")) as file, file:
        file.execute("DROP TRIGGER history_is_kept")
        file.execute("DELETE FROM history WHERE seq = 2")
    terminal = at_a_terminal(cli, "--plain")
    terminal.expect("HISTORY CUT: the history became shorter: you had seen 2 records, 1 are there")
    terminal.sendline("quit")
    assert exit_status(terminal) == 0
