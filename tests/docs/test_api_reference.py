"""docs/api.md says what the docstrings say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_is_current_else_run_make_api() -> None:
    program = (
        "import sys; sys.path.insert(0, 'scripts'); import api_reference; print(api_reference.render(), end='')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
