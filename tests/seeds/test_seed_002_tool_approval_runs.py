"""Tool Approval System, the document of an agent runtime: its examples, over HTTP and with curl."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from runtime_settings import BALANCED, DAEMON, DEVELOPMENT, MAXIMUM
from server_bench import AGENTS, Served, served
from signoff.queue import Decision
from system_bench import PATIENCE, eventually, running

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

ASKING = """
import json

async def ask(run):
    call = json.loads(run.input)
    try:
        answer = await run.ask(call["tool"], call["arguments"], server=call["server"])
    except PermissionError as error:
        return str(error)
    return "approved" if answer.approved else "not approved"
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
            hosted = f'agents:\n  {name}: {{pydantic_ai: "agents_of_tests:{agent}"}}\n'
            if name != "dev":
                hosted += '  ask: {python: "asking:ask"}\n  busy: {python: "functions_of_tests:sleep"}\n'
            base = tmp_path_factory.mktemp(name)
            files = {**AGENTS, "asking.py": ASKING}
            return stack.enter_context(served(base, CONFIGURATIONS[name] + hosted, files))

        yield start


def offered(server: Served, agent: str) -> list[str]:
    server.becomes(server.begin(agent, ""), "completed")
    return list(server.noted("offered")[-1])


def asked(server: Served, tool: str, of: str, **arguments: str) -> str:
    """A run that asks about one call of a server's tool; its id."""
    return server.begin("ask", json.dumps({"tool": tool, "server": of, "arguments": arguments}))


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
    executing = asked(server, "exec_command", "system-tools")
    server.becomes(executing, "paused_checkpoint")
    server.answer(executing, approved=True)
    assert server.becomes(executing, "completed")["output"] == "approved"


# -- the four configurations


def test_maximum_security_blocks_every_tool(servers: Any) -> None:
    server = servers("critical")
    assert offered(server, "critical") == []
    server.becomes(server.begin("critical", "read_status"), "completed")
    assert server.executed() == []


def test_maximum_security_hides_the_arguments_that_it_names_also_of_what_it_blocks(servers: Any) -> None:
    server = servers("critical")
    arguments = {"password": "hunter-1", "secret": "hunter-2", "key": "hunter-3", "path": "/tmp"}
    run_id = asked(server, "get_info", "critical-tools", **arguments)
    assert "denylist" in server.becomes(run_id, "completed")["output"]
    (blocked,) = [event["data"] for event in server.events(run_id) if event["type"] == "tool_blocked"]
    assert "hunter" not in blocked["tool_arguments"]
    assert json.loads(blocked["tool_arguments"])["path"] == "/tmp"


def test_balanced_security_offers_what_reads_and_nothing_that_deletes(servers: Any) -> None:
    server = servers("prod")
    assert offered(server, "prod") == ["read_status"]
    server.becomes(server.begin("prod", "read_status", mode="daemon"), "completed")
    assert server.executed() == [["read_status", "/tmp/*"]]


@pytest.mark.parametrize("tool", ["read_or_write", "get_or_create", "get_modify_time"])
def test_balanced_security_asks_about_what_writes_and_hides_the_arguments_that_it_names(
    servers: Any, tool: str
) -> None:
    server = servers("prod")
    run_id = asked(server, tool, "prod-tools", password="hunter-1", secret="hunter-2", token="hunter-3")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=True)
    server.becomes(run_id, "completed")
    arguments = checkpoint(server, run_id)["tool_arguments"]
    assert "hunter" not in arguments
    assert json.loads(arguments).keys() == {"password", "secret", "token"}


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
    run_id = asked(server, "sudo_reboot", "automation-tools")
    assert 'denylist "sudo_.*"' in server.becomes(run_id, "completed")["output"]


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
    (paused,) = [event["data"] for event in server.events(run_id) if event["type"] == "run_paused"]
    assert paused == {"reason": "tool_approval_required", "tool_name": "delete_files", "tool_call_id": "call-0"}


def test_the_checkpoint_of_a_dangerous_operation_says_so_in_its_reason_and_its_prompt(servers: Any) -> None:
    server = servers("guessed")
    run_id = asked(server, "dangerous_operation", "system-tools", action="delete_all")
    server.becomes(run_id, "paused_checkpoint")
    server.answer(run_id, approved=False)
    server.becomes(run_id, "cancelled")
    data = checkpoint(server, run_id)
    reason = "Tool 'dangerous_operation' contains potentially dangerous operations"
    assert (data["tool_name"], data["reason"]) == ("dangerous_operation", reason)
    assert data["prompt"] == f"Do you approve executing 'dangerous_operation'? {reason}"
    assert data["tool_arguments"] == '{"action": "delete_all"}'


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


BODY = ["-H", "Content-Type: application/json", "-d"]


def curl(server: Served, *words: str) -> tuple[int, dict[str, Any]]:
    """The status and the answer."""
    bearer = f"Authorization: Bearer {server.token('ask', 'read', 'decide')}"
    command = ["curl", "-s", "-w", "\n%{http_code}", "-X", "POST", "-H", bearer, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer, status = done.stdout.rsplit("\n", 1)
    return int(status), json.loads(answer)


def paused_with_curl(server: Served) -> str:
    """A run of the only agent, with the body of the document."""
    body = {"input": "delete_files", "mode": "interactive", "session_id": "user-session-123"}
    status, started = curl(server, f"{server.url}/runs", *BODY, json.dumps(body))
    assert (status, started) == (200, {"run_id": started["run_id"], "status": "running"})
    server.becomes(started["run_id"], "paused_checkpoint")
    return str(started["run_id"])


@pytest.mark.parametrize(
    ("approved", "reason", "status", "message", "ended"),
    [
        (True, "User confirmed deletion is safe", "approved", "Tool execution approved and resumed", "completed"),
        (
            False,
            "Too risky - might delete important files",
            "denied",
            "Tool execution denied and run cancelled",
            "cancelled",
        ),
    ],
    ids=["approved", "denied"],
)
def test_the_session_of_the_document_with_curl(
    servers: Any, approved: bool, reason: str, status: str, message: str, ended: str
) -> None:
    server = servers("dev")
    run_id = paused_with_curl(server)
    sent = {"approved": approved, "reason": reason}
    assert curl(server, f"{server.url}/runs/{run_id}/approve", *BODY, json.dumps(sent)) == (
        200,
        {"status": status, "message": message, "run_id": run_id, "tool_call_id": "call-0", **sent},
    )
    server.becomes(run_id, ended)


def test_what_cannot_be_answered_says_why(servers: Any) -> None:
    server = servers("dev")
    run_id = paused_with_curl(server)
    approve = f"{server.url}/runs/{run_id}/approve"
    assert curl(server, approve, "-d", '{"reason": "test"}') == (
        400,
        {"error": "Missing required field: approved"},
    )
    assert curl(server, f"{server.url}/runs/invalid-run/approve", "-d", '{"approved": true}') == (
        404,
        {"error": "run not found or not active"},
    )
    server.answer(run_id, approved=False)
    server.becomes(run_id, "cancelled")
    assert curl(server, approve, "-d", '{"approved": true}') == (
        404,
        {"error": "run not found or not active", "status": "cancelled"},
    )


def test_a_run_that_is_not_paused_says_its_status(servers: Any) -> None:
    server = servers("guessed")
    run_id = server.begin("busy")
    answer = server.client("decide").post(f"/runs/{run_id}/approve", content='{"approved": true}')
    assert answer.status_code == 400
    assert answer.json() == {"error": "run is not paused for approval, current status: running"}
    server.client("ask").post(f"/runs/{run_id}/cancel", json={})
    server.becomes(run_id, "cancelled")


# -- audit and monitoring


def test_the_metrics_of_the_document_count_what_they_are_named_after(servers: Any) -> None:
    server = servers("automation")
    before = metrics(server)
    for tool, method in (("sudo_reboot", "POST"), ("delete_note", "POST"), ("delete_note", "DELETE")):
        run_id = asked(server, tool, "automation-tools", method=method)
        if tool == "sudo_reboot":
            server.becomes(run_id, "completed")
        else:
            server.becomes(run_id, "paused_checkpoint")
            server.answer(run_id, approved=False)
            server.becomes(run_id, "cancelled")
    after = metrics(server)
    names = (
        "tool_authorization_failures_total",
        "tool_consent_required_total",
        "dangerous_operations_detected_total",
    )
    assert [after[name] - before[name] for name in names] == [1, 2, 1]


def metrics(server: Served) -> dict[str, float]:
    lines = server.client("read").get("/metrics").text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def test_logs_are_json_and_trace_each_request(servers: Any) -> None:
    server = servers("automation")
    server.client("read").get("/runs")
    lines = (server.work / "serve.log").read_text().splitlines()
    logged = [json.loads(line) for line in lines if line.startswith("{")]
    request = next(line for line in logged if line["message"] == "request" and line["path"] == "/runs")
    assert (request["level"], request["method"], request["status"]) == ("info", "GET", 200)
    assert request["ms"] >= 0


def test_verbose_logs_hold_the_arguments_of_calls_without_their_secrets(servers: Any) -> None:
    server = servers("automation")
    run_id = asked(server, "sudo_reboot", "automation-tools", path="/tmp/verbose", password="hunter-1")
    server.becomes(run_id, "completed")
    logged = [json.loads(line) for line in (server.data / "host.log").read_text().splitlines()]
    (call,) = [line for line in logged if line["message"] == "call blocked" and line["run"] == run_id]
    assert "/tmp/verbose" in call["tool_arguments"]
    assert "hunter" not in call["tool_arguments"]


def test_the_terminal_and_the_wire_decide_the_same_requests(servers: Any) -> None:
    server = servers("guessed")
    run_id = server.begin("guessed", "delete_files")
    (pending,) = server.becomes(run_id, "paused_checkpoint")["pending"]
    with server.reviewing() as queue:
        assert [each.id for each in queue.pending()] == [pending["request_id"]]
        queue.decide(pending["request_id"], pending["revision"], pending["digest"], Decision(approved=True))
        assert eventually(lambda: queue.pending() == ())
    assert server.becomes(run_id, "completed")["status"] == "completed"


# -- the shell client

HANDLER = r"""#!/bin/bash
# approval-handler.sh - Simple approval handler

run_id=$1
event_stream=$(curl -s -N "http://localhost:8080/runs/$run_id/events")

echo "$event_stream" | while IFS= read -r line; do
  if [[ "$line" == *"checkpoint_required"* ]]; then
    tool_name=$(echo "$line" | jq -r '.data.tool_name')
    reason=$(echo "$line" | jq -r '.data.reason')

    echo "Tool '$tool_name' requires approval: $reason"
    echo -n "Approve? (y/n): "
    read -r approval

    if [[ "$approval" == "y" ]]; then
      curl -X POST "http://localhost:8080/runs/$run_id/approve" \
        -H "Content-Type: application/json" \
        -d '{"approved": true, "reason": "CLI user approved"}'
      echo "✓ Tool approved"
    else
      curl -X POST "http://localhost:8080/runs/$run_id/approve" \
        -H "Content-Type: application/json" \
        -d '{"approved": false, "reason": "CLI user denied"}'
      echo "✗ Tool denied"
    fi
  fi
done
"""

REMEDIES = {
    'event_stream=$(curl -s -N "http://localhost:8080/runs/$run_id/events")\n\n': "",
    'echo "$event_stream" |': 'curl -s -N "http://localhost:8080/runs/$run_id/events" |',
    'echo "$line" |': 'echo "${line#data: }" |',
    "read -r approval": "read -r approval </dev/tty",
    "curl -": 'curl -H "Authorization: Bearer $TOKEN" -',
}

IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


@pytest.mark.parametrize(
    ("typed", "told", "ended"),
    [("y", "✓ Tool approved", "completed"), ("n", "✗ Tool denied", "cancelled")],
    ids=["yes", "no"],
)
def test_the_shell_client_asks_in_its_terminal_and_ends_with_the_run(
    servers: Any, tmp_path: Path, typed: str, told: str, ended: str
) -> None:
    assert shutil.which("jq"), "jq is missing; run: sh scripts/install-programs.sh jq"
    server = servers("guessed")
    text = HANDLER
    for wrong, right in REMEDIES.items():
        assert wrong in text
        text = text.replace(wrong, right)
    handler = tmp_path / "approval-handler.sh"
    handler.write_text(text.replace("http://localhost:8080", server.url))
    run_id = server.begin("guessed", "delete_files")
    command = [sys.executable, "-c", IN_A_TERMINAL, "bash", str(handler), run_id]
    variables = {**server.variables, "TOKEN": server.token("read", "decide")}
    with running(command, variables, tmp_path) as client:
        said, _ = client.communicate(f"{typed}\n", PATIENCE)
    assert client.returncode == 0
    reason = "Tool 'delete_files' appears to perform write operations"
    assert f"Tool 'delete_files' requires approval: {reason}" in said
    assert "Approve? (y/n): " in said
    assert told in said
    assert server.becomes(run_id, ended)
