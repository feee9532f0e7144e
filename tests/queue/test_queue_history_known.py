"""What a reviewer has seen of a history is noted beside the keys, and a history that is less is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from queue_engines import Opener, SqliteOpener
from queue_samples import approve, call

from signoff.queue import AgentQueue, ReviewQueue, queue_stats


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keys of their own: the queues of other tests have the same names."""
    monkeypatch.setenv("SIGNOFF_KEYS_DIR", str(tmp_path / "keys"))
    return tmp_path / "keys"


@pytest.fixture
def seen(agent: AgentQueue, review: ReviewQueue) -> ReviewQueue:
    """A reviewer who has seen three records."""
    for key in ("k1", "k2", "k3"):
        approve(review, agent.submit(call(key)))
    assert review.recall_history() == ""
    return review


def cut(opener: Opener, records: int) -> None:
    """Take the newest records away, going around all rules."""
    opener.forge("DELETE FROM history WHERE seq > (SELECT MAX(seq) FROM history) - ?", records)


def test_a_history_that_became_shorter_is_told_until_that_is_accepted(
    opener: Opener, seen: ReviewQueue, open_review: Callable[..., ReviewQueue]
) -> None:
    cut(opener, 2)
    again = open_review()
    for told in (again.recall_history(), again.recall_history(), queue_stats(opener.place).history_loss):
        assert told.startswith(
            "the history became shorter: you had seen 3 records, 1 are there (restored from a copy?)"
        )
    again.recall_history(accept=True)
    assert (again.recall_history(), queue_stats(opener.place).history_loss) == ("", "")


def test_a_history_that_was_cut_and_went_on_is_told(opener: Opener, agent: AgentQueue, seen: ReviewQueue) -> None:
    cut(opener, 1)
    for key in ("k4", "k5"):
        approve(seen, agent.submit(call(key)))
    assert seen.recall_history().startswith("record 3 of the history is not the one you had seen")


def test_old_records_that_were_pruned_are_not_missed(agent: AgentQueue, seen: ReviewQueue) -> None:
    approve(seen, agent.submit(call("k4")))
    agent.close()
    seen.prune(keep=0)
    assert seen.recall_history() == ""


def test_whoever_closes_has_noted_what_was_decided_last(
    opener: Opener, agent: AgentQueue, seen: ReviewQueue, open_review: Callable[..., ReviewQueue]
) -> None:
    approve(seen, agent.submit(call("k4")))
    seen.close()
    cut(opener, 1)
    assert "you had seen 4 records, 3 are there" in open_review().recall_history()


def test_another_queue_in_the_same_place_is_told(tmp_path: Path) -> None:
    opener = SqliteOpener(tmp_path)
    approve(opener.review(), opener.agent().submit(call()))
    opener.close()
    shutil.rmtree(opener.place)
    told = opener.review().recall_history()
    assert told.startswith("another queue is here than the one you had seen, which had 1 record;")
    opener.close()


def test_nothing_is_noted_where_nobody_signs(agent: AgentQueue, review: ReviewQueue, keys: Path) -> None:
    agent.submit(call())
    agent.close()
    review.recall_history()
    review.close()
    assert not keys.exists()


def test_a_note_that_others_can_change_is_not_believed(seen: ReviewQueue, opener: Opener, keys: Path) -> None:
    (keys / "known-history").chmod(0o666)
    assert "other users have access to" in queue_stats(opener.place).history_loss
