"""The hook in an agent's settings file: put in, found, and taken out; all else in the file stays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["SAID_ALOUD", "HookPlace", "SettingsError", "has_hook", "with_hook", "without_hook"]


class SettingsError(ValueError):
    """A settings file cannot be changed; the message says why and what to do."""


SAID_ALOUD = "{ [ $? = 2 ] || echo 'not run: signoff failed' >&2; exit 2; }"
"""For agents that take a code without a word for a yes."""


class HookPlace(NamedTuple):
    """The place of the hook in the settings of an agent.

    Attributes:
        agent: Name of the dialect.
        program: The program of the agent.
        folder: Its configuration directory, below the home directory.
        folder_variable: The environment variable that names another one; "" if there is none.
        event: The event that the hook is for.
        matcher: What the agent writes for all tools.
        more: Entries of the handler besides its command.
        otherwise: What the shell does if the hook fails, so that the call does not run.
        settings: Name of the settings file.
        still_to_do: What a person has to do besides, for the hook to be run; "" for nothing.
    """

    agent: str
    program: str
    folder: str
    folder_variable: str
    event: str
    matcher: str
    more: Mapping[str, Any]
    otherwise: str = "exit 2"
    settings: str = "settings.json"
    still_to_do: str = ""

    def file(self, environment: Mapping[str, str]) -> Path:
        """Return the path of the settings file."""
        named = environment.get(self.folder_variable) if self.folder_variable else None
        return Path(named or Path(environment.get("HOME") or Path.home()) / self.folder) / self.settings

    def entry(self, signoff: str) -> dict[str, Any]:
        """Return the entry for the event.

        Args:
            signoff: The program, as a shell reads it.
        """
        command = f"{signoff} hook {self.agent} || {self.otherwise}"
        handler = {"type": "command", "command": command, **self.more}
        return {"matcher": self.matcher, "hooks": [handler]}


def has_hook(text: str, place: HookPlace, signoff: str) -> bool:
    """True if the settings have the hook, exactly as it would be put in.

    Raises:
        SettingsError: They cannot be read.
    """
    return place.entry(signoff) in _entries(_settings(text), place)


def with_hook(text: str, place: HookPlace, signoff: str) -> str:
    """Return the settings with the hook, in the place of one that is there.

    Args:
        text: The settings; "" for a file that is not there.
        place: The place of the hook.
        signoff: The program, as a shell reads it.

    Raises:
        SettingsError: They cannot be read.
    """
    settings = _settings(text)
    others = _without(_entries(settings, place), place)
    hooks = {**settings.get("hooks", {}), place.event: [*others, place.entry(signoff)]}
    return _written({**settings, "hooks": hooks}, text)


def without_hook(text: str, place: HookPlace) -> str:
    """Return the settings without the hook; the very text if it is not there.

    Raises:
        SettingsError: They cannot be read.
    """
    settings = _settings(text)
    entries = _entries(settings, place)
    left = _without(entries, place)
    if left == entries:
        return text
    hooks = {**settings["hooks"], place.event: left}
    if not left:
        del hooks[place.event]
    settings = {**settings, "hooks": hooks}
    if not hooks:
        del settings["hooks"]
    return _written(settings, text)


def _settings(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise SettingsError(
            f"it is not JSON ({error}), so it is left as it is; put the hook in by hand"
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("hooks", {}), dict):
        raise SettingsError("it is no settings file as the agent describes it; put the hook in by hand")
    return found


def _entries(settings: Mapping[str, Any], place: HookPlace) -> list[Any]:
    entries = settings.get("hooks", {}).get(place.event, [])
    if not isinstance(entries, list):
        raise SettingsError(f"its hooks for {place.event} are no list; put the hook in by hand")
    return entries


def _without(entries: list[Any], place: HookPlace) -> list[Any]:
    """The entries without every handler of ours; one with handlers of others keeps those."""
    left: list[Any] = []
    for entry in entries:
        handlers = entry.get("hooks") if isinstance(entry, dict) else None
        if not isinstance(handlers, list):
            left.append(entry)
            continue
        others = [each for each in handlers if not _is_ours(each, place)]
        if len(others) == len(handlers):
            left.append(entry)
        elif others:
            left.append({**entry, "hooks": others})
    return left


def _is_ours(handler: object, place: HookPlace) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and re.search(rf"\bsignoff['\"]? hook {place.agent}\b", command) is not None


def _written(settings: Mapping[str, Any], before: str) -> str:
    """The settings as text, indented as they were."""
    found = re.search(r"\n([ \t]+)\S", before)
    indent = found.group(1) if found is not None else "  "
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
