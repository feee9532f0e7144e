"""Identifiers of requests, grants and agent connections."""

from __future__ import annotations

import secrets

__all__ = ["ID_LETTERS", "new_id"]

ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: no letter is easily taken for another."""

_LENGTH = 20


def new_id() -> str:
    """Return a random id of 100 bits. Its first 8 letters are enough to name it in daily use."""
    bits = secrets.randbits(5 * _LENGTH)
    return "".join(ID_LETTERS[bits >> (5 * place) & 31] for place in range(_LENGTH))
