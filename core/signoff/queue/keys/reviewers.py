"""The list of reviewers who are trusted: one public key a line, ``ed25519 BASE64 NAME``."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KeysFolder
from signoff.queue.seal import KEY_ID_DIGITS

__all__ = ["KEY_BYTES", "TrustedReviewer", "forget", "key_id_of", "load", "read_line", "trust", "with_line"]

KEY_BYTES = 32
"""Length of a public key, and of a secret one."""

_KIND = "ed25519"
_LONGEST_NAME = 200
_HEADING = b"# Reviewers whose approvals agents of this user believe; see: signoff reviewers --help\n"


@dataclass(frozen=True, slots=True)
class TrustedReviewer:
    """A reviewer whose signatures count.

    Attributes:
        public_key: The raw key.
        name: How people call it; nothing depends on it.
    """

    public_key: bytes
    name: str

    @property
    def key_id(self) -> str:
        """Short name of the key."""
        return key_id_of(self.public_key)

    def line(self) -> str:
        """The line of the list, without an end of line."""
        return f"{_KIND} {base64.b64encode(self.public_key).decode('ascii')} {self.name}"


def key_id_of(public_key: bytes) -> str:
    """Return the short name of a key: the beginning of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:KEY_ID_DIGITS]


def read_line(line: str) -> TrustedReviewer:
    """Return the reviewer of a line of the list.

    Raises:
        ValueError: It is no such line; the message says what is wrong with it.
    """
    parts = line.split(maxsplit=2)
    if len(parts) != 3:
        raise ValueError(f"a reviewer is three words or more: {_KIND}, the key in base64, and a name")
    kind, encoded, name = parts[0], parts[1], parts[2].strip()
    if kind != _KIND:
        raise ValueError(f"the first word must be {_KIND}, and not {kind[:40]!a}")
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"the second word is not base64: {error}") from error
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, and needs {KEY_BYTES}")
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise ValueError(f"the name must be printable, of at most {_LONGEST_NAME} characters")
    return TrustedReviewer(key, name)


def load(folder: KeysFolder) -> tuple[TrustedReviewer, ...]:
    """Return the reviewers who are trusted; nobody if there is no list.

    Raises:
        ReviewerKeysError: The list cannot be read, or a line of it says something else. Then nobody is trusted.
    """
    return tuple(reviewer for _, reviewer in _parsed(folder) if reviewer is not None)


def trust(folder: KeysFolder, reviewer: TrustedReviewer) -> bool:
    """Add a reviewer to the list; False if the key was there.

    Raises:
        ReviewerKeysError: The list cannot be read or written; nothing was changed.
    """
    with folder.writing():
        return with_line(folder, reviewer)


def with_line(folder: KeysFolder, reviewer: TrustedReviewer) -> bool:
    """`trust`, for who holds the lock."""
    lines = _parsed(folder)
    if any(there is not None and there.public_key == reviewer.public_key for _, there in lines):
        return False
    _write(folder, [*(line for line, _ in lines), reviewer.line()])
    return True


def forget(folder: KeysFolder, key_id: str) -> tuple[TrustedReviewer, ...]:
    """Take the reviewers whose key id begins so from the list, if that is one key; return who was meant.

    Args:
        folder: Where the list is.
        key_id: A key id, or the beginning of one.

    Returns:
        Nobody if no key begins so. If several do, all of them; then nothing was changed.

    Raises:
        ReviewerKeysError: The list cannot be read or written; nothing was changed.
    """
    with folder.writing():
        lines = _parsed(folder)
        meant = {there for _, there in lines if there is not None and there.key_id.startswith(key_id)}
        if len({reviewer.key_id for reviewer in meant}) == 1:
            _write(folder, [line for line, there in lines if there not in meant])
        return tuple(sorted(meant, key=lambda reviewer: reviewer.key_id))


def _parsed(folder: KeysFolder) -> list[tuple[str, TrustedReviewer | None]]:
    """The lines of the list, each with its reviewer; None for comments and empty lines."""
    content = folder.read_reviewers()
    if content is None:
        return []
    found: list[tuple[str, TrustedReviewer | None]] = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8").strip()
            found.append((line, None if not line or line.startswith("#") else read_line(line)))
        except ValueError as error:
            raise ReviewerKeysError(
                f"{folder.reviewers}, line {number}: {error}; mend or remove it: until then nobody is trusted"
            ) from error
    return found


def _write(folder: KeysFolder, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines if line).encode("utf-8")
    folder.put(folder.reviewers, text if text.startswith(_HEADING) else _HEADING + text)
