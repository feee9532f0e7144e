"""Python source as a syntax tree, for several threads."""

from __future__ import annotations

import ast
import inspect
import textwrap
import threading

__all__ = ["class_tree", "syntax_tree"]

_ONE_AT_A_TIME = threading.Lock()
"""CPython 3.11 counts the depth of trees in one place for all threads: if a finalizer lets another build one
meanwhile, it raises SystemError, "AST constructor recursion depth mismatch"."""


def syntax_tree(source: str | bytes) -> ast.Module:
    """Parse a module.

    Args:
        source: Its text.

    Raises:
        SyntaxError: It is no Python.
        ValueError: It has null bytes.
        RecursionError, MemoryError: It is nested too deeply.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source)


def class_tree(defined: type) -> ast.ClassDef:
    """Parse the definition of a class.

    Args:
        defined: A class of a module whose source is there.

    Raises:
        OSError: Its source is not there.
    """
    with _ONE_AT_A_TIME:  # finding the source of a class builds the tree of its module
        (found,) = ast.parse(textwrap.dedent(inspect.getsource(defined))).body
    assert isinstance(found, ast.ClassDef)
    return found
