"""The hook in an agent's settings file, or in a file of its own: put in, found, and taken out; all else stays."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from signoff.canonical import parse_json

__all__ = [
    "PLACES",
    "SAID_ALOUD",
    "HookPlace",
    "PluginPlace",
    "SettingsError",
    "has_hook",
    "trial_line",
    "why_off",
    "with_hook",
    "without_hook",
]


class SettingsError(ValueError):
    """A settings file cannot be changed; the message says why and what to do."""


SAID_ALOUD = "{ [ $? = 2 ] || echo 'not run: signoff failed' >&2; exit 2; }"
"""For agents that take a code without a word for a yes."""

_HALTS = 49
_OR_HALTS = f"{{ [ $? = {_HALTS} ] && exit {_HALTS}; exit 2; }}"
"""For an agent that has a code of its own for the end of a turn."""

_DAY = 86_400

_QUEUE = r""" +--queue[ =](?:'[^']*'|"(?:[^"`\\$]|\$(?!\())*"|[\w@%+=:,./~-]+)"""
_TIMEOUT = r" +--timeout[ =](\d{1,9})"


class HookPlace(NamedTuple):
    """The place of the hook in the settings of an agent.

    Attributes:
        agent: Name of the dialect.
        program: The program of the agent; "" if others have one of this name.
        folder: Its configuration directory, below the home directory.
        event: The event that the hook is for.
        more: Entries of the handler besides its command.
        matcher: What the agent writes for all tools, in front of a group of handlers; None for handlers without
            groups.
        command: Name of the entry for the command.
        otherwise: What the shell does if the hook fails, so that the call does not run.
        settings: Name of the settings file; those in TOML are a list of tables ``hooks``.
        elsewhere: Environment variables that name another directory, and the folder in that; the first counts.
        needed: Entries that the file has to have besides.
        off: The setting that switches all hooks off, by the names that lead to it, and its value for that.
        off_in: The file with that setting; "" for `settings`.
        disabled: The list of commands of hooks that are switched off, by the names that lead to it; "" for none.
        traces: A directory, below the home directory, that is there if the agent is; "" for `folder`.
        still_to_do: What a person has to do besides, for the hook to be run; "" for nothing.
    """

    agent: str
    program: str
    folder: str
    event: str
    more: Mapping[str, Any]
    matcher: str | None = None
    command: str = "command"
    otherwise: str = "exit 2"
    settings: str = "settings.json"
    elsewhere: Mapping[str, str] = MappingProxyType({})
    needed: Mapping[str, Any] = MappingProxyType({})
    off: tuple[str, bool] | None = None
    off_in: str = ""
    disabled: str = ""
    traces: str = ""
    still_to_do: str = ""

    def file(self, environment: Mapping[str, str]) -> Path:
        """Return the path of the settings file."""
        return self.directory(environment) / self.settings

    def directory(self, environment: Mapping[str, str]) -> Path:
        """Return the configuration directory."""
        return _directory(self.folder, self.elsewhere, environment)

    def sign(self, environment: Mapping[str, str]) -> Path:
        """Return the directory that is there if the agent is."""
        home = Path(environment.get("HOME") or Path.home())
        return home / self.traces if self.traces else self.directory(environment)

    def line(self, signoff: str, options: str = "") -> str:
        """Return the command.

        Args:
            signoff: The program, as a shell reads it.
            options: Its options, each behind a blank.
        """
        return f"{signoff} hook {self.agent}{options} || {self.otherwise}"

    def entry(self, signoff: str, options: str = "") -> dict[str, Any]:
        """Return the entry for the event; the agent waits as long as the options say.

        Args:
            signoff: The program, as a shell reads it.
            options: Its options, each behind a blank.
        """
        handler = {**self.more, self.command: self.line(signoff, options)}
        if seconds := re.findall(_TIMEOUT, re.sub(_QUEUE, "", options)):
            [name] = (each for each in self.more if each.startswith("timeout"))
            handler[name] = int(seconds[-1]) * (self.more[name] // _DAY)
        return handler if self.matcher is None else {"matcher": self.matcher, "hooks": [handler]}


def _directory(folder: str, elsewhere: Mapping[str, str], environment: Mapping[str, str]) -> Path:
    for variable, other in elsewhere.items():
        if named := environment.get(variable):
            return Path(named) / other
    return Path(environment.get("HOME") or Path.home()) / folder


_COMMAND = {"type": "command"}

PLACES: Mapping[str, HookPlace] = MappingProxyType(
    {
        place.agent: place
        for place in (
            HookPlace(
                agent="claude-code",
                program="claude",
                folder=".claude",
                elsewhere={"CLAUDE_CONFIG_DIR": ""},
                event="PreToolUse",
                matcher="*",
                more={**_COMMAND, "timeout": _DAY, "onFailure": "block"},
                off=("disableAllHooks", True),
            ),
            HookPlace(
                agent="codex",
                program="codex",
                folder=".codex",
                elsewhere={"CODEX_HOME": ""},
                event="PreToolUse",
                matcher=".*",
                more={**_COMMAND, "timeout": _DAY},
                otherwise=SAID_ALOUD,
                settings="hooks.json",
                still_to_do="start codex, give /hooks, and trust the hook: Codex runs none that is not trusted",
            ),
            HookPlace(
                agent="copilot",
                program="copilot",
                folder=".copilot",
                elsewhere={"COPILOT_HOME": ""},
                event="preToolUse",
                more={**_COMMAND, "timeoutSec": _DAY},
                command="bash",
                settings="hooks/signoff.json",
                needed={"version": 1},
                off=("disableAllHooks", True),
                off_in="settings.json",
            ),
            HookPlace(
                agent="crush",
                program="crush",
                folder=".config/crush",
                elsewhere={"CRUSH_GLOBAL_CONFIG": "", "XDG_CONFIG_HOME": "crush"},
                event="PreToolUse",
                more={"timeout": _DAY},
                otherwise=_OR_HALTS,
                settings="crush.json",
            ),
            HookPlace(
                agent="cursor",
                program="cursor-agent",
                folder=".cursor",
                event="preToolUse",
                more={"timeout": _DAY, "failClosed": True},
                settings="hooks.json",
                needed={"version": 1},
            ),
            HookPlace(
                agent="gemini",
                program="gemini",
                folder=".gemini",
                event="BeforeTool",
                matcher=".*",
                more={**_COMMAND, "timeout": _DAY * 1000},
                otherwise=SAID_ALOUD,
                off=("hooksConfig.enabled", False),
                disabled="hooksConfig.disabled",
            ),
            HookPlace(
                agent="goose",
                program="",
                folder=".agents/plugins/signoff",
                traces=".config/goose",
                event="PreToolUse",
                matcher=".*",
                more={**_COMMAND, "timeout": _DAY, "on_failure": "block"},
                settings="hooks/hooks.json",
            ),
            HookPlace(
                agent="qwen",
                program="qwen",
                folder=".qwen",
                event="PreToolUse",
                matcher="*",
                more={**_COMMAND, "timeout": _DAY * 1000},
                otherwise=SAID_ALOUD,
                off=("disableAllHooks", True),
            ),
            HookPlace(
                agent="vibe",
                program="vibe",
                folder=".vibe",
                elsewhere={"VIBE_HOME": ""},
                event="pre_tool",
                more={"name": "signoff", "type": "pre_tool", "strict": True, "timeout": _DAY},
                settings="hooks.toml",
            ),
        )
    }
)
"""The place of the hook of each dialect that has one in settings."""

_WRITTEN_BY = "// Written by `signoff init"
_COMMAND_LINE = re.compile("^const COMMAND = .*;$", re.MULTILINE)


class PluginPlace(NamedTuple):
    """The place of a plugin that asks, which is a file of its own.

    Attributes:
        agent: Name of the dialect.
        program: The program of the agent.
        folder: Its configuration directory, below the home directory.
        settings: The file, below that directory.
        elsewhere: As for `HookPlace`.
        template: Name of the file beside this one that holds the plugin.
        still_to_do: What a person has to do besides, for the plugin to be run; "" for nothing.
    """

    agent: str
    program: str
    folder: str
    settings: str
    elsewhere: Mapping[str, str]
    template: str
    still_to_do: str = ""

    def file(self, environment: Mapping[str, str]) -> Path:
        """Return the path of the plugin."""
        return self.directory(environment) / self.settings

    def directory(self, environment: Mapping[str, str]) -> Path:
        """Return the configuration directory."""
        return _directory(self.folder, self.elsewhere, environment)

    def sign(self, environment: Mapping[str, str]) -> Path:
        """Return the directory that is there if the agent is."""
        return self.directory(environment)

    def line(self, signoff: str) -> str:
        """Return the command line that the plugin runs.

        Args:
            signoff: The program, as a shell reads it.
        """
        return f"{signoff} hook {self.agent}"

    def plugin(self, signoff: str) -> str:
        """Return the text of the plugin.

        Args:
            signoff: The program, as a shell reads it.
        """
        text = Path(__file__).with_name(self.template).read_text("utf-8")
        words = ", ".join(json.dumps(word) for word in shlex.split(self.line(signoff)))
        return _COMMAND_LINE.sub(lambda _: f"const COMMAND = [{words}];", text)


def has_hook(text: str, place: HookPlace | PluginPlace, signoff: str) -> bool:
    """True if the settings have the hook, exactly as it would be put in; where hooks run in order, as the last.

    Raises:
        SettingsError: They cannot be read.
    """
    if isinstance(place, PluginPlace):
        return text == place.plugin(signoff)
    settings = _settings(text, place)
    entries, entry = _entries(settings, place), place.entry(signoff, _options(settings, place))
    where = entries[-1:] if _is_toml(place) else entries
    return entry in where and place.needed.items() <= settings.items()


def trial_line(text: str, place: HookPlace | PluginPlace, signoff: str) -> str:
    """Return the command of the hook in the settings, for a queue that the environment names.

    Raises:
        SettingsError: They cannot be read.
    """
    if isinstance(place, PluginPlace):
        return place.line(signoff)
    return place.line(signoff, re.sub(_QUEUE, "", _options(_settings(text, place), place)))


def why_off(place: HookPlace | PluginPlace, environment: Mapping[str, str]) -> str:
    """Return that the settings switch all hooks off, or cannot be read; "" if they do not."""
    if isinstance(place, PluginPlace) or place.off is None:
        return ""
    path = place.directory(environment) / (place.off_in or place.settings)
    names, value = place.off
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        return f"it may run no hooks: {path} cannot be read: {error}"
    if _at(found, names) is value:
        return f"it runs no hooks as long as {path} has {names}: {json.dumps(value)}"
    disabled = _at(found, place.disabled)
    if isinstance(disabled, list) and any(_is_ours({place.command: each}, place) for each in disabled):
        return f"it does not run the hook as long as {path} has it in {place.disabled}"
    return ""


def _at(settings: Any, names: str) -> Any:
    """The setting that names with dots between them lead to; None for none."""
    for name in names.split("."):
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def with_hook(text: str, place: HookPlace | PluginPlace, signoff: str) -> str:
    """Return the settings with the hook, behind the hooks of others: it is to see what these make of a call.

    The options of a hook that is there stay.

    Args:
        text: The settings; "" for a file that is not there.
        place: The place of the hook.
        signoff: The program, as a shell reads it.

    Raises:
        SettingsError: They cannot be read.
    """
    if isinstance(place, PluginPlace):
        if text and not text.startswith(_WRITTEN_BY):
            raise SettingsError("signoff did not write it; move it away, and try again")
        return place.plugin(signoff)
    settings = _settings(text, place)
    others, entry = _without(_entries(settings, place), place), place.entry(signoff, _options(settings, place))
    if _is_toml(place):
        kept = _without_tables(text, place, others)
        kept += "" if not kept or kept.endswith("\n") else "\n"
        return _with_hooks(kept + _table(entry), [*others, entry])
    hooks = {**settings.get("hooks", {}), place.event: [*others, entry]}
    return _written({**settings, **place.needed, "hooks": hooks}, text)


def without_hook(text: str, place: HookPlace | PluginPlace) -> str:
    """Return the settings without the hook: "" if nothing is left, the very text if it is not there.

    Raises:
        SettingsError: They cannot be read.
    """
    if isinstance(place, PluginPlace):
        return "" if text.startswith(_WRITTEN_BY) else text
    settings = _settings(text, place)
    entries = _entries(settings, place)
    left = _without(entries, place)
    if left == entries:
        return text
    if _is_toml(place):
        return _without_tables(text, place, left)
    hooks = {**settings["hooks"], place.event: left}
    if not left:
        del hooks[place.event]
    settings = {**settings, "hooks": hooks}
    if not hooks:
        del settings["hooks"]
    return "" if settings == place.needed else _written(settings, text)


def _is_toml(place: HookPlace) -> bool:
    return place.settings.endswith(".toml")


def _settings(text: str, place: HookPlace) -> dict[str, Any]:
    named, read = ("TOML", tomllib.loads) if _is_toml(place) else ("plain JSON", _json)
    try:
        found = read(text) if text.strip() else {}
    except ValueError as error:
        raise SettingsError(
            f"it is not {named} ({error}), so it is left as it is; put the hook in by hand"
        ) from error
    kind = list if _is_toml(place) else dict
    if not isinstance(found, dict) or not isinstance(found.get("hooks", kind()), kind):
        raise SettingsError("it is no settings file as the agent describes it; put the hook in by hand")
    return found


def _json(text: str) -> Any:
    """Settings that are the same when they are written again.

    Raises:
        NotJsonError: They are no JSON, or have a key twice or a number that is too large.
        UnicodeEncodeError: They have half of a character.
    """
    found = parse_json(text)
    json.dumps(found, ensure_ascii=False).encode()
    return found


def _entries(settings: Mapping[str, Any], place: HookPlace) -> list[Any]:
    if _is_toml(place):
        return list(settings.get("hooks", []))
    entries = settings.get("hooks", {}).get(place.event, [])
    if not isinstance(entries, list):
        raise SettingsError(f"its hooks for {place.event} are no list; put the hook in by hand")
    return entries


def _without(entries: list[Any], place: HookPlace) -> list[Any]:
    """The entries without every handler of ours; one with handlers of others keeps those."""
    if place.matcher is None:
        return [each for each in entries if not _is_ours(each, place)]
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


def _options(settings: Mapping[str, Any], place: HookPlace) -> str:
    """The options of our hook, as they are written; "" if it has none.

    Raises:
        SettingsError: They would be lost.
    """
    line = re.compile(rf"\bsignoff['\"]? hook {place.agent}( +-.*?)?(?: *\|\| .*)?$", re.DOTALL)
    for handler in _handlers(_entries(settings, place), place):
        found = line.search(handler[place.command]) if _is_ours(handler, place) else None
        if found is None or found[1] is None:
            continue
        if not re.fullmatch(f"(?:{_QUEUE}|{_TIMEOUT})+", found[1]):
            raise SettingsError(
                "its line of signoff has options that signoff init does not know; change it by hand"
            )
        return str(found[1])
    return ""


def _handlers(entries: list[Any], place: HookPlace) -> Iterator[Any]:
    for entry in entries:
        if place.matcher is None:
            yield entry
        elif isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
            yield from entry["hooks"]


def _is_ours(handler: object, place: HookPlace) -> bool:
    command = handler.get(place.command) if isinstance(handler, dict) else None
    return isinstance(command, str) and re.search(rf"\bsignoff['\"]? hook {place.agent}\b", command) is not None


def _written(settings: Mapping[str, Any], before: str) -> str:
    """The settings as text, indented as they were."""
    found = re.search(r"\n([ \t]+)\S", before)
    indent = found.group(1) if found is not None else "  "
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


# -- TOML, which is changed as text, so that what a person wrote there stays as it is.


def _table(entry: Mapping[str, Any]) -> str:
    # A string or number of JSON is one of TOML, but for a character that JSON leaves as it is.
    lines = (
        f"{key} = {json.dumps(value, ensure_ascii=False).replace(chr(127), chr(92) + 'u007f')}"
        for key, value in entry.items()
    )
    return "\n".join(("[[hooks]]", *lines, ""))


def _without_tables(text: str, place: HookPlace, left: list[Any]) -> str:
    """The text without the tables of ours, but with the comments behind them.

    Raises:
        SettingsError: It is written in a way that leaves unclear where they begin and end.
    """
    tables = re.split(r"^(?=[ \t]*\[)", text, flags=re.MULTILINE)
    kept = (_comments_behind(each) if _is_table_of_ours(each, place) else each for each in tables)
    return _with_hooks("".join(kept), left)


def _comments_behind(table: str) -> str:
    found = re.search(r"(?:^[ \t]*(?:#.*)?\n)*\Z", table, re.MULTILINE)
    return "" if found is None else found.group()


def _with_hooks(text: str, hooks: list[Any]) -> str:
    """The text, if it has these hooks.

    Raises:
        SettingsError: It has not.
    """
    try:
        found = tomllib.loads(text).get("hooks", [])
    except ValueError:
        found = None
    if found != hooks:
        raise SettingsError("its hooks are written in an unusual way; put the hook in, or take it out, by hand")
    return text


def _is_table_of_ours(table: str, place: HookPlace) -> bool:
    try:
        found = tomllib.loads(table).get("hooks")
    except ValueError:
        return False
    return isinstance(found, list) and len(found) == 1 and _is_ours(found[0], place)
