"""A pattern of commands by their first words covers harmless continuations of them, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.queue import GrantPattern, PatternError
from signoff.queue.grant_pattern import Beginning

GIT_DIFF = Beginning(("git", "diff"))


@pytest.mark.parametrize(
    "line",
    [
        "git diff",
        "git diff HEAD~1",
        "git diff --stat src",
        "git  diff",
        "git 'diff'",
        "git diff && git diff --stat",
    ],
)
def test_it_covers_commands_that_go_on_harmlessly(line: str) -> None:
    assert GIT_DIFF.matches(line)


@pytest.mark.parametrize(
    "line",
    [
        "git",
        "git status",
        "git difftool",
        "git -c core.pager=evil diff",
        "gitdiff",
        "git diff > out.txt",
        "git diff | sh",
        "git diff; rm -rf build",
        "git diff && make",
        "git diff $(rm -rf build)",
        "git diff `id`",
        "git diff --output=/etc/passwd",
        "git diff --ext-diff",
        "sudo git diff",
        "PATH=. git diff",
        "git diff 'unfinished",
        "git diff\nrm -rf build",
        "",
    ],
)
def test_it_covers_nothing_else(line: str) -> None:
    assert not GIT_DIFF.matches(line)


@pytest.mark.parametrize(
    "line", ["psql db <<'E'\nDROP TABLE t\nE", "psql db < x", "psql db <<< x", "(psql db) < x"]
)
def test_it_covers_no_input_that_the_program_may_obey(line: str) -> None:
    assert Beginning(("psql", "db")).matches("psql db")
    assert not Beginning(("psql", "db")).matches(line)


@pytest.mark.parametrize("value", [None, 1, ["git", "diff"], {"command": "git diff"}, True])
def test_it_covers_no_value_that_is_no_text(value: object) -> None:
    assert not GIT_DIFF.matches(value)


@pytest.mark.parametrize("words", [(), ("",), ("git", "")])
def test_it_needs_words(words: tuple[str, ...]) -> None:
    with pytest.raises(PatternError, match="needs words"):
        Beginning(words)


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_as_json_it_comes_back_the_same(words: list[str]) -> None:
    pattern = GrantPattern("shell", (("command", Beginning(tuple(words))),))
    assert GrantPattern.from_json(pattern.to_json()) == pattern


@given(st.sampled_from(["git diff", "ls", "pytest -q"]), st.text(alphabet="ab/.- ;|&><$`'\"\n(){}*", max_size=12))
def test_a_longer_beginning_covers_no_more_than_a_shorter_one(first: str, rest: str) -> None:
    words = tuple(first.split())
    line = f"{first} {rest}"
    if Beginning(words).matches(line):
        assert Beginning(words[:1]).matches(line)


@pytest.mark.parametrize(
    "value", [{"begins": []}, {"begins": "git diff"}, {"begins": [1]}, {"begins": ["a"], "x": 1}]
)
def test_another_form_is_refused(value: object) -> None:
    with pytest.raises(PatternError):
        GrantPattern.from_json({"tool": "shell", "payload": {"command": value}})


def test_it_is_told_in_words() -> None:
    pattern = GrantPattern("shell", (("command", GIT_DIFF),))
    assert "git diff" in pattern.words()
    assert "begins with" in pattern.words()
