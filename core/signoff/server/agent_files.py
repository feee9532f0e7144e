"""The modules and programs of hosted agents, looked for without running any of their code."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signoff.config.models import HostedAgentConfig

__all__ = ["missing_files"]


def missing_files(agents: Mapping[str, HostedAgentConfig], directory: Path) -> Iterator[tuple[str, str]]:
    """Yield each agent whose module or program is not there, and what is missing in words.

    Args:
        agents: The agents of the settings, by name.
        directory: The directory of the settings, absolute.
    """
    for name, agent in agents.items():
        if agent.command is not None:
            program = agent.command[0]
            # Without a slash it is searched for, with one it is a path: as the run will start it.
            if shutil.which(str(directory / program) if "/" in program else program) is None:
                yield name, f"there is no program {program} that can be run"
            continue
        module, _, _ = (agent.python or agent.pydantic_ai or "").partition(":")
        if not _is_there(module, directory):
            yield name, f"there is no module {module}, neither in {directory} nor installed"


def _is_there(module: str, directory: Path) -> bool:
    top, *inner = module.split(".")
    found = PathFinder.find_spec(top, [str(directory), str(Path.cwd())]) or _installed(top)
    for part in inner:
        if found is None or found.submodule_search_locations is None:
            return False
        found = PathFinder.find_spec(part, list(found.submodule_search_locations))
    return found is not None


def _installed(module: str) -> ModuleSpec | None:
    specs = (finder.find_spec(module, None) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)
