"""All warnings of a valid settings file, in the order of the file: each verb and screen gives the same."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from signoff.config.cautions import Caution, cautions
from signoff.config.pattern_samples import sample_of
from signoff.policy.regex import compile_pattern
from signoff.policy.shell.programs import ProgramTableError, broad_commands, known_programs, own_programs_file
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS
from signoff.policy.verdict import Level
from signoff.settings_yaml import Problem

if TYPE_CHECKING:
    from signoff.config.models import ToolServer
    from signoff.config.report import Report
    from signoff.config.verdicts import SettingsFile, SettingsVerdicts
    from signoff.settings_yaml import KeyPath
    from signoff.tools.shell_rules import ShellConfig, ShellRule

__all__ = ["table_problem", "warnings_of"]


def warnings_of(settings: SettingsFile, report: Report) -> list[Problem]:
    """Find what is dangerous in a settings file, lets through more than it seems to, or has no effect.

    Args:
        settings: The file.
        report: The report on it.
    """
    found = [*cautions(report, os.path.realpath(settings.file)), *_broad_rules(settings.verdicts)]
    problems = [
        Problem(settings.file, *settings.respelled.place(caution.path), caution.message) for caution in found
    ]
    return sorted(problems, key=Problem.by_place)


def table_problem() -> Problem | None:
    """Return what is wrong with a person's own rows of known programs; None if nothing is."""
    try:
        known_programs()
    except ProgramTableError as error:
        own = str(own_programs_file())
        fault = str(error).removeprefix(own).lstrip(", ")
        effect = "until this is mended, rules cover exactly their own words, but for those with any_arguments"
        return Problem(own, None, "", f"{fault}; {effect}")
    return None


# -- Rules that let through more than they seem to, each with a command or a tool that shows it.

_AROUND_BLOCKS = (
    "perl -e 'unlink \"x\"'",
    "git clean -fdx",
    "truncate -s 0 x",
)
"""Commands with the effect of others that are usually blocked."""


def _broad_rules(verdicts: SettingsVerdicts) -> Iterator[Caution]:
    """Rules that let through more than they seem to, and lists without effect.

    A rule is never warned of by its name alone: each example is judged with the whole file, and shown only if it
    really runs without a question.
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
    """The name of a harmful tool that a pattern matches; None if it seems to match none."""
    compiled = compile_pattern(pattern)
    sample = sample_of(pattern)
    begun = () if sample is None else (f"{sample}_and_delete", f"delete_{sample}")
    return next((name for name in ("delete_all", *begun) if compiled.fullmatch(name)), None)
