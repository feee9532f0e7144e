"""Tools that declare their effects before they run.

Names are loaded on first use: each tool brings its own dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff._lazy import late_names

if TYPE_CHECKING:
    from signoff.tools.custom import CustomToolConfig, CustomTools, load_custom_tools
    from signoff.tools.file_sandbox import Attachment, FileSandbox, PathConfig, SandboxConfig
    from signoff.tools.os_profile import OSProfileConfig, derive_os_sandbox_profile
    from signoff.tools.os_sandbox import OSSandbox
    from signoff.tools.shell import CommandResult, ShellTool
    from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule
    from signoff.tools.workers import WorkerTools

__all__ = [
    "Attachment",
    "CommandResult",
    "CustomToolConfig",
    "CustomTools",
    "FileSandbox",
    "OSProfileConfig",
    "OSSandbox",
    "PathConfig",
    "SandboxConfig",
    "ShellConfig",
    "ShellDefault",
    "ShellRule",
    "ShellTool",
    "WorkerTools",
    "derive_os_sandbox_profile",
    "load_custom_tools",
]

__getattr__ = late_names(
    __name__,
    {
        "custom": (
            "CustomToolConfig",
            "CustomTools",
            "load_custom_tools",
        ),
        "file_sandbox": (
            "Attachment",
            "FileSandbox",
            "PathConfig",
            "SandboxConfig",
        ),
        "os_profile": (
            "OSProfileConfig",
            "derive_os_sandbox_profile",
        ),
        "os_sandbox": ("OSSandbox",),
        "shell": (
            "CommandResult",
            "ShellTool",
        ),
        "shell_rules": (
            "ShellConfig",
            "ShellDefault",
            "ShellRule",
        ),
        "workers": ("WorkerTools",),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
