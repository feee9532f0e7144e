"""`signoff policy test`: one verdict a line."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from cli_bench import HOSTILE, PATIENCE, Cli

SETTINGS = """
sandbox: {paths: {notes: {root: notes, mode: rw}}}
shell: {rules: [{pattern: git status, approval: false}, {pattern: rm, allowed: false}]}
tool_servers: [{server_name: files, denylist: [".*delete.*"]}]
"""


@pytest.fixture(autouse=True)
def settings(cli: Cli) -> None:
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    (cli.folder / "notes").mkdir()


def judged(cli: Cli, *lines: str | dict[str, Any], code: int = 0) -> list[Any]:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    done = cli.inside("policy", "test", "signoff.yaml", stdin=text.encode())
    assert (done.code, done.err) == (code, "")
    return [json.loads(line) for line in done.out.splitlines()]


def test_a_command_gets_its_verdict_with_rule_reasons_and_parts(cli: Cli) -> None:
    (found,) = judged(cli, {"command": "git status > x; rm x"})
    assert found["verdict"] == "block"
    assert found["rule"] == "rm"
    assert found["reasons"] == ["writes to a file"]
    assert found["parts"][:2] == [
        {"text": "git status", "verdict": "allow", "rule": "git status", "reasons": []},
        {"text": "rm x", "verdict": "block", "rule": "rm", "reasons": []},
    ]


def test_each_line_gets_one_line_in_the_same_order(cli: Cli) -> None:
    found = judged(
        cli,
        {"tool": "write_file", "args": {"path": "notes/a", "content": "x"}},
        {"tool": "read_file", "args": {"path": "/etc/passwd"}},
        {"tool": "delete_all", "server": "files"},
        {"tool": "run_command", "args": {"command": "git status"}, "server": None},
    )
    assert [each["verdict"] for each in found] == ["ask", "block", "block", "allow"]


UNREADABLE = {
    "": "not JSON",
    "nonsense": "not JSON",
    '{"command": "ls", "command": "rm x"}': "command",
    "[]": "must be an object",
    "{}": '"tool" must be the name of a tool',
    '{"command": 1}': '"command" must be text',
    '{"command": "ls", "tool": "x"}': '"command" stands alone',
    '{"tool": 1}': '"tool" must be',
    '{"tool": "x", "args": []}': '"args" must be an object',
    '{"tool": "x", "server": 1}': '"server" must be',
    '{"tool": "x", "arguments": {}}': "has unknown keys: 'arguments'",
}


@pytest.mark.parametrize("line", UNREADABLE)
def test_a_line_that_is_no_call_is_an_error_and_the_others_are_judged(cli: Cli, line: str) -> None:
    good = {"command": "git status"}
    found = judged(cli, good, line, good, code=2)
    assert [each.get("verdict") for each in found] == ["allow", None, "allow"]
    assert found[1].keys() == {"error", "line"}
    assert UNREADABLE[line] in found[1]["error"]
    assert found[1]["line"] == 2


def test_a_line_that_is_no_text_is_an_error(cli: Cli) -> None:
    done = cli.inside("policy", "test", "signoff.yaml", stdin=b'{"command": "\xff"}\n{"command": "ls"}')
    assert done.code == 2
    assert [json.loads(line).keys() >= {"error"} for line in done.out.splitlines()] == [True, False]


def test_no_line_at_all_is_no_mistake(cli: Cli) -> None:
    assert judged(cli) == []


def test_a_verdict_is_there_before_the_next_call_is_given(cli: Cli) -> None:
    with subprocess.Popen(
        cli.command("policy", "test", "signoff.yaml"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=cli.folder,
        env=cli.environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for command, verdict in (("git status", "allow"), ("rm x", "block")):
            process.stdin.write(json.dumps({"command": command}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["verdict"] == verdict
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_output_is_ascii_on_one_line_whatever_is_in_a_call(cli: Cli) -> None:
    done = cli.inside(
        "policy", "test", "signoff.yaml", stdin=json.dumps({"tool": HOSTILE, "args": {HOSTILE: HOSTILE}}).encode()
    )
    assert done.out.count("\n") == 1
    assert all(" " <= char <= "~" for char in done.out.rstrip("\n"))
