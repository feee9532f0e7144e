"""A rule file that is not what was trusted any more is told on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import screen

from signoff.policy.trust import trust


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "signoff.yaml"
    path.write_bytes(b"a: 1\n")
    trust({str(path): b"a: 1\n"})
    return path


def change(rules: Path) -> None:
    rules.write_bytes(b"a: 2\n")


async def test_a_change_before_the_start_is_told(place: Path, rules: Path) -> None:
    change(rules)
    async with screen(place) as seen:
        await seen.shows("rules changed since you trusted them: signoff.yaml")


async def test_a_change_while_the_screen_is_open_is_told(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        assert "changed since" not in seen.text
        change(rules)
        await seen.shows("rules changed since you trusted them")


async def test_what_is_as_it_was_trusted_is_not_told(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        assert "changed since" not in seen.text
