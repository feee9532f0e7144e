"""Syntax trees are built by one thread at a time."""

from __future__ import annotations

import ast
import threading

import pytest

from signoff.config.python_source import syntax_tree


def test_no_two_threads_build_a_tree_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, at_work, most = ast.parse, 0, 0

    def counted(source: str) -> ast.Module:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        parsed.wait(0.05)  # another one could begin now
        at_work -= 1
        return parse(source)

    parsed = threading.Event()
    monkeypatch.setattr(ast, "parse", counted)
    threads = [threading.Thread(target=syntax_tree, args=("a = 1",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
