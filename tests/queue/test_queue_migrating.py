"""Queue files of older formats are brought up to date, and nothing in them is lost."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from queue_samples import approve, call

from signoff.queue import (
    AgentInfo,
    HistoryFilter,
    QueueError,
    RequestState,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.sql.history import history_end
from signoff.queue.sqlite.schema import SCHEMA_VERSION

AGENT = AgentInfo("agent", "s-1", "/work")
FILES = Path(__file__).parent / "files"
HELLO = hashlib.sha256(b'print("hello")\n').hexdigest()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A queue as signoff with format 1 left it: its agent died while two requests waited."""
    return left_by(1, tmp_path)


@pytest.fixture
def of_format_3(tmp_path: Path) -> Path:
    """The same of format 3, where also an approval waits to be taken."""
    return left_by(3, tmp_path)


def left_by(version: int, tmp_path: Path) -> Path:
    place = tmp_path / "queue"
    with open_review_queue(place):
        pass  # for the directories
    database = place / "queue.db"
    database.unlink()
    for companion in place.glob("queue.db-*"):
        companion.unlink()
    shutil.copy(FILES / f"queue-format-{version}.db", database)
    database.chmod(0o600)
    return place


def dump(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as file:
        return list(file.iterdump())


def columns(place: Path) -> set[tuple[str, str, str, int]]:
    with closing(sqlite3.connect(place / "queue.db")) as file:
        tables = file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%'")
        return {
            (table, name, kind, required)
            for (table,) in tables.fetchall()
            for _, name, kind, required, *_ in file.execute(f"PRAGMA table_info({table})")
        }


def rules(place: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(place / "queue.db")) as file:
        found = file.execute("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger')")
        return {(kind, name) for kind, name, sql in found if sql}


def test_every_request_and_its_end_is_still_there(old: Path) -> None:
    with open_review_queue(old) as review:
        states = Counter(record.state for record in review.history(limit=100))
    # Two more than there were: what waited was withdrawn, because its agent is gone.
    assert states == {
        RequestState.APPROVED: 4,
        RequestState.REJECTED: 2,
        RequestState.SUPERSEDED: 1,
        RequestState.WITHDRAWN: 3,
    }


def test_the_chain_of_the_history_is_still_whole(old: Path) -> None:
    with open_review_queue(old) as review:
        assert review.verify() is None


def test_contents_and_grants_are_still_there(old: Path) -> None:
    with open_review_queue(old) as review:
        assert [grant.payload["path"] for grant in review.grants()] == ["a.txt"]
        assert review.blob(HELLO) == b'print("hello")\n'


def test_old_records_are_found_by_their_words_and_by_who_decided(old: Path) -> None:
    with open_review_queue(old) as review:
        records = review.history(limit=100)
        for record in records:
            words = HistoryFilter(
                text=f"{record.tool_name} {record.agent_name} ", states=frozenset({record.state})
            )
            assert record in review.history(words)
        decided = [record for record in records if record.decision is not None]
        for record in decided:
            assert record.decision is not None
            assert record in review.history(HistoryFilter(decided_by=record.decision.by))
    assert decided


def test_old_history_is_pruned_with_the_contents_that_its_requests_name(old: Path) -> None:
    with closing(sqlite3.connect(old / "queue.db")) as file, file:
        file.execute("DROP TRIGGER requests_content_stays")
        snapshot = f'"snapshot":{{"after":"{HELLO}"}}'
        file.execute("UPDATE requests SET submission = replace(submission, '\"snapshot\":null', ?)", (snapshot,))
    with open_review_queue(old) as review:
        review.prune(keep=0)
        assert [record.tool_name for record in review.history()] == ["(history)"]
        assert review.verify() is None
        with pytest.raises(QueueError, match="has no content"):
            review.blob(HELLO)


def test_an_old_content_that_no_request_names_is_kept(old: Path) -> None:
    with open_review_queue(old) as review:
        review.prune(keep=0)
        assert review.blob(HELLO) == b'print("hello")\n'


def test_an_updated_file_has_the_rules_of_a_new_one(old: Path, tmp_path: Path) -> None:
    with open_review_queue(old), open_review_queue(tmp_path / "new"):
        assert rules(old) == rules(tmp_path / "new")


def test_an_updated_file_has_the_tables_of_a_new_one(old: Path, tmp_path: Path) -> None:
    with open_review_queue(old), open_review_queue(tmp_path / "new"):
        assert columns(old) == columns(tmp_path / "new")


def test_the_file_says_its_new_format(old: Path) -> None:
    with open_review_queue(old):
        pass
    with closing(sqlite3.connect(old / "queue.db")) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_step_that_fails_leaves_the_old_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dump(old / "queue.db")
    monkeypatch.setattr("signoff.queue.sqlite.migrations.TRIGGERS", ("CREATE TRIGGER nonsense",))
    with pytest.raises(QueueError, match="incomplete input"):
        open_review_queue(old)
    assert dump(old / "queue.db") == before


def test_agents_and_reviewers_may_find_the_old_file_first(old: Path) -> None:
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work"), old) as agent:
        assert agent.agent.name == "refactor"


def test_a_grant_from_before_there_were_signatures_is_listed_and_not_used(old: Path) -> None:
    with open_agent_queue(AgentInfo("refactor", "s-41", "/work"), old) as agent, open_review_queue(old) as review:
        assert len(review.grants()) == 1
        assert agent.grants() == ()


def test_a_step_that_fails_leaves_no_connection_open(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.queue.sqlite.migrations.TRIGGERS", ("CREATE TRIGGER nonsense",))
    with pytest.raises(QueueError):
        open_review_queue(old)
    # A connection that is still open keeps its log; the last one that is closed takes it along.
    assert not (old / "queue.db-wal").exists()


def test_what_was_remembered_and_recorded_without_servers_holds_after_a_file_of_format_2_is_opened(
    tmp_path: Path,
) -> None:
    place = tmp_path / "queue"
    with open_agent_queue(AGENT, place) as agent, open_review_queue(place) as review:
        approve(review, agent.submit(call()), remember=True)
        waiting = agent.submit(call("k2"))
        with closing(sqlite3.connect(place / "queue.db")) as file:
            file.execute("PRAGMA user_version = 2")
        with open_agent_queue(AGENT, place) as later, open_review_queue(place) as looking:
            assert later.use_grant(call("k3")) is not None
            assert later.use_grant(call("k4", server="staging")) is None
            assert [request.id for request in looking.pending()] == [waiting.id]
            assert looking.check_history().fault is None
    with closing(sqlite3.connect(place / "queue.db")) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_what_was_asked_and_decided_in_format_3_is_still_there(of_format_3: Path) -> None:
    with open_review_queue(of_format_3) as review:
        states = Counter(record.state for record in review.history())
        assert review.verify() is None
    # Two more were withdrawn: their agent is gone.
    assert states == {
        RequestState.APPROVED: 4,
        RequestState.REJECTED: 1,
        RequestState.SUPERSEDED: 1,
        RequestState.WITHDRAWN: 2,
    }


def test_records_of_before_and_after_format_3_are_found_together(of_format_3: Path) -> None:
    with open_agent_queue(AGENT, of_format_3) as agent, open_review_queue(of_format_3) as review:
        approve(review, agent.submit(call("new", description="save the quarterly figures")))
        for which in (
            HistoryFilter(text="quarterly "),
            HistoryFilter(text="quart", states={RequestState.APPROVED}),
        ):
            assert len(review.history(which)) == 2
        before = {record.seq for record in review.history() if record.agent_name == "refactor"}
        assert {record.seq for record in review.history(HistoryFilter(agent_name="refactor"))} == before
        assert review.prune(keep=1).count == 8
        assert [record.tool_name for record in review.history(HistoryFilter(text="quarterly "))] == ["write_file"]


def test_a_file_of_format_3_has_the_rules_of_a_new_one(of_format_3: Path, tmp_path: Path) -> None:
    with open_review_queue(of_format_3), open_review_queue(tmp_path / "new"):
        assert rules(of_format_3) == rules(tmp_path / "new")
        assert columns(of_format_3) == columns(tmp_path / "new")


def test_a_record_that_an_older_program_still_filed_is_found_once(of_format_3: Path) -> None:
    with open_agent_queue(AGENT, of_format_3) as agent, open_review_queue(of_format_3) as review:
        approve(review, agent.submit(call("new", description="both file this")))
        with review._engine.write() as transaction:
            seq, _ = history_end(transaction)
            transaction.search.add(transaction, seq, ["both", "file", "this"])
        for _ in range(2):
            assert [record.seq for record in review.history(HistoryFilter(text="both "))] == [seq]
