"""How PydanticAI offers a tool to the model, as the definition that an approval is for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.toolsets.function import FunctionToolsetTool

from signoff.adapters.plain_schema import plain_hints, plain_schema
from signoff.adapters.pydantic_ai.marks import without_mark
from signoff.definition import Definition

__all__ = ["Definitions", "Look", "looking_at", "may_change"]

Look = Callable[[], Awaitable[Definition | None]]
"""How a tool is offered now; None if it is not any more."""


class Definitions:
    """The definitions of a toolset's tools; each is spelled once, not for every call.

    A toolset makes new objects for every step of a run, from the same description, schema and metadata.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[ToolDefinition, Definition]] = {}

    def of(self, tool: ToolsetTool[Any] | None) -> Definition | None:
        """Return how a tool is offered; None for a call without a tool.

        Raises:
            NotJsonError: Its schema is nested too deep.
        """
        if tool is None:
            return None
        offered = tool.tool_def
        known = self._known.get(offered.name)
        if known is not None and (known[0] is offered or _said(known[0]) == _said(offered)):
            return known[1]
        made = _definition(offered)
        self._known[offered.name] = offered, made
        return made


def may_change(tool: ToolsetTool[Any] | None) -> bool:
    """Whether something else than this process runs the tool, so that it may be another one by now.

    A function tool brings the function that it describes; a tool of an MCP server is no more than a name.
    """
    if tool is None or isinstance(tool, FunctionToolsetTool):
        return False
    while (source := getattr(tool, "source_tool", None)) is not None:  # that of a CombinedToolset
        tool = source
    return not isinstance(tool, FunctionToolsetTool)


def looking_at(toolset: AbstractToolset[Any], name: str, ctx: RunContext[Any]) -> Look:
    """Return a function that asks a toolset how it offers a tool now."""

    async def look() -> Definition | None:
        tool = (await toolset.get_tools(ctx)).get(name)
        return None if tool is None else _definition(tool.tool_def)

    return look


def _said(offered: ToolDefinition) -> tuple[Any, ...]:
    # Identical parts are found equal without being compared.
    return offered.description, offered.parameters_json_schema, offered.metadata, offered.return_schema


def _definition(offered: ToolDefinition) -> Definition:
    hints: Mapping[str, Any] = {**without_mark(offered.metadata), "returns": offered.return_schema}
    schema = plain_schema(offered.parameters_json_schema)
    return Definition.of(offered.name, offered.description, schema, plain_hints(hints))
