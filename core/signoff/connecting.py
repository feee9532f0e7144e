"""Opening the queue as an agent, with names that a person recognizes."""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.queue import AgentInfo, open_agent_queue

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["connect_agent"]


def connect_agent(
    name: str | None = None,
    *,
    session: str | None = None,
    place: str | os.PathLike[str] | None = None,
    cwd: str | None = None,
    via: str = "library",
) -> AgentQueue:
    """Open a queue for asking.

    Args:
        name: How the agent is called on screen; ``SIGNOFF_AGENT`` or the program's name by default.
        session: Identity of this conversation; ``SIGNOFF_SESSION`` or a new one by default.
        place: Directory, name or URL of the queue; ``SIGNOFF_QUEUE`` or the default queue otherwise.
        cwd: Absolute working directory of the agent; the process's own by default.
        via: Adapter or framework the calls come through.

    Raises:
        QueueError: The queue cannot be opened; the message says what to do.
    """
    info = AgentInfo(
        name=name or os.environ.get("SIGNOFF_AGENT") or Path(sys.argv[0] or "agent").stem or "agent",
        session=session or os.environ.get("SIGNOFF_SESSION") or f"s-{uuid.uuid4().hex[:8]}",
        cwd=cwd or str(Path.cwd()),
        via=via,
    )
    return open_agent_queue(info, place)
