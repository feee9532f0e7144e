"""Random trees of files, and random profiles over them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files

__all__ = ["Tree", "new_tree", "random_profile"]

NAMES = ("a", "ab", "b", "a b", "-x", "--bind", "--", "k=v", "ä", "a\\134", "%s", "'\"", "*")
"""Some begin as others do; some would be options, or other things, to a program that does not take care."""

_OUTSIDE_TMP = "/var/tmp"
"""What is in /tmp lies in a directory that each command has of its own."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree.

    Attributes:
        top: Its top, a real path.
        folders: Its directories, the top first.
        files: Its files; the text in each is its own path.
        links: Its links.
    """

    top: str
    folders: list[str]
    files: list[str]
    links: list[str]

    def paths(self) -> list[str]:
        """What is there, and a name in each directory that is not."""
        return [*self.folders, *self.files, *self.links, *(f"{folder}/new" for folder in self.folders)]


@contextmanager
def new_tree(random: Random) -> Iterator[Tree]:
    """Make a tree of up to forty files and directories, five deep, with links into it, within it and out of it."""
    with tempfile.TemporaryDirectory(dir=_OUTSIDE_TMP) as made:
        tree = Tree(os.path.realpath(made), [os.path.realpath(made)], [], [])
        for _ in range(random.randint(2, 40)):
            folder = random.choice(tree.folders)
            path = Path(folder) / random.choice(NAMES)
            if os.path.lexists(path) or folder.count("/") - tree.top.count("/") > 3:
                continue
            kind = random.choice(["folder", "folder", "file", "file", "link"])
            if kind == "folder":
                path.mkdir()
                tree.folders.append(str(path))
            elif kind == "file":
                path.write_text(str(path))
                tree.files.append(str(path))
            else:
                target = random.choice([*tree.folders, *tree.files, f"{tree.top}/nothing"])
                path.symlink_to(random.choice([target, os.path.relpath(target, folder)]))
                tree.links.append(str(path))
        yield tree


def random_profile(random: Random, tree: Tree) -> OSProfile:
    """Make a profile with up to eight places in a tree, and perhaps some that are not there and do no harm."""
    inner = tree.folders[1:] + tree.files or tree.folders
    places = {random.choice(inner): random.choice(list(PathAccess)) for _ in range(random.randint(1, 8))}
    if random.random() < 0.3:
        places[tree.top] = random.choice(list(PathAccess))
    for _ in range(random.randint(0, 2)):
        places.setdefault(
            f"{random.choice(tree.folders)}/missing", random.choice([PathAccess.NONE, PathAccess.READ])
        )
    paths = PathMap(places)
    harmful = [
        path
        for path, _ in paths
        if not os.path.exists(path) and paths.at(os.path.dirname(path)) is PathAccess.WRITE
    ]
    paths = PathMap({path: access for path, access in paths if path not in harmful})
    return OSProfile(paths, system_files(network=False))
