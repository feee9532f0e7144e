"""The tools that a settings file describes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from signoff.config.loading import load_config
from signoff.config.models import AgentConfig
from signoff.config.policy_building import build_call_policy
from signoff.config.tool_source import TOOLS_FILE
from signoff.config.trusting import load_trusted
from signoff.modes import Mode, chosen_mode
from signoff.policy.tool_rules import CallPolicy
from signoff.tools.custom import CustomTools, load_custom_tools
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool

__all__ = ["Setup", "build", "build_from_file"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What an agent is given.

    Attributes:
        sandbox: The file tools, if the settings have a ``sandbox``.
        shell: The shell tool, if they have a ``shell``.
        custom_tools: The functions of `tools.py` that they name, if any.
        tool_configs: For `ApprovalToolset`: the settings of single tools.
        mode: For `ApprovalController`: how it answers.
        call_policy: For the adapters and `execute_tool`, as their ``policy``: what is said of calls by name,
            server and arguments, if they say anything of them.
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
) -> Setup:
    """Read a settings file and build what it describes; its own directory is the base of relative paths.

    Agents work where such files lie. So a file counts only as a person trusts it (``signoff policy trust``), with
    the code of its custom tools.

    Args:
        path: The file.
        trusted: Whether the program itself vouches for the file, for example because agents cannot write there.
        mode: As for `build`.
        ignore_mode_of_file: As for `build`.

    Raises:
        ConfigError: The file is not valid.
        TrustError: Nobody trusts it with this content.
        ValueError: It is trusted and valid, but cannot be built; see `build` for this and other errors.
    """
    config = load_config(path) if trusted else load_trusted(path)
    return build(config, Path(path).parent, mode=mode, ignore_mode_of_file=ignore_mode_of_file)


def build(
    config: AgentConfig,
    directory: str | os.PathLike[str],
    *,
    mode: Mode | None = None,
    ignore_mode_of_file: bool = False,
) -> Setup:
    """Build the tools that a configuration describes; if it names custom tools, `tools.py` is run for them.

    Of the modes that the configuration, the caller and the environment name, the strictest holds: a file never
    loosens what the program or ``SIGNOFF_MODE`` says, nor the other way round.

    Args:
        config: The settings.
        directory: Where relative roots start, where commands run, and where `tools.py` is.
        mode: What the program says; None if it says nothing.
        ignore_mode_of_file: Whether the program does not want the file to have a say in the mode.

    Raises:
        ValueError: A mode is unknown; the operating system's sandbox is required and cannot be had; a rule of the
            shell names a root that there is not; or a custom tool is no function of `tools.py`.
        NotADirectoryError: The directory, in which commands would run, is not there.
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
        ImportError: Running `tools.py` failed; the cause is attached.
    """
    base = os.path.realpath(directory)
    sandbox = FileSandbox(config.sandbox, cwd=base) if config.sandbox else None
    shell = ShellTool(base, config=config.shell, sandbox=sandbox) if config.shell else None
    custom_tools = load_custom_tools(Path(base, TOOLS_FILE), config.custom_tools) if config.custom_tools else None
    mode = chosen_mode(mode, None if ignore_mode_of_file else config.approval_mode)
    return Setup(sandbox, shell, custom_tools, config.tool_configs, mode, build_call_policy(config))
