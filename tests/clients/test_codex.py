"""What holds for Codex alone: terminals, patches of several files, sub-agents, trust."""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from adapters import changing_mcp_server
from answering import yes
from clients import responses_model
from clients.client_bench import no
from clients.coding_agents import OLD, Codex, CodexWithoutPrograms
from signoff.queue import Decision, Instead

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A PNG of one point."""

SHELLS = ("bash", "dash", "sh", "zsh")

BOTH = (Codex, CodexWithoutPrograms)


@pytest.fixture
def codex(request: pytest.FixtureRequest, tmp_path: Path) -> Codex:
    found: Codex = getattr(request, "param", Codex)(tmp_path)
    found.hook()
    return found


def on(*kinds: type[Codex]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("codex", kinds, indirect=True, ids=lambda kind: kind.__name__)


def made(codex: Codex) -> list[str]:
    return sorted(path.name for path in codex.folder.iterdir())


@on(*BOTH)
def test_nothing_runs_in_a_terminal_for_nobody_approves_what_is_typed_there(codex: Codex) -> None:
    with codex.reviewed(yes):
        model = codex.run([codex.calls("exec_command", cmd="touch made", tty=True)])
    assert "call it again without tty" in model.told[0]
    assert not made(codex)


@on(*BOTH)
def test_a_long_command_does_not_run_in_a_terminal_either(codex: Codex) -> None:
    with codex.reviewed(yes):
        codex.run([codex.calls("exec_command", cmd=f"touch made # {'x ' * 10_000}", tty=True)])
    assert not made(codex)


def test_nothing_can_be_typed_into_a_command_that_runs(codex: Codex) -> None:
    os.mkfifo(codex.path("typed"))
    script = """
        const begun = await tools.exec_command({cmd: "cat typed; cat > got", yield_time_ms: 250});
        await tools.write_stdin({session_id: begun.session_id, chars: "evil\\n"}).catch(why => text(why));
        await tools.exec_command({cmd: "echo > typed"});
        await tools.write_stdin({session_id: begun.session_id, chars: ""});
    """
    with codex.reviewed(yes):
        model = codex.run([responses_model.writes_to("exec", script)])
    assert "stdin is closed" in model.told[0]
    assert (codex.folder / "got").read_bytes() == b""


@on(CodexWithoutPrograms)
def test_calls_that_are_made_one_by_one_ask_too(codex: Codex) -> None:
    path = codex.path("a.txt", OLD)
    with codex.reviewed(yes) as reviewer:
        codex.run([codex.edits(path, "two", "TWO")], [codex.runs("cat a.txt > b.txt")])
    assert (codex.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert len(reviewer.seen) == 2


def test_a_shell_of_the_system_runs_a_command_whatever_file_the_call_names(codex: Codex) -> None:
    for name in SHELLS:
        shell = Path(codex.path(name, b"#!/bin/sh\ntouch not-approved\n"))
        shell.chmod(0o755)
    files = (codex.path(name) for name in SHELLS)
    with codex.reviewed(yes):
        codex.run([codex.calls("exec_command", cmd=f"touch {Path(file).name}.ran", shell=file) for file in files])
    assert made(codex) == sorted([*SHELLS, *(f"{name}.ran" for name in SHELLS)])


def test_a_command_is_shown_in_the_directory_that_it_runs_in(codex: Codex) -> None:
    (codex.folder / "src").mkdir()
    with codex.reviewed(yes) as reviewer:
        codex.run([codex.calls("exec_command", cmd="touch made", workdir="src")])
    assert [request.submission.cwd for request in reviewer.seen] == [str(codex.folder / "src")]
    assert (codex.folder / "src/made").exists()


def test_it_is_named_by_its_project_wherever_a_command_runs(codex: Codex) -> None:
    (codex.folder / "src").mkdir()
    with codex.reviewed(yes) as reviewer:
        codex.run([codex.calls("exec_command", cmd="true", workdir="src")])
    assert [request.asked_by.name for request in reviewer.seen] == ["shop, Codex"]


def test_a_patch_removes_and_moves_files_as_they_are_shown(codex: Codex) -> None:
    codex.path("gone", OLD)
    codex.path("old", OLD)
    sections = "*** Delete File: gone\n*** Update File: old\n*** Move to: new\n@@\n-two\n+2"
    with codex.reviewed(yes):
        codex.run([codex.calls("apply_patch", patch=f"*** Begin Patch\n{sections}\n*** End Patch\n")])
    assert made(codex) == ["new"]
    assert (codex.folder / "new").read_bytes() == b"one\n2\nthree\n"


def test_a_tool_of_a_server_runs_with_what_a_reviewer_made_of_its_arguments(codex: Codex) -> None:
    defined = changing_mcp_server.DefinedByFile(codex.folder)
    codex.add_server("greetings", [sys.executable, changing_mcp_server.__file__, str(defined.path)])
    other = Decision(approved=True, instead=Instead(arguments={"to": "bob"}))
    with codex.reviewed(lambda _: other):
        codex.run([codex.calls("mcp__greetings__send", to="anna")])
    assert defined.called == [{"to": "bob"}]


def test_looking_at_a_picture_asks_nobody(codex: Codex) -> None:
    path = codex.path("a.png", b64decode(PICTURE))
    with codex.reviewed(yes) as reviewer:
        model = codex.run([codex.reads(path)])
    assert "image_url" in model.told[0]
    assert not reviewer.seen


def test_a_sub_agent_asks_under_its_kind(codex: Codex) -> None:
    begun = responses_model.calls("spawn_agent", task_name="x", message="y") | {"namespace": "collaboration"}
    with codex.reviewed(no("never")) as reviewer:
        codex.run([begun], *[[codex.runs("touch made")]] * 3)
    assert any(re.fullmatch("default [0-9a-f]+", request.submission.caller or "") for request in reviewer.seen)
    assert not made(codex)


def test_a_tool_of_a_server_asks_under_the_name_of_the_server(codex: Codex) -> None:
    defined = changing_mcp_server.DefinedByFile(codex.folder)
    codex.add_server("greetings", [sys.executable, changing_mcp_server.__file__, str(defined.path)])
    with codex.reviewed(no("never")) as reviewer:
        codex.run([codex.calls("mcp__greetings__send", to="anna")])
    [asked] = reviewer.seen
    assert (asked.submission.server, asked.submission.tool_name) == ("greetings", "send")
    assert not defined.called


def test_the_line_that_init_writes_asks_once_it_is_trusted(codex: Codex) -> None:
    codex.install("codex")
    codex.trust_hooks()
    with codex.reviewed(no("never")) as reviewer:
        codex.run([codex.runs("touch made")])
    assert len(reviewer.seen) == 1
    assert not made(codex)


def test_a_hook_that_nobody_trusted_is_not_run(codex: Codex) -> None:
    codex.trusts_hooks = False
    with codex.reviewed(no("never")) as reviewer:
        codex.run([codex.runs("touch made")])
    assert not reviewer.seen
    assert made(codex) == ["made"]


def test_the_doctor_says_whether_the_hook_is_trusted(codex: Codex) -> None:
    codex.install("codex")
    untrusted = codex.doctor()
    codex.trust_hooks()
    trusted = codex.doctor()
    assert ("wrong  Codex: it does not run its hook" in untrusted, "ok     Codex: " in trusted) == (True, True)
