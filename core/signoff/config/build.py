"""Tools and policy built from a settings file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.config.load import TOOLS_FILE, load_config
from signoff.config.models import (
    LEVELS,
    AgentConfig,
    ArgumentRuleConfig,
    PolicyConfig,
    ToolArgumentsConfig,
    ToolServer,
    condition_of,
)
from signoff.config.trust import load_trusted
from signoff.modes import Mode, chosen_mode
from signoff.policy.argument_rules import ArgumentRule, ToolArguments
from signoff.policy.tool_rules import ApprovalPolicies, CallPolicy, NameRules, ServerRules
from signoff.settings_yaml import KeyPath, dotted
from signoff.tools.custom import CustomTools, load_custom_tools
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool

if TYPE_CHECKING:
    from signoff.controller import ApprovalController

__all__ = [
    "Setup",
    "build",
    "build_call_policy",
    "build_from_file",
    "name_rules",
]


@dataclass(frozen=True, slots=True)
class Setup:
    """The tools, settings and policy of an agent.

    Attributes:
        sandbox: The file tools, if the settings have a ``sandbox``.
        shell: The shell tool, if the settings have a ``shell``.
        custom_tools: The functions of `tools.py` that the settings name, if any.
        tool_configs: For `ApprovalToolset`: the settings of single tools.
        mode: For `ApprovalController`: its mode.
        call_policy: For the adapters and `execute_tool`, as their ``policy``: the rules on calls by name, server
            and arguments; None without any.
    """

    sandbox: FileSandbox | None
    shell: ShellTool | None
    custom_tools: CustomTools | None
    tool_configs: dict[str, dict[str, str]]
    mode: Mode
    call_policy: CallPolicy | None = None


def build_from_file(
    path: str | os.PathLike[str],
    *,
    trusted: bool = False,
    mode: Mode | None = None,
    ignore_mode_of_file: bool = False,
    controller: ApprovalController | None = None,
) -> Setup:
    """Read a settings file and build its tools and policy; relative paths start at its directory.

    Agents work where such files lie. So a file counts only if a person trusts it (``signoff policy trust``),
    together with the code of its custom tools.

    Args:
        path: The file.
        trusted: True if the program itself vouches for the file, for example because agents cannot write there.
        mode: As for `build`.
        ignore_mode_of_file: As for `build`.
        controller: As for `build`.

    Raises:
        ConfigError: The file is not valid.
        TrustError: Nobody trusts it with this content.
        ValueError: It is trusted and valid, but cannot be built; see `build` for this and other errors.
    """
    config = load_config(path) if trusted else load_trusted(path)
    return build(
        config, Path(path).parent, mode=mode, ignore_mode_of_file=ignore_mode_of_file, controller=controller
    )


def build(
    config: AgentConfig,
    directory: str | os.PathLike[str],
    *,
    mode: Mode | None = None,
    ignore_mode_of_file: bool = False,
    controller: ApprovalController | None = None,
) -> Setup:
    """Build the tools of a configuration; if it names custom tools, `tools.py` is run for them.

    Of the modes that the configuration, the caller and the environment name, the strictest holds: a file never
    loosens the mode of the program or of ``SIGNOFF_MODE``, nor the other way round.

    Args:
        config: The settings.
        directory: The base of relative roots, the directory of commands, and the place of `tools.py`.
        mode: The mode that the program wants; None for no wish.
        ignore_mode_of_file: True to ignore the mode that the file names.
        controller: The controller that asks about what a command changed, if the shell's mode is ``review``.

    Raises:
        ValueError: A mode is unknown; the operating system's sandbox is required and cannot be had; a rule of the
            shell names an unknown root; or a custom tool is no function of `tools.py`.
        NotADirectoryError: The directory, in which commands would run, does not exist.
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
        ImportError: Running `tools.py` failed; the cause is attached.
    """
    base = os.path.realpath(directory)
    sandbox = FileSandbox(config.sandbox, cwd=base) if config.sandbox else None
    shell = ShellTool(base, config=config.shell, sandbox=sandbox, controller=controller) if config.shell else None
    os_sandbox = None if sandbox is None else sandbox.os_sandbox(config.shell, base)
    custom_tools = None
    if config.custom_tools:
        custom_tools = load_custom_tools(Path(base, TOOLS_FILE), config.custom_tools, os_sandbox=os_sandbox)
    mode = chosen_mode(mode, None if ignore_mode_of_file else config.approval_mode)
    return Setup(sandbox, shell, custom_tools, config.tool_configs, mode, build_call_policy(config))


# -- The policy on calls of a settings file.


def build_call_policy(config: PolicyConfig) -> CallPolicy | None:
    """Build the policy for calls; None if the settings have no rules on calls.

    Args:
        config: The settings.

    Raises:
        RegexError: RE2 was removed since the settings were read.
    """
    if not config.has_policy:
        return None
    wanted = config.approval_policies
    return CallPolicy(
        servers={server.server_name: _server_rules(server) for server in config.tool_servers},
        arguments=tuple(_tool_arguments(config)),
        approvals=ApprovalPolicies(
            write_ops=wanted is not None and wanted.write_ops,
            dangerous_ops=wanted is not None and wanted.dangerous_ops,
        ),
        unknown=LEVELS[config.unknown],
    )


def name_rules(server: ToolServer) -> NameRules:
    """Return the rules of a server on the names of its tools."""
    return NameRules.compiled(
        allowlist=server.allowlist,
        denylist=server.denylist,
        always=server.requires_approval.always,
        conditional=server.requires_approval.conditional,
    )


def _server_rules(server: ToolServer) -> ServerRules:
    default = LEVELS[server.default] if server.default else None
    return ServerRules(name_rules(server), default, server.redaction.arguments)


def _tool_arguments(config: PolicyConfig) -> Iterator[ToolArguments]:
    yield from _of_tools(config.arguments, None, ("arguments",))
    for server in config.tool_servers:
        yield from _of_tools(server.arguments, server.server_name, (server.server_name, "arguments"))


def _of_tools(
    tools: Mapping[str, ToolArgumentsConfig], server: str | None, place: KeyPath
) -> Iterator[ToolArguments]:
    for tool, settings in tools.items():
        rules = tuple(
            _rule(rule, dotted((*place, tool, "rules", index))) for index, rule in enumerate(settings.rules)
        )
        yield ToolArguments(tool, rules, LEVELS[settings.default], server)


def _rule(rule: ArgumentRuleConfig, name: str) -> ArgumentRule:
    level = LEVELS[rule.verdict]
    return ArgumentRule(tuple(condition_of(key, wanted, level) for key, wanted in rule.when.items()), level, name)
