"""The gate over standard input and output, where one client and one server exchange lines."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from signoff.adapters.gates.messages import (
    LONGEST_LINE,
    RefusedMessage,
    RpcMessage,
    encoded,
    error_reply,
    messages_in,
)
from signoff.adapters.gates.pump import Pump
from signoff.adapters.mcp_gate.answers import LIST_CHANGED, IssuedStates, ServerMessage, server_messages
from signoff.adapters.mcp_gate.decisions import CallDecider
from signoff.adapters.mcp_gate.messages import (
    CALL,
    CANCELLED,
    HELD,
    LISTING,
    WAITING,
    ToolCall,
    tool_call,
)
from signoff.adapters.mcp_gate.offered_tools import OfferedTools

__all__ = ["HEARTBEAT", "StdioGate"]

HEARTBEAT = 10.0
"""Seconds between two signs of life for a client whose call is held."""


class _Passed(NamedTuple):
    """A request that the server has not answered yet.

    Attributes:
        method: Name of the method.
        call: The call, if it is one.
        arguments: The arguments that the call runs with in place of its own; None for these.
        changes: The changes of the tools when it was passed on.
    """

    method: str
    call: ToolCall | None = None
    arguments: Mapping[str, Any] | None = None
    changes: int = 0


class StdioGate:
    """The gate between one client and one server.

    Args:
        pump: The lines to and from the server.
        decider: Decides on calls.
        complain: Tells the person who runs the host of what only they can mend.
    """

    def __init__(self, pump: Pump, decider: CallDecider, complain: Callable[[str], None]) -> None:
        self._forward, self._say = pump.forward, pump.say
        self._decider = decider
        self._complain = complain
        self._tools = OfferedTools(self._page)
        self._states = IssuedStates()
        # By the text of the id: some servers take "1" for 1.
        self._passed: dict[str, _Passed] = {}
        self._held: dict[str, asyncio.Task[None]] = {}
        self._own: dict[str, asyncio.Future[Mapping[str, Any]]] = {}

    def close(self) -> None:
        """Leave the queue."""
        self._decider.close()

    # -- From the client.

    def from_client(self, line: bytes | None) -> None:
        """Take a line of the client; None for one that is too long."""
        if line is None:
            self._refuse(RefusedMessage(f"it is longer than {LONGEST_LINE} bytes"))
            return
        for message in messages_in(line, HELD):
            try:
                if isinstance(message, RefusedMessage):
                    raise message
                self._take(message)
            except RefusedMessage as refused:
                self._refuse(refused)

    def _take(self, message: RpcMessage) -> None:
        if message.method is None:
            self._forward(message.line)
        elif message.id is None:
            self._take_notification(message)
        else:
            key = str(message.id)
            if key in self._passed or key in self._held or key in self._own:
                raise RefusedMessage("its id is that of a request that is not answered yet", message.id)
            if message.method == CALL:
                self._take_call(tool_call(message))
            else:
                self._passed[key] = _Passed(message.method, changes=self._tools.changes)
                self._forward(message.line)

    def _take_notification(self, message: RpcMessage) -> None:
        if message.method == CALL:
            self._complain("a call without an id is not passed on: nobody could be told what became of it")
            return
        if message.method == CANCELLED:
            held = self._held.get(str(message.params.get("requestId")))
            if held is not None and held.cancel():
                return
        self._forward(message.line)

    def _take_call(self, call: ToolCall) -> None:
        line = self._states.repeated(call)
        if line is not None:
            self._let_through(call, line, self._states.same(call, line))
            return
        task = self._held[str(call.id)] = asyncio.ensure_future(self._hold(call))
        # Not by the task itself: one that is cancelled before it begins never runs.
        task.add_done_callback(lambda _: self._held.pop(str(call.id)))

    async def _hold(self, call: ToolCall) -> None:
        """Answer a call, or let it through, once it is decided."""
        heart = asyncio.ensure_future(self._beat(call))
        try:
            decision = await self._decider.decide(call, self._tools)
        except Exception as error:  # noqa: BLE001 - whatever it is, the call does not run, and its client is told
            self._say(call.answer(f"Not run: a fault in signoff itself ({type(error).__name__}: {error})"))
        else:  # nothing is waited for from here on: a cancellation finds the call held, or passed on
            if not decision.approved:
                self._say(call.answer(decision.words))
            elif decision.arguments is None:
                self._let_through(call, call.message.line, None)
            else:
                self._let_through(call, call.line_with(decision.arguments), decision.arguments)
        finally:
            heart.cancel()

    def _let_through(self, call: ToolCall, line: bytes, arguments: Mapping[str, Any] | None) -> None:
        self._passed[str(call.id)] = _Passed(CALL, call, arguments)
        self._forward(line)

    async def _beat(self, call: ToolCall) -> None:
        step = 0
        while (line := call.progress(step := step + 1, WAITING)) is not None:
            self._say(line)
            await asyncio.sleep(HEARTBEAT)

    async def withdraw(self) -> None:
        """Take back all calls that are held."""
        held = list(self._held.values())
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        for future in self._own.values():
            future.cancel()

    # -- From the server.

    def from_program(self, line: bytes) -> None:
        """Take a line of the server."""
        if not self._learn(line):
            self._say(line)

    def _learn(self, line: bytes) -> bool:
        """Note what later calls depend on; true if the line is an answer to the gate itself."""
        messages = server_messages(line)
        for message in messages:
            if message.method == LIST_CHANGED:
                self._tools.forget()
            elif message.method is None and isinstance(message.id, str | int):
                own = self._own.pop(str(message.id), None)
                if own is not None:
                    if not own.done():
                        own.set_result(message.whole())
                    return len(messages) == 1
                self._learn_answer(message)
        return False

    def _learn_answer(self, message: ServerMessage) -> None:
        passed = self._passed.pop(str(message.id), None)
        if passed is None:
            return
        if passed.method == LISTING:
            self._tools.learn(message.whole().get("result"), passed.changes)
        elif passed.call is not None:
            self._states.note(passed.call, passed.arguments, message.result)

    async def _page(self, cursor: str | None, meta: Mapping[str, Any]) -> Mapping[str, Any]:
        of = f"signoff-{uuid.uuid4().hex}"
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._own[of] = answer
        params = {**({"cursor": cursor} if cursor is not None else {}), **({"_meta": dict(meta)} if meta else {})}
        self._forward(encoded({"jsonrpc": "2.0", "id": of, "method": LISTING, "params": params}))
        return await answer

    def _refuse(self, refused: RefusedMessage) -> None:
        self._complain(f"a message of the host is not passed on: {refused}")
        if not refused.answers:
            self._say(error_reply(refused))
        elif refused.of is not None:  # the server would wait for it for ever
            self._forward(error_reply(refused))
