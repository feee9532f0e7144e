"""What starting a command in the sandbox costs, beside a line for Bubblewrap with the same options."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from signoff.confine.bubblewrap import find_program, mounts_of, options
from signoff.confine.detect import Unusable, detect
from signoff.confine.seccomp import filter_program
from signoff.confine.system import system_links
from signoff.tools.os_sandbox import OSSandbox, Started
from signoff.tools.roots import PathConfig

ROUNDS = 200
COMMAND = ["/usr/bin/true"]


def run() -> list[dict[str, Any]]:
    """Start the two in turn; medians. Without Bubblewrap there is nothing to measure."""
    if isinstance(detect("bwrap"), Unusable):
        return []
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as made:
        base = os.path.realpath(made)
        for name in ("rw/src", "ro"):
            Path(base, name).mkdir(parents=True)
        subprocess.run(["git", "init", "-q", f"{base}/rw"], check=True)
        for number in range(200):
            Path(base, f"rw/src/{number}.py").write_text("pass\n")
        free = PathConfig(root="rw", mode="rw", write_approval=False)
        confined = OSSandbox([(f"{base}/rw", free), (f"{base}/ro", PathConfig(root="ro"))], cwd=f"{base}/rw")
        profile = confined.profile_now(approved=False)
        words = options(profile, mounts_of(profile), system_links(network=False), f"{base}/rw")
        calls = os.memfd_create("filter")
        os.write(calls, filter_program(network=False, unix_sockets=False))
        env = {name: os.environ[name] for name in profile.environment or () if name in os.environ}
        line = [find_program(), "--die-with-parent", *words, "--seccomp", str(calls), "--", *COMMAND]

        def by_hand() -> int:
            os.lseek(calls, 0, os.SEEK_SET)
            return subprocess.run(line, check=True, env=env, pass_fds=(calls,)).returncode

        ended: list[Started] = []

        def in_the_sandbox() -> int:
            ended.append(confined.start(COMMAND, approved=False))
            return ended[-1].process.wait()

        times = _in_turn(
            {
                "a confined command": in_the_sandbox,
                "bwrap, written by hand": by_hand,
                "the command alone": lambda: subprocess.run(COMMAND, check=True, env=env).returncode,
            },
            lambda: [ended.pop().swept() for _ in ended[:]],
        )
    rows = [{"name": f"{name}, p50", "value": value, "unit": "ms"} for name, value in times.items()]
    ratio = times["a confined command"] / times["bwrap, written by hand"]
    return [*rows, {"name": "a confined command / bwrap, written by hand, p50", "value": ratio, "unit": "x"}]


def _in_turn(ways: dict[str, Callable[[], int]], afterwards: Callable[[], object]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begin = time.perf_counter()
            assert way() == 0
            times[name].append((time.perf_counter() - begin) * 1e3)
            afterwards()
    return {name: statistics.median(values) for name, values in times.items()}
