"""The gate itself: what passes, what is held, and what each side is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from signoff.adapters.acp_gate.actions import (
    CANCEL_SESSION,
    FROM_AGENT,
    FROM_EDITOR,
    MCP_MESSAGE,
    PERMISSION,
    SET_MODE,
    SET_OPTION,
    TERMINAL,
    WRITE,
    AgentAction,
    asked_permission,
    calls_tool,
    change_of_settings,
    mcp_call,
    started_terminal,
    text_parameter,
    written_file,
)
from signoff.adapters.acp_gate.sessions import AgentSessions
from signoff.adapters.gates.messages import (
    LONGEST_LINE,
    MessageId,
    RefusedMessage,
    RpcMessage,
    encoded,
    error_reply,
    messages_in,
    refuse_variants,
)
from signoff.adapters.gates.pump import Pump
from signoff.types import DecisionSource, denial_text

__all__ = ["AcpGate"]

_INITIALIZE, _PROMPT, _UPDATE = "initialize", "session/prompt", "session/update"
_NEW, _LOAD, _RESUME, _FORK = "session/new", "session/load", "session/resume", "session/fork"
_CANCEL_REQUEST = "$/cancel_request"


class _Held(NamedTuple):
    """An action that a person is asked about.

    Attributes:
        action: The action.
        sender: The side that has sent it.
        receiver: The side that it is passed on to, if it is none that the gate answers.
    """

    action: AgentAction
    sender: _Side
    receiver: _Side

    @property
    def key(self) -> str:
        """Its key among the requests of its side."""
        return str(self.action.id)


class _Side:
    """One of the two that exchange messages.

    Args:
        name: Its name for people.
        methods: Its methods that nothing may be spelled nearly like.
        send: Sends it a line.

    Attributes:
        passed: Its requests that the other side has not answered yet, by the text of the id: some take "1" for 1.
        held: Its requests that a person is asked about.
    """

    def __init__(self, name: str, methods: tuple[str, ...], send: Callable[[bytes], None]) -> None:
        self.name = name
        self.methods = methods
        self.send = send
        self.passed: dict[str, RpcMessage] = {}
        self.held: dict[str, tuple[_Held, asyncio.Task[None]]] = {}


class AcpGate:
    """The gate between one editor and one agent.

    Args:
        pump: The lines to and from the agent.
        sessions: The sessions of the agent.
        complain: Tells the person who runs the editor of what only they can mend.
    """

    def __init__(self, pump: Pump, sessions: AgentSessions, complain: Callable[[str], None]) -> None:
        self._editor = _Side("editor", FROM_EDITOR, pump.say)
        self._agent = _Side("agent", FROM_AGENT, pump.forward)
        self._sessions = sessions
        self._complain = complain
        self._tasks: set[asyncio.Task[None]] = set()

    def from_client(self, line: bytes | None) -> None:
        """Take a line of the editor; None for one that is too long."""
        if line is None:
            self._complain(f"a message of the editor is not passed on: it is longer than {LONGEST_LINE} bytes")
        else:
            self._take_line(line, self._editor, self._agent)

    def from_program(self, line: bytes) -> None:
        """Take a line of the agent."""
        if line.strip():
            self._take_line(line, self._agent, self._editor)
        else:
            self._editor.send(line)

    async def withdraw(self) -> None:
        """Take back all that a person is asked about."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """Leave the queue."""
        self._sessions.close()

    # -- What passes, and what is held.

    def _take_line(self, line: bytes, sender: _Side, receiver: _Side) -> None:
        for message in messages_in(line, sender.methods):
            try:
                if isinstance(message, RefusedMessage):
                    raise message
                self._take(message, sender, receiver)
            except RefusedMessage as refused:
                self._refuse(refused, sender, receiver)

    def _take(self, message: RpcMessage, sender: _Side, receiver: _Side) -> None:
        if message.method is None:
            self._take_answer(message, sender, receiver)
        elif message.id is None:
            self._take_notification(message, sender, receiver)
        else:
            self._take_request(message, message.id, sender, receiver)

    def _take_answer(self, message: RpcMessage, sender: _Side, receiver: _Side) -> None:
        asked = receiver.passed.pop(str(message.id), None)
        if asked is None:  # a permission, too, is for the gate alone to give
            raise RefusedMessage("it answers nothing that was asked", message.id, answers=True)
        if sender is self._agent:
            self._learn_answer(asked, message)
        receiver.send(message.line)

    def _take_notification(self, message: RpcMessage, sender: _Side, receiver: _Side) -> None:
        session = message.params.get("sessionId")
        if message.method == CANCEL_SESSION and sender is self._editor:
            receiver.send(message.line)
            self._cancel(session, "the turn was cancelled in the editor")
            return
        if message.method in sender.methods and (message.method != MCP_MESSAGE or calls_tool(message, None)):
            raise RefusedMessage(f"{message.method} without an id: nobody could be told what became of it")
        if message.method == _CANCEL_REQUEST:
            held = sender.held.get(str(message.params.get("requestId")))
            if held is not None:
                self._end(held[0], held[0].action.cancelled("cancelled"))
                held[1].cancel()
                return
        if message.method == _UPDATE and sender is self._agent:
            update = message.params.get("update")
            if isinstance(update, dict) and update.get("sessionUpdate") in ("tool_call", "tool_call_update"):
                self._sessions.of(session).learn_call(update)
        receiver.send(message.line)

    def _take_request(self, message: RpcMessage, of: MessageId, sender: _Side, receiver: _Side) -> None:
        if str(of) in sender.passed or str(of) in sender.held:
            raise RefusedMessage("its id is that of a request that is not answered yet", of)
        action = self._of_agent(message, of) if sender is self._agent else self._of_editor(message, of)
        if action is None:
            sender.passed[str(of)] = message
            self._learn_request(message, sender)
            receiver.send(message.line)
        elif action.permission is not None and action.permission.allow is None:
            self._complain(f"not asked, since there is not one clear way to allow it once: {action.title}")
            sender.send(action.refused(""))
        else:
            held = _Held(action, sender, receiver)
            task = asyncio.ensure_future(self._hold(held))
            sender.held[held.key] = held, task
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _of_agent(self, message: RpcMessage, of: MessageId) -> AgentAction | None:
        session = self._sessions.of(message.params.get("sessionId"))
        if message.method == PERMISSION:
            call = message.params.get("toolCall")
            known = session.told_of(call.get("toolCallId")) if isinstance(call, dict) else {}
            return asked_permission(message, of, known, session.cwd)
        if message.method == WRITE:
            return written_file(message, of)
        if message.method == TERMINAL:
            return started_terminal(message, of, session.cwd)
        return mcp_call(message, of) if message.method == MCP_MESSAGE else None

    def _of_editor(self, message: RpcMessage, of: MessageId) -> AgentAction | None:
        if message.method not in (SET_MODE, SET_OPTION):
            return None
        refuse_variants(message.params, ("sessionId", "modeId", "configId", "value", "type", "_meta"), of)
        session = self._sessions.of(text_parameter(message, "sessionId", of))
        if message.method == SET_MODE:
            title = session.title_of_mode(text_parameter(message, "modeId", of))
        else:
            title = session.title_of_option(text_parameter(message, "configId", of), message.params.get("value"))
        return None if title is None else change_of_settings(message, of, title)

    # -- What is decided.

    async def _hold(self, held: _Held) -> None:
        """Answer an action, or pass it on, once it is decided."""
        action = held.action
        session = self._sessions.of(action.session)
        try:
            if await asyncio.to_thread(session.is_approved, action):
                self._approve(held)
                return
            decision = await session.decide(action)
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing runs, and whoever asked is told
            words = f"Not run: a fault in signoff itself ({type(error).__name__}: {error})"
            self._complain(words)
            self._end(held, action.refused(words))
            return
        if decision.approved is True:
            self._approve(held)
            return
        words = denial_text(decision)
        if decision.source is DecisionSource.ERROR:
            self._complain(words)
        if decision.hard and action.session and held.sender is self._agent and held.key in held.sender.held:
            self._agent.send(_stop(action.session))
            self._end(held, action.cancelled(words))
            self._cancel(action.session, "the reviewer stopped the turn")
        else:
            self._end(held, action.refused(words))

    def _approve(self, held: _Held) -> None:
        if held.action.permission is not None:
            self._end(held, held.action.approved())
        elif held.sender.held.pop(held.key, None) is not None:
            held.sender.passed[held.key] = held.action.message
            held.receiver.send(held.action.message.line)

    def _end(self, held: _Held, answer: bytes) -> None:
        """Answer an action that is still held; one that was cancelled has its answer."""
        if held.sender.held.pop(held.key, None) is not None:
            held.sender.send(answer)

    def _cancel(self, session: object, words: str) -> None:
        """Take back all that the agent asks in a session, as its protocol wants it when a turn is cancelled."""
        self._sessions.of(session).end_turn()
        for held, task in list(self._agent.held.values()):
            if held.action.session == session:
                self._end(held, held.action.cancelled(f"Not run: {words}"))
                task.cancel()

    # -- What is learnt.

    def _learn_request(self, message: RpcMessage, sender: _Side) -> None:
        if sender is not self._editor:
            return
        if message.method in (_LOAD, _RESUME):
            self._sessions.begin(message.params.get("sessionId"), message.params.get("cwd"))
        elif message.method == _PROMPT:
            session = self._sessions.of(message.params.get("sessionId"))
            blocks = message.params.get("prompt")
            texts = (
                [each.get("text") for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []
            )
            session.subject = session.subject or next((text for text in texts if isinstance(text, str)), "")

    def _learn_answer(self, asked: RpcMessage, answer: RpcMessage) -> None:
        result = answer.body.get("result")
        found = result if isinstance(result, dict) else {}
        if asked.method == _INITIALIZE:
            self._sessions.learn_agent(found)
        elif asked.method == _PROMPT:
            self._sessions.of(asked.params.get("sessionId")).end_turn()
        elif asked.method in (_NEW, _LOAD, _RESUME, _FORK):
            new = found.get("sessionId") or asked.params.get("sessionId")
            self._sessions.begin(new, asked.params.get("cwd")).learn_settings(found)

    def _refuse(self, refused: RefusedMessage, sender: _Side, receiver: _Side) -> None:
        self._complain(f"a message of the {sender.name} is not passed on: {refused}")
        if not refused.answers:
            if refused.of is not None:
                sender.send(error_reply(refused))
        elif receiver.passed.pop(str(refused.of), None) is not None:  # which else would wait for ever
            receiver.send(error_reply(refused))


def _stop(session: str) -> bytes:
    return encoded({"jsonrpc": "2.0", "method": CANCEL_SESSION, "params": {"sessionId": session}})
