"""What the programs leave on disk is for its owner alone, whatever the umask they were started with."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

_LINES = """
umask $1
signoff() { "$PYTHON" -m signoff.cli "$@" </dev/null >/dev/null 2>&1; }
signoff ask --mode strict --tool deploy
signoff history export --output "$HOME/history.jsonl"
signoff policy trust --yes "$RULES"
signoff config init
"$PYTHON" -c "from signoff.queue.keys.identity import signer_for; signer_for()"
"""


@pytest.mark.parametrize("umask", ["000", "277"])
def test_directories_and_files_are_private_whatever_the_umask(tmp_path: Path, umask: str) -> None:
    home, rules = tmp_path / "home", tmp_path / "signoff.yaml"
    home.mkdir(0o700)
    rules.write_text("approval_mode: interactive\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNOFF_", "XDG_"))}
    environment = {**kept, "HOME": str(home), "PYTHON": sys.executable, "RULES": str(rules)}
    subprocess.run(["sh", "-c", _LINES, "sh", umask], env=environment, check=False, timeout=60, cwd=tmp_path)
    found = {path: path.lstat() for path in home.rglob("*")}
    assert not {
        path: oct(each.st_mode)
        for path, each in found.items()
        if stat.S_IMODE(each.st_mode) != (0o700 if stat.S_ISDIR(each.st_mode) else 0o600)
    }
    names = {path.name for path in found}
    assert {"queue.db", "deciding.key", "trusted-rules.json", "history.jsonl"} <= names
