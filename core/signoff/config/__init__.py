"""Settings of an agent in one YAML file: what its tools may do, and what must be approved."""

from __future__ import annotations

from signoff.config.build import Setup, build, build_from_file
from signoff.config.load import load_config, parse_config
from signoff.config.models import AgentConfig, ToolConfig
from signoff.settings_yaml import ConfigError, Problem

__all__ = [
    "AgentConfig",
    "ConfigError",
    "Problem",
    "Setup",
    "ToolConfig",
    "build",
    "build_from_file",
    "load_config",
    "parse_config",
]
