"""The table of the source documents names every test of them, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_names_exactly_the_tests_that_are_there() -> None:
    guide = (ROOT / "docs" / "source-documents.md").read_text(encoding="utf-8")
    named = re.findall(r"\| `(test_\w+)` \|", guide)
    there = [
        node.name
        for path in sorted((ROOT / "tests" / "seeds").glob("test_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert named == there
