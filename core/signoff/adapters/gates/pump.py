"""The pump of a gate: it passes lines between a client, at its standard streams, and a program that it starts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from typing import IO, Any, Protocol

from signoff.adapters.gates.child_process import PATIENCE, ChildProcess, GateError
from signoff.adapters.gates.messages import LONGEST_LINE, LineSplitter

__all__ = ["LineGate", "Pump", "run_gate", "standard_streams"]

_CHUNK = 2**16
_LONGEST_ANSWER = 256 * 2**20
_STOPPING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class LineGate(Protocol):
    """A gate: it decides what becomes of each line."""

    def from_client(self, line: bytes | None) -> None:
        """Take a line of the client; None for one of more than `LONGEST_LINE` bytes."""
        ...

    def from_program(self, line: bytes) -> None:
        """Take a line of the program."""
        ...

    async def withdraw(self) -> None:
        """Take back all that a person is asked about: nobody is there any more to use the answer."""
        ...

    def close(self) -> None:
        """Leave the queue; called in a thread."""
        ...


class Pump:
    """The two streams of lines.

    Args:
        program: The program.
        incoming: The lines of the client.
        outgoing: Where the client reads.
    """

    def __init__(
        self, program: ChildProcess, incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter
    ) -> None:
        self._program = program
        self._incoming = incoming
        self._outgoing = outgoing

    def forward(self, line: bytes) -> None:
        """Send a line to the program."""
        self._program.input.write(line)

    def say(self, line: bytes) -> None:
        """Send a line to the client."""
        self._outgoing.write(line)

    async def run(self, gate: LineGate, stopped: asyncio.Future[int], unread: asyncio.Future[None]) -> int:
        """Pass on lines until one of the two sides is gone, or the gate is stopped.

        Args:
            gate: The gate.
            stopped: Done with the exit code when the gate is to end.
            unread: Done when the client reads no more.

        Returns:
            The exit code: that of the program, or of `stopped`.
        """
        reading = asyncio.ensure_future(self._from_client(gate))
        answering = asyncio.ensure_future(self._from_program(gate))
        ended = asyncio.ensure_future(self._program.ended())
        ends: tuple[asyncio.Future[Any], ...] = (reading, answering, ended, stopped, unread)
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reading, ended):
                task.cancel()
            await asyncio.gather(reading, ended, return_exceptions=True)
            await gate.withdraw()
            code = await self._program.end()
            # What it said before it ended; something that left its session may still have its output.
            await asyncio.wait({answering}, timeout=PATIENCE)
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            await gate.withdraw()  # what that asked for
        for task in (reading, answering):
            if not task.cancelled():
                task.result()
        return stopped.result() if stopped.done() else code

    async def _from_client(self, gate: LineGate) -> None:
        lines = LineSplitter(LONGEST_LINE)
        while chunk := await self._incoming.read(_CHUNK):
            for line in lines.feed(chunk):
                if line is None or line.strip():
                    gate.from_client(line)
            with contextlib.suppress(ConnectionError):  # then the program has ended, which is noticed elsewhere
                await self._program.input.drain()

    async def _from_program(self, gate: LineGate) -> None:
        lines = LineSplitter(_LONGEST_ANSWER)
        while chunk := await self._program.output.read(_CHUNK):
            for line in lines.feed(chunk):
                if line is None:
                    raise GateError(f"the program sent a line of more than {_LONGEST_ANSWER} bytes")
                gate.from_program(line)
            with contextlib.suppress(ConnectionError):  # then nobody reads any more, which is noticed elsewhere
                await self._outgoing.drain()


async def run_gate(
    command: Sequence[str], streams: tuple[IO[bytes], IO[bytes]], gate_of: Callable[[Pump], LineGate]
) -> int:
    """Run a gate in front of a program until one of the two sides is gone; returns the exit code.

    Args:
        command: The command that starts the program.
        streams: Where the client's lines come from, and where the program's go to, both without a buffer.
        gate_of: Makes the gate.

    Raises:
        GateError: The program cannot be started, or a stream is neither a pipe nor a socket.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    for number in _STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, _stop, stopped, 128 + number)
    incoming, outgoing, reader = await _opened(*streams)
    pump = Pump(await ChildProcess.start(command), incoming, outgoing)
    gate = gate_of(pump)
    try:
        return await pump.run(gate, stopped, reader.gone)
    finally:
        outgoing.close()  # once all is written
        await asyncio.wait({reader.gone}, timeout=PATIENCE)
        await asyncio.to_thread(gate.close)


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take over standard input and output: whatever a library prints from now on is no message."""
    streams = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return streams


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
        raise GateError("standard input and output must be pipes or sockets, as clients make them") from error
    return incoming, asyncio.StreamWriter(transport, reader, None, loop), reader


def _stop(stopped: asyncio.Future[int], code: int) -> None:
    if not stopped.done():
        stopped.set_result(code)
