"""The signer of a reviewer's connection: it loads the key when it is first needed, once per process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys import deciding_key
from signoff.queue.keys.deciding_key import DecidingKey
from signoff.queue.keys.folder import keys_folder
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


_keys: dict[Path, DecidingKey] = {}


def willing_signer() -> Signer:
    """Return a signer for what counts unsigned too: a no. It signs if it can."""
    folder = keys_folder()
    try:
        key = _keys.get(folder.directory) or deciding_key.load(folder)
    except ReviewerKeysError:
        return Signer(None)
    return Signer(_keys.setdefault(folder.directory, key) if key is not None else None)


def signer_for() -> Signer:
    """Return a signer for what counts only if it is signed: a yes, and a grant.

    Raises:
        ReviewerKeysError: There is no key, and none can be made; or it cannot be read. Says what to do.
    """
    folder = keys_folder()
    key = _keys.get(folder.directory)
    if key is None:
        try:
            key = _keys.setdefault(folder.directory, deciding_key.load_or_make(folder))
        except ReviewerKeysError as error:
            raise ReviewerKeysError(f"nothing was decided, because an approval must be signed: {error}") from error
    return Signer(key)
