"""How a program that gives its agent no name is called: nobody is called after what runs the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from signoff import ApprovalContext, ApprovalController, simple_approval_request
from signoff.connection import program_name
from signoff.queue import ReviewQueue
from system_bench import PATIENCE

SAY = "from signoff.connection import program_name; print(program_name())"


@pytest.mark.parametrize(
    ("words", "stdin", "name"),
    [
        (["deploy.v2.py"], "", "deploy.v2"),
        (["-m", "jobs.nightly"], "", "jobs.nightly"),
        (["-m", "jobs"], "", "jobs"),
        (["jobs"], "", "jobs"),
        (["-c", SAY], "", "python in shop"),
        (["-"], SAY, "python in shop"),
    ],
)
def test_a_program_is_called_by_its_script_or_module(
    tmp_path: Path, words: list[str], stdin: str, name: str
) -> None:
    folder = tmp_path / "shop"
    (folder / "jobs").mkdir(parents=True)
    for file in ("deploy.v2.py", "jobs/__main__.py", "jobs/nightly.py"):
        (folder / file).write_text(SAY)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == f"{name}\n"


def test_under_pytest_it_is_pytest() -> None:
    assert program_name() == "pytest"


@pytest.mark.parametrize(
    ("argv", "main", "variables", "name"),
    [
        (["/lib/ipykernel_launcher.py"], {}, {"JPY_SESSION_NAME": "/home/me/Sales.ipynb"}, "Sales"),
        (["/lib/ipykernel_launcher.py"], {"__vsc_ipynb_file__": "/home/me/Sales.ipynb"}, {}, "Sales"),
        (["/lib/ipykernel_launcher.py"], {}, {}, "notebook in shop"),
        (["/opt/bin/nightly-agent"], {}, {"JPY_SESSION_NAME": "/home/me/Sales.ipynb"}, "nightly-agent"),
    ],
)
def test_a_notebook_is_called_by_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    argv: list[str],
    main: dict[str, str],
    variables: dict[str, str],
    name: str,
) -> None:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__spec__=None, **main))
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert program_name() == name


@pytest.mark.parametrize(
    ("caller", "variables", "name"),
    [
        ("planner", {}, "planner"),
        ("planner", {"SIGNOFF_AGENT": "nightly"}, "nightly"),
        ("agent", {}, "pytest"),
        (None, {}, "pytest"),
    ],
)
def test_a_connection_that_nobody_opened_is_called_after_the_agent_that_needs_it(
    place: Path,
    looking: ReviewQueue,
    monkeypatch: pytest.MonkeyPatch,
    caller: str | None,
    variables: dict[str, str],
    name: str,
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    controller = ApprovalController(expires_in=0.001)
    context = ApprovalContext(tool_name="t", args={}, metadata={"caller": caller, "via": "pydantic-ai"})
    controller.request_approval_sync(simple_approval_request("t", {}), context)
    (record,) = looking.history()
    assert record.request_id is not None
    asked = looking.get(record.request_id).asked_by
    assert (asked.name, asked.caller, asked.via, asked.program) == (name, caller or "", "pydantic-ai", "pytest")
    assert controller.queue is not None
    controller.queue.close()
