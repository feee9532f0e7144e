"""A tour through all views of the screen at frozen times, on a queue that is the same every time."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from screen_bench import HELD, Screen, screen

from signoff.canonical import canonical, digest
from signoff.present.snapshot import CommandRun, FileChange, FileState, Snapshot
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    Decision,
    Risk,
    StoredRequest,
    Submission,
    open_agent_queue,
    open_review_queue,
)
from signoff_tui.documents import content_key
from signoff_tui.inbox import RowKey

START = 1_790_000_000_000_000
"""When the first request is asked, microseconds since the epoch."""

SECOND = 1_000_000
HOME = "/home/ada/shop"

OLD_API = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(40))
NEW_API = OLD_API.replace(
    "    return x + 3\n", "    result = x + 3\n    log.info('three %s', result)\n    return result\n"
).replace("def f20(x)", "def f20(x: int) -> int")
CACHE = '''"""A cache."""

import time


class Cache:
    def __init__(self, ttl: int = 60) -> None:
        self.ttl = ttl
        self.items = {}  # by key

    def get(self, key):
        return self.items.get(key)
'''


GUIDE = "".join(f"line {number} of the guide\n" for number in range(1, 301))


@dataclass(frozen=True)
class Frame:
    """One picture.

    Attributes:
        text: What is drawn, without blanks at the ends of lines.
        runs: The same with styles: one line for each stretch of equal style.
    """

    text: str
    runs: str


# -- a queue that is the same every time -----------------------------------------------------------------------


class Clock:
    """The wall clock of the queue."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


@contextmanager
def frozen() -> Iterator[Clock]:
    """Freeze the times that the queue writes down, and the local time."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("engine", "sweeping", "answers"):
            patch.setattr(f"signoff.queue.sqlite.{module}.now_us", clock)
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield clock
    time.tzset()


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


# -- looking ---------------------------------------------------------------------------------------------------


def take(seen: Screen) -> Frame:
    """Take a picture; what differs from run to run is replaced by something of the same width."""
    text = "\n".join(line.rstrip() for line in seen.frame)
    runs = [
        f"{number:>2} {segment.style} {_steady(segment.text)!r}"
        for number, row in enumerate(seen.rows)
        for segment in row
        if segment.text.strip()
    ]
    return Frame(_steady(text), "\n".join(runs))


def _steady(text: str) -> str:
    text = re.sub(r"sha256 [0-9a-f]{16}", f"sha256 {'0' * 16}", text)
    return re.sub(r"\b\d\ds\b", "NNs", text)


async def tour(place: Path, size: tuple[int, int], clock: Clock, *, ascii_only: bool = False) -> dict[str, Frame]:
    """Visit every view and take its picture."""
    frames: dict[str, Frame] = {}
    options: dict[str, Any] = {"size": size, "ascii_only": ascii_only, "wall_clock": clock}
    # Long enough that nothing counts as shown while the screen is being laid out.
    settings = replace(HELD, typing_lock=True, burst_keys=99, dwell=0.3)
    with ExitStack() as stack:
        async with screen(place, settings=settings, **options) as seen:
            await seen.shows("nothing waiting")
            frames["empty"] = take(seen)
        posted = fill(place, clock, stack)
        clock.now = START + 140 * SECOND
        async with screen(place, settings=settings, waiting=len(posted), **options) as seen:
            await _waiting(seen, posted, frames)
        decide_some(place, clock, posted)
        async with screen(place, settings=settings, **options) as seen:
            await seen.press("h")
            await seen.shows("4 records")
            await _quiet(seen)
            frames["history"] = take(seen)
            await seen.press("j", "j", "enter")
            await seen.shows("keep 5", "return x + 5")
            await _quiet(seen)
            frames["record"] = take(seen)
            await seen.press("1", "question_mark")
            await seen.shows("signoff  keys")
            frames["help"] = take(seen)
    return frames


async def _waiting(seen: Screen, posted: dict[str, StoredRequest], frames: dict[str, Frame]) -> None:
    small = not seen.app.review.two_panes
    await _quiet(seen)
    frames["inbox"] = take(seen)
    await _sheets(seen, posted, frames)
    for name in ("diff", "new", "structured", "text", "high"):
        await _goes_to(seen, RowKey("request", posted[name].id))
        frames[name] = take(seen)
        await seen.press("1")
    await _goes_to(seen, RowKey("group", "s-41\x1fsave project"))
    await seen.press(*(["enter"] if small else []))
    await _quiet(seen)
    frames["group"] = take(seen)
    await seen.press("1")
    await _goes_to(seen, RowKey("request", posted["new"].id))
    await seen.press("y", "1")
    await seen.shows("held: 1 decision sends")
    await _quiet(seen)
    frames["held"] = take(seen)


async def _sheets(seen: Screen, posted: dict[str, StoredRequest], frames: dict[str, Frame]) -> None:
    await _goes_to(seen, RowKey("request", posted["command"].id))
    frames["command"] = take(seen)
    for name, key in (("remember", "s"), ("feedback", "n"), ("stop", "x"), ("stop agent", "X")):
        await seen.armed()
        await seen.press(key)
        await seen.until(lambda: seen.status in {"sheet", "feedback"})
        if seen.status == "sheet":
            await seen.sheet_armed()
        await seen.until(lambda: "[armed]" not in seen.target and "(y) yes" not in seen.text)
        frames[name] = take(seen)
        await seen.press("escape")
    await seen.press("1")
    await _goes_to(seen, RowKey("request", posted["long"].id))
    await seen.press("y")
    await seen.shows("approve anyway")
    frames["unseen"] = take(seen)
    await seen.press("escape", "1", "q")
    await seen.shows("stay blocked")
    await seen.sheet_armed()
    frames["quit"] = take(seen)
    await seen.press("escape")


async def _goes_to(seen: Screen, key: RowKey) -> None:
    """Put the cursor on a row without passing others, of which something might count as shown."""
    seen.desk.inbox.move_to(key)
    seen.app.review.redraw()
    await seen.press(*(["enter"] if not seen.app.review.two_panes and key.kind == "request" else []))
    await _quiet(seen)


async def _quiet(seen: Screen) -> None:
    """Wait until documents are made and colored, lines are counted and keys are armed."""
    desk, document = seen.desk, seen.app.screen.query_one("#document")
    on_review = seen.app.screen is seen.app.review

    def colored() -> bool:
        shown = document._shown
        if shown is None or not document.display:
            return True
        places = [(*shown.reading.locate(line.row), line) for line in document._visible]
        rows = [(owner, owner.row(inner)) for owner, inner, _ in places]
        return all(document._highlights.spans(owner, row.side, row.source_line) is not None for owner, row in rows)

    def made() -> bool:
        visible = seen.app.review._drawing.wanted()
        return all(desk.content(entry) is not None for entry in visible)

    def shown() -> bool:
        entry = desk.inbox.focused_request()
        if entry is None or not seen.app.review.content_visible:
            return True
        coverage, parts = desk.coverage(entry), seen.app.review.document.parts
        painted = coverage is not None and coverage._painted == parts != ()
        return painted and desk._visible == content_key(entry.request) and desk.settles_at is None

    await seen.until(colored, "colors")
    if on_review:
        await seen.until(made, "documents")
        await seen.until(shown, "settled lines")
        await seen.until(lambda: seen.target.rstrip().endswith(("[armed]", "[held]")), "an armed target")
    await seen.pilot.pause()
