"""The files of the system that programs need to start, which no configuration has to name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType

from signoff.confine.profile import PathAccess, PathMap

__all__ = ["SOURCES", "system_files", "system_links", "system_places"]

_TREES = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SOURCES = ("/usr/src", "/usr/local/src")
"""Directories below those in which people, and containers, keep their own work: no program needs them to start."""
_MACOS = (
    "/System/Library", "/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes", "/Library/Apple",
    "/Library/Developer/CommandLineTools", "/private/var/select", "/private/var/db/timezone",
)  # fmt: skip
_SETTINGS = (
    "/etc/alternatives", "/etc/ca-certificates", "/etc/debian_version", "/etc/fonts", "/etc/group",
    "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/magic", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/pki",
    "/etc/protocols", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo", "/etc/timezone",
)  # fmt: skip
_NAMES_OF_HOSTS = ("/etc/resolv.conf",)
"""The files that name servers of names; only with the network."""


def system_files(*, network: bool) -> PathMap:
    """Return the files, read-only, where they really are."""
    found = {os.path.realpath(path): PathAccess.READ for path in _names(network=network) if os.path.exists(path)}  # noqa: PTH110
    return PathMap(found | {os.path.realpath(path): PathAccess.NONE for path in SOURCES})


@lru_cache
def system_places() -> frozenset[str]:
    """Return the places of all such files."""
    return frozenset(path for path, access in system_files(network=True) if access is PathAccess.READ)


@lru_cache
def system_links(*, network: bool) -> Mapping[str, str]:
    """Return the names of these files that are links, with what they say.

    They are read once, as `system_files` is for a profile: both must tell of the same system.
    """
    links: dict[str, str] = {}
    for path in _names(network=network):
        with suppress(OSError):  # no link
            links[path] = os.readlink(path)  # noqa: PTH115
    return MappingProxyType(links)


def _names(*, network: bool) -> tuple[str, ...]:
    return (*_TREES, *_MACOS, *_SETTINGS, *(_NAMES_OF_HOSTS if network else ()))
