"""Warnings of a valid settings file: parts that are dangerous, let through more than they seem to, or do nothing.

Each verb and screen gives the same, in the order of the file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePath
from typing import TYPE_CHECKING

from signoff.config.build import build_call_policy, name_rules
from signoff.config.load import TOOLS_FILE
from signoff.config.pattern_samples import sample_of
from signoff.effects import Command, FileWrite, Risk
from signoff.policy.redaction.masking import is_always_shown
from signoff.policy.regex import compile_pattern
from signoff.policy.risk import assess
from signoff.policy.shell.programs import ProgramTableError, broad_commands, known_programs, own_programs_file
from signoff.policy.shell.rule_coverage import reaches_further
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS
from signoff.policy.verdict import Level
from signoff.settings_yaml import Problem
from signoff.text.risk import risk_reasons
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.os_profile import is_of_the_system

if TYPE_CHECKING:
    from signoff.config.models import PolicyConfig, ToolArgumentsConfig, ToolServer
    from signoff.config.report import Report, RootFacts, RuleFacts
    from signoff.config.verdicts import SettingsFile, SettingsVerdicts
    from signoff.policy.tool_rules import CallPolicy
    from signoff.settings_yaml import KeyPath
    from signoff.tools.shell_rules import ShellConfig, ShellRule

__all__ = ["SettingsWarning", "policy_warnings", "report_warnings", "table_problem", "warnings_of"]


def warnings_of(settings: SettingsFile, report: Report) -> list[Problem]:
    """Find what is dangerous in a settings file, lets through more than it seems to, or has no effect.

    Args:
        settings: The file.
        report: The report on it.
    """
    found = [*report_warnings(report, os.path.realpath(settings.file)), *_broad_rules(settings.verdicts)]
    problems = [
        Problem(settings.file, *settings.respelled.place(warning.path), warning.message) for warning in found
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


@dataclass(frozen=True, slots=True)
class SettingsWarning:
    """A part of a valid settings file that its author may not have meant.

    Attributes:
        path: The place of the part, as the models spell it.
        message: The warning in words.
    """

    path: KeyPath
    message: str


# -- Parts that are dangerous or have no effect.

_SECTION_OF = {
    **dict.fromkeys(("read_file", "read_attachment", "write_file", "edit_file", "list_files"), "sandbox"),
    **dict.fromkeys(("run_command", "shell"), "shell"),
}
"""The section of the settings for each of signoff's own tools."""

_OWN_TOOLS = (*_SECTION_OF, "worker_call", "worker_create")

_ALIKE = 0.6
_VERY_ALIKE = 0.8
"""The least likeness of a name to one of signoff's tools that counts as a slip."""


def report_warnings(report: Report, file: str | None = None) -> list[SettingsWarning]:
    """Find parts of the settings that are dangerous or have no effect.

    Args:
        report: The report on the file.
        file: The settings file itself, absolute; the agent should not be able to change it.
    """
    own = [file, os.path.join(report.directory, TOOLS_FILE)]  # noqa: PTH118
    return [
        *_of_mode(report),
        *(warning for root in report.roots for warning in _of_root(root)),
        *(warning for root in report.roots for warning in _of_own_files(root, own)),
        *_of_same_roots(report),
        *_of_os_sandbox(report),
        *_of_what_takes_an_os_sandbox(report),
        *_of_default(report),
        *(warning for i, rule in enumerate(report.rules) for warning in _of_rule(report, rule, i)),
        *_of_custom_tools(report),
        *_of_tools(report),
        *policy_warnings(report.config),
    ]


def _of_mode(report: Report) -> Iterator[SettingsWarning]:
    config = report.config
    if config.approval_mode == "approve_all":
        yield SettingsWarning(("approval_mode",), "everything that asks is approved without anybody looking at it")
    if not (
        config.sandbox or config.shell or config.custom_tools or config.tools or config.agents or config.has_policy
    ):
        yield SettingsWarning((), "nothing is set: there are no tools")


def _of_root(root: RootFacts) -> Iterator[SettingsWarning]:
    path: KeyPath = ("sandbox", "paths", root.name)
    config = root.config
    if not root.exists:
        yield SettingsWarning(
            (*path, "root"), f"there is no directory {root.path}, so nothing is in it; make it first"
        )
    if root.path == os.sep:
        yield SettingsWarning((*path, "root"), "this is everything on the disk")
    if root.writing != "blocked" and is_of_the_system(root.path):
        yield SettingsWarning((*path, "root"), "programs and settings of the system can be changed here")
    if root.writing == "runs":
        yield SettingsWarning((*path, "write_approval"), "files are written without anybody being asked")
    if root.writing == "blocked" and "write_approval" in config.model_fields_set:
        yield SettingsWarning((*path, "write_approval"), "has no effect: the mode is ro, so nothing is written")
    if config.suffixes == ():
        yield SettingsWarning((*path, "suffixes"), "the list is empty, so no file may be touched")
    for i, suffix in enumerate(config.suffixes or ()):
        if not suffix.startswith("."):
            yield SettingsWarning(
                (*path, "suffixes", i), "does not begin with a dot: any name that ends so has it"
            )


def _of_own_files(root: RootFacts, files: list[str | None]) -> Iterator[SettingsWarning]:
    """Files that set the rights of the agent, in a place where it may write without a question."""
    if root.writing != "runs":
        return
    for file in files:
        if file is None or not PurePath(file).is_relative_to(root.path):
            continue
        suffixes = root.config.suffixes
        if suffixes is not None and not file.endswith(suffixes):
            continue
        if assess("", {}, (FileWrite(file, ""),), root.path).risk is not Risk.HIGH:
            name = PurePath(file).name
            path: KeyPath = ("sandbox", "paths", root.name, "root")
            yield SettingsWarning(
                path, f"the agent can change {name} here without a question, and so its own tools and rules"
            )


def _of_same_roots(report: Report) -> Iterator[SettingsWarning]:
    first: dict[str, str] = {}
    for root in report.roots:
        other = first.setdefault(root.path, root.name)
        if other != root.name:
            path: KeyPath = ("sandbox", "paths", root.name, "root")
            yield SettingsWarning(path, f'is the same directory as "{other}"; the stricter setting of both holds')


def _of_os_sandbox(report: Report) -> Iterator[SettingsWarning]:
    """Warnings if the operating system's sandbox is required and cannot be had, or holds less than is written."""
    if report.config.sandbox is None:
        return
    try:
        files = FileSandbox(report.config.sandbox, cwd=report.directory)
        files.require_usable()
        confined = files.os_sandbox(report.config.shell, os.path.realpath(report.directory))
    except (ValueError, PermissionError) as error:
        yield SettingsWarning(("sandbox", "require_os_sandbox"), str(error))
        return
    for path, words in () if confined is None else confined.findings():
        yield SettingsWarning(("sandbox", *path), words)


def _of_what_takes_an_os_sandbox(report: Report) -> Iterator[SettingsWarning]:
    sandbox, shell = report.config.sandbox, report.config.shell
    required = sandbox is not None and sandbox.require_os_sandbox
    elsewhere = sandbox is not None and sandbox.os_sandbox is not None
    if shell is not None and shell.mode == "review" and (elsewhere or not required):
        words = "review takes require_os_sandbox, without os_sandbox; nothing can be built"
        yield SettingsWarning(("shell", "mode"), words)
    if required:
        return
    for name in () if sandbox is None else sorted(sandbox.model_fields_set):
        if name.startswith("os_sandbox"):
            yield SettingsWarning(
                ("sandbox", name), "says nothing: without require_os_sandbox commands are not confined"
            )
    if shell is not None and shell.network:
        yield SettingsWarning(
            ("shell", "network"), "says nothing: without require_os_sandbox commands have the network"
        )


def _of_default(report: Report) -> Iterator[SettingsWarning]:
    shell = report.config.shell
    if shell and shell.default.allowed and not shell.default.approval:
        yield SettingsWarning(
            ("shell", "default"), "commands that no rule is about run without anybody being asked"
        )


def _of_rule(report: Report, facts: RuleFacts, index: int) -> Iterator[SettingsWarning]:
    path: KeyPath = ("shell", "rules", index)
    rule, decided = facts.rule, facts.decided
    for name in rule.sandbox_paths:
        if report.config.sandbox is None or name not in report.config.sandbox.paths:
            yield SettingsWarning((*path, "sandbox_paths"), f'there is no root "{name}"; nothing can be built')
    if not rule.allowed:
        useless = [
            key for key in ("description", "any_arguments", "sandbox_paths") if key in rule.model_fields_set
        ]
        for key in useless:
            yield SettingsWarning(
                (*path, key), "has no effect: what a rule blocks is blocked, and nobody is asked"
            )
        return
    if decided is None:
        yield SettingsWarning(path, "has no effect: another rule blocks this")
    elif decided.rule is not None and decided.rule is not rule:
        yield SettingsWarning(
            path, f'has no effect: the rule "{decided.rule.pattern}" before it takes all its commands'
        )
    elif facts.answer == "asks" and rule.any_arguments:
        yield SettingsWarning((*path, "any_arguments"), "has no effect: a rule that asks is about any arguments")
    elif facts.answer == "runs" and decided.asks:
        yield SettingsWarning(path, f"asks all the same: {decided.why}")
    elif facts.answer == "runs" and rule.sandbox_paths and reaches_further(rule.words):
        yield SettingsWarning(
            (*path, "sandbox_paths"), "lets nothing through: it also uses files that no command names"
        )
    elif facts.answer == "runs":
        yield from _of_unasked(shlex.join(rule.words), report.directory, path)


def _of_unasked(pattern: str, directory: str, path: KeyPath) -> Iterator[SettingsWarning]:
    found = assess("", {}, (Command(pattern, directory),), directory)
    if found.risk is Risk.HIGH:
        reasons = ", ".join(risk_reasons(found.reasons))
        yield SettingsWarning(path, f"runs unasked, although its risk is HIGH ({reasons})")


def _of_custom_tools(report: Report) -> Iterator[SettingsWarning]:
    if report.tools_file is not None:
        yield SettingsWarning(("custom_tools",), f"{TOOLS_FILE} {report.tools_file}; nothing can be built")
        return
    for tool in report.custom_tools:
        path: KeyPath = ("custom_tools", tool.name)
        if tool.found is None:
            meant = _meant(tool.name, report.functions, _ALIKE)
            hint = f"; {meant}" if meant else ""
            yield SettingsWarning(path, f"there is no such function in {TOOLS_FILE}; nothing can be built{hint}")
        elif tool.name.startswith("_"):
            yield SettingsWarning(
                path, "begins with an underscore, so it is no public function; nothing can be built"
            )
        elif not tool.found.function:
            yield SettingsWarning(path, f"is not written as a function in {TOOLS_FILE}, line {tool.found.line}")
        elif tool.approval == "none" and tool.found.marked:
            yield SettingsWarning(
                (*path, "approval"), "overrides @requires_approval on the function: nobody is asked"
            )
        elif tool.answer == "unclear":
            doubt = f"whether it asks cannot be told from the source, because {tool.found.doubt}"
            yield SettingsWarning(path, f'{doubt}; set its "approval"')


def _of_tools(report: Report) -> Iterator[SettingsWarning]:
    for name, tool in report.config.tools.items():
        path: KeyPath = ("tools", name)
        meant = _meant(name, (*_OWN_TOOLS, *report.config.custom_tools), _VERY_ALIKE)
        if meant:
            yield SettingsWarning(path, f"is no tool that is known here; {meant}")
        if tool.approval is None:
            yield SettingsWarning(path, "has no effect: nothing is set")
        elif name in _SECTION_OF and tool.approval == "none":
            section = _SECTION_OF[name]
            yield SettingsWarning(
                path, f'overrides "{section}": whatever it does not block runs without a question'
            )


def _meant(name: str, known: Collection[str], alike: float) -> str | None:
    """A question about a name that is like, but not quite, a known one."""
    if name in known:
        return None
    by_letters = {other.casefold(): other for other in known}
    nearest = get_close_matches(name.casefold(), by_letters, n=1, cutoff=alike)
    return f'did you mean "{by_letters[nearest[0]]}"?' if nearest else None


# -- Valid rules on calls that are dangerous or have no effect.

_ANY_NAMES = ("qzxj", "0_7")
"""Names of tools that no list of names was made for."""


def policy_warnings(config: PolicyConfig) -> Iterator[SettingsWarning]:
    """Find rules on calls that are dangerous or have no effect.

    Args:
        config: The settings.
    """
    if config.auto_approve_in_daemon:
        only = "in daemon runs of `signoff serve`, everything that asks is approved without anybody looking at it"
        yield SettingsWarning(("auto_approve_in_daemon",), only)
    policy = build_call_policy(config)
    if policy is None:
        return
    if config.unknown == "allow":
        told = f'{_unknown_allowed(config)}; "unknown: ask" is recommended'
        yield SettingsWarning(("unknown",) if "unknown" in config.model_fields_set else (), told)
    for index, server in enumerate(config.tool_servers):
        path: KeyPath = ("tool_servers", index)
        yield from _of_lists(server, path)
        yield from _of_redaction(server, (*path, "redaction"))
        yield from _of_arguments(policy, server.arguments, server.server_name, (*path, "arguments"))
    yield from _of_arguments(policy, config.arguments, None, ("arguments",))


def _unknown_allowed(config: PolicyConfig) -> str:
    """The effect of ``unknown: allow``: authors of rules for a server had only its tools in mind."""
    left = "a tool that nothing is known of asks only if the default of the program does"
    if not any(server.leaves_tools_open for server in config.tool_servers):
        return left
    return f"{left}, and one of a server here runs without a question if no rule is about it"


def _of_lists(server: ToolServer, path: KeyPath) -> Iterator[SettingsWarning]:
    if server.allowlist == ():
        yield SettingsWarning((*path, "allowlist"), "the list is empty, so every tool of the server is blocked")
    rules = name_rules(server)
    for index, pattern in enumerate(rules.denylist):
        if all(map(pattern.fullmatch, _ANY_NAMES)):
            every = "blocks every tool of the server, those of the allowlist too"
            yield SettingsWarning((*path, "denylist", index), every)
            return
    for index, allowed in enumerate(rules.allowlist or ()):
        denied = next((pattern for pattern in rules.denylist if pattern.fullmatch(allowed.text)), None)
        if denied is not None and allowed.fullmatch(allowed.text):
            words = f'has no effect on the tool of that name: "{denied.text}" of the denylist blocks it'
            yield SettingsWarning((*path, "allowlist", index), words)


def _of_redaction(server: ToolServer, path: KeyPath) -> Iterator[SettingsWarning]:
    for index, name in enumerate(server.redaction.arguments):
        if is_always_shown(name):
            shown = "has no effect: commands, paths, hosts and code are never masked"
            yield SettingsWarning((*path, "arguments", index), shown)
    if server.redaction.outputs:
        kept = "results of tools are neither shown nor kept, and the output of a run is kept as it is"
        yield SettingsWarning((*path, "outputs"), f"has no effect: {kept}")


def _of_arguments(
    policy: CallPolicy, tools: Mapping[str, ToolArgumentsConfig], server: str | None, path: KeyPath
) -> Iterator[SettingsWarning]:
    """Rules that allow calls which another part of the settings asks about or blocks all the same."""
    for tool, settings in tools.items():
        allows = settings.default == "allow" or any(rule.verdict == "allow" for rule in settings.rules)
        if not allows:
            continue
        stricter = policy.by_name_alone(tool, server)
        if stricter.level is not Level.ALLOW:
            does = "is blocked" if stricter.level is Level.BLOCK else "asks"
            because = stricter.rule or ", ".join(stricter.reasons)
            yield SettingsWarning((*path, tool), f"{does} whatever its arguments are, because of {because}")


# -- Rules that let through more than they seem to, each with a command or a tool that shows it.

_AROUND_BLOCKS = (
    "perl -e 'unlink \"x\"'",
    "git clean -fdx",
    "truncate -s 0 x",
)
"""Commands with the effect of others that are usually blocked."""


def _broad_rules(verdicts: SettingsVerdicts) -> Iterator[SettingsWarning]:
    """Rules that let through more than they seem to, and lists without effect.

    A rule is never warned of by its name alone: each example is judged with the whole file, and shown only if it
    really runs without a question.
    """
    config = verdicts.config
    if config.shell is not None:
        yield from _broad_shell(config.shell, verdicts)
    if config.sandbox is not None and not config.sandbox.paths:
        yield SettingsWarning(("sandbox", "paths"), "is empty, so the file tools reach nothing")
    for index, server in enumerate(config.tool_servers):
        yield from _broad_server(server, ("tool_servers", index), verdicts)


def _broad_shell(shell: ShellConfig, verdicts: SettingsVerdicts) -> Iterator[SettingsWarning]:
    if "rules" in shell.model_fields_set and not shell.rules:
        yield SettingsWarning(("shell", "rules"), "the list is empty, so the default holds for every command")
    for index, rule in enumerate(shell.rules):
        if rule.allowed and not rule.approval:
            path: KeyPath = ("shell", "rules", index)
            yield from (SettingsWarning(path, words) for words in _broad_rule(rule, verdicts))
    blocks_only = shell.rules and not any(rule.allowed for rule in shell.rules)
    if blocks_only and shell.default.allowed and not shell.default.approval:
        for command in _let_through(_AROUND_BLOCKS, verdicts):
            words = f"only what is blocked is listed, and such a list is never whole: {command} runs"
            yield SettingsWarning(("shell", "default"), f"{words} without a question")
            return


def _broad_rule(rule: ShellRule, verdicts: SettingsVerdicts) -> Iterator[str]:
    program = rule.words[0].rpartition("/")[2]
    commands = broad_commands(rule.words)
    if command := next(_let_through(commands, verdicts), None):
        yield f"is broad: {command} runs without a question"
    elif commands and (program in SHELLS or program in WRAPPERS):
        yield f"has little effect: what {program} runs is judged by itself, so {commands[0]} does not run unasked"


def _let_through(commands: Iterable[str], verdicts: SettingsVerdicts) -> Iterator[str]:
    return (command for command in commands if verdicts.command(command).level is Level.ALLOW)


def _broad_server(server: ToolServer, path: KeyPath, verdicts: SettingsVerdicts) -> Iterator[SettingsWarning]:
    if "denylist" in server.model_fields_set and not server.denylist:
        yield SettingsWarning((*path, "denylist"), "the list is empty, so it blocks nothing")
    approval = server.requires_approval
    if "conditional" in approval.model_fields_set and not approval.conditional:
        yield SettingsWarning(
            (*path, "requires_approval", "conditional"), "the list is empty, so nothing asks for it"
        )
    for index, text in enumerate(server.allowlist or ()):
        name = _harmful_name(text)
        if name is not None and verdicts.verdict(name, {}, server.server_name).level is Level.ALLOW:
            unasked = f"is broad: a tool called {name} runs without a question"
            yield SettingsWarning((*path, "allowlist", index), unasked)


def _harmful_name(pattern: str) -> str | None:
    """The name of a harmful tool that a pattern matches; None if it seems to match none."""
    compiled = compile_pattern(pattern)
    sample = sample_of(pattern)
    begun = () if sample is None else (f"{sample}_and_delete", f"delete_{sample}")
    return next((name for name in ("delete_all", *begun) if compiled.fullmatch(name)), None)
