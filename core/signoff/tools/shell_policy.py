"""What a shell configuration says of a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signoff.tools.shell_rules import ShellConfig, ShellRule
from signoff.tools.shell_words import may_run, may_run_its_text, simple_words

__all__ = ["Judgement", "judge"]

_RUNNERS = frozenset(
    {
        *("bash", "dash", "ksh", "sh", "zsh", "eval", "source", ".", "trap", "su", "script", "xargs", "parallel"),
        *("sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "setsid", "stdbuf"),
        *("timeout", "watch", "flock", "chroot", "unshare", "strace", "busybox", "toybox"),
        *("fish", "ash", "rbash", "mksh", "csh", "tcsh", "pwsh", "pkexec", "runuser", "systemd-run", "taskset"),
        *("chrt", "prlimit", "setarch", "fakeroot", "nsenter", "npx", "uvx", "ssh", "time"),
    }
)
"""Programs that are there to run another one; to let them through says nothing of that one."""

LieIn = Callable[[Sequence[str], Sequence[str]], bool]
"""Tells of the arguments of a command whether all paths among them lie in the sandbox roots of these names."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A command that may run.

    Attributes:
        asks: Whether it has to be approved first.
        why: Which rule or setting says so.
        rule: The rule that says so, if it is one about the beginning of the command.
    """

    asks: bool
    why: str
    rule: ShellRule | None = None


def judge(config: ShellConfig, command: str, lie_in: LieIn) -> Judgement:
    """Find what a configuration says of a command.

    A rule that disallows decides wherever it stands in the list. Then the first rule decides that is about the
    command, then the default. Without a question run only simple commands (`simple_words`), in which nothing is
    found that another rule asks about.

    A rule says nothing of the arguments that follow its words: to let ``git`` or ``find`` through lets through
    what ``git -c core.pager=…`` and ``find -exec …`` run. Only programs whose sole purpose is to run others are
    asked about as soon as more follows than the rule says.

    Args:
        config: The rules.
        command: The text handed to the shell.
        lie_in: Decides about `ShellRule.sandbox_paths`.

    Raises:
        PermissionError: The command is blocked.
    """
    for rule in config.rules:
        if not rule.allowed and may_run(rule.words, command):
            raise PermissionError(f'shell rule "{rule.pattern}" blocks every command that may run it')
    words = simple_words(command)
    if words is None:
        _refuse_by_default(config)
        return Judgement(asks=True, why="no rule can be applied to a command line like this")
    about = [rule for rule in config.rules if words[: len(rule.words)] == rule.words]
    elsewhere = _asked_elsewhere(config, about, command)
    for rule in about:
        if _covers(rule, words, lie_in):
            return _by_rule(rule, words, elsewhere)
    return _by_default(config, words, elsewhere)


def _by_default(config: ShellConfig, words: Sequence[str], elsewhere: ShellRule | None) -> Judgement:
    _refuse_by_default(config)
    if config.default.approval:
        return Judgement(asks=True, why="shell default")
    if elsewhere is not None:
        return Judgement(asks=True, why=f'shell rule "{elsewhere.pattern}"')
    limited = any(rule.approval or not rule.allowed for rule in config.rules)
    if limited and may_run_its_text(words):
        return Judgement(asks=True, why="the command may run its quoted text, which no rule can be applied to")
    return Judgement(asks=False, why="shell default")


def _refuse_by_default(config: ShellConfig) -> None:
    if not config.default.allowed:
        raise PermissionError("no shell rule allows this command, and the default is to block")


def _covers(rule: ShellRule, words: Sequence[str], lie_in: LieIn) -> bool:
    return not rule.sandbox_paths or lie_in(words[len(rule.words) :], rule.sandbox_paths)


def _by_rule(rule: ShellRule, words: Sequence[str], elsewhere: ShellRule | None) -> Judgement:
    why = f'shell rule "{rule.pattern}"'
    if rule.approval:
        return Judgement(asks=True, why=why, rule=rule)
    if elsewhere is not None:
        return Judgement(asks=True, why=f'shell rule "{elsewhere.pattern}"')
    if words[0].rpartition("/")[2] in _RUNNERS and len(words) > len(rule.words):
        return Judgement(asks=True, why=f"{why} does not say what {words[0]} may run")
    return Judgement(asks=False, why=why, rule=rule)


def _asked_elsewhere(config: ShellConfig, about: Sequence[ShellRule], command: str) -> ShellRule | None:
    """A rule that asks about something which the command may run, although it does not begin with it."""
    asking = (rule for rule in config.rules if rule.approval and rule not in about)
    return next((rule for rule in asking if may_run(rule.words, command)), None)
