"""What `import signoff` and asking for its names cost, beside `import pydantic`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

ROUNDS = 7
STATEMENTS = {
    "python -c pass": "pass",
    "import pydantic (BaseModel)": "from pydantic import BaseModel",
    "import signoff": "import signoff",
    "import signoff (ApprovalController)": "from signoff import ApprovalController",
    "import signoff.queue": "import signoff.queue",
}


def run() -> list[dict[str, Any]]:
    """Time whole processes, one after the other in turn; medians, with the bare interpreter taken off."""
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(ROUNDS):
        for name, statement in STATEMENTS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            times[name].append((time.perf_counter() - start) * 1e3)
    medians = {name: statistics.median(values) for name, values in times.items()}
    bare = medians["python -c pass"]
    pydantic = medians["import pydantic (BaseModel)"] - bare
    rows = [{"name": name, "value": value, "unit": "ms"} for name, value in medians.items()]
    return rows + [
        {"name": f"{name} / import pydantic", "value": (medians[name] - bare) / pydantic, "unit": "x"}
        for name in ("import signoff", "import signoff (ApprovalController)", "import signoff.queue")
    ]
