"""A server of MCP over standard input and output with one tool, `delete`, that writes its calls down.

Run as a program with the path of the file that the calls are added to.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
DELETE = {"name": "delete", "description": "Delete a project.", "inputSchema": SCHEMA}


async def serve(calls: Path) -> None:
    """Serve until the client is gone."""

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(DELETE)])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        with calls.open("a") as file:
            file.write(json.dumps(params.arguments) + "\n")
        return types.CallToolResult(content=[types.TextContent(type="text", text="deleted")])

    server = Server("projects", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
