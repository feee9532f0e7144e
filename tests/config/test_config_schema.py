"""The JSON Schema for editors accepts what loads, and explains every key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from documented_blocks import BLOCKS
from signoff.config import ConfigError, parse_config
from signoff.config.schema import config_schema, known_keys

VALIDATOR = Draft202012Validator(config_schema())

OTHER_SPELLINGS = [
    "sandbox: {paths: {a: {root: ., approval: {write: none, read: required}}}}",
    "shell: {default: {action: deny}, rules: [{pattern: ls, approval: none}]}",
    "custom_tools: {a:}",
    "tools: {a: , b: {approval: deny}, c: {approval: null}}",
    "{}",
]

NOT_VALID = [
    "sandbx: {}",
    "shell: {}\nshell_rules: []",
    "approval_mode: yolo",
    "approval_mode: null",
    "sandbox: {paths: {a: {mode: ro}}}",
    "sandbox: {paths: {a: {root: ., approval: {wirte: none}}}}",
    "custom_tools: [a, a]",
    "tools: {a: {approval: maybe}}",
    "[]",
]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(config_schema())
    assert config_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("text", [*BLOCKS.values(), *OTHER_SPELLINGS], ids=[*BLOCKS, *OTHER_SPELLINGS])
def test_the_schema_accepts_what_loads(text: str) -> None:
    parse_config(text)
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("text", NOT_VALID)
def test_the_schema_refuses_what_does_not_load(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_config(text)
    assert not VALIDATOR.is_valid(yaml.safe_load(text))


def _properties(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}", inner
        yield from _properties(inner, f"{path}.{name}")
    for name, inner in schema.get("$defs", {}).items():
        yield from _properties(inner, name)


@pytest.mark.parametrize(("path", "schema"), list(_properties(config_schema())))
def test_every_key_is_explained(path: str, schema: dict[str, Any]) -> None:
    assert schema.get("description", "").endswith("."), path


def test_a_caller_cannot_change_the_schema_for_others() -> None:
    config_schema()["properties"].clear()
    assert config_schema()["properties"]


def test_the_keys_of_a_place_are_known() -> None:
    assert "approval" in known_keys(("sandbox", "paths", "any name"))
    assert "pattern" in known_keys(("shell_rules", 3))
    assert known_keys(("custom_tools", "any name")) == ("approval", "confined")
    assert known_keys(("sandbox", "paths")) == ()
