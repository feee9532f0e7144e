"""What `signoff.queue.sql.engine.Engine` promises, of every engine: looks, writes, and how a connection ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from pathlib import Path

import pytest
from queue_engines import Opener
from queue_samples import call

from signoff.queue import (
    AgentQueue,
    Decision,
    QueueGoneError,
    QueueNotFoundError,
    QueueUnavailableError,
    ReviewQueue,
    open_review_queue,
)
from signoff.queue.errors import FORKED_CONNECTION
from signoff.queue.sql.engine import PATIENCE_SECONDS, Engine, Look, OvertakenError, session_bell
from signoff.queue.sqlite.wakeups import REVIEWERS, Bell

FILED = "SELECT value FROM counters WHERE name = 'filed'"
SESSION = session_bell("s-41")
Use = Callable[[Engine], contextlib.AbstractContextManager[Look]]
FILE = "UPDATE counters SET value = value + 1 WHERE name = 'filed'"


@pytest.fixture
def engine(review: ReviewQueue) -> Engine:
    return review._engine


@pytest.fixture
def other(open_review: Callable[..., ReviewQueue]) -> Engine:
    """Another connection to the same queue."""
    return open_review(reviewer="bob")._engine


def filed(engine: Engine) -> int:
    with engine.read() as look:
        return look.number(FILED)


def break_off(engine: Engine) -> None:
    """Begin a write, and fail in the middle of it."""
    with contextlib.suppress(ZeroDivisionError), engine.write() as transaction:
        transaction.change("an id", "s-41")
        transaction.run(FILE)
        raise ZeroDivisionError


def write_in_vain(engine: Engine) -> None:
    """Write on a condition that does not hold."""
    with engine.write() as transaction:
        transaction.put(FILE)
        transaction.must("UPDATE counters SET value = 7 WHERE name = 'filed' AND value = 99")


def test_a_write_is_seen_by_others_when_it_has_returned(engine: Engine, other: Engine) -> None:
    with engine.write() as transaction:
        transaction.put(FILE)
    assert filed(other) == 1


def test_a_write_that_raises_changes_nothing(engine: Engine, other: Engine) -> None:
    break_off(engine)
    assert (filed(engine), filed(other)) == (0, 0)


def test_a_write_that_raises_leaves_the_connection_of_use(engine: Engine, other: Engine) -> None:
    break_off(engine)
    with engine.write() as transaction:
        transaction.put(FILE)
    assert filed(other) == 1


def test_a_write_wakes_whom_it_concerns(engine: Engine, other: Engine) -> None:
    with other.hang_bell(SESSION, SESSION) as bell:
        with engine.write() as transaction:
            transaction.change("an id", "s-41")
        assert bell.sleep(30.0)


@pytest.mark.engines("sqlite")  # in PostgreSQL a notice is part of the transaction
def test_a_write_that_raises_wakes_nobody(engine: Engine, other: Engine) -> None:
    with other.hang_bell(SESSION, SESSION) as bell:
        break_off(engine)
        assert not bell.sleep(0.2)


def test_a_write_whose_condition_does_not_hold_changes_nothing(engine: Engine) -> None:
    with pytest.raises(OvertakenError):
        write_in_vain(engine)
    assert filed(engine) == 0


def test_a_write_sees_what_it_has_changed(engine: Engine) -> None:
    with engine.write() as transaction:
        transaction.put(FILE)
        assert transaction.number(FILED) == 1


def test_the_rows_of_a_later_statement_are_there_after_the_write(engine: Engine) -> None:
    with engine.write() as transaction:
        returned = transaction.later(f"{FILE} RETURNING value")
    assert [row["value"] for row in returned.rows] == [1]


def test_a_look_stays_at_one_state_while_others_write(engine: Engine, other: Engine) -> None:
    with engine.read() as look:
        before = look.number(FILED)
        with other.write() as transaction:
            transaction.put(FILE)
        assert look.number(FILED) == before
    assert filed(engine) == before + 1


def test_a_look_that_begins_during_a_write_does_not_see_it(engine: Engine, other: Engine) -> None:
    with engine.write() as transaction:
        transaction.run(FILE)
        assert filed(other) == 0


def test_whoever_is_woken_sees_what_was_written(engine: Engine, other: Engine) -> None:
    def woken(bell: Bell) -> int:
        assert bell.sleep(30.0)
        return filed(other)

    for times in range(1, 31):
        with ThreadPoolExecutor(1) as beside, other.hang_bell(SESSION, SESSION) as bell:
            seen = beside.submit(woken, bell)
            with engine.write() as transaction:
                transaction.change("an id", "s-41")
                transaction.put(FILE)
            assert seen.result() == times


def test_a_write_waits_no_longer_for_another_than_it_may(engine: Engine, other: Engine) -> None:
    def impatient() -> None:
        with other.write(patience=0.1) as transaction:
            transaction.run(FILE)

    with ThreadPoolExecutor(1) as beside, engine.write() as transaction:
        transaction.run(FILE)
        told = beside.submit(impatient).exception(timeout=PATIENCE_SECONDS / 2)
    assert isinstance(told, QueueUnavailableError)
    assert filed(other) == 1


def test_a_closed_connection_refuses_everything(engine: Engine) -> None:
    engine.close()
    for use in (engine.read, engine.write):
        with pytest.raises(QueueUnavailableError), use():
            pass
    with pytest.raises(QueueUnavailableError):
        engine.hang_bell(REVIEWERS, REVIEWERS)


def test_a_child_process_does_not_use_the_connection_of_its_parent(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_process", -1)
        for use in (engine.read, engine.write):
            with pytest.raises(QueueUnavailableError, match=FORKED_CONNECTION), use():
                pass
    assert filed(engine) == 0


def test_a_second_connection_of_an_engine_is_to_the_same_queue(engine: Engine) -> None:
    again = engine.opened_again()
    try:
        with again.write() as transaction:
            transaction.put(FILE)
        assert (again.queue_id, filed(engine)) == (engine.queue_id, 1)
    finally:
        again.close()


def test_another_queue_has_another_number(opener: Opener, engine: Engine, tmp_path: Path) -> None:
    another = type(opener)(tmp_path / "another")
    try:
        assert another.review()._engine.queue_id not in (None, engine.queue_id)
    finally:
        another.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE requests SET risk = 'low'",
        "UPDATE requests SET state = 'pending'",
        "UPDATE requests SET decision = NULL",
        "DELETE FROM requests",
        "UPDATE history SET decision = NULL",
        "DELETE FROM history",
        "UPDATE grants SET revoked_at = NULL",
        "UPDATE grants SET tool = 'deploy'",
    ],
)
def test_what_was_asked_and_decided_is_not_rewritten_even_by_a_statement_of_ours(
    agent: AgentQueue, review: ReviewQueue, engine: Engine, statement: str
) -> None:
    request = agent.submit(call())
    review.decide(request.id, 1, request.submission.digest, Decision(approved=True, remember=True, shown=1.0))
    review.revoke(review.grants()[0].id)
    with pytest.raises(QueueUnavailableError), engine.write() as transaction:
        transaction.run(statement)


USES = pytest.mark.parametrize("use", [methodcaller("read"), methodcaller("write")], ids=["a look", "a write"])


@USES
def test_a_queue_with_another_number_is_gone(opener: Opener, engine: Engine, use: Use) -> None:
    filed(engine)
    opener.forge("UPDATE counters SET value = value + 1 WHERE name = 'id'")
    with pytest.raises(QueueGoneError, match="was replaced"), use(engine):
        pass


@USES
def test_a_queue_that_was_set_back_is_gone(opener: Opener, agent: AgentQueue, engine: Engine, use: Use) -> None:
    agent.submit(call())
    filed(engine)
    opener.forge("UPDATE counters SET value = 0 WHERE name = 'change'")
    with pytest.raises(QueueGoneError, match="was set back"), use(engine):
        pass


def test_a_queue_that_was_set_back_to_before_ones_own_write_is_gone(opener: Opener, engine: Engine) -> None:
    with engine.write() as transaction:
        transaction.change("an id", "s-41")
    opener.forge("UPDATE counters SET value = value - 1 WHERE name = 'change'")
    with pytest.raises(QueueGoneError, match="was set back"), engine.read():
        pass


def test_who_reopens_takes_the_queue_that_is_there_now(opener: Opener, review: ReviewQueue) -> None:
    engine = review._engine
    before = engine.queue_id
    opener.forge("UPDATE counters SET value = value + 1 WHERE name = 'id'")
    with pytest.raises(QueueGoneError), engine.read():
        pass
    review.reopen()
    assert filed(engine) == 0
    assert engine.queue_id not in (None, before)


def test_no_queue_is_made_where_none_may_be(opener: Opener) -> None:
    nowhere = opener.place.replace(Path(opener.place).name, f"{Path(opener.place).name}-nowhere")
    with pytest.raises(QueueNotFoundError):
        open_review_queue(nowhere, create=False)
