"""The rows of the inbox: whatever is told of a request, its columns stand below those of the others."""

from __future__ import annotations

import pytest
from model_samples import CASCADE, START, approved, news, rejected, stored

from signoff.present.document.text import text_document
from signoff.queue.amendment import Instead
from signoff.queue.records import RequestState, StoredRequest
from signoff.queue.wording import NOT_RUN, agent_is_gone
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.review.rows import RowCache, RowStyle, inbox_row
from signoff_tui.state.documents import Content, content_key
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import paint
from signoff_tui.text.look import UNICODE
from signoff_tui.text.themes import DEFAULT_THEME, builtin_themes

SECOND = 1_000_000


def desk_with(*requests: StoredRequest) -> ReviewSession:
    desk = ReviewSession(GuardSettings(), KeyMap(), lambda: 0.0, "you")
    for request in requests:
        desk.apply(news(request))
    return desk


def row_texts(desk: ReviewSession, width: int, *, held: str = "", now: int = START) -> list[str]:
    """The rows of the list as they are drawn."""
    style = RowStyle(UNICODE, now, held_text=lambda request_id: held)
    theme = builtin_themes()[DEFAULT_THEME]
    drawn = [inbox_row(desk, row, style, width, focused=False) for row in desk.inbox.rows()]
    return [paint(line, width, theme).text for (line,) in drawn]


def changes(desk: ReviewSession, id_: str, added: int, removed: int) -> None:
    key = content_key(desk.inbox.entry(id_).request)
    desk.take_content(Content(key, (text_document("line\n"),), 1, added, removed, True, (), True))


@pytest.mark.parametrize(("width", "told"), [(80, "stopped with its turn"), (50, "stopped")])
def test_what_was_stopped_with_others_keeps_its_name_where_there_is_little_room(width: int, told: str) -> None:
    asked = stored("a", description="Create an issue about it")
    (row,) = row_texts(desk_with(asked, rejected(asked, source=CASCADE)), width)
    assert "Create an issue about it" in row
    assert told in row
    assert " --- " in row


NAME = "Create an issue about it"


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (approved(stored("a", description=NAME), by="somebody"), ("approved", "approved by somebody")),
        (
            stored("a", description=NAME, state=RequestState.EXPIRED, expires_at=START + 61 * SECOND),
            ("expired", "expired after 1:00"),
        ),
        (
            stored("a", description=NAME, state=RequestState.SUPERSEDED),
            ("superseded", "superseded by a newer revision"),
        ),
        (stored("a", description=NAME, state=RequestState.WITHDRAWN), ("withdrawn", "withdrawn by the agent")),
    ],
    ids=["approved", "expired", "superseded", "withdrawn"],
)
def test_a_shortened_state_ends_with_a_word_that_says_something(
    ended: StoredRequest, said: tuple[str, ...]
) -> None:
    desk = desk_with(stored("a", description=NAME), ended)
    texts = [row_texts(desk, width)[0].rstrip() for width in range(40, 80)]
    assert {text.endswith(said) for text in texts} == {True}, texts


@pytest.mark.parametrize("width", range(30, 60))
def test_a_number_keeps_its_unit_however_long_the_name_is(width: int) -> None:
    desk = desk_with(stored("a", description="Create an issue " * 9))
    assert row_texts(desk, width, held="3 s")[0].rstrip().endswith(" 3 s")


def test_what_was_not_run_says_so_however_little_room_there_is() -> None:
    name = "Create an issue " * 9
    ended = stored("a", description=name, state=RequestState.SUPERSEDED, note=f"{NOT_RUN}: changed")
    desk = desk_with(stored("a", description=name), ended)
    assert all("NOT RUN" in row_texts(desk, width)[0] for width in range(30, 120))


@pytest.mark.parametrize("held", ["2 s", "12 s"])
@pytest.mark.parametrize("width", [40, 50, 63, 80])
def test_the_columns_of_a_held_row_stand_where_they_stood(width: int, held: str) -> None:
    desk = desk_with(stored("a", agent="refactorer", description="Create an issue"))
    changes(desk, "a", 12, 3)
    (before,), (after,) = row_texts(desk, width), row_texts(desk, width, held=held)
    ends = [text.index("+12 -3") + len("+12 -3") for text in (before, after)]
    assert ends[0] == ends[1], f"{before}\n{after}"
    assert after.rstrip().endswith(f" {held}")


def test_the_agent_has_a_column_only_where_names_keep_their_room() -> None:
    desk = desk_with(stored("a", agent="refactorer"))
    assert ["refactorer" in row_texts(desk, width)[0] for width in (40, 56, 57, 80)] == [False, False, True, True]


def test_a_low_risk_is_not_said_and_a_higher_one_is_with_its_first_reason() -> None:
    desk = desk_with(stored("a"), stored("b", risk="high", risk_reasons=("delete", "outside-root")))
    low, high = row_texts(desk, 50)
    assert low.startswith("      { ")
    assert high.startswith(" HIGH { ")
    assert " deletes files " in high
    assert "outside the project" not in high


def test_a_change_gives_way_to_a_long_name() -> None:
    desk = desk_with(stored("a", description="Create an issue about the parser that crashes"))
    changes(desk, "a", 12, 3)
    assert ["+12 -3" in row_texts(desk, width)[0] for width in (40, 80)] == [True, True]
    assert "Create an issue" in row_texts(desk, 40)[0]


def test_the_last_minute_before_the_deadline_is_counted_in_seconds() -> None:
    desk = desk_with(stored("a", expires_at=START + 100 * SECOND))
    texts = [row_texts(desk, 50, now=START + at * SECOND)[0].split()[-1] for at in (0, 41, 95, 101)]
    assert texts == ["new", "0:59", "0:05", "0:00"]


@pytest.mark.parametrize("width", [40, 120])
def test_a_row_that_is_kept_grows_no_older_than_one_that_is_made_anew(width: int) -> None:
    waits, late, answered = stored("a"), stored("b", expires_at=START + 100 * SECOND), stored("c")
    members = [stored(name, group_id="g", expires_at=START + 90 * SECOND) for name in "de"]
    desk = desk_with(waits, late, answered, approved(answered, by="you"), *members)
    kept, rows = RowCache(desk), [*desk.inbox.rows()]
    for seconds in (0, 1, 9, 10, 31, 59, 61, 89, 95, 101, 3_599, 3_601, 90_000, 700_000):
        style = RowStyle(UNICODE, START + seconds * SECOND, held_text=lambda _: "")
        for row in rows:
            anew = inbox_row(desk, row, style, width, focused=False)
            assert kept.line(row, style, width, focused=False) == anew, (row.key, seconds)


def test_an_answer_that_was_not_taken_is_told_in_the_row() -> None:
    request = stored("a")
    desk = desk_with(request, approved(request, by="you"))
    assert "sent, agent has not confirmed" in row_texts(desk, 80, now=START + 66 * SECOND)[0]
    assert row_texts(desk, 30, now=START + 66 * SECOND)[0].split() == ["---", "{", "Create", "a", "sent"]


# -- groups --------------------------------------------------------------------------------------------------


def test_a_group_says_its_name_how_many_it_has_and_how_many_were_read() -> None:
    desk = desk_with(*(stored(name, group_id="save project") for name in "abc"))
    heading, *members = row_texts(desk, 60)
    assert heading.split() == ["▾", "save", "project", "3", "calls", "refactor", "0/3"]
    assert all(member.startswith("        { ") for member in members)


def test_a_group_that_still_fills_says_so() -> None:
    desk = desk_with(*(stored(name, group_id="g", group_size=5) for name in "ab"))
    assert "2 so far" in row_texts(desk, 60)[0]


def test_a_group_of_which_some_have_left_does_not_fill() -> None:
    members = [stored(name, group_id="g", group_size=3) for name in "abc"]
    desk = desk_with(*members, approved(members[0]))
    desk.fold()
    assert "2 calls" in row_texts(desk, 60)[0]


def test_a_group_of_one_is_a_plain_row() -> None:
    (row,) = row_texts(desk_with(stored("a", group_id="g")), 60)
    assert "Create a" in row


def test_a_group_that_ended_says_how() -> None:
    members = [stored(name, group_id="g") for name in "ab"]
    desk = desk_with(*members, approved(members[0]), rejected(members[1]))
    assert "1 of 2 approved" in row_texts(desk, 60)[0]


def test_a_group_that_ended_says_how_many_of_it_run_otherwise_than_asked() -> None:
    members = [stored(name, group_id="g") for name in "ab"]
    in_part = approved(members[0], instead=Instead(arguments={}, summary="3 of 5 hunks"))
    desk = desk_with(*members, in_part, approved(members[1]))
    assert "2 of 2 approved, 1 changed" in row_texts(desk, 60)[0]


def test_a_reason_is_said_in_full_or_not_at_all() -> None:
    desk = desk_with(stored("a", description="x", risk="high", risk_reasons=("outside-root",)))
    told = [row_texts(desk, width)[0] for width in range(34, 56)]
    assert any("outside the project" in row for row in told)
    assert all("outside the project" in row for row in told if "outside" in row)


def test_the_end_of_an_agent_is_said_in_one_word_where_there_is_little_room() -> None:
    asked = stored("a", description="x" * 20)
    gone = stored("a", description="x" * 20, state=RequestState.WITHDRAWN, note=agent_is_gone(7))
    narrow, wide = (row_texts(desk_with(asked, gone), width)[0] for width in (38, 55))
    assert narrow.endswith(" exited")
    assert wide.endswith("agent exited")
