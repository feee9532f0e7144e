"""Opening a change beside other programs and widgets: first page, scrolling to the end, memory; in one run.

Figures are processor time of whole processes with all their threads: what a machine has to do, whatever else runs.
Only the longest standstill of the loop is by the clock. The files were read before, so that no disk is measured.

Programs that print are started anew, and what it takes to start them counts: `git` as a whole, which is the
floor and shows no page, and the others until forty lines came. Screens run already when the change comes, as
they do when people work with them: ours is measured from the key that moves to the request to its first page
painted, the others from the moment at which they are handed the texts. No screen writes to a terminal here.
Ours reads the change back from the queue and checks it, finds hidden characters and hides secrets; ydiff reads
what git says, as people use it, and both are counted; the stock widgets of Textual are handed the patch. To the
end is a page down as often as it takes: the first pages are measured, and the others are taken for as long.

The others live in an environment of their own (``make bench`` makes it): textual-diff-view is under the AGPL, and
nothing of it is in ours. Without that environment only git and ours are measured.
"""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.peak_memory import peak_memory

REPEATS = 3
PAGE = 40
SLOW = 5_000.0
"""Milliseconds from which one measurement is enough."""

SAMPLED = 500
"""Lines after which the memory of a program that prints is looked at."""

LIMIT = 120.0
"""Seconds after which nothing more is expected."""

PEERS = Path(os.environ.get("SIGNOFF_PEERS", ".venv-peers")).absolute() / "bin"
WIDGETS = ("textual-diff-view", "Textual TextArea", "Textual Static", "Textual RichLog")
EDITED = "20,000 lines, 500 edits"

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Change:
    """A change on disk.

    Attributes:
        before: File before.
        after: File after.
        patch: What git says of it.
    """

    before: Path
    after: Path
    patch: Path


def run() -> list[dict[str, Any]]:
    """Measure everything on the usual change, and ours and git on the worst ones."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        for title, texts in _texts().items():
            change = _written(Path(name), *texts)
            found = _interleaved(_all(change) if title == EDITED else _some(change))
            rows += [
                {"name": f"{title}: {who}, {what}", "value": value, "unit": "MB" if what == "memory" else "ms"}
                for who, figures in found.items()
                for what, value in figures.items()
            ]
            ratio = found["signoff"]["first page"] / found["git"]["first page"]
            rows.append({"name": f"{title}: signoff / git, first page", "value": ratio, "unit": "x"})
    return rows


def main() -> None:
    """Print the table."""
    for row in run():
        print(f"{row['name']:<68} {row['value']:>11,.1f} {row['unit']}")


# -- what is opened ------------------------------------------------------------------------------------------


def _texts() -> dict[str, tuple[str, str]]:
    source = random.Random(1)
    before = [f"line {number}: value = {source.random()}\n" for number in range(20_000)]
    after = list(before)
    for number in source.sample(range(len(before)), 500):
        after[number] = f"changed {number}: value = {source.random()}\n"
    numbered = [f"line {number}\n" for number in range(20_000)]
    second = [line if number % 2 else f"new {line}" for number, line in enumerate(numbered)]
    equal = ["x = 1\n"] * 20_000
    fewer = [line for number, line in enumerate(equal) if number % 40]
    words = " ".join(source.choice(["alpha", "beta", "{", "}", "=", "0x12"]) for _ in range(1_200_000))
    return {
        EDITED: ("".join(before), "".join(after)),
        "20,000 equal lines, 500 removed": ("".join(equal), "".join(fewer)),
        "20,000 lines, every second changed": ("".join(numbered), "".join(second)),
        "one line of 5 MB": (words, f"{words[: len(words) // 2]}EDIT{words[len(words) // 2 :]}"),
    }


def _written(folder: Path, before: str, after: str) -> Change:
    change = Change(folder / "before.py", folder / "after.py", folder / "change.patch")
    change.before.write_text(before, encoding="utf-8")
    change.after.write_text(after, encoding="utf-8")
    done = subprocess.run(_git(change), capture_output=True, check=False)
    change.patch.write_bytes(done.stdout)
    return change


# -- who opens it --------------------------------------------------------------------------------------------


def _some(change: Change) -> dict[str, Callable[[], Figures]]:
    return {"git": lambda: _printed(_git(change), pages=False), "signoff": lambda: _ours(change)}


def _all(change: Change) -> dict[str, Callable[[], Figures]]:
    if not PEERS.is_dir():
        return _some(change)
    ydiff = [str(PEERS / "ydiff"), "-s", "-w", "60", "-c", "always", "-p", "cat"]
    icdiff = [str(PEERS / "icdiff"), "--cols=120", str(change.before), str(change.after)]
    programs = {"git | ydiff": lambda: _printed(ydiff, fed=_git(change)), "icdiff": lambda: _printed(icdiff)}
    return _some(change) | programs | {kind: _widget(kind, change) for kind in WIDGETS}


def _git(change: Change) -> list[str]:
    return ["git", "diff", "--no-index", "--histogram", str(change.before), str(change.after)]


def _printed(command: Sequence[str], *, fed: Sequence[str] = (), pages: bool = True) -> Figures:
    """A program that prints, and the one that feeds it: up to its first page, and as a whole."""
    whole = _used(command, fed, None)
    first = _used(command, fed, PAGE) if pages else whole
    return {"first page": first["cpu"], "to the end": whole["cpu"], "memory": whole["memory"]}


def _used(command: Sequence[str], fed: Sequence[str], lines: int | None) -> Figures:
    """What processes used until so many lines of the last one were read, or all; and its memory."""
    feeding = _started(fed, None) if fed else None
    process = _started(command, None if feeding is None else feeding.stdout)
    processes = [process] if feeding is None else [process, feeding]
    if feeding is not None and feeding.stdout is not None:
        feeding.stdout.close()  # the other one reads it
    assert process.stdout is not None
    peak = 0.0
    for number, _ in enumerate(process.stdout, 1):
        if number == lines or number % SAMPLED == 1:
            peak = max(peak, peak_memory(process.pid))
        if number == lines:
            for each in processes:
                os.kill(each.pid, signal.SIGKILL)  # `Popen.kill` might take what it used from us
            break
    process.stdout.close()
    return {"cpu": sum(map(_cpu, processes)), "memory": peak}


def _started(command: Sequence[str], given: IO[bytes] | None) -> subprocess.Popen[bytes]:
    stdin = subprocess.DEVNULL if given is None else given
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _cpu(process: subprocess.Popen[bytes]) -> float:
    """Milliseconds of processor time of a process that ends."""
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return 1_000 * (used.ru_utime + used.ru_stime)


def _widget(kind: str, change: Change) -> Callable[[], Figures]:
    files = (str(change.before), str(change.after), str(change.patch))
    command = [str(PEERS / "python"), "-m", "benchmarks.peer_view", kind, *files]
    return lambda: _told(command, {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])})


def _ours(change: Change) -> Figures:
    command = [sys.executable, "-m", "benchmarks.our_view", str(change.before), str(change.after)]
    return _told(command, dict(os.environ))


def _told(command: Sequence[str], variables: Mapping[str, str]) -> Figures:
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=LIMIT)
    told = json.loads(done.stdout.splitlines()[-1])
    names = {"first": "first page", "end": "to the end", "page": "one page down", "memory": "memory"}
    found = {words: told[name] for name, words in names.items()}
    return found | ({"longest standstill": told["gap"]} if "gap" in told else {})


# -- how often -----------------------------------------------------------------------------------------------


def _interleaved(measures: Mapping[str, Callable[[], Figures]]) -> dict[str, Figures]:
    """Medians of some repeats in turn; what is slow is measured once."""
    found: dict[str, list[Figures]] = {name: [] for name in measures}
    for _ in range(REPEATS):
        for name, measure in measures.items():
            if not found[name] or found[name][0]["first page"] < SLOW:
                found[name].append(measure())
    return {
        name: {what: statistics.median(each[what] for each in taken) for what in taken[0]}
        for name, taken in found.items()
    }


if __name__ == "__main__":
    main()
