"""What a ``tools.py`` defines, found by reading it: its code is never run here."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TOOLS_FILE", "DefinedTool", "UnreadableToolsError", "defined_tools"]

TOOLS_FILE = "tools.py"
"""Name of the file beside the settings."""

_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DefinedTool:
    """A name that a module has once it is loaded.

    Attributes:
        line: Where it is defined, from 1.
        function: Whether it is written as a function; else it is imported or assigned, and may be anything.
        marked: Whether it carries `requires_approval`, as far as can be seen.
    """

    line: int
    function: bool
    marked: bool


class UnreadableToolsError(Exception):
    """The file is not there, or is no Python; its text says which."""


def defined_tools(path: Path) -> dict[str, DefinedTool]:
    """Find the names at the top level of a module, those inside ``if`` and ``try`` too.

    Args:
        path: The file.

    Raises:
        UnreadableToolsError: It cannot be read or parsed.
    """
    try:
        with path.open("rb") as file:
            source = file.read(_LARGEST + 1)
        if len(source) > _LARGEST:
            raise UnreadableToolsError(f"is larger than {_LARGEST} bytes")
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(source)
    except FileNotFoundError:
        raise UnreadableToolsError("is not there") from None
    except OSError as error:
        raise UnreadableToolsError(f"cannot be read: {error.strerror}") from None
    except SyntaxError as error:
        raise UnreadableToolsError(f"is no Python: {error.msg}, line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableToolsError("is no Python") from None
    return {name: tool for statement in _statements(module.body) for name, tool in _defined(statement)}


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
            marked = any(map(_is_mark, statement.decorator_list))
            yield statement.name, DefinedTool(line, function=True, marked=marked)
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                yield alias.asname or alias.name, DefinedTool(line, function=False, marked=False)
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, DefinedTool(line, function=False, marked=False)


def _is_mark(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
    return name == "requires_approval"
