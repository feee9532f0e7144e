from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from signoff import ApprovalRequest, simple_approval_request
from signoff.masked_subject import announced_subjects, described
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


SAVE = {"path": "src/part.py", "content": "VALUE = 1\nVALUE = 2\n", "size": 20}


def called(description: str | None = None, **arguments: Any) -> Submission:
    return plain_submission(simple_approval_request("save", arguments, description=description), None, cwd="/")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (called(**SAVE), "save src/part.py, VALUE = 1"),
        (called(code="\n  import os\nos.abort()", note=""), "save import os"),
        (called(text=" "), "save"),
        (called(path="a.py", mode="w"), "save a.py, w"),
        (called(text="it's", more=1), "save it's"),
        (called(number=3, text="a"), "save(number=3, text='a')"),
        (called(), "save()"),
        (called("save(path='elsewhere')", **SAVE), "save(path='elsewhere')"),
        (called("Save a part", **SAVE), "Save a part"),
    ],
)
def test_a_description_that_only_repeats_the_call_is_cut_to_tool_and_first_lines(
    call: Submission, words: str
) -> None:
    assert described(call) == words


def test_of_such_a_description_secrets_are_hidden_by_their_names() -> None:
    assert "hunter2" not in described(called(user="anna", password="hunter2"))
    assert "4711" not in described(replace(called(pin="4711"), masked_keys=("pin",)))
