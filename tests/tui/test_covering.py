"""The words for how far a remembered approval goes say exactly that."""

from __future__ import annotations

import pytest

from signoff_tui.covering import ends_words, names_directory, where_words


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
