"""Runs every benchmark, prints one table and writes benchmarks/results.json."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    confined_start,
    diff_engine,
    display_safety,
    filtering,
    hook_start,
    import_cost,
    library_calls,
    masking,
    mcp_gate,
    opening,
    queue_history,
    queue_idle,
    queue_peers,
    queue_postgres,
    queue_round_trip,
    queue_submitters,
    shell_verdicts,
    wire,
)
from signoff.queue.keys.folder import KEYS_VARIABLE

PARTS = {
    "diff engine": diff_engine,
    "display: hostile text made visible": display_safety,
    "display: secrets masked in the worst texts": masking,
    "a filter over 10 000 records": filtering,
    "imports": import_cost,
    "the hook of a coding agent": hook_start,
    "a message through the gate of MCP": mcp_gate,
    "opening a change, beside others": opening,
    "calls that need no person": library_calls,
    "verdicts for shell commands": shell_verdicts,
    "starting a confined command": confined_start,
    "queue: round trip": queue_round_trip,
    "queue: PostgreSQL": queue_postgres,
    "queue: beside others": queue_peers,
    "queue: idle for a minute": queue_idle,
    "queue: many at once": queue_submitters,
    "the wire: HTTP and WebSocket": wire,
}
LARGE_PARTS = {"queue: a long history": queue_history}
"""Takes minutes and more than a gigabyte of disk for a while: measured with ``--large`` only."""


def main() -> None:
    """Run, print, write. What belongs to a person, such as keys and trust, lasts as long as this."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as own:
        os.environ |= dict.fromkeys((KEYS_VARIABLE, "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), own)
        _run()


def _run() -> None:
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }
    results: dict[str, object] = {"machine": machine}
    print(f"Python {machine['python']}, {machine['system']}, {machine['cores']} cores")
    parts = {**PARTS, **LARGE_PARTS} if "--large" in sys.argv[1:] else PARTS
    for title, part in parts.items():
        print(f"\n{title}")
        rows = part.run()
        results[title] = rows
        for row in rows:
            print(f"  {row['name']:<68} {row['value']:>10,.2f} {row['unit']}")
        sys.stdout.flush()
    target = Path(__file__).parent / "results.json"
    target.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {target}")


if __name__ == "__main__":
    main()
