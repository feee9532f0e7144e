"""`signoff serve` as a process: what it refuses at its start, what it says, and what it leaves at its end."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path

import httpx
import pytest

from signoff.cli.exit_codes import ExitCode
from signoff.config.load import parse_config
from signoff.server.hosted_agents import missing_files
from system_bench import PATIENCE, running

pytestmark = pytest.mark.system

SIGNOFF = (sys.executable, "-m", "signoff.cli")


class Serving:
    """The command, with settings and data of its own.

    Args:
        folder: An existing folder.
        variables: Its environment.
    """

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.settings = folder / "signoff.yaml"
        self.data = folder / "data"
        self.variables = variables
        self.write("log_level: info\n")

    def write(self, settings: str) -> None:
        """Write the settings, and trust them."""
        self.settings.write_text(settings)
        command = [*SIGNOFF, "policy", "trust", "--yes", str(self.settings)]
        subprocess.run(command, env=self.variables, check=True, capture_output=True)

    def start(self, *options: str, **variables: str) -> AbstractContextManager[subprocess.Popen[str]]:
        """Start it; it is killed in the end if it still runs."""
        command = ["serve", "--config", str(self.settings), "--data", str(self.data), *options]
        return running([*SIGNOFF, *command], {**self.variables, **variables}, self.settings.parent)

    def refusal(self, code: ExitCode, *options: str, **variables: str) -> str:
        """What it says when it does not start; nothing is left of it."""
        with self.start(*options, **variables) as process:
            said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, said
        assert "serving" not in said
        assert not self.left()
        return said

    def left(self) -> list[str]:
        """The names of what stands for a server that runs."""
        files = self.data.iterdir() if self.data.exists() else ()
        return [file.name for file in files if file.name == "socket" or file.name.startswith("server-")]


@pytest.fixture
def serving(tmp_path: Path, variables: dict[str, str]) -> Serving:
    return Serving(tmp_path, variables)


def test_a_port_that_is_taken_is_told_before_anything_is_served(serving: Serving) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        assert f"cannot listen at {address}" in serving.refusal(ExitCode.QUEUE, "--listen", address)


def test_it_says_at_which_address_it_serves(serving: Serving) -> None:
    with serving.start("--listen", "[::1]:0") as process:
        assert process.stdout is not None
        said = process.stdout.readline(), process.stdout.readline()
    assert said[1].startswith("signoff: serving at http://[::1]:")


def test_an_address_that_others_reach_is_told_before_anything_is_served(serving: Serving) -> None:
    assert "can be reached by other machines" in serving.refusal(ExitCode.QUEUE, "--listen", "0.0.0.0:0")


def test_a_queue_that_cannot_be_used_is_told_before_anything_is_served(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    serving.refusal(ExitCode.QUEUE, SIGNOFF_QUEUE=str(tmp_path / "file"))


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ('{python: "nomod:main"}', "agents.it: there is no module nomod, neither in "),
        ('{pydantic_ai: "nomod:agent"}', "agents.it: there is no module nomod, neither in "),
        ("{command: [nosuchprogram]}", "agents.it: there is no program nosuchprogram that can be run"),
    ],
)
def test_an_agent_that_is_not_there_is_told_before_anything_is_served(
    serving: Serving, agent: str, words: str
) -> None:
    serving.write(f"agents: {{it: {agent}}}\n")
    assert words in serving.refusal(ExitCode.USAGE, "--listen", "127.0.0.1:0")


@pytest.mark.parametrize(
    ("agent", "there"),
    [
        ('{python: "beside:main"}', True),
        ('{python: "package.inner:main"}', True),
        ('{python: "spread.inner:main"}', True),
        ('{python: "package.other:main"}', False),
        ('{python: "beside.inner:main"}', False),
        ('{python: "json.tool:main"}', True),
        ("{command: [sh]}", True),
        ("{command: [./program]}", True),
        ("{command: [./beside.py]}", False),
        ("{command: [program]}", False),
    ],
)
def test_agents_are_found_where_a_run_finds_them_without_running_them(
    tmp_path: Path, agent: str, there: bool
) -> None:
    for name in ("beside.py", "package/__init__.py", "package/inner.py", "spread/inner.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise AssertionError('it was run')\n")
    (tmp_path / "program").touch(mode=0o755)
    agents = parse_config(f"agents: {{it: {agent}}}").agents
    assert [name for name, _ in missing_files(agents, tmp_path)] == ([] if there else ["it"])


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "once it answers"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_alike_whatever_signal_ends_it(serving: Serving, number: signal.Signals, at_once: bool) -> None:
    with serving.start() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"signoff: serving at {serving.data / 'socket'}\n"
        assert "socket" in serving.left()
        if not at_once:
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(serving.data / "socket"))) as http:
                assert http.get("http://localhost/runs", timeout=PATIENCE).status_code == 401
        process.send_signal(number)
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == ExitCode.OK
    assert "Traceback" not in said
    assert "socket" not in serving.left()


def test_a_signal_that_comes_before_the_server_listens_for_it_ends_it_alike(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
import uvicorn
from starlette.applications import Starlette
from signoff.server.sockets import serve, unix_socket
runs = uvicorn.Server.serve
async def interrupted(server, sockets):
    os.kill(os.getpid(), signal.SIGTERM)
    await runs(server, sockets)
uvicorn.Server.serve = interrupted
with unix_socket(Path(sys.argv[1])) as listening:
    serve(Starlette(), [listening])
print("ended")
"""
    command = [sys.executable, "-c", program, str(tmp_path / "socket")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
