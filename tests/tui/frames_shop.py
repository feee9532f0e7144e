"""A shop whose agents ask the same every time, at frozen times."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.canonical import canonical, digest
from signoff.present.snapshot.snapshot import CommandRun, FileChange, FileState, Snapshot
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    AgentRecord,
    Decision,
    Risk,
    StoredRequest,
    Submission,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.sql.review_queue import SqlReviewQueue

START = 1_790_000_000_000_000
"""When the first request is asked, microseconds since the epoch."""

SECOND = 1_000_000
HOME = "/home/ada/shop"

OLD_API = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(40))
NEW_API = OLD_API.replace(
    "    return x + 3\n", "    result = x + 3\n    log.info('three %s', result)\n    return result\n"
).replace("def f20(x)", "def f20(x: int) -> int")
CACHE = '''"""A cache."""


class Cache:
    def __init__(self, ttl: int = 60) -> None:
        self.ttl = ttl
        self.items = {}  # by key

    def get(self, key):
        return self.items.get(key)
'''


GUIDE = "".join(f"line {number} of the guide\n" for number in range(1, 301))


class Clock:
    """The wall clock of the queue."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


_CLOCK: ContextVar[Clock] = ContextVar("_CLOCK")


def new_clock() -> Clock:
    """A clock for the queue of this task."""
    clock = Clock()
    _CLOCK.set(clock)
    return clock


def _now() -> int:
    return _CLOCK.get(Clock())()


@contextmanager
def frozen() -> Iterator[None]:
    """Freeze what queues write down and what is looked up: times, local time, the process and files of agents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("signoff.queue.sqlite.engine.now_us", _now)
        patch.setattr("signoff_tui.state.drift.this_host", lambda: "none of these agents")
        patch.setattr(SqlReviewQueue, "agents", _one_process(SqlReviewQueue.agents))
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def _one_process(agents: Callable[..., tuple[AgentRecord, ...]]) -> Callable[..., Any]:
    """The same agents, whatever process and machine the test runs in."""
    return lambda queue, **which: tuple(
        replace(record, pid=4101, host="shop") for record in agents(queue, **which)
    )


def _submission(key: str, tool: str, description: str, arguments: Mapping[str, Any], **fields: Any) -> Submission:
    payload = fields.pop("payload", arguments)
    snapshot: Snapshot | None = fields.pop("snapshot", None)
    if snapshot is not None:
        fields |= {"snapshot": snapshot.to_json(), "blobs": snapshot.blobs}
    return Submission(
        key=key,
        tool_name=tool,
        description=description,
        payload=payload,
        payload_key=canonical(payload),
        arguments=arguments,
        digest=digest({"tool": tool, "arguments": arguments}),
        cwd=HOME,
        **fields,
    )


def _write(path: str, before: str | None, after: str, risk: Risk = Risk.LOW, **fields: Any) -> Submission:
    real = f"{HOME}/{path}"
    contents = [text.encode() for text in (before, after) if text is not None]
    blobs = {hashlib.sha256(content).hexdigest(): content for content in contents}
    *old, new = blobs
    state = FileState(
        bool(old), *old or [None], len(contents[0]) if old else 0, 0o644 if old else None, None, real
    )
    change = FileChange(real, state, new, len(contents[-1]), binary=False, media_type=None)
    return _submission(
        path,
        "write_file",
        f"Write {path}",
        {"path": real, "content": after},
        payload={"sandbox": "src", "path": path},
        snapshot=Snapshot((change,), blobs),
        risk=risk,
        **{"group_id": "save project", "group_size": 4, "why": "rule 12: writes need approval", **fields},
    )


def _shell(command: str, **fields: Any) -> Submission:
    run = CommandRun(command, HOME, {}, HOME)
    snapshot = Snapshot((run,))
    return _submission(command, "shell", f"Run {command}", {"command": command}, snapshot=snapshot, **fields)


def _risk(risk: Risk, *reasons: str) -> dict[str, Any]:
    return {"risk": risk, "risk_reasons": reasons}


NEXT = (
    {"tool": "shell", "arguments": {"command": "npm test"}},
    {"tool": "write_file", "arguments": {"path": "NOTES"}},
)


def fill(place: Path, clock: Clock, stack: ExitStack) -> dict[str, StoredRequest]:
    """Post the requests of the tour; the agents stay connected until the stack is closed."""
    docs, refactor, release = (
        stack.enter_context(open_agent_queue(AgentInfo(name, session, HOME), place))
        for name, session in (("docs-bot", "s-40"), ("refactor", "s-41"), ("release", "s-42"))
    )
    release_call = {
        "method": "POST",
        "url": "https://api.example.test/v1/release",
        "body": {"notes": ["ad\u200bmin"]},
    }
    plan = {"type": "text", "content": "Split models.py into three modules.\nKeep the imports.", "metadata": {}}
    asked: list[tuple[str, AgentQueue, Submission]] = [
        ("command", docs, _shell("pytest -q tests/unit && ruff check .", risk=Risk.LOW)),
        ("diff", refactor, _write("src/app/api.py", OLD_API, NEW_API, batch_id="b-77", batch_remaining=NEXT)),
        ("small", refactor, _write("src/app/models.py", OLD_API, OLD_API.replace("x + 5\n", "x + 55\n"))),
        ("new", refactor, _write("src/app/cache.py", None, CACHE)),
        (
            "build",
            refactor,
            _write("pyproject.toml", "a = 1\n", "a = 2\n", risk=Risk.MEDIUM, risk_reasons=("build-file",)),
        ),
        ("high", release, _shell("rm -rf build/ dist/", risk=Risk.HIGH, risk_reasons=("delete",))),
        (
            "structured",
            release,
            _submission(
                "post",
                "http_post",
                "POST api.example.test/v1/release",
                release_call,
                payload={"method": "POST", "url": release_call["url"]},
                **_risk(Risk.MEDIUM, "network", "hidden-chars"),
            ),
        ),
        ("long", docs, _write("docs/guide.md", None, GUIDE, group_id=None, group_size=None)),
        ("text", docs, _submission("plan", "plan", "plan: split module into three", {}, presentation=plan)),
    ]
    posted = {}
    for name, queue, submission in asked:
        posted[name] = queue.submit(submission)
        clock.now += 3 * SECOND
    return posted


def decide_some(place: Path, clock: Clock, posted: dict[str, StoredRequest]) -> None:
    """Decide about some of the requests, as anna, later."""
    decisions = {
        "command": Decision(approved=True, shown=1.0, held_us=1_200_000),
        "small": Decision(approved=False, shown=1.0, note="keep 5, clients depend on it"),
        "new": Decision(approved=True, shown=0.54, deliberate=True),
        "high": Decision(approved=False, shown=1.0, hard=True, note="not from this branch"),
    }
    with open_review_queue(place, reviewer="anna") as anna:
        for name, decision in decisions.items():
            clock.now += 12 * SECOND
            request = posted[name]
            anna.decide(request.id, request.revision, request.submission.digest, decision)
