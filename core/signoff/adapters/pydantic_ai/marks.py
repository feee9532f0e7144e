"""Marks of tools that need approval, PydanticAI's own and ours, and its flag for approved calls.

PydanticAI defers a tool with `requires_approval=True`: the run ends, or a handler is asked, before its toolset
hears of the call. A toolset that asks itself needs the call instead, and the mark with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic_ai import RunContext
from pydantic_ai.tools import AgentDepsT, ToolDefinition
from pydantic_ai.toolsets import ToolsetTool

__all__ = ["approved_context", "called_at_once", "gated", "is_gated", "is_marked", "without_mark"]

Context = TypeVar("Context", bound=RunContext[Any] | None)

_MARK = "signoff_requires_approval"
_GATED = "signoff_asks"
"""Keys in the metadata of a tool definition; the model does not get them."""


def called_at_once(tool: ToolsetTool[AgentDepsT]) -> ToolsetTool[AgentDepsT]:
    """Return a tool that is not deferred for approval any more, with a mark that it would have been."""
    definition = tool.tool_def
    if definition.kind != "unapproved":
        return tool
    metadata = {**(definition.metadata or {}), _MARK: True}
    return replace(tool, tool_def=replace(definition, kind="function", metadata=metadata))


def gated(tool: ToolsetTool[AgentDepsT]) -> ToolsetTool[AgentDepsT]:
    """Return a tool with the mark of one that `Approvals` has ask."""
    metadata = {**(tool.tool_def.metadata or {}), _GATED: True}
    return replace(tool, tool_def=replace(tool.tool_def, metadata=metadata))


def is_gated(definition: ToolDefinition) -> bool:
    """True for a tool that `Approvals` has ask."""
    return _GATED in (definition.metadata or {})


def is_marked(tool: ToolsetTool[AgentDepsT] | None) -> bool:
    """True if PydanticAI would have deferred the tool for approval."""
    if tool is None:
        return False
    return tool.tool_def.kind == "unapproved" or _MARK in (tool.tool_def.metadata or {})


def without_mark(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the metadata of a tool as its toolset gave it."""
    return {key: value for key, value in (metadata or {}).items() if key not in (_MARK, _GATED)}


def approved_context(ctx: Context) -> Context:
    """Return the context of a run for a tool whose call was approved; a call from outside a run has none."""
    if ctx is None:
        return ctx
    # The same as `copy` and `replace`, but faster: every call goes through here.
    approved = object.__new__(type(ctx))
    vars(approved).update(vars(ctx), tool_call_approved=True)
    return approved
