"""How LangChain offers a tool to the model, as the definition that an approval is for."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema

from signoff.adapters.plain_schema import plain_hints, plain_schema
from signoff.definition import Definition

__all__ = ["definition_of"]


def definition_of(tool: BaseTool) -> Definition:
    """Return how a tool is offered now: its name, its description, and the schema and metadata that it has.

    Raises:
        NotJsonError: Its schema is nested too deep.
    """
    return Definition.of(
        tool.name, tool.description, plain_schema(_schema(tool)), plain_hints(tool.metadata or {})
    )


def _schema(tool: BaseTool) -> dict[str, Any]:
    """The schema of the arguments, which LangChain keeps until the tool is changed."""
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    try:
        return schema.model_json_schema() if issubclass(schema, BaseModel) else schema.schema()
    except PydanticInvalidForJsonSchema:  # no model can be offered it; programs call it
        return {"properties": dict.fromkeys(tool.args)}
