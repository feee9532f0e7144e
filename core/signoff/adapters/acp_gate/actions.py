"""The messages of an agent, or of its editor, that a person has to approve, read strictly."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from signoff.adapters.gates.messages import (
    MessageId,
    RefusedMessage,
    RpcMessage,
    encoded,
    refuse_variants,
    require_unicode,
)
from signoff.effects import Command, Effect, FileWrite

__all__ = [
    "CANCEL_SESSION",
    "FROM_AGENT",
    "FROM_EDITOR",
    "MCP_CALL",
    "MCP_MESSAGE",
    "PERMISSION",
    "SET_MODE",
    "SET_OPTION",
    "TERMINAL",
    "WRITE",
    "AgentAction",
    "Diff",
    "Permission",
    "asked_permission",
    "calls_tool",
    "change_of_settings",
    "made_call",
    "mcp_call",
    "started_terminal",
    "text_parameter",
    "written_file",
]

PERMISSION, WRITE, TERMINAL = "session/request_permission", "fs/write_text_file", "terminal/create"
MCP_MESSAGE, MCP_CALL = "mcp/message", "tools/call"
SET_MODE, SET_OPTION = "session/set_mode", "session/set_config_option"
CANCEL_SESSION = "session/cancel"

FROM_AGENT = (PERMISSION, WRITE, TERMINAL, MCP_MESSAGE)
"""The methods of an agent by which something happens."""

FROM_EDITOR = (SET_MODE, SET_OPTION, CANCEL_SESSION)
"""The methods of an editor that change what the agent asks about, or take it back."""

_OF_CALL = ("toolCallId", "kind", "title", "content", "locations", "rawInput", "status", "rawOutput", "_meta")
_OF_OPTION = ("optionId", "name", "kind", "_meta")
_TOLD = ("title", "rawInput", "locations", "content")
_NOT_DONE = -32000
_OTHER = "other"


class Permission(NamedTuple):
    """The answers that an agent takes for a request of permission.

    Attributes:
        allow: Id of the option that lets the call run once; None if there is none, or not one alone.
        reject: Id of the option that refuses it once; None if there is none.
    """

    allow: str | None
    reject: str | None


class Diff(NamedTuple):
    """A change of a file, as the agent tells it.

    Attributes:
        path: The path.
        old: The text before, of the file or of a part of it; "" for a new file.
        new: The text after.
    """

    path: str
    old: str
    new: str


class AgentAction(NamedTuple):
    """Something that a person has to approve.

    Attributes:
        message: The message.
        id: Its id.
        session: Id of the session of the protocol; "" if it names none.
        tool: Name for people and for what is remembered: the kind of a tool call, or the method.
        title: What it does, in a line.
        arguments: All that is told of it.
        effects: What it would do to files, and the command that it would run, as far as the message alone says.
        diffs: Changes of files that are yet to be compared with these.
        words: Further text of the agent; "" for none.
        tells_all: True if an equal message is sure to do the same.
        permission: The answers, if the agent asks permission; None if the message itself is what happens.
        server: The server of the tool; None for one of the agent or the editor.
    """

    message: RpcMessage
    id: MessageId
    session: str
    tool: str
    title: str
    arguments: dict[str, Any]
    effects: tuple[Effect, ...] = ()
    diffs: tuple[Diff, ...] = ()
    words: str = ""
    tells_all: bool = True
    permission: Permission | None = None
    server: str | None = None

    def approved(self) -> bytes:
        """Return the answer that lets a call run that the agent asks permission for."""
        assert self.permission is not None
        return self._selected(self.permission.allow)

    def refused(self, words: str) -> bytes:
        """Return the answer that keeps it from happening; the words reach whoever sent an action itself."""
        if self.permission is not None:
            return self._selected(self.permission.reject)
        error = {"code": _NOT_DONE, "message": words}
        return encoded({"jsonrpc": "2.0", "id": self.id, "error": error})

    def cancelled(self, words: str) -> bytes:
        """Return the answer when the turn ends."""
        return self.refused(words) if self.permission is None else self._selected(None)

    def _selected(self, option: str | None) -> bytes:
        outcome = {"outcome": "cancelled"} if option is None else {"outcome": "selected", "optionId": option}
        return encoded({"jsonrpc": "2.0", "id": self.id, "result": {"outcome": outcome}})


def asked_permission(message: RpcMessage, of: MessageId, known: Mapping[str, Any], cwd: str) -> AgentAction:
    """Return the call that an agent asks permission for.

    Args:
        message: The message.
        of: Its id.
        known: All that was told of the call before, see `made_call`.
        cwd: Working directory of the session.

    Raises:
        RefusedMessage: It is not clear what is asked.
    """
    params = message.params
    refuse_variants(params, ("sessionId", "toolCall", "options", "_meta"), of)
    call = params.get("toolCall")
    if not isinstance(call, dict):
        raise RefusedMessage("it names no tool call", of)
    refuse_variants(call, _OF_CALL, of)
    told = made_call(known, call)
    require_unicode(told, of)
    kind, title = told.get("kind", _OTHER), told.get("title", "")
    if not isinstance(kind, str) or not isinstance(title, str):
        raise RefusedMessage("kind or title of the call is no text", of)
    content = told.get("content", [])
    raw = told.get("rawInput")
    diffs = tuple(_diffs(content, of)) if kind not in ("delete", "move") else ()
    command = _command(raw, title, cwd) if kind == "execute" else None
    return AgentAction(
        message,
        of,
        text_parameter(message, "sessionId", of),
        kind or _OTHER,
        title or f"a call of kind {kind}",
        {key: told[key] for key in _TOLD if key in told},
        effects=() if command is None else (command,),
        diffs=diffs,
        words="\n".join(_texts(content)),
        tells_all=bool(raw or diffs or command),
        permission=_permission(params.get("options"), of),
    )


def made_call(known: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that is told of a tool call: what is told later holds; entries of its input add up.

    Args:
        known: What was told before.
        told: What is told now.
    """
    newer = {key: told[key] for key in ("kind", *_TOLD) if told.get(key) is not None}
    before, now = known.get("rawInput"), newer.get("rawInput")
    if isinstance(before, dict) and isinstance(now, dict):
        newer["rawInput"] = {**before, **now}
    return {**known, **newer}


def written_file(message: RpcMessage, of: MessageId) -> AgentAction:
    """Return the file that an agent would have the editor write.

    Raises:
        RefusedMessage: It is not clear which, or with what.
    """
    params = message.params
    refuse_variants(params, ("sessionId", "path", "content", "_meta"), of)
    require_unicode(params, of)
    path, content = (text_parameter(message, key, of) for key in ("path", "content"))
    return _done(message, of, f"write {path}", effects=(FileWrite(path, content),))


def started_terminal(message: RpcMessage, of: MessageId, cwd: str) -> AgentAction:
    """Return the command that an agent would have the editor run.

    Args:
        message: The message.
        of: Its id.
        cwd: Working directory of the session.

    Raises:
        RefusedMessage: It is not clear which.
    """
    params = message.params
    refuse_variants(params, ("sessionId", "command", "args", "env", "cwd", "outputByteLimit", "_meta"), of)
    require_unicode(params, of)
    command = text_parameter(message, "command", of)
    words = params.get("args")
    words = [] if words is None else words
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RefusedMessage("the args of the command are no texts", of)
    where = params.get("cwd")
    where = cwd if where is None else where
    if not isinstance(where, str) or not os.path.isabs(where):  # noqa: PTH117 - text is what is stored and compared
        raise RefusedMessage("the cwd of the command is no absolute path", of)
    line = " ".join([command, *map(shlex.quote, words)])
    return _done(message, of, f"run {line}", effects=(Command(line, where, _variables(params.get("env"), of)),))


def calls_tool(message: RpcMessage, of: MessageId | None) -> bool:
    """Return True if a message for the editor's own MCP servers is a call of a tool.

    Raises:
        RefusedMessage: That is not clear.
    """
    refuse_variants(message.params, ("connectionId", "method", "params"), of)
    inner = message.params.get("method")
    if not isinstance(inner, str) or not inner.isprintable() or _nearly(inner):
        raise RefusedMessage("its inner method is not clear", of)
    return inner == MCP_CALL


def mcp_call(message: RpcMessage, of: MessageId) -> AgentAction | None:
    """Return the call of a tool of the editor's own MCP servers; None if the message is something else.

    Raises:
        RefusedMessage: It is not clear which.
    """
    if not calls_tool(message, of):
        return None
    params = message.params
    require_unicode(params, of)
    call = params.get("params")
    name = call.get("name") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(name, str) or not name:
        raise RefusedMessage("the call names no tool", of)
    refuse_variants(call, ("name", "arguments"), of)
    return AgentAction(
        message,
        of,
        "",
        name,
        f"call {name} of the editor",
        {key: value for key, value in call.items() if key != "name"},
        server=text_parameter(message, "connectionId", of),
    )


def change_of_settings(message: RpcMessage, of: MessageId, title: str) -> AgentAction:
    """Return the change of a mode, or of an option, after which the agent may ask about less.

    Args:
        message: The message.
        of: Its id.
        title: The change, in a line.

    Raises:
        RefusedMessage: It names no session.
    """
    require_unicode(message.params, of)
    return _done(message, of, title)


def text_parameter(message: RpcMessage, key: str, of: MessageId | None) -> str:
    """Return a parameter that is a text.

    Raises:
        RefusedMessage: It is missing, or something else.
    """
    value = message.params.get(key)
    if not isinstance(value, str):
        raise RefusedMessage(f"it has no text {key}", of)
    return value


def _done(message: RpcMessage, of: MessageId, title: str, effects: tuple[Effect, ...] = ()) -> AgentAction:
    """Return the action that a message itself is."""
    assert message.method is not None
    arguments = {key: value for key, value in message.params.items() if key != "sessionId"}
    session = text_parameter(message, "sessionId", of)
    return AgentAction(message, of, session, message.method, title, arguments, effects)


def _nearly(inner: str) -> bool:
    return inner != MCP_CALL and inner.strip().casefold() == MCP_CALL


def _variables(given: object, of: MessageId) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in _list(given):
        name, value = (each.get("name"), each.get("value")) if isinstance(each, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str) or name in found:
            raise RefusedMessage("a variable of the command is not clear", of)
        found[name] = value
    if given is not None and not isinstance(given, list):
        raise RefusedMessage("the env of the command is no list", of)
    return found


def _diffs(content: object, of: MessageId) -> Sequence[Diff]:
    found = []
    for each in _list(content):
        if isinstance(each, dict) and each.get("type") == "diff":
            path, old, new = each.get("path"), each.get("oldText"), each.get("newText")
            if not isinstance(path, str) or not isinstance(old, str | None) or not isinstance(new, str):
                raise RefusedMessage("a diff of the call is not clear", of)
            found.append(Diff(path, old or "", new))
    return found


def _texts(content: object) -> Sequence[str]:
    blocks = [each.get("content") for each in _list(content) if isinstance(each, dict)]
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _command(raw: object, title: str, cwd: str) -> Command | None:
    """The command of a call: its input names it, or, without any input, its title is the command."""
    given = raw if isinstance(raw, dict) else {}
    command, where = given.get("command", None if raw else title), given.get("workdir") or given.get("cwd") or cwd
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        command = shlex.join(command)
    if not isinstance(command, str) or not command or not isinstance(where, str):
        return None
    return Command(command, os.path.normpath(os.path.join(cwd, where)))  # noqa: PTH118 - as above


def _permission(options: object, of: MessageId) -> Permission:
    if not isinstance(options, list) or not all(isinstance(option, dict) for option in options):
        raise RefusedMessage("its options are not clear", of)
    for option in options:
        refuse_variants(option, _OF_OPTION, of)
    ids = [option.get("optionId") for option in options]

    def only(kind: str, choose: Callable[[Sequence[str]], str | None]) -> str | None:
        found = [option.get("optionId") for option in options if option.get("kind") == kind]
        return choose([each for each in found if isinstance(each, str) and ids.count(each) == 1])

    # Of several ways to allow it, a plain yes names none.
    return Permission(
        only("allow_once", lambda found: found[0] if len(found) == 1 else None),
        only("reject_once", lambda found: found[0] if found else None),
    )
