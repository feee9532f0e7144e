"""The rows of the inbox: whatever is told of a request, its columns stand below those of the others."""

from __future__ import annotations

import pytest
from model_samples import CASCADE, START, news, rejected, stored

from signoff.present.document.text import text_document
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.review.rows import RowStyle, inbox_row
from signoff_tui.state.documents import Content, content_key
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import paint
from signoff_tui.text.look import UNICODE
from signoff_tui.text.themes import DEFAULT_THEME, builtin_themes


def row_text(desk: ReviewSession, id_: str, width: int, *, held: str = "") -> str:
    """The row of a request as it is drawn."""
    style = RowStyle(UNICODE, START, two_lines=False, held_text=lambda request_id: held)
    row = next(row for row in desk.inbox.rows() if row.key == RowKey("request", id_))
    (drawn,) = inbox_row(desk, row, style, width, focused=False)
    return paint(drawn, width, builtin_themes()[DEFAULT_THEME]).text


@pytest.mark.parametrize(("width", "told"), [(80, "stopped with its batch"), (50, "stopped    ")])
def test_what_was_stopped_with_others_keeps_its_name_where_there_is_little_room(width: int, told: str) -> None:
    desk, name = ReviewSession(GuardSettings(), KeyMap(), lambda: 0.0, "you"), "Create an issue about it"
    asked = stored("a", description=name)
    for request in (asked, rejected(asked, source=CASCADE)):
        desk.apply(news(request))
    row = row_text(desk, "a", width)
    assert name in row
    assert told in row


@pytest.mark.parametrize("held", ["held 2s", "held 12s"])
@pytest.mark.parametrize("width", [50, 63, 64, 80])
def test_the_columns_of_a_held_row_stand_where_they_stood(width: int, held: str) -> None:
    desk = ReviewSession(GuardSettings(), KeyMap(), lambda: 0.0, "you")
    desk.apply(news(stored("a", agent="refactorer", description="Create an issue")))
    documents = (text_document("line\n"),)
    desk.take_content(Content(content_key(desk.inbox.entry("a").request), documents, 1, 12, 3, True, (), True))
    before, after = row_text(desk, "a", width), row_text(desk, "a", width, held=held)
    ends = [text.index("+12 -3") + len("+12 -3") for text in (before, after)]
    assert ends[0] == ends[1], f"{before}\n{after}"
    assert before[-5:] == after[-5:], f"{before}\n{after}"  # how much was seen
    assert f" {held} " in after
