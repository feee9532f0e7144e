"""A reviewer's signature on a decision or a grant, as it is stored with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

__all__ = ["KEY_ID_DIGITS", "Seal"]

KEY_ID_DIGITS = 16
"""How many hexadecimal digits name a key."""

_KEY_ID = re.compile(rf"[0-9a-f]{{{KEY_ID_DIGITS}}}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Seal:
    """A signature, and whose it is. What it signs is said in `signoff.queue.statements`.

    Attributes:
        key_id: Beginning of the SHA-256 of the public key.
        signature: Ed25519, in hexadecimal digits.

    Raises:
        ValueError: It cannot be a signature.
    """

    key_id: str
    signature: str

    def __post_init__(self) -> None:
        for value, form in ((self.key_id, _KEY_ID), (self.signature, _SIGNATURE)):
            if type(value) is not str or not form.fullmatch(value):
                raise ValueError("its seal is not a key and a signature")

    def to_json(self) -> dict[str, str]:
        """Return it as a JSON object."""
        return {"key": self.key_id, "signature": self.signature}

    @classmethod
    def from_json(cls, value: Any) -> Self | None:
        """Return the seal of a JSON object; None for None.

        Raises:
            ValueError, TypeError, KeyError: The value is damaged.
        """
        return None if value is None else cls(value["key"], value["signature"])
