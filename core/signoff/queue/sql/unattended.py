"""One notice on standard error, for the person who started an agent: it waits, and nobody has a screen open."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import time

from signoff.queue.errors import QueueError
from signoff.queue.records import StoredRequest
from signoff.queue.sql.engine import Engine

__all__ = ["UnattendedNotice"]

_PATIENCE_SECONDS = 10.0

_guard = threading.Lock()
_given = False  # once in a process


class UnattendedNotice:
    """Decides for one wait when the notice is due."""

    def __init__(self) -> None:
        self._due_at = time.monotonic() + _PATIENCE_SECONDS

    @property
    def due(self) -> bool:
        """True if it is time to look for a screen."""
        return not _given and time.monotonic() >= self._due_at

    def give(self, engine: Engine, request: StoredRequest) -> None:
        """Say that a request waits and no screen is open, unless one is open or that was said. Never fails.

        Args:
            engine: The connection to the queue.
            request: One that waits.
        """
        self._due_at = time.monotonic() + _PATIENCE_SECONDS
        try:
            if engine.attended():
                return
        except QueueError:  # the wait itself finds out
            return
        if not _is_first():
            return
        command = f"signoff --queue {_shell_word(engine.option)}" if engine.option else "signoff"
        # Whoever started the agent may have closed standard error.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(
                f"signoff: {_printable(request.submission.tool_name)} waits for an answer, and no screen is open;"
                f" to review it, type: {command}\n"
            )
            sys.stderr.flush()


def _is_first() -> bool:
    global _given
    with _guard:
        first, _given = not _given, True
        return first


def _printable(name: str) -> str:
    """A name of at most 80 characters in which nothing moves a cursor or reorders letters."""
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name[:80])
    return f"{shown}…" if len(name) > 80 else shown


def _shell_word(text: str) -> str:
    """A text as one word of a shell, in printable characters."""
    if text.isprintable():
        return shlex.quote(text)
    signs = (
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(text)
    )
    return f"$'{''.join(signs)}'"
