"""The faults of settings in words: of those in a file, and of those that a program gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from signoff.present.reveal import reveal_line
from signoff.settings_yaml import KeyPath, dotted, shown, unknown_key

__all__ = ["in_words", "keys_at", "made_from"]

M = TypeVar("M", bound=BaseModel)


def made_from(model: type[M], given: object, place: KeyPath) -> M:
    """Make a model of settings that a program gives.

    Args:
        model: The model.
        given: The settings, a mapping.
        place: Their place in a settings file, which names them in messages.

    Raises:
        ValueError: The settings are not valid. The text has one line for each problem, with its dotted key.
    """
    try:
        return model.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        lines = [reveal_line(_line(model, place, fault)).text for fault in faults]
        raise ValueError("\n".join(lines)) from None


def _line(model: type[BaseModel], top: KeyPath, fault: Mapping[str, Any]) -> str:
    """One problem with its place, worded as those of a file."""
    path = tuple(fault["loc"])
    match fault["type"]:
        case "missing":
            return f'{dotted((*top, *path[:-1]))}: "{path[-1]}" is missing'
        case "extra_forbidden":
            words = unknown_key(str(path[-1]), keys_at(model.model_json_schema(), path[:-1]))
        case _:
            words = in_words(fault)
    return f"{dotted((*top, *path))}: {words}"


def in_words(fault: Mapping[str, Any]) -> str:
    """Return the words for a fault that pydantic found in one value.

    Args:
        fault: One of `pydantic.ValidationError.errors`.
    """
    given = shown(fault["input"])
    match str(fault["type"]):
        case "value_error":
            return str(fault["ctx"]["error"])
        case "string_type":
            return f"must be a text, not {given}"
        case "bool_type" | "bool_parsing":
            return f"must be true or false, not {given}"
        case "literal_error":
            return f"must be {fault['ctx']['expected'].replace(chr(39), chr(34))}, not {given}"
        case "list_type" | "tuple_type":
            return f"must be a list, not {given}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"must be a mapping of keys to values, not {given}"
    return f"is not valid: {fault['msg']}"


def keys_at(schema: Mapping[str, Any], path: KeyPath) -> tuple[str, ...]:
    """Return the keys that a mapping may have; empty if they can be chosen freely.

    Args:
        schema: JSON Schema of the whole, as pydantic makes them.
        path: The path of the mapping.
    """
    places = [schema]
    for key in path:
        places = [inner for place in places for inner in _inner(schema, place, key)]
    options = [option for place in places for option in _options(schema, place)]
    return tuple(dict.fromkeys(name for option in options for name in option.get("properties", {})))


def _options(schema: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that a value at a place may satisfy, with references followed."""
    if "$ref" in place:
        yield schema["$defs"][place["$ref"].rpartition("/")[2]]
    elif "anyOf" in place:
        for option in place["anyOf"]:
            yield from _options(schema, option)
    else:
        yield place


def _inner(schema: Mapping[str, Any], place: Mapping[str, Any], key: str | int) -> Iterator[dict[str, Any]]:
    for option in _options(schema, place):
        if isinstance(key, int):
            inner = option.get("items")
        else:
            inner = option.get("properties", {}).get(key, option.get("additionalProperties"))
        if isinstance(inner, dict):
            yield inner
