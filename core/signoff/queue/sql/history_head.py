"""Both ends of the history, and the check that it is not less than a reviewer saw last."""

from __future__ import annotations

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import keys_folder
from signoff.queue.keys.history_head import KnownHead, known_head, note_head
from signoff.queue.sql.engine import Engine, Look, ReadOnly

__all__ = [
    "FIRST_HASH",
    "history_end",
    "history_loss",
    "history_start",
    "recall_history",
]


_TAKE = "to take it as it is: signoff history verify --accept"


def history_loss(engine: Engine) -> str:
    """Say what the history has lost of what is noted beside the keys; "" if nothing. Nothing is noted.

    Raises:
        QueueUnavailableError: The queue cannot be read.
    """
    if engine.partial:
        return ""
    try:
        known = known_head(keys_folder(), engine.name)
    except ReviewerKeysError as error:
        return f"the history cannot be compared with what you had seen: {error}"
    if known is None:
        return ""
    with engine.read() as look:
        return _loss(look, known, engine)


def recall_history(engine: Engine, *, accept: bool = False) -> str:
    """Say what `history_loss` says, and note the newest record beside the keys, unless something is missing.

    Args:
        engine: An open engine.
        accept: Note it all the same.

    Raises:
        QueueUnavailableError: The queue cannot be read.
        ReviewerKeysError: It cannot be noted.
    """
    if engine.partial:
        return ""
    folder = keys_folder()
    known = known_head(folder, engine.name)
    with engine.read() as look:
        seq, hash_ = history_end(look)
        missing = "" if known is None else _loss(look, known, engine)
    if engine.queue_id is not None and (seq or accept) and (accept or not missing):
        head = KnownHead(seq, hash_, engine.queue_id)
        if head != known and not (engine.read_only and known is not None and seq < known.seq):
            note_head(folder, engine.name, head, instead=accept)
    return missing


def _loss(look: Look, known: KnownHead, engine: Engine) -> str:
    seq, _ = history_end(look)
    begin, begin_hash = history_start(look)
    if engine.queue_id != known.queue_id:
        return f"another queue is here than the one you had seen, which had {_records(known.seq)}; {_TAKE}"
    if seq < known.seq and engine.read_only is ReadOnly.REPLICA:  # it is behind
        return ""
    if seq < known.seq:
        return (
            f"the history became shorter: you had seen {_records(known.seq)}, {seq} are there"
            f" (restored from a copy?); {_TAKE}"
        )
    if known.seq < begin:  # their deletion is on record
        return ""
    row = look.row("SELECT hash FROM history WHERE seq = ?", known.seq)
    there = begin_hash if known.seq == begin else row and row["hash"]
    return "" if there == known.hash else f"record {known.seq} of the history is not the one you had seen; {_TAKE}"


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number} records"


# -- Both ends of the history. It loads next to nothing: a status line asks for them.

FIRST_HASH = "0" * 64
"""The hash before the first record."""


def history_end(look: Look) -> tuple[int, str]:
    """Return seq and hash of the newest record; of the last deleted one, or 0, if there is none."""
    last = look.row("SELECT seq, hash FROM history ORDER BY seq DESC LIMIT 1")
    return history_start(look) if last is None else (last["seq"], last["hash"])


def history_start(look: Look) -> tuple[int, str]:
    """Return seq and hash of what the first record follows: of the last deleted one, or 0 and `FIRST_HASH`.

    If the hash of the last deleted one is not there, "" takes its place, which nothing follows.
    """
    pruned = look.number("SELECT value FROM counters WHERE name = 'pruned'")
    if not pruned:
        return 0, FIRST_HASH
    anchor = look.row("SELECT hash FROM anchors WHERE seq = ?", pruned)
    return pruned, "" if anchor is None else anchor["hash"]
