"""Running shell commands, each of them asked for first."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO

from signoff.binding import require_approved
from signoff.effects import Command
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["CommandResult", "ShellTool"]

_MOST_OUTPUT = 64 * 1024
_SIDE_DOORS = frozenset(
    {
        *("BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4"),  # run, or expanded like a command
        *(
            "SHELLOPTS",
            "BASHOPTS",
            "BASH_COMPAT",
            "POSIXLY_CORRECT",
        ),  # switches, such as tracing and not executing
        *("CDPATH", "GLOBIGNORE"),  # lead "cd" and patterns elsewhere
    }
)
"""Variables by which whoever set them up has a word in every command; see "Shell Variables" in bash(1)."""

_GRACE = 2.0
"""Seconds between asking a command to end and ending it."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command.

    Attributes:
        exit_code: As the shell returned it; negative if a signal ended it, None if it took too long.
        output: What it wrote to both outputs, in order.
    """

    exit_code: int | None
    output: str


class ShellTool:
    """One tool, `run_command`, that runs a command line with ``bash -c`` (``sh -c`` where there is no bash).

    Every command has to be approved. Called directly, it runs without asking. Variables of the environment by
    which a shell would run more than the command are left out.

    Args:
        cwd: Directory in which commands run.
        timeout: Seconds after which a command and everything it started is ended.

    Raises:
        NotADirectoryError: The directory is not there.
    """

    def __init__(self, cwd: str | os.PathLike[str], *, timeout: float = 120.0) -> None:
        self.cwd = os.path.realpath(cwd)
        if not os.path.isdir(self.cwd):  # noqa: PTH112
            raise NotADirectoryError(f"{self.cwd} is not a directory; name the one to run commands in")
        self.timeout = timeout

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Ask for every command; `NotImplemented` about the tools of others.

        Raises:
            PermissionError: The command is not text.
        """
        return self.approval_request(ctx) if ctx.tool_name == "run_command" else NotImplemented

    def approval_request(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """The request for a command; None for the calls of other tools.

        Raises:
            PermissionError: The command is not text.
        """
        if ctx.tool_name != "run_command":
            return None
        command = ctx.args.get("command")
        if not isinstance(command, str):
            raise PermissionError('"command" must be text')
        effect = self._effect(command)
        return ApprovalRequest(
            tool_name=ctx.tool_name,
            description=f"Run: {command}",
            payload=_payload(effect),
            arguments=ctx.args,
            effects=(effect,),
            why="every shell command is asked for",
        )

    def run_command(self, command: str) -> CommandResult:
        """Run a command line with the shell and wait until it ends.

        Standard input is empty.

        Args:
            command: The command line.

        Raises:
            PermissionError: It is not what was approved, or the directory leads elsewhere since
                (`ChangedSinceApprovedError`).
            OSError: The shell could not be started.
        """
        effect = self._effect(command)
        require_approved("run_command", _payload(effect), [effect])
        shell = shutil.which("bash") or "/bin/sh"
        env = {name: value for name, value in os.environ.items() if not _is_side_door(name)}
        # A file instead of a pipe: a program left in the background cannot keep us waiting for its end.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [shell, "-c", effect.command],
                cwd=effect.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                exit_code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                return CommandResult(None, f"{_text(output)}\n[ended after {self.timeout:g} seconds]")
            except BaseException:
                _end(process)
                raise
            return CommandResult(exit_code, _text(output))

    def _effect(self, command: str) -> Command:
        return Command(command, self.cwd)


def _is_side_door(variable: str) -> bool:
    """Whether a variable makes a shell run more than the command that was approved, or read it differently."""
    return variable in _SIDE_DOORS or variable.startswith("BASH_FUNC_")


def _payload(effect: Command) -> dict[str, str]:
    return {"command": effect.command, "cwd": effect.cwd}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command with everything it started; the second signal is for what ignored the first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)


def _text(output: IO[bytes]) -> str:
    """The output; of a long one the beginning and the end, and how much is left out between them."""
    size = output.seek(0, os.SEEK_END)
    output.seek(0)
    if size <= _MOST_OUTPUT:
        return output.read().decode("utf-8", "replace")
    half = _MOST_OUTPUT // 2
    first = output.read(half)
    output.seek(size - half)
    last = output.read()
    left_out = f"\n[... {size - 2 * half} bytes left out ...]\n"
    return first.decode("utf-8", "replace") + left_out + last.decode("utf-8", "replace")
