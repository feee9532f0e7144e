"""What is said more than once: a file that people write too, and the texts of one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.settings_yaml import ConfigError
from signoff_tui.screens.review.open_bar import Picking
from signoff_tui.state.message import as_message
from signoff_tui.state.replies import DEFAULT_REPLIES, EarlierTexts, Replies, parse_replies


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "replies.yaml"


def test_there_are_some_to_begin_with(file: Path) -> None:
    assert Replies(file).all() == DEFAULT_REPLIES


def test_what_is_kept_is_there_the_next_time_and_nobody_else_can_read_it(file: Path) -> None:
    assert Replies(file).keep(" use yarn\nnot npm \n")
    assert Replies(file).all() == (*DEFAULT_REPLIES, "use yarn\nnot npm")
    assert file.stat().st_mode & 0o777 == 0o600
    assert [*file.parent.iterdir()] == [file]


def test_what_a_person_wrote_into_the_file_stays(file: Path) -> None:
    file.parent.mkdir()
    own = "# mine\n- use yarn\n- |\n  two\n  lines"
    file.write_text(own)
    assert Replies(file).keep("not this file")
    assert file.read_text().startswith(own)
    assert Replies(file).all() == ("use yarn", "two\nlines", "not this file")


@pytest.mark.parametrize("text", ["use yarn", " use yarn ", "", " \n "])
def test_nothing_is_kept_twice_and_nothing_empty_at_all(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text("- use yarn\n")
    assert not Replies(file).keep(text)
    assert file.read_text() == "- use yarn\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("use yarn\n", "must be a list of texts"),
        ("- use yarn\n- 3\n", "must be a text, not 3"),
        ('- "\\u200b"\n', "must be a text"),
        ("- [\n", "replies"),
    ],
)
def test_a_file_that_is_not_valid_says_where(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_replies(text)


def test_a_list_in_another_style_is_not_broken_by_keeping_one(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[use yarn, not this file]\n")
    with pytest.raises(ConfigError):
        Replies(file).keep("smaller steps")
    assert file.read_text() == "[use yarn, not this file]\n"


@given(text=st.text(max_size=40))
def test_whatever_can_be_written_can_be_kept_and_read_again(text: str) -> None:
    replies = Replies()
    wanted = as_message(text).strip()
    if replies.keep(text):
        assert replies.all()[-1] == wanted
    else:
        assert not wanted or wanted in DEFAULT_REPLIES


def test_earlier_texts_about_the_same_tool_come_first_and_each_once() -> None:
    earlier = EarlierTexts()
    for tool, text in [
        ("shell", "a"),
        ("write", "b"),
        ("shell", "c"),
        ("shell", "a"),
        ("write", "c"),
        ("shell", " "),
    ]:
        earlier.add(tool, text)
    assert earlier.for_tool("shell") == ("a", "c", "b")
    assert earlier.for_tool("write") == ("c", "b", "a")


def test_the_mark_goes_through_all_replies_and_what_is_listed_goes_with_it() -> None:
    picking = Picking(("a", "b", "c"), most=2)
    down = picking.moved(2)
    assert (down.listed, down.chosen("enter"), down.chosen("1")) == (("b", "c"), "c", "b")
    assert down.moved(1) == down
    assert down.moved(-1).listed == ("b", "c")
    assert down.moved(-9) == picking


def test_the_next_replies_begin_with_the_mark_on_the_first() -> None:
    behind = Picking(("a", "b", "c"), most=2).next()
    assert behind is not None
    assert (behind.listed, behind.chosen("enter")) == (("c",), "c")
