"""Approval for clients of MCP that are made with its Python SDK.

```python
from mcp import Client
from signoff.adapters.mcp import approved

async with Client("http://localhost:8000/mcp") as client:
    approved(client.session, server="shop")  # asks in the local queue
    await client.call_tool("add", {"a": 1, "b": 2})
```

Whatever calls tools through the session asks: the client itself, and frameworks that take a session.
"""

from __future__ import annotations

try:
    from signoff.adapters.mcp.session import approved
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"mcp", "jsonschema"}:
        raise
    raise ImportError(
        f"signoff.adapters.mcp needs the Python SDK of MCP ({error}): pip install 'signoff[mcp]'"
    ) from error

__all__ = ["approved"]
