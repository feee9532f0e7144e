"""The words for how far a remembered approval goes say exactly that."""

from __future__ import annotations

import pytest

from signoff_tui.covering import names_directory, where_words


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
