"""Runs every corpus in a folder through signoff and prints holes and false stops, by file and category.

``SIGNOFF_CORPORA`` names the folder; without it the copy in ``tests/corpora`` is run. A file that nobody knows how
to judge, and one without cases, is an error: it must not look as if it had passed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from corpus_judges import FOLDER, Case, Fault, fault_of, pattern_fault, read, said_of_command, said_of_name

__all__ = ["main"]

UNJUDGED = frozenset({"README.md"})


def main(folder: Path = FOLDER) -> int:
    """Print the table.

    Returns:
        The exit code: 0 if there is neither a hole nor a false stop, 1 if there is, 2 if the folder cannot be
        judged. A case that cannot be judged counts as a hole.
    """
    names = sorted(path.name for path in folder.iterdir() if path.name not in UNJUDGED) if folder.is_dir() else []
    problems = [f"{name}: nobody knows how to judge this file" for name in names if name not in JUDGES]
    problems += [f"{name}: holds no case" for name in names if name in JUDGES and not read(name, folder)]
    if problems or not names:
        print("\n".join(problems or [f"{folder}: no corpus there"]), file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    print(f"{'':40} {'cases':>6} {'holes':>6} {'false stops':>12}")
    for name in names:
        total += _report(name, read(name, folder))
    print(_row("all", total))
    return 1 if total["hole"] or total["false stop"] else 0


def _report(name: str, cases: tuple[Case, ...]) -> Counter[str]:
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        try:
            fault = JUDGES[name](case)
        except Exception as error:  # noqa: BLE001 (the other cases are judged all the same)
            print(f"{case['id']} cannot be judged: {error!r}", file=sys.stderr)
            fault = "hole"
        counts.setdefault(case["category"], Counter()).update(["cases", *([fault] if fault else [])])
        if fault:
            print(f"{fault}: {case['id']}: {case['why']}", file=sys.stderr)
    total = sum(counts.values(), Counter[str]())
    print(_row(name, total))
    for category, found in sorted(counts.items()):
        print(_row(f"  {category}", found))
    return total


def _row(name: str, counts: Counter[str]) -> str:
    return f"{name:40} {counts['cases']:>6} {counts['hole']:>6} {counts['false stop']:>12}"


# -- judges of whole files -----------------------------------------------------------------------------------


def _path_fault(case: Case) -> Fault | None:
    from paths_corpus import judged

    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="signoff-corpora-") as name:
        top = Path(name).resolve()
        os.chdir(top)
        try:
            faults = [fault_of(said, accepted) for said, accepted in judged(case, top)]
        finally:
            os.chdir(before)
    return next((fault for fault in sorted(filter(None, faults), reverse=True)), None)


def _matching_fault(case: Case) -> Fault | None:
    from matching_corpus import covers

    said = covers(case["input"]["remembered"], case["input"]["later"])
    if said in case["accept"]:
        return None
    return "hole" if said else "false stop"


def _display_fault(case: Case) -> Fault | None:
    from display_corpus import case_of, false_stops, holes

    if any(holes(case_of(case))):
        return "hole"
    return "false stop" if any(false_stops(case_of(case))) else None


def _redaction_fault(case: Case) -> Fault | None:
    from signoff.policy.redaction.masking import Redactor
    from signoff.present.document.structured import structured_document

    masks, arguments = Redactor(case["input"]["keys"]), case["input"]["args"]
    shown = "\n".join(row.text.text for row in structured_document(arguments, masks=masks))
    written = json.dumps(masks.mask_value(arguments), ensure_ascii=False)
    if any(secret in text for secret in case["expected"]["masked"] for text in (shown, written)):
        return "hole"
    return "false stop" if any(part not in shown for part in case["expected"]["keep"]) else None


JUDGES: dict[str, Callable[[Case], Fault | None]] = {
    "display.jsonl": _display_fault,
    "matching.jsonl": _matching_fault,
    "paths.jsonl": _path_fault,
    "redaction.jsonl": _redaction_fault,
    "redos.jsonl": pattern_fault,
    "shell-rules.jsonl": lambda case: fault_of(said_of_command(case), case["accept"]),
    "tool-filters.jsonl": lambda case: fault_of(said_of_name(case), case["accept"]),
}


if __name__ == "__main__":
    sys.exit(main())
