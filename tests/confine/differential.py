"""Tries every path of random trees inside real sandboxes, and compares what came of it with the profiles.

Usage: python differential.py [TREES] [SEED]

What was written and moved is looked up from outside. It ends with 1 if anything could be done that a profile does
not allow, or could not be done that it allows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from trees import new_tree, random_profile

from signoff.confine.bubblewrap import Bubblewrap
from signoff.confine.profile import OSProfile, PathAccess, PathMap

__all__ = ["Report", "compare"]

_INSIDE = r"""
import json, os, sys
paths = json.load(sys.stdin)
told = []
def tried(do):
    try:
        return do()
    except OSError:
        return None
def read(path):
    if os.path.isdir(path):
        return os.listdir(path)
    with open(path, errors="replace") as file:
        return file.read()
def write(number, path):
    if os.path.isdir(path):
        os.close(os.open(f"{path}/made-{number}", os.O_CREAT | os.O_WRONLY))
    else:
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, f"<{number}>".encode())
        os.close(descriptor)
def identity(path):
    found = os.stat(path)
    return [found.st_dev, found.st_ino]
for number, path in enumerate(paths):
    told.append({"seen": tried(lambda: identity(path)), "read": tried(lambda: read(path))})
for number, path in enumerate(paths):
    tried(lambda: write(number, path))
    tried(lambda: os.chmod(path, 0o4755))
    tried(lambda: os.utime(path, (1, 1)))
for path in reversed(paths):
    if not os.path.islink(path) and tried(lambda: os.rename(path, path + "-moved") or True):
        tried(lambda: os.makedirs(path))
json.dump(told, sys.stdout)
"""


@dataclass
class Report:
    """What was tried, and what should not have come of it.

    Attributes:
        paths: The number of paths that were tried.
        looser: What could be done, and should not, in words.
        stricter: What could not be done, and should, in words.
    """

    paths: int = 0
    looser: list[str] = field(default_factory=list)
    stricter: list[str] = field(default_factory=list)


@dataclass
class _Before:
    """What is known of a path before the command: the command may move everything."""

    path: str
    real: str
    identity: tuple[int, int] | None
    is_folder: bool
    names: frozenset[str]
    is_link: bool


def compare(random: Random, report: Report) -> None:
    """Make a tree and a profile, run one command that tries everything, and compare."""
    with new_tree(random) as tree:
        profile = random_profile(random, tree)
        befores = [_before(path) for path in tree.paths()]
        told = _told_inside(profile, [each.path for each in befores])
        report.paths += len(befores)
        shown = profile.visible()
        after = _contents(tree.top)
        for number, (before, inside) in enumerate(zip(befores, told, strict=True)):
            for fault in _looser(number, before, inside, shown, after):
                report.looser.append(f"{fault}: {before.path}, {shown.at(before.real).name} in {profile.paths}")
            for fault in _stricter(number, before, inside, shown, after):
                report.stricter.append(f"{fault}: {before.path}, {shown.at(before.real).name} in {profile.paths}")


def _before(path: str) -> _Before:
    found = os.stat(path) if os.path.exists(path) else None
    is_folder = os.path.isdir(path)
    return _Before(
        path,
        os.path.realpath(path),
        (found.st_dev, found.st_ino) if found else None,
        is_folder,
        frozenset(os.listdir(path)) if is_folder else frozenset(),
        os.path.realpath(path) != path,
    )


def _told_inside(profile: OSProfile, paths: list[str]) -> list[dict[str, object]]:
    process = Bubblewrap().start(
        ["/usr/bin/python3", "-I", "-S", "-c", _INSIDE],
        lambda: profile,
        cwd="/usr",
        env={"LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    said, _ = process.communicate(json.dumps(paths).encode(), timeout=60)
    assert process.returncode == 0, process.returncode
    return json.loads(said)  # type: ignore[no-any-return]


@dataclass
class _After:
    texts: str
    names: set[str]
    places: dict[tuple[int, int], tuple[str, os.stat_result]]


def _contents(top: str) -> _After:
    """All texts, all names, and where each file and directory is now."""
    after = _After("", set(), {})
    for folder, folders, files in os.walk(top):
        here = Path(folder)
        for name in (".", *folders, *files):
            found = (here / name).lstat()
            after.places[found.st_dev, found.st_ino] = (os.path.normpath(here / name), found)
        after.names.update(files)
        after.texts += "".join((here / name).read_text() for name in files if not (here / name).is_symlink())
    return after


def _was_written(number: int, after: _After) -> bool:
    return f"<{number}>" in after.texts or f"made-{number}" in after.names


def _looser(
    number: int, before: _Before, inside: dict[str, object], shown: PathMap, after: _After
) -> Iterator[str]:
    access = shown.at(before.real)
    if access < PathAccess.WRITE and _was_written(number, after):
        yield "written"
    if access is PathAccess.NONE and before.identity is not None and inside["seen"] == list(before.identity):
        yield "seen"
    if access is PathAccess.NONE and not before.is_folder and before.real in str(inside["read"] or ""):
        yield "read"
    if access is PathAccess.NONE and before.is_folder and isinstance(inside["read"], list):
        leading = {name for name in before.names if _leads(f"{before.real}/{name}", shown)}
        if before.names & set(inside["read"]) - leading:
            yield "listed"
    if before.identity is None:
        return
    place, found = after.places[before.identity]
    if access < PathAccess.WRITE and (found.st_mtime == 1 or found.st_mode & 0o4000):
        yield "changed in its mode or times"
    if found.st_mode & 0o4000:
        yield "made set-user-id"
    if access < PathAccess.WRITE and place != before.real:
        yield "moved"


def _leads(path: str, shown: PathMap) -> bool:
    return any(f"{place}/".startswith(f"{path}/") and access for place, access in shown)


def _stricter(
    number: int, before: _Before, inside: dict[str, object], shown: PathMap, after: _After
) -> Iterator[str]:
    """A link is left out: it leads nowhere where it, or what is on its way, is hidden."""
    if before.is_link:
        return
    access = shown.at(before.real)
    if access is PathAccess.WRITE and not _was_written(number, after):
        yield "not written"
    if access is PathAccess.NONE or before.identity is None:
        return
    if inside["seen"] != list(before.identity):
        yield "not seen"
    wanted = before.names if before.is_folder else before.path
    if (set(inside["read"] or ()) if before.is_folder else inside["read"]) != wanted:  # type: ignore[call-overload]
        yield "not read"


def main(trees: int = 1000, seed: int | None = None) -> int:
    """Compare many trees, and say what came of it."""
    seed = time.time_ns() if seed is None else seed
    random, report, start = Random(seed), Report(), time.monotonic()
    for _ in range(trees):
        compare(random, report)
    for line in (*report.looser, *report.stricter):
        print(line)
    print(
        f"{trees} trees, {report.paths} paths: {len(report.looser)} looser, {len(report.stricter)} stricter"
        f" (seed {seed}, {time.monotonic() - start:.0f} s)"
    )
    return 1 if report.looser or report.stricter else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
