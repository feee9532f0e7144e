"""README's examples run as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.queue import Decision

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def run(workdir: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run what a reader would, in a new directory, with the programs of this environment first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        argv,
        cwd=workdir,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("decision", "printed"),
    [
        (Decision(approved=True), '{"send_mail":"sent to a"}'),
        (Decision(approved=False, note="not today", hard=False), "Approval denied: not today"),
    ],
    ids=["approved", "rejected"],
)
def test_the_agent_asks_in_the_queue_and_prints_what_came_of_it(
    reviewed: Any, workdir: Path, decision: Decision, printed: str
) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (workdir / "agent.py").write_text(program, encoding="utf-8")
    reviewer = reviewed(lambda _: decision)
    done = run(workdir, sys.executable, "agent.py")
    (asked,) = reviewer.wait_for(1)
    assert (asked.submission.tool_name, asked.submission.description) == ("send_mail", "Send mail to a")
    assert asked.submission.payload == {"to": "a"}
    assert (done.returncode, done.stderr) == (0, "")
    assert printed in done.stdout


@pytest.mark.parametrize(("approved", "printed"), [(True, "deployed to staging\n"), (False, "")])
def test_the_script_goes_on_only_after_a_yes(reviewed: Any, workdir: Path, approved: bool, printed: str) -> None:
    (line,) = re.findall(r"^    (signoff ask .*)$", README, re.MULTILINE)
    deploy = workdir / "deploy.sh"
    deploy.write_text('#!/bin/sh\necho "deployed to $1"\n', encoding="utf-8")
    deploy.chmod(0o700)
    reviewer = reviewed(lambda _: Decision(approved=approved))
    done = run(workdir, "sh", "-c", line)
    (asked,) = reviewer.wait_for(1)
    assert (asked.submission.tool_name, asked.submission.arguments) == ("deploy", {"to": "staging"})
    assert (done.returncode == 0, done.stdout.endswith(printed)) == (approved, True)
    assert ("deployed" in done.stdout) is approved
