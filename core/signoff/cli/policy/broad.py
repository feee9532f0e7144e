"""Rules that let through more than they seem to, each with a command or a tool that shows it.

Nothing is warned of by name alone: what is shown is judged with the whole file, and told only if it really runs
without a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from signoff.cli.policy.samples import sample_of
from signoff.config.cautions import Caution
from signoff.policy.regex import compile_pattern
from signoff.policy.shell.programs import broad_commands
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS
from signoff.policy.verdict import Level

if TYPE_CHECKING:
    from signoff.config.models import ToolServer
    from signoff.config.verdicts import SettingsVerdicts
    from signoff.settings_yaml import KeyPath
    from signoff.tools.shell_rules import ShellConfig, ShellRule

__all__ = ["broad_rules"]

_AROUND_BLOCKS = (
    "perl -e 'unlink \"x\"'",
    "git clean -fdx",
    "truncate -s 0 x",
)
"""Commands that do what others do which are usually blocked."""


def broad_rules(verdicts: SettingsVerdicts) -> Iterator[Caution]:
    """Find rules that let through more than they seem to, and lists that say nothing.

    Args:
        verdicts: What the file says of calls.
    """
    config = verdicts.config
    if config.shell is not None:
        yield from _of_shell(config.shell, verdicts)
    if config.sandbox is not None and not config.sandbox.paths:
        yield Caution(("sandbox", "paths"), "is empty, so the file tools reach nothing")
    for index, server in enumerate(config.tool_servers):
        yield from _of_server(server, ("tool_servers", index), verdicts)


def _of_shell(shell: ShellConfig, verdicts: SettingsVerdicts) -> Iterator[Caution]:
    if "rules" in shell.model_fields_set and not shell.rules:
        yield Caution(("shell", "rules"), "the list is empty, so the default holds for every command")
    for index, rule in enumerate(shell.rules):
        if rule.allowed and not rule.approval:
            path: KeyPath = ("shell", "rules", index)
            yield from (Caution(path, words) for words in _of_rule(rule, verdicts))
    blocks_only = shell.rules and not any(rule.allowed for rule in shell.rules)
    if blocks_only and shell.default.allowed and not shell.default.approval:
        for command in _unasked(_AROUND_BLOCKS, verdicts):
            words = f"only what is blocked is listed, and such a list is never whole: {command} runs"
            yield Caution(("shell", "default"), f"{words} without a question")
            return


def _of_rule(rule: ShellRule, verdicts: SettingsVerdicts) -> Iterator[str]:
    program = rule.words[0].rpartition("/")[2]
    commands = broad_commands(rule.words)
    if command := next(_unasked(commands, verdicts), None):
        yield f"is broad: {command} runs without a question"
    elif commands and (program in SHELLS or program in WRAPPERS):
        yield f"has little effect: what {program} runs is judged by itself, so {commands[0]} does not run unasked"


def _unasked(commands: Iterable[str], verdicts: SettingsVerdicts) -> Iterator[str]:
    return (command for command in commands if verdicts.command(command).level is Level.ALLOW)


def _of_server(server: ToolServer, path: KeyPath, verdicts: SettingsVerdicts) -> Iterator[Caution]:
    if "denylist" in server.model_fields_set and not server.denylist:
        yield Caution((*path, "denylist"), "the list is empty, so it blocks nothing")
    approval = server.requires_approval
    if "conditional" in approval.model_fields_set and not approval.conditional:
        yield Caution((*path, "requires_approval", "conditional"), "the list is empty, so nothing asks for it")
    for index, text in enumerate(server.allowlist or ()):
        name = _harmful_name(text)
        if name is not None and verdicts.verdict(name, {}, server.server_name).level is Level.ALLOW:
            unasked = f"is broad: a tool called {name} runs without a question"
            yield Caution((*path, "allowlist", index), unasked)


def _harmful_name(pattern: str) -> str | None:
    """A name of a tool that does harm, which a pattern matches; None if it seems to match none."""
    compiled = compile_pattern(pattern)
    sample = sample_of(pattern)
    begun = () if sample is None else (f"{sample}_and_delete", f"delete_{sample}")
    return next((name for name in ("delete_all", *begun) if compiled.fullmatch(name)), None)
