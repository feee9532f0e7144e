"""What the tests of the screen share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from signoff_tui.screens.review.rows import RowCache, RowStyle, inbox_row
from signoff_tui.state.inbox import InboxRow
from signoff_tui.text.lines import Line


@pytest.fixture(scope="session", autouse=True)
def _style_sheets_are_parsed_once() -> Iterator[None]:
    """Every app parses the same style sheets, more than once; that took a tenth of the time of all tests."""
    known: dict[object, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules
    last: tuple[dict[str, str], frozenset[tuple[str, str]]] = ({}, frozenset())

    def colors(variables: dict[str, str]) -> frozenset[tuple[str, str]]:
        nonlocal last  # one sheet after the other is read with the same, which no one changes
        if last[0] is not variables:
            last = variables, frozenset(variables.items())
        return last[1]

    def parse_once(self: Stylesheet, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (arguments, tuple(options.items()), colors(self._variables))
        if key not in known:
            known[key] = parse(self, *arguments, **options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture(autouse=True)
def _rows_that_are_kept_say_what_they_would_say_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list keeps rows until something that they say has changed: compared in every picture of every test."""
    kept = RowCache.line

    def line(self: RowCache, row: InboxRow, style: RowStyle, width: int, *, focused: bool) -> tuple[Line, ...]:
        found = kept(self, row, style, width, focused=focused)
        assert found == inbox_row(self._desk, row, style, width, focused=focused)
        return found

    monkeypatch.setattr(RowCache, "line", line)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's configuration directory of signoff."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "signoff"
