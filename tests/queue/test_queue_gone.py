"""A queue that is removed, replaced or set back while agents wait in it and reviewers look at it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from queue_children import child, line_of, tell
from queue_engines import FreshPostgresOpener
from queue_samples import approve, call, eventually, target

from signoff import simple_approval_request
from signoff.controller import ApprovalController
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    Decision,
    QueueGoneError,
    QueueNotFoundError,
    QueuePlaceError,
    RequestState,
    ReviewQueue,
    open_agent_queue,
    open_review_queue,
    wording,
)
from signoff.queue.keys import trust
from signoff.queue.keys.folder import KeysFolder
from signoff.queue.sql.engine import SET_BACK
from signoff.queue.sqlite.schema import STATEMENTS

Harm = Callable[[Path], object]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "queue"


@pytest.fixture
def review(place: Path) -> Iterator[ReviewQueue]:
    with open_review_queue(place, reviewer="anna") as review:
        yield review


@pytest.fixture
def agent(place: Path) -> Iterator[AgentQueue]:
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work"), place) as agent:
        yield agent


def copied(source: Path, target: Path) -> None:
    """Bring a database into the state of another one, as ``sqlite3 .backup`` and ``.restore`` do."""
    with contextlib.closing(sqlite3.connect(source)) as old, contextlib.closing(sqlite3.connect(target)) as new:
        old.backup(new)
    target.chmod(0o600)


def submit_many(agent: AgentQueue) -> list[object]:
    return [agent.submit(call(f"k{n}")) for n in range(40)]


def checkpoint(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


CHECKPOINTS = """
import sqlite3, sys, time
file = sqlite3.connect(sys.argv[1])
while True:
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    time.sleep(0.001)  # or nobody else gets to write
"""


def remove(place: Path) -> None:
    trash = place.with_name("trash")  # at once, so that nobody finds it half removed
    place.rename(trash)
    shutil.rmtree(trash)


def move_away(place: Path) -> None:
    place.rename(place.with_name("elsewhere"))
    open_review_queue(place).close()


def lose_file(place: Path) -> None:
    (place / "queue.db").unlink()


def lose_log(place: Path) -> None:
    (place / "queue.db-wal").unlink()


def put_copy_in_place(place: Path) -> None:
    copied(place / "queue.db", place.with_name("copy.db"))
    place.with_name("copy.db").rename(place / "queue.db")


def put_other_contents(place: Path) -> None:
    other = place.with_name("other")
    open_review_queue(other).close()
    copied(other / "queue.db", place / "queue.db")


HARMS: dict[Harm, str] = {
    remove: "the queue was removed: ",
    move_away: "the queue was replaced by another one: ",
    lose_file: "the queue lost its file queue.db, which was removed: ",
    lose_log: "the queue lost its file queue.db-wal, which was removed: ",
    put_copy_in_place: "the queue was replaced by another one: ",
    put_other_contents: "the queue was replaced by another one: ",
}


@pytest.mark.parametrize("role", ["ask", "ask_async"])
@pytest.mark.parametrize("harm", [remove, put_copy_in_place])
def test_a_waiting_process_ends_with_what_happened_to_the_queue(place: Path, role: str, harm: Harm) -> None:
    with child(role, place, "k1") as asking:
        line_of(asking)
        harm(place)
        told = line_of(asking)
        assert told == f"{HARMS[harm]}{place}; what waited there does not run; ask again once a queue is there"
        assert asking.wait() == 0


def put_back(copy: Path, place: Path) -> None:
    """Restore a lost queue from a copy of its database."""
    place.mkdir(mode=0o700)
    copy.rename(place / "queue.db")


@pytest.mark.parametrize("role", ["ask_on", "ask_on_async"])
def test_an_agent_asks_on_in_the_copy_that_was_put_back(place: Path, review: ReviewQueue, role: str) -> None:
    copy = place.with_name("copy.db")
    with child(role, place) as asking:
        tell(asking, "first")
        eventually(review.pending)
        (first,) = review.pending()
        copied(place / "queue.db", copy)
        remove(place)
        assert line_of(asking).startswith("the queue was removed: ")
        tell(asking, "while there is none")
        assert line_of(asking).startswith("the queue was removed: ")
        assert not place.exists()
        put_back(copy, place)
        tell(asking, "second")
        with open_review_queue(place, reviewer="anna") as again:
            eventually(lambda: [each for each in again.pending() if each.id != first.id])
            (second,) = again.pending()
            lost = again.get(first.id)
            assert (lost.state, lost.state_note) == (RequestState.WITHDRAWN, wording.LOST)
            assert (second.submission.tool_name, second.asked_by.session) == ("second", first.asked_by.session)
            assert [agent.id for agent in again.agents() if agent.ended_at is None] == [second.asked_by.agent_id]
            approve(again, second)
            assert line_of(asking) == "approved"


def test_an_idle_agent_asks_in_the_queue_that_is_there_now(place: Path, agent: AgentQueue) -> None:
    controller = ApprovalController(queue=agent)
    move_away(place)
    with open_review_queue(place, reviewer="anna") as other, ThreadPoolExecutor() as pool:
        asking = pool.submit(controller.request_approval_sync, simple_approval_request("deploy", {}))
        eventually(other.pending)
        approve(other, *other.pending())
        assert asking.result().approved
        agent.close()  # and with it the connection that took its place
        assert [each.ended_at is None for each in other.agents()] == [False]


def replacement(agent: AgentQueue) -> AgentQueue:
    """The connection that takes the place of one whose queue is gone."""
    found = agent.replacement()
    assert found is not None
    return found


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_connection_is_opened_again_where_there_is_a_queue(place: Path, agent: AgentQueue, harm: Harm) -> None:
    assert agent.replacement() is None
    agent.submit(call())
    harm(place)
    if not (place / "queue.db").exists():
        with pytest.raises(QueueGoneError, match=HARMS[harm]):
            agent.replacement()
        return
    again = replacement(agent)
    assert again is agent.replacement() is not agent
    assert again.submit(call("k2")).pending


def test_what_was_approved_in_a_lost_queue_is_asked_again_in_its_copy(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    copy, posted = place.with_name("copy.db"), agent.submit(call())
    approve(review, posted)
    copied(place / "queue.db", copy)
    assert agent.wait(posted.id).decision is not None
    remove(place)
    put_back(copy, place)
    again = replacement(agent).submit(call())
    assert (again.id, again.revision, again.pending) == (posted.id, 2, True)


def test_remembered_approvals_are_those_of_the_queue_that_is_there(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    copy = place.with_name("copy.db")
    copied(place / "queue.db", copy)
    approve(review, agent.submit(call()), remember=True)
    assert agent.has_grant(call())
    remove(place)
    put_back(copy, place)
    assert not replacement(agent).has_grant(call())


@pytest.mark.parametrize("opened", [".", "queue.db"])
def test_access_that_others_get_is_noticed_at_the_next_look(
    place: Path, agent: AgentQueue, review: ReviewQueue, opened: str
) -> None:
    posted = agent.submit(call())
    mode = (place / opened).stat().st_mode
    (place / opened).chmod(0o777)
    for used in (review.pending, partial(approve, review, posted), partial(agent.wait, posted.id), agent.grants):
        with pytest.raises(QueuePlaceError, match="other users have access to"):
            used()
    (place / opened).chmod(mode)
    assert review.pending() == (posted,)
    approve(review, posted)
    assert agent.wait(posted.id).decision is not None


def test_an_agent_that_ends_while_others_have_access_is_withdrawn_afterwards(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    posted = agent.submit(call())
    place.chmod(0o777)
    agent.close()
    place.chmod(0o700)
    eventually(lambda: review.get(posted.id).state is RequestState.WITHDRAWN)


def test_signoff_ask_says_that_the_queue_is_gone_and_does_not_approve(place: Path, review: ReviewQueue) -> None:
    line = [sys.executable, "-m", "signoff.cli", "ask", "--queue", str(place), "--tool", "deploy"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as asking:
        eventually(review.pending)
        remove(place)
        _, told = asking.communicate(timeout=30)
    assert f"Not run: the queue was removed: {place}" in told
    assert asking.returncode == 5


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_nothing_is_decided_in_a_queue_that_is_gone(
    place: Path, agent: AgentQueue, review: ReviewQueue, harm: Harm
) -> None:
    posted = agent.submit(call())
    harm(place)
    with pytest.raises(QueueGoneError, match=HARMS[harm]):
        review.decide(*target(posted), Decision(approved=True))
    with pytest.raises(QueueGoneError, match=HARMS[harm]):
        agent.wait(posted.id)


def test_a_decision_whose_file_is_replaced_meanwhile_is_not_reported_as_taken(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    posted = agent.submit(call())
    writing = review._engine.write()
    transaction = writing.__enter__()
    transaction.run("UPDATE agents SET pid = 1 WHERE id = ?", posted.asked_by.agent_id)
    put_copy_in_place(place)
    with pytest.raises(QueueGoneError):
        writing.__exit__(None, None, None)


def test_a_queue_that_is_set_back_to_an_earlier_state_is_gone(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    copied(place / "queue.db", place.with_name("copy.db"))
    posted = agent.submit(call())
    assert review.pending() == (posted,)
    copied(place.with_name("copy.db"), place / "queue.db")
    for look in (review.pending, partial(agent.wait, posted.id)):
        with pytest.raises(QueueGoneError, match="the queue was set back to an earlier state, as from a copy: "):
            look()


@pytest.mark.parametrize("made", [copied, shutil.copyfile])
def test_a_copy_that_is_written_over_the_file_is_noticed_and_not_mixed(
    place: Path, agent: AgentQueue, review: ReviewQueue, made: Callable[[Path, Path], object]
) -> None:
    database, copy = place / "queue.db", place.with_name("copy.db")
    first = agent.submit(call("k1"))
    checkpoint(database)
    made(database, copy)
    second = agent.submit(call("k2"))
    checkpoint(database)
    agent.submit(call("k3"))
    assert len(review.pending()) == 3
    shutil.copyfile(copy, database)
    with pytest.raises(QueueGoneError, match=SET_BACK):
        review.decide(*target(second), Decision(approved=True))
    with pytest.raises(QueueGoneError, match=SET_BACK):
        agent.wait(second.id)
    agent.close()
    review.reopen()
    assert [each.id for each in review.pending()] == [first.id]
    with contextlib.closing(sqlite3.connect(database)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (place / "queue.db-wal.of-a-lost-queue").exists()


def test_the_last_to_leave_does_not_move_its_log_into_a_copy(place: Path, agent: AgentQueue) -> None:
    database, copy = place / "queue.db", place.with_name("copy.db")
    checkpoint(database)
    shutil.copyfile(database, copy)
    agent.submit(call("k1"))
    checkpoint(database)
    agent.submit(call("k2"))
    shutil.copyfile(copy, database)
    agent.close()
    assert database.read_bytes() == copy.read_bytes()


def test_checkpoints_of_others_set_no_queue_back(place: Path, review: ReviewQueue) -> None:
    with subprocess.Popen([sys.executable, "-c", CHECKPOINTS, str(place / "queue.db")]) as others:
        with contextlib.ExitStack() as stack:
            agents = [
                stack.enter_context(open_agent_queue(AgentInfo("refactor", f"s-{n}", "/work"), place))
                for n in range(4)
            ]
            with ThreadPoolExecutor() as pool:
                each = [pool.submit(submit_many, a) for a in agents]
                while not all(one.done() for one in each):
                    review.pending()
            assert sum(len(one.result()) for one in each) == len(review.pending()) == 160
        others.kill()


def test_the_log_of_a_lost_queue_is_not_applied_to_the_copy_in_its_place(
    place: Path, agent: AgentQueue, review: ReviewQueue
) -> None:
    copied(place / "queue.db", place.with_name("copy.db"))
    agent.submit(call())
    place.with_name("copy.db").rename(place / "queue.db")
    with pytest.raises(QueueGoneError):
        review.pending()
    review.reopen()
    assert review.pending() == ()


def test_the_log_of_a_lost_file_is_not_applied_to_a_new_queue(place: Path, agent: AgentQueue) -> None:
    agent.submit(call())
    lose_file(place)
    with open_review_queue(place) as another:
        assert another.pending() == ()


def test_a_reviewer_opens_the_queue_that_is_there_now(place: Path, agent: AgentQueue, review: ReviewQueue) -> None:
    agent.submit(call())
    review.pending()
    remove(place)
    with pytest.raises(QueueGoneError):
        review.pending()
    with pytest.raises(QueueNotFoundError):
        review.reopen()
    with pytest.raises(QueueGoneError):
        review.pending()
    with open_agent_queue(AgentInfo("other", "s-42", "/work"), place) as other:
        posted = other.submit(call("k2"))
        review.reopen()
        assert review.pending() == (posted,)
        assert approve(review, posted).accepted
        assert other.wait(posted.id).decision is not None


def test_a_queue_of_before_there_were_numbers_gets_one(place: Path) -> None:
    open_review_queue(place).close()
    with contextlib.closing(sqlite3.connect(place / "queue.db")) as file, file:
        file.execute("DELETE FROM counters WHERE name = 'id'")
    numbers = []
    for _ in range(2):
        open_review_queue(place).close()
        with contextlib.closing(sqlite3.connect(place / "queue.db")) as file:
            numbers += file.execute("SELECT value FROM counters WHERE name = 'id'").fetchall()
    assert len(set(numbers)) == 1
    assert not any("'id'" in statement for statement in STATEMENTS)  # made, not written down


def sweep(directory: Path) -> None:
    """Remove a directory while others make files in it: at once, as they see it."""
    shutil.rmtree(directory.rename(directory.with_name(f"swept {directory.name}")))


def test_an_agent_waits_on_when_bells_leases_and_locks_are_swept_away(place: Path, review: ReviewQueue) -> None:
    with child("ask", place, "k1") as asking:
        posted = review.get(line_of(asking))
        for swept in ("bells", "leases"):
            sweep(place / swept)
        (place / "write.lock").unlink()
        with open_review_queue(place, create=False) as another:
            assert another.pending() == (posted,)
        eventually((place / "leases" / posted.asked_by.agent_id).exists)
        assert review.pending() == (posted,)
        approve(review, posted)
        assert line_of(asking) == "approved"


def test_a_screen_whose_bell_is_swept_away_hangs_another(place: Path, review: ReviewQueue) -> None:
    async def watch() -> None:
        watching = aiter(review.watch())
        await anext(watching)
        sweep(place / "bells")
        following = asyncio.ensure_future(anext(watching))
        await asyncio.to_thread(eventually, review._engine.attended)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    asyncio.run(asyncio.wait_for(watch(), 30))


def test_an_agent_without_a_lease_whose_process_is_gone_is_dead(place: Path, review: ReviewQueue) -> None:
    with child("ask", place, "k1") as asking:
        posted = review.get(line_of(asking))
        asking.kill()
        asking.wait()
        shutil.rmtree(place / "leases")
    assert review.get(posted.id).state is RequestState.WITHDRAWN


def test_approvals_are_signed_with_the_key_that_is_there(agent: AgentQueue, review: ReviewQueue) -> None:
    folder = KeysFolder(Path(os.environ["SIGNOFF_KEYS_DIR"]))
    approve(review, agent.submit(call("k1")))
    shutil.rmtree(folder.directory)
    posted = agent.submit(call("k2"))
    approve(review, posted)
    assert agent.wait(posted.id).doubt is None
    assert len(trust.load(folder)) == 1


def test_a_schema_that_is_dropped_and_made_again_is_another_queue() -> None:
    opener = FreshPostgresOpener()
    agent, review = opener.agent(), opener.review()
    posted = agent.submit(call())
    with opener.administrator() as admin:
        admin.execute(f'DROP SCHEMA "{review._engine.place.schema}" CASCADE')
    with pytest.raises(QueueGoneError, match="the queue was removed: "):
        review.pending()
    with pytest.raises(QueueNotFoundError):
        review.reopen()
    opener.review("bert")
    with pytest.raises(QueueGoneError, match="was replaced by another one: "):
        agent.wait(posted.id)
    review.reopen()
    assert review.pending() == ()
    again = replacement(agent).submit(call())
    assert review.pending() == (again,)
    agent.close()
    assert review.pending() == ()
    opener.close()
