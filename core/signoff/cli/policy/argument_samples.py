"""Arguments that a rule on arguments is about, and such that it is nearly about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from signoff.cli.policy.samples import near_miss_of, sample_of
from signoff.config.models import PatternConfig
from signoff.policy.regex import compile_pattern

if TYPE_CHECKING:
    from signoff.config.models import ArgumentRuleConfig

__all__ = ["meeting", "nearly_meeting"]


def meeting(rule: ArgumentRuleConfig) -> dict[str, Any] | None:
    """Arguments for which all conditions of a rule hold; None if none were found."""
    values = {key: _value(wanted) for key, wanted in rule.when.items()}
    return None if None in values.values() else _nested(values)


def nearly_meeting(rule: ArgumentRuleConfig) -> Iterator[dict[str, Any] | None]:
    """The same with one value changed a little, for the first condition for which that can be done."""
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
    """Values by dotted keys as nested objects; None if one would have to stand inside another."""
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
