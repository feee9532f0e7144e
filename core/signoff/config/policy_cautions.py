"""What in valid rules on calls is dangerous, or has no effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from signoff.config.caution import Caution
from signoff.config.policy_building import build_call_policy, name_rules
from signoff.config.policy_models import PolicyConfig, ToolArgumentsConfig, ToolServer
from signoff.policy.redaction.masking import is_always_shown
from signoff.policy.tool_rules import CallPolicy
from signoff.policy.verdict import Level
from signoff.setting_files.paths import KeyPath

__all__ = ["policy_cautions"]

_ANY_NAMES = ("qzxj", "0_7")
"""Stand for tools that no list of names was made for."""


def policy_cautions(config: PolicyConfig) -> Iterator[Caution]:
    """Find what is dangerous or has no effect.

    Args:
        config: The settings.
    """
    if config.auto_approve_in_daemon:
        only = "has no effect: it is for a daemon that runs agents, and nothing is approved by it here"
        yield Caution(("auto_approve_in_daemon",), only)
    policy = build_call_policy(config)
    if policy is None:
        return
    if config.unknown == "allow":
        told = f'{_unasked(config)}; "unknown: ask" is recommended'
        yield Caution(("unknown",) if "unknown" in config.model_fields_set else (), told)
    for index, server in enumerate(config.tool_servers):
        path: KeyPath = ("tool_servers", index)
        yield from _of_lists(server, path)
        yield from _of_redaction(server, (*path, "redaction"))
        yield from _of_arguments(policy, server.arguments, server.server_name, (*path, "arguments"))
    yield from _of_arguments(policy, config.arguments, None, ("arguments",))


def _unasked(config: PolicyConfig) -> str:
    """What ``unknown: allow`` does: those who wrote rules for a server had its tools in mind, and no others."""
    left = "a tool that nothing is known of asks only if the default of the program does"
    if not any(server.leaves_tools_open for server in config.tool_servers):
        return left
    return f"{left}, and one of a server here runs without a question if no rule is about it"


def _of_lists(server: ToolServer, path: KeyPath) -> Iterator[Caution]:
    if server.allowlist == ():
        yield Caution((*path, "allowlist"), "the list is empty, so every tool of the server is blocked")
    rules = name_rules(server)
    for index, pattern in enumerate(rules.denylist):
        if all(map(pattern.fullmatch, _ANY_NAMES)):
            every = "blocks every tool of the server, those of the allowlist too"
            yield Caution((*path, "denylist", index), every)
            return
    for index, allowed in enumerate(rules.allowlist or ()):
        denied = next((pattern for pattern in rules.denylist if pattern.fullmatch(allowed.text)), None)
        if denied is not None and allowed.fullmatch(allowed.text):
            words = f'has no effect on the tool of that name: "{denied.text}" of the denylist blocks it'
            yield Caution((*path, "allowlist", index), words)


def _of_redaction(server: ToolServer, path: KeyPath) -> Iterator[Caution]:
    for index, name in enumerate(server.redaction.arguments):
        if is_always_shown(name):
            shown = "has no effect: commands, paths, hosts and code are never masked"
            yield Caution((*path, "arguments", index), shown)
    if server.redaction.outputs:
        yield Caution((*path, "outputs"), "has no effect: results are neither shown nor kept here")


def _of_arguments(
    policy: CallPolicy, tools: Mapping[str, ToolArgumentsConfig], server: str | None, path: KeyPath
) -> Iterator[Caution]:
    """Rules that allow what something else about the tool asks about or blocks all the same."""
    for tool, settings in tools.items():
        allows = settings.default == "allow" or any(rule.verdict == "allow" for rule in settings.rules)
        if not allows:
            continue
        stricter = policy.by_name_alone(tool, server)
        if stricter.level is not Level.ALLOW:
            does = "is blocked" if stricter.level is Level.BLOCK else "asks"
            because = stricter.rule or ", ".join(stricter.reasons)
            yield Caution((*path, tool), f"{does} whatever its arguments are, because of {because}")
