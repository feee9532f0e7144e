"""How much harm a call could do: low, medium or high, with reasons.

Computed from what the call declares (effects, arguments), never from what it says about itself. Reasons are
short stable words that the screen shows next to the level. When in doubt the level goes up, not down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from signoff.effects import Command, Effect, FileEdit, FileWrite
from signoff.policy.redaction import DEFAULT_REDACTION, Redaction
from signoff.policy.risk_command import command_findings
from signoff.policy.risk_disguise import host_disguises
from signoff.policy.risk_path import path_findings
from signoff.present.reveal import Field, findings
from signoff.present.steps import CommandRun
from signoff.present.stored import steps_from_json
from signoff.queue.records import Risk, Submission

__all__ = ["HIDDEN_VALUE", "Assessment", "Finding", "assess", "assess_stored", "stricter"]

Finding = tuple[Risk, str]
"""One reason and the level it asks for."""

HIDDEN_VALUE = "hidden-value"
"""The reason of a call of which a person sees a part only on demand; see `signoff.policy.redaction`."""

_UNASSESSED = "unassessed"
_ORDER = {Risk.LOW: 0, Risk.MEDIUM: 1, Risk.HIGH: 2}

_HIDES_THE_END = frozenset({"long", "padding"})


@dataclass(frozen=True, slots=True)
class Assessment:
    """The risk of a call and why it is not lower."""

    risk: Risk
    reasons: tuple[str, ...]

    @property
    def hides_values(self) -> bool:
        """Whether a part of the call is hidden from the person until it is asked for: no answer is remembered."""
        return HIDDEN_VALUE in self.reasons


def assess(
    tool_name: str,
    arguments: Mapping[str, Any],
    effects: Sequence[Effect],
    cwd: str,
    *,
    description: str = "",
    shown: object = None,
    masked_keys: Sequence[str] = (),
) -> Assessment:
    """Judge a tool call.

    Args:
        tool_name: Name of the tool.
        arguments: Full arguments.
        effects: What the call declares it would do; empty when the tool declares nothing.
        cwd: Absolute working directory: the project that the agent may be expected to work in.
        description: What the tool says of the call; it is only looked through for hidden characters and secrets.
        shown: What else a person is shown of it, as JSON values; it is only looked through for secrets.
        masked_keys: Names of arguments that are masked besides those that always are.

    Returns:
        The highest level any reason asks for, with all reasons, each once, in order of discovery.
    """
    findings = [
        *_effects(effects, cwd),
        *_arguments(arguments, declared=bool(effects)),
        *_hostile(tool_name, effects, [description, *_texts(arguments)]),
        *_hidden(effects, [dict(arguments), description, shown], DEFAULT_REDACTION.also(masked_keys)),
    ]
    risk = max((level for level, _ in findings), key=_ORDER.__getitem__, default=Risk.LOW)
    return Assessment(risk, tuple(dict.fromkeys(reason for _, reason in findings)))


def assess_stored(submission: Submission) -> Assessment:
    """Judge a call by what is stored of it, without the contents of files.

    Args:
        submission: What an agent posted. Its own risk is not looked at.

    Returns:
        As `assess`; HIGH if what is stored cannot be judged.
    """
    try:
        return assess(
            submission.tool_name,
            submission.arguments,
            tuple(_stored_effects(submission)),
            submission.cwd,
            description=submission.description,
            shown=submission.presentation,
            masked_keys=submission.masked_keys,
        )
    except Exception:  # noqa: BLE001 - whatever an agent posted: what cannot be judged may be anything
        return Assessment(Risk.HIGH, (_UNASSESSED,))


def stricter(submission: Submission) -> Submission:
    """Return a submission with the stricter of its sender's risk and `assess_stored`, and the reasons of both.

    The program that sent it may be old, broken or lying. Reasons of the higher level come first; a sender that saw
    less is named by ``sent-as-low`` or ``sent-as-medium``.
    """
    own = assess_stored(submission)
    reasons = (*submission.risk_reasons, *own.reasons)
    risk = submission.risk
    if _ORDER[own.risk] > _ORDER[risk]:
        reasons = (*own.reasons, f"sent-as-{risk}", *submission.risk_reasons)
        risk = own.risk
    return replace(
        submission,
        risk=risk,
        risk_reasons=tuple(dict.fromkeys(reasons)),
        supports=submission.supports - ({"session"} if own.hides_values else set()),
    )


def _stored_effects(submission: Submission) -> Iterator[Effect]:
    """What the steps of a stored snapshot do, by names; a link is judged by where it leads as well."""
    for step in () if submission.snapshot is None else steps_from_json(submission.snapshot):
        if isinstance(step, CommandRun):
            yield Command(step.command, step.cwd, step.env)
        else:
            yield FileWrite(step.path, b"")
            yield FileWrite(step.before.real_path, b"")


def _effects(effects: Sequence[Effect], cwd: str) -> Iterator[Finding]:
    for effect in effects:
        match effect:
            case FileWrite(path=path) | FileEdit(path=path):
                yield from path_findings(path, cwd)
            case Command(command=command, cwd=where, env=env):
                yield from command_findings(command, where)
                if env:
                    yield Risk.MEDIUM, "environment"


def _arguments(arguments: Mapping[str, Any], *, declared: bool) -> Iterator[Finding]:
    """Judge a structured call; what a tool does beyond its declared effects is unknown."""
    if not declared:
        yield Risk.MEDIUM, "unknown-effects"
    for text in _texts(arguments.get("method")):
        if text.upper() == "DELETE":
            yield Risk.HIGH, "delete"
    for key in ("url", "uri", "host", "endpoint"):
        texts = [*_texts(arguments.get(key))]
        if any(texts):
            yield Risk.MEDIUM, "network"
        yield from host_disguises(texts)


def _hostile(tool_name: str, effects: Sequence[Effect], texts: Iterable[str]) -> Iterator[Finding]:
    """What cannot be seen, cannot be told from other characters, or hides where a text ends."""
    shown: list[tuple[str, Field]] = [(tool_name, "tool_name"), *((text, "content") for text in texts)]
    for effect in effects:
        match effect:
            case FileWrite(path=path) | FileEdit(path=path):
                shown.append((path, "path"))
            case Command(command=command):
                shown.append((command, "command"))
    for text, field in shown:
        for finding in findings(text, field):
            if finding.warn:
                yield Risk.MEDIUM, "hidden-length" if finding.kind in _HIDES_THE_END else "hidden-chars"


def _hidden(effects: Sequence[Effect], values: Sequence[object], masks: Redaction) -> Iterator[Finding]:
    if any(map(_has_secret, effects)) or any(map(masks.finds, values)):
        yield Risk.MEDIUM, HIDDEN_VALUE


def _has_secret(effect: Effect) -> bool:
    match effect:
        case FileWrite(content=content):
            text = content if isinstance(content, str) else content.decode(errors="replace")
            return DEFAULT_REDACTION.finds(text)
        case FileEdit(old=old, new=new):
            return DEFAULT_REDACTION.finds([old, new])
        case Command(command=command, env=env):
            texts = (command, *(f"={value}" for value in env.values()))
            return any(DEFAULT_REDACTION.spans(text, command=True) for text in texts)


def _texts(value: object) -> Iterable[str]:
    """Every string in a JSON value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
