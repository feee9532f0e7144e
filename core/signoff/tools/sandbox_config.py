"""The ``sandbox`` block of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from signoff.tools.roots import PathConfig
from signoff.tools.setting_faults import made_from

__all__ = ["SandboxConfig", "as_sandbox_config"]


class SandboxConfig(BaseModel):
    """Roots by name, and whether the operating system must enforce them too."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    paths: dict[str, PathConfig] = Field(default_factory=dict)
    """Configuration of each root by its name."""
    require_os_sandbox: StrictBool = False
    """Whether file and shell tools may only be used inside a sandbox of the operating system."""
    os_sandbox_fallback: Literal["fail_fast", "refuse_tools"] = "fail_fast"
    """Without that sandbox: refuse to start, or start and block every file and shell tool."""


def as_sandbox_config(given: SandboxConfig | Mapping[str, Any]) -> SandboxConfig:
    """Read a ``sandbox`` block, or only the mapping of roots in it.

    Raises:
        ValueError: It is not valid; the text says for each problem where it is and what to write instead.
    """
    if isinstance(given, SandboxConfig):
        return given
    return made_from(SandboxConfig, given if _is_block(given) else {"paths": given}, ("sandbox",))


def _is_block(given: object) -> bool:
    """Whether this is the whole block; a root may be called ``paths`` as well, but then it has a ``root``."""
    paths = given.get("paths") if isinstance(given, Mapping) else None
    return isinstance(paths, Mapping) and not isinstance(paths.get("root"), str)
