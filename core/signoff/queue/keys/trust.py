"""The list of trusted reviewers, and the check of a seal against it.

The list of reviewers is read once per process, and again after the file was changed. A seal that was found good
is not computed again.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder, Stamp, keys_folder
from signoff.queue.records import KEY_ID_DIGITS, Seal

__all__ = [
    "KEY_BYTES",
    "SealDoubt",
    "Trust",
    "TrustedReviewer",
    "forget",
    "key_id_of",
    "load",
    "read_line",
    "trust",
    "trust_of_this_process",
    "with_line",
]


# -- The list of trusted reviewers: one public key a line, ``ed25519 BASE64 NAME``.

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
        name: Its name for people; nothing depends on it.
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
        ValueError: The line is malformed; the message says how.
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
    """Return the trusted reviewers; nobody if there is no list.

    Raises:
        ReviewerKeysError: The list cannot be read, or a line is malformed. Then nobody is trusted.
    """
    return tuple(reviewer for _, reviewer in _parsed(folder) if reviewer is not None)


def trust(folder: KeysFolder, reviewer: TrustedReviewer) -> bool:
    """Add a reviewer to the list; False if the key was already there.

    Raises:
        ReviewerKeysError: The list cannot be read or written; nothing was changed.
    """
    with folder.writing():
        return with_line(folder, reviewer)


def with_line(folder: KeysFolder, reviewer: TrustedReviewer) -> bool:
    """Do as `trust`, for a caller that holds the lock."""
    lines = _parsed(folder)
    if any(there is not None and there.public_key == reviewer.public_key for _, there in lines):
        return False
    _write(folder, [*(line for line, _ in lines), reviewer.line()])
    return True


def forget(folder: KeysFolder, key_id: str) -> tuple[TrustedReviewer, ...]:
    """Remove the reviewers with a key id from the list, unless it is ambiguous; return the ones meant.

    Args:
        folder: The directory of the list.
        key_id: A key id, or the beginning of one.

    Returns:
        Nobody if no key id begins so. If several keys do, all of them; then nothing was changed.

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


_MOST_KNOWN = 4_096
"""The most good seals that are kept in mind."""

_TELL = "to trust a reviewer: signoff reviewers --help"


class SealDoubt(Exception):  # noqa: N818 (it is no fault of the program)
    """A seal is not believed; the message says why.

    Attributes:
        forged: True if the signature is wrong, and not just missing or of somebody unknown.
    """

    def __init__(self, message: str, *, forged: bool = False) -> None:
        super().__init__(message)
        self.forged = forged


class Trust:
    """The reviewers that this process trusts. May be shared by threads.

    Args:
        folder: The directory of the list of reviewers.
    """

    def __init__(self, folder: KeysFolder) -> None:
        self._folder = folder
        self._guard = threading.Lock()
        self._stamp: Stamp | None = None
        self._reviewers: dict[str, TrustedReviewer] = {}
        self._good: set[bytes] = set()
        self._warm = False

    def require(self, seal: Seal | None, statement: Callable[[], bytes]) -> None:
        """Make sure that a trusted reviewer signed a statement.

        Args:
            seal: The signature; None if there is none.
            statement: Makes the statement.

        Raises:
            SealDoubt: No trusted reviewer signed it, or that cannot be checked.
        """
        if seal is None:
            raise SealDoubt(f"it is not signed by a reviewer; {_TELL}")
        try:
            with self._guard:
                self._refresh()
                reviewer = self._reviewers.get(seal.key_id)
            if reviewer is None:
                raise SealDoubt(
                    f"it is signed with the key {seal.key_id}, which is not trusted in {self._folder.reviewers};"
                    f" {_TELL}"
                )
            if not self._fits(reviewer, seal, statement()):
                raise SealDoubt(
                    f"the signature of {reviewer.name} was given to something else; somebody may have changed it",
                    forged=True,
                )
        except ReviewerKeysError as error:
            raise SealDoubt(str(error)) from error
        except ValueError as error:  # only JSON was ever signed
            raise SealDoubt(f"what it says cannot be read: {error}", forged=True) from error

    def key_ids(self) -> frozenset[str]:
        """The ids of the trusted keys; none if the list cannot be read, for then nobody is trusted."""
        with contextlib.suppress(ReviewerKeysError), self._guard:
            self._refresh()
            return frozenset(self._reviewers)
        return frozenset()

    def warm_up(self) -> None:
        """Load the code that checks a seal, while there is time."""
        if self._warm:
            return
        with contextlib.suppress(ReviewerKeysError), self._guard:
            self._refresh()
            _verify_with(bytes(32), bytes(64), b"")
            self._warm = True

    def _refresh(self) -> None:
        stamp = self._folder.stamp()
        if stamp is not None and stamp == self._stamp:
            return
        self._stamp, self._reviewers, self._good = None, {}, set()  # should it fail, nobody is trusted
        # Reversed, so that of two names for one key the first counts.
        self._reviewers = {reviewer.key_id: reviewer for reviewer in reversed(load(self._folder))}
        self._stamp = stamp

    def _fits(self, reviewer: TrustedReviewer, seal: Seal, statement: bytes) -> bool:
        known = hashlib.sha256(reviewer.public_key + bytes.fromhex(seal.signature) + statement).digest()
        if known in self._good:
            return True
        if not _verify_with(reviewer.public_key, bytes.fromhex(seal.signature), statement):
            return False
        with self._guard:
            if len(self._good) >= _MOST_KNOWN:
                self._good = set()
            self._good.add(known)
        return True


_processes: dict[str | None, Trust] = {}


def trust_of_this_process() -> Trust:
    """Return the one `Trust` of this process for the present directory of the keys."""
    named = os.environ.get(KEYS_VARIABLE)
    found = _processes.get(named)
    return found if found is not None else _processes.setdefault(named, Trust(keys_folder()))


def _verify_with(public_key: bytes, signature: bytes, statement: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ReviewerKeysError(
            f"checking signatures needs cryptography ({error}); install it with: pip install cryptography"
        ) from error
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, statement)
    except InvalidSignature:
        return False
    return True
