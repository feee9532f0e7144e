from __future__ import annotations

from cli_bench import Cli, call, command, post, write

from signoff import ApprovalPresentation, ApprovalRequest, FileEdit
from signoff.present.document.rows import PROSE, RowKind
from signoff.queue import AgentQueue, Decision
from signoff.shown_request.content import SIGN_OF_ROW
from signoff.tool_definition import Definition


def test_a_command_is_shown_whole_with_its_directory(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("make clean\nmake " + "x" * 3_000, cli.folder))
    lines = cli.run("show", request.id[:8]).out.splitlines()
    assert f'  | @ cwd: "{cli.folder}"' in lines
    assert "  | $ make clean" in lines
    assert "  | $ make " + "x" * 3_000 in lines


def test_an_edit_is_shown_as_a_diff_with_signs(cli: Cli, agent: AgentQueue) -> None:
    path = cli.folder / "app.py"
    path.write_text("one\ntwo\nthree\n")
    edit = ApprovalRequest(
        tool_name="edit_file", description="Edit", payload={}, effects=(FileEdit(str(path), "two", "2"),)
    )
    lines = cli.inside("show", post(agent, edit).id).out.splitlines()
    start = lines.index("  |   one")
    assert lines[start : start + 4] == ["  |   one", "  | - two", "  | + 2", "  |   three"]


def test_every_row_in_the_words_of_signoff_has_a_sign() -> None:
    parts = {RowKind.PARTS, RowKind.ABOUT}  # they stand below the content
    assert PROSE - parts <= SIGN_OF_ROW.keys()


def test_a_new_file_of_many_lines_is_not_cut(cli: Cli, agent: AgentQueue) -> None:
    content = "".join(f"line {number}\n" for number in range(5_000))
    request = post(agent, write(cli.folder / "new.txt", content))
    lines = cli.inside("show", request.id).out.splitlines()
    assert [line[6:] for line in lines if line.startswith("  |   line ")] == content.splitlines()


def test_unchanged_lines_that_are_left_out_are_counted_and_can_be_had(cli: Cli, agent: AgentQueue) -> None:
    path = cli.folder / "long.txt"
    before = [f"line {number}\n" for number in range(100)]
    path.write_text("".join(before))
    request = post(agent, write(path, "".join(before).replace("line 50\n", "line fifty\n")))
    assert "line 10\n" not in cli.inside("show", request.id).out
    assert "  | @ @@ 48 line 46  (47 unchanged lines)" in cli.inside("show", request.id).out
    whole = cli.inside("show", request.id, "--context", "100").out
    assert all(f"  |   {line}" in whole for line in before if line != "line 50\n")


def test_a_structured_call_is_shown_as_a_tree(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call(payload={"labels": ["bug"], "title": "Crash"}))
    lines = cli.inside("show", request.id).out.splitlines()
    start = lines.index("  |   labels:")
    assert lines[start : start + 3] == ["  |   labels:", '  |     - "bug"', '  |   title: "Crash"']


def test_arguments_beside_the_declared_effects_are_shown_too(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("make", cli.folder, arguments={"command": "make", "as_root": True}))
    assert "  |   as_root: true" in cli.inside("show", request.id).out.splitlines()


def test_content_that_cannot_be_shown_is_said_to_be_missing(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, write(cli.folder / "logo.png", b"\x89PNG\r\n\x1a\n\0\0"))
    shown = cli.inside("show", request.id).out
    assert "! not everything can be shown" in shown
    assert shown.endswith(" --incomplete\n")
    assert cli.inside("show", request.id, "--json").json["complete"] is False


def test_it_ends_with_the_command_that_approves_exactly_this(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    token = f"1:{request.submission.digest[:12]}"
    shown = cli.inside("show", request.id[:8]).out
    assert shown.splitlines()[-1] == f"approve with: signoff approve {request.id[:8]} --seen {token}"


def test_the_reach_of_an_approval_for_the_session_is_said(cli: Cli, agent: AgentQueue) -> None:
    shown = cli.inside("show", post(agent, call(payload={"title": "Crash"})).id).out
    assert 'every later call of create_issue in session s-1 with exactly {"title":"Crash"}' in shown
    assert ", from any directory; it ends with the session; HIGH risk still asks\n" in shown
    assert "--wide" not in shown


def test_an_approval_that_is_bound_to_the_definition_of_the_tool_says_so(cli: Cli, agent: AgentQueue) -> None:
    tool = Definition.of("create_issue", "Create an issue.", {})
    shown = cli.inside("show", post(agent, call(payload={"title": "Crash"}, definition=tool)).id).out
    assert "; it ends with the session, or when the tool's definition changes; HIGH risk still asks\n" in shown


def test_arguments_that_an_approval_for_the_session_leaves_free_are_named(cli: Cli, agent: AgentQueue) -> None:
    arguments = {"path": "a.txt", "mode, and nothing": "w", "content": "x"}
    request = post(agent, call("write", payload={"path": "a.txt"}, arguments=arguments))
    shown = cli.inside("show", request.id).out
    assert 'with {"path":"a.txt"}, whatever the other arguments are: "content", "mode, and nothing", from' in shown
    assert "exactly" not in shown
    assert cli.inside("show", request.id, "--json").json["reach"] == {
        "breadth": "pattern",
        "free": ["content", "mode, and nothing"],
        "wants_wide": False,
    }


def test_a_reach_that_fixes_no_argument_says_that_it_wants_a_second_word(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call("write", payload={"sandbox": "docs"}, arguments={"path": "a.txt"}))
    shown = cli.inside("show", request.id).out
    assert 'files under {"sandbox":"docs"}, WHATEVER ITS ARGUMENTS ARE: "path", from' in shown
    assert "; wants --wide" in shown


def test_an_empty_payload_is_said_to_cover_everything(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call("write", payload={}, arguments={"path": "a.txt"}))
    shown = cli.inside("show", request.id).out
    assert "every later call of write in session s-1, WHATEVER ITS ARGUMENTS ARE, from" in shown
    assert cli.inside("show", request.id, "--json").json["reach"]["breadth"] == "everything"


def test_that_a_tool_sent_what_is_shown_is_said_once(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call(presentation=ApprovalPresentation(type="structured", content='{"n": 1}')))
    assert cli.inside("show", request.id).out.count("sent by the tool") == 1


def test_an_ended_request_says_how_it_ended_and_offers_nothing(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    with cli.review() as review:
        review.decide(request.id, 1, request.submission.digest, Decision(approved=False, note="not today"))
    shown = cli.inside("show", request.id).out
    assert "state      rejected by anna (reviewer): not today" in shown.splitlines()
    assert "approve with" not in shown
    assert "--session" not in shown


def test_a_withdrawn_request_is_not_shown_as_somebodys_no(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    agent.withdraw(request.id, "plan changed")
    assert "withdrawn: plan changed" in cli.inside("show", request.id).out


def test_an_unknown_id_ends_with_6(cli: Cli, agent: AgentQueue) -> None:
    done = cli.run("show", "zzzzzzzz")
    assert (done.code, done.out) == (6, "")
    assert done.err == "signoff: no request id begins with zzzzzzzz\n"


def test_what_cannot_be_an_id_ends_with_6(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    assert cli.inside("show", "").code == 6


def test_json_holds_documents_arguments_and_the_word_to_approve_with(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("make", cli.folder, arguments={"command": "make", "speed": 1.0}))
    facts = cli.inside("show", request.id, "--json").json
    assert facts["id"] == request.id
    assert facts["seen"] == f"1:{request.submission.digest[:12]}"
    assert facts["arguments"] == {"command": "make", "speed": 1.0}
    assert facts["payload"] == {"command": "make"}
    assert facts["complete"] is True
    assert [document["kind"] for document in facts["documents"]] == ["command", "structured"]
    assert facts["documents"][0]["rows"][1] == {"kind": "command", "text": "make"}
