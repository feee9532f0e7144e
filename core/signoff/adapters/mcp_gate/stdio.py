"""The gate over standard input and output, where one client and one server exchange lines."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple

from signoff.adapters.mcp_gate.answers import LIST_CHANGED, IssuedStates, ServerMessage, server_messages
from signoff.adapters.mcp_gate.decisions import CallDecider
from signoff.adapters.mcp_gate.messages import (
    CALL,
    CANCELLED,
    LISTING,
    LONGEST_LINE,
    WAITING,
    ClientMessage,
    LineSplitter,
    RefusedMessage,
    ToolCall,
    encoded,
    error_reply,
    messages_in,
    tool_call,
)
from signoff.adapters.mcp_gate.offered_tools import OfferedTools
from signoff.adapters.mcp_gate.server_process import PATIENCE, GateError, ServerProcess

__all__ = ["HEARTBEAT", "StdioGate", "run_stdio_gate"]

HEARTBEAT = 10.0
"""Seconds between two signs of life for a client whose call is held."""

_CHUNK = 2**16
_LONGEST_ANSWER = 256 * 2**20
_STOPPING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class _Passed(NamedTuple):
    """A request that the server has not answered yet.

    Attributes:
        method: Name of the method.
        call: The call, if it is one.
        arguments: The arguments that the call runs with in place of its own; None for these.
    """

    method: str
    call: ToolCall | None = None
    arguments: Mapping[str, Any] | None = None


class StdioGate:
    """The gate between one client and one server.

    Args:
        server: The server.
        decider: Decides on calls.
        incoming: The lines of the client.
        outgoing: Where the client reads.
        complain: Tells the person who runs the host of what only they can mend.
    """

    def __init__(
        self,
        server: ServerProcess,
        decider: CallDecider,
        incoming: asyncio.StreamReader,
        outgoing: asyncio.StreamWriter,
        complain: Callable[[str], None],
    ) -> None:
        self._server = server
        self._decider = decider
        self._incoming = incoming
        self._outgoing = outgoing
        self._complain = complain
        self._tools = OfferedTools(self._page)
        self._states = IssuedStates()
        # By the text of the id: some servers take "1" for 1.
        self._passed: dict[str, _Passed] = {}
        self._held: dict[str, asyncio.Task[None]] = {}
        self._own: dict[str, asyncio.Future[Mapping[str, Any]]] = {}

    async def run(self, stopped: asyncio.Future[int], unread: asyncio.Future[None]) -> int:
        """Pass on messages until one of the two sides is gone, or the gate is stopped.

        Args:
            stopped: Done with the exit code when the gate is to end.
            unread: Done when the client reads no more.

        Returns:
            The exit code: that of the server, or of `stopped`.
        """
        reading = asyncio.ensure_future(self._from_client())
        answering = asyncio.ensure_future(self._from_server())
        ends: tuple[asyncio.Future[Any], ...] = (reading, answering, stopped, unread)
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await self._withdraw()
            code = await self._server.end()
            # What it said before it ended; something that left its session may still have its output.
            await asyncio.wait({answering}, timeout=PATIENCE)
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        for task in (reading, answering):
            if not task.cancelled():
                task.result()
        return stopped.result() if stopped.done() else code

    # -- From the client.

    async def _from_client(self) -> None:
        lines = LineSplitter(LONGEST_LINE)
        while chunk := await self._incoming.read(_CHUNK):
            for line in lines.feed(chunk):
                if line is None:
                    self._refuse(RefusedMessage(f"it is longer than {LONGEST_LINE} bytes"))
                elif line.strip():
                    self._take_line(line)
            with contextlib.suppress(ConnectionError):  # then the server has ended, which is noticed elsewhere
                await self._server.input.drain()

    def _take_line(self, line: bytes) -> None:
        for message in messages_in(line):
            try:
                if isinstance(message, RefusedMessage):
                    raise message
                self._take(message)
            except RefusedMessage as refused:
                self._refuse(refused)

    def _take(self, message: ClientMessage) -> None:
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
                self._passed[key] = _Passed(message.method)
                self._forward(message.line)

    def _take_notification(self, message: ClientMessage) -> None:
        if message.method == CALL:
            self._complain("a call without an id is not passed on: nobody could be told what became of it")
            return
        if message.method == CANCELLED:
            held = self._held.get(str(message.params.get("requestId")))
            if held is not None:
                held.cancel()
                return
        self._forward(message.line)

    def _take_call(self, call: ToolCall) -> None:
        line = self._states.repeated(call)
        if line is not None:
            self._let_through(call, line, self._states.same(call, line))
            return
        self._held[str(call.id)] = asyncio.ensure_future(self._hold(call))

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
            del self._held[str(call.id)]

    def _let_through(self, call: ToolCall, line: bytes, arguments: Mapping[str, Any] | None) -> None:
        self._passed[str(call.id)] = _Passed(CALL, call, arguments)
        self._forward(line)

    async def _beat(self, call: ToolCall) -> None:
        step = 0
        while (line := call.progress(step := step + 1, WAITING)) is not None:
            self._say(line)
            await asyncio.sleep(HEARTBEAT)

    async def _withdraw(self) -> None:
        held = list(self._held.values())
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        for future in self._own.values():
            future.cancel()

    # -- From the server.

    async def _from_server(self) -> None:
        lines = LineSplitter(_LONGEST_ANSWER)
        while chunk := await self._server.output.read(_CHUNK):
            for line in lines.feed(chunk):
                if line is None:
                    raise GateError(f"the server sent a line of more than {_LONGEST_ANSWER} bytes")
                if not self._learn(line):
                    self._say(line)
            with contextlib.suppress(ConnectionError):  # then nobody reads any more, which is noticed elsewhere
                await self._outgoing.drain()

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
            self._tools.learn(message.whole().get("result"))
        elif passed.call is not None:
            self._states.note(passed.call, passed.arguments, message.result)

    async def _page(self, cursor: str | None, meta: Mapping[str, Any]) -> Mapping[str, Any]:
        of = f"signoff-{uuid.uuid4().hex}"
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._own[of] = answer
        params = {**({"cursor": cursor} if cursor is not None else {}), **({"_meta": dict(meta)} if meta else {})}
        self._forward(encoded({"jsonrpc": "2.0", "id": of, "method": LISTING, "params": params}))
        return await answer

    # -- To both.

    def _forward(self, line: bytes) -> None:
        self._server.input.write(line)

    def _say(self, line: bytes) -> None:
        self._outgoing.write(line)

    def _refuse(self, refused: RefusedMessage) -> None:
        self._complain(f"a message of the host is not passed on: {refused}")
        self._say(error_reply(refused))


async def run_stdio_gate(
    command: Sequence[str],
    decider: CallDecider,
    streams: tuple[IO[bytes], IO[bytes]],
    complain: Callable[[str], None],
) -> int:
    """Run the gate in front of a server until one of the two sides is gone; returns the exit code.

    Args:
        command: The command that starts the server.
        decider: Decides on calls.
        streams: Where the client's messages come from, and where the server's go to, both without a buffer.
        complain: Tells the person who runs the host of what only they can mend.

    Raises:
        GateError: The server cannot be started, or a stream is neither a pipe nor a socket.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    for number in _STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, _stop, stopped, 128 + number)
    incoming, outgoing, reader = await _opened(*streams)
    server = await ServerProcess.start(command)
    try:
        return await StdioGate(server, decider, incoming, outgoing, complain).run(stopped, reader.gone)
    finally:
        outgoing.close()  # once all is written
        await asyncio.wait({reader.gone}, timeout=PATIENCE)
        await asyncio.to_thread(decider.close)


class _Reader(asyncio.streams.FlowControlMixin):
    """Whoever reads what the gate writes.

    Attributes:
        gone: Done when nobody reads any more, or when the gate has closed the stream.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end."""
        super().connection_lost(exc)
        if not self.gone.done():
            self.gone.set_result(None)


async def _opened(
    source: IO[bytes], target: IO[bytes]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, _Reader]:
    loop = asyncio.get_running_loop()
    incoming = asyncio.StreamReader()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(incoming), source)
        transport, reader = await loop.connect_write_pipe(_Reader, target)
    except ValueError as error:
        raise GateError("standard input and output must be pipes or sockets, as hosts of MCP make them") from error
    return incoming, asyncio.StreamWriter(transport, reader, None, loop), reader


def _stop(stopped: asyncio.Future[int], code: int) -> None:
    if not stopped.done():
        stopped.set_result(code)
