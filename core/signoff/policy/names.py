"""What rules say of a tool by its name alone.

A name is blocked if the denylist matches it; if there is an allowlist, it is blocked as well unless that matches
it; then approval is required always or for the names that a pattern matches; what is left is the default.
Patterns match whole names. Those of the allowlist are taken literally; those that block or ask ignore case, and
their dot matches a newline: a rule against something may match too much, a rule for something may not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from signoff.policy.patterns import Pattern, compile_pattern
from signoff.policy.verdict import Level, Verdict

__all__ = ["NameRules", "is_plain_name", "judge_name"]


@dataclass(frozen=True, slots=True)
class NameRules:
    """Rules about the names of tools; those of nothing at all say nothing.

    Attributes:
        allowlist: Names that are not blocked. None: no name is blocked by it. Empty: every name is.
        denylist: Names that are blocked, whatever else is said.
        always: Whether every tool has to be approved.
        conditional: Names of the tools that have to be approved.
    """

    allowlist: tuple[Pattern, ...] | None = None
    denylist: tuple[Pattern, ...] = ()
    always: bool = False
    conditional: tuple[Pattern, ...] = ()

    @classmethod
    def compiled(
        cls,
        *,
        allowlist: Iterable[str] | None = None,
        denylist: Iterable[str] = (),
        always: bool = False,
        conditional: Iterable[str] = (),
    ) -> Self:
        """Make rules of patterns in text; the arguments are the attributes.

        Raises:
            PatternError: A pattern cannot be used.
        """
        return cls(
            None if allowlist is None else tuple(compile_pattern(text) for text in allowlist),
            tuple(_compiled_against(text) for text in denylist),
            always,
            tuple(_compiled_against(text) for text in conditional),
        )


def judge_name(name: str, rules: NameRules, default: Level, default_rule: str = "default") -> Verdict:
    """Find what rules say of a tool.

    Args:
        name: The name of the tool.
        rules: The rules.
        default: What holds for a name that they neither block nor require approval for.
        default_rule: What decided about the default.

    Returns:
        The verdict. A name with anything but printable ASCII without blanks is at least asked about: what looks
        like a known name is not always that name.
    """
    verdict = _by_rules(name, rules, default, default_rule)
    if is_plain_name(name):
        return verdict
    reason = "the name of the tool holds something else than printable ASCII characters" if name else "has no name"
    return Verdict(max(verdict.level, Level.ASK), verdict.rule, (*verdict.reasons, reason))


def is_plain_name(name: str) -> bool:
    """Whether a name is one or more characters from ``!`` to ``~``."""
    return bool(name) and all("!" <= character <= "~" for character in name)


def _by_rules(name: str, rules: NameRules, default: Level, default_rule: str) -> Verdict:
    if denied := _first(rules.denylist, name):
        return Verdict(Level.BLOCK, _rule("denylist", denied))
    allowed = _first(rules.allowlist or (), name)
    if rules.allowlist is not None and allowed is None:
        return Verdict(Level.BLOCK, "allowlist", ("the name of the tool is not on the allowlist",))
    if rules.always:
        return Verdict(Level.ASK, "requires_approval.always")
    if conditional := _first(rules.conditional, name):
        return Verdict(Level.ASK, _rule("requires_approval.conditional", conditional))
    if default is Level.ALLOW and allowed is not None:
        return Verdict(default, _rule("allowlist", allowed))
    return Verdict(default, default_rule)


def _first(patterns: Iterable[Pattern], name: str) -> Pattern | None:
    return next((pattern for pattern in patterns if pattern.fullmatch(name)), None)


def _rule(key: str, pattern: Pattern) -> str:
    return f'{key} "{pattern.text}"'


def _compiled_against(text: str) -> Pattern:
    return compile_pattern(text, ignore_case=True, dot_matches_newline=True)
