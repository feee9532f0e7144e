"""Arguments and schemas of a framework as JSON values that can be compared, with nothing left out.

A serializer shows the fields that its author wants to publish: pydantic's leaves out fields with ``exclude=True``
and hides secrets. A reviewer has to see everything that runs, and an approval covers only what was seen, so the
values are read here from the objects themselves. A value without a plain form is refused.

Objects of two classes may have one plain form: ``Delete(id=1)`` and ``Archive(id=1)``, a path and a text. So the
tool validates the plain form again. If that gives an object of another class, the class is added to the arguments,
in an entry such as ``class of item``.
"""

from __future__ import annotations

import base64
import dataclasses
import json
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
from signoff.session_memory import PlainCall
from signoff.tool_definition import Definition

__all__ = [
    "Validate",
    "plain_call",
    "plain_hints",
    "plain_schema",
    "plain_values",
]


Validate = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Validates plain arguments and returns those that the tool would be called with."""

_AS_IT_IS = frozenset({str, int, float, bool, type(None)})
"""Types of JSON itself; `canonical` refuses values of them that are not JSON, such as NaN."""

_AS_TEXT: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys((date, datetime, time, timedelta), to_jsonable_python),  # ISO 8601, to the microsecond
    **dict.fromkeys((Decimal, Fraction, UUID, Url, MultiHostUrl), str),
    **dict.fromkeys((Path, PurePath, PosixPath, PurePosixPath, WindowsPath), str),
    **dict.fromkeys((IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network), str),
    **dict.fromkeys((bytes, bytearray), lambda value: base64.b64encode(value).decode("ascii")),
}
"""Types unknown to JSON that have a text of their own: equal texts are equal values."""

_CLASS_OF, _KEY_OF = "class of ", "a key of "

_TOLD_BY_JSON = frozenset({"str", "int", "float", "bool", "NoneType", "list", "dict"})
"""Classes that are clear from the plain form alone."""

_LISTS = (list, tuple, deque)
_SETS = (set, frozenset)
_MAPPINGS = (dict, defaultdict)


def plain_values(name: str, arguments: Mapping[str, Any], validate: Validate | None = None) -> dict[str, Any]:
    """Read the arguments of a call: a copy, so that nobody can change what runs.

    Models and data classes are read field by field, whatever their serialization leaves out, and secrets in clear.

    Args:
        name: Name of the tool, for the message.
        arguments: Validated arguments, as the tool will be called with.
        validate: Validates as the tool does. Without it the class of every object is added.

    Raises:
        NotJsonError: A value cannot be shown as it is; the message says which.
    """
    return plain_call(name, arguments, validate=validate).payload


def plain_call(
    name: str,
    arguments: Mapping[str, Any],
    definition: Definition | None = None,
    *,
    validate: Validate | None = None,
    server: str | None = None,
) -> PlainCall:
    """Read the arguments of a call as `plain_values` does, and spell them, once for all comparisons.

    Args:
        name: Name of the tool.
        arguments: Validated arguments, as the tool will be called with.
        definition: The definition of the tool, if that is known.
        validate: As for `plain_values`.
        server: The server that the tool belongs to; None for a tool of the agent itself.

    Raises:
        NotJsonError: As in `plain_values`.
    """
    try:
        shown = {
            _named(key): value if type(value) is str else _plain(value, 0) for key, value in arguments.items()
        }
        spelled = canonical(shown)
        if not all(map(_is_json, arguments.values())):
            shown |= _classes_said(arguments, spelled, validate)
            spelled = canonical(shown)
        return PlainCall(name, shown, spelled, definition, server)
    except NotJsonError as error:
        raise NotJsonError(
            f"the arguments of {name} cannot be shown to a reviewer as they are: {error}"
        ) from error


def _named(key: str) -> str:
    """The name of an argument, escaped if it looks like an entry for a class."""
    if key.startswith(_CLASS_OF):
        raise NotJsonError(
            f"the name of an argument begins with {_CLASS_OF!r}, as entries of signoff do; rename it"
        )
    return key


def _is_json(value: Any) -> bool:
    """True if a value is its own plain form: nothing but types that a JSON parser makes."""
    kind = type(value)
    if kind is list:
        return all(map(_is_json, value))
    if kind is dict:
        return all(type(key) is str and _is_json(item) for key, item in value.items())
    return kind in _AS_IT_IS


def _classes_said(arguments: Mapping[str, Any], spelled: str, validate: Validate | None) -> dict[str, str]:
    """The classes that are not clear from the plain form alone, by the names of their entries.

    Args:
        arguments: The arguments as they are.
        spelled: Canonical form of their plain form.
        validate: Validates as the tool does.
    """
    classes = _classes(arguments)
    told = _classes_told(spelled, validate)
    if told is None:
        told = {place: each for place, each in classes.items() if each in _TOLD_BY_JSON and _KEY_OF not in place}
    return {_CLASS_OF + place: each for place, each in classes.items() if told.get(place) != each}


def _classes_told(spelled: str, validate: Validate | None) -> dict[str, str] | None:
    """The classes that the tool makes of the plain form; None if it refuses it, or reads other values."""
    if validate is None:
        return None
    try:
        again = validate(json.loads(spelled))
        same = canonical({key: _plain(value, 0) for key, value in again.items()}) == spelled
    except Exception:  # noqa: BLE001 - whatever an author's validator raises: the plain form alone tells nothing
        return None
    return _classes(again) if same else None


def _classes(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The class of every value, and of keys that are no text, by place."""
    found: dict[str, str] = {}
    for key, value in arguments.items():
        _note_classes(value, key if key.isidentifier() and key.isascii() else f"[{canonical(key)}]", found)
    return found


def _note_classes(value: Any, place: str, found: dict[str, str]) -> None:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    found[place] = f"{found[place]} of {name}" if place in found else name
    if isinstance(value, Enum):
        _note_classes(value.value, place, found)
    elif isinstance(value, SecretStr | SecretBytes):
        _note_classes(value.get_secret_value(), place, found)
    elif isinstance(value, RootModel):
        _note_classes(value.root, place, found)
    elif isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        for key, item in _fields(value):
            _note_classes(item, _step(place, key), found)
    elif kind in _MAPPINGS:
        for key, item in value.items():
            if type(key) is not str:
                _note_classes(key, f"{_KEY_OF}{place}", found)
            _note_classes(item, _step(place, _key(key)), found)
    elif kind in _SETS:
        for index, item in enumerate(sorted(value, key=lambda item: canonical(_plain(item, 0)))):
            _note_classes(item, f"{place}[{index}]", found)
    elif kind in _LISTS or isinstance(value, tuple):
        for index, item in enumerate(value):
            _note_classes(item, f"{place}[{index}]", found)


def _step(place: str, key: str) -> str:
    return f"{place}.{key}" if key.isidentifier() and key.isascii() else f"{place}[{canonical(key)}]"


def _plain(value: Any, depth: int) -> Any:
    """One value; `canonical` refuses values that are neither known here nor JSON, and names their place."""
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
    """Every field of an object, and attributes that are no fields."""
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


# -- The schema and hints of a tool, as JSON that can be compared.


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema as it is; parts that are not JSON are replaced by their text in Python."""
    try:
        canonical(dict(schema))
    except NotJsonError:
        plain = to_jsonable_python(schema, fallback=repr, inf_nan_mode="strings")
        return plain if isinstance(plain, dict) else {"": plain}
    return dict(schema)


def plain_hints(hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hints that are JSON; nothing else can have come from a server."""
    return {name: value for name, value in hints.items() if value is not None and _can_be_compared(value)}


def _can_be_compared(value: object) -> bool:
    try:
        canonical(value)
    except NotJsonError:
        return False
    return True
