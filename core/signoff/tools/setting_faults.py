"""What is wrong with settings, in words: for those in a file, and for those that a program gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from signoff.present.reveal import reveal_line

__all__ = ["KeyPath", "dotted", "in_words", "keys_at", "made_from", "shown", "unknown_key"]

KeyPath = tuple[str | int, ...]
"""The way from the top of some settings to a value: keys of mappings, and places in lists from 0."""

M = TypeVar("M", bound=BaseModel)

_PLAIN_KEY = re.compile(r"[\w-]+")
_LONGEST_SHOWN = 60


def made_from(model: type[M], given: object, place: KeyPath) -> M:
    """Make a model of settings that a program gives.

    Args:
        model: What to make.
        given: The settings, a mapping.
        place: Where in a settings file they would stand; messages call them so.

    Raises:
        ValueError: They are not valid. The text has one line for each problem, with its dotted key.
    """
    try:
        return model.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        lines = [reveal_line(_line(model, place, fault)).text for fault in faults]
        raise ValueError("\n".join(lines)) from None


def _line(model: type[BaseModel], top: KeyPath, fault: Mapping[str, Any]) -> str:
    """One problem with its place, as a file's are told."""
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
    """What pydantic says of one value, in our words.

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


def unknown_key(key: str, known: tuple[str, ...]) -> str:
    """What to say of a key that there is not.

    Args:
        key: The key.
        known: Those that there are.
    """
    nearest = get_close_matches(key, known, n=1)
    hint = f'did you mean "{nearest[0]}"?' if nearest else f"what there is: {', '.join(known)}"
    return f"is no key that is known here; {hint}"


def dotted(path: KeyPath) -> str:
    """Write a path as people do: ``shell.rules[2].pattern``, with quotes around keys that need them."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{_quoted(key)}" for key in path)
    return "".join(parts).removeprefix(".")


def _quoted(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def shown(value: object) -> str:
    """A value as a message shows it: short, and a text in quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text)} characters)"


def keys_at(schema: Mapping[str, Any], path: KeyPath) -> tuple[str, ...]:
    """The keys that a mapping may have; empty if they can be chosen freely.

    Args:
        schema: JSON Schema of the whole, as pydantic makes them.
        path: Where the mapping stands.
    """
    places = [schema]
    for key in path:
        places = [inner for place in places for inner in _inner(schema, place, key)]
    options = [option for place in places for option in _options(schema, place)]
    return tuple(dict.fromkeys(name for option in options for name in option.get("properties", {})))


def _options(schema: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that a value at a place may satisfy, references followed."""
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
