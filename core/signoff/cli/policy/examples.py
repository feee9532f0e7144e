"""Worked examples for `signoff policy check`."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signoff.canonical import canonical
from signoff.config.models import PatternConfig
from signoff.config.pattern_samples import near_miss_of, sample_of
from signoff.policy.regex import compile_pattern
from signoff.policy.shell.programs import broad_commands
from signoff.policy.verdict import Level

if TYPE_CHECKING:
    from signoff.config.models import ArgumentRuleConfig, ToolArgumentsConfig, ToolServer
    from signoff.config.verdicts import SettingsVerdicts
    from signoff.policy.verdict import Verdict
    from signoff.tools.roots import PathConfig
    from signoff.tools.shell_rules import ShellConfig, ShellRule


__all__ = [
    "Example",
    "Examples",
    "meeting",
    "nearly_meeting",
    "worked_examples",
]


_UNKNOWN = "frobnicate"
"""A program that no rule was made for."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call, as people would write it, and the verdict of the file on it."""

    call: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples for one rule, root or pattern.

    Attributes:
        about: The rule, root or pattern in words; raw, not yet safe to print.
        examples: At least one.
    """

    about: str
    examples: tuple[Example, ...]


def worked_examples(verdicts: SettingsVerdicts) -> Iterator[Examples]:
    """Make examples for each shell rule, the default, each root, each pattern and each rule on arguments.

    Args:
        verdicts: The verdicts of the file on calls.
    """
    config = verdicts.config
    if config.shell is not None:
        yield from _examples_of_shell(config.shell, verdicts)
    for name, root in (config.sandbox.paths if config.sandbox else {}).items():
        yield _of_root(name, root, verdicts)
    for server in config.tool_servers:
        yield from _examples_of_server(server, verdicts)
    yield from _of_arguments(config.arguments, None, verdicts)


# -- shell -------------------------------------------------------------------------------------------------


def _examples_of_shell(shell: ShellConfig, verdicts: SettingsVerdicts) -> Iterator[Examples]:
    blocked = next((rule.pattern for rule in shell.rules if not rule.allowed), _UNKNOWN)
    for rule in shell.rules:
        lets_through = rule.allowed and not rule.approval
        commands = _for_allowed(rule, blocked, verdicts) if lets_through else _for_others(rule)
        yield Examples(f'shell rule "{rule.pattern}"', _judged(commands, verdicts))
    rest = (f"{_UNKNOWN} x", f"$PROGRAM {_UNKNOWN}", f'echo "{_UNKNOWN}')
    yield Examples("shell default", _judged(rest, verdicts))


def _for_allowed(rule: ShellRule, blocked: str, verdicts: SettingsVerdicts) -> Iterator[str]:
    said = " ".join(rule.words)
    if rule.sandbox_paths:
        inside = _below(rule.sandbox_paths[0], verdicts)
        runs = verdicts.command(f"{said} {inside}").level is Level.ALLOW
        takes = said if runs else f"{said} WORD"  # such as grep, whose first operand is no path
        yield f"{takes} {inside}"
        yield f"{takes} /etc/passwd"
    else:
        opened = broad_commands(rule.words) if rule.any_arguments else []
        yield next((each for each in opened if verdicts.command(each).level is Level.ALLOW), said)
    yield f"{said}; {blocked} x"
    yield f"{said} > out.txt"


def _for_others(rule: ShellRule) -> Iterator[str]:
    said = " ".join(rule.words)
    yield f"{said} x"
    yield f"sudo {said} x"
    yield f"echo $({said} x)"
    yield f"bash -c '{said} x'"
    if "/" not in said:
        yield f"/usr/bin/{said} x"
    yield f"{said}x"


def _below(root: str, verdicts: SettingsVerdicts) -> str:
    paths = verdicts.config.sandbox.paths if verdicts.config.sandbox else {}
    return os.path.join(paths[root].root, "x") if root in paths else "x"  # noqa: PTH118 - text, as people write it


def _judged(commands: Iterable[str], verdicts: SettingsVerdicts) -> tuple[Example, ...]:
    return tuple(Example(command, verdicts.command(command)) for command in dict.fromkeys(commands))


# -- sandbox -----------------------------------------------------------------------------------------------


def _of_root(name: str, root: PathConfig, verdicts: SettingsVerdicts) -> Examples:
    suffix = next(iter(root.suffixes or ()), "")
    inside = os.path.join(root.root, f"x{suffix}")  # noqa: PTH118 - text, as people write it
    outside = os.path.join(root.root, "..", f"x{suffix}")  # noqa: PTH118
    examples = [
        Example(f"read {inside}", verdicts.path("read", inside)),
        Example(f"write {inside}", verdicts.path("write", inside)),
        Example(f"read {outside}", verdicts.path("read", outside)),
    ]
    if root.suffixes:
        other = os.path.join(root.root, f"x{suffix}x")  # noqa: PTH118
        examples.append(Example(f"read {other}", verdicts.path("read", other)))
    if root.mode == "rw":
        hook = os.path.join(root.root, ".git", "config")  # noqa: PTH118
        examples.append(Example(f"write {hook}", verdicts.path("write", hook)))
    return Examples(f'root "{name}"', tuple(examples))


# -- names and arguments -----------------------------------------------------------------------------------


def _examples_of_server(server: ToolServer, verdicts: SettingsVerdicts) -> Iterator[Examples]:
    lists = {
        "allowlist": server.allowlist or (),
        "denylist": server.denylist,
        "requires_approval.conditional": server.requires_approval.conditional,
    }
    for key, patterns in lists.items():
        for text in patterns:
            names = list(_names_for(text, against=key != "allowlist"))
            if names:
                judged = tuple(Example(name, verdicts.verdict(name, {}, server.server_name)) for name in names)
                yield Examples(f'server {server.server_name}, {key} "{text}"', judged)
    yield from _of_arguments(server.arguments, server.server_name, verdicts)


def _names_for(text: str, *, against: bool) -> Iterator[str]:
    """A name that a pattern matches, and one that it nearly matches."""
    sample = sample_of(text)
    if sample is None:
        return
    yield sample
    miss = near_miss_of(compile_pattern(text, ignore_case=against, dot_matches_newline=against), sample)
    if miss is not None:
        yield miss


def _of_arguments(
    tools: Mapping[str, ToolArgumentsConfig], server: str | None, verdicts: SettingsVerdicts
) -> Iterator[Examples]:
    place = "" if server is None else f"server {server}, "
    for tool, settings in tools.items():
        for number, rule in enumerate(settings.rules, start=1):
            calls = [given for given in (meeting(rule), *nearly_meeting(rule)) if given is not None]
            judged = tuple(Example(_call(tool, given), verdicts.verdict(tool, given, server)) for given in calls)
            if judged:
                yield Examples(f"{place}{tool}, rule {number} on arguments", judged)
        yield Examples(f"{place}{tool}, default", (Example(f"{tool}()", verdicts.verdict(tool, {}, server)),))


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool} {canonical(dict(arguments))}"


# -- Arguments that meet a rule on arguments, and such that nearly meet it.


def meeting(rule: ArgumentRuleConfig) -> dict[str, Any] | None:
    """Return arguments that meet all conditions of a rule; None if none were found."""
    values = {key: _value(wanted) for key, wanted in rule.when.items()}
    return None if None in values.values() else _nested(values)


def nearly_meeting(rule: ArgumentRuleConfig) -> Iterator[dict[str, Any] | None]:
    """Yield the same with one value changed a little, for the first condition for which that is possible."""
    values = {key: _value(wanted) for key, wanted in rule.when.items()}
    for key, wanted in rule.when.items():
        value = values[key]
        if isinstance(value, str) and (other := _other(value, wanted)) is not None:
            yield _nested({**values, key: other})
            return


def _value(wanted: object) -> Any:
    match wanted:
        case PatternConfig():
            return sample_of(wanted.pattern)
        case tuple():
            return wanted[0] if wanted else None
    return wanted


def _other(value: str, wanted: object) -> str | None:
    if not isinstance(wanted, PatternConfig):
        return f"{value}.x"
    return near_miss_of(compile_pattern(wanted.pattern, ignore_case=True, dot_matches_newline=True), value)


def _nested(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values of dotted keys as nested objects; None if one would have to be inside another."""
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        *outer, last = key.split(".")
        place = arguments
        for name in outer:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                return None
        place[last] = value
    return arguments
