"""What a ``tools.py`` defines, found by reading it: its code is never run here."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
        marked: Whether `requires_approval` is written above it.
        doubt: Why `marked` does not tell whether the loaded function has the mark, in words; None if it does.
    """

    line: int
    function: bool
    marked: bool
    doubt: str | None


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
    found: dict[str, DefinedTool] = {}
    for statement in _statements(module.body):
        for name, tool in _defined(statement):
            found[name] = _after(found.get(name), tool)
    return found


def _after(before: DefinedTool | None, tool: DefinedTool) -> DefinedTool:
    """A definition that may take the place of another; which of them runs is decided by code."""
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
