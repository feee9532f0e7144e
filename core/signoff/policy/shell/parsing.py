"""Reading command lines: at once where that is safe, else in a process of its own that is kept warm.

The process has little memory and little time. If it breaks, takes too long or is not there, the line is one that
is asked about; what the rules block is still looked for, as well as that can be done without parsing.
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
from functools import lru_cache
from pathlib import Path
from typing import Any

from signoff.policy.shell.facts import LONGEST_RULE, Facts, Part, Word
from signoff.policy.shell.plain import plain_facts

__all__ = ["MOST_BYTES", "read_command"]

MOST_BYTES = 128 * 1024
"""Longer texts are not parsed: Linux does not let one argument of a program be longer (MAX_ARG_STRLEN)."""

_SECONDS = 3.0
"""How long one line may take, and the start of the process."""
_REMEMBERED = 256
_MOST_REMEMBERED = 4096
"""Characters of a text that is worth remembering."""
_MOST_SEARCHED = 1024 * 1024
"""Characters in which commands are looked for where no parser helps; none so long can be run."""
_NO_WORDS = re.compile(r"""[\s;&|()`<>"'\\$={}!]+""")


def read_command(text: str) -> Facts:
    """Find the simple commands in a text for ``bash -c``.

    Args:
        text: The text.

    Returns:
        What was found. For a text that could not be read there is a floor that says so.
    """
    if len(text) > MOST_BYTES:
        return _unread(text, "is longer than a shell takes")
    facts = plain_facts(text)
    if facts is not None:
        return facts
    return _parsed(text) if len(text) <= _MOST_REMEMBERED else _parsed_last(text)


@lru_cache(maxsize=_REMEMBERED)
def _parsed(text: str) -> Facts:
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return _unread(text, "is not text that can be encoded")
    if b"\0" in source:
        return _unread(text, "has a NUL, which ends a command early")
    if len(source) > MOST_BYTES:
        return _unread(text, "is longer than a shell takes")
    return _CHILD.read(text)


@lru_cache(maxsize=1)
def _parsed_last(text: str) -> Facts:
    """The same for a long text, of which one is kept: whoever shows its parts asks about it more than once."""
    return _parsed.__wrapped__(text)


def _unread(text: str, reason: str) -> Facts:
    """Anything in the text may be a command: what the rules block is blocked where no parser helps, too."""
    words = [Word(word) for word in _NO_WORDS.split(text[:_MOST_SEARCHED]) if word]
    candidates = dict.fromkeys(tuple(words[at : at + LONGEST_RULE]) for at in range(len(words)))
    return Facts((), (reason,), tuple(candidates), broken=True)


class _Child:
    """The process that parses, started when it is first needed and again after it broke."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def read(self, text: str) -> Facts:
        """Have a text parsed; whatever goes wrong, the answer is a floor."""
        with self._lock:
            try:
                answer = self._ask(json.dumps(text).encode() + b"\n")
                return facts_from(json.loads(answer))
            except Exception as error:  # noqa: BLE001 (no failure of the parser may let a command through)
                self._stop()
                return _unread(text, f"could not be parsed ({type(error).__name__})")

    def _ask(self, line: bytes) -> bytes:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        deadline = time.monotonic() + _SECONDS
        answer = b""
        while not answer.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                raise EOFError
            answer += piece
        return answer

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
        for pipe in (process.stdin, process.stdout):  # copies; the process belongs to who forked us
            if pipe is not None:
                pipe.close()
        process.returncode = 0

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()


def _start() -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[3])
    program = f"import sys; sys.path.insert(0, {root!r}); from signoff.policy.shell.child import serve; serve()"
    return subprocess.Popen(
        [sys.executable, "-I", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # an interrupt at the terminal is not for it
    )


def facts_from(data: Any) -> Facts:
    """Facts from what `signoff.policy.shell.child` wrote."""
    parts = tuple(map(_part, data["parts"]))
    candidates = tuple(map(_words, data["candidates"]))
    return Facts(parts, tuple(data["floors"]), candidates, _words(data["writes"]), bool(data["broken"]))


def _part(data: Any) -> Part:
    given = {"piped": data["piped"], "fed": data["fed"], "reads_file": data["reads_file"]}
    return Part(_words(data["words"]), **given, joined=str(data["joined"]), writes=_words(data["writes"]))


def _words(data: Any) -> tuple[Word, ...]:
    return tuple(Word(str(text), bool(literal), str(written)) for text, literal, written in data)


_CHILD = _Child()
atexit.register(_CHILD.close)
os.register_at_fork(after_in_child=lambda: setattr(_CHILD, "_lock", threading.Lock()))
