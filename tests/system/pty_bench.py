"""A program in a pseudo-terminal: every byte it writes is kept, with the time at which it came."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyte

KEYS = {
    "Space": b" ",
    "Enter": b"\r",
    "Escape": b"\x1b",
    "Left": b"\x1b[D",
    "Right": b"\x1b[C",
    "C-c": b"\x03",
    "C-u": b"\x15",
}
"""What a terminal sends for keys with a name."""

WITH_TERMINAL = (sys.executable, "-S", str(Path(__file__).with_name("controlling_terminal.py")))
"""Words before a command that is to have its standard input as controlling terminal."""

_BETWEEN = 0.002
"""Seconds at most from one piece of what is written at once to the next."""

_PIECES = 64
"""Pieces after which whoever waits looks, whether or not more of them come."""


@dataclass(frozen=True)
class Traffic:
    """Bytes that passed, and when (monotonic seconds)."""

    at: float
    data: bytes


class Terminal:
    """One program in a pseudo-terminal of its own; it is killed in the end.

    Args:
        command: What to run.
        variables: Its whole environment.
        cwd: Its working directory.
        columns: Width of the terminal.
        rows: Height of the terminal.

    Attributes:
        output: What the program wrote so far.
        keys: What was typed so far.
    """

    def __init__(
        self, command: Sequence[str], variables: dict[str, str], cwd: Path, *, columns: int = 120, rows: int = 40
    ) -> None:
        self.size = (columns, rows)
        self.output: list[Traffic] = []
        self.keys: list[Traffic] = []
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._shown = ""
        self._closed = False
        self._lock = threading.Lock()
        self._news = threading.Condition()
        self.own_end, their_end = pty.openpty()
        self._set_size()
        self.process = subprocess.Popen(
            [*WITH_TERMINAL, *command],
            stdin=their_end,
            stdout=their_end,
            stderr=their_end,
            env=variables,
            cwd=cwd,
            start_new_session=True,
        )
        os.close(their_end)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def text(self) -> str:
        """What the terminal shows, one line per row."""
        with self._lock:
            news = self.output[self._fed :]
            for written in news:
                self._stream.feed(written.data)
            self._fed += len(news)
            if news or not self._shown:
                self._shown = "\n".join(self._screen.display)
            return self._shown

    def bold(self) -> str:
        """The same, with blanks for all that is not bold."""
        self.text()  # takes in what was written since
        with self._lock:
            return "\n".join(bold_of(self._screen))

    def press(self, *keys: str) -> None:
        """Press keys: characters, or names from `KEYS`."""
        for key in keys:
            self.send(KEYS.get(key) or key.encode())

    def type(self, text: str) -> None:
        """Type text as it is."""
        self.send(text.encode())

    def send(self, data: bytes) -> None:
        """Write bytes as the terminal would, without waiting for anything."""
        self.keys.append(Traffic(time.monotonic(), data))
        os.write(self.own_end, data)

    def tells(self, look: Callable[[], bool], seconds: float) -> bool:
        """Look whenever the program wrote something, until there is something to see or the time is over."""
        end = time.monotonic() + seconds
        while True:
            looked_at = len(self.output)
            if look():
                return True
            with self._news:
                if not self._news.wait_for(lambda: len(self.output) > looked_at, end - time.monotonic()):  # noqa: B023
                    return look()

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size; the program is told by the kernel."""
        self.size = (columns, rows)
        with self._lock:
            self._screen.resize(rows, columns)
        self._set_size()

    def _set_size(self) -> None:
        columns, rows = self.size
        fcntl.ioctl(self.own_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def raw(self) -> bytes:
        """All bytes that the program wrote so far."""
        return b"".join(written.data for written in tuple(self.output))

    def stop(self) -> None:
        """Stop the program, so that it sees nothing of what happens."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the program go on."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the program, as ``kill -9`` does."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Kill the program if it still runs, and read what it wrote to the end. Closing twice is harmless."""
        self.kill()
        self._reader.join()
        if not self._closed:
            self._closed = True
            os.close(self.own_end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _read(self) -> None:
        while data := self._next():
            self.output.append(Traffic(time.monotonic(), data))
            # A picture comes in many pieces: whoever looks, does it once for all of them.
            for _ in range(_PIECES):
                if not select.select([self.own_end], [], [], _BETWEEN)[0] or not (data := self._next()):
                    break
                self.output.append(Traffic(time.monotonic(), data))
            with self._news:
                self._news.notify_all()

    def _next(self) -> bytes:
        """What the program writes next; nothing if it wrote all it will."""
        try:
            return os.read(self.own_end, 65_536)
        except OSError:  # nobody has the other end open any more
            return b""


def bold_of(screen: pyte.Screen) -> list[str]:
    """The rows of a screen, with blanks for all that is not bold."""
    rows = ([screen.buffer[row][column] for column in range(screen.columns)] for row in range(screen.lines))
    return ["".join(cell.data if cell.bold else " " for cell in row) for row in rows]


def replay(output: Sequence[Traffic], size: tuple[int, int]) -> Iterator[tuple[float, list[str]]]:
    """What a terminal showed: the time and the rows after each piece of output."""
    screen = pyte.Screen(*size)
    stream = pyte.ByteStream(screen)
    for written in output:
        stream.feed(written.data)
        yield written.at, screen.display
