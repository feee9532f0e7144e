"""The fixture for tests of programs that ask, as their authors use it."""

from __future__ import annotations

import contextlib
import inspect
import os
from pathlib import Path

import pytest

import signoff
from signoff.asked_calls import forget_controller
from signoff.queue import DecisionSource, open_review_queue
from signoff.testing import ScriptedReviewer
from signoff.testing import signoff_reviewer as fixture


def test_the_reviewer_answers_as_the_test_says(signoff_reviewer: ScriptedReviewer) -> None:
    signoff_reviewer.approves("deploy", note="go on")
    signoff_reviewer.rejects("drop table", note="never")
    assert signoff.ask("deploy", {"to": "staging"}).note == "go on"
    with pytest.raises(signoff.ApprovalDeniedError, match="never"):
        signoff.ask("drop table", {"name": "orders"})
    assert signoff_reviewer.calls == [("deploy", {"to": "staging"}), ("drop table", {"name": "orders"})]


def test_a_controller_that_asked_in_an_earlier_test_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    each_test = contextlib.contextmanager(inspect.unwrap(fixture))
    made_at_import = signoff.ApprovalController()
    for answer in (contextlib.nullcontext(), pytest.raises(PermissionError, match="the queue")):
        with each_test(tmp_path_factory) as reviewer, answer:
            reviewer.approves("deploy")
            signoff.ask("deploy", controller=made_at_import)


def test_a_mode_by_which_nobody_is_asked_fails_the_fixture(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_MODE", "approve_all")
    with pytest.raises(pytest.fail.Exception, match="unset SIGNOFF_MODE"):
        request.getfixturevalue("signoff_reviewer")


def test_what_was_said_last_holds(signoff_reviewer: ScriptedReviewer) -> None:
    signoff_reviewer.rejects("deploy")
    signoff_reviewer.approves("deploy")
    signoff.ask("deploy")


def test_a_remembered_approval_is_not_asked_again(signoff_reviewer: ScriptedReviewer) -> None:
    signoff_reviewer.approves("deploy", remember=True)
    assert [signoff.ask("deploy").source for _ in range(2)] == [DecisionSource.REVIEWER, DecisionSource.GRANT]
    assert len(signoff_reviewer.calls) == 1


def test_ones_own_queue_and_keys_are_left_alone(
    signoff_reviewer: ScriptedReviewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    signoff_reviewer.approves("deploy")
    signoff.ask("deploy")
    assert not list(tmp_path.iterdir())
    assert Path(os.environ["SIGNOFF_KEYS_DIR"]).parent == Path(os.environ["SIGNOFF_QUEUE"]).parent


def test_a_call_that_the_test_says_nothing_about_fails_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_QUEUE", str(tmp_path / "queue"))

    def asks() -> None:
        with (
            ScriptedReviewer(tmp_path / "queue"),
            pytest.raises(PermissionError, match="says nothing about deploy"),
        ):
            signoff.ask("deploy")

    with pytest.raises(AssertionError, match="nobody said what to answer to deploy"):
        asks()
    forget_controller()


def test_a_queue_that_cannot_be_made_fails_the_test_at_once(tmp_path: Path) -> None:
    (tmp_path / "queue").write_text("no queue")
    with pytest.raises(signoff.queue.QueueError), ScriptedReviewer(tmp_path / "queue"):
        pass


def test_the_queue_remembers_what_was_decided(signoff_reviewer: ScriptedReviewer) -> None:
    signoff_reviewer.approves("deploy")
    signoff.ask("deploy")
    with open_review_queue(os.environ["SIGNOFF_QUEUE"]) as queue:
        assert [record.tool_name for record in queue.history()] == ["deploy"]
