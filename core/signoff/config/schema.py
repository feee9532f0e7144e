"""The JSON Schema of a settings file, for editors and for help on one place in a file.

pydantic makes it (draft 2020-12); the other spellings that are read are added here, and what the docstrings of
the keys say: ``use_attribute_docstrings`` would read and parse the sources at every start of a program.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from signoff.config.models import AgentConfig
from signoff.config.python_source import class_tree
from signoff.settings_yaml import KeyPath
from signoff.tools.setting_faults import keys_at

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core.core_schema import ModelSchema

__all__ = ["config_schema", "known_keys"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_APPROVAL: dict[str, Any] = {"type": "string", "enum": ["required", "none"]}


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema, which every valid file satisfies."""
    return copy.deepcopy(_schema())


def known_keys(path: KeyPath) -> tuple[str, ...]:
    """Return the keys that a mapping in a file may have; empty if they can be chosen freely.

    Args:
        path: The path of the mapping.
    """
    return keys_at(_schema(), path)


class _Described(GenerateJsonSchema):
    """Describes each key by its docstring."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        for key, words in _docstrings(schema["cls"]):
            made["properties"][key].setdefault("description", words)
        return made


def _docstrings(model: type) -> Iterator[tuple[str, str]]:
    """The keys of a model, also those of its bases, each with the string below it."""
    for base in model.__mro__:
        if not base.__module__.startswith("signoff."):
            continue
        for each, below in pairwise(class_tree(base).body):
            match each, below:
                case ast.AnnAssign(target=ast.Name(key)), ast.Expr(ast.Constant(str(words))):
                    yield key, inspect.cleandoc(words)


@cache
def _schema() -> dict[str, Any]:
    made = AgentConfig.model_json_schema(schema_generator=_Described)
    definitions, properties = made["$defs"], made["properties"]
    _add_spellings(definitions, properties)
    for definition in definitions.values():
        definition.pop("description", None)
        for place in definition["properties"].values():
            place.pop("title", None)
    return {
        "$schema": _DRAFT,
        "title": "Settings of an agent for signoff",
        "description": "The limits of an agent's tools, and the calls that must be approved.",
        **{key: value for key, value in made.items() if key not in ("title", "description")},
        "not": {
            "anyOf": [
                {"required": ["shell", "shell_default"]},
                {"required": ["shell", "shell_rules"]},
                {"required": ["tools", "tool_servers"], "properties": {"tools": {"type": "array"}}},
            ]
        },
    }


def _add_spellings(definitions: dict[str, Any], properties: dict[str, Any]) -> None:
    for name in ("sandbox", "shell", "approval_mode", "approval_policies"):
        _without_null(properties[name])
    for name in ("allowlist", "default"):
        _without_null(definitions["ToolServer"]["properties"][name])
    properties["approval_mode"]["enum"] = [*properties["approval_mode"]["enum"], "policy"]
    _add_tool_servers(properties)
    wanted = definitions["ArgumentRuleConfig"]["properties"]["when"]["additionalProperties"]
    wanted["anyOf"] = wanted.pop("oneOf")
    shell = definitions["ShellConfig"]["properties"]
    properties["shell_default"] = {**shell["default"], "description": "The same as default in shell."}
    properties["shell_rules"] = {**shell["rules"], "description": "The same as rules in shell."}
    for section in ("custom_tools", "tools"):
        named = properties[section] if section == "custom_tools" else properties[section]["anyOf"][0]
        named["additionalProperties"] = {"anyOf": [named["additionalProperties"], {"type": "null"}]}
    custom = properties["custom_tools"]
    mapping = {key: custom.pop(key) for key in ("type", "additionalProperties")}
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}
    custom["anyOf"] = [names, mapping]
    path = definitions["PathConfig"]["properties"]
    path["root"]["description"] = (
        "Directory; a relative one starts where this file is. One that is not there covers nothing."
    )
    path["approval"] = {
        "description": "The same as write_approval and read_approval.",
        "type": "object",
        "properties": {
            "write": {**_APPROVAL, "description": "Whether writing has to be approved."},
            "read": {**_APPROVAL, "description": "Whether reading has to be approved."},
        },
        "additionalProperties": False,
    }
    for name in ("ShellDefault", "ShellRule"):
        rule = definitions[name]["properties"]
        del rule["approval"]["type"]
        rule["approval"]["anyOf"] = [{"type": "boolean"}, _APPROVAL]
        rule["approval_required"] = {"type": "boolean", "description": "The same as approval."}
        rule["action"] = {
            "type": "string",
            "enum": ["allow", "approve", "deny"],
            "description": "The same as allowed and approval: allow (without asking), approve (ask), deny.",
        }


def _without_null(place: dict[str, Any]) -> None:
    """Remove null from the schema of a key: a key without a value has no meaning."""
    given = place.pop("anyOf")[0]
    place.pop("default", None)
    place.update(given)


def _add_tool_servers(properties: dict[str, Any]) -> None:
    """Let ``tools`` be a list of servers instead of a mapping."""
    tools, servers = properties["tools"], properties["tool_servers"]
    mapping = {key: tools.pop(key) for key in ("type", "additionalProperties")}
    tools["anyOf"] = [mapping, {key: servers[key] for key in ("type", "items")}]
