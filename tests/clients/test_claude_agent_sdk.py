"""What holds for the Claude Agent SDK alone: files as its tools leave them, and the end of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from answering import yes
from clients.anthropic_model import uses
from clients.python_frameworks import ClaudeAgentSdk
from signoff.queue import Decision, Instead, StoredRequest, open_review_queue

ONE_PROMPT = """
from signoff.adapters.claude_agent_sdk import approval_hook
import asyncio
from claude_agent_sdk import ClaudeAgentOptions, query

async def run():
    options = ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook()]})
    async for _ in query(prompt="go on", options=options):
        pass

asyncio.run(run())
"""
TWO_PROMPTS = """
from signoff.adapters.claude_agent_sdk import approval_hook
import asyncio
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

async def run():
    async with ClaudeSDKClient(ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook()]})) as client:
        for prompt in ("go on", "go on, then"):
            await client.query(prompt)
            async for _ in client.receive_response():
                pass

asyncio.run(run())
"""
OLD, NEW = b"one\ntwo\nthree\n", b"one\n2\nthree\n"


@pytest.fixture
def program(tmp_path: Path) -> ClaudeAgentSdk:
    found = ClaudeAgentSdk(tmp_path)
    found.source = ONE_PROMPT
    return found


def reads(path: str) -> Mapping[str, Any]:
    return uses("Read", file_path=path)


def edits(path: str, old: str, new: str) -> Mapping[str, Any]:
    return uses("Edit", file_path=path, old_string=old, new_string=new)


def test_an_edit_is_shown_as_the_file_that_it_leaves_behind(program: ClaudeAgentSdk) -> None:
    path = program.path("numbers.txt", OLD)
    with program.reviewed(yes):
        program.run([reads(path)], [edits(path, "two", "2")])
    with open_review_queue(program.place) as queue:
        assert queue.blob(sha256(NEW).hexdigest()) == NEW
    assert Path(path).read_bytes() == NEW


def test_a_file_gets_what_was_approved_in_place_of_what_was_asked_for(program: ClaudeAgentSdk) -> None:
    path, approved = program.path("numbers.txt", OLD), b"ONE\ntwo\nthree\n"

    def half(_: StoredRequest) -> Decision:
        instead = Instead.of_contents({path: approved}, refused=("numbers.txt line 3",), summary="1 of 2 hunks")
        return Decision(approved=True, instead=instead)

    with program.reviewed(half):
        program.run([reads(path)], [edits(path, OLD.decode(), "ONE\ntwo\nTHREE\n")])
    assert Path(path).read_bytes() == approved


def test_a_hard_no_ends_one_turn_and_not_the_conversation(program: ClaudeAgentSdk) -> None:
    def stop_the_first(request: StoredRequest) -> Decision:
        if program.arguments("anna").items() <= (request.submission.arguments or {}).items():
            return Decision(approved=False, note="wrong plan", hard=True)
        return Decision(approved=True)

    program.source = TWO_PROMPTS
    with program.reviewed(stop_the_first):
        program.run([program.sends("anna")], [program.sends("bob")])
    assert program.sent == ["bob"]
