"""The transcripts of Claude Code: files to which it adds a line for each message, in JSON.

Their form is not documented. It was looked at with the program (2.1.332), and whatever is not found there is taken
for unknown.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "RecordedCall",
    "asked_calls",
    "first_prompt",
    "newest_messages",
    "recorded_call",
    "result_watch",
]

_NEWEST, _OLDEST = 1 << 20, 1 << 16
"""So many bytes at the end of a transcript hold the turn that is going on, and at its beginning the first text."""

_SESSION = re.compile("[0-9A-Za-z-]+")
_LOOKS_EVERY = 0.1
_WRITTEN_WITHIN = 3.0
"""Seconds within which a call that is asked about is written down; on a busy machine it took 0.3."""


class RecordedCall(NamedTuple):
    """A call as it was written down before it is made.

    Attributes:
        transcript: The transcript of the conversation, also for a call of a sub-agent; "" if there is none.
        cwd: The working directory of the agent; "" if it is not known.
        sub_agent: The kind of the sub-agent that makes the call; "" for the agent itself.
        sub_agent_id: Identity of the sub-agent; "" for the agent itself.
    """

    transcript: str = ""
    cwd: str = ""
    sub_agent: str = ""
    sub_agent_id: str = ""


def newest_messages(transcript: str) -> Sequence[dict[str, Any]]:
    """Return the model's newest messages, oldest first; none if the transcript cannot be read."""
    entries = _entries(transcript, ("assistant",), newest=True)
    return [each["message"] for each in entries if isinstance(each["message"].get("content"), list)]


def first_prompt(transcript: str) -> str:
    """Return the text with which a person began the conversation; "" if it is not found."""
    for entry in _entries(transcript, ("user",), newest=False):
        content = entry["message"].get("content")
        if isinstance(content, list):
            content = " ".join(str(each.get("text", "")) for each in content if isinstance(each, dict))
        # What a program put there begins with a tag.
        if isinstance(content, str) and content.strip() and not content.lstrip().startswith("<"):
            return content
    return ""


def asked_calls(
    transcript: str, tool: str, has: Callable[[Mapping[str, Any]], bool], since: float
) -> dict[str, bool]:
    """Return the calls that an event without an id may be about; none if the transcript cannot be read.

    These are the calls of its tool in the newest turn before the event: those with its arguments, or all of them
    if there are none.

    Args:
        transcript: The transcript.
        tool: Name of the tool, as the model calls it.
        has: Tells if these arguments of the model are those of the event.
        since: The time of the event, in seconds since 1970.

    Returns:
        True for a call that has its result, by the ids of the calls.
    """
    found: dict[str, bool] = {}
    alike: set[str] = set()
    turn = None
    for entry in _entries(transcript, ("assistant", "user"), newest=True):
        for call in _blocks(entry, "tool_use") if _time_of(entry) < since else ():
            if call.get("name") != tool:
                continue
            if entry["message"].get("id") != turn:
                turn, found = entry["message"].get("id"), {}
            found[str(call.get("id"))] = False
            if isinstance(call.get("input"), dict) and has(call["input"]):
                alike.add(str(call.get("id")))
        found |= dict.fromkeys(found.keys() & set(_ids(entry, "tool_result", "tool_use_id")), True)
    return {ident: found[ident] for ident in alike.intersection(found) or found}


def result_watch(transcript: str, tool: str, has: Callable[[Mapping[str, Any]], bool]) -> Callable[[], bool]:
    """Return a check for the result of the call that an event without an id, which has just come, is about.

    Calls that cannot be told apart all need one. It is False in the first seconds, when the call itself may not be
    in the transcript yet. The transcript is read again only when it has grown. The arguments are those of
    `asked_calls`.
    """
    since, size = time.time(), -1

    def has_result() -> bool:
        nonlocal size
        if time.time() < since + _WRITTEN_WITHIN:
            return False
        before, size = size, _size_of(transcript)
        found = asked_calls(transcript, tool, has, since) if size != before else {}
        return bool(found) and all(found.values())

    return has_result


def _entries(transcript: str, kinds: Sequence[str], *, newest: bool) -> list[dict[str, Any]]:
    """The messages of some kinds at the end, or at the beginning, of a transcript; none if it cannot be read."""
    found: list[dict[str, Any]] = []
    if not os.path.isfile(transcript):  # noqa: PTH113 - another thing may never end
        return found
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _NEWEST) if newest else 0)
            lines = file.read(_NEWEST if newest else _OLDEST).split(b"\n")
    except (OSError, ValueError):
        return found
    for line in lines:
        if not any(f'"{kind}"'.encode() in line for kind in kinds):
            continue
        try:
            entry = json.loads(line)
            if entry.get("type") in kinds and isinstance(entry["message"], dict):
                found.append(entry)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # a line may be cut, and others are not ours
    return found


def recorded_call(session: str, call_id: str, seconds: float) -> RecordedCall:
    """Return a call that is about to be made; it is written down while, or soon after, it is asked about.

    Args:
        session: Identity of the conversation.
        call_id: The id of the call.
        seconds: How long it is waited for.
    """
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    projects = (Path(named) if named else Path.home() / ".claude") / "projects"
    if not _SESSION.fullmatch(session):
        return RecordedCall()
    end, own = time.monotonic() + seconds, ""
    while True:
        for path in _transcripts(projects, session):
            own = own or (path if Path(path).stem == session else "")
            found = _call_in(path, call_id)
            if found is not None:
                return found._replace(transcript=own)
        if time.monotonic() >= end:
            return RecordedCall(own)
        time.sleep(_LOOKS_EVERY)


def _transcripts(projects: Path, session: str) -> Iterator[str]:
    """The transcript of a conversation, and then those of its sub-agents."""
    for pattern in (f"*/{session}.jsonl", f"*/{session}/subagents/*.jsonl"):
        yield from map(str, projects.glob(pattern))


def _call_in(transcript: str, call_id: str) -> RecordedCall | None:
    """The call, if it and the results of the commands before it are there: those may change the directory."""
    entries = _entries(transcript, ("assistant", "user"), newest=True)
    place = next((place for place, entry in enumerate(entries) if call_id in _ids(entry, "tool_use", "id")), None)
    if place is None:
        return None
    entry = entries[place]
    message = entry["message"].get("id")
    before = [each for each in entries[:place] if each["message"].get("id") == message]
    commands = {ident for each in before for ident in _ids(each, "tool_use", "id", name="Bash")}
    ended = {ident for each in entries for ident in _ids(each, "tool_result", "tool_use_id")}
    if not commands <= ended:
        return None
    newest = entries[-1].get("cwd")
    return RecordedCall(
        cwd=newest if isinstance(newest, str) else "",
        sub_agent=str(entry.get("attributionAgent") or ""),
        sub_agent_id=str(entry.get("agentId") or ""),
    )


def _ids(entry: Mapping[str, Any], kind: str, key: str, **more: str) -> list[str]:
    return [
        str(each.get(key))
        for each in _blocks(entry, kind)
        if all(each.get(name) == value for name, value in more.items())
    ]


def _blocks(entry: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    content = entry["message"].get("content")
    blocks = [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    return [each for each in blocks if each.get("type") == kind]


def _time_of(entry: Mapping[str, Any]) -> float:
    """The time of an entry, in seconds since 1970; that of one that tells none is after all others."""
    try:
        return datetime.fromisoformat(entry["timestamp"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return math.inf


def _size_of(transcript: str) -> int:
    try:
        return os.stat(transcript).st_size  # noqa: PTH116 - looked at several times a second
    except (OSError, ValueError):
        return -1
