"""Profiles of confined processes: the files, network, sockets and environment that they may touch.

Profiles are ordered by "never allows more", and two of them have a greatest profile below both:
`OSProfile.intersect`. It is exact, so nothing is rounded, and nothing is ever gained, by intersecting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

from signoff.canonical import digest

__all__ = ["NOWHERE", "OSProfile", "PathAccess", "PathMap", "is_below"]


class PathAccess(IntEnum):
    """A grade of access to a path; each includes those before."""

    NONE = 0
    READ = 1
    WRITE = 2


class PathMap:
    """A function from absolute paths to what may be done there.

    The nearest of some places at or above a path decides; where there is none, nothing may be done. Places that
    change nothing are left out, so equal functions are equal maps.

    Args:
        places: The access at and below each place, which is an absolute path without ``.``, ``..``, ``//``, a
            slash at its end, NUL or line break.

    Raises:
        ValueError: A place is not such a path.
    """

    __slots__ = ("_places",)

    def __init__(self, places: Mapping[str, PathAccess] | None = None) -> None:
        self._places: dict[str, PathAccess] = {}
        for path in sorted(places or {}, key=_depth):
            _require_canonical(path)
            access = (places or {})[path]
            if self.at(path) != access:
                self._places[path] = access

    def at(self, path: str) -> PathAccess:
        """Return what may be done with a path, absolute and without links."""
        while True:
            if path in self._places:
                return self._places[path]
            if path == "/":
                return PathAccess.NONE
            path = path.rpartition("/")[0] or "/"

    def meet(self, other: PathMap) -> PathMap:
        """Return the map that allows at each path what both allow."""
        return PathMap({path: min(self.at(path), other.at(path)) for path in {*self._places, *other._places}})

    def join(self, other: PathMap) -> PathMap:
        """Return the map that allows at each path what one of them allows."""
        return PathMap({path: max(self.at(path), other.at(path)) for path in {*self._places, *other._places}})

    def limited(self, path: str, most: PathAccess) -> PathMap:
        """Return the map that allows no more than `most` at and below a path."""
        return self.meet(PathMap({"/": PathAccess.WRITE, path: most}))

    def __le__(self, other: PathMap) -> bool:
        return all(self.at(path) <= other.at(path) for path in {*self._places, *other._places})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PathMap) and self._places == other._places

    def __hash__(self) -> int:
        return hash(frozenset(self._places.items()))

    def __iter__(self) -> Iterator[tuple[str, PathAccess]]:
        """Iterate over the places, those above before those below."""
        return iter(self._places.items())

    def __repr__(self) -> str:
        return f"PathMap({ {path: access.name for path, access in self} })"


def is_below(path: str, place: str) -> bool:
    """True if a path is a place, or below it; both are absolute and in their shortest form."""
    return path.startswith(place) and (path == place or place == "/" or path[len(place)] == "/")


def _depth(path: str) -> tuple[int, str]:
    return (0 if path == "/" else path.count("/"), path)


def _require_canonical(path: str) -> None:
    if path == "/":
        return
    first, *names = path.split("/")
    if first or not names or any(name in ("", ".", "..") for name in names) or "\0" in path or "\n" in path:
        raise ValueError(f"{path!r} is not an absolute path in its shortest form; resolve it first")


NOWHERE = PathMap()
EVERYWHERE = PathMap({"/": PathAccess.WRITE})


@lru_cache(64)  # asked for again and again while a command is started
def _joined(one: PathMap, other: PathMap) -> PathMap:
    return one.join(other)


@dataclass(frozen=True, slots=True)
class OSProfile:
    """The limits of a confined process. A new profile allows nothing.

    Attributes:
        paths: Files and directories.
        runtime: Files of the system that programs need to start, read-only, whatever `paths` says of them.
        network: True for all of the network, False for none.
        unix_sockets: True if the process may use Unix sockets that it can see.
        environment: Names of the variables that it gets; None for all.
    """

    paths: PathMap = NOWHERE
    runtime: PathMap = NOWHERE
    network: bool = False
    unix_sockets: bool = False
    environment: frozenset[str] | None = frozenset()

    def intersect(self, other: OSProfile) -> OSProfile:
        """Return the greatest profile that allows nothing that one of both does not allow."""
        environment = self.environment if other.environment is None else other.environment
        if self.environment is not None and other.environment is not None:
            environment = self.environment & other.environment
        return OSProfile(
            self.paths.meet(other.paths),
            self.runtime.meet(other.runtime),
            self.network and other.network,
            self.unix_sockets and other.unix_sockets,
            environment,
        )

    def __le__(self, other: OSProfile) -> bool:
        """True if this profile allows nothing that the other does not allow."""
        return self.intersect(other) == self

    def visible(self) -> PathMap:
        """Return what a process finds: `paths` and `runtime` together."""
        return _joined(self.paths, self.runtime)

    def facts(self) -> dict[str, Any]:
        """Return the profile as JSON."""
        return {
            "paths": {path: access.name for path, access in self.paths},
            "runtime": {path: access.name for path, access in self.runtime},
            "network": self.network,
            "unix_sockets": self.unix_sockets,
            "environment": None if self.environment is None else sorted(self.environment),
        }

    def digest(self) -> str:
        """Return the SHA-256 of the profile, in hexadecimal: equal for equal profiles only."""
        return digest(self.facts())
