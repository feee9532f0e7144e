"""The runs API: what runs do over HTTP, with real agents in a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server_bench import AGENTS, JSON, Served, served
from signoff.queue import Decision
from system_bench import eventually

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve")) as there:
        yield there


def kinds(events: list[dict[str, object]]) -> list[object]:
    return [event["type"] for event in events]


# -- a run and its events


def test_an_approved_call_really_runs_and_the_run_goes_on_to_its_end(server: Served) -> None:
    run_id = server.begin("delete", "old")
    server.becomes(run_id, "paused_checkpoint")
    assert server.executed() == []
    assert server.answer(run_id, approved=True).json()["status"] == "approved"
    assert server.becomes(run_id, "completed")["output"] == "deleted old"
    assert ["delete_files", "old"] in server.executed()
    assert kinds(server.events(run_id)) == [
        "run_started",
        "checkpoint_required",
        "run_paused",
        "run_resumed",
        "run_completed",
    ]


def test_a_denied_call_does_not_run_and_cancels_the_run(server: Served) -> None:
    run_id = server.begin("delete", "kept")
    server.becomes(run_id, "paused_checkpoint")
    assert server.answer(run_id, approved=False, reason="keep it").json()["status"] == "denied"
    assert server.becomes(run_id, "cancelled")["error"] == "delete_files was denied: keep it"
    assert ["delete_files", "kept"] not in server.executed()
    assert server.events(run_id)[-1]["data"] == {
        "reason": "tool_execution_denied",
        "tool_name": "delete_files",
        "user_reason": "keep it",
    }


def test_a_soft_no_in_the_terminal_lets_the_agent_go_on_with_the_reviewers_words(server: Served) -> None:
    run_id = server.begin("lines", "delete_files")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    target = pending["request_id"], pending["revision"], pending["digest"]
    with server.reviewing() as queue:
        assert queue.decide(*target, Decision(approved=False, note="not today")).accepted
    run = server.becomes(run_id, "completed")
    assert json.loads(run["output"]) == [["read_status"], False, False, "not today"]
    (resumed,) = [event for event in server.events(run_id) if event["type"] == "run_resumed"]
    assert resumed["data"]["reason"] == "tool_not_approved"


def test_a_decision_in_the_terminal_resumes_the_run(server: Served) -> None:
    run_id = server.begin("delete", "by the terminal")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    with server.reviewing() as queue:
        queue.decide(pending["request_id"], pending["revision"], pending["digest"], Decision(approved=True))
    assert server.becomes(run_id, "completed")["output"] == "deleted by the terminal"
    (resumed,) = [event for event in server.events(run_id) if event["type"] == "run_resumed"]
    assert resumed["data"]["by"] == "terminal"


def test_what_is_decided_over_http_stands_in_the_history_under_the_name_of_the_token(server: Served) -> None:
    run_id = server.begin("delete", "named")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=True)
    server.becomes(run_id, "completed")
    with server.reviewing() as queue:
        assert queue.history(limit=1)[0].decision.by == "tests decide"


def test_a_call_that_the_settings_block_is_refused_without_a_question(server: Served) -> None:
    run_id = server.begin("lines", "format_disk")
    run = server.becomes(run_id, "completed")
    offered, approved, blocked, reason = json.loads(run["output"])
    assert (offered, approved, blocked) == (["read_status"], False, True)
    assert "denylist" in reason
    assert "tool_blocked" in kinds(server.events(run_id))


def test_a_blocked_call_is_told_without_the_arguments_that_the_settings_mask(tmp_path: Path) -> None:
    settings = """\
tools:
  - server_name: tools-of-tests
    redaction: {arguments: [pin]}
    arguments: {delete_files: {default: block}}
agents:
  model: {pydantic_ai: "agents_of_tests:agent"}
"""
    code = AGENTS["agents_of_tests.py"]
    for word, other in (("path: str", "pin: str"), ('", path]', '", pin]'), ('"path"', '"pin"')):
        code = code.replace(word, other)
    with served(tmp_path, settings, {"agents_of_tests.py": code}) as server:
        run_id = server.begin("model", "delete_files")
        server.becomes(run_id, "completed")
        (blocked,) = [event["data"] for event in server.events(run_id) if event["type"] == "tool_blocked"]
    assert json.loads(blocked["tool_arguments"]) == {"pin": "[secret, 6 characters]"}


def test_a_model_sees_no_tool_that_the_settings_block(server: Served) -> None:
    run_id = server.begin("model", "read_status format_disk")
    server.becomes(run_id, "completed")
    assert server.noted("offered")[-1] == ["delete_files", "read_status", "write_file"]
    assert not [call for call in server.executed() if call[0] == "format_disk"]


def test_the_rules_of_the_settings_hold_for_an_agent_that_has_settings_of_its_own(server: Served) -> None:
    run_id = server.begin("trusting", "delete_files format_disk")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=False)
    server.becomes(run_id, "cancelled")
    assert "format_disk" not in server.noted("offered")[-1]
    assert not [
        call for call in server.executed() if call[0] in ("delete_files", "format_disk") and call[1] == "/tmp/*"
    ]


def test_a_run_whose_agent_raises_has_failed_and_says_why(server: Served) -> None:
    run_id = server.begin("fail")
    error = server.becomes(run_id, "failed")["error"]
    assert error.startswith("RuntimeError: it broke at https://")
    assert "hunter2secret" not in error
    assert "hunter2secret" not in json.dumps(server.events(run_id))


def test_a_run_that_takes_too_long_has_failed(server: Served) -> None:
    run_id = server.begin("sleep")
    assert server.becomes(run_id, "failed")["error"] == "it took longer than its time limit"


def test_a_timeout_of_the_agents_own_is_not_taken_for_that_of_the_run(server: Served) -> None:
    assert server.becomes(server.begin("give_up"), "failed")["error"] == "TimeoutError"


def test_an_error_of_the_operating_system_in_a_tool_is_no_block(server: Served) -> None:
    run_id = server.begin("locked", "open_locked")
    assert "Permission denied" in server.becomes(run_id, "completed")["output"]
    assert "tool_blocked" not in kinds(server.events(run_id))


def test_waiting_for_a_person_does_not_count_as_time_of_the_run(server: Served) -> None:
    run_id = server.begin("patient")
    server.becomes(run_id, "paused_checkpoint")
    with pytest.raises(AssertionError, match="never"):
        eventually(lambda: server.run(run_id)["status"] != "paused_checkpoint", "never", seconds=1)
    server.answer(run_id, approved=True)
    assert server.becomes(run_id, "completed")["output"] == "in time"


def test_a_cancelled_run_withdraws_what_waits(server: Served) -> None:
    run_id = server.begin("delete", "cancelled")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    cancelled = server.client("ask").post(f"/runs/{run_id}/cancel", json={"reason": "no longer needed"})
    assert cancelled.status_code == 202
    assert server.becomes(run_id, "cancelled")["error"] == "no longer needed"
    with server.reviewing() as queue:
        assert queue.get(pending["request_id"]).state == "withdrawn"


def test_a_run_that_is_cancelled_as_soon_as_it_was_started_ends(server: Served) -> None:
    runs = [server.begin("delete", "cancelled") for _ in range(12)]
    for run_id in runs:
        server.client("ask").post(f"/runs/{run_id}/cancel", json={})
    for run_id in runs:
        server.becomes(run_id, "cancelled")


def test_runs_of_one_session_share_what_is_remembered(server: Served) -> None:
    first = server.begin("delete", "shared", session_id="one")
    (pending,) = server.becomes(first, "paused_checkpoint")["pending"]
    with server.reviewing() as queue:
        decision = Decision(approved=True, remember=True)
        assert queue.decide(pending["request_id"], pending["revision"], pending["digest"], decision).accepted
    server.becomes(first, "completed")
    again, other = server.begin("delete", "shared", session_id="one"), server.begin("delete", "shared")
    assert server.becomes(again, "completed")["output"] == "deleted shared"
    server.becomes(other, "paused_checkpoint")
    server.answer(other, approved=False)


def test_a_run_of_another_agent_does_not_wait_for_it(server: Served) -> None:
    waiting = server.begin("delete", "waits")
    server.becomes(waiting, "paused_checkpoint")
    server.becomes(server.begin("fail"), "failed")
    server.answer(waiting, approved=False)


# -- the stream


def test_events_are_sent_once_each_to_whoever_comes_late_or_again(server: Served) -> None:
    run_id = server.begin("delete", "stream")
    server.becomes(run_id, "paused_checkpoint")
    seen: list[dict[str, object]] = []
    with server.client("read").stream("GET", f"/runs/{run_id}/events") as stream:
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        for line in stream.iter_lines():
            assert not line.startswith("event:")
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
                if seen[-1]["type"] == "run_paused":
                    server.answer(run_id, approved=True)
    numbers = [event["id"] for event in seen]
    assert numbers == sorted(set(numbers))
    assert kinds(seen)[-1] == "run_completed"
    assert server.events(run_id, after=int(str(numbers[1]))) == seen[2:]


def test_an_ended_run_has_nothing_more_to_say_to_whoever_has_heard_it_all(server: Served) -> None:
    run_id = server.begin("fail")
    server.becomes(run_id, "failed")
    last = server.events(run_id)[-1]["id"]
    headers = {"Last-Event-ID": str(last)}
    assert server.client("read").get(f"/runs/{run_id}/events", headers=headers).status_code == 204


def test_the_head_of_a_stream_does_not_wait_for_its_end(server: Served) -> None:
    run_id = server.begin("delete", "head")
    server.becomes(run_id, "paused_checkpoint")
    client = server.client("read")
    answer = client.head(f"/runs/{run_id}/events")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert client.get(f"/runs/{run_id}").status_code == 200  # over the same connection
    server.answer(run_id, approved=False)


# -- several calls at once


def test_when_several_calls_wait_only_an_answer_to_one_of_them_counts(server: Served) -> None:
    run_id = server.begin("twice")
    eventually(lambda: len(server.run(run_id)["pending"]) == 2)
    refused = server.answer(run_id, approved=True)
    assert refused.status_code == 409
    assert {each["tool_call_id"] for each in refused.json()["pending"]} == {"call/a", "call/b"}
    assert server.answer(run_id, approved=True, tool_call_id="call/b").status_code == 200
    eventually(lambda: [each["tool_call_id"] for each in server.run(run_id)["pending"]] == ["call/a"])
    assert server.run(run_id)["status"] == "paused_checkpoint"
    by_path = server.client("decide").post(f"/runs/{run_id}/calls/call%2Fa/approve", json={"approved": True})
    assert by_path.status_code == 200
    assert server.becomes(run_id, "completed")["output"] == "yes yes"


def test_the_id_of_a_call_is_never_that_of_another_call_of_the_run(server: Served) -> None:
    run_id = server.begin("again")
    (first,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    assert first["tool_call_id"] == "one"
    server.answer(run_id, approved=True, tool_call_id="one")
    eventually(lambda: [each["tool_call_id"] for each in server.run(run_id)["pending"]] not in ([], ["one"]))
    late = server.client("decide").post(f"/runs/{run_id}/calls/one/approve", json={"approved": True})
    assert late.status_code in (400, 404)
    assert server.run(run_id)["status"] == "paused_checkpoint"
    server.answer(run_id, approved=False)


def test_an_answer_with_another_digest_decides_nothing(server: Served) -> None:
    run_id = server.begin("delete", "digest")
    server.becomes(run_id, "paused_checkpoint")
    assert server.answer(run_id, approved=True, digest="0" * 64).status_code == 409
    assert server.run(run_id)["status"] == "paused_checkpoint"
    server.answer(run_id, approved=False)


# -- bad requests


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "Missing required field: input"),
        ({"input": "x"}, "Missing required field: agent"),
        ({"input": 5, "agent": "model"}, "input must be a text"),
        ({"input": "x", "agent": "nobody"}, "there is no agent 'nobody'"),
        ({"input": "x", "agent": "model", "mode": "yolo"}, "unknown mode 'yolo'"),
    ],
)
def test_a_run_that_cannot_be_started_says_what_to_change(
    server: Served, body: dict[str, object], message: str
) -> None:
    answer = server.client("ask").post("/runs", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(message)


@pytest.mark.parametrize("approved", ["yes", 1, None, "true"])
def test_only_true_and_false_answer(server: Served, approved: object) -> None:
    run_id = server.begin("delete", "strict")
    server.becomes(run_id, "paused_checkpoint")
    body = json.dumps({"approved": approved})
    answer = server.client("decide").post(f"/runs/{run_id}/approve", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]) == (400, "approved must be true or false")
    assert server.run(run_id)["status"] == "paused_checkpoint"
    server.answer(run_id, approved=False)
