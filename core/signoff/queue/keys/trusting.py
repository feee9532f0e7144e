"""Telling whether a seal is the one of a reviewer who is trusted.

The list of reviewers is read once per process, and again when the file was changed. A seal that was found good is
not computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder, Stamp, keys_folder
from signoff.queue.keys.reviewers import TrustedReviewer, load
from signoff.queue.seal import Seal

__all__ = ["SealDoubt", "Trust", "trust_of_this_process"]

_MOST_KNOWN = 4_096
"""Most good seals that are kept in mind."""

_TELL = "to trust a reviewer: signoff reviewers --help"


class SealDoubt(Exception):  # noqa: N818 (it is no fault of the program)
    """A seal is not believed; the message says why.

    Attributes:
        forged: Whether the signature is wrong: not only missing, or of somebody unknown.
    """

    def __init__(self, message: str, *, forged: bool = False) -> None:
        super().__init__(message)
        self.forged = forged


class Trust:
    """The reviewers that this process trusts. May be shared by threads.

    Args:
        folder: Where the list of reviewers is.
    """

    def __init__(self, folder: KeysFolder) -> None:
        self._folder = folder
        self._guard = threading.Lock()
        self._stamp: Stamp | None = None
        self._reviewers: dict[str, TrustedReviewer] = {}
        self._good: set[bytes] = set()
        self._warm = False

    def require(self, seal: Seal | None, statement: Callable[[], bytes]) -> None:
        """Make sure that a reviewer who is trusted signed a statement.

        Args:
            seal: What stands with it; None if nothing does.
            statement: Makes the statement.

        Raises:
            SealDoubt: It is not so, or it cannot be told.
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
        except ValueError as error:  # what is not JSON was never signed
            raise SealDoubt(f"what it says cannot be read: {error}", forged=True) from error

    def warm_up(self) -> None:
        """Load what is needed to check a seal, while there is time."""
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
    """Return the one `Trust` that this process has for the directory of the keys as it is named now."""
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
