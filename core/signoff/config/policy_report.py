"""What a settings file says of calls, in words for people; patterns and names are as in the file, not yet safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.config.policy_models import PatternConfig, PolicyConfig, ToolArgumentsConfig, ToolServer
from signoff.config.report import Answer
from signoff.setting_files.paths import KeyPath

__all__ = ["CallRule", "policy_facts", "policy_rows"]

_DOES = {"allow": "runs without asking", "ask": "asks first", "block": "blocked"}
_ANSWERS: dict[str, Answer] = {"allow": "runs", "ask": "asks", "block": "blocked"}


@dataclass(frozen=True, slots=True)
class CallRule:
    """One rule on calls.

    Attributes:
        about: Which tools it is about.
        words: What it says.
        answer: What becomes of such calls; None if it does not say.
        path: Where it stands in the file, as the models spell it.
        told: How requests that it asked about name it; empty if they do not.
    """

    about: str
    words: str
    answer: Answer | None
    path: KeyPath
    told: tuple[str, ...] = ()


def policy_rows(config: PolicyConfig) -> Iterator[CallRule]:
    """Say what each rule on calls means: what it is about, and what happens then.

    Args:
        config: The settings.
    """
    if not config.has_policy:
        return
    for index, server in enumerate(config.tool_servers):
        place, path = f"server {server.server_name}", ("tool_servers", index)
        yield from _of_server(server, place, path)
        if config.unknown == "allow" and server.leaves_tools_open:
            yield CallRule(place, f"an unknown tool that is left: {_DOES['allow']}", "runs", path)
        yield from _of_arguments(server.arguments, f"{place}, ", (*path, "arguments"))
    yield from _of_arguments(config.arguments, "", ("arguments",))
    if policies := config.approval_policies:
        for name, guess in (("write_ops", "perform write operations"), ("dangerous_ops", "be dangerous")):
            if getattr(policies, name):
                words = f"asks first, if by its name it appears to {guess}"
                told = (f"policy: approval_policies.{name}",)
                yield CallRule("any tool", words, "asks", ("approval_policies", name), told)
    asks = config.unknown == "ask"
    words = _DOES["ask"] if asks else "the default of the program decides"
    yield CallRule("unknown tools", words, "asks" if asks else None, ("unknown",), ("policy: unknown",))


def policy_facts(config: PolicyConfig) -> dict[str, Any]:
    """The same for a program, with the keys of the file."""
    fields = set(PolicyConfig.model_fields)
    return config.model_dump(mode="json", include=fields)


def _of_server(server: ToolServer, place: str, path: KeyPath) -> Iterator[CallRule]:
    if server.denylist:
        yield CallRule(place, f"blocked: {_listed(server.denylist)}", "blocked", (*path, "denylist"))
    if server.allowlist is not None:
        rest = f"all but {_listed(server.allowlist)}" if server.allowlist else "every tool"
        yield CallRule(place, f"blocked: {rest}", "blocked", (*path, "allowlist"))
    asking = (*path, "requires_approval")
    if server.requires_approval.always:
        yield CallRule(place, "asks first: every tool", "asks", asking, ("policy: requires_approval.always",))
    elif patterns := server.requires_approval.conditional:
        told = tuple(f'policy: requires_approval.conditional "{pattern}"' for pattern in patterns)
        yield CallRule(place, f"asks first: {_listed(patterns)}", "asks", asking, told)
    if server.default:
        words = f"any other tool: {_DOES[server.default]}"
        yield CallRule(place, words, _ANSWERS[server.default], (*path, "default"))
    if server.redaction.arguments:
        words = f"masked: arguments named like {_listed(server.redaction.arguments)}"
        yield CallRule(place, words, None, (*path, "redaction"))


def _of_arguments(tools: Mapping[str, ToolArgumentsConfig], before: str, path: KeyPath) -> Iterator[CallRule]:
    for tool, settings in tools.items():
        name, here = f"{before}{tool}", (*path, tool)
        for index, rule in enumerate(settings.rules):
            conditions = " and ".join(f"{key} {_wanted(wanted)}" for key, wanted in rule.when.items())
            words = f"{_DOES[rule.verdict]}, if {conditions}"
            yield CallRule(name, words, _ANSWERS[rule.verdict], (*here, "rules", index))
        rest = "with any other arguments" if settings.rules else "with any arguments"
        words = f"{_DOES[settings.default]} {rest}"
        yield CallRule(name, words, _ANSWERS[settings.default], (*here, "default"))


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
