"""Reading a settings file, whole or not at all, and its ``tools.py`` without running it."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from signoff.config.models import AgentConfig, Respelled, respell
from signoff.config.python_source import syntax_tree
from signoff.config.schema import known_keys
from signoff.settings_yaml import ConfigError, KeyPath, read_document, read_text, unknown_key
from signoff.tools.setting_faults import in_words

__all__ = [
    "TOOLS_FILE",
    "DefinedTool",
    "UnreadableToolsError",
    "defined_tools",
    "load_config",
    "parse_config",
    "parse_with_marks",
]


def load_config(path: str | os.PathLike[str]) -> AgentConfig:
    """Read a settings file.

    Args:
        path: The file: YAML, UTF-8.

    Raises:
        ConfigError: The file cannot be read or is not valid; every problem is named with its line and key.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, name: str = "settings") -> AgentConfig:
    """Read the text of a settings file.

    Args:
        text: YAML.
        name: Its name in messages, such as its path.

    Raises:
        ConfigError: The text is not valid; every problem is named with its line and key.
    """
    return parse_with_marks(text, name)[0]


def parse_with_marks(text: str, name: str) -> tuple[AgentConfig, Respelled]:
    """Parse as `parse_config` does, and return the places of values in the file, too.

    Raises:
        ConfigError: The text is not valid.
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
    """Word a fault that pydantic found, and note it at its place in the file."""
    document = respelled.document
    path = respelled.as_written(_in_values(respelled, tuple(fault["loc"]), fault["type"]))
    if fault["type"] == "missing":
        document.complain(path[:-1], f'"{path[-1]}" is missing')
        return
    if document.complained(path):
        return
    document.complain(path, _in_words(path, fault))


def _in_values(respelled: Respelled, loc: KeyPath, kind: str) -> KeyPath:
    """The part of a location that is a path: pydantic adds names, such as those of choices of a union."""
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


# -- The definitions of a ``tools.py``, found by reading it: its code is never run here.

TOOLS_FILE = "tools.py"
"""Name of the file with custom tools, beside the settings."""

_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DefinedTool:
    """A name that a module has once it is loaded.

    Attributes:
        line: The line of its definition, from 1.
        function: True if it is written as a function; else it is imported or assigned, and may be anything.
        marked: True if `requires_approval` is written above it.
        doubt: Reason why the loaded function may differ from `marked`, in words; None if it cannot.
    """

    line: int
    function: bool
    marked: bool
    doubt: str | None


class UnreadableToolsError(Exception):
    """The file does not exist, or is not Python; the text says which."""


def defined_tools(path: Path) -> dict[str, DefinedTool]:
    """Find the names at the top level of a module, those inside ``if`` and ``try`` too.

    Args:
        path: The file.

    Raises:
        UnreadableToolsError: The file cannot be read or parsed.
    """
    try:
        with path.open("rb") as file:
            source = file.read(_LARGEST + 1)
        if len(source) > _LARGEST:
            raise UnreadableToolsError(f"is larger than {_LARGEST} bytes")
        with warnings.catch_warnings(action="ignore"):
            module = syntax_tree(source)
    except FileNotFoundError:
        raise UnreadableToolsError("is not there") from None
    except OSError as error:
        raise UnreadableToolsError(f"cannot be read: {error.strerror}") from None
    except SyntaxError as error:
        raise UnreadableToolsError(f"is no Python: {error.msg}, line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableToolsError("is no Python") from None
    found: dict[str, DefinedTool] = {}
    for statement in _statements(module.body):
        for name, tool in _defined(statement):
            found[name] = _after(found.get(name), tool)
    return found


def _after(before: DefinedTool | None, tool: DefinedTool) -> DefinedTool:
    """The definition of a name that may replace an earlier one; only running the code shows which holds."""
    if before is None or (before.doubt is None and before.marked == tool.marked):
        return tool
    return replace(tool, doubt=tool.doubt or "it is defined in several ways")


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for inner in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try | ast.TryStar | ast.With):
                yield from _statements(getattr(statement, inner, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


def _defined(statement: ast.stmt) -> Iterator[tuple[str, DefinedTool]]:
    line = statement.lineno
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            marks = [_is_mark(decorator) for decorator in statement.decorator_list]
            doubt = None if all(marks) else "it has other decorators"
            yield statement.name, DefinedTool(line, function=True, marked=any(marks), doubt=doubt)
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                yield alias.asname or alias.name, _made_elsewhere(line)
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, _made_elsewhere(line)


def _made_elsewhere(line: int) -> DefinedTool:
    return DefinedTool(line, function=False, marked=False, doubt="it is not written as a function there")


def _is_mark(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
    return name == "requires_approval"
