"""Advisory locks: whole numbers of 64 bits, or two of 32, that the server lets sessions hold."""

from __future__ import annotations

import hashlib

__all__ = ["agent_lock", "queue_lock", "screens_lock"]


def queue_lock(schema: str) -> int:
    """The lock that the one writer of a queue holds."""
    return _number(f"signoff queue {schema}")


def agent_lock(schema: str, agent_id: str) -> int:
    """The lock that a living agent holds."""
    return _number(f"signoff agent {schema} {agent_id}")


def screens_lock(schema: str) -> int:
    """First half of the locks that screens share, of 31 bits; the other half is a time."""
    return _number(f"signoff screens {schema}") & 0x7FFF_FFFF


def _number(words: str) -> int:
    digest = hashlib.blake2b(words.encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
