"""The signer of a reviewer's connection: it loads the key when it is needed first, or was replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys import deciding_key
from signoff.queue.keys.deciding_key import DecidingKey
from signoff.queue.keys.folder import KeysFolder, Stamp, keys_folder
from signoff.queue.records import Decision, Grant, StoredRequest
from signoff.queue.statements import grant_statement, statement_about

__all__ = ["Signer", "signer_for", "willing_signer"]


class Signer:
    """Puts a reviewer's signature on decisions and grants.

    Args:
        key: The secret key; None signs nothing, which is good enough for a no.
    """

    def __init__(self, key: DecidingKey | None) -> None:
        self._key = key

    def decision(self, request: StoredRequest, decision: Decision) -> Decision:
        """Return the decision with a seal that holds for this request only."""
        if self._key is None:
            return replace(decision, seal=None)
        return replace(decision, seal=self._key.seal(statement_about(request, decision)))

    def grant(self, grant: Grant) -> Grant:
        """Return the grant with a seal."""
        return grant if self._key is None else replace(grant, seal=self._key.seal(grant_statement(grant)))


_keys: dict[Path, tuple[Stamp, DecidingKey]] = {}


def willing_signer() -> Signer:
    """Return a signer for what counts unsigned too: a no. It signs if it can."""
    folder = keys_folder()
    try:
        return Signer(_key(folder, deciding_key.load))
    except ReviewerKeysError:
        return Signer(None)


def signer_for() -> Signer:
    """Return a signer for what counts only if it is signed: a yes, and a grant.

    Raises:
        ReviewerKeysError: There is no key, and none can be made; or it cannot be read. Says what to do.
    """
    folder = keys_folder()
    try:
        return Signer(_key(folder, deciding_key.load_or_make))
    except ReviewerKeysError as error:
        raise ReviewerKeysError(f"nothing was decided, because an approval must be signed: {error}") from error


def _key(folder: KeysFolder, load: Callable[[KeysFolder], DecidingKey | None]) -> DecidingKey | None:
    """The key whose file is there now: what was signed with one that agents no longer know helps nobody."""
    stamp = folder.key_stamp()
    known = _keys.get(folder.directory)
    if known is not None and known[0] == stamp:
        return known[1]
    key = load(folder)
    stamp = folder.key_stamp() if stamp is None else stamp
    if key is not None and stamp is not None:
        _keys[folder.directory] = stamp, key
    return key
