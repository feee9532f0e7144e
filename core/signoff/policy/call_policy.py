"""What policy says of a call of a tool, by its name, its server and its arguments: the strictest verdict holds.

Several things have a say, each of its own:

* the name, with the lists of the server whose tool it is;
* what the name suggests, if approval is wanted for that;
* the arguments, with the rules for the tool.

Where no rule is about a call, the default holds: that of the tool's arguments, else that of its server, else that
of its class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from signoff.policy.arguments import ToolArguments, judge_arguments
from signoff.policy.classes import ApprovalPolicies, ToolClass, class_of, guesses
from signoff.policy.names import NameRules, judge_name
from signoff.policy.verdict import Level, PartVerdict, Verdict, strictest

__all__ = ["NOTHING_KNOWN", "CallPolicy", "ServerRules"]

NOTHING_KNOWN = "unknown"
"""The rule that is named when nothing is known of a tool, and there are no rules for its server either.

If it allows, nobody has said anything of the tool; that its server was not named, or misspelled, looks the same.
"""

_NO_GUESSES = ApprovalPolicies(write_ops=False, dangerous_ops=False)


@dataclass(frozen=True, slots=True)
class ServerRules:
    """The rules for the tools of one server.

    Attributes:
        names: Which tools are blocked, and which have to be approved.
        default: What holds for a tool that no rule is about, whatever its class; None leaves it to that.
        masked_keys: Names of arguments that are masked where calls are shown, besides those that always are.
    """

    names: NameRules
    default: Level | None = None
    masked_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """The rules for the tools of an agent. Without any, only tools that are known to be dangerous ask.

    Attributes:
        servers: Rules for the tools of a server, by its name.
        arguments: Rules on the arguments of single tools.
        approvals: What a tool is asked about because its name suggests it.
        unknown: What holds for a tool of which nothing is known. To allow one of a server with rules is a verdict
            (``no rule of its server``); to allow any other is none, and leaves it to the default of whoever asks.
    """

    servers: Mapping[str, ServerRules] = field(default_factory=lambda: MappingProxyType({}))
    arguments: tuple[ToolArguments, ...] = ()
    approvals: ApprovalPolicies = _NO_GUESSES
    unknown: Level = Level.ALLOW

    def verdict(self, tool_name: str, arguments: object, server: str | None = None) -> Verdict:
        """Find what policy says of a call.

        Args:
            tool_name: The name of the tool, without that of its server.
            arguments: The arguments by name.
            server: The server whose tool it is; None for a tool of the agent itself. For a server without rules
                the default holds.

        Returns:
            The strictest verdict, with the rule that decided, and one part for each thing that has a say.
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
        """Find what is said of every call of a tool, were there no default and no rules on arguments.

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
        """Rules that ask or block are also about a tool whose name differs in case, or that a server has too."""
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
    """The class of a tool. That of a server is not safe for having the name of a tool that is."""
    known = class_of(name)
    return ToolClass.UNKNOWN if known is ToolClass.SAFE and server is not None else known
