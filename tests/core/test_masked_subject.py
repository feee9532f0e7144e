from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signoff import ApprovalRequest
from signoff.masked_subject import announced_subjects
from signoff.queue.records import Submission
from signoff.submission import plain_submission


def followed_by(*following: Mapping[str, Any], masked_keys: tuple[str, ...] = ()) -> Submission:
    """A call whose agent has announced others."""
    submission = plain_submission(ApprovalRequest(tool_name="t", description="d", payload={}), None, cwd="/")
    return replace(submission, batch_remaining=following, masked_keys=masked_keys)


def test_the_calls_that_follow_in_the_turn_are_told_by_tool_and_first_text() -> None:
    submission = followed_by(
        {"tool": "shell", "arguments": {"timeout": 3, "command": "npm test", "cwd": "/work"}},
        {"tool": "wait", "arguments": {"seconds": 3}},
        {"tool": "list"},
        {},
    )
    assert announced_subjects(submission) == ["shell npm test", "wait", "list", "?"]
    assert announced_subjects(followed_by()) == []


def test_what_follows_hides_secrets() -> None:
    submission = followed_by(
        {"tool": "login", "arguments": {"password": "hunter2"}},
        {"tool": "login", "arguments": {"pin": "4711"}},
        masked_keys=("pin",),
    )
    told = announced_subjects(submission)
    assert "hunter2" not in told[0]
    assert "4711" not in told[1]
