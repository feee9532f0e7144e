"""The rule files that a person trusts, each by its exact content.

Rule files lie where agents work, and an agent that changes one loosens its own rules. So a file counts only with
the content that a person has read and trusted. The list of trust is kept in the user's data directory, which
agents in a sandbox have no business to write to.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from signoff import private_files

__all__ = [
    "TrustError",
    "TrustedFile",
    "changed_files",
    "require_trusted",
    "trust",
    "trusted_files",
    "untrust",
    "watched_files",
]

_LARGEST_BYTES = 16 * 1024 * 1024
_NOT_FOR_OTHERS = 0o077

State = Literal["unchanged", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class TrustedFile:
    """A file that a person trusts with one content.

    Attributes:
        name: Its path, absolute and without links.
        state: Unchanged, changed or gone.
        trusted: The content that is trusted, to compare with; None if no copy of it was kept.
    """

    name: str
    state: State
    trusted: bytes | None


class TrustError(PermissionError):
    """A rule file is not trusted with this content, or the list of trust cannot be read; says what to do."""


def trust(contents: Mapping[str, bytes]) -> None:
    """Remember that a person trusts files with exactly these contents, in place of earlier ones.

    Args:
        contents: The contents that were read and shown, by path.

    Raises:
        TrustError: The list of trust cannot be read.
        OSError: It cannot be written.
    """
    for folder in (_store().parent, _copies(_store())):
        private_files.make_directory(folder)
        _require_own(folder)
    with _alone() as store:
        known = _known(store) | {_name(path): _digest(content) for path, content in contents.items()}
        for content in contents.values():
            private_files.put(_copies(store) / _digest(content), content)
        _keep(store, known)


def untrust(paths: Iterable[str], *, only_gone: bool = False) -> tuple[str, ...]:
    """Withdraw the trust in files, whatever they hold: programs refuse them from now on.

    Args:
        paths: The files; they need not be there. Files that are not trusted are left out.
        only_gone: Only those that are not there at this moment.

    Returns:
        The names of those that were trusted until now, sorted.

    Raises:
        TrustError: The list of trust cannot be read.
        OSError: It cannot be written.
    """
    if not _store().parent.is_dir():
        return ()
    with _alone() as store:
        known = _known(store)
        wanted = {path if path in known else _name(path) for path in paths} & known.keys()
        ended = tuple(sorted(name for name in wanted if not only_gone or _digest_of_file(name) is None))
        if ended:
            _keep(store, {name: digest for name, digest in known.items() if name not in ended})
    return ended


def require_trusted(contents: Mapping[str, bytes]) -> None:
    """Make sure that a person trusts files with exactly these contents.

    Args:
        contents: The contents that are about to be used, by path.

    Raises:
        TrustError: One of them was never trusted, or has changed since.
    """
    known = _known(_store())
    for path, content in contents.items():
        name = _name(path)
        if known.get(name) == _digest(content):
            continue
        what = "has changed since it was trusted" if name in known else "was never trusted"
        raise TrustError(f"{name} {what}; read it, then run: signoff policy trust {name}")


def changed_files() -> tuple[str, ...]:
    """Return the trusted files that have changed or are gone, sorted.

    Raises:
        TrustError: The list of trust cannot be read.
    """
    return tuple(sorted(name for name, digest in _known(_store()).items() if _digest_of_file(name) != digest))


def trusted_files() -> tuple[TrustedFile, ...]:
    """Return all trusted files, sorted by name, with their present state.

    Raises:
        TrustError: The list of trust cannot be read.
    """
    store = _store()
    return tuple(
        TrustedFile(name, _state(_digest_of_file(name), digest), _copy(store, digest))
        for name, digest in sorted(_known(store).items())
    )


def watched_files() -> tuple[str, ...]:
    """The files on which the answer of `changed_files` depends: the list of trust, and each file on it."""
    store = _store()
    try:
        return (str(store), *sorted(_known(store)))
    except TrustError:
        return (str(store),)


def _store() -> Path:
    import platformdirs  # late: most programs never ask

    return Path(platformdirs.user_data_path("signoff", appauthor=False)) / "trusted-rules.json"


@contextmanager
def _alone() -> Iterator[Path]:
    """The list of trust, locked while it is changed, so that no parallel run undoes the change."""
    store = _store()
    _require_own(store.parent)
    with private_files.locked(store.with_name(".trusted-rules.lock")):
        yield store


def _require_own(folder: Path) -> None:
    """Make sure that nobody else can write to a folder.

    Raises:
        TrustError: Somebody else can; the message says what to do.
    """
    try:
        private_files.refuse_foreign_directory(folder, _NOT_FOR_OTHERS)
    except private_files.UnsafeFileError as error:
        raise TrustError(f"no rule file is trusted: {error}") from error


def _keep(store: Path, known: Mapping[str, str]) -> None:
    """Write the list of trust, and delete copies of contents that are not on it."""
    private_files.put(store, json.dumps({"version": 1, "files": dict(known)}, indent=1, sort_keys=True).encode())
    copies = _copies(store)
    for copy in copies.iterdir() if copies.is_dir() else ():
        if copy.name not in known.values():
            copy.unlink(missing_ok=True)


def _known(store: Path) -> dict[str, str]:
    try:
        content = private_files.read_own(
            store, forbidden=_NOT_FOR_OTHERS, owners=frozenset({os.geteuid()}), most=_LARGEST_BYTES
        )
        if content is None:
            return {}
        found = json.loads(content)["files"]
    except private_files.UnsafeFileError as error:
        raise TrustError(f"no rule file is trusted: {error}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrustError(
            f"{store} cannot be read ({error}); move it away, and trust your rule files again"
        ) from error
    if not isinstance(found, dict) or not _all_text((*found, *found.values())):
        raise TrustError(f"{store} is damaged; move it away, and trust your rule files again")
    return found


def _copies(store: Path) -> Path:
    """The folder for copies of trusted contents, by their digest: to show changes, never to be used."""
    return store.with_name("trusted-contents")


def _copy(store: Path, digest: str) -> bytes | None:
    try:
        content = (_copies(store) / digest).read_bytes()
    except (OSError, ValueError):
        return None
    return content if _digest(content) == digest else None


def _state(now: str | None, trusted: str) -> State:
    if now is None:
        return "gone"
    return "unchanged" if now == trusted else "changed"


def _all_text(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _name(path: str) -> str:
    return os.path.realpath(path)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content.removeprefix(codecs.BOM_UTF8)).hexdigest()


def _digest_of_file(name: str) -> str | None:
    """The digest of a file; None if there is no file, "" if it is too large to be a rule file.

    It lies where agents write: in its place there may be a FIFO that nobody writes to, or a device without an end.
    """
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            content = file.read(_LARGEST_BYTES + 1)
    except (OSError, ValueError):
        return None
    return _digest(content) if len(content) <= _LARGEST_BYTES else ""
