"""What a call costs that needs no person: through the controller, and through a toolset beside another library's.

The other one is pydantic-ai-blocking-approval. Its pre-approved path decides by the tool's name alone. It keeps no
approvals itself; its README has a callback that does, by tool and arguments, and that is what is like a remembered
call here. All wrap the same tool, called with the same arguments. For the ratios, a call of the bare toolset is
taken off.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
from pydantic_ai.usage import RunUsage
from pydantic_ai_blocking_approval import ApprovalDecision as OtherDecision
from pydantic_ai_blocking_approval import ApprovalRequest as OtherRequest
from pydantic_ai_blocking_approval import ApprovalToolset as OtherToolset

from signoff import ApprovalController, ApprovalDecision, ApprovalMemory, ApprovalRequest
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.queue import AgentInfo, open_agent_queue

ROUNDS = 200
CALLS = 20
"""Calls that are timed together: one is too short for the clock."""

ARGUMENTS = {"path": "notes/report.md", "sandbox": "notes"}
OTHER = "pydantic-ai-blocking-approval, pre-approved"
OTHER_REMEMBERED = "pydantic-ai-blocking-approval, remembered"


def run() -> list[dict[str, Any]]:
    """Medians in microseconds, measured in turn, and ratios."""
    return asyncio.run(_run())


async def _run() -> list[dict[str, Any]]:
    request = ApprovalRequest(tool_name="write_note", description="Write a note", payload=ARGUMENTS)
    controller = ApprovalController("interactive", _never, memory=_memory())
    unasked = ApprovalToolset(_tools(), _never, tool_configs={"write_note": {"approval": "none"}})
    pre_approved = OtherToolset(_tools(), _never, config={"write_note": {"pre_approved": True}})
    with (
        tempfile.TemporaryDirectory(prefix="signoff-bench-") as place,
        open_agent_queue(AgentInfo("bench", "s", place), Path(place) / "queue") as queue,
    ):
        shared = ApprovalController(queue=queue)
        shared.add_session_approval(request)
        times = await _in_turn(
            {
                "remembered, controller": lambda: controller.request_approval(request),
                "remembered in the queue, controller": lambda: shared.request_approval(request),
                "bare toolset": await _call(_tools()),
                "approval: none, toolset": await _call(unasked),
                "remembered, toolset": await _call(ApprovalToolset(_tools(), _never, _memory())),
                OTHER: await _call(pre_approved),
                OTHER_REMEMBERED: await _call(OtherToolset(_tools(), _remembering())),
            }
        )
    bare = times["bare toolset"]
    ratios = [
        {"name": f"{name} / {other}", "value": (times[name] - bare) / (times[other] - bare), "unit": "x"}
        for name, other in (
            ("approval: none, toolset", OTHER),
            ("remembered, toolset", OTHER),
            ("remembered, toolset", OTHER_REMEMBERED),
        )
    ]
    return [{"name": name, "value": value, "unit": "us"} for name, value in times.items()] + ratios


async def _in_turn(works: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                await work()
            times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    return {name: statistics.median(values) for name, values in times.items()}


async def _call(toolset: AbstractToolset[None]) -> Callable[[], Awaitable[object]]:
    ctx: RunContext[None] = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    tool = (await toolset.get_tools(ctx))["write_note"]
    return lambda: toolset.call_tool("write_note", dict(ARGUMENTS), ctx, tool)


def _tools() -> FunctionToolset[None]:
    async def write_note(path: str, sandbox: str) -> str:
        return path + sandbox

    return FunctionToolset([write_note])


def _memory() -> ApprovalMemory:
    memory = ApprovalMemory()
    memory.store("write_note", ARGUMENTS, ApprovalDecision(approved=True, remember="session"))
    return memory


def _remembering() -> Callable[[OtherRequest], OtherDecision]:
    """The other library's callback that remembers, in the words of its README, with its answer known already."""
    known: dict[tuple[str, str], OtherDecision] = {}
    known["write_note", json.dumps(ARGUMENTS, sort_keys=True, default=str)] = OtherDecision(
        approved=True, remember="session"
    )
    return lambda request: known[request.tool_name, json.dumps(request.tool_args, sort_keys=True, default=str)]


def _never(_: object) -> Any:
    raise AssertionError("nobody is asked")
