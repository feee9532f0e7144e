"""What a settings file allows, as facts to print; nothing is built and no code of the project is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from signoff.config.models import AgentConfig
from signoff.config.tool_source import TOOLS_FILE, DefinedTool, UnreadableToolsError, defined_tools
from signoff.tools.roots import PathConfig
from signoff.tools.shell_policy import Judgement, judge
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule

__all__ = ["Answer", "CustomToolFacts", "Report", "RootFacts", "RuleFacts", "ToolAnswer", "describe"]

Answer = Literal["runs", "asks", "blocked"]
"""What happens to a call: it runs without a question, it has to be approved, or it is never run."""

ToolAnswer = Answer | Literal["unclear"]
"""The same of code that is not run here: it may be unclear whether a call has to be approved."""


@dataclass(frozen=True, slots=True)
class RootFacts:
    """A directory of the sandbox.

    Attributes:
        path: Absolute, with every link resolved.
        exists: Whether there is a directory now; one that is not there covers nothing.
    """

    name: str
    path: str
    exists: bool
    config: PathConfig

    @property
    def reading(self) -> Answer:
        """What happens to a call that reads a file or lists the directory."""
        return "asks" if self.config.read_approval else "runs"

    @property
    def writing(self) -> Answer:
        """What happens to a call that writes a file."""
        if self.config.mode == "ro":
            return "blocked"
        return "asks" if self.config.write_approval else "runs"


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """A rule of the shell.

    Attributes:
        decided: What really becomes of its pattern as a command; None if that is blocked.
    """

    rule: ShellRule
    decided: Judgement | None

    @property
    def answer(self) -> Answer:
        """What the rule says."""
        return answer_of(self.rule)


@dataclass(frozen=True, slots=True)
class CustomToolFacts:
    """A function that becomes a tool.

    Attributes:
        approval: What the settings say, in whichever section; None leaves it to the mark.
        found: What `tools.py` has under the name, if anything.
    """

    name: str
    approval: str | None
    found: DefinedTool | None

    @property
    def answer(self) -> ToolAnswer:
        """What happens to its calls, as far as can be seen without running code."""
        match self.approval:
            case "deny":
                return "blocked"
            case "required":
                return "asks"
            case "none":
                return "runs"
        if self.found is not None and self.found.doubt is not None:
            return "unclear"
        return "asks" if self.found is not None and self.found.marked else "runs"


@dataclass(frozen=True, slots=True)
class Report:
    """All that a settings file allows.

    Attributes:
        directory: Where relative paths start, absolute.
        tools_file: Why `tools.py` cannot be used, if it is needed and cannot.
        functions: Public functions of `tools.py`, if it is needed; one of them may be meant by a name that is
            not there.
    """

    config: AgentConfig
    directory: str
    roots: tuple[RootFacts, ...]
    rules: tuple[RuleFacts, ...]
    custom_tools: tuple[CustomToolFacts, ...]
    tools_file: str | None
    functions: tuple[str, ...]


def describe(config: AgentConfig, directory: str | os.PathLike[str]) -> Report:
    """Say what a configuration allows.

    Looks at names on the disk, and into `tools.py` if there are custom tools.

    Args:
        config: The settings.
        directory: Where their file is.
    """
    base = os.path.realpath(directory)
    paths = config.sandbox.paths if config.sandbox else {}
    defined, trouble = _defined_tools(config, base)
    return Report(
        config,
        base,
        roots=tuple(_root(name, path, base) for name, path in paths.items()),
        rules=tuple(RuleFacts(rule, _decided(config.shell, rule)) for rule in _rules(config)),
        custom_tools=_custom_tools(config, defined),
        tools_file=trouble,
        functions=tuple(name for name, tool in defined.items() if tool.function and not name.startswith("_")),
    )


def answer_of(rule: ShellDefault) -> Answer:
    """What a rule, or the default, says of the commands that it is about."""
    if not rule.allowed:
        return "blocked"
    return "asks" if rule.approval else "runs"


def _rules(config: AgentConfig) -> tuple[ShellRule, ...]:
    return config.shell.rules if config.shell else ()


def _root(name: str, config: PathConfig, base: str) -> RootFacts:
    path = os.path.realpath(os.path.join(base, config.root))  # noqa: PTH118 - as `Roots` does
    return RootFacts(name, path, os.path.isdir(path), config)  # noqa: PTH112


def _decided(shell: ShellConfig | None, rule: ShellRule) -> Judgement | None:
    """What becomes of the pattern as a command whose paths lie where this rule wants them."""
    assert shell is not None
    try:
        return judge(shell, rule.pattern, lambda _, names: tuple(names) == rule.sandbox_paths)
    except PermissionError:
        return None


def _defined_tools(config: AgentConfig, base: str) -> tuple[dict[str, DefinedTool], str | None]:
    """What `tools.py` defines, and why it cannot be used."""
    if not config.custom_tools:
        return {}, None
    try:
        return defined_tools(Path(base, TOOLS_FILE)), None
    except UnreadableToolsError as error:
        return {}, str(error)


def _custom_tools(config: AgentConfig, defined: Mapping[str, DefinedTool]) -> tuple[CustomToolFacts, ...]:
    settings = config.tool_configs
    return tuple(
        CustomToolFacts(name, settings.get(name, {}).get("approval"), defined.get(name))
        for name in config.custom_tools
    )
