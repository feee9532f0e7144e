"""The reviewer's secret key, and the signer that loads it when a decision or a grant is made.

The key is made with the first approval, or when the first screen that showed a request closes, together with its
line in the list of trusted reviewers. An agent never makes one: it has nothing to sign.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import pwd
import socket
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import KeysFolder, Stamp, keys_folder
from signoff.queue.keys.signatures import grant_statement, statement_about
from signoff.queue.keys.trust import KEY_BYTES, TrustedReviewer, with_line
from signoff.queue.records import AgentRecord, Decision, Grant, Seal, StoredRequest

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


__all__ = [
    "DecidingKey",
    "Signer",
    "agents_without_trust",
    "load",
    "load_or_make",
    "own_code",
    "signer_for",
    "willing_signer",
]


_KIND = "ed25519-secret"


class DecidingKey:
    """A secret key. Its codes need no library; signing does.

    Args:
        secret: The raw key.
        name: Its name for people.
    """

    def __init__(self, secret: bytes, name: str) -> None:
        self._secret = secret
        self._name = name

    @cached_property
    def _private(self) -> Ed25519PrivateKey:
        return _library().from_private_bytes(self._secret)

    @cached_property
    def public(self) -> TrustedReviewer:
        """The reviewer that the key makes known.

        Raises:
            ReviewerKeysError: The library for signatures is missing.
        """
        return TrustedReviewer(self._private.public_key().public_bytes_raw(), self._name)

    def line(self) -> str:
        """The line of the file of the key, without an end of line."""
        return f"{_KIND} {base64.b64encode(self._secret).decode('ascii')} {self._name}"

    def seal(self, statement: bytes) -> Seal:
        """Sign a statement of `signoff.queue.keys.signatures`.

        Raises:
            ReviewerKeysError: The library for signatures is missing.
        """
        return Seal(self.public.key_id, self._private.sign(statement).hex())

    def code(self, purpose: str, content: bytes) -> str:
        """Return a code that only the holder of the key can make: HMAC-SHA256 with a key of the purpose's own.

        Args:
            purpose: The kind of content; codes of one kind fit no other.
            content: The content.
        """
        derived = hashlib.sha256(f"signoff {purpose}\0".encode() + self._secret).digest()
        return hmac.new(derived, content, "sha256").hexdigest()


def own_code(purpose: str, content: bytes, *, make: bool = False) -> str | None:
    """Return a code for content that only this reviewer's programs make; None if there is no key.

    Args:
        purpose: The kind of content.
        content: The content.
        make: True to make the key if there is none.

    Raises:
        ReviewerKeysError: The key cannot be used; the message says what to do.
    """
    key = load_or_make(keys_folder()) if make else load(keys_folder())
    return None if key is None else key.code(purpose, content)


def load(folder: KeysFolder) -> DecidingKey | None:
    """Return the key, or None if there is none.

    Raises:
        ReviewerKeysError: The key cannot be used; the message says what to do.
    """
    content = folder.read_secret()
    return None if content is None else _parse(content, folder.deciding_key)


def load_or_make(folder: KeysFolder) -> DecidingKey:
    """Return the key; if there is none, make one and put it on the list of trusted reviewers.

    Raises:
        ReviewerKeysError: The key cannot be read or made; the message says what to do.
    """
    there = load(folder)
    if there is not None:
        return there
    with folder.writing():
        there = load(folder)  # another process may have been first
        return _make(folder) if there is None else there


def _make(folder: KeysFolder) -> DecidingKey:
    key = DecidingKey(_library().generate().private_bytes_raw(), _name())
    # The list first: if the process ends in between, it names a key that nobody has, which is harmless.
    with_line(folder, key.public)
    text = f"# Signs your decisions for signoff. Keep it to yourself.\n{key.line()}\n"
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
    return DecidingKey(secret, name)


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


# -- The signer of a reviewer's connection: it loads the key on first use, and again after it was replaced.


class Signer:
    """The signer of decisions and grants.

    Args:
        key: The secret key; None signs nothing, which is enough for a no.

    Raises:
        ReviewerKeysError: The library for signatures is missing.
    """

    def __init__(self, key: DecidingKey | None) -> None:
        self._key = key
        if key is not None:
            _library()  # now: a no can still do without a signature, once it is being written it cannot

    def decision(self, request: StoredRequest, decision: Decision) -> Decision:
        """Return the decision with a seal that holds for this request only."""
        if self._key is None:
            return replace(decision, seal=None)
        return replace(decision, seal=self._key.seal(statement_about(request, decision)))

    def grant(self, grant: Grant) -> Grant:
        """Return the grant with a seal."""
        return grant if self._key is None else replace(grant, seal=self._key.seal(grant_statement(grant)))


_keys: dict[Path, tuple[Stamp, DecidingKey]] = {}


def agents_without_trust(records: Iterable[AgentRecord]) -> tuple[tuple[str, str], ...]:
    """Return name and session of each agent that says whom it trusts, and not the reviewer who decides here.

    Without a key none is returned: nothing was approved before. An agent on this machine that trusts nobody is
    left out, for it has mostly asked before.
    """
    with contextlib.suppress(ReviewerKeysError):
        key = _key(keys_folder(), load)
        if key is not None:
            return tuple(
                dict.fromkeys(
                    (each.name, each.session)
                    for each in records
                    if each.trusts is not None
                    and (each.trusts or each.host != os.uname().nodename)
                    and key.public.key_id not in each.trusts
                )
            )
    return ()


def willing_signer() -> Signer:
    """Return a signer for a no, which counts unsigned too: it signs if it can."""
    folder = keys_folder()
    try:
        return Signer(_key(folder, load))
    except ReviewerKeysError:
        return Signer(None)


def signer_for() -> Signer:
    """Return a signer for a yes or a grant, which count only if signed.

    Raises:
        ReviewerKeysError: There is no key, and none can be made; or it cannot be read. Says what to do.
    """
    folder = keys_folder()
    try:
        return Signer(_key(folder, load_or_make))
    except ReviewerKeysError as error:
        raise ReviewerKeysError(f"nothing was decided, because an approval must be signed: {error}") from error


def _key(folder: KeysFolder, load: Callable[[KeysFolder], DecidingKey | None]) -> DecidingKey | None:
    """The key whose file is there now: a signature by an older key may no longer be trusted."""
    stamp = folder.key_stamp()
    known = _keys.get(folder.directory)
    if known is not None and known[0] == stamp:
        return known[1]
    key = load(folder)
    stamp = folder.key_stamp() if stamp is None else stamp
    if key is not None and stamp is not None:
        _keys[folder.directory] = stamp, key
    return key
