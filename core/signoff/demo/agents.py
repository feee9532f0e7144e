"""The demo agents. Each runs in a process of its own: ``python -m signoff.demo.agents <role> <folder>``.

They ask in the queue that ``SIGNOFF_QUEUE`` names, or in the default one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, FunctionToolset, capture_run_messages
from pydantic_ai.toolsets import AbstractToolset

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.decorators import requires_approval
from signoff.demo.project import saved_files, shop_files
from signoff.demo.script import Call, CallResult, results, scripted
from signoff.queue.errors import QueueError
from signoff.queue.protocol import AgentQueue
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalDeniedError

__all__ = [
    "ROLES",
    "SAVE_PROJECT",
    "TIDY",
    "AgentReport",
    "main",
    "outbox_toolset",
    "read_report",
    "refactor_turns",
    "release_turns",
    "run_agent",
    "runner_turns",
    "tidy_turns",
    "write_report",
]


# -- Tools that call other services; here they only write down what they would have sent.


def outbox_toolset(folder: Path) -> FunctionToolset[Any]:
    """The tools `http_post` and `create_ticket`, which append to ``outbox.jsonl`` in a folder."""
    outbox = folder / "outbox.jsonl"

    @requires_approval(
        description=lambda args: f"POST to {args['url']}",
        payload=lambda args: {"method": "POST", "url": args["url"]},
    )
    def http_post(url: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a JSON body to a web address.

        Args:
            url: Where to.
            body: What to send.
        """
        _append(outbox, {"method": "POST", "url": url, "body": body})
        return {"status": 202}

    @requires_approval(
        description=lambda args: f"Create a ticket in {args['project']}: {args['title']}",
        payload=lambda args: {"project": args["project"]},
    )
    def create_ticket(project: str, title: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Create a ticket.

        Args:
            project: Key of the project.
            title: Its title.
            fields: All other fields.
        """
        number = _append(outbox, {"ticket": {"project": project, "title": title, **fields}})
        return {"key": f"{project}-{100 + number}"}

    return FunctionToolset([http_post, create_ticket], id="outbox")


def _append(outbox: Path, entry: dict[str, Any]) -> int:
    """Add a line and return its number."""
    with outbox.open("a+", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        file.seek(0)
        return sum(1 for _ in file)


# -- The work of each of the demo agents.

Turns = Sequence[Sequence[Call]]

SAVE_PROJECT = "save project"
"""Name of the group that the `refactor` agent saves its files as."""

_EDITED_IN_PLACE = ("pyproject.toml", "src/app/cli.py")
_TESTS = "python3 -m unittest discover -s tests"


def refactor_turns() -> Turns:
    """Look at the project, then save all files at once."""
    look = [Call("list_files", {"path": "src"}), Call("read_file", {"path": "src/app/models.py"})]
    return [look, [_save(path, content) for path, content in saved_files().items()]]


def runner_turns() -> Turns:
    """Run one command after the other; the tests again after commands that may have broken them."""
    todo = "grep -rn TODO src | sort && wc -l src/app/*.py"
    commands = [_TESTS, "ls -R src", todo, "rm -rf build dist", _TESTS, "ls -R src"]
    return [[Call("run_command", {"command": command})] for command in commands]


def release_turns() -> Turns:
    """Announce a release to other services, one call after the other."""
    return [[_ticket()], [_release_role()], [_announcement()]]


def tidy_turns() -> Turns:
    """List the functions in a new file, and note that in the tests; nothing is asked before."""
    listed = "mkdir -p docs && grep -n '^def ' src/app/*.py > docs/functions.txt"
    noted = "sed -i '1i # The functions are listed in docs/functions.txt.' tests/test_api.py"
    return [[Call("run_command", {"command": f"{listed} && {noted}"})]]


def _save(path: str, content: str) -> Call:
    if path in _EDITED_IN_PLACE:
        return Call("edit_file", {"path": path, **_difference(shop_files()[path], content)})
    return Call("write_file", {"path": path, "content": content})


def _difference(before: str, after: str) -> dict[str, str]:
    """The lines of two texts without their common beginning and end."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    return {"old": "".join(old[: len(old) - end]), "new": "".join(new[: len(new) - end])}


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines at the beginning of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _ticket() -> Call:
    fields = {
        "type": "release",
        "labels": ["shop", "1.4.2"],
        "checklist": [
            {"step": "tests are green", "done": True},
            {"step": "stock export is switched off", "done": False},
        ],
        "due": "Friday 17:00",
    }
    return Call("create_ticket", {"project": "SHOP", "title": "Release 1.4.2", "fields": fields})


def _release_role() -> Call:
    body = {
        "release": {
            "name": "shop",
            "version": "1.4.2",
            "artifacts": [
                {"file": "shop-1.4.2-py3-none-any.whl", "size": 18_204, "signed": True},
                {"file": "shop-1.4.2.tar.gz", "size": 15_871, "signed": True},
            ],
            "rollout": {"strategy": "canary", "steps": [5, 25, 100], "pause_minutes": 30},
        },
        "environment": "production",
        "dry_run": False,
    }
    return Call("http_post", {"url": "https://api.example.com/v1/releases", "body": body})


def _announcement() -> Call:
    body = {
        "channel": "customers",
        "subject": "Shop 1.4.2",
        "text": "Canvas bags are back in stock. The shop stays open during the update.",
        "recipients": {"list": "newsletter", "count": 4_812},
    }
    return Call("http_post", {"url": "https://api.example.com/v1/announcements", "body": body})


# -- The reports of demo agents.


@dataclass(frozen=True, slots=True)
class AgentReport:
    """The result of an agent's run.

    Attributes:
        role: The role of the agent.
        session: Its session in the queue.
        finished: ``done``, or ``stopped`` by a hard refusal.
        message: The agent's last words, or the reviewer's.
        calls: The result of each call, in the order in which they were asked for.
    """

    role: str
    session: str
    finished: str
    message: str
    calls: tuple[CallResult, ...]

    def lines(self) -> Iterator[str]:
        """The report as text, one line for each call."""
        yield f"{self.role} ({self.session}): {self.finished}"
        for call in self.calls:
            told = f'  told: "{_first_line(call.told)}"' if call.outcome != "ran" and call.told else ""
            yield f"  {call.outcome:<8} {call.tool} {call.subject}{told}"
        yield from self.message.splitlines()


def write_report(folder: Path, report: AgentReport) -> None:
    """Write ``.demo/<role>.log`` for people and ``.demo/<role>.json`` for programs below a project."""
    place = folder / ".demo"
    place.mkdir(exist_ok=True)
    (place / f"{report.role}.log").write_text("\n".join(report.lines()) + "\n", encoding="utf-8")
    (place / f"{report.role}.json").write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")


def read_report(folder: Path, role: str) -> AgentReport | None:
    """Return the report of an agent, or None while there is none."""
    try:
        data = json.loads((folder / ".demo" / f"{role}.json").read_text("utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):  # not there yet, or not complete
        return None
    return AgentReport(**{**data, "calls": tuple(CallResult(**call) for call in data["calls"])})


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


ROLES = ("refactor", "runner", "release")
"""The agents of the demo, on every machine."""

TIDY = "tidy"
"""The agent whose command works on copies, so that what it did is approved: where commands can be confined."""


def run_agent(role: str, folder: Path, queue: AgentQueue) -> AgentReport:
    """Run one agent to its end and write its report.

    Args:
        role: One of `ROLES`, or `TIDY`.
        folder: The project, made by `signoff.demo.project.create_project`.
        queue: The queue in which it asks.

    Raises:
        KeyError: There is no such role.
    """
    controller = ApprovalController(queue=queue, cwd=str(folder))
    tools, turns, working = _BUILDERS[role](folder, controller)
    agent = Agent(scripted(turns), name=role, toolsets=[ApprovalToolset(tools, controller=controller)])
    with working, capture_run_messages() as messages:
        try:
            message, finished = asyncio.run(agent.run("Do what your script says.")).output, "done"
        except ApprovalDeniedError as refusal:
            message, finished = f"told: {refusal}", "stopped"
    report = AgentReport(role, queue.agent.session, finished, message, results(messages))
    write_report(folder, report)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent that the command line names; returns the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 2 or given[0] not in _BUILDERS:
        sys.stderr.write(f"usage: python -m signoff.demo.agents ({'|'.join(_BUILDERS)}) FOLDER\n")
        return 2
    role, folder = given[0], Path(given[1]).resolve()
    try:
        with connect_agent(role, cwd=str(folder), via="pydantic-ai") as queue:
            report = run_agent(role, folder, queue)
    except QueueError as error:
        sys.stderr.write(f"{role}: {error}\n")
        return error.exit_code
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return 0


_Built = tuple[AbstractToolset[Any], Sequence[Sequence[Call]], AbstractContextManager[None]]


def _refactor(folder: Path, _: ApprovalController) -> _Built:
    turns = refactor_turns()
    sandbox = FileSandbox({"shop": {"root": ".", "mode": "rw"}}, cwd=str(folder))
    return DeclaredToolset.of_files(sandbox), turns, sandbox.group(SAVE_PROJECT, len(turns[-1]))


def _runner(folder: Path, _: ApprovalController) -> _Built:
    return DeclaredToolset.of_shell(ShellTool(folder)), runner_turns(), nullcontext()


def _release(folder: Path, _: ApprovalController) -> _Built:
    return outbox_toolset(folder), release_turns(), nullcontext()


def _tidy(folder: Path, controller: ApprovalController) -> _Built:
    files = FileSandbox(
        {"paths": {"shop": {"root": ".", "mode": "rw"}}, "require_os_sandbox": True}, cwd=str(folder)
    )
    shell = ShellTool(folder, config={"mode": "review"}, sandbox=files, controller=controller)
    return DeclaredToolset.of_shell(shell), tidy_turns(), nullcontext()


_BUILDERS = dict(zip((*ROLES, TIDY), (_refactor, _runner, _release, _tidy), strict=True))


if __name__ == "__main__":
    sys.exit(main())
