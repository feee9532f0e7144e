"""A call that is typed to see what the rules say of it."""

from __future__ import annotations

import pytest

from signoff.config.verdicts import TypedCall, UnreadableCallError, read_call


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("git status -s", "git status -s"),
        ("  ls  ", "ls"),
        ('$ echo {"a": 1}', 'echo {"a": 1}'),
        ("find . -name x -exec rm {} +", "find . -name x -exec rm {} +"),
        ("echo a {b,c}", "echo a {b,c}"),
    ],
)
def test_what_names_no_tool_with_arguments_is_a_command(text: str, command: str) -> None:
    call = read_call(text)
    assert call == TypedCall("run_command", {"command": command})
    assert call.command == command


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('write_file {"path": "a"}', TypedCall("write_file", {"path": "a"})),
        ("sync{}", TypedCall("sync", {})),
        ('get@web {"a": {"b": [1]}}', TypedCall("get", {"a": {"b": [1]}}, "web")),
    ],
)
def test_a_tool_is_followed_by_its_arguments(text: str, call: TypedCall) -> None:
    assert read_call(text) == call
    assert call.command is None


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "type a command"), (" $ ", "type a command"), ("sync {a: 1}", "for a command with braces, type")],
)
def test_what_is_no_call_is_refused_with_what_to_type(text: str, words: str) -> None:
    with pytest.raises(UnreadableCallError, match=words):
        read_call(text)
