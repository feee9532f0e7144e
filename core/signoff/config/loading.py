"""Reading a settings file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from signoff.config.models import AgentConfig
from signoff.config.schema import known_keys
from signoff.config.spellings import Respelled, respell
from signoff.setting_files.document import read_document
from signoff.setting_files.errors import ConfigError
from signoff.setting_files.paths import KeyPath, unknown_key
from signoff.setting_files.text import read_text
from signoff.tools.setting_faults import in_words

__all__ = ["load_config", "parse_config", "parse_with_marks"]


def load_config(path: str | os.PathLike[str]) -> AgentConfig:
    """Read a settings file.

    Args:
        path: The file: YAML, UTF-8.

    Raises:
        ConfigError: It cannot be read or is not valid; every problem is named with its line and key.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, name: str = "settings") -> AgentConfig:
    """Read the text of a settings file.

    Args:
        text: YAML.
        name: What messages call it, such as its path.

    Raises:
        ConfigError: It is not valid; every problem is named with its line and key.
    """
    return parse_with_marks(text, name)[0]


def parse_with_marks(text: str, name: str) -> tuple[AgentConfig, Respelled]:
    """Like `parse_config`, and tells where in the file each value stands.

    Raises:
        ConfigError: It is not valid.
    """
    document = read_document(text, name)
    respelled = respell(document)
    try:
        config = AgentConfig.model_validate(respelled.values)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            _complain(respelled, fault)
        raise ConfigError(document.problems) from None
    if document.problems:
        raise ConfigError(document.problems)
    return config, respelled


def _complain(respelled: Respelled, fault: Mapping[str, Any]) -> None:
    """Put what pydantic says into our words, at the place in the file."""
    document = respelled.document
    path = respelled.as_written(_in_values(respelled, tuple(fault["loc"]), fault["type"]))
    if fault["type"] == "missing":
        document.complain(path[:-1], f'"{path[-1]}" is missing')
        return
    if document.complained(path):
        return
    document.complain(path, _in_words(path, fault))


def _in_values(respelled: Respelled, loc: KeyPath, kind: str) -> KeyPath:
    """The part of a location that is a path: pydantic adds names of its own, as for the choices of a union."""
    path: KeyPath = ()
    for key in loc:
        if respelled.has((*path, key)):
            path = (*path, key)
    return (*path, loc[-1]) if kind == "missing" else path


def _in_words(path: KeyPath, fault: Mapping[str, Any]) -> str:
    match fault["type"]:
        case "extra_forbidden":
            return unknown_key(str(path[-1]), known_keys(path[:-1]))
        case "string_type":
            return f"{in_words(fault)}; put it in quotes if it is one"
    return in_words(fault)
