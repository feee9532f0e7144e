"""Runs the command line as real processes on a queue of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pexpect

from signoff import ApprovalRequest, Command, FileWrite, connect_agent
from signoff.cli.main import main
from signoff.queue import AgentQueue, ReviewQueue, StoredRequest, open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff.submission import plain_submission, submission_with_snapshot

PATIENCE = 60.0
"""Seconds after which a process that should have ended is taken for stuck."""

HOSTILE = "a\x1b[2J\x1b]0;title\x07b\x9b31mc\u202ed\u200be\rf\x7fg\u2028h\nfake line\tend"
"""Text that clears the screen, sets the title, colors, reorders, hides and begins a new line."""


@dataclass(frozen=True)
class Ended:
    """A process that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Cli:
    """The command line, on one queue and in one directory."""

    place: Path
    folder: Path

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "signoff.cli", *words]

    def environment(self, **extra: str) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("SIGNOFF_") or name == KEYS_VARIABLE
        }
        return {**kept, "SIGNOFF_QUEUE": str(self.place), "PYTHONUTF8": "1", **extra}

    def run(self, *words: str, stdin: bytes = b"", **environment: str) -> Ended:
        done = subprocess.run(
            self.command(*words),
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=self.environment(**environment),
            timeout=PATIENCE,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def inside(self, *words: str, stdin: bytes = b"", columns: int | None = None, **environment: str) -> Ended:
        """The same entry point without a process of its own, for what does not depend on one.

        Args:
            words: What stands behind ``signoff``.
            stdin: What there is to read.
            columns: The width of a terminal that output goes to; None for pipes.
            environment: Variables besides the usual ones.
        """
        out, err = _stream(terminal=columns is not None), _stream(terminal=columns is not None)
        variables = {"TERM": "xterm", "COLUMNS": str(columns or ""), "NO_COLOR": "", **environment}
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, self.environment(**variables), clear=True),
            mock.patch.object(sys, "stdin", _stream(stdin)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main(words)
            except SystemExit as end:
                code = end.code
        assert isinstance(code, int)
        return Ended(code, _written(out), _written(err))

    def review(self) -> ReviewQueue:
        return open_review_queue(self.place, reviewer="anna", create=False)


class _Stream(io.TextIOWrapper):
    terminal = False

    def isatty(self) -> bool:
        return self.terminal


def _stream(content: bytes = b"", *, terminal: bool = False) -> _Stream:
    stream = _Stream(io.BytesIO(content), encoding="utf-8", newline="\n", write_through=True)
    stream.terminal = terminal
    return stream


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


class Asking:
    """A `signoff ask` that runs."""

    def __init__(self, cli: Cli, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            cli.command("ask", *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cli.folder,
            env=cli.environment(**environment),
        )

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.communicate()

    def posted_id(self) -> str:
        """Wait until the request is posted; its short id as the process names it."""
        assert self.process.stderr is not None
        line = self.process.stderr.readline().decode()
        assert "waiting for a reviewer: signoff show " in line, line
        return line.split()[-1]

    def end(self) -> Ended:
        out, err = self.process.communicate(timeout=PATIENCE)
        return Ended(self.process.returncode, out.decode(), err.decode())


def at_a_terminal(cli: Cli, *words: str, **variables: str) -> pexpect.spawn[str]:
    """Start a command at a terminal of its own, with variables besides the usual ones."""
    program, *arguments = cli.command(*words)
    return pexpect.spawn(
        program,
        arguments,
        cwd=cli.folder,
        env=cli.environment(**{"TERM": "xterm", **variables}),
        encoding="utf-8",
        timeout=PATIENCE,
        dimensions=(24, 100),
    )


def exit_status(terminal: pexpect.spawn[str]) -> int | None:
    """Wait for the command to end."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    status: int | None = terminal.exitstatus
    return status


COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""The one kind of sequence that verbs write."""


def without_colours(text: str) -> str:
    """A text that was written to a terminal, as it is read."""
    return COLOUR.sub("", text)


def agent_on(cli: Cli, name: str = "refactor", session: str = "s-1") -> AgentQueue:
    return connect_agent(name, session=session, place=cli.place, cwd=str(cli.folder))


def post(queue: AgentQueue, request: ApprovalRequest) -> StoredRequest:
    """Post a request as the controller does, without waiting."""
    plain = plain_submission(request, None, cwd=queue.agent.cwd)
    submission, _ = submission_with_snapshot(request, plain)
    return queue.submit(submission)


def call(tool: str = "create_issue", description: str = "Create an issue", **options: Any) -> ApprovalRequest:
    """A call that declares no effects."""
    payload = options.pop("payload", {"title": "Crash on save"})
    return ApprovalRequest(tool_name=tool, description=description, payload=payload, **options)


def command(text: str, cwd: Path, **options: Any) -> ApprovalRequest:
    return call("shell", f"Run {text}", payload={"command": text}, effects=(Command(text, str(cwd)),), **options)


def write(path: Path, content: str | bytes, **options: Any) -> ApprovalRequest:
    return call(
        "write_file",
        f"Write {path.name}",
        payload={"path": str(path)},
        effects=(FileWrite(str(path), content),),
        **options,
    )


def high(cwd: Path) -> ApprovalRequest:
    """A call of HIGH risk."""
    return command("rm -rf build", cwd)


def seen(cli: Cli, request: StoredRequest) -> str:
    """What `approve --seen` wants, as `show` says it."""
    token: str = cli.inside("show", request.id[:8], "--json").json["seen"]
    return token
