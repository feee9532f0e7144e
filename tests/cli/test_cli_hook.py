from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cli_bench import PATIENCE, Cli

from signoff.queue import Decision, Instead, RequestState, StoredRequest, open_review_queue
from system_bench import eventually


def event(cli: Cli, tool: str = "Bash", **arguments: object) -> bytes:
    return json.dumps(
        {
            "session_id": "s-1",
            "cwd": str(cli.folder),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments or {"command": "ls"},
            "tool_use_id": "toolu_1",
        }
    ).encode()


@contextmanager
def hooked(cli: Cli, data: bytes, *words: str, agent: str = "claude-code") -> Iterator[subprocess.Popen[bytes]]:
    """A hook that was given an event."""
    with subprocess.Popen(
        cli.command("hook", agent, *words),
        env=cli.environment(SIGNOFF_QUEUE=str(cli.place)),
        cwd=cli.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[bytes]) -> tuple[int, dict[str, Any], str]:
    """Its exit code, its answer, which is one line, and its words."""
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = process.stdout.read(), process.stderr.read().decode()
    assert output.count(b"\n") == 1, (output, errors)
    return process.wait(PATIENCE), json.loads(output)["hookSpecificOutput"], errors


def waiting(cli: Cli) -> StoredRequest:
    open_review_queue(cli.place).close()
    with cli.review() as review:
        return eventually(lambda: next(iter(review.pending()), None), "a request")


def answered(cli: Cli, data: bytes, decision: Decision, *words: str) -> tuple[int, dict[str, Any], str]:
    with hooked(cli, data, *words) as process:
        asked = waiting(cli)
        with cli.review() as review:
            verdict = review.decide(asked.id, asked.revision, asked.submission.digest, decision)
        assert verdict.accepted, verdict.message
        return ended(process)


def test_a_yes_lets_the_call_run(cli: Cli) -> None:
    code, answer, errors = answered(cli, event(cli), Decision(approved=True, note="go on"))
    assert (code, errors) == (0, "")
    assert answer["permissionDecision"] == "allow"
    assert answer["additionalContext"] == "go on"


def test_a_no_is_said_to_the_model(cli: Cli) -> None:
    code, answer, errors = answered(cli, event(cli), Decision(approved=False, note="use git mv"))
    assert (code, errors) == (2, "Approval denied: use git mv\n")
    assert answer["permissionDecision"] == "deny"


def test_an_edited_command_is_handed_to_the_agent(cli: Cli) -> None:
    decision = Decision(approved=True, instead=Instead(arguments={"command": "ls -l"}))
    code, answer, _ = answered(cli, event(cli), decision)
    assert (code, answer["updatedInput"]) == (0, {"command": "ls -l"})


def test_the_reviewer_sees_what_a_file_would_become(cli: Cli) -> None:
    path = cli.folder / "a.txt"
    path.write_text("one\ntwo\n")
    with hooked(cli, event(cli, "Edit", file_path=str(path), old_string="two", new_string="2")):
        waiting(cli)
        shown = cli.inside("show", waiting(cli).id).out
    assert "- two" in shown
    assert "+ 2" in shown


def test_a_file_that_changes_while_it_waits_is_not_written(cli: Cli) -> None:
    path = cli.folder / "a.txt"
    path.write_text("one\n")
    with hooked(cli, event(cli, "Write", file_path=str(path), content="2\n")) as process:
        asked = waiting(cli)
        path.write_text("other\n")
        with cli.review() as review:
            review.decide(asked.id, asked.revision, asked.submission.digest, Decision(approved=True))
        code, answer, _ = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")


def test_what_is_remembered_is_answered_at_once(cli: Cli) -> None:
    answered(cli, event(cli), Decision(approved=True, remember=True))
    with hooked(cli, event(cli).replace(b"toolu_1", b"toolu_2")) as process:
        code, answer, _ = ended(process)
    assert (code, answer["permissionDecision"]) == (0, "allow")


def test_after_a_stop_the_later_calls_of_the_turn_are_refused_also_those_that_are_remembered(cli: Cli) -> None:
    transcript = cli.folder / "transcript"
    ids = ("toolu_2", "toolu_3")
    made = [{"type": "tool_use", "id": ident, "name": "Bash", "input": {}} for ident in ids]
    transcript.write_text(json.dumps({"type": "assistant", "message": {"id": "msg_1", "content": made}}))

    def of_turn(ident: str, command: str) -> bytes:
        place = {"transcript_path": str(transcript), "tool_use_id": ident}
        return json.dumps({**json.loads(event(cli, command=command)), **place}).encode()

    answered(cli, event(cli, command="ls"), Decision(approved=True, remember=True))
    answered(cli, of_turn("toolu_2", "make"), Decision(approved=False, hard=True))
    with hooked(cli, of_turn("toolu_3", "ls")) as process:
        code, answer, errors = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")
    assert "stopped this turn" in errors


def test_a_call_that_only_looks_is_left_to_the_agent(cli: Cli) -> None:
    done = cli.run("hook", "claude-code", stdin=event(cli, "Read", file_path="a"))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not cli.place.exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"no JSON", b"[]", b"\xff", b'{"tool_name": "Bash", "tool_name": "Read"}', b'{"a": NaN}', b"[" * 9999],
)
def test_an_event_that_cannot_be_read_is_a_no(cli: Cli, data: bytes) -> None:
    with hooked(cli, data) as process:
        code, answer, errors = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")
    assert errors.startswith("not run: ")


def test_text_that_is_no_unicode_is_a_no(cli: Cli) -> None:
    with hooked(cli, event(cli, command="echo \ud800")) as process:
        code, answer, _ = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")


def test_a_queue_that_cannot_be_used_is_a_no(cli: Cli) -> None:
    cli.place.write_text("no queue")
    with hooked(cli, event(cli)) as process:
        code, answer, errors = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")
    assert "queue" in errors


def test_an_answer_that_is_only_half_taken_is_a_no(cli: Cli) -> None:
    """Half of an edited call may be read as a yes to the call as it was."""
    long = "echo " + "x" * 300_000
    decision = Decision(approved=True, instead=Instead(arguments={"command": f"{long}y"}))
    with hooked(cli, event(cli, command=long)) as process:
        asked = waiting(cli)
        with cli.review() as review:
            verdict = review.decide(asked.id, asked.revision, asked.submission.digest, decision)
        assert verdict.accepted, verdict.message
        assert process.stdout is not None
        assert process.stdout.read(1)
        process.stdout.close()
        assert process.wait(PATIENCE) == 2


def test_what_surrounds_the_agent_cannot_say_yes(cli: Cli) -> None:
    """A project may set variables for the agent."""
    environment = {**cli.environment(SIGNOFF_QUEUE=str(cli.place)), "SIGNOFF_MODE": "approve_all"}
    with subprocess.Popen(
        cli.command("hook", "claude-code"), env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        process.stdin.write(event(cli))
        process.stdin.close()
        asked = waiting(cli)
        with cli.review() as review:
            review.decide(asked.id, asked.revision, asked.submission.digest, Decision(approved=False))
    assert process.returncode == 2


@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", ">/dev/full", "2>/dev/full", "<&- >&- 2>&-"])
def test_a_stream_that_is_not_there_is_a_no(cli: Cli, streams: str) -> None:
    line = f"{' '.join(cli.command('hook', 'claude-code'))} {streams}"
    done = subprocess.run(
        ["bash", "-c", line], input=b"no event", env=cli.environment(), capture_output=True, check=False
    )
    assert done.returncode == 2


def test_a_pipe_that_never_ends_does_not_outlast_the_timeout(cli: Cli) -> None:
    reader, writer = os.pipe()
    words = cli.command("hook", "claude-code", "--timeout", "10.5")
    with subprocess.Popen(
        words, env=cli.environment(), stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        code, answer, _ = ended(process)
    os.close(writer)
    os.close(reader)
    assert (code, answer["permissionDecision"]) == (2, "deny")


def test_a_timeout_that_is_no_number_is_a_mistake(cli: Cli) -> None:
    assert cli.run("hook", "claude-code", "--timeout", "nan").code == 2


def test_an_unknown_agent_ends_with_the_code_of_a_no(cli: Cli) -> None:
    assert cli.run("hook", "no-such-agent", stdin=event(cli)).code == 2


def test_nobody_answers_before_the_agent_gives_up(cli: Cli) -> None:
    with hooked(cli, event(cli), "--timeout", "16") as process:
        code, answer, _ = ended(process)
    assert (code, answer["permissionDecision"]) == (2, "deny")
    assert "expired" in answer["permissionDecisionReason"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_hook_that_is_stopped_withdraws_its_request(cli: Cli, number: signal.Signals) -> None:
    with hooked(cli, event(cli)) as process:
        asked = waiting(cli)
        process.send_signal(number)
        code, _, _ = ended(process)
        with cli.review() as review:
            assert review.get(asked.id).state is RequestState.WITHDRAWN
    assert code == 2


def test_a_request_is_withdrawn_when_nobody_reads_the_answer(cli: Cli) -> None:
    """A shell stands between agent and hook, and outlives an agent that is killed."""
    reader, writer = os.pipe()
    with subprocess.Popen(
        ["sh", "-c", f"{' '.join(cli.command('hook', 'claude-code'))} || exit 2"],
        env=cli.environment(SIGNOFF_QUEUE=str(cli.place)),
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(writer)
        assert process.stdin is not None
        process.stdin.write(event(cli))
        process.stdin.close()
        asked = waiting(cli)
        os.close(reader)
        with cli.review() as review:
            eventually(lambda: review.get(asked.id).state is RequestState.WITHDRAWN, "it is withdrawn")


def loaded_by(cli: Cli, data: bytes, heavy: set[str]) -> tuple[int, bytes, list[str]]:
    """Exit code and output of a hook, and what of some modules it has loaded."""
    words = f"""
import os, sys
from signoff.cli.main import main
os._exit = sys.exit  # or nothing of this would be left to look
sys.argv = ["signoff", "hook", "claude-code"]
try:
    main()
finally:
    print("loaded", *sorted({heavy} & {{*sys.modules}}), file=sys.stderr)
"""
    command, environment = [sys.executable, "-c", words], cli.environment(SIGNOFF_QUEUE=str(cli.place))
    done = subprocess.run(command, input=data, env=environment, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode().split()


def test_a_call_that_only_looks_loads_next_to_nothing(cli: Cli) -> None:
    heavy = {"click", "dataclasses", "pydantic", "sqlite3", "textual"}
    assert loaded_by(cli, event(cli, "Read", file_path="a"), heavy) == (0, b"", ["loaded"])


@pytest.mark.parametrize("tool", ["Bash", "Write"])
def test_a_call_that_a_grant_answers_loads_no_models_and_no_event_loop(cli: Cli, tool: str) -> None:
    arguments = {"command": "ls"} if tool == "Bash" else {"file_path": f"{cli.folder}/a.txt", "content": "a"}
    answered(cli, event(cli, tool, **arguments), Decision(approved=True, remember=True))
    heavy = {"asyncio", "click", "pydantic", "signoff.present.diff", "signoff.types", "textual", "yaml"}
    again = event(cli, tool, **arguments).replace(b"toolu_1", b"toolu_2")
    code, output, loaded = loaded_by(cli, again, heavy)
    assert (code, loaded) == (0, ["loaded"])
    assert json.loads(output)["hookSpecificOutput"]["permissionDecision"] == "allow"


def test_the_hook_says_how_it_is_installed(cli: Cli) -> None:
    told = cli.run("hook", "--help").out
    assert "signoff hook claude-code || exit 2" in told
