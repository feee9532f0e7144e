"""What a reviewer approved in place of what was asked: other contents of files, or other arguments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from signoff.canonical import digest

__all__ = ["EDIT", "PARTIAL", "Instead"]

PARTIAL = "partial"
"""What an agent supports that writes the contents a reviewer approved, whatever it asked to write."""

EDIT = "edit"
"""What an agent supports that runs a call with the arguments a reviewer approved, once its own checks passed."""

_MOST_CONTENTS = 1_000
_MOST_WORDS = 10_000
_LONGEST_WORDS = 4_096
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Instead:
    """Exactly what runs in place of what was asked, once.

    Either contents or arguments, never both: contents are of a call whose files are known, arguments of one that
    declares no effects.

    Attributes:
        contents: Hash of the whole content to write, by absolute path. What is not named is written as asked.
        arguments: All arguments of the call, or None if they are those that were asked.
        refused: For the agent, one each: what of its call was refused or changed, such as ``app.py lines 40-52``.
        summary: For people: what was approved, such as ``3 of 5 hunks``.
        blobs: The contents, by hash.

    Raises:
        ValueError: It is both or neither, or has a field of a wrong type or size.
    """

    contents: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] | None = None
    refused: tuple[str, ...] = ()
    summary: str = ""
    blobs: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not all(_is_object(each) for each in (self.contents, self.arguments or {})):
            raise ValueError("what runs instead is contents by path, or arguments")
        if bool(self.contents) == (self.arguments is not None):
            raise ValueError("what runs instead is either contents or arguments")
        if len(self.contents) > _MOST_CONTENTS or not all(map(_is_path, self.contents)):
            raise ValueError(f"what is written instead has absolute paths, at most {_MOST_CONTENTS}")
        if not all(map(_is_hash, self.contents.values())):
            raise ValueError("what is written instead is named by its SHA-256")
        if not _is_tuple(self.refused) or len(self.refused) > _MOST_WORDS:
            raise ValueError(f"what was refused is a tuple of at most {_MOST_WORDS} texts")
        if not all(_is_text(words) for words in (*self.refused, self.summary)):
            raise ValueError(f"what was refused is told in texts of at most {_LONGEST_WORDS} characters")

    @classmethod
    def of_contents(
        cls, contents: Mapping[str, bytes], *, refused: tuple[str, ...] = (), summary: str = ""
    ) -> Self:
        """Return what writes these contents, by absolute path."""
        blobs = {hashlib.sha256(data).hexdigest(): data for data in contents.values()}
        hashes = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        return cls(contents=hashes, refused=refused, summary=summary, blobs=blobs)

    @property
    def needs(self) -> str:
        """What the agent must support."""
        return PARTIAL if self.contents else EDIT

    @property
    def digest(self) -> str:
        """SHA-256 of all that runs instead.

        Raises:
            NotJsonError: The arguments are not JSON.
        """
        arguments = None if self.arguments is None else dict(self.arguments)
        return digest({"contents": dict(self.contents), "arguments": arguments})

    def content(self, path: str) -> bytes | None:
        """The content to write to a path, or None if it is the one that was asked.

        Raises:
            KeyError: It is not at hand.
        """
        return self.blobs[self.contents[path]] if path in self.contents else None

    @property
    def at_hand(self) -> bool:
        """Whether every content is here, and is the one that is named."""
        return all(
            sha256 in self.blobs and hashlib.sha256(self.blobs[sha256]).hexdigest() == sha256
            for sha256 in self.contents.values()
        )

    @property
    def words(self) -> str:
        """What was approved and what was refused, in one line; texts of the agent may be in it."""
        approved = f"approved with changes: {self.summary}" if self.summary else "approved with changes"
        return f"{approved}; refused: {', '.join(self.refused)}" if self.refused else approved

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object, without the contents themselves."""
        return {
            "contents": dict(self.contents),
            "arguments": None if self.arguments is None else dict(self.arguments),
            "refused": list(self.refused),
            "summary": self.summary,
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, value: Any) -> Self | None:
        """Return what a JSON object says; None for None.

        Raises:
            ValueError, TypeError, KeyError: The value is damaged.
        """
        if value is None:
            return None
        found = cls(value["contents"], value["arguments"], tuple(value["refused"]), value["summary"])
        if found.digest != value["digest"]:
            raise ValueError("what runs instead is not what its digest says")
        return found


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_tuple(value: object) -> bool:
    return isinstance(value, tuple)


def _is_path(value: object) -> bool:
    return type(value) is str and value.startswith("/") and len(value) <= _LONGEST_WORDS


def _is_hash(value: object) -> bool:
    return type(value) is str and len(value) == 64 and _HEX.issuperset(value)


def _is_text(value: object) -> bool:
    return type(value) is str and len(value) <= _LONGEST_WORDS
