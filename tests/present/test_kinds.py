"""Kinds of what is shown: a new one is forgotten nowhere, and what is none is shown as text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from document_reading import texts

from signoff.present.document.build import presentation_documents
from signoff.present.kinds import PresentationKind, SentKind, sent_command, sent_kind, undeclared_kind
from signoff.types import PresentationType

ROOT = Path(__file__).parents[2]


@cache
def sources() -> dict[str, str]:
    """Every file of the product, by its name."""
    files = (path for folder in ("core", "tui") for path in (ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): path.read_text() for path in files}


# -- a new kind: mypy names each place that forgets it, if every place is written like this ------------------


def places(found: Callable[[ast.AST], bool], *, word: str = "kind") -> list[str]:
    """Where something is found, in files that say a word without which it cannot be."""
    return [
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, text in sources().items()
        if word in text
        for node in ast.walk(ast.parse(text))
        if found(node)
    ]


def is_about_kinds(node: ast.AST) -> bool:
    return "PresentationKind." in ast.unparse(node)


def test_every_match_of_kinds_checks_that_none_is_missing() -> None:
    def forgets(node: ast.AST) -> bool:
        if not isinstance(node, ast.Match) or not any(is_about_kinds(case.pattern) for case in node.cases):
            return False
        last = node.cases[-1]
        return not (ast.unparse(last.pattern) == "_" and ast.unparse(last.body).startswith("assert_never("))

    assert places(forgets) == []


def test_kinds_are_told_apart_in_no_other_way() -> None:
    def compares(node: ast.AST) -> bool:
        match node:
            case ast.Compare(left=left, comparators=others):
                return any(map(is_about_kinds, [left, *others])) or (
                    ast.unparse(left).endswith("document.kind")
                    and any(f"'{kind}'" in ast.unparse(other) for kind in PresentationKind for other in others)
                )
            case ast.Dict(keys=keys):
                return any(key is not None and is_about_kinds(key) for key in keys)
        return False

    assert places(compares) == []


def test_what_a_tool_says_of_its_kind_is_read_in_one_place() -> None:
    reads = ("presentation.get('type')", "sent.get('type')", "presentation['type']")
    found = places(lambda node: isinstance(node, ast.expr) and ast.unparse(node).endswith(reads), word="type")
    assert {place.partition(":")[0] for place in found} == {"core/signoff/present/kinds.py"}


# -- what tools send -----------------------------------------------------------------------------------------

UNKNOWN: list[Any] = ["chart", "", "DIFF", "binary", None, 1, ["diff"], {"diff": 1}]
"""Types that are none. Content that cannot be shown is found by looking, so no tool can say that it is."""


def test_tools_can_send_the_kinds_that_the_models_allow_and_no_other() -> None:
    sendable = {kind for kind in PresentationKind if sent_kind({"type": kind.value})}
    assert sendable == {*get_args(SentKind)} == {*get_args(PresentationType)}


@pytest.mark.parametrize("kind", UNKNOWN, ids=repr)
def test_an_unknown_kind_is_shown_as_text_of_which_every_line_counts(kind: Any) -> None:
    (document,) = presentation_documents({"type": kind, "content": "+a\n$ b"}, cwd="/project")
    assert texts(document) == ["sent by the tool", "+a", "$ b"]
    assert (document.kind, document.units) == (PresentationKind.TEXT, 2)


@pytest.mark.parametrize("kind", [*UNKNOWN, "diff", "file_content"], ids=repr)
def test_without_effects_what_a_tool_shows_makes_no_file_of_a_call(kind: Any) -> None:
    sent = {"type": kind, "content": "ls"}
    assert (undeclared_kind(sent), sent_command(sent)) == (PresentationKind.STRUCTURED, None)
