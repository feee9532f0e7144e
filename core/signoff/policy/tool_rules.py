"""The verdict of policy on a call, by the tool's name, server and arguments: the strictest holds.

Several things are judged, each by itself:

* the name, with the lists of the server whose tool it is;
* the guess from the name, if approval is wanted for that;
* the arguments, with the rules for the tool.

Where no rule is about a call, the default holds: that of the tool's arguments, else that of its server, else that
of its class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from signoff.policy.argument_rules import ToolArguments, judge_arguments
from signoff.policy.regex import Pattern, compile_pattern
from signoff.policy.verdict import Level, PartVerdict, Verdict, strictest

__all__ = [
    "DANGEROUS_TOOLS",
    "NOTHING_KNOWN",
    "SAFE_TOOLS",
    "ApprovalPolicies",
    "CallPolicy",
    "Guess",
    "NameRules",
    "ServerRules",
    "ToolClass",
    "class_of",
    "guesses",
    "is_plain_name",
    "judge_name",
]


# -- The probable effect of a tool, by its name: known to be safe, known to be dangerous, or guessed.
#
# A guess can make a call be asked about, never let one through: names are chosen by the author of the tool.

SAFE_TOOLS = frozenset(
    {
        "read", "read_file", "glob", "grep", "search",
        "list_files", "get_file_info", "task", "load_guide",
        "enter_plan_mode", "exit_plan_mode", "write_plan",
        "task_output", "ask_user",
    }
)  # fmt: skip
"""Tools that only read, as listed by the tool approval of connectonion."""

DANGEROUS_TOOLS = frozenset(
    {
        "bash", "shell", "run", "run_in_dir",
        "write", "edit", "multi_edit",
        "run_background", "kill_task",
        "send_email", "post", "delete", "remove",
    }
)  # fmt: skip
"""Tools that change files or have other effects, as the same list has them."""


class ToolClass(StrEnum):
    """The class of a tool."""

    SAFE = "safe"
    """It only reads."""
    DANGEROUS = "dangerous"
    """It changes something."""
    UNKNOWN = "unknown"
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class ApprovalPolicies:
    """The guesses by which a tool has to be approved.

    Attributes:
        write_ops: For those that appear to change something.
        dangerous_ops: For those that appear to run programs or to do harm.
    """

    write_ops: bool = True
    dangerous_ops: bool = True


@dataclass(frozen=True, slots=True)
class Guess:
    """A reason for which a tool has to be approved.

    Attributes:
        policy: The policy that wants it: ``write_ops`` or ``dangerous_ops``.
        reason: The guess from the name of the tool, in words.
    """

    policy: str
    reason: str


# Stems are found anywhere in a name, words only as a whole: "set" is neither in "settings" nor in "offset".
_WRITE = (
    re.compile("write|creat|modif|updat|delet|remov|insert|append|upload|renam|replac|truncat|publish|overwr|upsert"),
    frozenset(
        {
            "add", "apply", "assign", "cancel", "clear", "close", "commit", "copy", "drop", "edit", "import",
            "make", "merge", "mkdir", "move", "mv", "new", "patch", "pay", "post", "push", "put", "reply", "reset",
            "restore", "rm", "save", "send", "set", "store", "submit", "sync", "transfer", "unlink",
        }
    ),
)  # fmt: skip
_DANGEROUS = (
    re.compile("exec|sudo|shell|danger|destroy|shutdown|reboot|terminat|uninstal|chmod|chown"),
    frozenset(
        {
            "admin", "bash", "cmd", "command", "deploy", "drop", "eval", "exploit", "format", "grant", "install",
            "invoke", "kill", "mount", "powershell", "purge", "restart", "revoke", "root", "run", "script", "sh",
            "spawn", "stop", "sql", "system", "terminal", "wipe",
        }
    ),
)  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def class_of(name: str) -> ToolClass:
    """Return the class of one of an agent's own tools.

    Args:
        name: Its name. A safe tool is called exactly so, a dangerous one in any mix of cases.
    """
    if name in SAFE_TOOLS:
        return ToolClass.SAFE
    return ToolClass.DANGEROUS if name.lower() in DANGEROUS_TOOLS else ToolClass.UNKNOWN


def guesses(name: str, policies: ApprovalPolicies) -> Iterator[Guess]:
    """Guess from its name why a tool has to be approved.

    Args:
        name: Its name.
        policies: The guesses that count.
    """
    if policies.write_ops and _suggests(name, *_WRITE):
        yield Guess("write_ops", f"tool {name!a} appears to perform write operations")
    if policies.dangerous_ops and (_suggests(name, *_DANGEROUS) or class_of(name) is ToolClass.DANGEROUS):
        yield Guess("dangerous_ops", f"tool {name!a} contains potentially dangerous operations")


def _suggests(name: str, stems: re.Pattern[str], words: frozenset[str]) -> bool:
    if stems.search(name.lower()):
        return True
    return not words.isdisjoint(
        word.lower() for word in (*_WORD.findall(name), *re.findall("[a-z]+", name.lower()))
    )


# -- Rules on tools by name alone.
#
# A name is blocked if the denylist matches it; if there is an allowlist, it is blocked as well unless that
# matches it; then approval is required always or for the names that a pattern matches; what is left is the
# default. Patterns match whole names. Those of the allowlist are taken literally; those that block or ask ignore
# case, and their dot matches a newline: a rule against something may match too much, a rule for something may
# not.


@dataclass(frozen=True, slots=True)
class NameRules:
    """Rules about the names of tools; empty rules say nothing.

    Attributes:
        allowlist: Names that are not blocked. None: no name is blocked by it. Empty: every name is.
        denylist: Names that are blocked, whatever else is said.
        always: True if every tool has to be approved.
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
            RegexError: A pattern cannot be used.
        """
        return cls(
            None if allowlist is None else tuple(compile_pattern(text) for text in allowlist),
            tuple(_compiled_against(text) for text in denylist),
            always,
            tuple(_compiled_against(text) for text in conditional),
        )


def judge_name(name: str, rules: NameRules, default: Level, default_rule: str = "default") -> Verdict:
    """Return the verdict of rules on the name of a tool.

    Args:
        name: The name of the tool.
        rules: The rules.
        default: The level for a name that no rule is about.
        default_rule: The rule to name where the default decides.

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
    """True if a name is one or more characters from ``!`` to ``~``."""
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


NOTHING_KNOWN = "unknown"
"""The name of the rule for a tool of which nothing is known, on a server without rules.

If it allows, there is no rule for the tool; a server that is not named, or misspelled, looks the same.
"""

_NO_GUESSES = ApprovalPolicies(write_ops=False, dangerous_ops=False)


@dataclass(frozen=True, slots=True)
class ServerRules:
    """The rules for the tools of one server.

    Attributes:
        names: The names that are blocked, and those that have to be approved.
        default: The level for a tool that no rule is about; None leaves it to its class.
        masked_keys: Names of arguments that are masked where calls are shown, besides those that always are.
    """

    names: NameRules
    default: Level | None = None
    masked_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """The rules for the tools of an agent. Without any, only known dangerous tools are asked about.

    Attributes:
        servers: Rules for the tools of a server, by its name.
        arguments: Rules on the arguments of single tools.
        approvals: The guesses from names by which a tool is asked about.
        unknown: The level for a tool of which nothing is known. To allow one of a server with rules is a verdict
            (``no rule of its server``); to allow any other is none, and leaves it to the default of the caller.
    """

    servers: Mapping[str, ServerRules] = field(default_factory=lambda: MappingProxyType({}))
    arguments: tuple[ToolArguments, ...] = ()
    approvals: ApprovalPolicies = _NO_GUESSES
    unknown: Level = Level.ALLOW

    def verdict(self, tool_name: str, arguments: object, server: str | None = None) -> Verdict:
        """Return the verdict on a call.

        Args:
            tool_name: The name of the tool, without that of its server.
            arguments: The arguments by name.
            server: The server whose tool it is; None for a tool of the agent itself. For a server without rules
                the default holds.

        Returns:
            The strictest verdict, with the rule that decided, and one part for each thing that is judged.
        """
        own = tuple(self._by_own_arguments(tool_name, arguments, server))
        default, default_rule = (Level.ALLOW, "default") if own else self._default(tool_name, server)
        by_name = self._by_name(tool_name, server, default, default_rule)
        guessed = self._by_guess(tool_name, server)
        return _combined((*own, by_name, *guessed, *self._by_rules_of_others(tool_name, arguments, server)))

    def masked_keys(self, server: str | None) -> tuple[str, ...]:
        """Names of arguments that are masked where a call is shown, besides those that always are.

        Args:
            server: As for `verdict`.
        """
        rules = self.servers.get(server) if server is not None else None
        return rules.masked_keys if rules is not None else ()

    def by_name_alone(self, tool_name: str, server: str | None = None) -> Verdict:
        """Return the verdict on every call of a tool, apart from the default and the rules on arguments.

        Args:
            tool_name: As for `verdict`.
            server: As for `verdict`.
        """
        by_name = self._by_name(tool_name, server, Level.ALLOW, "default")
        return _combined((by_name, *self._by_guess(tool_name, server)))

    def _by_name(self, name: str, server: str | None, default: Level, default_rule: str) -> PartVerdict:
        rules = self.servers.get(server) if server is not None else None
        verdict = judge_name(name, rules.names if rules else NameRules(), default, default_rule)
        return PartVerdict("name", verdict.level, verdict.rule, verdict.reasons)

    def _default(self, name: str, server: str | None) -> tuple[Level, str]:
        rules = self.servers.get(server) if server is not None else None
        if rules is not None and rules.default is not None:
            return rules.default, "default"
        match _class(name, server):
            case ToolClass.SAFE:
                return Level.ALLOW, "safe tool"
            case ToolClass.DANGEROUS:
                return Level.ASK, "dangerous tool"
            case ToolClass.UNKNOWN:
                return self.unknown, NOTHING_KNOWN if rules is None else "no rule of its server"

    def _by_guess(self, name: str, server: str | None) -> Iterator[PartVerdict]:
        if _class(name, server) is ToolClass.SAFE:
            return
        for guess in guesses(name, self.approvals):
            yield PartVerdict("guess", Level.ASK, f"approval_policies.{guess.policy}", (guess.reason,))

    def _by_own_arguments(self, name: str, arguments: object, server: str | None) -> Iterator[PartVerdict]:
        for each in self.arguments:
            if (each.tool, each.server) == (name, server):
                verdict = judge_arguments(arguments, each.rules, each.default)
                yield PartVerdict("arguments", verdict.level, verdict.rule, verdict.reasons)

    def _by_rules_of_others(self, name: str, arguments: object, server: str | None) -> Iterator[PartVerdict]:
        """Verdicts of rules that ask or block on a tool whose name differs in case, or that a server has too."""
        for each in self.arguments:
            if (each.tool, each.server) == (name, server) or each.tool.casefold() != name.casefold():
                continue
            against = [rule for rule in each.rules if rule.level is not Level.ALLOW]
            if against and each.server in (None, server):
                verdict = judge_arguments(arguments, against, Level.ALLOW)
                yield PartVerdict(f"arguments, as for {each.tool!a}", verdict.level, verdict.rule, verdict.reasons)


def _combined(parts: tuple[PartVerdict, ...]) -> Verdict:
    level = strictest(part.level for part in parts)
    deciding = next(part for part in parts if part.level is level)
    reasons = dict.fromkeys(reason for part in parts for reason in part.reasons)
    return Verdict(level, deciding.rule, tuple(reasons), parts)


def _class(name: str, server: str | None) -> ToolClass:
    """The class of a tool. The tool of a server is not safe because a safe tool has the same name."""
    known = class_of(name)
    return ToolClass.UNKNOWN if known is ToolClass.SAFE and server is not None else known
