"""The words for how far a remembered approval goes say exactly that."""

from __future__ import annotations

import pytest

from signoff.policy.grant_scope import reach_of_pattern
from signoff.queue.grant_pattern import AnyValue, Exact, GrantPattern, Matcher, Under
from signoff_tui.screens.memory.lines import applies_to
from signoff_tui.text.grants import (
    any_words,
    ends_words,
    limits_words,
    names_directory,
    where_words,
)

FILE = {"sandbox": "shop", "path": "src/app/api.py"}
SANDBOX, FILE_PATH = Exact.of("shop"), Exact.of("src/app/api.py")


@pytest.mark.parametrize(
    ("payload", "free", "named"),
    [
        ({"command": "ls", "cwd": "/srv/shop"}, (), True),
        ({"command": "ls", "cwd": "C:\\shop"}, (), True),
        ({"command": "ls"}, (), False),
        ({"command": "ls", "cwd": "shop"}, (), False),
        ({"command": "ls", "cwd": None}, (), False),
        ({"command": "ls", "cwd": "/srv/shop"}, {"cwd"}, False),
    ],
    ids=["named", "named on Windows", "not said", "relative", "nothing", "may be anything"],
)
def test_only_a_whole_path_in_the_payload_binds_to_a_directory(
    payload: dict[str, object], free: set[str], named: bool
) -> None:
    assert names_directory(payload, free) == named


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ([True, True], "only in the directory named here"),
        ([False], "from any directory"),
        ([True, False], "from any directory where none is named"),
    ],
    ids=["all", "none", "some"],
)
def test_several_are_said_to_be_bound_only_if_each_is(named: list[bool], words: str) -> None:
    assert where_words(named) == words


@pytest.mark.parametrize("bound", [(True,), (True, False)])
def test_an_early_end_is_said_in_fewer_words_where_there_is_less_room(bound: tuple[bool, ...]) -> None:
    wordings = ends_words(bound)
    assert all("definition" in words for words in wordings)
    assert [len(words) <= room for words, room in zip(wordings, (88, 68, 38, 28), strict=True)] == [True] * 4


def test_what_is_bound_to_no_definition_ends_with_the_session() -> None:
    assert ends_words([False]) == ("with the session; HIGH risk still asks",)


def of_file(path: Matcher, sandbox: Matcher = SANDBOX) -> GrantPattern:
    return GrantPattern("write_file", (("path", path), ("sandbox", sandbox)))


@pytest.mark.parametrize("spelled", ["src/app/api.py", "./src/app/api.py"], ids=["as compared", "otherwise"])
@pytest.mark.parametrize(
    ("pattern", "limits"),
    [
        (of_file(Under("src")), "only path and sandbox limit it"),
        (of_file(AnyValue()), "only sandbox limits it"),
        (of_file(FILE_PATH, AnyValue()), "only path limits it"),
        (of_file(AnyValue(), AnyValue()), "nothing limits it"),
    ],
    ids=["below", "any path", "any sandbox", "anything"],
)
def test_what_limits_a_pattern_is_named_and_what_may_be_anything_is_not(
    pattern: GrantPattern, limits: str, spelled: str
) -> None:
    reach = reach_of_pattern(pattern, FILE, {"path": spelled, "content": "x"})
    assert limits_words(reach.breadth, pattern) == f"{reach.breadth}: {limits}"


def test_an_argument_that_the_tool_spells_otherwise_is_not_said_to_be_anything() -> None:
    reach = reach_of_pattern(of_file(FILE_PATH), FILE, {"path": "./src/app/api.py", "content": "x"})
    assert any_words(reach, FILE) == ["ANY content"]


@pytest.mark.parametrize(
    ("cwd", "where"),
    [
        (Exact.of("/srv/shop"), "only in the directory named here"),
        (Under("/srv"), "only in directories as said here"),
        (AnyValue(), "from any directory"),
    ],
    ids=["one", "below", "any"],
)
def test_a_pattern_says_from_which_directories_calls_run(cwd: Matcher, where: str) -> None:
    pattern = GrantPattern("run_command", (("command", Exact.of("ls")), ("cwd", cwd)))
    words = applies_to("s-1", {"command": "ls", "cwd": "/srv/shop"}, pattern)
    assert words == f"any agent of session s-1, {where}"
