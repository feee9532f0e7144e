"""`ShellTool`: runs commands, with approval unless the configuration says otherwise."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

from signoff.approved_call import NotedResult, is_approved, require_approved
from signoff.confine.errors import LaunchError
from signoff.effects import Command, Confinement
from signoff.policy.shell.evaluate import CommandRule, judge_command, stricter_for_all
from signoff.policy.shell.rule_coverage import written_paths
from signoff.policy.shell.syntax_model import Part
from signoff.policy.verdict import Level, Verdict
from signoff.queue.amendment import EDIT
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.os_sandbox import Started
from signoff.tools.review import review, trial
from signoff.tools.setting_faults import made_from
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule
from signoff.types import ApprovalContext, ApprovalRequest

if TYPE_CHECKING:
    from signoff.controller import ApprovalController

__all__ = [
    "CommandResult",
    "Judgement",
    "ShellTool",
    "judge",
    "judge_all",
    "shell_call",
    "verdict",
]


_NAMES = ("run_command", "shell")
_HONORS = frozenset({EDIT})
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
"""Variables that change what a shell runs or reads; see "Shell Variables" in bash(1)."""

_GRACE = 2.0
"""The time, in seconds, between asking a command to end and killing it."""


@dataclass(frozen=True, slots=True)
class CommandResult(NotedResult):
    """The result of a command.

    Attributes:
        exit_code: The code that the shell returned; negative if a signal ended it, None if it took too long or
            could not be confined, so that it was not started.
        output: The text on both outputs, in order.
    """

    exit_code: int | None
    output: str

    def with_note(self, note: str) -> CommandResult:
        """Return the result with a note below its output."""
        return CommandResult(self.exit_code, f"{self.output}\n[{note}]")


class ShellTool:
    """One tool, `run_command`, that runs a command line with ``bash -c``, or ``sh -c`` without bash.

    Without a configuration every command has to be approved; with one, its rules decide which are asked about and
    which are blocked (`judge`). Called directly, a command runs without asking, unless it is blocked. Variables of
    the environment by which a shell would run more than the command are left out.

    With a sandbox that requires one, each command runs in a sandbox of the operating system: it touches only what
    the file tools may, and what they would ask about only if a person approved the command, who was told.

    Args:
        cwd: Directory in which commands run.
        config: Rules by which commands are let through, asked about or blocked.
        sandbox: The sandbox with the roots that ``sandbox_paths`` of the rules name.
        controller: The controller that asks about what a command changed, for the mode ``review``.
        timeout: Seconds after which a command and everything it started is ended.

    Raises:
        NotADirectoryError: The directory does not exist.
        ValueError: The configuration is not valid, or names a root that the sandbox does not have; or its mode is
            ``review``, and there is no controller, or no sandbox that requires one of the operating system.
    """

    def __init__(
        self,
        cwd: str | os.PathLike[str],
        *,
        config: ShellConfig | Mapping[str, Any] | None = None,
        sandbox: FileSandbox | None = None,
        controller: ApprovalController | None = None,
        timeout: float = 120.0,
    ) -> None:
        self.cwd = os.path.realpath(cwd)
        if not os.path.isdir(self.cwd):  # noqa: PTH112
            raise NotADirectoryError(f"{self.cwd} is not a directory; name the one to run commands in")
        self.timeout = timeout
        self.config = config if config is None else _config(config)
        self._sandbox = sandbox
        self._os_sandbox = None if sandbox is None else sandbox.os_sandbox(self.config, self.cwd)
        self._controller = controller
        self._reviews = self.config is not None and self.config.mode == "review"
        refused = sandbox is not None and sandbox.is_refused
        if self._reviews and not refused and (controller is None or self._os_sandbox is None):
            raise ValueError(
                "the shell's mode review needs a controller that asks, and a sandbox with require_os_sandbox: true"
            )
        _require_known_roots(self.config, frozenset() if sandbox is None else sandbox.names)

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The method that is the tool, by its name."""
        return {"run_command": self.run_command}

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Check whether a command has to be approved, for a tool called ``run_command`` or ``shell``.

        Returns:
            The request, None if none is needed, or `NotImplemented` for the tools of others.

        Raises:
            PermissionError: The command is blocked, or is not text.
        """
        if ctx.tool_name not in _NAMES:
            return NotImplemented  # type: ignore[no-any-return]  # no opinion
        judgement = self._judge(_command(ctx))
        return self._request(ctx, judgement) if judgement.asks and not self._reviews else None

    def approval_request(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Return the request for a command, even one that the rules would let run; None for other tools.

        Raises:
            PermissionError: The command is blocked, or is not text.
        """
        if ctx.tool_name not in _NAMES:
            return None
        return self._request(ctx, self._judge(_command(ctx)))

    def _request(self, ctx: ApprovalContext, judgement: Judgement) -> ApprovalRequest:
        effect = self._effect(_command(ctx), approved=True)
        rule = judgement.rule if judgement.asks else None
        return ApprovalRequest(
            tool_name=ctx.tool_name,
            description=(rule and rule.description) or f"Run: {effect.command}",
            # The pattern beside the exact command only narrows a grant: it ends with the rule that asked.
            payload=_payload(effect) | ({"rule": rule.pattern} if rule else {}),
            arguments=ctx.args,
            effects=(effect,),
            why=judgement.why if judgement.asks else "asked for",
            honors=_HONORS,
        )

    def _judge(self, command: str) -> Judgement:
        if self._sandbox is not None:
            self._sandbox.require_usable()
        if self.config is None:
            return Judgement(asks=True, why="every shell command is asked for")
        return judge(self.config, command, self._lie_in)

    def _lie_in(self, paths: Sequence[str] | None, names: Sequence[str]) -> bool:
        if self._sandbox is None or paths is None:
            return False
        return all(self._sandbox.holds(os.path.join(self.cwd, path), names) for path in paths)  # noqa: PTH118

    def run_command(self, command: str) -> CommandResult:
        """Run a command line with the shell and wait until it ends.

        Standard input is empty.

        Args:
            command: The command line.

        Raises:
            PermissionError: It is blocked, is not what was approved, or the directory leads elsewhere since
                (`ChangedSinceApprovedError`).
            OSError: The shell could not be started, or directories not be copied for the mode ``review``.
            ValueError: They are too large to be copied.
        """
        self._judge(command)
        if self._reviews:
            return self._reviewed(command)
        effect = self._effect(command, approved=True)
        approved = is_approved(effect)
        if not approved:
            effect = self._effect(command, approved=False)
        require_approved("run_command", _payload(effect), [effect])
        return self._result(lambda output: self._start(effect, output, approved=approved))

    def _reviewed(self, command: str) -> CommandResult:
        """Run a command on copies, ask about what it changed, and make what was approved."""
        assert self._os_sandbox is not None
        assert self._sandbox is not None
        assert self._controller is not None
        confined, effect = self._os_sandbox, self._effect(command, approved=True)
        require_approved("run_command", _payload(effect), [effect])
        with trial(confined.writable) as copies:
            ran = self._result(
                lambda output: confined.start_on_copies(
                    [_shell(), "-c", command], copies.copies, env=_git_setting({}), **_streams(output)
                )
            )
            changes, left_out = copies.changes()
            outcomes = review(changes, self._sandbox, self._controller, "run_command", {"command": command})
        lines = "".join(f"\n[{line}]" for line in (*left_out, *(each.words for each in outcomes)))
        return CommandResult(ran.exit_code, ran.output + lines)

    def _result(self, start: Callable[[IO[bytes]], Started]) -> CommandResult:
        # A file instead of a pipe: a program left in the background cannot keep the tool waiting for its end.
        with tempfile.TemporaryFile() as output:
            started: Started | None = None
            try:
                with _interrupted_afterwards():
                    started = start(output)
                exit_code = started.process.wait(self.timeout)
            except LaunchError as error:  # for the model, which can do something else
                return CommandResult(
                    None, f"[not started: it cannot be confined as the settings require: {error}]"
                )
            except BaseException as error:
                if started is not None:
                    _end(started.process)
                if started is None:
                    raise
                if not isinstance(error, subprocess.TimeoutExpired):
                    started.swept()
                    raise
                end = f"\n[ended after {self.timeout:g} seconds]"
                return CommandResult(None, _text(output) + end + _swept(started))
            return CommandResult(exit_code, _text(output) + _swept(started))

    def _start(self, effect: Command, output: IO[bytes], *, approved: bool) -> Started:
        argv, env = shell_call(effect.command)
        if self._os_sandbox is not None:
            env = _git_setting({})
            return self._os_sandbox.start(argv, approved=approved, env=env, cwd=effect.cwd, **_streams(output))
        return Started(subprocess.Popen(argv, cwd=effect.cwd, env=env, start_new_session=True, **_streams(output)))

    def shell(self, command: str) -> CommandResult:
        """`run_command` by its other name."""
        return self.run_command(command)

    def _effect(self, command: str, *, approved: bool) -> Command:
        return Command(command, self.cwd, confinement=self._confinement(approved=approved))

    def _confinement(self, *, approved: bool) -> Confinement:
        if self._os_sandbox is not None and self._reviews:
            return self._os_sandbox.confinement_on_copies()
        if self._os_sandbox is not None:
            return self._os_sandbox.confinement(approved=approved)
        if self._sandbox is not None and self._sandbox.is_confined_elsewhere:
            return Confinement("external", "", "as what is around the agent says; signoff has not checked it")
        return Confinement("none", "", "not confined")


def _config(given: ShellConfig | Mapping[str, Any]) -> ShellConfig:
    return given if isinstance(given, ShellConfig) else made_from(ShellConfig, given, ("shell",))


def _require_known_roots(config: ShellConfig | None, known: frozenset[str]) -> None:
    for rule in () if config is None else config.rules:
        for name in rule.sandbox_paths:
            if name not in known:
                close = get_close_matches(name, known, 1)
                hint = f'; did you mean "{close[0]}"?' if close else "; give a sandbox that has it"
                raise ValueError(f'shell rule "{rule.pattern}" names an unknown sandbox path "{name}"{hint}')


def _command(ctx: ApprovalContext) -> str:
    command = ctx.args.get("command")
    if not isinstance(command, str):
        raise PermissionError('"command" must be text')
    return command


def _is_side_door(variable: str) -> bool:
    """True if a variable makes a shell run more than the approved command, or read it differently."""
    return variable in _SIDE_DOORS or variable.startswith("BASH_FUNC_")


def shell_call(command: str) -> tuple[list[str], dict[str, str]]:
    """Return words and environment by which a shell runs a command line, and no more than that."""
    env = {name: value for name, value in os.environ.items() if not _is_side_door(name)}
    return [_shell(), "-c", command], env | _git_setting(env)


def _git_setting(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that make git ignore a bare repository in the working tree of another one.

    The configuration of such a repository names programs to run; see ``safe.bareRepository`` in git-config(1).
    """
    given = environment.get("GIT_CONFIG_COUNT", "0")
    count = int(given) if given.isdecimal() else 0
    setting = {"KEY": "safe.bareRepository", "VALUE": "explicit", "COUNT": str(count + 1)}
    return {
        f"GIT_CONFIG_{name}" + ("" if name == "COUNT" else f"_{count}"): value for name, value in setting.items()
    }


def _payload(effect: Command) -> dict[str, str]:
    """The payload of an approval, which is for the command under what it may touch now."""
    profile = effect.confinement.profile if effect.confinement is not None else ""
    return {"command": effect.command, "cwd": effect.cwd} | ({"sandbox": profile[:16]} if profile else {})


def _shell() -> str:
    return shutil.which("bash") or "/bin/sh"


def _streams(output: IO[bytes]) -> dict[str, Any]:
    return {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}


def _swept(started: Started) -> str:
    return "".join(f"\n[{line}]" for line in started.swept())


@contextlib.contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Put off an interrupt until the end of the block.

    The command may run, and may even send the interrupt, before its process id is known here: an exception in
    between would leave it behind with nobody to end it. Only the main thread is ever interrupted.
    """
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            usual(*came[0])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command with everything it started; the second signal is for processes that ignored the first."""
    try:
        _tell(process, signal.SIGTERM)
    finally:  # also after a second interrupt
        _tell(process, signal.SIGKILL)


def _tell(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


def _text(output: IO[bytes]) -> str:
    """The output; a long one is cut in the middle, with the length of the rest."""
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


# -- The verdict of a shell configuration on a command.

_MOST_REASONS = 3

LieIn = Callable[[Sequence[str] | None, Sequence[str]], bool]
"""True if all paths of a command lie in roots of some names; None stands for unknown paths."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement on a command that may run.

    Attributes:
        asks: True if it has to be approved first.
        why: The rule or setting that decided, and further reasons to ask.
        rule: The rule that decided, if it alone did and the line is one simple command.
    """

    asks: bool
    why: str
    rule: ShellRule | None = None


def verdict(config: ShellConfig, command: str, lie_in: LieIn) -> Verdict:
    """Return the verdict of a configuration on a command, with its parts; see `judge_command`.

    Args:
        config: The rules.
        command: The text handed to the shell.
        lie_in: Decides about `ShellRule.sandbox_paths`. They limit a rule that lets commands run; a rule that asks
            or blocks does so wherever the paths lie.
    """
    rules = [_command_rule(rule, lie_in) for rule in config.rules]
    return judge_command(command, rules, _level(config.default))


def judge(config: ShellConfig, command: str, lie_in: LieIn) -> Judgement:
    """Return the judgement on a command that is to run; see `verdict`.

    Raises:
        PermissionError: The command is blocked; the message names the part and its rule.
    """
    found = verdict(config, command, lie_in)
    if found.level is Level.BLOCK:
        raise PermissionError(_blocked(found))
    single = found.parts[0] if len(found.parts) == 1 and not found.reasons else None
    rule = None
    if single is not None and not single.reasons:
        rule = next((each for each in config.rules if each.pattern == single.rule and _decides(each, found)), None)
    return Judgement(asks=found.level is Level.ASK, why=_why(found), rule=rule)


def judge_all(config: ShellConfig, rule: ShellRule) -> Judgement:
    """Return the judgement that all commands meet which begin with the words of a rule.

    Args:
        config: The rules.
        rule: One of them, which lets through.

    Raises:
        PermissionError: All of them are blocked.
    """
    found = stricter_for_all(rule.words, [_command_rule(each, lambda *_: False) for each in config.rules])
    if found is None:
        deciding = next(each for each in config.rules if _covers_no_less(each, rule))
        return Judgement(asks=False, why=_rule_words(rule.pattern), rule=deciding)
    if found.level is Level.BLOCK:
        raise PermissionError(_blocked(Verdict(found.level, found.rule, (), (found,))))
    by = next((each for each in config.rules if each.pattern == found.rule and _level(each) is Level.ASK), None)
    return Judgement(asks=True, why=_why(Verdict(found.level, found.rule, (), (found,))), rule=by)


def _covers_no_less(rule: ShellRule, other: ShellRule) -> bool:
    """True if a rule for the same words, which lets through too, covers all that another one covers."""
    any_path = not rule.sandbox_paths or rule.sandbox_paths == other.sandbox_paths
    return rule.words == other.words and rule.any_arguments >= other.any_arguments and any_path


def _command_rule(rule: ShellRule, lie_in: LieIn) -> CommandRule:
    def covers(part: Part) -> bool:
        return lie_in(written_paths(part.words), rule.sandbox_paths)

    limit = covers if rule.sandbox_paths else None
    return CommandRule(rule.words, _level(rule), rule.pattern, limit, any_arguments=rule.any_arguments)


def _level(said: ShellDefault) -> Level:
    if not said.allowed:
        return Level.BLOCK
    return Level.ASK if said.approval else Level.ALLOW


def _decides(rule: ShellRule, found: Verdict) -> bool:
    return _level(rule) is found.level


def _blocked(found: Verdict) -> str:
    part = next((part for part in found.parts if part.level is Level.BLOCK), None)
    if part is None or part.rule == "default":
        return "no shell rule allows this command, and the default is to block"
    return f'shell rule "{part.rule}" blocks every command that may run it'


def _why(found: Verdict) -> str:
    """The reasons in words: the rules that ask, then what is asked about whatever the rules say."""
    strict = [part for part in found.parts if part.level is found.level] or list(found.parts)
    by_rule = [_rule_words(part.rule) for part in strict if not part.reasons]
    reasons = [*(f"it {floor}" for floor in found.reasons)]
    reasons += [f"{part.text.split(' ')[0]} {reason}" for part in strict for reason in part.reasons]
    said = list(dict.fromkeys((*by_rule, *reasons)))
    more = f", and {len(said) - _MOST_REASONS} more" if len(said) > _MOST_REASONS else ""
    return "; ".join(said[:_MOST_REASONS]) + more


def _rule_words(name: str) -> str:
    return "shell default" if name == "default" else f'shell rule "{name}"'
