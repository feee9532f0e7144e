"""What the measurements of the queue share: percentiles, table rows, the floor, and an example request."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.canonical import canonical
from signoff.queue import Submission

__all__ = ["PAYLOAD", "cpu_seconds", "durable", "example", "percentile", "spread"]

PAYLOAD = {"command": "pytest -q", "padding": "x" * 600}
BYTES = len(canonical(PAYLOAD))


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent of the values stay below."""
    return statistics.quantiles(values, n=100)[percent - 1]


def spread(times: Mapping[str, Sequence[float]], percents: Sequence[int] = (50, 99)) -> list[dict[str, Any]]:
    """Rows with the percentiles of each series of milliseconds."""
    return [
        {"name": f"{name}, p{percent}", "value": percentile(values, percent), "unit": "ms"}
        for name, values in times.items()
        for percent in percents
    ]


def durable(file: int) -> None:
    """Append the bytes of one request and wait until they are on the disk."""
    os.write(file, b"x" * BYTES)
    os.fdatasync(file)


def example(key: str, folder: Path) -> Submission:
    """A request to ask with."""
    return Submission(
        key=key,
        tool_name="shell",
        description="Run the tests",
        payload=PAYLOAD,
        payload_key=canonical(PAYLOAD),
        arguments=PAYLOAD,
        digest=f"{key:0>64}",
        cwd=str(folder),
    )


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used so far, its own and the kernel's for it (proc_pid_stat(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
