from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_bench import PATIENCE, Asking, Cli, Ended, agent_on, seen

from signoff.queue import Decision, HistoryFilter, Instead, QueueError, RequestState, StoredRequest
from system_bench import eventually

CALL = ("--tool", "deploy", "--arg", "to=staging")


def decide(cli: Cli, ident: str, decision: Decision) -> StoredRequest:
    with cli.review() as review:
        request = review.find(ident)
        verdict = review.decide(request.id, request.revision, request.submission.digest, decision)
    assert verdict.accepted, verdict.message
    return request


def ask(cli: Cli, decision: Decision, *words: str) -> Ended:
    """Ask in one process, decide as soon as it waits, and return how it ended."""
    with Asking(cli, *words) as asking:
        decide(cli, asking.posted_id(), decision)
        return asking.end()


def posted(cli: Cli, *words: str, stdin: bytes = b"", **environment: str) -> StoredRequest:
    """What would be posted, found in the history after its short deadline."""
    done = cli.inside("ask", *words, "--expires-in", "0.001", stdin=stdin, **environment)
    assert done.code == 3, done.err
    with cli.review() as review:
        (record, *_) = review.history()
        assert record.request_id is not None
        return review.get(record.request_id)


def state_of(cli: Cli, ident: str) -> RequestState:
    with cli.review() as review:
        return review.find(ident).state


def test_the_server_is_part_of_what_is_asked_and_of_what_is_remembered(cli: Cli) -> None:
    words = (*CALL, "--session", "s-1", "--server")
    with Asking(cli, *words, "staging") as asking:
        ident = asking.posted_id()
        shown = cli.inside("show", ident).out
        listed = cli.inside("list").out
        with cli.review() as review:
            request = review.find(ident)
            exact = (request.id, request.revision, request.submission.digest)
            review.decide(*exact, Decision(approved=True, remember=True))
        assert asking.end().code == 0
    assert request.submission.server == "staging"
    assert "staging/deploy: " in listed
    assert "server     staging" in shown
    assert cli.inside("ask", *words, "staging").code == 0
    assert posted(cli, *words, "production").submission.digest != request.submission.digest
    assert "staging/deploy: " in cli.inside("history").out
    assert '"deploy" of the server "staging"' in cli.inside("grants").out


# -- answers ----------------------------------------------------------------------------------------------


def test_asked_in_one_process_and_approved_in_another_ends_with_0(cli: Cli) -> None:
    with Asking(cli, *CALL) as asking:
        ident = asking.posted_id()
        with cli.review() as review:
            token = seen(cli, review.find(ident))
        assert cli.run("approve", ident, "--seen", token, "--note", "go ahead").code == 0
        done = asking.end()
    assert (done.code, done.out) == (0, "go ahead\n")
    assert "approved by " in done.err


def test_rejected_ends_with_1_and_prints_the_note(cli: Cli) -> None:
    with Asking(cli, *CALL) as asking:
        assert cli.inside("reject", asking.posted_id(), "--note", "not on Friday").code == 0
        done = asking.end()
    assert (done.code, done.out) == (1, "not on Friday\n")
    assert "Approval denied: not on Friday" in done.err


def test_an_answer_without_a_note_prints_nothing_on_standard_output(cli: Cli) -> None:
    assert ask(cli, Decision(approved=True), *CALL).out == ""


def test_json_gives_the_whole_answer(cli: Cli) -> None:
    done = ask(cli, Decision(approved=False, note="caf\u00e9 \x1b", hard=True), *CALL, "--json")
    assert done.code == 1
    assert done.out.isascii()
    answer = done.json
    assert len(answer.pop("id")) == 20
    assert answer == {
        "approved": False,
        "source": "reviewer",
        "by": "anna",
        "note": "caf\u00e9 \x1b",
        "mode": "hard",
        "remember": "none",
    }


def test_a_passed_deadline_ends_with_3_and_is_nobodys_no(cli: Cli) -> None:
    done = cli.run("ask", *CALL, "--expires-in", "0.2", "--json")
    assert done.code == 3
    assert (done.json["approved"], done.json["source"]) == (False, "expiry")
    assert "nobody decided" in done.err
    assert "denied" not in done.err


def test_a_request_withdrawn_by_its_session_ends_with_4(cli: Cli) -> None:
    with Asking(cli, *CALL, "--session", "s-1", "--json") as asking:
        ident = asking.posted_id()
        with cli.review() as review, agent_on(cli, "shell", "s-1") as same_session:
            same_session.withdraw(review.find(ident).id, "plan changed")
        done = asking.end()
    assert done.code == 4
    assert (done.json["source"], done.json["note"]) == ("withdrawal", "plan changed")


def test_a_queue_that_cannot_be_used_ends_with_5(cli: Cli) -> None:
    cli.place.mkdir(mode=0o755)
    done = cli.run("ask", *CALL, "--json")
    assert done.code == 5
    assert (done.json["approved"], done.json["source"], done.json["id"]) == (False, "error", None)
    assert "chmod 700" in done.err


def test_content_that_cannot_be_shown_to_anybody_ends_with_5(cli: Cli) -> None:
    (cli.folder / "assets").mkdir()
    done = cli.inside("ask", "--tool", "write", "--file", "assets", "--content-from", "-", stdin=b"new")
    assert done.code == 5
    assert "Not run: " in done.err


# -- what is posted ---------------------------------------------------------------------------------------


def test_text_arguments_are_the_arguments_and_the_payload(cli: Cli) -> None:
    submission = posted(cli, *CALL, "--arg", "note=a=b").submission
    assert submission.tool_name == "deploy"
    assert submission.arguments == {"to": "staging", "note": "a=b"}
    assert submission.payload == submission.arguments
    assert submission.cwd == str(cli.folder)


def test_json_arguments_keep_their_types_and_come_through_a_pipe(cli: Cli) -> None:
    given = b'{"count": 1, "ratio": 1.0, "labels": ["a", null, true], "odd": "\\ud800"}'
    submission = posted(cli, "--tool", "t", "--args-json", "-", stdin=given).submission
    assert repr(dict(submission.arguments)) == repr(
        {"count": 1, "ratio": 1.0, "labels": ["a", None, True], "odd": "\ud800"}
    )


def test_a_command_is_posted_with_its_directory_and_risk(cli: Cli) -> None:
    request = posted(cli, "--tool", "shell", "--command", "rm -rf build")
    assert request.submission.payload == {"command": "rm -rf build", "cwd": str(cli.folder)}
    assert request.submission.risk == "high"
    assert request.submission.snapshot is not None


def test_a_file_is_posted_with_its_content_and_approved_only_with_that(cli: Cli) -> None:
    submission = posted(
        cli, "--tool", "write", "--file", "app.ini", "--content-from", "-", stdin=b"a=1\n"
    ).submission
    sha256 = hashlib.sha256(b"a=1\n").hexdigest()
    assert submission.payload == {"path": str(cli.folder / "app.ini"), "size": 4, "sha256": sha256}
    with cli.review() as review:
        assert review.blob(sha256) == b"a=1\n"


def test_the_payload_can_be_wider_than_the_arguments(cli: Cli) -> None:
    submission = posted(cli, *CALL, "--payload-json", "{}").submission
    assert (submission.payload, submission.arguments) == ({}, {"to": "staging"})


def test_names_group_and_session_come_from_options_or_environment(cli: Cli) -> None:
    named = posted(cli, *CALL, "--agent", "release", "--session", "s-7", "--group", "g-1", "--description", "Ship")
    assert (named.asked_by.name, named.asked_by.session) == ("release", "s-7")
    assert (named.submission.group_id, named.submission.description) == ("g-1", "Ship")
    found = posted(cli, *CALL, SIGNOFF_AGENT="nightly", SIGNOFF_SESSION="s-8")
    assert (found.asked_by.name, found.asked_by.session) == ("nightly", "s-8")
    plain = posted(cli, *CALL).asked_by
    assert (plain.name, plain.via) == ("shell", "signoff ask")


def test_the_script_that_asks_is_told(cli: Cli) -> None:
    (cli.folder / "release.sh").write_text('"$@"; exit $?\n')
    with subprocess.Popen(
        ["sh", "release.sh", *cli.command("ask", *CALL)], cwd=cli.folder, env=cli.environment(), process_group=0
    ) as shell:
        request = the_one_that_waits(cli)
        os.killpg(shell.pid, signal.SIGKILL)
    assert request.asked_by.program == "sh release.sh"


# -- a command that is used as it was approved -------------------------------------------------------------

ASKED = ("--tool", "shell", "--command", "touch asked; echo asked")


def edit(cli: Cli, command: str, *words: str) -> Ended:
    """Ask about a command, approve another one in its place, and return how it ended."""
    with Asking(cli, *ASKED, *words) as asking:
        instead = Instead(arguments={"command": command, "cwd": str(cli.folder)}, summary="edited command")
        decide(cli, asking.posted_id(), Decision(approved=True, instead=instead))
        return asking.end()


def files(cli: Cli) -> set[str]:
    return {path.name for path in cli.folder.iterdir()} & {"asked", "edited"}


def test_the_approved_command_is_run_with_its_output_and_exit_code(cli: Cli) -> None:
    ended = ask(
        cli, Decision(approved=True, note="go"), "--tool", "shell", "--command", "echo out; exit 7", "--run"
    )
    assert (ended.code, ended.out) == (7, "out\n")


def test_the_edited_command_and_nothing_else_is_run(cli: Cli) -> None:
    ended = edit(cli, "touch edited; echo edited; exit 3", "--run")
    assert (ended.code, ended.out) == (3, "edited\n")
    assert "edited by " in ended.err
    assert ended.err.endswith(": touch edited; echo edited; exit 3\n")
    assert files(cli) == {"edited"}
    with cli.review() as review:
        (record,) = review.history()
    assert record.arguments["command"] == "touch asked; echo asked"
    assert record.decision is not None
    assert record.decision.instead is not None
    assert record.decision.instead.arguments is not None
    assert record.decision.instead.arguments["command"] == "touch edited; echo edited; exit 3"


def test_the_edited_command_is_printed_for_the_script_and_not_run(cli: Cli) -> None:
    ended = edit(cli, "touch edited", "--print")
    assert (ended.code, ended.out) == (0, "touch edited\n")
    assert files(cli) == set()


def test_the_command_is_run_with_the_signals_and_without_the_side_doors_of_its_shell(cli: Cli) -> None:
    (cli.folder / "hello.sh").write_text("touch edited\n")
    script = "yes | head -1; echo ${PIPESTATUS[0]}"
    done = cli.run(
        *("ask", "--tool", "shell", "--command", script, "--run", "--mode", "approve_all"), BASH_ENV="hello.sh"
    )
    assert (done.code, done.out) == (0, f"y\n{128 + signal.SIGPIPE}\n")
    assert files(cli) == set()


@pytest.mark.parametrize("way", ["--run", "--print"])
def test_a_rejected_command_is_neither_run_nor_printed(cli: Cli, way: str) -> None:
    ended = ask(cli, Decision(approved=False, note="no"), *ASKED, way)
    assert (ended.code, ended.out, files(cli)) == (1, "", set())


def test_a_command_that_the_script_runs_itself_cannot_be_edited(cli: Cli) -> None:
    assert "edit" not in posted(cli, *ASKED).submission.supports
    assert "edit" in posted(cli, *ASKED, "--run").submission.supports


@pytest.mark.parametrize(
    "words",
    [
        (*CALL, "--run"),
        (*ASKED, "--run", "--print"),
        (*ASKED, "--run", "--json"),
        (*ASKED, "--print", "--file", "a", "--content-from", "-"),
    ],
)
def test_what_is_to_be_run_or_printed_is_one_command(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.inside("ask", *words).code == 2


# -- remembered, repeated, by mode ------------------------------------------------------------------------


def test_what_was_approved_for_the_session_does_not_ask_again(cli: Cli) -> None:
    first = ask(cli, Decision(approved=True, remember=True), *CALL, "--session", "s-1")
    assert first.code == 0
    again = cli.inside("ask", *CALL, "--session", "s-1", "--json")
    assert (again.code, again.json["source"], again.json["id"]) == (0, "grant", None)


def test_another_payload_is_asked_again(cli: Cli) -> None:
    ask(cli, Decision(approved=True, remember=True), *CALL, "--session", "s-1")
    other = cli.inside("ask", "--tool", "deploy", "--arg", "to=live", "--session", "s-1", "--expires-in", "0.001")
    assert other.code == 3


KEYED = (*CALL, "--session", "s-1", "--key", "release 12")


def test_the_same_key_finds_an_approval_that_nobody_took(cli: Cli) -> None:
    with Asking(cli, *KEYED) as asking:
        ident = asking.posted_id()
        asking.process.send_signal(signal.SIGSTOP)
        decide(cli, ident, Decision(approved=True, note="once"))
    again = cli.inside("ask", *KEYED)
    assert (again.code, again.out) == (0, "once\n")


def test_the_same_key_asks_again_after_an_approval_was_taken(cli: Cli) -> None:
    assert ask(cli, Decision(approved=True), *KEYED).code == 0
    assert cli.inside("ask", *KEYED, "--expires-in", "0.001").code == 3


def test_the_same_key_finds_a_rejection(cli: Cli) -> None:
    assert ask(cli, Decision(approved=False, note="not on Friday"), *KEYED).code == 1
    again = cli.inside("ask", *KEYED)
    assert (again.code, again.out) == (1, "not on Friday\n")


def test_the_same_key_for_other_content_ends_with_2(cli: Cli) -> None:
    key = ("--session", "s-1", "--key", "release 12")
    ask(cli, Decision(approved=True), *CALL, *key)
    done = cli.inside("ask", "--tool", "deploy", "--arg", "to=live", *key)
    assert done.code == 2
    assert "already belongs to request" in done.err


@pytest.mark.parametrize(("mode", "code"), [("approve_all", 0), ("strict", 1)])
def test_a_mode_answers_at_once_and_is_in_the_history(cli: Cli, mode: str, code: int) -> None:
    done = cli.inside("ask", *CALL, "--json", SIGNOFF_MODE=mode)
    assert (done.code, done.json["source"], done.json["by"]) == (code, "mode", mode)
    with cli.review() as review:
        (record,) = review.history(HistoryFilter(tool_name="deploy"))
    assert record.decision is not None
    assert record.decision.by == mode


def test_the_option_outranks_the_environment(cli: Cli) -> None:
    assert cli.inside("ask", *CALL, "--mode", "strict", SIGNOFF_MODE="approve_all").code == 1


# -- nobody there -----------------------------------------------------------------------------------------


IMPATIENT = """
from signoff.cli.main import main
from signoff.queue.sql import answers as unattended
unattended._PATIENCE_SECONDS = 0.1
main()
"""


def test_waiting_without_a_screen_says_on_standard_error_what_to_type(cli: Cli) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, "ask", *CALL],
        cwd=cli.folder,
        env=cli.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asking:
        assert asking.stderr is not None
        try:
            assert "waiting for a reviewer" in asking.stderr.readline()
            line = asking.stderr.readline()
        finally:
            asking.kill()  # the block waits for its end
        assert (asking.stdout.read() if asking.stdout else "") == ""
    said = f"deploy waits for an answer, and no screen is open; to review it, type: signoff --queue {cli.place}"
    assert line == f"signoff: {said}\n"


# -- leaving ----------------------------------------------------------------------------------------------


def started_by_a_shell(cli: Cli, prefix: str = "") -> subprocess.Popen[bytes]:
    """A shell that asks and waits for the answer; it leads a process group of its own."""
    script = f'{prefix} "$@" 2>>log & wait'
    return subprocess.Popen(
        ["sh", "-c", script, "sh", *cli.command("ask", *CALL)],
        cwd=cli.folder,
        env=cli.environment(),
        stdout=subprocess.DEVNULL,
        process_group=0,
    )


def the_one_that_waits(cli: Cli) -> StoredRequest:
    def look() -> StoredRequest | None:
        with contextlib.suppress(QueueError), cli.review() as review:  # it may not be there yet
            return next(iter(review.pending()), None)
        return None

    return eventually(look)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_killed_parent_withdraws_the_request_and_says_so(cli: Cli) -> None:
    with started_by_a_shell(cli) as shell:
        request = the_one_that_waits(cli)
        shell.kill()
    assert eventually(lambda: state_of(cli, request.id) is RequestState.WITHDRAWN)
    with cli.review() as review:
        assert review.get(request.id).state_note == f"the process that asked is gone (process {shell.pid})"


def test_what_was_started_with_nohup_waits_on_without_its_parent(cli: Cli) -> None:
    with started_by_a_shell(cli, "nohup") as shell:
        request = the_one_that_waits(cli)
        shell.kill()
    assert eventually(lambda: parent_of(request.asked_by.pid) != shell.pid)
    decide(cli, request.id, Decision(approved=True))
    assert eventually(lambda: "approved by anna" in (cli.folder / "log").read_text())


def test_a_reader_that_is_gone_withdraws_the_request(cli: Cli) -> None:
    with Asking(cli, *CALL) as asking:
        ident = asking.posted_id()
        assert asking.process.stdout is not None
        asking.process.stdout.close()
        assert asking.process.wait(PATIENCE) == 141
        assert asking.process.stderr is not None
        assert b"nobody reads the answer any more: standard output is closed" in asking.process.stderr.read()
        asking.process.stdout = None
    assert state_of(cli, ident) is RequestState.WITHDRAWN


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_withdraws_the_request(cli: Cli, number: signal.Signals, code: int) -> None:
    with Asking(cli, *CALL) as asking:
        ident = asking.posted_id()
        asking.process.send_signal(number)
        done = asking.end()
    assert (done.code, done.out) == (code, "")
    assert f"stopped by {number.name}" in done.err
    assert state_of(cli, ident) is RequestState.WITHDRAWN


def test_a_killed_process_leaves_a_withdrawn_request(cli: Cli) -> None:
    with Asking(cli, *CALL) as asking:
        ident = asking.posted_id()
        asking.process.kill()
        asking.process.wait(PATIENCE)
    assert cli.inside("list").out == "nothing is waiting\n"
    assert state_of(cli, ident) is RequestState.WITHDRAWN


def test_a_hangup_that_the_parent_ignores_stays_ignored(cli: Cli) -> None:
    asking = subprocess.Popen(
        ["nohup", *cli.command("ask", *CALL)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cli.folder,
        env=cli.environment(),
    )
    try:
        assert asking.stderr is not None
        while "signoff show " not in (line := asking.stderr.readline()):
            assert line, "it ended before it asked"
        asking.send_signal(signal.SIGHUP)
        decide(cli, line.split()[-1], Decision(approved=True))
        asking.communicate(timeout=PATIENCE)
        assert asking.returncode == 0
    finally:
        asking.kill()
        asking.communicate()


def test_a_reader_that_went_away_is_no_approval(cli: Cli) -> None:
    with Asking(cli, *CALL, "--json") as asking:
        ident = asking.posted_id()
        assert asking.process.stdout is not None
        asking.process.send_signal(signal.SIGSTOP)  # it would see that first, and withdraw
        asking.process.stdout.close()
        decide(cli, ident, Decision(approved=True))
        asking.process.send_signal(signal.SIGCONT)
        assert asking.process.wait(PATIENCE) == 141


# -- wrong use --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Missing option '--tool'"),
        (("--tool", " "), "--tool is empty"),
        (("--tool", "t", "--arg", "novalue"), "--arg takes NAME=VALUE"),
        (("--tool", "t", "--arg", "=x"), "--arg takes NAME=VALUE"),
        (("--tool", "t", "--arg", "a=1", "--arg", "a=2"), "--arg a is given twice"),
        (("--tool", "t", "--arg", "a=1", "--args-json", "{}"), "not with both"),
        (("--tool", "t", "--args-json", "[1]"), "--args-json takes a JSON object"),
        (("--tool", "t", "--args-json", '{"a": NaN}'), "NaN is not JSON"),
        (("--tool", "t", "--args-json", '{"a": 1, "a": 2}'), "the key 'a' is repeated"),
        (("--tool", "t", "--args-json", "{"), "--args-json: not JSON"),
        (("--tool", "t", "--args-json", "-", "--payload-json", "-"), "can be read only once"),
        (("--tool", "t", "--file", "x"), "--file and --content-from belong together"),
        (("--tool", "t", "--content-from", "x"), "--file and --content-from belong together"),
        (("--tool", "t", "--file", "x", "--content-from", "missing"), "cannot read missing: No such file"),
        (("--tool", "t", "--command", " "), "--command is empty"),
        (("--tool", "t", "--command", "ls", "--arg", "cwd=/"), "the argument 'cwd' is filled in"),
        (("--tool", "t", "--expires-in", "0"), "--expires-in takes more than 0"),
        (("--tool", "t", "--expires-in", "nan"), "--expires-in takes more than 0"),
        (("--tool", "t", "--expires-in", "inf"), "--expires-in takes more than 0"),
        (
            ("--tool", "t", "--arg", "a=1", "--payload-json", '{"a": "2"}'),
            "has another value for 'a' than the call",
        ),
        (("--tool", "t", "--arg", "a=1", "--payload-json", '{"a": 1}'), "has another value for 'a' than the call"),
        (("--tool", "t", "--command", "ls", "--payload-json", '{"cwd": "/"}'), "has another value for 'cwd'"),
        (("--tool", "t", "--key", "k"), "--key takes a text and needs --session"),
        (("--tool", "t", "--mode", "maybe"), "'maybe' is not one of"),
        (("--tool", "t", "--frobnicate"), "No such option"),
    ],
)
def test_wrong_use_ends_with_2_and_a_sentence(cli: Cli, words: tuple[str, ...], says: str) -> None:
    done = cli.inside("ask", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.startswith("signoff: ")
    assert done.err.count("\n") == 1
    assert not Path(cli.place).exists()


def test_wrong_use_of_a_real_process_ends_with_2(cli: Cli) -> None:
    done = cli.run("ask", "--tool", "t", "--mode", "maybe")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("value", ["maybe", "APPROVE_ALL", "1"])
def test_an_unknown_mode_in_the_environment_ends_with_2(cli: Cli, value: str) -> None:
    done = cli.inside("ask", *CALL, SIGNOFF_MODE=value)
    assert done.code == 2
    assert "SIGNOFF_MODE" in done.err


def test_bytes_that_are_not_utf8_are_refused(cli: Cli) -> None:
    arguments: list[Any] = [*cli.command("ask", "--tool"), b"deploy\xff"]
    done = subprocess.run(
        arguments, capture_output=True, env=cli.environment(), cwd=cli.folder, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert b"--tool is not UTF-8 text" in done.stderr
