"""Both ends of the history. It loads next to nothing: a status line asks for them."""

from __future__ import annotations

from signoff.queue.sql.engine import Look

__all__ = ["FIRST_HASH", "head", "start"]

FIRST_HASH = "0" * 64
"""What the first record follows."""


def head(look: Look) -> tuple[int, str]:
    """Return seq and hash of the newest record; of the last deleted one, or 0, if there is none."""
    last = look.row("SELECT seq, hash FROM history ORDER BY seq DESC LIMIT 1")
    return start(look) if last is None else (last["seq"], last["hash"])


def start(look: Look) -> tuple[int, str]:
    """Return seq and hash of what the first record follows: of the last deleted one, or 0 and `FIRST_HASH`.

    If the hash of the last deleted one is not there, "" takes its place, which nothing follows.
    """
    pruned = look.number("SELECT value FROM counters WHERE name = 'pruned'")
    if not pruned:
        return 0, FIRST_HASH
    anchor = look.row("SELECT hash FROM anchors WHERE seq = ?", pruned)
    return pruned, "" if anchor is None else anchor["hash"]
