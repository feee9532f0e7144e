"""Python source as a syntax tree, for several threads."""

from __future__ import annotations

import ast
import threading

__all__ = ["syntax_tree"]

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
