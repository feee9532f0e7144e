"""What reaches a widget is safe text: the type checker refuses a plain string."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CONFIG = f"""\
[mypy]
strict = true
python_version = 3.11
mypy_path = {ROOT / "core"}:{ROOT / "tui"}
[mypy-pydantic_ai.*]
follow_imports = skip
"""
"""As strict as the project; a framework's own types, which take the longest to read, say nothing about ours."""

IMPORTS = """\
from signoff.present import SafeText, reveal
from signoff.present.document.rows import Row, RowKind
from signoff_tui.text.lines import Chunk, folded

agent: str = input()
"""

ACCEPTED = 'safe: SafeText = reveal(agent, "path")\nChunk(safe)\nRow(RowKind.NOTE, safe)\n'

REFUSED = {
    "a chunk": "Chunk(agent)",
    "a chunk of revealed text taken apart": 'Chunk(reveal(agent, "path").text)',
    "a row of a document": "Row(RowKind.NOTE, agent)",
    "folded lines": "folded(agent, 80, head=Chunk(SafeText.own('x')))",
    "a result under the name of safe text": "taken: SafeText = agent",
    "an unknown field": "reveal(agent, 'somewhere')",
}
"""Lines that must not pass, by what they make of a plain string."""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What strict mypy says, by the number of the line after the imports; one run for all lines."""
    folder = tmp_path_factory.mktemp("typing")
    program, config = folder / "widgets.py", folder / "mypy.ini"
    program.write_text(IMPORTS + ACCEPTED + "\n".join(REFUSED.values()) + "\n", encoding="utf-8")
    config.write_text(CONFIG, encoding="utf-8")
    check = [sys.executable, "-m", "mypy", "--config-file", str(config), str(program)]
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    found = (line.split(":", 2) for line in done.stdout.splitlines() if ": error: " in line)
    first = IMPORTS.count("\n") + 1
    said = {int(number) - first: words for path, number, words in found if path.endswith("widgets.py")}
    assert done.returncode == 1, done.stdout + done.stderr
    return said


@pytest.mark.parametrize("what", REFUSED)
def test_plain_text_is_a_type_error_as(what: str, complaints: dict[int, str]) -> None:
    assert "[arg-type]" in complaints.get(_line(what), "") or "[assignment]" in complaints.get(_line(what), "")


def test_revealed_text_is_accepted(complaints: dict[int, str]) -> None:
    assert min(complaints) == ACCEPTED.count("\n")


def _line(what: str) -> int:
    return ACCEPTED.count("\n") + list(REFUSED).index(what)
