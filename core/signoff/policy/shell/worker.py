"""Command lines read: at once where that is safe, else in a parser process that is kept warm.

The process has little memory and little time. If it breaks, takes too long or is not there, the line is one that
is asked about; commands that the rules block are still looked for, without a parser.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from signoff.policy.shell.plain_commands import plain_facts
from signoff.policy.shell.syntax_model import Part, ShellFacts, Word

__all__ = ["MOST_BYTES", "read_command", "words_anywhere"]

MOST_BYTES = 128 * 1024
"""Longer texts are not parsed: Linux allows no longer argument of a program (MAX_ARG_STRLEN)."""

_SECONDS = 3.0
"""The time limit for one line, and for the start of the process."""
_MOST_REMEMBERED = 1024 * 1024
"""Bytes of the answers of the process, in all, that are remembered."""
_MOST_ANSWERED = 8 * 1024 * 1024
"""Most bytes of one answer: enough for a line of `MOST_BYTES` with the shortest possible words."""
_MOST_SEARCHED = 1024 * 1024
"""Most characters in which commands are looked for without a parser; no longer text can be run."""
_NO_WORDS = re.compile(r"""[\s;&|()`<>"'\\$={}!]+""")


def read_command(text: str) -> ShellFacts:
    """Find the simple commands in a text for ``bash -c``.

    Args:
        text: The text.

    Returns:
        The facts. For a text that could not be read there is a floor.
    """
    if len(text) > MOST_BYTES:
        return _unread(text, "is longer than a shell takes")
    facts = plain_facts(text)
    if facts is not None:
        return facts
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return _unread(text, "is not text that can be encoded")
    if b"\0" in source:
        return _unread(text, "has a NUL, which ends a command early")
    if len(source) > MOST_BYTES:
        return _unread(text, "is longer than a shell takes")
    return _CHILD.read(text)


def _unread(text: str, reason: str, *, given_up: bool = False) -> ShellFacts:
    """The facts of an unread text: each of its words may begin a command that rules block."""
    return ShellFacts((), (reason,), anywhere=(words_anywhere(text),), broken=True, given_up=given_up)


def words_anywhere(text: str) -> tuple[Word, ...]:
    """Split a text that no parser reads into words, without quotes and operators.

    Args:
        text: Any text; of a very long one the beginning is taken.
    """
    known: dict[str, Word] = {}
    found = (word for word in _NO_WORDS.split(text[:_MOST_SEARCHED]) if word)
    return tuple([known.get(word) or known.setdefault(word, Word(word)) for word in found])


class _Child:
    """The process that parses, started when it is first needed and again after it broke."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._remembered: OrderedDict[str, tuple[ShellFacts, int]] = OrderedDict()
        self._size = 0

    def read(self, text: str) -> ShellFacts:
        """Have a text parsed; after any failure, the answer is a floor."""
        with self._lock:
            if text in self._remembered:
                self._remembered.move_to_end(text)
                return self._remembered[text][0]
            try:
                answer = self._ask(json.dumps(text).encode() + b"\n")
                facts, size = facts_from(json.loads(answer)), len(answer)
            except Exception as error:  # noqa: BLE001 (no failure of the parser may let a command through)
                self._stop()
                facts = _unread(text, f"could not be parsed ({type(error).__name__})", given_up=True)
                size = 2 * len(text)
            self._remember(text, facts, size)
            return facts

    def _remember(self, text: str, facts: ShellFacts, size: int) -> None:
        """Keep an answer. The newest stays however large it is: showing its parts asks for it again."""
        self._remembered[text] = facts, size
        self._size += size
        while self._size > _MOST_REMEMBERED and len(self._remembered) > 1:
            self._size -= self._remembered.popitem(last=False)[1][1]

    def _ask(self, line: bytes) -> bytes:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        deadline = time.monotonic() + _SECONDS
        answer = bytearray()
        while not answer.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                raise EOFError
            answer += piece
            if len(answer) > _MOST_ANSWERED:
                raise OverflowError
        return bytes(answer)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._stop()
            self._process, self._owner = _start(), os.getpid()
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if self._owner == os.getpid():
            process.kill()
            process.communicate()
            return
        for pipe in (process.stdin, process.stdout):  # copies; the process belongs to the parent
            if pipe is not None:
                pipe.close()
        process.returncode = 0

    def forget(self) -> None:
        """Have every text parsed again."""
        with self._lock:
            self._remembered.clear()
            self._size = 0

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()


def _start() -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[3])
    program = f"import sys; sys.path.insert(0, {root!r}); from signoff.policy.shell.parser import serve; serve()"
    return subprocess.Popen(
        [sys.executable, "-I", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # an interrupt at the terminal is not for it
    )


def facts_from(data: Any) -> ShellFacts:
    """Read the facts that `signoff.policy.shell.parser` wrote."""
    parts = tuple(map(_part, data["parts"]))
    candidates = tuple(map(_words, data["candidates"]))
    return ShellFacts(parts, tuple(data["floors"]), candidates, _words(data["writes"]), bool(data["broken"]))


def _part(data: Any) -> Part:
    given = {"piped": data["piped"], "fed": data["fed"], "reads_file": data["reads_file"]}
    return Part(_words(data["words"]), **given, joined=str(data["joined"]), writes=_words(data["writes"]))


def _words(data: Any) -> tuple[Word, ...]:
    return tuple(Word(str(text), bool(literal), str(written)) for text, literal, written in data)


_CHILD = _Child()
atexit.register(_CHILD.close)
os.register_at_fork(after_in_child=lambda: setattr(_CHILD, "_lock", threading.Lock()))
