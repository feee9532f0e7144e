"""What the agents of the flows are asked to do, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from answering import Answer, Reviewer

__all__ = ["Call", "StartReviewer", "deploy", "deployed", "write"]

Call = tuple[str, dict[str, Any]]
StartReviewer = Callable[[Answer], Reviewer]


def deploy(to: str = "staging") -> Call:
    """A call of the tool that deploys."""
    return "deploy", {"to": to}


def write(path: str, content: str = "new\n") -> Call:
    """A call of the tool that writes a file."""
    return "write_file", {"path": path, "content": content}


def deployed(workdir: Path) -> list[str]:
    """What the tool has done."""
    log = workdir / "deployed.txt"
    return log.read_text().splitlines() if log.exists() else []
