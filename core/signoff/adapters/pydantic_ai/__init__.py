"""Approval for agents of PydanticAI.

```python
from pydantic_ai import Agent
from signoff.adapters.pydantic_ai import Approvals

agent = Agent("...", tools=[...], toolsets=[...], capabilities=[Approvals()])  # asks in the local queue
```

`Approvals` is for all tools of an agent. `ApprovalToolset` is for one toolset, or for a plain object whose methods
are the tools: ``Agent("...", toolsets=[ApprovalToolset(my_toolset)])``.
"""

from __future__ import annotations

try:
    from signoff.adapters.pydantic_ai.capability import Approvals
    from signoff.adapters.pydantic_ai.toolset import ApprovalToolset
except ImportError as error:
    if (error.name or "").partition(".")[0] != "pydantic_ai":
        raise
    raise ImportError(
        f"signoff.adapters.pydantic_ai needs PydanticAI ({error}): pip install 'signoff[pydantic-ai]'"
    ) from error

__all__ = ["ApprovalToolset", "Approvals"]
