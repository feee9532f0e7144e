"""Runs every benchmark, prints one table and writes benchmarks/results.json."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

from benchmarks import diff_engine, import_cost, queue_round_trip

PARTS = {"diff engine": diff_engine, "imports": import_cost, "queue": queue_round_trip}


def main() -> None:
    """Run, print, write."""
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }
    results: dict[str, object] = {"machine": machine}
    print(f"Python {machine['python']}, {machine['system']}, {machine['cores']} cores")
    for title, part in PARTS.items():
        print(f"\n{title}")
        rows = part.run()
        results[title] = rows
        for row in rows:
            print(f"  {row['name']:<56} {row['value']:>10,.2f} {row['unit']}")
        sys.stdout.flush()
    target = Path(__file__).parent / "results.json"
    target.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {target}")


if __name__ == "__main__":
    main()
