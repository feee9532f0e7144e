"""Approval around any PydanticAI toolset, or around a plain object whose methods are tools.

```python
from pydantic_ai import Agent
from signoff.adapters.pydantic_ai import ApprovalToolset

agent = Agent("...", toolsets=[ApprovalToolset(my_toolset)])  # asks in the local queue
```
"""

from __future__ import annotations

try:
    from signoff.adapters.pydantic_ai.toolset import ApprovalToolset
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "pydantic_ai":
        raise
    raise ImportError(
        f"signoff.adapters.pydantic_ai needs PydanticAI ({error}): pip install 'signoff[pydantic-ai]'"
    ) from error

__all__ = ["ApprovalToolset"]
