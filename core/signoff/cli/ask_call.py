"""From the options of `signoff ask` to the request that is posted."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.canonical import NotJsonError, canonical, parse_json
from signoff.effects import Command, Effect, FileWrite

if TYPE_CHECKING:
    from signoff.types import ApprovalRequest

__all__ = ["MAX_SECONDS", "AskError", "AskOptions", "build_request"]

MAX_SECONDS = 10 * 365 * 86_400
"""The longest deadline that is accepted: ten years."""


class AskError(ValueError):
    """The options do not describe a request; the message says what to change."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What was written on the command line; see ``signoff ask --help``."""

    tool: str
    server: str | None
    description: str | None
    arguments: tuple[str, ...]
    arguments_json: str | None
    command: str | None
    file: str | None
    content_from: str | None
    payload_json: str | None
    group: str | None
    expires_in: float | None


def build_request(options: AskOptions) -> ApprovalRequest:
    """Read what the options point to and describe the call.

    The payload, which an approval for the session would cover, is everything: the arguments, for a command
    its text and working directory, for a file its path and the hash of its content.

    Raises:
        AskError: The options contradict each other, or something cannot be read.
    """
    from signoff.types import ApprovalRequest

    _refuse_contradictions(options)
    where = _working_directory()
    given = _given_arguments(options)
    effects: list[Effect] = []
    if options.command is not None:
        effects.append(_command(options.command, where, given))
    if options.file is not None:
        effects.append(_file_write(options.file, options.content_from or "", given))
    payload = given if options.payload_json is None else _payload(options.payload_json, given)
    return ApprovalRequest(
        tool_name=options.tool,
        server=options.server,
        description=options.description or _describe(options),
        payload=payload,
        arguments=given,
        group_id=options.group,
        effects=tuple(effects),
        why="asked with signoff ask",
        expires_in=options.expires_in,
    )


def _refuse_contradictions(options: AskOptions) -> None:
    if options.arguments and options.arguments_json is not None:
        raise AskError("give the arguments with --arg or with --args-json, not with both")
    if (options.file is None) is not (options.content_from is None):
        raise AskError("--file and --content-from belong together: where to write, and what")
    if [options.arguments_json, options.content_from, options.payload_json].count("-") > 1:
        raise AskError("standard input can be read only once; give one of the '-' as a file or as text")
    seconds = options.expires_in
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_SECONDS):
        raise AskError(f"--expires-in takes more than 0 and at most {MAX_SECONDS} seconds")
    for name in ("tool", "server", "description", "command", "file", "group"):
        _refuse_broken_text(f"--{name}", getattr(options, name))
    if not options.tool.strip():
        raise AskError("--tool is empty; name what would be called")
    if options.server is not None and not options.server.strip():
        raise AskError("--server is empty; name the server of the tool, or leave it out")


def _refuse_broken_text(name: str, text: str | None) -> None:
    """Bytes that are not UTF-8 arrive from the shell as lone surrogates; what they stand for is unclear."""
    try:
        (text or "").encode("utf-8")
    except UnicodeEncodeError:
        raise AskError(f"{name} is not UTF-8 text") from None


def _given_arguments(options: AskOptions) -> dict[str, Any]:
    if options.arguments_json is not None:
        return _json_object("--args-json", options.arguments_json)
    found: dict[str, Any] = {}
    for pair in options.arguments:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise AskError(f"--arg takes NAME=VALUE, not {pair!r}")
        if name in found:
            raise AskError(f"--arg {name} is given twice; for a list use --args-json")
        _refuse_broken_text("--arg", pair)
        found[name] = value
    return found


def _json_object(option: str, text: str) -> dict[str, Any]:
    raw: str | bytes = _read_input("-") if text == "-" else text
    try:
        value = parse_json(raw.decode("utf-8") if isinstance(raw, bytes) else raw)
    except UnicodeDecodeError:
        raise AskError(f"{option}: standard input is not UTF-8 text") from None
    except NotJsonError as error:
        raise AskError(f"{option}: {error}") from error
    if not isinstance(value, dict):
        raise AskError(f'{option} takes a JSON object such as {{"to": "staging"}}')
    return value


def _payload(text: str, given: dict[str, Any]) -> dict[str, Any]:
    """What an approval for the session would cover: it may leave arguments free, but not say other values."""
    payload = _json_object("--payload-json", text)
    for name, value in payload.items():
        if name in given and canonical(value) != canonical(given[name]):
            raise AskError(
                f"--payload-json has another value for {name!r} than the call;"
                " give the argument as it is, or leave it out so that it may be anything"
            )
    return payload


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is stored and compared
    except OSError as error:
        raise AskError(f"the working directory cannot be used: {error.strerror}; change to another") from error


def _command(command: str, cwd: str, given: dict[str, Any]) -> Effect:
    if not command.strip():
        raise AskError("--command is empty; give the command line that would run")
    _add(given, command=command, cwd=cwd)
    return Command(command, cwd)


def _file_write(path: str, content_from: str, given: dict[str, Any]) -> Effect:
    if not path:
        raise AskError("--file is empty; name the file that would be written")
    absolute = os.path.abspath(path)  # noqa: PTH100 - keeps links visible: what is shown is what was named
    content = _read_input(content_from)
    _add(given, path=absolute, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    return FileWrite(absolute, content)


def _add(given: dict[str, Any], **facts: Any) -> None:
    for name, value in facts.items():
        if name in given:
            raise AskError(f"the argument {name!r} is filled in by --command or --file; leave it out")
        given[name] = value


def _read_input(source: str) -> bytes:
    if source == "-" and sys.stdin is None:
        raise AskError("standard input is closed")
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise AskError(f"cannot read {source}: {getattr(error, 'strerror', None) or error}") from error


def _describe(options: AskOptions) -> str:
    if options.command is not None:
        return f"run {options.command}"
    return f"write {options.file}" if options.file is not None else f"call {options.tool}"
