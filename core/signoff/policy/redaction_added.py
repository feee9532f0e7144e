"""Names that settings add to what is hidden.

They come with a call, from the agent's side. So they hide data only, never what runs, where it goes or what it
touches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.policy.redaction_names import KeyWords, words_of

__all__ = ["COMMAND_KEYS", "AddedKeys", "holds_data", "is_always_shown"]

COMMAND_KEYS = frozenset({"command", "cmd", "script", "code", "shell", "args", "argv"})
"""Arguments that are run: a name in such a text hides nothing."""

_PATHS = frozenset(
    {
        "path", "paths", "file", "files", "filename", "filenames", "filepath", "dir", "dirs", "directory",
        "directories", "folder", "folders", "cwd", "root", "target", "destination", "dest",
    }
)  # fmt: skip
_HOSTS = frozenset(
    {
        "host", "hosts", "hostname", "url", "urls", "uri", "uris", "href", "endpoint", "endpoints", "domain",
        "domains", "server", "servers", "origin", "proxy",
    }
)  # fmt: skip
_CODE = frozenset(
    {
        "commands", "exec", "executable", "program", "argument", "arguments", "scripts", "source", "sql", "query",
        "queries", "statement", "statements", "expression", "patch", "diff", "content", "contents",
    }
)  # fmt: skip
_MOST_ENTRIES = 100
"""Entries of a value that is hidden whole. In larger ones each entry counts: they are not looked through again and
again, at each of their levels."""

_ALWAYS_SHOWN = COMMAND_KEYS | _PATHS | _HOSTS | _CODE


class AddedKeys:
    """Names of arguments whose values are hidden, except where somebody has to see what would be done.

    Args:
        keys: The names, as for `KeyWords`.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._listed = KeyWords(keys) if keys else None

    def listed(self, words: Sequence[str]) -> bool:
        """Whether a value is hidden for its name, if it `holds_data`.

        Args:
            words: The words of its name.
        """
        return self._listed is not None and self._listed.lists(words) and _is_data(words)


def is_always_shown(name: str) -> bool:
    """Whether values of that name are shown whatever is added: what runs, where it goes, what it touches."""
    return not _is_data(words_of(name))


def _is_data(words: Sequence[str]) -> bool:
    return _ALWAYS_SHOWN.isdisjoint(words)


def holds_data(value: object) -> bool:
    """Whether a value is small, and no name in it is one of what always has to be seen.

    Args:
        value: Any JSON value, of any depth.
    """
    waiting = [value]
    seen = 0
    while waiting:
        item = waiting.pop()
        seen += 1
        if seen > _MOST_ENTRIES or (isinstance(item, Mapping | list | tuple) and len(item) > _MOST_ENTRIES):
            return False
        if isinstance(item, Mapping):
            if not all(_is_data(words_of(str(name))) for name in item):
                return False
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return True
