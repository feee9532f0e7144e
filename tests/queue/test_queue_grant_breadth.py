"""How wide a pattern is, compared with the call that it was given for."""

from __future__ import annotations

import pytest

from signoff.queue import GrantPattern
from signoff.queue.grant_coverage import Breadth, reach_of_pattern
from signoff.queue.grant_pattern import AnyValue, Under


@pytest.mark.parametrize(
    ("matchers", "breadth"),
    [
        ({}, Breadth.EXACT),
        ({"path": Under("docs")}, Breadth.PATTERN),
        ({"path": AnyValue()}, Breadth.PATTERN),
        ({"path": AnyValue(), "mode": AnyValue()}, Breadth.EVERYTHING),
    ],
    ids=["exact", "below", "one free", "all free"],
)
def test_how_wide_a_pattern_is(matchers: dict[str, AnyValue | Under], breadth: Breadth) -> None:
    payload = {"path": "docs/a.md", "mode": "w"}
    pattern = GrantPattern.exactly("write_file", payload)
    for key, matcher in matchers.items():
        pattern = pattern.widened(key, matcher)
    assert reach_of_pattern(pattern, payload, payload).breadth is breadth


def test_a_pattern_that_leaves_only_a_container_fixed_is_wide() -> None:
    payload = {"sandbox": "docs", "path": "a.md"}
    pattern = GrantPattern.exactly("write_file", payload).widened("path", AnyValue())
    assert reach_of_pattern(pattern, payload, {"path": "a.md", "content": "x"}).breadth is Breadth.WIDE
