"""A small tree of real files, random configurations of roots in it, and paths taken from a configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st

from signoff.tools.file_sandbox import SandboxConfig
from signoff.tools.roots import PathConfig

__all__ = ["LESS", "OPEN", "World", "configs", "new_world", "owns", "plain_configs"]

_FILES = """
work/x.txt work/x.py work/.envrc work/signoff.yaml work/tools.py work/.github/workflows/ci.yml
work/.config/git/config
work/a/x.txt work/a/x.py work/a/.bashrc work/a/b/x.txt work/a/b/x.py work/a/b/c/x.txt work/a/b/c/.vscode/tasks.json
work/ab/x.txt work/ab/x.py work/c/x.txt work/c/deep/er/x.txt work/c/deep/er/.git
work/a/.git/HEAD work/a/.git/config work/a/.git/index work/a/.git/hooks/pre-commit work/a/.git/objects/aa/bb
work/a/.git/refs/heads/main work/a/.git/worktrees/one/HEAD work/a/.git/worktrees/one/commondir
work/a/.git/modules/sub/config
work/c/bare/HEAD work/c/bare/config work/c/bare/hooks/update work/c/bare/objects/aa/bb
work/c/bare/refs/heads/main out/x.txt out/.envrc home/p/x.txt home/.bashrc home/signoff-like/x.txt
own/keys/deciding.key own/config/signoff/keys/deciding.key own/data/signoff/queues/default/queue.db
own/state/signoff/x.txt own/queue/queue.db
work/a/own/keys/deciding.key work/a/own/config/signoff/x.txt work/a/own/data/signoff/x.txt
work/a/own/state/signoff/x.txt work/a/own/queue/queue.db
"""
_LINKS = {"work/la": "a", "work/lo": "../out", "work/a/lb": "b", "work/a/lx": "../ab/x.txt", "work/l1": "la/lb"}

USUAL = (".", "a", "a/b")
ROOTS = (
    *("a/b/c", "ab", "c", "c/deep/er", "{T}/work/a", "a/../ab", "la", "lo", "l1", "a/lb", "../out", "~/p"),
    *("missing", "a/missing", "a/b/missing", "x.txt", "", "/proc/self", "/dev/shm", "a/own", "a/own/keys"),
    *(
        ".github",
        ".github/workflows",
        ".config",
        ".config/git",
        "a/.git",
        "a/.git/hooks",
        "c/bare",
        "c/bare/hooks",
    ),
)
"""Roots as a person writes them: the usual ones, which are within one another, and others."""

_NAMES = (
    "x.txt",
    "x.py",
    "new.txt",
    "new.py",
    "new",
    "b/x.txt",
    "b/new.txt",
    ".envrc",
    ".git/config",
    "own/keys/new",
)


@dataclass(frozen=True, slots=True)
class World:
    """The tree.

    Attributes:
        top: Its top, without links; ``work`` in it is where relative paths start, ``home`` the home directory.
    """

    top: Path

    @property
    def cwd(self) -> str:
        return str(self.top / "work")

    def root(self, text: str) -> str:
        """A root as it stands in a configuration."""
        return text.replace("{T}", str(self.top))

    def paths(self, config: SandboxConfig) -> list[str]:
        """Paths of files, some not there: in the roots, beside them, and all of the tree."""
        found = set(self.files())
        for entry in config.paths.values():
            place = os.path.normpath(os.path.join(self.cwd, os.path.expanduser(entry.root)))
            for folder in (place, os.path.realpath(place), f"{place}b", place[:-1], os.path.dirname(place)):
                found.update(os.path.join(folder, name) for name in _NAMES)
            found.update((f"{place}.txt", f"{place}-x.txt", f"{place}-new"))
        return sorted(path for path in found if not any(map(os.path.isfile, _above(path))))

    def files(self) -> list[str]:
        return [str(self.top / name) for name in _FILES.split()]


def _above(path: str) -> list[str]:
    return [str(folder) for folder in Path(path).parents]


@contextmanager
def new_world() -> Iterator[World]:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        world = World(Path(name).resolve())
        for each in world.files():
            Path(each).parent.mkdir(parents=True, exist_ok=True)
            Path(each).write_text(each)
        for link, target in _LINKS.items():
            (world.top / link).symlink_to(target)
        patch.setenv("HOME", str(world.top / "home"))
        for variable, place in owns(world).items():
            patch.setenv(variable, place)
        yield world


def owns(world: World, below: str = "own") -> dict[str, str]:
    """The variables that say where signoff keeps its own things, with places below a directory of the tree."""
    places = {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state"}
    named = {"SIGNOFF_KEYS_DIR": "keys", "SIGNOFF_QUEUE": "queue"}
    return {variable: str(world.top / below / place) for variable, place in (places | named).items()}


_OPEN = {"mode": "rw", "write_approval": False}
OPEN = PathConfig(root=".", **_OPEN)
"""The settings of a root in which anything may be read and written without a question."""

LESS: tuple[dict[str, object], ...] = (
    {"mode": "ro"}, {"suffixes": (".txt",)}, {"suffixes": ()}, {"write_approval": True}, {"read_approval": True},
)  # fmt: skip
"""What makes it less, by one setting."""


_LEAST: dict[str, dict[str, object]] = {"/proc/self": {"mode": "ro"}, "/dev/shm": {"mode": "ro"}}
"""Roots of the system: writable, they are refused."""


def configs(world: World) -> st.SearchStrategy[SandboxConfig]:
    """Configurations of two to five entries, which name two or three roots: so some of them meet.

    Most are open, or less by one setting: of much that is less nothing is left that could be too much.
    """
    all_of_it = st.lists(st.sampled_from(LESS), max_size=3).map(
        lambda many: {k: v for one in many for k, v in one.items()}
    )
    less = st.one_of(st.just({}), st.just({}), st.sampled_from(LESS), all_of_it)

    def of(roots: list[str]) -> st.SearchStrategy[list[PathConfig]]:
        root = st.sampled_from(roots).map(world.root)
        entry = st.builds(
            lambda root, less: PathConfig(root=root, **_OPEN | less | _LEAST.get(root, {})), root, less
        )
        return st.lists(entry, min_size=2, max_size=5)

    usual, any_root = st.sampled_from(USUAL), st.sampled_from(ROOTS)
    roots = st.lists(st.one_of(usual, usual, any_root), min_size=2, max_size=3)
    return roots.flatmap(of).map(
        lambda found: SandboxConfig(paths={f"root{number}": entry for number, entry in enumerate(found)})
    )


def plain_configs(world: World) -> Iterator[SandboxConfig]:
    """Each root open, alone and with the directory around it; and whatever makes one less, in each place."""

    def config(*entries: tuple[str, dict[str, object]]) -> SandboxConfig:
        roots = (
            PathConfig(root=world.root(root), **_OPEN | less | _LEAST.get(root, {})) for root, less in entries
        )
        return SandboxConfig(paths={f"root{number}": root for number, root in enumerate(roots)})

    for root in (*USUAL, *ROOTS):
        yield config((root, {}))
        yield config((".", {}), (root, {}))
    for less in LESS:
        yield config(("a", less))
        yield config(("a", less), ("a", {}))
        yield config(("a", {}), ("a", less))
        yield config(("a", less), ("a/b", {}))
        yield config(("a", {}), ("a/b", less))
