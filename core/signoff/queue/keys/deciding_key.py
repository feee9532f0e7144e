"""The secret key with which a reviewer signs decisions and grants.

It comes into being with the first approval, and with it its line in the list of trusted reviewers. An agent never
makes one: it has nothing to sign.
"""

from __future__ import annotations

import base64
import os
import pwd
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KeysFolder
from signoff.queue.keys.reviewers import KEY_BYTES, TrustedReviewer, with_line
from signoff.queue.seal import Seal

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["DecidingKey", "load", "load_or_make"]

_KIND = "ed25519-secret"


class DecidingKey:
    """A secret key, ready to sign.

    Args:
        secret: The key.
        name: How people call it.
    """

    def __init__(self, secret: Ed25519PrivateKey, name: str) -> None:
        self._secret = secret
        self.public = TrustedReviewer(secret.public_key().public_bytes_raw(), name)

    def seal(self, statement: bytes) -> Seal:
        """Sign a statement of `signoff.queue.statements`."""
        return Seal(self.public.key_id, self._secret.sign(statement).hex())


def load(folder: KeysFolder) -> DecidingKey | None:
    """Return the key that is there, or None.

    Raises:
        ReviewerKeysError: It is there and cannot be used; the message says what to do.
    """
    content = folder.read_secret()
    return None if content is None else _parse(content, folder.deciding_key)


def load_or_make(folder: KeysFolder) -> DecidingKey:
    """Return the key; if there is none, it is made, and put on the list of trusted reviewers.

    Raises:
        ReviewerKeysError: It cannot be read or made; the message says what to do.
    """
    there = load(folder)
    if there is not None:
        return there
    with folder.writing():
        there = load(folder)  # another process may have been first
        return _make(folder) if there is None else there


def _make(folder: KeysFolder) -> DecidingKey:
    key = DecidingKey(_library().generate(), _name())
    # The list first: if we are stopped in between, it names a key that nobody has, which is harmless.
    with_line(folder, key.public)
    secret = base64.b64encode(key._secret.private_bytes_raw()).decode("ascii")  # noqa: SLF001 (made here)
    text = f"# Signs your decisions for signoff. Keep it to yourself.\n{_KIND} {secret} {key.public.name}\n"
    folder.put(folder.deciding_key, text.encode("utf-8"))
    return key


def _parse(content: bytes, path: Path) -> DecidingKey:
    try:
        lines = [line for line in content.decode("utf-8").splitlines() if line and not line.startswith("#")]
        (line,) = lines
        kind, encoded, name = line.split(maxsplit=2)
        secret = base64.b64decode(encoded, validate=True)
    except ValueError:
        kind, secret, name = "", b"", ""  # without the cause: it may quote the secret
    if kind != _KIND or len(secret) != KEY_BYTES:
        raise ReviewerKeysError(
            f"{path} is damaged, so nothing can be signed; restore it from a backup, or move it away:"
            " the next approval makes a new key"
        )
    return DecidingKey(_library().from_private_bytes(secret), name)


def _library() -> type[Ed25519PrivateKey]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise ReviewerKeysError(
            f"signing decisions needs cryptography ({error}); install it with: pip install cryptography"
        ) from error
    return Ed25519PrivateKey


def _name() -> str:
    try:
        login = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # containers run as users that nobody named
        login = f"user-{os.getuid()}"
    name = "".join(letter if letter.isprintable() else "?" for letter in f"{login}@{socket.gethostname()}")
    return name[:200]
