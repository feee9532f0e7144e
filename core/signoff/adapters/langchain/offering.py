"""Which tools a model is offered: not those that policy blocks by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware.types import ModelRequest
from langchain_core.tools import BaseTool

from signoff.adapters.langchain.tool import ApprovedTool
from signoff.needs import ApprovalNeeds

__all__ = ["is_offered", "offering"]


def offering(request: ModelRequest[Any], needs: ApprovalNeeds) -> ModelRequest[Any]:
    """The request with only those tools that the model is to know of.

    Args:
        request: What the model is about to be asked.
        needs: Says which tools it is not to know of.
    """
    offered = [tool for tool in request.tools if is_offered(tool, needs)]
    return request if len(offered) == len(request.tools) else request.override(tools=offered)


def is_offered(tool: BaseTool | Mapping[str, Any], needs: ApprovalNeeds) -> bool:
    """Whether a model is to know of a tool.

    Args:
        tool: The tool; as a mapping, one that the model's provider runs.
        needs: As for `offering`.
    """
    if isinstance(tool, ApprovedTool) and tool.hidden:
        return False
    return not needs.hides(tool.name if isinstance(tool, BaseTool) else _name_of(tool))


def _name_of(tool: Mapping[str, Any]) -> str:
    """The name of a tool in the spellings of the providers; if it has none, what kind it is."""
    function = tool.get("function")
    named = function if isinstance(function, Mapping) else tool
    return str(named.get("name") or tool.get("type") or "")
