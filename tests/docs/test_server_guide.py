"""The session of the server's guide, typed into a shell as it is written there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from server_bench import served
from system_bench import PATIENCE, eventually

pytestmark = pytest.mark.system

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "server.md"


def block(language: str) -> str:
    """The one block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_session_with_curl_deletes_the_file(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    signoff = programs / "signoff"
    signoff.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m signoff.cli "$@"\n')
    signoff.chmod(0o755)
    files = {"cleaner.py": block("python"), "old.txt": "old"}
    with served(tmp_path, block("yaml"), files) as server:
        typed = block("bash").replace("http://127.0.0.1:8080", server.url)
        begin, follow, answer = re.split(r"(?=^curl -sN)|^#.*\n", typed, flags=re.MULTILINE)
        said = tmp_path / "said"
        with (
            said.open("w") as out,
            subprocess.Popen(
                ["sh"],
                stdin=subprocess.PIPE,
                stdout=out,
                cwd=server.work,
                env={**server.variables, "PATH": f"{programs}:{server.variables['PATH']}"},
                text=True,
            ) as shell,
        ):
            assert shell.stdin is not None
            print(begin, follow, file=shell.stdin, flush=True)
            eventually(lambda: "run_paused" in said.read_text(), lambda: said.read_text() + server.log())
            print(answer, "wait", file=shell.stdin, sep="\n", flush=True)
            shell.stdin.close()
            assert shell.wait(PATIENCE) == 0
        assert '"output": "deleted old.txt"' in said.read_text()
        assert not (server.work / "old.txt").exists()
