"""`signoff policy test`: prints one verdict for each call that is given as a line of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from signoff.canonical import NotJsonError, parse_json
from signoff.cli.exit_codes import ExitCode
from signoff.cli.policy.verdict_text import verdict_facts
from signoff.cli.settings_file import read_settings
from signoff.text.ascii_json import ascii_json

if TYPE_CHECKING:
    from signoff.config.verdicts import SettingsVerdicts

__all__ = ["judge_lines"]

_KEYS = frozenset({"tool", "args", "server", "command"})


class _UnreadableLineError(ValueError):
    """A line is not a call; the message says why."""


@dataclass(frozen=True, slots=True)
class _TestedCall:
    tool: str
    arguments: Mapping[str, Any]
    server: str | None = None


@click.command(
    "test",
    short_help="Judge calls given as lines of JSON.",
    epilog="\b\nExample:\n  signoff policy test signoff.yaml < calls.jsonl\n\n"
    '\b\nA line is {"command": "git status"} or {"tool": "read_file", "args": {"path": "a.txt"}};\n'
    'a tool of a server has "server" too.',
)
@click.argument("file", metavar="FILE")
def judge_lines(*, file: str) -> int:
    """Read calls from standard input, one JSON object a line, and print what FILE says of each, one object a line.

    A line that is no call gets an object with "error" and "line"; the others are judged all the same, and the
    command ends with 2.
    """
    loaded = read_settings(file)
    if loaded is None:
        return ExitCode.USAGE
    if sys.stdin is None:
        raise click.UsageError("standard input is closed; give the calls there")
    return _judge_all(loaded.verdicts, sys.stdin.buffer)


def _judge_all(verdicts: SettingsVerdicts, lines: Iterable[bytes]) -> int:
    code = ExitCode.OK
    for number, line in enumerate(lines, start=1):
        try:
            call = _call_of(line)
        except _UnreadableLineError as error:
            facts: dict[str, Any] = {"error": str(error), "line": number}
            code = ExitCode.USAGE
        else:
            facts = verdict_facts(verdicts.verdict(call.tool, call.arguments, call.server))
        print(ascii_json(facts), flush=True)
    return code


def _call_of(line: bytes) -> _TestedCall:
    """Read a line.

    Raises:
        _UnreadableLineError: The line is not a call.
    """
    try:
        given = parse_json(line.strip())
    except NotJsonError as error:
        raise _UnreadableLineError(str(error)) from None
    if not isinstance(given, dict):
        raise _UnreadableLineError('must be an object with "command", or with "tool" and "args"')
    if unknown := sorted(given.keys() - _KEYS):
        raise _UnreadableLineError(f"has unknown keys: {', '.join(map(ascii, unknown))}")
    return _command_call(given) if "command" in given else _tool_call(given)


def _command_call(given: dict[str, Any]) -> _TestedCall:
    if len(given) > 1:
        raise _UnreadableLineError('"command" stands alone; for a tool, put it into "args"')
    if not isinstance(given["command"], str):
        raise _UnreadableLineError('"command" must be text')
    return _TestedCall("run_command", given)


def _tool_call(given: dict[str, Any]) -> _TestedCall:
    tool, arguments, server = given.get("tool"), given.get("args", {}), given.get("server")
    if not isinstance(tool, str):
        raise _UnreadableLineError('"tool" must be the name of a tool')
    if not isinstance(arguments, dict):
        raise _UnreadableLineError('"args" must be an object')
    if not (server is None or isinstance(server, str)):
        raise _UnreadableLineError('"server" must be the name of a server')
    return _TestedCall(tool, arguments, server)
