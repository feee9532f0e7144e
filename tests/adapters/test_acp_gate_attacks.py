"""Ways around the gate: lines in which one side may read something that the gate does not, or reads otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from acp_gate_bench import OPTIONS, Wire, permission, wired

from answering import Answer, Reviewer, waiting

WRITE = '{"sessionId":"s1","path":"/tmp/a","content":"x"}'
RUN = '{"sessionId":"s1","command":"ls"}'


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A gate of which nothing is let through, for many tests: starting it takes longer than all that they do."""
    folder = tmp_path_factory.mktemp("attacked")
    with wired(folder, folder, folder / "queue") as wire:
        yield wire


@pytest.fixture
def wire(workdir: Path, tmp_path: Path, place: Path) -> Iterator[Wire]:
    """A gate whose requests are reviewed."""
    with wired(workdir, tmp_path, place) as wire:
        yield wire


def heard_by_editor(wire: Wire) -> list[dict[str, Any]]:
    """What has reached the editor, once the agent has said all."""
    wire.editor.ask("_sync")
    return [json.loads(line) for line in wire.editor.lines if b"ask-" not in line]


@pytest.mark.parametrize(
    "line",
    [
        f'{{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","method":"fs/write_text_file","params":{WRITE}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"session/update","m\\u0065thod":"terminal/create","params":{RUN}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"session/update","Method":"terminal/create","params":{RUN}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"FS/write_text_file","params":{WRITE}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"terminal/create ","params":{RUN}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"terminal/create\\u0000","params":{RUN}}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"ls","Command":"x"}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"l","command":"x"}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":["ls"]}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"a","args":"b"}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"a","cwd":"b"}}',
        '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"a","env":{"A":"b"}}}',
        (
            '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s1","command":"a",'
            '"env":[{"name":"A","value":"b"},{"name":"A","value":"c"}]}}'
        ),
        '{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/a"}}',
        '{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/a","content":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"connectionId":"c","method":"Tools/call"}}',
        '{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"connectionId":"c","Method":"tools/call"}}',
        '{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}',
        f'{{"jsonrpc":"2.0","id":1,"result":{{}},"method":"terminal/create","params":{RUN}}}',
    ],
)
def test_what_an_agent_says_in_two_ways_is_refused(line: str, attacked: Wire) -> None:
    attacked.editor.lines.clear()
    refused = len(attacked.answers(1, 0))
    attacked.agent_says(line.encode())
    assert "signoff did not pass this on" in attacked.answers(1, refused + 1)[-1]["error"]["message"]
    assert heard_by_editor(attacked) == []


@pytest.mark.parametrize("method", ["fs/write_text_file", "terminal/create", "session/request_permission"])
def test_an_action_without_an_id_is_not_passed_on(method: str, attacked: Wire) -> None:
    attacked.editor.lines.clear()
    attacked.agent_says({"jsonrpc": "2.0", "method": method, "params": json.loads(WRITE) | json.loads(RUN)})
    assert heard_by_editor(attacked) == []


@pytest.mark.parametrize(("inner", "passes"), [("tools/call", False), ("notifications/initialized", True)])
def test_a_notification_for_the_editors_servers_passes_if_it_calls_nothing(
    inner: str, passes: bool, attacked: Wire
) -> None:
    attacked.editor.lines.clear()
    told = {"jsonrpc": "2.0", "method": "mcp/message", "params": {"connectionId": "c", "method": inner}}
    attacked.agent_says(told)
    assert heard_by_editor(attacked) == ([told] if passes else [])


@pytest.mark.parametrize("line", ["starting up ...", f'{{"jsonrpc":"2.0","id":1,"method":"x",\r"params":{RUN}}}'])
def test_what_is_no_message_is_not_passed_on(line: str, attacked: Wire) -> None:
    attacked.editor.lines.clear()
    attacked.agent_says(line.encode())
    assert heard_by_editor(attacked) == []


def test_an_answer_that_is_refused_leaves_nobody_waiting(attacked: Wire) -> None:
    attacked.editor.say({"jsonrpc": "2.0", "id": "asked", "method": "_silent"})
    attacked.agent_says(b'{"jsonrpc":"2.0","id":"asked","result":{"a":1,"a":2}}')
    assert "signoff did not pass this on" in attacked.editor.hear("asked")["error"]["message"]


def test_an_editor_cannot_give_a_permission_that_it_was_not_asked_for(
    wire: Wire, reviewed: Callable[[Answer], Reviewer]
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    for of in (0, "0"):
        allowed = {"outcome": {"outcome": "selected", "optionId": "once"}}
        wire.editor.say({"jsonrpc": "2.0", "id": of, "result": allowed})
    assert [each for each in wire.agent_heard() if "method" not in each] == []
    assert asked.pending


@pytest.mark.parametrize("of", [7, "7"])
def test_the_id_of_what_is_held_is_not_taken_by_another_message(
    of: object, wire: Wire, reviewed: Callable[[Answer], Reviewer]
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(7))
    reviewer.wait_for(1)
    wire.agent_says({"jsonrpc": "2.0", "id": of, "method": "fs/read_text_file", "params": {}})
    assert "not answered yet" in wire.answer(of)["error"]["message"]


def test_each_action_of_a_batch_is_asked_about(wire: Wire, reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewer = reviewed(waiting)
    write = {"jsonrpc": "2.0", "id": 2, "method": "fs/write_text_file", "params": json.loads(WRITE)}
    wire.agent_says(json.dumps([permission(1), write]).encode())
    assert len(reviewer.wait_for(2)) == 2


def test_the_mode_of_an_agent_is_not_changed_under_another_name(attacked: Wire) -> None:
    for method in ("Session/set_mode", "session/set_mode "):
        attacked.editor.say({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"sessionId": "s1"}})
        assert "spelled nearly" in attacked.editor.hear(1)["error"]["message"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/set_mode", {"modeId": "default", "ModeId": "yolo"}),
        ("session/set_mode", {"modeId": "default", "SessionId": "s2"}),
        ("session/set_config_option", {"configId": "model", "value": "b", "ConfigId": "careless"}),
        ("session/set_config_option", {"configId": "careless", "value": False, "Value": True}),
    ],
)
def test_what_an_editor_changes_is_not_said_in_two_ways(
    method: str, params: dict[str, Any], attacked: Wire
) -> None:
    refused = attacked.editor.ask(method, sessionId="s1", **params)
    assert "spelled nearly" in refused["error"]["message"]


def test_what_was_told_in_another_session_is_not_shown(wire: Wire, reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewer = reviewed(waiting)
    call = {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "harmless", "rawInput": {"x": 1}}
    wire.agent_says({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s2", "update": call}})
    wire.agent_says(permission(0, {"kind": "other"}, options=OPTIONS))
    [asked] = reviewer.wait_for(1)
    assert asked.submission.arguments == {}
