"""Syntax trees are built by one thread at a time."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from signoff.config import python_source
from signoff.config.models import AgentConfig
from signoff.config.python_source import class_tree, syntax_tree

Locked = list[bool]


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Locked:
    """Tells of each step that may build a tree whether other threads had to wait."""
    found: Locked = []

    def watched(name: str, owner: Any) -> None:
        step = getattr(owner, name)

        def noted(*arguments: Any, **named: Any) -> Any:
            found.append(python_source._ONE_AT_A_TIME.locked())
            return step(*arguments, **named)

        monkeypatch.setattr(owner, name, noted)

    watched("parse", ast)
    watched("getsource", inspect)
    return found


def test_a_module_is_parsed_while_no_other_thread_parses(locked: Locked) -> None:
    assert isinstance(syntax_tree("a = 1"), ast.Module)
    assert locked == [True]


def test_a_class_is_found_and_parsed_while_no_other_thread_parses(locked: Locked) -> None:
    assert class_tree(AgentConfig).name == "AgentConfig"
    assert len(locked) >= 2
    assert all(locked)


@pytest.mark.parametrize("source", ["def", "a\0", "(" * 2_000])
def test_after_a_source_that_is_no_python_others_can_be_parsed(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError, MemoryError, RecursionError)):
        syntax_tree(source)
    assert isinstance(syntax_tree("a = 1"), ast.Module)
