"""Approval for agents of ConnectOnion, in the messages of its tool approval.

```python
from connectonion import Agent, bash
from connectonion.useful_plugins import tool_approval
from signoff.adapters.connectonion import QueueIO

agent = Agent("assistant", tools=[bash], plugins=[tool_approval])
agent.io = QueueIO(caller="assistant")  # asks in the local queue
```

`QueueIO` is the other end of `agent.io`: whatever asks there, such as ConnectOnion's own plugin, asks in the
queue. `tool_approval` is a plugin for any `agent.io` that behaves as the document of ConnectOnion's has it, and
`approval_plugin` makes stricter ones.
"""

from __future__ import annotations

from signoff.adapters.connectonion.plugin import approval_plugin, tool_approval
from signoff.adapters.connectonion.queue_io import QueueIO

__all__ = ["QueueIO", "approval_plugin", "tool_approval"]
