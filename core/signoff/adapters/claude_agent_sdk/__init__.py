"""Approval for programs of the Claude Agent SDK.

```python
from claude_agent_sdk import ClaudeAgentOptions
from signoff.adapters.claude_agent_sdk import approval_hook

options = ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook()]})  # asks in the local queue
```

The tools are those of Claude Code, and so are the questions: what `signoff hook claude-code` shows, and leaves to
the agent, is the same here.
"""

from __future__ import annotations

try:
    from signoff.adapters.claude_agent_sdk.hook import approval_hook
except ImportError as error:
    if (error.name or "").partition(".")[0] != "claude_agent_sdk":
        raise
    raise ImportError(
        f"signoff.adapters.claude_agent_sdk needs its SDK ({error}): pip install 'signoff[claude-agent-sdk]'"
    ) from error

__all__ = ["approval_hook"]
