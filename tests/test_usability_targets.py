"""The table of usability targets: it has all of them, and the tests that it names exist."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def named() -> Iterator[dict[str, tuple[str, ...]]]:
    """The tests that each target names."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("tui", "tui/screens", "system"):
            patch.syspath_prepend(HERE / folder)
        from benchmarks.usability.all_targets import TARGETS

        yield {target.id: target.tests for target in TARGETS}
    for module in [name for name in sys.modules if name.startswith("benchmarks.usability")]:
        del sys.modules[module]


def test_every_target_has_one_row(named: dict[str, tuple[str, ...]]) -> None:
    assert list(named) == [f"UT-{number:02}" for number in range(1, 39)]


def test_every_test_that_is_named_exists(named: dict[str, tuple[str, ...]]) -> None:
    missing = [test for tests in named.values() for test in tests if not exists(test)]
    assert missing == []


def exists(test: str) -> bool:
    """Whether there is a test of that name; a file stands for all tests in it."""
    file, _, name = test.partition("::")
    path = HERE / file
    return path.is_file() and (
        not name or re.search(rf"^(async )?def {name}\(", path.read_text(), re.MULTILINE) is not None
    )
