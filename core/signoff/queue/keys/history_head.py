"""The newest record of each queue's history that a reviewer has seen, kept beside the keys.

Nothing in a queue can tell that its end was cut off, or that an older copy was put in its place. So the newest
record is noted here, where those who can write to the queue need not be able to write.

The file has a line for each queue, the one that was noted last at the end: ``SEQ HASH QUEUE-ID PLACE``. The place
is escaped, so that it has no end of line.
"""

from __future__ import annotations

from typing import NamedTuple

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KeysFolder

__all__ = ["KnownHead", "known_head", "note_head"]

_MOST = 500
"""The most queues that are noted; beyond them, those that were not noted for longest are forgotten."""


class KnownHead(NamedTuple):
    """The newest record of a queue's history.

    Attributes:
        seq: Its number.
        hash: Its hash in the chain.
        queue_id: The id of the queue.
    """

    seq: int
    hash: str
    queue_id: int


def known_head(folder: KeysFolder, place: str) -> KnownHead | None:
    """Return the noted record of the queue at a place, or None if there is none.

    Args:
        folder: The directory of the keys.
        place: The place of the queue, in words.

    Raises:
        ReviewerKeysError: The file cannot be read, or others can change it; the message says what to do.
    """
    return _parsed(folder).get(place)


def note_head(folder: KeysFolder, place: str, head: KnownHead, *, instead: bool = False) -> None:
    """Note the newest record of the queue at a place. An older record does not replace a newer one.

    Nothing is noted in a directory in which nobody has ever signed a decision.

    Args:
        folder: The directory of the keys.
        place: The place of the queue, in words.
        head: The record.
        instead: True to replace a newer record too.

    Raises:
        ReviewerKeysError: Nothing was noted; the message says what to do.
    """
    if folder.key_stamp() is None:
        return
    with folder.writing():
        known = _parsed(folder)
        before = known.get(place)
        if before == head or (before is not None and not instead and not _follows(head, before)):
            return
        known.pop(place, None)
        known[place] = head
        folder.put(folder.known_history, "".join(_line(*each) for each in [*known.items()][-_MOST:]).encode())


def _follows(head: KnownHead, before: KnownHead) -> bool:
    return head.queue_id == before.queue_id and head.seq > before.seq


def _parsed(folder: KeysFolder) -> dict[str, KnownHead]:
    content = folder.read_known_history()
    found = {}
    for number, line in enumerate((content or b"").split(b"\n"), start=1):
        if not line:
            continue
        try:
            seq, hash_, queue_id, place = line.split(b" ", 3)
            found[place.decode("unicode_escape")] = KnownHead(int(seq), hash_.decode("ascii"), int(queue_id))
        except ValueError as error:
            raise ReviewerKeysError(
                f"{folder.known_history}, line {number} is damaged ({error}); mend or remove it"
            ) from error
    return found


def _line(place: str, head: KnownHead) -> str:
    escaped = place.encode("unicode_escape").decode("ascii")
    return f"{head.seq} {head.hash} {head.queue_id} {escaped}\n"
