"""What a shell configuration says of a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.rule_coverage import written_paths
from signoff.policy.shell.syntax_model import Part
from signoff.policy.verdict import Level, Verdict
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule

__all__ = ["Judgement", "judge", "verdict"]

_MOST_REASONS = 3

LieIn = Callable[[Sequence[str] | None, Sequence[str]], bool]
"""Tells if all paths of a command lie in the sandbox roots of some names; with None the paths are not known."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A command that may run.

    Attributes:
        asks: Whether it has to be approved first.
        why: Which rule or setting says so, and what else speaks for asking.
        rule: The rule that says so, if it alone does and the line is one simple command.
    """

    asks: bool
    why: str
    rule: ShellRule | None = None


def verdict(config: ShellConfig, command: str, lie_in: LieIn) -> Verdict:
    """Find what a configuration says of a command, with each of its parts; see `judge_command`.

    Args:
        config: The rules.
        command: The text handed to the shell.
        lie_in: Decides about `ShellRule.sandbox_paths`. They limit what a rule lets through; a rule that asks or
            blocks does so wherever the paths lie.
    """
    rules = [_command_rule(rule, lie_in) for rule in config.rules]
    return judge_command(command, rules, _level(config.default))


def judge(config: ShellConfig, command: str, lie_in: LieIn) -> Judgement:
    """As `verdict`, for those who run the command.

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
    """In words: the rules that ask, then what is asked about whatever the rules say."""
    strict = [part for part in found.parts if part.level is found.level] or list(found.parts)
    by_rule = [_rule_words(part.rule) for part in strict if not part.reasons]
    reasons = [*(f"it {floor}" for floor in found.reasons)]
    reasons += [f"{part.text.split(' ')[0]} {reason}" for part in strict for reason in part.reasons]
    said = list(dict.fromkeys((*by_rule, *reasons)))
    more = f", and {len(said) - _MOST_REASONS} more" if len(said) > _MOST_REASONS else ""
    return "; ".join(said[:_MOST_REASONS]) + more


def _rule_words(name: str) -> str:
    return "shell default" if name == "default" else f'shell rule "{name}"'
