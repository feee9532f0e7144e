"""Names of files that other programs run or obey without asking anybody, or that hold the rules of approval.

Writing one of them is a way to run code later, so the file tools ask about it wherever it lies, and a confined
command cannot change it. All names are compared in lower case: some file systems do not tell cases apart.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from signoff.confine.profile import PathAccess
from signoff.effects import FileWrite, Risk
from signoff.policy.risk import assess, lies_in_bare_repository
from signoff.private_files import make_directory

__all__ = [
    "is_protected",
    "kept_back",
    "lies_in_protected",
    "open_up",
    "protected_below",
    "reason_of",
    "secrets_of",
]

_DIRECTORIES = frozenset(
    {
        ".git", ".hg", ".jj",
        ".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite", ".husky", ".githooks",
        ".vscode", ".idea", ".zed", ".devcontainer", ".claude", ".cursor", ".codex", ".gemini", ".windsurf",
        ".continue", ".ssh", ".cargo", ".direnv", ".emacs.d", ".signoff",
    }
)  # fmt: skip
"""Directories whose content is protected, and so are files of that name."""

_BELOW_CONFIG = frozenset(
    {"autostart", "environment.d", "fish", "git", "nvim", "nushell", "systemd", "direnv", "mise", "signoff"}
)
"""Directories that are protected within ``.config``."""

_FILES = frozenset(
    {
        ".mcp.json", "mcp.json", ".claude.json", ".cursorrules", ".envrc", ".direnvrc", ".mise.toml", "mise.toml",
        ".profile", ".login", ".logout", ".inputrc", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc",
        ".pam_environment", ".gitconfig", ".gitmodules", ".gitlab-ci.yml", ".travis.yml", ".vimrc", ".gvimrc",
        ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el", ".gdbinit", ".lldbinit", ".tmux.conf",
        ".screenrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".irbrc", ".pryrc", ".rprofile",
        ".pythonrc", ".pythonrc.py", ".pypirc", ".devcontainer.json", ".gitattributes", ".pre-commit-config.yaml",
        ".pre-commit-config.yml", ".drone.yml", ".drone.yaml", "azure-pipelines.yml", "azure-pipelines.yaml",
        ".pdbrc",
    }
)  # fmt: skip

_SHELL_START = re.compile(r"\.(ba|z|k|mk|c|tc|da|a|ya|fi)?sh(rc|env|_?(profile|login|logout|aliases|functions)).*")
"""Shell start-up files, also parts of them such as ``.bashrc.local``."""

_ZSH_START = re.compile(r"\.z(profile|login|logout)")

_RULES = re.compile(r"\.?signoff\.(ya?ml|json|toml)")
_TOOLS = "tools.py"
"""The file beside one with rules whose functions agents call."""


_PATH_FILE = re.compile(r".*\.pth")
"""Files whose lines every start of Python may run (https://docs.python.org/3/library/site.html)."""


def is_protected(names: Sequence[str]) -> bool:
    """True if writing a file needs a question because of its name.

    Args:
        names: Components of its path, from the top of the project.
    """
    lower = [name.lower() for name in names]
    if not lower:
        return False
    last = lower[-1]
    return (
        not _DIRECTORIES.isdisjoint(lower)
        or any(outer == ".config" and inner in _BELOW_CONFIG for outer, inner in pairwise(lower))
        or last in _FILES
        or any(pattern.fullmatch(last) is not None for pattern in (_SHELL_START, _ZSH_START, _RULES, _PATH_FILE))
        or assess("", {}, (FileWrite("/" + "/".join(names), ""),), "/").risk is Risk.HIGH
    )


# -- What is there now, below a directory that a command may write.

_OF_REPOSITORY = ("config", "config.worktree", "commondir", "gitdir", "hooks", "modules")
"""The files of a repository that name programs, or another repository; see gitrepository-layout(5)."""
_REPOSITORY = frozenset({"head", "objects", "refs"})
_QUEUE = frozenset({"queue.db", "bells", "leases"})
"""The content of a queue of signoff; see `QueuePlace`."""
_KEY = "deciding.key"
"""The secret key of a reviewer; see `KeysFolder`."""
_OF_SIGNOFF = frozenset({".signoff", "signoff"})
"""Protected directories that may hold queues and keys."""


def protected_below(
    top: str, skip: Container[str] = (), unseen: Callable[[OSError], object] | None = None
) -> Iterator[tuple[str, PathAccess]]:
    """Find the files and directories below one that a command must leave as they are. No link is followed.

    Of a repository these are its settings and hooks, not what git itself writes. A queue is not even readable.

    Args:
        top: A directory, absolute.
        skip: Directories that are left out, with all that is in them.
        unseen: Called for each directory that cannot be looked into.

    Yields:
        The path, and the most that a command may do there.
    """
    # A command can make any directory look like a queue or a repository, so the rest of it is looked at as well.
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        if folder != top and os.path.islink(folder):  # noqa: PTH114 - exchanged meanwhile
            continue
        try:
            with os.scandir(folder) as listing:
                entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in listing}
        except OSError as error:
            if unseen is not None:
                unseen(error)
            continue
        outer = os.path.basename(folder)  # noqa: PTH119
        protected = {name for name in entries if _is_protected_name(outer, name)}
        names = set(map(str.lower, entries))
        if _TOOLS in names and any(map(_RULES.fullmatch, names)):
            protected |= {name for name in entries if name.lower() == _TOOLS}
        if entries.keys() >= _QUEUE:
            yield folder, PathAccess.NONE
        is_repository = names >= _REPOSITORY
        of_repository = set(_of_repository(folder, unseen)) if is_repository else set()
        yield from ((path, PathAccess.READ) for path in of_repository)
        start = folder if folder.endswith("/") else f"{folder}/"  # os.path.join takes most of the time
        for name, is_folder in entries.items():
            if not is_folder and name not in protected:
                continue
            path = start + name
            if path in of_repository or (is_folder and path in skip):
                continue
            if is_folder and name.lower() == ".git" and not os.path.islink(path):  # noqa: PTH114
                yield from ((each, PathAccess.READ) for each in _of_repository(path, unseen))
            elif name not in protected:
                waiting.append(path)
            elif is_folder or not (is_repository and name.lower() in _REPOSITORY):
                yield path, PathAccess.READ


def secrets_of(path: str) -> Iterator[str]:
    """Yield the keys and queues at or below a protected path, which a command must not even read.

    Those of other environments: where this process has its own is known without a look. No link is followed.

    Args:
        path: A path that `protected_below` found.
    """
    name = os.path.basename(path).lower()  # noqa: PTH119
    if name == _KEY:
        yield path
    elif name in _OF_SIGNOFF:
        for folder, folders, files in os.walk(path):
            if {*folders, *files} >= _QUEUE:
                yield folder
            if _KEY in files:
                yield os.path.join(folder, _KEY)  # noqa: PTH118


def lies_in_protected(place: str, top: str) -> bool:
    """True if the name of a file or directory, or one above it, protects it and all that is in it.

    Args:
        place: Its path, absolute.
        top: The directory at or above it from which on names count.
    """
    path = PurePosixPath(place)
    return is_protected(path.relative_to(top).parts) or lies_in_bare_repository(str(path.parent / "any"))


def _of_repository(folder: str, unseen: Callable[[OSError], object] | None) -> Iterator[str]:
    worktrees = os.path.join(folder, "worktrees")  # noqa: PTH118
    holding = [folder]
    if os.path.isdir(worktrees) and not os.path.islink(worktrees):  # noqa: PTH112, PTH114
        inside = () if _is_closed(worktrees) else tuple(os.scandir(worktrees))
        holding += [entry.path for entry in inside if entry.is_dir(follow_symlinks=False)] or [worktrees]
    for each in holding:
        if _is_closed(each) and unseen is not None:
            unseen(PermissionError(errno.EACCES, os.strerror(errno.EACCES), each))
        for name in _OF_REPOSITORY:
            path = os.path.join(each, name)  # noqa: PTH118
            if os.path.lexists(path):
                yield path


def _is_closed(folder: str, needed: int = 0) -> bool:
    return not os.access(folder, os.R_OK | os.X_OK | needed)


def reason_of(path: str) -> str:
    """Return the file for whose sake another one is protected: often itself.

    What makes a directory look like a repository protects files that were there before.

    Args:
        path: A path that `protected_below` found.
    """
    above, name = os.path.split(path)
    if name in _OF_REPOSITORY and os.path.basename(above).lower() != ".git":  # noqa: PTH119
        names = {each.lower(): each for each in os.listdir(above)}  # noqa: PTH208
        if names.keys() >= _REPOSITORY:
            return os.path.join(above, names["head"])  # noqa: PTH118
    return path


@lru_cache(100_000)
def _is_protected_name(outer: str, name: str) -> bool:
    return is_protected([outer, name] if outer == ".config" else [name])


def kept_back(path: str, top: str, quarantine: Path) -> str:
    """Move away a file or directory that a command made and that other programs would run or obey.

    Another command may exchange directories for links meanwhile: no link below `top` is followed.

    Args:
        path: The file or directory.
        top: The directory that it is below.
        quarantine: The directory for it; it is made.

    Returns:
        Its new path: one beside the old one, of a name that means nothing, if it cannot be moved further.

    Raises:
        OSError: It is still there.
    """
    above, name = os.path.split(path)
    place = quarantine / os.path.relpath(path, top)
    with _held(above, top) as held:
        now = os.path.join(held, name)  # noqa: PTH118
        mode = stat.S_IMODE(os.stat(held).st_mode)  # noqa: PTH116
        _let_in(held, os.W_OK)
        if os.path.isdir(now) and not os.path.islink(now):  # noqa: PTH112, PTH114
            with _held(path, top) as itself:
                open_up(itself, needed=os.W_OK)
        try:
            make_directory(place.parent)
            shutil.move(now, place)
        except OSError:
            beside = f"kept-back-{os.urandom(3).hex()}-{name[:100]}"
            os.rename(now, os.path.join(held, beside))  # noqa: PTH104, PTH118
            return os.path.join(above, beside)  # noqa: PTH118
        finally:
            with suppress(OSError):
                os.chmod(held, mode)  # noqa: PTH101
    return str(place)


@contextmanager
def _held(folder: str, top: str) -> Iterator[str]:
    """A path that stays that of a directory, wherever it is moved; no link below `top` is followed to it."""
    if not hasattr(os, "O_PATH"):  # macOS
        yield folder
        return
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    number = os.open(top, flags)
    try:
        for name in PurePosixPath(folder).relative_to(top).parts:
            above, number = number, os.open(name, flags | os.O_NOFOLLOW, dir_fd=number)
            os.close(above)
        yield f"/proc/self/fd/{number}"
    finally:
        os.close(number)


def open_up(top: str, skip: Container[str] = (), needed: int = 0) -> None:
    """Give the owner back what a command took: the right to look into a directory, and into those below.

    No link is followed.

    Args:
        top: The directory, absolute.
        skip: Directories that are left out, with all that is in them.
        needed: More rights, as for `os.access`.
    """
    _let_in(top, needed)
    for folder, folders, _ in os.walk(top):
        paths = [os.path.join(folder, name) for name in folders]  # noqa: PTH118
        inside = [path for path in paths if path not in skip and not os.path.islink(path)]  # noqa: PTH114
        folders[:] = [os.path.basename(path) for path in inside]  # noqa: PTH119
        for path in inside:
            if _is_closed(path, needed):
                with suppress(OSError), _held(path, top) as held:  # one that is gone, or a link by now
                    _let_in(held, needed)


def _let_in(folder: str, needed: int) -> None:
    if _is_closed(folder, needed):
        with suppress(OSError):  # another's, and no command's doing
            os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | stat.S_IRWXU)  # noqa: PTH101, PTH116
