"""Worked examples for `signoff policy check`, and rules that let through more than they seem to."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signoff.canonical import canonical
from signoff.config.cautions import Caution
from signoff.config.models import PatternConfig
from signoff.policy.regex import Pattern, compile_pattern
from signoff.policy.shell.programs import broad_commands
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS
from signoff.policy.verdict import Level

if TYPE_CHECKING:
    from signoff.config.models import ArgumentRuleConfig, ToolArgumentsConfig, ToolServer
    from signoff.config.verdicts import SettingsVerdicts
    from signoff.policy.verdict import Verdict
    from signoff.settings_yaml import KeyPath
    from signoff.tools.roots import PathConfig
    from signoff.tools.shell_rules import ShellConfig, ShellRule


__all__ = [
    "Example",
    "Examples",
    "broad_rules",
    "meeting",
    "near_miss_of",
    "nearly_meeting",
    "sample_of",
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
        yield f"{said} -s"
    yield f"{said}; {blocked} x"
    yield f"{said} > out.txt"
    yield f"{said}x"
    if "/" not in said:
        yield f"/usr/bin/{said}"


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


# -- Rules that let through more than they seem to, each with a command or a tool that shows it.
#
# A rule is never warned of by its name alone: each example is judged with the whole file, and shown only if it
# really runs without a question.

_AROUND_BLOCKS = (
    "perl -e 'unlink \"x\"'",
    "git clean -fdx",
    "truncate -s 0 x",
)
"""Commands with the effect of others that are usually blocked."""


def broad_rules(verdicts: SettingsVerdicts) -> Iterator[Caution]:
    """Find rules that let through more than they seem to, and lists without effect.

    Args:
        verdicts: The verdicts of the file on calls.
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


# -- Texts that a pattern matches, and texts that it nearly matches, as examples for people.
#
# They are guessed from the spelling of the pattern, then tried: no example is better than a wrong one.

_TOKEN = re.compile(
    r"(?P<nothing>\(\?[a-zA-Z]+\)|[\^$]|\\[AzbB])"
    r"|(?P<group>\((?:\?(?:P?<\w+>|[a-zA-Z]*:))?)"
    r"|(?P<end>\))"
    r"|(?P<or>\|)"
    r"|(?P<repeat>[*+?]\??|\{(?P<least>\d+)(?:,\d*)?\}\??)"
    r"|\[\^(?P<not>(?:\\.|[^\]\\])+)\]"
    r"|\[\\?(?P<first>.)(?:\\.|[^\]\\])*\]"
    r"|\\(?P<class>[dwsDWS])"
    r"|\\(?P<escaped>\W)"
    r"|(?P<any>\.)"
    r"|(?P<letter>[^\\()\[\]{}])",
    re.DOTALL,
)
_OF_CLASS = {"d": "1", "w": "x", "s": " ", "D": "x", "W": "-", "S": "x"}
_MOST_REPEATS = 20
_LONGEST = 200
_MOST_GROUPS = 50
"""The most nested groups of a pattern; more would be too deep for Python's stack."""


def sample_of(pattern: str) -> str | None:
    """Return a short text that a pattern matches as a whole, or None if none was found.

    Args:
        pattern: A pattern of RE2 that can be used.
    """
    guessed = _Guess(pattern).text()
    return guessed if guessed and compile_pattern(pattern).fullmatch(guessed) else None


def near_miss_of(pattern: Pattern, sample: str) -> str | None:
    """Return a text close to the sample that the pattern does not match; None if there seems to be none.

    Args:
        pattern: The pattern.
        sample: A text that it matches.
    """
    return next((text for text in _almost(sample) if text and not pattern.fullmatch(text)), None)


def _almost(text: str) -> Iterator[str]:
    yield f"{text}_x"
    yield f"x_{text}"
    yield f"{text}/x"
    yield from (text[:at] + text[at + 1 :] for at in reversed(range(len(text))))
    yield "x"


class _Guess:
    """Reads a pattern from left to right: the first of alternatives, one of repetitions."""

    def __init__(self, pattern: str) -> None:
        self._tokens = list(_TOKEN.finditer(pattern))
        self._whole = "".join(token[0] for token in self._tokens) == pattern
        self._at = 0

    def text(self) -> str | None:
        """The guess; None for a spelling that is not understood."""
        if not self._whole or sum(bool(token["group"]) for token in self._tokens) > _MOST_GROUPS:
            return None
        found = self._alternatives()
        return found if self._at == len(self._tokens) and len(found) <= _LONGEST else None

    def _alternatives(self) -> str:
        first = self._sequence()
        while self._next_is("or"):
            self._at += 1
            self._sequence()
        return first

    def _sequence(self) -> str:
        pieces: list[str] = []
        while self._at < len(self._tokens) and not (self._next_is("or") or self._next_is("end")):
            token = self._tokens[self._at]
            self._at += 1
            if token["group"]:
                pieces.append(self._alternatives())
                self._at += 1  # its end
            elif token["repeat"]:
                times = 1 if token["least"] is None else int(token["least"])
                pieces[-1:] = [piece * min(times, _MOST_REPEATS) for piece in pieces[-1:]]
            else:
                pieces.append(_single(token))
        return "".join(pieces)

    def _next_is(self, kind: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].lastgroup == kind


def _single(token: re.Match[str]) -> str:
    """One character that a token stands for, or none for a token that only marks a place."""
    if token["nothing"]:
        return ""
    if token["not"]:
        return next((each for each in "x1-_/ " if each not in token["not"]), "")
    if token["class"]:
        return _OF_CLASS[token["class"]]
    return "x" if token["any"] else token["first"] or token["escaped"] or token["letter"]


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
