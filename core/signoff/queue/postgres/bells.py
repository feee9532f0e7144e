"""Wake-ups: the writing transaction notifies, one listener in each process rings the bells of its sleepers.

``NOTIFY`` is delivered when the transaction is visible, never for one that was rolled back
(https://www.postgresql.org/docs/current/sql-notify.html).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator

from signoff.queue.bells import Bell

__all__ = ["LONGEST_PAYLOAD", "LocalBells", "payloads"]

LONGEST_PAYLOAD = 7_999
"""Most bytes that one notification takes."""


class LocalBells:
    """The bells of the sleepers of one connection. Any thread may hang and ring them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._hanging: dict[str, set[int]] = {}

    def hang(self, key: str) -> Bell:
        """Put up a bell.

        Raises:
            OSError: There are too many open files.
        """
        heard, rung = os.pipe()
        os.set_blocking(heard, False)
        os.set_blocking(rung, False)
        word = _word(key)
        with self._guard:
            self._hanging.setdefault(word, set()).add(rung)
        return Bell(heard, lambda: self._take_down(word, rung))

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key."""
        self.ring_words(_word(key))

    def ring_words(self, payload: str) -> None:
        """Wake everyone whom a payload of `payloads` concerns."""
        with self._guard:
            for word in payload.split():
                for rung in self._hanging.get(word, ()):
                    _ring(rung)

    def ring_all(self) -> None:
        """Wake everyone."""
        with self._guard:
            for bells in self._hanging.values():
                for rung in bells:
                    _ring(rung)

    def sleepers(self, *, besides: str) -> int:
        """How many bells hang, without those of one key."""
        with self._guard:
            return sum(len(bells) for word, bells in self._hanging.items() if word != _word(besides))

    def _take_down(self, word: str, rung: int) -> None:
        with self._guard:
            bells = self._hanging[word]
            bells.remove(rung)
            if not bells:
                del self._hanging[word]
            os.close(rung)


def payloads(keys: Iterable[str]) -> Iterator[str]:
    """Return what to notify so that the bells under the keys are rung: letters, digits and blanks only."""
    words: list[str] = []
    length = 0
    for word in map(_word, keys):
        if length + len(word) > LONGEST_PAYLOAD:
            yield " ".join(words)
            words, length = [], 0
        words.append(word)
        length += len(word) + 1
    if words:
        yield " ".join(words)


def _word(key: str) -> str:
    """A key in few letters that need no quoting; if two ever share them, somebody looks once in vain."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _ring(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):  # a full pipe has been rung often enough
        os.write(descriptor, b"!")
