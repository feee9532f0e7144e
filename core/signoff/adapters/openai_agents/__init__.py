"""Approval for agents of the OpenAI Agents SDK.

```python
from agents import Agent, Runner
from signoff.adapters.openai_agents import approved

agent = approved(Agent("assistant", tools=[...]))  # asks in the local queue
result = await Runner.run(agent, "...")
```

`approved` is for an agent with all that it reaches: function tools, agents that are its tools, local MCP servers,
and the agents that it hands over to. A soft refusal is reported to the model, a hard one ends the run.
"""

from __future__ import annotations

try:
    from signoff.adapters.openai_agents.agent import approved
    from signoff.adapters.openai_agents.tool import CallBlockedError, RunStoppedError
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"agents", "jsonschema"}:
        raise
    raise ImportError(
        f"signoff.adapters.openai_agents needs openai-agents ({error}): pip install 'signoff[openai-agents]'"
    ) from error

__all__ = ["CallBlockedError", "RunStoppedError", "approved"]
