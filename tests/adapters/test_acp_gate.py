"""The gate between an editor and an agent that say every byte themselves."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from acp_gate_bench import ACP_GATE, Wire, permission, wired
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answering import Answer, Reviewer, waiting, yes
from signoff.queue import Decision, RequestState, ReviewQueue, StoredRequest
from system_bench import PATIENCE, eventually

Review = Callable[[Answer], Reviewer]

CANCELLED = {"outcome": {"outcome": "cancelled"}}
OLD = "one\ntwo\nthree\n"


def selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


def no(note: str = "", *, hard: bool = False) -> Answer:
    return lambda _: Decision(approved=False, note=note, hard=hard)


@pytest.fixture
def wire(workdir: Path, tmp_path: Path, place: Path) -> Iterator[Wire]:
    """An editor and an agent with a session that works in a folder."""
    with wired(workdir, tmp_path, place) as wire:
        yield wire


def update(call: str = "c1", kind: str = "tool_call", **told: Any) -> dict[str, Any]:
    """What the agent tells of a tool call."""
    params = {"sessionId": "s1", "update": {"sessionUpdate": kind, "toolCallId": call, **told}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def asks(of: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": of, "method": method, "params": {"sessionId": "s1", **params}}


def edit(path: Path, old: str | None, new: str) -> dict[str, Any]:
    """A tool call that shows a change of a file."""
    diff = {"type": "diff", "path": str(path), "oldText": old, "newText": new}
    return {"kind": "edit", "title": "edit it", "content": [diff]}


def methods(wire: Wire) -> list[str]:
    return [each["method"] for each in wire.agent_heard() if "method" in each]


def withdrawn(queue: ReviewQueue, asked: StoredRequest) -> None:
    eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")


def change_of(asked: StoredRequest) -> tuple[str | None, str]:
    """The one file of a request, before and after."""
    assert asked.submission.snapshot is not None
    [step] = asked.submission.snapshot["steps"]
    return step["before"]["sha256"], step["after_sha256"]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# -- What passes, byte by byte.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
PASSING = st.sampled_from(["session/update", "terminal/output", "fs/read_text_file", "elicitation/create", "_x"])


@st.composite
def spelled(draw: st.DrawFn, *keys: str, **fixed: Any) -> bytes:
    """One message as a line, spelled in one of many ways."""
    entries = {**fixed, **{key: draw(VALUES) for key in keys}}
    order = draw(st.permutations(list(entries)))
    blanks = draw(st.sampled_from([("", ""), (" ", " "), ("\t", "  ")]))
    ascii_only = draw(st.booleans())
    parts = [f"{json.dumps(key)}{blanks[0]}:{json.dumps(entries[key], ensure_ascii=ascii_only)}" for key in order]
    return f"{{{f',{blanks[1]}'.join(parts)}}}".encode()


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("passing")
    with wired(folder, folder, folder / "queue") as wire:
        yield wire


_numbers = iter(range(1, 2**31))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_all_else_passes_byte_by_byte(data: st.DataObject, passing: Wire) -> None:
    of = next(_numbers)
    asked = data.draw(spelled("params", id=of, method="_silent"))
    answered = data.draw(spelled(data.draw(st.sampled_from(["result", "error"])), id=of, jsonrpc="2.0"))
    told = data.draw(spelled("params", method=data.draw(PASSING)))
    wanted = data.draw(spelled("params", id=of, method=data.draw(PASSING)))
    replied = data.draw(spelled("result", id=of))
    before = len(passing.agent_lines())
    passing.editor.lines.clear()
    passing.editor.say(asked)
    for line in (answered, told, wanted):
        passing.agent_says(line)
    for _ in range(3):
        passing.editor.hear_any()
    assert passing.editor.lines == [line + b"\n" for line in (answered, told, wanted)]
    passing.editor.say(replied)
    assert passing.agent_lines()[before:] == [asked, replied]


# -- What an agent asks permission for.


def test_what_is_approved_is_allowed_once(wire: Wire, reviewed: Review) -> None:
    reviewed(yes)
    wire.agent_says(permission(0))
    assert wire.answer(0)["result"] == selected("once")


def test_a_no_rejects_once(wire: Wire, reviewed: Review) -> None:
    reviewed(no())
    wire.agent_says(permission(0))
    assert wire.answer(0)["result"] == selected("no")


def test_a_no_cancels_where_the_agent_takes_none(wire: Wire, reviewed: Review) -> None:
    reviewed(no())
    wire.agent_says(permission(0, options=[{"optionId": "once", "name": "Once", "kind": "allow_once"}]))
    assert wire.answer(0)["result"] == CANCELLED


def test_a_stop_ends_the_turn_and_takes_back_what_else_is_asked(
    wire: Wire, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(
        lambda request: Decision(approved=False, hard=True) if request.submission.description == "stop" else None
    )
    wire.agent_says(permission(0))
    [other] = reviewer.wait_for(1)
    wire.agent_says(permission(1, {"toolCallId": "c2", "title": "stop", "kind": "execute"}))
    assert wire.answer(1)["result"] == CANCELLED
    assert wire.answer(0)["result"] == CANCELLED
    assert methods(wire)[-1] == "session/cancel"
    withdrawn(looking, other)


def test_what_is_remembered_is_not_asked_again_and_still_allowed_once(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    for of in (0, 1):
        wire.agent_says(permission(of))
        assert wire.answer(of)["result"] == selected("once")
    assert len(reviewer.seen) == 1


def test_neither_words_nor_edits_are_offered(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(permission(0))
    wire.answer(0)
    assert reviewer.seen[0].submission.supports == {"hard", "session"}


def test_nothing_is_remembered_of_a_call_that_is_only_named(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(permission(0, {"kind": "other", "title": "deploy"}))
    wire.answer(0)
    assert reviewer.seen[0].submission.supports == {"hard"}


def test_the_editor_never_sees_what_is_asked_here(wire: Wire, reviewed: Review) -> None:
    reviewed(yes)
    wire.editor.lines.clear()
    wire.agent_says(permission(0))
    wire.answer(0)
    wire.editor.ask("_sync")
    assert len(wire.editor.lines) == 1


def test_a_request_names_the_session_by_folder_first_words_and_agent(
    wire: Wire, reviewed: Review, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    wire.editor.ask("session/prompt", sessionId="s1", prompt=[{"type": "text", "text": "fix the price"}])
    wire.agent_says(permission(0))
    wire.answer(0)
    assert reviewer.seen[0].asked_by.name == f"{workdir.name} fix the price, Parrot"
    assert reviewer.seen[0].submission.cwd == str(workdir)


def test_sessions_of_one_agent_do_not_share_what_is_remembered(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    for of, session in enumerate(("s1", "s2")):
        wire.agent_says(permission(of, sessionId=session))
        wire.answer(of)
    assert len(reviewer.seen) == 2


@pytest.mark.parametrize(
    "options",
    [
        [{"optionId": "always", "name": "Always", "kind": "allow_always"}],
        [{"optionId": each, "name": each, "kind": "allow_once"} for each in ("left", "right")],
        [{"optionId": "x", "name": "Once", "kind": "allow_once"}, {"optionId": "x", "kind": "allow_always"}],
    ],
    ids=["none", "two", "also always"],
)
def test_a_question_without_one_clear_yes_is_cancelled(options: object, wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(permission(0, options=options))
    assert wire.answer(0)["result"] == CANCELLED
    assert reviewer.seen == []


# -- What is shown of a call.


def test_what_was_told_before_is_shown_with_what_is_asked(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(update(title="bash", rawInput={"cwd": "/srv"}))
    wire.agent_says(update(kind="tool_call_update", locations=[{"path": "/srv/x"}], rawInput={"why": "tidy"}))
    wire.agent_says(permission(0, {"kind": "execute", "rawInput": {"command": "rm x"}}))
    wire.answer(0)
    [asked] = reviewer.seen
    assert asked.submission.tool_name == "execute"
    assert asked.submission.arguments == {
        "title": "bash",
        "rawInput": {"cwd": "/srv", "why": "tidy", "command": "rm x"},
        "locations": [{"path": "/srv/x"}],
    }
    assert asked.submission.snapshot is not None
    [step] = asked.submission.snapshot["steps"]
    assert (step["command"], step["cwd"]) == ("rm x", "/srv")


def test_what_was_told_of_another_call_is_not_shown(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(update("c2", rawInput={"x": 1}))
    wire.agent_says(permission(0))
    wire.answer(0)
    assert reviewer.seen[0].submission.arguments["rawInput"] == {"command": "make"}


def test_a_command_without_input_is_the_title(wire: Wire, reviewed: Review, workdir: Path) -> None:
    reviewer = reviewed(yes)
    words = {"type": "content", "content": {"type": "text", "text": "to build it"}}
    wire.agent_says(permission(0, {"kind": "execute", "title": "make -j4", "content": [words]}))
    wire.answer(0)
    [asked] = reviewer.seen
    assert asked.submission.snapshot is not None
    [step] = asked.submission.snapshot["steps"]
    assert (step["command"], step["cwd"]) == ("make -j4", str(workdir))
    assert asked.submission.presentation is not None
    assert asked.submission.presentation["content"] == "to build it"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (OLD, OLD, "one\nTWO\nthree\n", "one\nTWO\nthree\n"),
        (OLD, "two", "TWO", "one\nTWO\nthree\n"),
        (None, None, "new\n", "new\n"),
        (None, "", "new\n", "new\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n", "one\n2\n", "one\r\n2\r\n"),
    ],
    ids=["whole", "part", "new", "new by an empty text", "crlf"],
)
def test_a_diff_of_what_is_there_is_shown_as_a_change_of_the_file(
    before: str | None, old: str | None, new: str, after: str, wire: Wire, reviewed: Review
) -> None:
    path = wire.folder / "a.txt"
    if before is not None:
        path.write_bytes(before.encode())
    reviewer = reviewed(yes)
    wire.agent_says(permission(0, edit(path, old, new)))
    wire.answer(0)
    assert change_of(reviewer.seen[0]) == (None if before is None else sha256(before), sha256(after))


@pytest.mark.parametrize(
    ("before", "old"),
    [(OLD, "four"), ("a\na\n", "a"), (OLD, ""), (None, "two"), ("one\r\ntwo\nthree\n", "two")],
    ids=["not there", "twice", "not empty", "no file", "mixed line ends"],
)
def test_a_diff_of_something_else_is_shown_as_told_and_not_remembered(
    before: str | None, old: str, wire: Wire, reviewed: Review
) -> None:
    path = wire.folder / "a.txt"
    if before is not None:
        path.write_bytes(before.encode())
    reviewer = reviewed(yes)
    wire.agent_says(permission(0, edit(path, old, "new")))
    wire.answer(0)
    [asked] = reviewer.seen
    assert "shown as the agent tells it, not as the files are" in asked.submission.why
    assert asked.submission.presentation is not None
    assert "+new" in asked.submission.presentation["content"]
    assert "session" not in asked.submission.supports
    assert asked.submission.snapshot == {"steps": [], "version": asked.submission.snapshot["version"]}


def test_a_file_that_changes_while_a_person_looks_is_shown_again(wire: Wire, reviewed: Review) -> None:
    path = wire.folder / "a.txt"
    path.write_text(OLD)

    def first_changed(request: StoredRequest) -> Decision:
        path.write_text("other\n")
        return Decision(approved=True)

    reviewed(first_changed)
    wire.agent_says(permission(0, edit(path, OLD, "new\n")))
    assert wire.answer(0)["result"] == selected("no")


# -- What an agent would have the editor do.


def test_a_file_that_the_editor_would_write_is_shown_and_passed_on_when_approved(
    wire: Wire, reviewed: Review
) -> None:
    path = wire.folder / "a.txt"
    path.write_text(OLD)
    reviewer = reviewed(yes)
    line = json.dumps(asks(0, "fs/write_text_file", path=str(path), content="new\n"), indent=None).encode()
    wire.editor.lines.clear()
    wire.agent_says(line)
    wire.editor.hear_any()
    assert wire.editor.lines == [line + b"\n"]
    assert change_of(reviewer.seen[0]) == (sha256(OLD), sha256("new\n"))


def test_a_command_that_the_editor_would_run_is_shown_and_passed_on_when_approved(
    wire: Wire, reviewed: Review
) -> None:
    reviewer = reviewed(yes)
    env = [{"name": "CI", "value": "1"}]
    asked = asks(0, "terminal/create", command="git", args=["commit", "-m", "a b"], env=env, cwd="/srv")
    wire.agent_says(asked)
    assert wire.editor.hear_any() == asked
    assert reviewer.seen[0].submission.snapshot is not None
    [step] = reviewer.seen[0].submission.snapshot["steps"]
    assert (step["command"], step["cwd"], step["env"]) == ("git commit -m 'a b'", "/srv", {"CI": "1"})


def test_a_call_of_the_editors_own_servers_is_asked_about(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(no("not that"))
    call = {"name": "send", "arguments": {"to": "anna"}}
    wire.agent_says(
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "mcp/message",
            "params": {"connectionId": "mail", "method": "tools/call", "params": call},
        }
    )
    assert wire.answer(0)["error"]["message"] == "Approval denied: not that"
    [asked] = reviewer.seen
    assert (asked.submission.server, asked.submission.tool_name) == ("mail", "send")


def test_the_words_of_a_no_reach_the_agent_where_the_protocol_has_room(wire: Wire, reviewed: Review) -> None:
    reviewed(no("elsewhere"))
    wire.agent_says(asks(0, "fs/write_text_file", path=str(wire.folder / "a"), content="x"))
    assert wire.answer(0)["error"]["message"] == "Approval denied: elsewhere"


def test_a_file_that_cannot_be_shown_is_not_written(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(yes)
    wire.agent_says(asks(0, "fs/write_text_file", path="a.txt", content="x"))
    assert "not an absolute path" in wire.answer(0)["error"]["message"]
    assert reviewer.seen == []


def test_what_was_approved_as_an_edit_may_be_written_once(wire: Wire, reviewed: Review) -> None:
    path = wire.folder / "a.txt"
    path.write_text(OLD)
    reviewer = reviewed(lambda request: Decision(approved=request.submission.tool_name == "edit"))
    wire.agent_says(permission(0, edit(path, OLD, "new\n")))
    wire.answer(0)
    write = {"path": str(path), "content": "new\n"}
    wire.agent_says(asks(1, "fs/write_text_file", **write))
    assert wire.editor.hear_any()["id"] == 1
    wire.agent_says(asks(2, "fs/write_text_file", **write))
    assert wire.answer(2)["error"]["message"] == "Approval denied"
    assert len(reviewer.seen) == 2


@pytest.mark.parametrize("other", ["content", "path", "file", "turn"])
def test_any_other_write_after_an_approved_edit_is_asked_about(other: str, wire: Wire, reviewed: Review) -> None:
    path = wire.folder / "a.txt"
    path.write_text(OLD)
    reviewed(lambda request: Decision(approved=request.submission.tool_name == "edit"))
    wire.agent_says(permission(0, edit(path, OLD, "new\n")))
    wire.answer(0)
    if other == "file":
        path.write_text("something else\n")
    if other == "turn":
        wire.editor.say({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}})
    written = str(wire.folder / "b.txt") if other == "path" else str(path)
    content = "newer\n" if other == "content" else "new\n"
    wire.agent_says(asks(1, "fs/write_text_file", path=written, content=content))
    assert wire.answer(1)["error"]["message"] == "Approval denied"


# -- What an editor changes.


def test_a_mode_in_which_the_agent_may_ask_less_has_to_be_approved(wire: Wire, reviewed: Review) -> None:
    reviewer = reviewed(no("keep asking"))
    refused = wire.editor.ask("session/set_mode", sessionId="s1", modeId="yolo")
    assert refused["error"]["message"] == "Approval denied: keep asking"
    assert "session/set_mode" not in methods(wire)
    assert reviewer.seen[0].submission.description == "switch the agent to the mode YOLO: approves all tools"


def test_an_approved_mode_reaches_the_agent(wire: Wire, reviewed: Review) -> None:
    reviewed(yes)
    assert wire.editor.ask("session/set_mode", sessionId="s1", modeId="yolo")["result"] == {}
    assert methods(wire)[-1] == "session/set_mode"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/set_mode", {"modeId": "default"}),
        ("session/set_config_option", {"configId": "model", "value": "b"}),
        ("session/set_config_option", {"configId": "careless", "value": False, "type": "boolean"}),
    ],
)
def test_what_makes_no_difference_to_what_is_asked_passes(
    method: str, params: dict[str, Any], wire: Wire, reviewed: Review
) -> None:
    reviewer = reviewed(no())
    assert wire.editor.ask(method, sessionId="s1", **params)["result"] == {}
    assert reviewer.seen == []


def test_an_option_that_may_make_the_agent_ask_less_has_to_be_approved(wire: Wire, reviewed: Review) -> None:
    reviewed(no())
    refused = wire.editor.ask("session/set_config_option", sessionId="s1", configId="careless", value=True)
    assert "error" in refused


# -- How it ends.


def test_a_turn_that_is_cancelled_in_the_editor_takes_back_what_is_asked(
    wire: Wire, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    wire.editor.say({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}})
    assert wire.answer(0)["result"] == CANCELLED
    assert "session/cancel" in methods(wire)
    withdrawn(looking, asked)


def test_a_turn_that_is_cancelled_leaves_other_sessions_alone(
    wire: Wire, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0, sessionId="s2"))
    [asked] = reviewer.wait_for(1)
    wire.editor.say({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}})
    wire.editor.ask("_sync")
    assert looking.get(asked.id).pending


def test_an_agent_that_takes_a_question_back_is_no_longer_waited_for(
    wire: Wire, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    wire.agent_says({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}})
    assert wire.answer(0)["result"] == CANCELLED
    withdrawn(looking, asked)


def test_an_editor_that_leaves_takes_back_what_is_asked(
    wire: Wire, reviewed: Review, looking: ReviewQueue
) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    assert wire.editor.leave() == 0
    assert looking.get(asked.id).state is RequestState.WITHDRAWN


def test_an_agent_that_ends_takes_back_what_it_asked(wire: Wire, reviewed: Review, looking: ReviewQueue) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    wire.editor.say({"jsonrpc": "2.0", "method": "_leave"})
    assert wire.editor.process.wait(PATIENCE) == 7
    assert looking.get(asked.id).state is RequestState.WITHDRAWN


def test_a_gate_that_is_killed_leaves_no_request(wire: Wire, reviewed: Review, looking: ReviewQueue) -> None:
    reviewer = reviewed(waiting)
    wire.agent_says(permission(0))
    [asked] = reviewer.wait_for(1)
    wire.editor.process.send_signal(signal.SIGKILL)
    wire.editor.process.wait(PATIENCE)
    withdrawn(looking, asked)


def test_a_queue_that_cannot_be_used_rejects(workdir: Path, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("no queue")
    with wired(workdir, tmp_path, tmp_path / "none") as wire:
        wire.agent_says(permission(0))
        assert wire.answer(0)["result"] == selected("no")


def test_an_agent_that_cannot_be_started_is_named(workdir: Path) -> None:
    done = subprocess.run([*ACP_GATE, "/no/such/agent"], cwd=workdir, input=b"", capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == b"signoff: /no/such/agent cannot be started: No such file or directory\n"
    assert done.stdout == b""
