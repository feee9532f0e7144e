"""Tools to call and create workers: agents that an agent starts. Every call has to be approved."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import JsonValue

from signoff.approved_call import require_approved
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["WorkerTools"]

_ARGUMENTS = {"worker_call": ("worker", "input"), "worker_create": ("name", "definition")}


class WorkerTools:
    """Two tools, `worker_call` and `worker_create`, that pass the call on to functions of the application.

    Every call is asked about, unless `tool_configs` says otherwise. The payload is everything that decides what
    runs, name and input or definition, so that a remembered approval covers exactly the same call again. A thing
    that the input only names, such as a file, is not part of it.

    Args:
        call: Runs a worker; called with its name and the input. Synchronous (then in a thread) or asynchronous.
        create: Creates a worker; called with its name and the definition.
    """

    def __init__(self, call: Callable[..., Any], create: Callable[..., Any]) -> None:
        self._call = call
        self._create = create

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The methods that are tools, by name."""
        return {"worker_call": self.worker_call, "worker_create": self.worker_create}

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Return a request for every call; `NotImplemented` for the tools of others.

        Raises:
            PermissionError: The call names no worker.
            ValueError: The input or definition is not JSON.
        """
        if ctx.tool_name not in _ARGUMENTS:
            return NotImplemented  # type: ignore[no-any-return]  # no opinion
        name, content = _ARGUMENTS[ctx.tool_name]
        worker = ctx.args.get(name)
        if not isinstance(worker, str) or not worker:
            raise PermissionError(f'"{name}" of {ctx.tool_name} must be the name of a worker')
        verb = "Call" if ctx.tool_name == "worker_call" else "Create"
        return ApprovalRequest(
            tool_name=ctx.tool_name,
            description=f"{verb} worker {worker}",
            payload={name: worker, content: ctx.args.get(content)},
            arguments=ctx.args,
            why="every use of a worker is asked for",
        )

    async def worker_call(self, worker: str, input: JsonValue = None) -> Any:  # noqa: A002 - the tool's argument
        """Run a worker and wait for its result.

        Args:
            worker: Name of the worker.
            input: What it is given.

        Raises:
            PermissionError: This is not what was approved.
        """
        require_approved("worker_call", {"worker": worker, "input": input})
        return await _run(self._call, worker, input)

    async def worker_create(self, name: str, definition: JsonValue) -> Any:
        """Create a worker.

        Args:
            name: Name of the worker.
            definition: All that it is made from, such as instructions, model and tools.

        Raises:
            PermissionError: This is not what was approved.
        """
        require_approved("worker_create", {"name": name, "definition": definition})
        return await _run(self._create, name, definition)


async def _run(function: Callable[..., Any], *arguments: JsonValue) -> Any:
    result = await asyncio.to_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result
