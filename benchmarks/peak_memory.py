"""What a process had in memory at most. It imports nothing of signoff: peers are measured by it too."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["peak_memory"]


def peak_memory(pid: int | None = None) -> float:
    """Megabytes that a process, or this one, had at most so far.

    What the kernel tells at the end of a process (getrusage(2)) counts who started it as well.
    """
    status = Path(f"/proc/{pid or os.getpid()}/status").read_text(encoding="ascii", errors="replace")
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0.0)
