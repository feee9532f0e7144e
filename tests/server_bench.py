"""A real `signoff serve` with agents, for tests: its process, its tokens, and clients of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from signoff.config.load import parse_config
from signoff.config.trust import contents_of, untrust_settings
from signoff.policy.trust import trust
from signoff.queue import ReviewQueue, open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff.server.tokens import Scope, TokenFile
from system_bench import PATIENCE, environment, eventually

JSON = {"Content-Type": "application/json"}

AGENTS = {
    "agents_of_tests.py": '''
import json, pathlib
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from signoff.adapters.pydantic_ai import ApprovalToolset

HERE = pathlib.Path(__file__).parent

def note(name, value):
    with (HERE / name).open("a") as file:
        file.write(json.dumps(value) + "\\n")

def read_status(path: str = "") -> str:
    note("executed", ["read_status", path])
    return "fine"

def write_file(path: str = "") -> str:
    note("executed", ["write_file", path])
    return "written"

def delete_files(path: str = "") -> str:
    note("executed", ["delete_files", path])
    return "deleted"

def format_disk(path: str = "") -> str:
    note("executed", ["format_disk", path])
    return "formatted"

def think(messages, info: AgentInfo) -> ModelResponse:
    """Call the tools that the input names, all in one turn, then say what they returned."""
    note("offered", sorted(tool.name for tool in info.function_tools))
    last = messages[-1].parts
    if any(isinstance(part, ToolReturnPart) for part in last) or len(messages) > 1:
        return ModelResponse([TextPart("; ".join(str(getattr(part, "content", "")) for part in last))])
    wanted = str(last[-1].content).split()
    calls = [ToolCallPart(name, {"path": "/tmp/*"}, f"call-{n}") for n, name in enumerate(wanted)]
    return ModelResponse(calls)

def toolset(ident):
    return FunctionToolset([read_status, write_file, delete_files, format_disk], id=ident)

trusting = Agent(
    FunctionModel(think), toolsets=[ApprovalToolset(toolset("tools-of-tests"), default_approval="none")]
)

def open_locked(path: str = "") -> str:
    raise PermissionError(13, "Permission denied", path)

locked = Agent(
    FunctionModel(think),
    toolsets=[ApprovalToolset(FunctionToolset([open_locked], id="tools-of-tests"), default_approval="none")],
)

def agent_of(server):
    return Agent(FunctionModel(think), toolsets=[toolset(server)])

agent = agent_of("tools-of-tests")
files, system = agent_of("file-server"), agent_of("system-tools")
critical, prod, dev, automation = (agent_of(f"{name}-tools") for name in ("critical", "prod", "dev", "automation"))
''',
    "functions_of_tests.py": """
import asyncio, json, pathlib
HERE = pathlib.Path(__file__).parent

async def delete(run):
    def delete_files(path):
        with (HERE / "executed").open("a") as file:
            file.write(json.dumps(["delete_files", path]) + "\\n")
        return f"deleted {path}"
    return await run.call_tool(delete_files, {"path": run.input}, server="tools-of-tests")

async def twice(run):
    def delete_files(path):
        return f"deleted {path}"
    def ask(name):
        return run.ask("delete_files", {"path": name}, server="tools-of-tests", call_id=f"call/{name}")
    answers = await asyncio.gather(ask("a"), ask("b"))
    return " ".join("yes" if answer.approved else "no" for answer in answers)

async def again(run):
    def ask(tool):
        return run.ask(tool, {}, server="tools-of-tests", call_id="one")
    await ask("delete_files")
    await ask("delete_more_files")

async def give_up(run):
    raise TimeoutError

async def sleep(run):
    await asyncio.sleep(60)

async def wait_long_then_sleep(run):
    await run.ask("delete_files", {}, server="tools-of-tests", call_id="call-1")
    await asyncio.sleep(0.2)
    return "in time"

async def fail(run):
    raise RuntimeError("it broke at https://me:hunter2secret@example.com")
""",
    "yaml.py": 'raise ImportError("a file of the project stands in for a library")',
    "lines_of_tests.py": """
import json
def say(line):
    print(json.dumps(line), flush=True)
start = json.loads(input())
say({"type": "tools", "id": "t", "tools": ["read_status", "format_disk"], "server": "tools-of-tests"})
offered = json.loads(input())["tools"]
for server in ({"a": 1}, "tools-of-tests"):
    arguments = {"path": "\\ud800"}
    say({"type": "ask", "id": "\\ud800", "tool": "delete_files", "arguments": arguments, "server": server})
    assert not json.loads(input())["approved"]
call = {"tool": start["input"], "arguments": {"path": "x"}, "server": "tools-of-tests"}
say({"type": "ask", "id": "call-1", **call})
answer = json.loads(input())
told = [offered, answer["approved"], answer["blocked"], answer.get("reason")]
say({"type": "result", "output": json.dumps(told)})
""",
}

RULES = """\
tools:
  - server_name: tools-of-tests
    denylist: [".*format.*"]
    requires_approval:
      conditional: [".*delete.*"]
"""

HOSTED = f"""\
agents:
  model: {{pydantic_ai: "agents_of_tests:agent"}}
  trusting: {{pydantic_ai: "agents_of_tests:trusting"}}
  delete: {{python: "functions_of_tests:delete"}}
  twice: {{python: "functions_of_tests:twice"}}
  again: {{python: "functions_of_tests:again"}}
  give_up: {{python: "functions_of_tests:give_up"}}
  locked: {{pydantic_ai: "agents_of_tests:locked"}}
  sleep: {{python: "functions_of_tests:sleep", time_limit: 0.3}}
  patient: {{python: "functions_of_tests:wait_long_then_sleep", time_limit: 0.5}}
  fail: {{python: "functions_of_tests:fail"}}
  lines: {{command: ["{sys.executable}", lines_of_tests.py]}}
"""


@dataclass
class Served:
    """A server and what is around it.

    Attributes:
        work: The directory of the settings.
        variables: The environment of its process.
        process: The process, while it runs.
        port: Where it listens.
    """

    work: Path
    variables: Mapping[str, str]
    process: subprocess.Popen[str] | None = None
    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)
    clients: dict[str, httpx.Client] = field(default_factory=dict)

    @property
    def place(self) -> Path:
        """The queue."""
        return Path(self.variables["SIGNOFF_QUEUE"])

    @property
    def data(self) -> Path:
        """Where it keeps runs."""
        return self.work / "data"

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"

    def signoff(self, *words: str) -> str:
        """Run a command and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "signoff.cli", *words],
            env=dict(self.variables),
            cwd=self.work,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def start(self, *options: str) -> None:
        """Start the server, with these options besides, and wait until it answers."""
        listen = f"127.0.0.1:{self.port}"
        command = ["serve", "--config", "signoff.yaml", "--listen", listen, "--data", str(self.data), *options]
        with (self.work / "serve.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "signoff.cli", *command],
                env=dict(self.variables),
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                text=True,
            )
        if not self.port:
            self.port = int(eventually(self._said_port, self.log))
        eventually(self._answers, self.log)

    def log(self) -> str:
        """What server and host said."""
        texts = [file.read_text() for file in (self.work / "serve.log", self.data / "host.log") if file.exists()]
        return "\n".join(texts)

    def _said_port(self) -> str:
        said = re.search(r"serving at http://[\w.]+:(\d+)", (self.work / "serve.log").read_text())
        return said[1] if said else ""

    def _answers(self) -> bool:
        try:
            return self.client("read").get("/runs").status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """Kill the server, and only that."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None

    def stop(self) -> None:
        """End the server, and whatever hosts there are."""
        for client in self.clients.values():
            client.close()
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
        for host in self.hosts():
            os.kill(host, signal.SIGTERM)
        eventually(lambda: not self.hosts(), "the hosts end")

    def hosts(self) -> list[int]:
        """The processes that host runs of this server."""
        found = subprocess.run(
            ["pgrep", "-f", f"signoff.server.host {self.data} "], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in found.stdout.split()]

    def token(self, *scopes: str) -> str:
        """A token of some scopes."""
        name = "-".join(scopes)
        if name not in self.tokens:
            self.tokens[name] = TokenFile().new(f"tests {name}", frozenset(map(Scope, scopes)))
        return self.tokens[name]

    def client(self, *scopes: str) -> httpx.Client:
        """A client with a token of some scopes; without a token if there are none."""
        name = "-".join(scopes)
        if name not in self.clients:
            bearer = {"Authorization": f"Bearer {self.token(*scopes)}"} if scopes else {}
            self.clients[name] = httpx.Client(base_url=self.url, headers=bearer, timeout=PATIENCE)
        return self.clients[name]

    # -- runs ---------------------------------------------------------------------------------------------

    def begin(self, agent: str, text: str = "", **more: Any) -> str:
        """Start a run and return its id."""
        answer = self.client("ask", "read").post("/runs", json={"agent": agent, "input": text, **more})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["run_id"])

    def run(self, run_id: str) -> dict[str, Any]:
        """A run as it is now."""
        found: dict[str, Any] = self.client("read").get(f"/runs/{run_id}").json()
        return found

    def becomes(self, run_id: str, status: str) -> dict[str, Any]:
        """Wait until a run has a status."""
        seen: dict[str, Any] = {}

        def there() -> bool:
            seen.update(self.run(run_id))
            return bool(seen["status"] == status)

        eventually(there, lambda: f"{run_id} {status}: {seen}\n{self.log()}")
        return seen

    def events(self, run_id: str, after: int = 0) -> list[dict[str, Any]]:
        """All events of a run that has ended."""
        headers = {"Last-Event-ID": str(after)} if after else {}
        text = self.client("read").get(f"/runs/{run_id}/events", headers=headers).text
        return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]

    def answer(self, run_id: str, approved: bool, reason: str | None = None, **more: Any) -> httpx.Response:
        """Approve or deny."""
        body = {"approved": approved, "reason": reason, **more}
        return self.client("decide").post(f"/runs/{run_id}/approve", json=body)

    def executed(self) -> list[list[str]]:
        """The calls that really ran."""
        return self.noted("executed")

    def noted(self, name: str) -> list[Any]:
        """What agents wrote down."""
        file = self.work / name
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @contextmanager
    def reviewing(self) -> Iterator[ReviewQueue]:
        """The queue, as a reviewer in a terminal has it."""
        with open_review_queue(self.place, reviewer="terminal") as queue:
            yield queue


@contextmanager
def served(base: Path, settings: str = RULES + HOSTED, files: Mapping[str, str] = AGENTS) -> Iterator[Served]:
    """Start a server with settings of its own in a folder, and end it with all that it started.

    Args:
        base: The folder.
        settings: The settings.
        files: The files beside them, by name.
    """
    work = base / "work"
    work.mkdir(parents=True)
    for name, text in files.items():
        (work / name).write_text(text)
    (work / "signoff.yaml").write_text(settings)
    shared = {name: os.environ[name] for name in (KEYS_VARIABLE, "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    there = Served(work, environment(base, SIGNOFF_QUEUE=str(base / "queue"), **shared))
    file = str(work / "signoff.yaml")
    trust(contents_of(file, settings, parse_config(settings)))
    try:
        there.start()
        yield there
    finally:
        there.stop()
        untrust_settings(file)  # the list of trust is that of all tests of this process
