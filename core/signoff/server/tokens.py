"""Tokens: rights to ask, read and decide over HTTP. Only hashes of them are stored, beside the reviewer's key."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from signoff.private_files import UnsafeFileError, put, read_own
from signoff.queue.clock import now_us
from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.folder import keys_folder
from signoff.queue.records import new_id

__all__ = ["Scope", "Token", "TokenError", "TokenFile"]

_PREFIX = "signoff_"
_BYTES = 32
_LARGEST = 1_000_000
_LONGEST_NAME = 64


class TokenError(Exception):
    """The tokens cannot be read or changed; the message says what to do."""


class Scope(StrEnum):
    """A right that a token gives; each by itself."""

    ASK = "ask"
    """Start and cancel runs."""
    READ = "read"
    """See runs, requests and the history."""
    DECIDE = "decide"
    """Approve and reject."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is stored.

    Attributes:
        id: Its id, by which it is revoked.
        name: The name of its holder: decisions are recorded under it.
        scopes: The rights that it gives.
        created_at: Microseconds since the epoch.
        sha256: Hash of the text of it, which nobody keeps.
    """

    id: str
    name: str
    scopes: frozenset[Scope]
    created_at: int
    sha256: str


class TokenFile:
    """The tokens of the user of this machine.

    Args:
        path: The file; by default the one in the directory of the keys.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or keys_folder().directory / "tokens.json"
        self._known: tuple[tuple[int, ...], tuple[Token, ...]] | None = None

    def all(self) -> tuple[Token, ...]:
        """Return the tokens, in the order in which they were made.

        Raises:
            TokenError: The file cannot be read, or others can read or change it.
        """
        stamp = self._stamp()
        if self._known is None or self._known[0] != stamp:
            self._known = stamp, self._read()
        return self._known[1]

    def new(self, name: str, scopes: frozenset[Scope]) -> str:
        """Make a token and return its text, which is told this once.

        Raises:
            TokenError: The name cannot be used, there is no scope, or the file cannot be written.
        """
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise TokenError(f"a name is 1 to {_LONGEST_NAME} printable characters")
        if not scopes:
            raise TokenError("a token needs a scope: ask, read or decide")
        text = _PREFIX + secrets.token_urlsafe(_BYTES)
        token = Token(new_id(), name, scopes, now_us(), _hash(text))
        with self._writing():
            self._write((*self._read(), token))
        return text

    def revoke(self, prefix: str) -> Token:
        """Remove the token whose id begins so; it is refused from the next request on.

        Raises:
            TokenError: No token, or more than one, begins so.
        """
        with self._writing():
            tokens = self._read()
            found = [token for token in tokens if prefix and token.id.startswith(prefix)]
            if len(found) != 1:
                raise TokenError(f"{len(found)} tokens begin with {prefix!r}; see: signoff token list")
            self._write(tuple(token for token in tokens if token is not found[0]))
        return found[0]

    def holder(self, text: str) -> Token | None:
        """Return the token of a text; None if there is none. Takes as long for a wrong one.

        Raises:
            TokenError: The file cannot be read.
        """
        presented = _hash(text)
        found = None
        for token in self.all():
            if hmac.compare_digest(token.sha256, presented):
                found = token
        return found

    def still_holds(self, token: Token, scope: Scope) -> bool:
        """True if a token was not revoked and is good for something; False if that cannot be told."""
        with contextlib.suppress(TokenError):
            return any(each.id == token.id and scope in each.scopes for each in self.all())
        return False

    def _stamp(self) -> tuple[int, ...]:
        try:
            there = self._path.lstat()
        except OSError:
            return ()
        return there.st_ino, there.st_mtime_ns, there.st_size, there.st_mode, there.st_nlink

    def _read(self) -> tuple[Token, ...]:
        try:
            content = read_own(self._path, forbidden=0o077, owners=frozenset({os.geteuid()}), most=_LARGEST)
            entries = json.loads(content)["tokens"] if content else []
            return tuple(
                Token(
                    entry["id"],
                    entry["name"],
                    frozenset(Scope(scope) for scope in entry["scopes"]),
                    entry["created_at"],
                    entry["sha256"],
                )
                for entry in entries
            )
        except UnsafeFileError as error:
            raise TokenError(str(error)) from error
        except (ValueError, KeyError, TypeError) as error:
            raise TokenError(f"{self._path} is damaged ({error}); remove it and make new tokens") from error

    def _write(self, tokens: tuple[Token, ...]) -> None:
        entries = [
            {
                "id": token.id,
                "name": token.name,
                "scopes": sorted(token.scopes),
                "created_at": token.created_at,
                "sha256": token.sha256,
            }
            for token in tokens
        ]
        try:
            put(self._path, json.dumps({"tokens": entries}, indent=1).encode() + b"\n")
        except OSError as error:
            raise TokenError(f"cannot write {self._path}: {error.strerror}") from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with keys_folder().writing():
                yield
        except ReviewerKeysError as error:
            raise TokenError(str(error)) from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
