"""The arguments of a call as JSON values, with nothing left out.

A serializer shows what its author wants to publish: pydantic's leaves out fields with ``exclude=True`` and hides
secrets. A reviewer has to see what runs, and an approval holds only for what was seen, so the values are read here
from the objects themselves. What has no plain form is refused.
"""

from __future__ import annotations

import base64
import dataclasses
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from pathlib import Path, PosixPath, PurePath, PurePosixPath, WindowsPath
from typing import Any
from uuid import UUID

from pydantic import AnyUrl, BaseModel, RootModel, SecretBytes, SecretStr
from pydantic_core import MultiHostUrl, Url, to_jsonable_python

from signoff.canonical import MAX_DEPTH, NotJsonError, canonical
from signoff.definition import Definition
from signoff.memory import PlainCall

__all__ = ["plain_call", "plain_values"]

_AS_IT_IS = frozenset({str, int, float, bool, type(None)})
"""Types of JSON itself; `canonical` refuses what is no JSON of them, such as NaN."""

_AS_TEXT: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys((date, datetime, time, timedelta), to_jsonable_python),  # ISO 8601, to the microsecond
    **dict.fromkeys((Decimal, Fraction, UUID, Url, MultiHostUrl), str),
    **dict.fromkeys((Path, PurePath, PosixPath, PurePosixPath, WindowsPath), str),
    **dict.fromkeys((IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network), str),
    **dict.fromkeys((bytes, bytearray), lambda value: base64.b64encode(value).decode("ascii")),
}
"""Values that JSON does not know and that have a text of their own: equal texts are equal values."""

_LISTS = (list, tuple, deque)
_SETS = (set, frozenset)
_MAPPINGS = (dict, defaultdict)


def plain_values(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a call: a copy, so that nobody can change what runs.

    Models and data classes are read field by field, whatever their serialization leaves out, and secrets in clear.

    Args:
        name: Name of the tool, for the message.
        arguments: Validated arguments, as the tool will be called with.

    Raises:
        NotJsonError: A value cannot be shown as it is; the message says which.
    """
    return plain_call(name, arguments).payload


def plain_call(name: str, arguments: Mapping[str, Any], definition: Definition | None = None) -> PlainCall:
    """Read the arguments of a call as `plain_values` does, and spell them, once for all that compares them.

    Args:
        name: Name of the tool.
        arguments: Validated arguments, as the tool will be called with.
        definition: How the tool is offered to the model, if that is known.

    Raises:
        NotJsonError: As in `plain_values`.
    """
    try:
        shown = {key: value if type(value) is str else _plain(value, 0) for key, value in arguments.items()}
        return PlainCall(name, shown, canonical(shown), definition)
    except NotJsonError as error:
        raise NotJsonError(
            f"the arguments of {name} cannot be shown to a reviewer as they are: {error}"
        ) from error


def _plain(value: Any, depth: int) -> Any:
    """One value; what is neither known here nor JSON is refused by `canonical`, which names its place."""
    if depth > MAX_DEPTH:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind in _AS_TEXT:
        return _AS_TEXT[kind](value)
    if isinstance(value, Enum):
        return _plain(value.value, depth + 1)
    if isinstance(value, SecretStr | SecretBytes):
        return _plain(value.get_secret_value(), depth + 1)
    if isinstance(value, AnyUrl):
        return str(value)  # with the password, if there is one
    if isinstance(value, RootModel):
        return _plain(value.root, depth + 1)
    if isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        return _mapping(_fields(value), depth)
    if kind in _MAPPINGS:
        return _mapping(value.items(), depth)
    if kind in _LISTS or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return [_plain(item, depth + 1) for item in value]
    if kind in _SETS:
        return sorted((_plain(item, depth + 1) for item in value), key=canonical)
    return value


def _fields(value: Any) -> Iterable[tuple[str, Any]]:
    """Every field of an object, and what it holds beyond its fields."""
    found: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    if isinstance(value, BaseModel):
        return {**found, **(value.__pydantic_extra__ or {})}.items()
    for field in dataclasses.fields(value):
        if hasattr(value, field.name):
            found[field.name] = getattr(value, field.name)
    return found.items()


def _mapping(items: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    kinds: set[type] = set()
    for key, item in items:
        name = _key(key)
        kinds.add(type(key))
        # 1 and "1" are two keys in Python and one in JSON.
        if name in plain or len(kinds) > 1:
            raise NotJsonError("the keys of an object are of several types, or two of them have the same text")
        plain[name] = _plain(item, depth + 1)
    return plain


def _key(key: Any) -> str:
    plain = _plain(key, 0)
    if type(plain) is not str and type(plain) is not int:
        raise NotJsonError(f"a key of type {type(key).__name__} is not JSON; keys are text")
    return str(plain)
