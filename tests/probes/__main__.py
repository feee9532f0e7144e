"""Runs the probes and prints a table: as root, everything once more as an ordinary user."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter

from probes.bench import Kind, Verdict, judged
from probes.catalogue import all_probes
from probes.ordinary import as_ordinary_user


def main() -> int:
    """Run the probes that the command line names, and return 0 if all is as it should be."""
    parser = argparse.ArgumentParser(prog="probes", description=__doc__)
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="these alone, such as w01, or p for all that begin with p"
    )
    parser.add_argument("--network", action="store_true", help="with a sandbox that allows the network")
    parser.add_argument("--once", action="store_true", help="as this user only")
    given = parser.parse_args()
    failed = _run(given.ids, network=given.network)
    if os.geteuid() == 0 and not given.once:
        print(flush=True)
        failed |= as_ordinary_user([sys.executable, "-m", "probes", *sys.argv[1:]]) != 0
    return int(failed)


def _run(ids: list[str], *, network: bool) -> bool:
    who = "root" if os.geteuid() == 0 else f"an ordinary user ({os.geteuid()})"
    print(f"as {who}, {'with' if network else 'without'} the network")
    found = Counter[tuple[Kind, Verdict]]()
    failed = False
    for one in all_probes():
        if ids and not one.id.startswith(tuple(ids)):
            continue
        finding = judged(one, network=network)
        found[one.kind, finding.verdict] += 1
        failed |= finding.failed
        reason = f"  ({finding.reason})" if finding.reason else ""
        print(f"  {one.id}  {one.kind:9}  {finding.verdict:7}  {one.words}{reason}", flush=True)
    for kind in Kind:
        counts = [f"{count} {verdict}" for (each, verdict), count in found.items() if each is kind]
        print(f"{kind}: {', '.join(counts) or 'none run'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
