"""The tools can be imported from one place, which loads nothing by itself."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import signoff.tools
from signoff.tools import CustomTools, FileSandbox, ShellTool, WorkerTools, custom, file_sandbox, shell, workers


def test_the_tools_are_names_of_the_package() -> None:
    assert FileSandbox is file_sandbox.FileSandbox
    assert ShellTool is shell.ShellTool
    assert CustomTools is custom.CustomTools
    assert WorkerTools is workers.WorkerTools


@pytest.mark.parametrize("name", signoff.tools.__all__)
def test_every_name_that_is_announced_is_there(name: str) -> None:
    assert getattr(importlib.import_module("signoff.tools"), name).__name__ == name


def test_a_name_that_there_is_not_is_told() -> None:
    with pytest.raises(ImportError, match="FileSandbax"):
        exec("from signoff.tools import FileSandbax")


def test_the_package_loads_its_tools_when_they_are_used() -> None:
    program = (
        "import sys, signoff.tools as tools\n"
        "assert not any(name.startswith('signoff.tools.') for name in sys.modules), 'a tool was loaded'\n"
        "assert 'pydantic' not in sys.modules, 'pydantic was loaded'\n"
        "tools.WorkerTools\n"
        "assert 'signoff.tools.shell' not in sys.modules, 'another tool was loaded'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
