"""A reader of the options of Bubblewrap, as its manual has them, that says what may be done with a path inside.

Later options win. It knows nothing of ours, so that it can judge it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

__all__ = ["Inside", "read_options"]

_PLAIN = {
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
    "--disable-userns", "--new-session",
}  # fmt: skip
_ONE = {
    "--cap-drop",
    "--hostname",
    "--chdir",
    "--perms",
    "--size",
    "--proc",
    "--dev",
    "--tmpfs",
    "--remount-ro",
    "--dir",
}
_TWO = {"--bind", "--ro-bind", "--ro-bind-try", "--symlink"}


@dataclass
class _Mounted:
    source: str | None
    """The path outside; None for an empty file system."""
    writable: bool
    own: bool = False
    """True for a device, process or scratch file system of the command alone."""
    mode: str = ""
    """The mode that was asked for, in octal."""


@dataclass
class Inside:
    """What is inside.

    Attributes:
        flags: The options without a word after them.
        values: The words of those that are given once.
        mounts: What was mounted last at each path.
        links: Links by their paths.
    """

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    mounts: dict[str, _Mounted] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def access(self, path: str) -> str:
        """``write``, ``read``, ``none``, or ``own`` for what is of the command alone."""
        mounted, place = self._nearest(path)
        if mounted is None:
            return "none"
        if mounted.own:
            return "own"
        if mounted.source is None or mounted.source == os.devnull:
            return "write" if mounted.writable else "none"
        assert mounted.source == place, f"{mounted.source} is shown at {place}"
        return "write" if mounted.writable else "read"

    def _nearest(self, path: str) -> tuple[_Mounted | None, str]:
        names = [name for name in path.split("/") if name]
        for length in range(len(names), -1, -1):
            above = "/" + "/".join(names[:length])
            if above in self.mounts:
                return self.mounts[above], above
        return None, "/"


def read_options(words: list[str]) -> Inside:
    """Read options; each must be known, and none is left over."""
    inside = Inside(mounts={"/": _Mounted(None, writable=True)})
    ahead = list(words)
    while ahead:
        option = ahead.pop(0)
        if option in _PLAIN:
            inside.flags.add(option)
        elif option in _ONE:
            _take_one(inside, option, ahead.pop(0))
        elif option in _TWO:
            _take_two(inside, option, ahead.pop(0), ahead.pop(0))
        else:
            raise AssertionError(f"{option!r} is no option that a profile needs")
    return inside


def _take_one(inside: Inside, option: str, word: str) -> None:
    match option:
        case "--tmpfs":
            mode = inside.values.pop("--perms", "")
            _mount(inside, word, _Mounted(None, writable=True, own=word == "/tmp" and mode == "1777", mode=mode))
        case "--proc" | "--dev":
            _mount(inside, word, _Mounted(None, writable=True, own=True))
        case "--remount-ro":
            inside.mounts[word].writable = False
        case "--dir":
            pass  # an empty directory in what is there
        case _:
            inside.values[option] = word


def _take_two(inside: Inside, option: str, source: str, place: str) -> None:
    if option == "--symlink":
        inside.links[place] = source
    else:
        own = place == "/proc/sys"  # of the new /proc by then, in its namespaces
        _mount(inside, place, _Mounted(source, writable=option == "--bind", own=own))


def _mount(inside: Inside, place: str, mounted: _Mounted) -> None:
    """What was mounted below before is covered."""
    for path in list(inside.mounts):
        if path == place or path.startswith(f"{place.rstrip('/')}/"):
            del inside.mounts[path]
    inside.mounts[place] = mounted
    inside.order.append(place)
