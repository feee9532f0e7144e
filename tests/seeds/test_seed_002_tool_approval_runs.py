"""Tool Approval System, the document of an agent runtime: each example and table, over HTTP and with curl."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from runtime_settings import BALANCED, DAEMON, DEVELOPMENT, MAXIMUM
from server_bench import Served, served
from signoff.queue import Decision
from system_bench import eventually

pytestmark = pytest.mark.system

FILTERING = """\
tools:
  - server_name: "file-server"
    allowlist: ["read_.*", "list_.*"]  # LLM only sees read/list operations
    denylist: [".*delete.*"]           # Delete operations completely hidden
"""
RUNTIME = """\
tools:
  - server_name: "system-tools"
    requires_approval:
      always: false
      conditional:
        - ".*write.*"    # Require approval for write operations
        - ".*exec.*"     # Require approval for execution
"""
LOGGING = """\
log_level: "info"
verbose_logging: true
trace_enabled: true
metrics_enabled: true
"""
GUESSES = """\
tools:
  - server_name: "system-tools"
approval_policies: {write_ops: true, dangerous_ops: true}
"""

CONFIGURATIONS = {
    "files": FILTERING,
    "system": RUNTIME,
    "critical": MAXIMUM,
    "prod": BALANCED,
    "dev": DEVELOPMENT,
    "automation": DAEMON + LOGGING,
    "guessed": GUESSES,
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server for each configuration, started when it is needed."""
    with ExitStack() as stack:

        @cache
        def start(name: str) -> Served:
            agent = "system" if name == "guessed" else name
            busy = ', busy: {python: "functions_of_tests:sleep"}' if name == "guessed" else ""
            hosted = f'agents: {{{name}: {{pydantic_ai: "agents_of_tests:{agent}"}}{busy}}}\n'
            base = tmp_path_factory.mktemp(name)
            return stack.enter_context(served(base, CONFIGURATIONS[name] + hosted))

        yield start


def offered(server: Served, agent: str) -> list[str]:
    server.becomes(server.begin(agent, ""), "completed")
    return list(server.noted("offered")[-1])


# -- filtering before the model, and at run time


def test_the_model_cannot_even_attempt_to_call_filtered_tools(servers: Any) -> None:
    server = servers("files")
    assert offered(server, "files") == ["read_status"]
    server.becomes(server.begin("files", "delete_files"), "completed")
    assert server.executed() == []


def test_a_conditional_pattern_asks_and_the_rest_runs(servers: Any) -> None:
    server = servers("system")
    server.becomes(server.begin("system", "read_status"), "completed")
    assert server.executed() == [["read_status", "/tmp/*"]]
    waiting = server.begin("system", "write_file")
    server.becomes(waiting, "paused_checkpoint")
    server.answer(waiting, approved=True)
    server.becomes(waiting, "completed")
    assert server.executed()[-1] == ["write_file", "/tmp/*"]


# -- the four configurations


def test_maximum_security_blocks_every_tool(servers: Any) -> None:
    server = servers("critical")
    assert offered(server, "critical") == []
    server.becomes(server.begin("critical", "read_status"), "completed")
    assert server.executed() == []


def test_balanced_security_offers_what_reads_and_nothing_that_deletes(servers: Any) -> None:
    server = servers("prod")
    assert offered(server, "prod") == ["read_status"]
    server.becomes(server.begin("prod", "read_status", mode="daemon"), "completed")
    assert server.executed() == [["read_status", "/tmp/*"]]


def test_development_asks_only_about_deletions_and_in_a_daemon_about_nothing(servers: Any) -> None:
    server = servers("dev")
    assert offered(server, "dev") == ["delete_files", "read_status", "write_file"]
    server.becomes(server.begin("dev", "write_file"), "completed")
    waiting = server.begin("dev", "delete_files")
    server.becomes(waiting, "paused_checkpoint")
    server.answer(waiting, approved=False)
    server.becomes(server.begin("dev", "delete_files", mode="daemon"), "completed")
    assert server.executed() == [["write_file", "/tmp/*"], ["delete_files", "/tmp/*"]]
    with server.reviewing() as queue:
        record = queue.history(limit=1)[0]
    assert (record.tool_name, record.decision.source, record.decision.by) == (
        "delete_files",
        "mode",
        "approve_all",
    )


def test_a_daemon_that_may_approve_by_itself_never_runs_what_is_blocked(servers: Any) -> None:
    server = servers("automation")
    assert "format_disk" not in offered(server, "automation")
    server.becomes(server.begin("automation", "delete_files format_disk", mode="autonomous"), "completed")
    assert server.executed() == [["delete_files", "/tmp/*"]]


def test_it_takes_the_setting_and_the_mode_to_approve_by_itself(servers: Any) -> None:
    server = servers("automation")
    waiting = server.begin("automation", "delete_files", mode="interactive")
    server.becomes(waiting, "paused_checkpoint")
    server.answer(waiting, approved=False)
    server = servers("system")
    waiting = server.begin("system", "write_file", mode="daemon")
    server.becomes(waiting, "paused_checkpoint")
    server.answer(waiting, approved=False)


# -- events


def checkpoint(server: Served, run_id: str) -> dict[str, Any]:
    return dict(next(event["data"] for event in server.events(run_id) if event["type"] == "checkpoint_required"))


def test_the_checkpoint_has_the_fields_and_texts_of_the_document(servers: Any) -> None:
    server = servers("guessed")
    run_id = server.begin("guessed", "delete_files", session_id="user-session-123")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=False, reason="Too risky - might delete important files")
    server.becomes(run_id, "cancelled")
    data = checkpoint(server, run_id)
    reason = "Tool 'delete_files' appears to perform write operations"
    assert (data["tool_call_id"], data["tool_name"], data["reason"]) == ("call-0", "delete_files", reason)
    assert data["prompt"] == f"Do you approve executing 'delete_files'? {reason}"
    assert json.loads(data["tool_arguments"]) == {"path": "/tmp/*"}
    assert data["approval_required"] is True
    assert data["approval_schema"] == {
        "type": "object",
        "properties": {
            "approved": {"type": "boolean", "description": "Whether to approve the tool execution"},
            "reason": {"type": "string", "description": "Optional reason for the decision"},
        },
        "required": ["approved"],
    }


@pytest.mark.parametrize(
    ("approved", "ended", "last"),
    [
        (True, "completed", ("run_resumed", "tool_approved")),
        (False, "cancelled", ("run_cancelled", "tool_execution_denied")),
    ],
)
def test_the_states_of_a_run_are_told(servers: Any, approved: bool, ended: str, last: tuple[str, str]) -> None:
    server = servers("guessed")
    run_id = server.begin("guessed", "delete_files")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=approved)
    server.becomes(run_id, ended)
    told = [(event["type"], event["data"].get("reason")) for event in server.events(run_id)]
    assert ("run_paused", "tool_approval_required") in told
    assert last in told


# -- the session with curl


def curl(server: Served, *words: str, scopes: tuple[str, ...] = ("ask", "read", "decide")) -> dict[str, Any]:
    bearer = f"Authorization: Bearer {server.token(*scopes)}"
    done = subprocess.run(["curl", "-s", "-H", bearer, *words], capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def begun_with_curl(server: Served, agent: str, text: str) -> str:
    words = {"input": text, "mode": "interactive", "session_id": "user-session-123"}
    body = json.dumps({**words, "agent": agent})
    started = curl(server, "-X", "POST", f"{server.url}/runs", "-H", "Content-Type: application/json", "-d", body)
    assert started["status"] == "running"
    return str(started["run_id"])


def test_the_session_of_the_document_with_curl(servers: Any, tmp_path: Path) -> None:
    server = servers("guessed")
    run_id = begun_with_curl(server, "guessed", "delete_files")
    server.becomes(run_id, "paused_checkpoint")
    approve = ["-X", "POST", f"{server.url}/runs/{run_id}/approve"]
    assert curl(server, *approve, "-d", '{"reason": "test"}') == {"error": "Missing required field: approved"}
    body = ["-H", "Content-Type: application/json", "-d"]
    answer = curl(server, *approve, *body, '{"approved": true, "reason": "User confirmed deletion is safe"}')
    assert answer["status"] == "approved"
    assert answer["message"] == "Tool execution approved and resumed"
    server.becomes(run_id, "completed")
    assert curl(server, *approve, "-d", '{"approved": true}') == {
        "error": "run not found or not active",
        "status": "completed",
    }
    unknown = ["-X", "POST", f"{server.url}/runs/invalid-run/approve", "-d", '{"approved": true}']
    assert curl(server, *unknown) == {"error": "run not found or not active"}
    denied = begun_with_curl(server, "guessed", "delete_files")
    server.becomes(denied, "paused_checkpoint")
    deny = ["-X", "POST", f"{server.url}/runs/{denied}/approve", *body]
    answer = curl(server, *deny, '{"approved": false, "reason": "Too risky - might delete important files"}')
    assert answer["status"] == "denied"
    assert answer["message"] == "Tool execution denied and run cancelled"


def test_a_run_that_is_not_paused_says_its_status(servers: Any) -> None:
    server = servers("guessed")
    run_id = server.begin("busy")
    answer = server.client("decide").post(f"/runs/{run_id}/approve", content='{"approved": true}')
    assert answer.status_code == 400
    assert answer.json() == {"error": "run is not paused for approval, current status: running"}
    server.client("ask").post(f"/runs/{run_id}/cancel", json={})
    server.becomes(run_id, "cancelled")


# -- audit and monitoring


def test_the_metrics_have_the_names_of_the_document(servers: Any) -> None:
    server = servers("guessed")
    before = metrics(server)
    run_id = server.begin("guessed", "delete_files")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=False)
    server.becomes(run_id, "cancelled")
    after = metrics(server)
    assert after["tool_consent_required_total"] == before["tool_consent_required_total"] + 1
    assert {"tool_authorization_failures_total", "dangerous_operations_detected_total"} <= after.keys()


def metrics(server: Served) -> dict[str, float]:
    lines = server.client("read").get("/metrics").text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def test_logs_are_json_and_trace_each_request(servers: Any) -> None:
    server = servers("automation")
    server.client("read").get("/runs")
    lines = (server.work / "serve.log").read_text().splitlines()
    logged = [json.loads(line) for line in lines if line.startswith("{")]
    assert any(line["message"] == "request" and line["path"] == "/runs" for line in logged)


def test_the_terminal_and_the_wire_decide_the_same_requests(servers: Any) -> None:
    server = servers("guessed")
    run_id = server.begin("guessed", "delete_files")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    with server.reviewing() as queue:
        assert [each.id for each in queue.pending()] == [pending["request_id"]]
        queue.decide(pending["request_id"], pending["revision"], pending["digest"], Decision(approved=True))
        assert eventually(lambda: queue.pending() == ())
    assert server.becomes(run_id, "completed")["status"] == "completed"
