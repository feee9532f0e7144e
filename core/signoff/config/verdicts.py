"""Verdicts of a settings file on calls; no code of the project is run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from signoff.config.build import build_call_policy
from signoff.config.load import parse_with_marks
from signoff.config.models import AgentConfig, Respelled
from signoff.config.report import CustomToolFacts, describe
from signoff.policy.tool_rules import NOTHING_KNOWN
from signoff.policy.verdict import Level, PartVerdict, Verdict, strictest
from signoff.settings_yaml import KeyPath, read_text
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import verdict as shell_verdict

__all__ = [
    "FILE_TOOLS",
    "SHELL_TOOLS",
    "SettingsFile",
    "SettingsVerdicts",
    "read_settings_file",
]


SHELL_TOOLS = frozenset({"run_command", "shell", "bash"})
"""Tools whose argument ``command`` is a shell command."""

FILE_TOOLS: Mapping[str, Literal["read", "write", "list"]] = {
    "read_file": "read",
    "read_attachment": "read",
    "write_file": "write",
    "edit_file": "write",
    "list_files": "list",
}
"""Tools of the sandbox, with the operation of each on the file or directory in its argument ``path``."""

_LEVEL_OF_ANSWER = {"runs": Level.ALLOW, "asks": Level.ASK, "unclear": Level.ASK, "blocked": Level.BLOCK}


class SettingsVerdicts:
    """The verdicts of a settings file on calls.

    The rules of the tool itself (of the shell, of the roots of the sandbox, the mark on a function), its setting
    in ``tools``, and the rules on calls all count, and the strictest holds. Only ``approval: none`` outranks a
    tool that would ask. The mode is left out: it decides about calls that ask. Checks that functions make in code
    of their own are left out, too.

    Args:
        config: The settings.
        directory: The base of relative paths and the directory of commands: that of the file.
    """

    def __init__(self, config: AgentConfig, directory: str | os.PathLike[str]) -> None:
        self.config = config
        self.directory = os.path.realpath(directory)
        self._settings = config.tool_configs
        self._call_policy = build_call_policy(config)
        self._sandbox = _sandbox_of(config, self.directory)

    def verdict(self, tool_name: str, arguments: Mapping[str, object], server: str | None = None) -> Verdict:
        """Return the verdict on a call.

        Args:
            tool_name: The name of the tool, without that of its server.
            arguments: The arguments by name.
            server: The server whose tool it is; None for a tool of the agent itself.

        Returns:
            The strictest verdict, with the rule that decided and a part for each thing that is judged. If nothing
            in the settings is about the tool, the call asks.
        """
        own = self._by_tool(tool_name, arguments) if server is None else None
        opinions = list(self._with_setting(tool_name, own))
        calls = None if self._call_policy is None else self._call_policy.verdict(tool_name, arguments, server)
        if calls is not None and not (calls.level is Level.ALLOW and calls.rule == NOTHING_KNOWN):
            opinions.append(_of_calls(calls))
        if not opinions:
            return Verdict(Level.ASK, "default", ("no setting is about this tool",))
        return _strictest_of(opinions)

    def command(self, text: str) -> Verdict:
        """Return the verdict on a shell command.

        Args:
            text: The text handed to the shell.
        """
        return self.verdict("run_command", {"command": text})

    def shell(self, text: str, directory: str) -> Verdict | None:
        """Return the verdict of the rules for the shell alone on a command; None without such rules.

        Args:
            text: The text handed to the shell.
            directory: The directory in which it would run; relative paths start there.
        """
        if self.config.shell is None:
            return None
        return self._by_shell(text, directory)

    def path(self, operation: Literal["read", "write", "list"], path: str) -> Verdict:
        """Return the verdict of the sandbox alone on a path; without a sandbox everything is blocked.

        Args:
            operation: The operation.
            path: Relative to the directory, or absolute.
        """
        if self._sandbox is None:
            return Verdict(Level.BLOCK, reasons=("there is no sandbox",))
        return self._sandbox.verdict(operation, path)

    def has_own(self, tool_name: str) -> bool:
        """True if the settings define a tool of this name, so that no server is needed to know its rules."""
        config = self.config
        shell = config.shell is not None and tool_name in SHELL_TOOLS
        files = config.sandbox is not None and tool_name in FILE_TOOLS
        return shell or files or tool_name in config.custom_tools

    def looks_at_directory(self, tool_name: str, arguments: Mapping[str, object]) -> bool:
        """True if a verdict depends on the base of relative paths.

        Args:
            tool_name: The name of one of the agent's own tools.
            arguments: The arguments of a call.
        """
        if tool_name in SHELL_TOOLS:
            return self.config.shell is not None and any(rule.sandbox_paths for rule in self.config.shell.rules)
        if tool_name not in FILE_TOOLS or self._sandbox is None:
            return False
        path = arguments.get("path")
        return not (isinstance(path, str) and path.startswith("/"))

    # -- parts of a verdict ----------------------------------------------------------------------------

    def _by_tool(self, tool_name: str, arguments: Mapping[str, object]) -> Verdict | None:
        """The verdict of the tool itself; None if the tool is not known here."""
        if tool_name in SHELL_TOOLS:
            return self._by_shell(arguments.get("command"), self.directory)
        if tool_name in FILE_TOOLS and self._sandbox is not None:
            path = arguments.get("path", "." if tool_name == "list_files" else None)
            return _as_part(self._sandbox.verdict(FILE_TOOLS[tool_name], path), str(path))
        custom = self._custom_tools.get(tool_name)
        return None if custom is None else _of_custom_tool(custom)

    def _by_shell(self, command: object, directory: str) -> Verdict:
        if not isinstance(command, str):
            return Verdict(Level.BLOCK, reasons=('"command" must be text',))
        try:
            if self._sandbox is not None:
                self._sandbox.require_usable()
        except PermissionError as error:
            return Verdict(Level.BLOCK, reasons=(str(error),))
        if self.config.shell is None:
            return Verdict(Level.ASK, "default", ("there are no rules for the shell",))
        return shell_verdict(self.config.shell, command, partial(self._lie_in, directory))

    def _lie_in(self, directory: str, paths: Sequence[str] | None, names: Sequence[str]) -> bool:
        if self._sandbox is None or paths is None:
            return False
        joined = (os.path.join(directory, path) for path in paths)  # noqa: PTH118 - as `ShellTool` does
        return all(self._sandbox.holds(path, names) for path in joined)

    def _with_setting(self, tool_name: str, own: Verdict | None) -> Iterator[Verdict]:
        """The verdict of the tool itself, and that of its setting in ``tools`` or ``custom_tools``."""
        setting = self._settings.get(tool_name, {}).get("approval")
        if own is not None and (setting != "none" or own.level is Level.BLOCK):
            yield own
        if setting is not None:
            level = {"none": Level.ALLOW, "required": Level.ASK, "deny": Level.BLOCK}[setting]
            rule = f"approval: {setting}"
            yield Verdict(level, rule, parts=(PartVerdict("setting of the tool", level, rule),))

    @cached_property
    def _custom_tools(self) -> dict[str, CustomToolFacts]:
        return {tool.name: tool for tool in describe(self.config, self.directory).custom_tools}


def _sandbox_of(config: AgentConfig, directory: str) -> FileSandbox | None:
    """The sandbox; a requirement that cannot be met here blocks, where an agent's sandbox would fail."""
    if config.sandbox is None:
        return None
    return FileSandbox(config.sandbox.model_copy(update={"os_sandbox_fallback": "refuse_tools"}), cwd=directory)


def _of_custom_tool(tool: CustomToolFacts) -> Verdict:
    if tool.found is None:
        return Verdict(Level.ASK, "default", ("there is no such function in tools.py",))
    level = _LEVEL_OF_ANSWER[tool.answer]
    unclear = "whether it asks cannot be told from the source"
    reasons = (unclear,) if tool.answer == "unclear" else ()
    rule = "@requires_approval" if tool.found.marked and tool.approval is None else "custom_tools"
    return Verdict(level, rule, reasons, (PartVerdict("function of tools.py", level, rule, reasons),))


def _of_calls(verdict: Verdict) -> Verdict:
    """The verdict with parts that nobody takes for commands."""
    parts = tuple(replace(part, text=f"rules on calls: {part.text}") for part in verdict.parts)
    return replace(verdict, parts=parts)


def _as_part(verdict: Verdict, text: str) -> Verdict:
    part = PartVerdict(text, verdict.level, verdict.rule, verdict.reasons)
    return Verdict(verdict.level, verdict.rule, verdict.reasons, (part,))


def _strictest_of(opinions: Sequence[Verdict]) -> Verdict:
    level = strictest(opinion.level for opinion in opinions)
    deciding = next(opinion for opinion in opinions if opinion.level is level)
    reasons = dict.fromkeys(reason for opinion in opinions for reason in opinion.reasons)
    parts = tuple(part for opinion in opinions for part in opinion.parts)
    return Verdict(level, deciding.rule, tuple(reasons), parts)


# -- A valid settings file: its settings, the place of each in it, and its verdicts on calls.


@dataclass(frozen=True)
class SettingsFile:
    """A valid settings file.

    Attributes:
        file: Its path, as it was given.
        text: Its content.
        config: The settings in it.
        respelled: The place of each value in it.
    """

    file: str
    text: str
    config: AgentConfig
    respelled: Respelled

    @property
    def directory(self) -> str:
        """The base of relative paths, absolute and without links."""
        return os.path.realpath(Path(self.file).parent)

    @cached_property
    def verdicts(self) -> SettingsVerdicts:
        """The verdicts of the file on calls."""
        return SettingsVerdicts(self.config, self.directory)

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line of a value, from 1; None if it has none."""
        mark = self.respelled.place(path)[0]
        return None if mark is None else mark.line


def read_settings_file(file: str) -> SettingsFile:
    """Read a settings file.

    Args:
        file: The path.

    Raises:
        ConfigError: The file cannot be read or is not valid; every problem is named with its line and key.
    """
    text = read_text(file)
    return SettingsFile(file, text, *parse_with_marks(text, file))
