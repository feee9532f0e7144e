"""The amendment of an approved call: other contents of files, or other arguments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from signoff.canonical import NotJsonError, canonical, digest

__all__ = ["EDIT", "PARTIAL", "Instead", "command_argument", "named_command", "why_not_arguments"]

PARTIAL = "partial"
"""Support for contents: the agent writes the approved contents, whatever it asked to write."""

EDIT = "edit"
"""Support for arguments: the agent runs the approved arguments, once its own checks passed.

Of a call that declares effects only a command line can be edited, and only if running it is all that the call
does: what any other argument would do was shown to nobody.
"""

_MOST_CONTENTS = 1_000
_MOST_WORDS = 10_000
_LONGEST_WORDS = 4_096
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Instead:
    """The part of a call that runs changed, once.

    Either contents or arguments, never both: contents are of a call whose files are known, arguments of one that
    declares no effects, or that only runs a command.

    Attributes:
        contents: Hash of the whole content to write, by absolute path. Other files are written as asked.
        arguments: All arguments of the call, or None for those that were asked.
        refused: The refused or changed parts of its call, for the agent, such as ``app.py lines 40-52``.
        summary: The approved part in words for people, such as ``3 of 5 hunks``.
        blobs: The contents, by hash.

    Raises:
        ValueError: It has both or neither, or a field has a wrong type or size.
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
        """Return an amendment that writes these contents, by absolute path."""
        blobs = {hashlib.sha256(data).hexdigest(): data for data in contents.values()}
        hashes = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        return cls(contents=hashes, refused=refused, summary=summary, blobs=blobs)

    @property
    def needs(self) -> str:
        """The support that the agent must have: `PARTIAL` or `EDIT`."""
        return PARTIAL if self.contents else EDIT

    @property
    def digest(self) -> str:
        """SHA-256 of everything that runs instead.

        Raises:
            NotJsonError: The arguments are not JSON.
        """
        arguments = None if self.arguments is None else dict(self.arguments)
        return digest({"contents": dict(self.contents), "arguments": arguments})

    def content(self, path: str) -> bytes | None:
        """Return the content to write to a path, or None if it is the one that was asked.

        Raises:
            KeyError: The content is not among the blobs.
        """
        return self.blobs[self.contents[path]] if path in self.contents else None

    @property
    def at_hand(self) -> bool:
        """True if every content is among the blobs and has the hash that it is named by."""
        return all(
            sha256 in self.blobs and hashlib.sha256(self.blobs[sha256]).hexdigest() == sha256
            for sha256 in self.contents.values()
        )

    @property
    def words(self) -> str:
        """The approved and the refused parts, in one line; texts of the agent may be in it."""
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
        """Return the amendment of a JSON object; None for None.

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


# -- The command line of a call that does nothing but run it.


class _CallSteps(Protocol):
    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def snapshot(self) -> Mapping[str, Any] | None: ...


def named_command(arguments: Mapping[str, Any], command: object) -> str | None:
    """Return the name of the one argument that is a command line; None if there is none, or several are."""
    names = [name for name, value in arguments.items() if type(value) is str and value == command]
    return names[0] if len(names) == 1 else None


def command_argument(call: _CallSteps) -> str | None:
    """Return the name of the argument that is the command line of a call, if running that is all that it does."""
    steps = _steps(call)
    step = steps[0] if len(steps) == 1 else None
    if not isinstance(step, Mapping) or step.get("kind") != "command":
        return None
    return named_command(call.arguments, step.get("command"))


def why_not_arguments(call: _CallSteps, arguments: Mapping[str, Any]) -> str | None:
    """Say why a call cannot be approved with other arguments; None if it can, as far as its effects go."""
    try:
        canonical(dict(arguments))
    except NotJsonError as error:
        return f"the arguments are not JSON: {error}"
    if not _steps(call):
        return None
    name = command_argument(call)
    if name is None:
        return "with other arguments it would do what nobody was shown"
    command = arguments.get(name)
    if type(command) is not str or not command.strip():
        return "there is no command left to run"
    if canonical({**arguments, name: ""}) != canonical({**call.arguments, name: ""}):
        return "only its command line can be changed"
    return None


def _steps(call: _CallSteps) -> list[Any]:
    steps = (call.snapshot or {}).get("steps")
    return steps if isinstance(steps, list) else []
