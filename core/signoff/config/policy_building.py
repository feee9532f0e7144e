"""The policy for calls that a settings file describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from signoff.config.policy_models import (
    LEVELS,
    ArgumentRuleConfig,
    PolicyConfig,
    ToolArgumentsConfig,
    ToolServer,
    condition_of,
)
from signoff.policy.argument_rules import ArgumentRule, ToolArguments
from signoff.policy.tool_rules import ApprovalPolicies, CallPolicy, NameRules, ServerRules
from signoff.setting_files.paths import KeyPath, dotted

__all__ = ["build_call_policy", "name_rules"]


def build_call_policy(config: PolicyConfig) -> CallPolicy | None:
    """Build the policy for calls; None if the settings say nothing of them.

    Args:
        config: The settings.

    Raises:
        PatternError: RE2 is not installed any more, since the settings were read.
    """
    if not config.has_policy:
        return None
    wanted = config.approval_policies
    return CallPolicy(
        servers={server.server_name: _server_rules(server) for server in config.tool_servers},
        arguments=tuple(_tool_arguments(config)),
        approvals=ApprovalPolicies(
            write_ops=wanted is not None and wanted.write_ops,
            dangerous_ops=wanted is not None and wanted.dangerous_ops,
        ),
        unknown=LEVELS[config.unknown],
    )


def name_rules(server: ToolServer) -> NameRules:
    """The rules of a server on the names of its tools."""
    return NameRules.compiled(
        allowlist=server.allowlist,
        denylist=server.denylist,
        always=server.requires_approval.always,
        conditional=server.requires_approval.conditional,
    )


def _server_rules(server: ToolServer) -> ServerRules:
    default = LEVELS[server.default] if server.default else None
    return ServerRules(name_rules(server), default, server.redaction.arguments)


def _tool_arguments(config: PolicyConfig) -> Iterator[ToolArguments]:
    yield from _of_tools(config.arguments, None, ("arguments",))
    for server in config.tool_servers:
        yield from _of_tools(server.arguments, server.server_name, (server.server_name, "arguments"))


def _of_tools(
    tools: Mapping[str, ToolArgumentsConfig], server: str | None, place: KeyPath
) -> Iterator[ToolArguments]:
    for tool, settings in tools.items():
        rules = tuple(
            _rule(rule, dotted((*place, tool, "rules", index))) for index, rule in enumerate(settings.rules)
        )
        yield ToolArguments(tool, rules, LEVELS[settings.default], server)


def _rule(rule: ArgumentRuleConfig, name: str) -> ArgumentRule:
    level = LEVELS[rule.verdict]
    return ArgumentRule(tuple(condition_of(key, wanted, level) for key, wanted in rule.when.items()), level, name)
