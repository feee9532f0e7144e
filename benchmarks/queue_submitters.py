"""64 processes that submit at once, as fast as they can: does every one get its turn?"""

from __future__ import annotations

import multiprocessing as mp
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import example, percentile
from signoff.queue import AgentInfo, QueueError, open_agent_queue

SUBMITTERS = 64
SECONDS = 5.0


def run() -> list[dict[str, Any]]:
    """All together per second, the slowest as a share of the mean, times and errors."""
    context = mp.get_context("spawn")
    start, results = context.Barrier(SUBMITTERS), context.Queue()
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        processes = [
            context.Process(target=_submit, args=(name, number, start, results), daemon=True)
            for number in range(SUBMITTERS)
        ]
        for process in processes:
            process.start()
        counted = [results.get() for _ in processes]
        for process in processes:
            process.join()
    counts = [len(times) for times, _ in counted]
    times = [each for some, _ in counted for each in some]
    return [
        {"name": f"{SUBMITTERS} submitters: together", "value": sum(counts) / SECONDS, "unit": "1/s"},
        {"name": "slowest / mean", "value": min(counts) / statistics.mean(counts), "unit": "x"},
        {"name": "one submit, p50", "value": percentile(times, 50), "unit": "ms"},
        {"name": "one submit, p99", "value": percentile(times, 99), "unit": "ms"},
        {"name": "errors", "value": sum(errors for _, errors in counted), "unit": "errors"},
    ]


def _submit(folder: str, number: int, start: Any, results: Any) -> None:
    times: list[float] = []
    errors = 0
    with open_agent_queue(AgentInfo("bench", f"s{number}", folder), Path(folder) / "queue") as queue:
        start.wait()
        end = time.perf_counter() + SECONDS
        while (begin := time.perf_counter()) < end:
            try:
                queue.submit(example(f"{number} {len(times)}", Path(folder)))
            except QueueError:
                errors += 1
            times.append((time.perf_counter() - begin) * 1e3)
        start.wait()  # what closing does belongs to nobody's time
    results.put((times, errors))
