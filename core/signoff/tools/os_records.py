"""Records of the commands that run, so that what one of them made is not taken for what was there.

A record is a file that is locked until the sweep after its command. If the program that started the command is
killed, the record stays, and no lock.
"""

from __future__ import annotations

import fcntl
import json
import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from signoff.confine.errors import LaunchError
from signoff.confine.profile import is_below
from signoff.confine.protected_names import protected_below, reason_of
from signoff.private_files import make_directory

__all__ = ["KeptRecord", "Record", "made_by_others", "refuse_unseen"]

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Record:
    """The state of the protected files when a command began.

    Attributes:
        writable: The directories that the command may write.
        places: These, and all others of which its profile says something.
        protected: The protected files that were there.
    """

    writable: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    protected: frozenset[str] = frozenset()

    def may_write(self, path: str) -> bool:
        """True if a path is in a directory that the command may write."""
        while path not in self.places and path != "/":
            path = path.rpartition("/")[0] or "/"
        return path in self.writable

    def made(self, paths: Iterable[str]) -> set[str]:
        """Return those of some protected files that the command may have made."""
        return {path for path in paths if path not in self.protected and self.may_write(path)}

    def made_now(self) -> set[str]:
        """Return the protected files that the command may have made and that are there now.

        Raises:
            LaunchError: A directory cannot be looked into.
        """
        tops = filter(os.path.isdir, self.writable)
        below = (found for top in tops for found in protected_below(top, self.places, refuse_unseen))
        return {reason_of(path) for path in self.made(path for path, most in below if most)}

    def meets(self, writable: Iterable[str]) -> bool:
        """True if some directories lie in writable ones of this command, or the other way round."""
        return any(is_below(one, other) or is_below(other, one) for one in writable for other in self.writable)


class KeptRecord:
    """The file with the record of a command.

    Attributes:
        has_ended: True once it was removed.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, record: Record) -> None:
        self.has_ended = False
        folder, name = _folder(), os.urandom(8).hex()
        new, self._path = f"{folder}/.{name}", f"{folder}/{name}.json"
        try:
            number = _opened_new(new)
        except FileNotFoundError:  # the first record
            make_directory(Path(folder))
            number = _opened_new(new)
        self._close = weakref.finalize(self, os.close, number)
        fcntl.flock(number, fcntl.LOCK_EX)
        content = json.dumps([sorted(each) for each in (record.writable, record.places, record.protected)])
        try:
            with open(number, "w", encoding="utf-8", closefd=False) as file:
                file.write(content)
            os.rename(new, self._path)  # noqa: PTH104
        except OSError:
            with suppress(OSError):
                os.unlink(new)  # noqa: PTH108
            raise

    @classmethod
    def of(cls, record: Record) -> Self | None:
        """Keep a record where that is possible; not, for one, if the home directory is read-only."""
        with suppress(OSError):
            return cls(record)
        return None

    def end(self) -> None:
        """Remove it, after the sweep."""
        with suppress(OSError):
            os.unlink(self._path)  # noqa: PTH108
        self._close()
        self.has_ended = True


def _opened_new(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def made_by_others(paths: Iterable[str], writable: Iterable[str]) -> set[str]:
    """Return the protected files that commands may have made that run now.

    Args:
        paths: The protected files that are there.
        writable: The directories that the next command may write.

    Raises:
        LaunchError: There are files that a command may have made which ended without a sweep, or with one that
            could not move them away.
    """
    found, tops = tuple(paths), tuple(writable)
    made: set[str] = set()
    for file, record, runs in _records():
        if not record.meets(tops):
            continue
        if runs:
            made |= record.made(found)
        elif left := sorted(record.made_now()):
            more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
            raise LaunchError(
                f"an earlier command may have made {', '.join(left[:_MOST_NAMED])}{more}, and was not swept after;"
                " other programs run or obey files of that name: look, and move away what is not yours; for what"
                f" is to stay, remove {file}"
            )
        else:
            file.unlink(missing_ok=True)
    return made


def refuse_unseen(error: OSError) -> None:
    """Refuse to start a command that could change what nobody can look for."""
    if not isinstance(error, NotADirectoryError):  # a file alone
        raise LaunchError(
            f"{error.filename} cannot be looked into for protected files: {error.strerror}"
        ) from error


def _folder() -> str:
    import platformdirs  # late, as wherever places are looked up

    return f"{platformdirs.user_data_dir('signoff', appauthor=False)}/running"


def _records() -> Iterator[tuple[Path, Record, bool]]:
    """All records, and whether the program that started the command still runs."""
    folder = Path(_folder())
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - each start of a command looks here
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # none was kept, nor could one be
        return
    except OSError as error:
        raise LaunchError(f"{folder}, with the records of commands, cannot be read: {error.strerror}") from error
    for path in (folder / name for name in names if name.endswith(".json")):
        try:
            with path.open(encoding="utf-8") as file:
                writable, places, protected = map(frozenset, json.load(file))
                runs = _is_locked(file)
                ended = os.fstat(file.fileno()).st_nlink == 0
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise LaunchError(f"{path}, the record of a command, cannot be read: {error}") from error
        if not ended:
            yield path, Record(writable, places, protected), runs


def _is_locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
