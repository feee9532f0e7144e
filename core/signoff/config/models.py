"""The models of a whole settings file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from signoff.config.policy_models import PolicyConfig
from signoff.modes import Mode
from signoff.tools.custom import CustomToolConfig
from signoff.tools.sandbox_config import SandboxConfig
from signoff.tools.shell_rules import ShellConfig

__all__ = ["AgentConfig", "ToolConfig"]

_STRICTNESS = (None, "none", "required", "deny")


class ToolConfig(BaseModel):
    """What is said about one tool, whoever it comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    approval: Literal["required", "none", "deny"] | None = None
    """Whether its calls have to be approved, or are blocked; null leaves it to the tool."""


class AgentConfig(PolicyConfig):
    """What the tools of an agent may do, and what must be approved.

    Files may say some of it in other words too; `load_config` reads them, and these models are what they mean.
    """

    sandbox: SandboxConfig | None = None
    """Directories that the file tools work in. Without it there are no file tools."""
    shell: ShellConfig | None = None
    """Which commands run, which ask and which are blocked. Without it there is no shell tool."""
    custom_tools: dict[str, CustomToolConfig] = Field(default_factory=dict)
    """Functions of the file `tools.py` beside this one that become tools, by name."""
    tools: dict[str, ToolConfig] = Field(default_factory=dict)
    """Settings of any other tools, by name."""
    approval_mode: Mode | None = None
    """Who answers: a person (interactive), always yes (approve_all), always no (strict)."""

    @property
    def tool_configs(self) -> dict[str, dict[str, str]]:
        """The `tool_configs` of an `ApprovalToolset`; of two settings for one tool the stricter holds."""
        said = [
            *((name, config.approval) for name, config in self.tools.items()),
            *((name, config.approval) for name, config in self.custom_tools.items()),
        ]
        loosest_first = sorted(said, key=lambda setting: _STRICTNESS.index(setting[1]))
        return {name: {"approval": approval} for name, approval in loosest_first if approval is not None}
