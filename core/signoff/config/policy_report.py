"""What a settings file says of calls, in words for people; patterns and names are as in the file, not yet safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.config.policy_models import PatternConfig, PolicyConfig, ToolArgumentsConfig, ToolServer

__all__ = ["policy_facts", "policy_rows"]

_DOES = {"allow": "runs without asking", "ask": "asks first", "block": "blocked"}


def policy_rows(config: PolicyConfig) -> Iterator[tuple[str, str]]:
    """Say what each rule on calls means: what it is about, and what happens then.

    Args:
        config: The settings.
    """
    if not config.has_policy:
        return
    for server in config.tool_servers:
        place = f"server {server.server_name}"
        yield from ((place, words) for words in _of_server(server))
        if config.unknown == "allow" and server.leaves_tools_open:
            yield place, f"an unknown tool that is left: {_DOES['allow']}"
        yield from _of_arguments(server.arguments, f"{place}, ")
    yield from _of_arguments(config.arguments, "")
    if policies := config.approval_policies:
        if policies.write_ops:
            yield "any tool", "asks first, if by its name it appears to perform write operations"
        if policies.dangerous_ops:
            yield "any tool", "asks first, if by its name it appears to be dangerous"
    yield "unknown tools", _DOES["ask"] if config.unknown == "ask" else "the default of the program decides"


def policy_facts(config: PolicyConfig) -> dict[str, Any]:
    """The same for a program, with the keys of the file."""
    fields = set(PolicyConfig.model_fields)
    return config.model_dump(mode="json", include=fields)


def _of_server(server: ToolServer) -> Iterator[str]:
    if server.denylist:
        yield f"blocked: {_listed(server.denylist)}"
    if server.allowlist is not None:
        yield f"blocked: all but {_listed(server.allowlist)}" if server.allowlist else "blocked: every tool"
    if server.requires_approval.always:
        yield "asks first: every tool"
    elif server.requires_approval.conditional:
        yield f"asks first: {_listed(server.requires_approval.conditional)}"
    if server.default:
        yield f"any other tool: {_DOES[server.default]}"
    if server.redaction.arguments:
        yield f"masked: arguments named like {_listed(server.redaction.arguments)}"


def _of_arguments(tools: Mapping[str, ToolArgumentsConfig], before: str) -> Iterator[tuple[str, str]]:
    for tool, settings in tools.items():
        name = f"{before}{tool}"
        for rule in settings.rules:
            conditions = " and ".join(f"{key} {_wanted(wanted)}" for key, wanted in rule.when.items())
            yield name, f"{_DOES[rule.verdict]}, if {conditions}"
        rest = "with any other arguments" if settings.rules else "with any arguments"
        yield name, f"{_DOES[settings.default]} {rest}"


def _wanted(wanted: object) -> str:
    match wanted:
        case PatternConfig():
            return f"matches {wanted.pattern}"
        case tuple():
            return f"is {' or '.join(map(_value, wanted))}"
    return f"is {_value(wanted)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts)
