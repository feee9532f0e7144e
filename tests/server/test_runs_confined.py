"""Programs that runs host, in the sandbox that the settings require."""

from __future__ import annotations

from pathlib import Path

from sandbox_bench import require_backend
from server_bench import served

SETTINGS = """\
sandbox:
  require_os_sandbox: true
  paths:
    here: {root: "."}
    free: {root: free, mode: rw, write_approval: false}
agents:
  it: {command: [/usr/bin/python3, program.py]}
"""

PROGRAM = """\
import json, pathlib, sys
input()
print(json.dumps({"type": "ask", "id": "1", "tool": "deploy", "arguments": {"to": "staging"}}), flush=True)
approved = json.loads(input())["approved"]
print("a line for the log", file=sys.stderr)
pathlib.Path("free/made").write_text("made")
try:
    pathlib.Path("outside").write_text("made")
except OSError as error:
    print(json.dumps({"type": "result", "output": f"{approved}: {error.strerror}"}))
"""


def test_it_asks_runs_and_touches_only_what_commands_may(tmp_path: Path) -> None:
    require_backend()
    with served(tmp_path, SETTINGS, {"program.py": PROGRAM}) as server:
        (server.work / "free").mkdir()
        run_id = server.begin("it")
        server.becomes(run_id, "paused_checkpoint")
        server.answer(run_id, approved=True)
        assert server.becomes(run_id, "completed")["output"] == "True: Read-only file system"
        assert (server.work / "free/made").read_text() == "made"
        assert not (server.work / "outside").exists()
