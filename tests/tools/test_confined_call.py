"""Functions of `tools.py` that run in the sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox_bench import require_backend
from signoff.tools.confined_call import ConfinedCallError
from signoff.tools.custom import CustomTools, load_custom_tools
from signoff.tools.file_sandbox import FileSandbox

TOOLS = """
import subprocess

def add(a: int, b: int = 2) -> int:
    print("not the result")
    return a + b

async def later(name: str) -> dict:
    return {"name": name}

def run(command: str) -> str:
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    return done.stdout + done.stderr

def fail() -> None:
    raise KeyError("x")
"""


@pytest.fixture
def tools(workdir: Path) -> CustomTools:
    require_backend()
    (workdir / "free").mkdir()
    (workdir / "outside.txt").write_text("outside")
    (workdir / "tools.py").write_text(TOOLS)
    roots = {"free": {"root": "free", "mode": "rw", "write_approval": False}}
    files = FileSandbox({"paths": roots, "require_os_sandbox": True}, cwd=str(workdir))
    settings = {name: {"confined": True} for name in ("add", "later", "run", "fail")}
    return load_custom_tools(workdir / "tools.py", settings, os_sandbox=files.os_sandbox(None, str(workdir)))


def test_it_gets_its_arguments_and_gives_its_result(tools: CustomTools) -> None:
    assert tools.tools["add"](1) == 3
    assert tools.tools["add"](a=1, b=5) == 6


def test_an_asynchronous_function_gives_its_result_too(tools: CustomTools) -> None:
    assert tools.tools["later"](name="ann") == {"name": "ann"}


def test_what_it_starts_touches_only_what_commands_may(tools: CustomTools, workdir: Path) -> None:
    said = tools.tools["run"]("echo new > free/new.txt; cat outside.txt; echo new > outside.txt")
    assert (workdir / "free/new.txt").read_text() == "new\n"
    assert (workdir / "outside.txt").read_text() == "outside"
    assert "No such file" in said


def test_its_error_is_told(tools: CustomTools) -> None:
    with pytest.raises(ConfinedCallError, match="KeyError: 'x'"):
        tools.tools["fail"]()


def test_without_a_sandbox_it_is_refused_when_it_is_loaded(workdir: Path) -> None:
    (workdir / "tools.py").write_text(TOOLS)
    settings: dict[str, Any] = {"add": {"confined": True}}
    with pytest.raises(ValueError, match="require_os_sandbox"):
        load_custom_tools(workdir / "tools.py", settings)
