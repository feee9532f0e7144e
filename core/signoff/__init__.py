"""signoff: the place where people say yes or no to what their AI agents want to do.

```python
import signoff

@signoff.asks                      # asks in the local queue; the command `signoff` shows it
def deploy(to: str) -> None:
    ...

deploy("staging")                  # runs if a person said yes, else raises a PermissionError
signoff.ask("drop table", {"name": "orders"})
```

Names are loaded when they are first used, so that short-lived commands stay quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff._lazy import late_names
from signoff._version import __version__

if TYPE_CHECKING:
    from signoff.adapters.pydantic_ai import ApprovalToolset as ApprovalToolset
    from signoff.asked_calls import ask, asks
    from signoff.connection import connect_agent
    from signoff.controller import ApprovalController
    from signoff.controller.callbacks import truncate_for_display
    from signoff.decorators import requires_approval, simple_approval_request
    from signoff.effects import Command, FileEdit, FileWrite
    from signoff.execution import execute_tool
    from signoff.session_memory import ApprovalMemory
    from signoff.types import (
        ApprovalAware,
        ApprovalContext,
        ApprovalDecision,
        ApprovalDeniedError,
        ApprovalPresentation,
        ApprovalRequest,
        ApprovalScope,
    )

__all__ = [
    "ApprovalAware",
    "ApprovalContext",
    "ApprovalController",
    "ApprovalDecision",
    "ApprovalDeniedError",
    "ApprovalMemory",
    "ApprovalPresentation",
    "ApprovalRequest",
    "ApprovalScope",
    "Command",
    "FileEdit",
    "FileWrite",
    "__version__",
    "ask",
    "asks",
    "connect_agent",
    "execute_tool",
    "requires_approval",
    "simple_approval_request",
    "truncate_for_display",
]

__getattr__ = late_names(
    __name__,
    {
        "adapters.pydantic_ai": ("ApprovalToolset",),
        "asked_calls": ("ask", "asks"),
        "connection": ("connect_agent",),
        "controller": ("ApprovalController",),
        "controller.callbacks": ("truncate_for_display",),
        "decorators": (
            "requires_approval",
            "simple_approval_request",
        ),
        "effects": (
            "Command",
            "FileEdit",
            "FileWrite",
        ),
        "execution": ("execute_tool",),
        "session_memory": ("ApprovalMemory",),
        "types": (
            "ApprovalAware",
            "ApprovalContext",
            "ApprovalDecision",
            "ApprovalDeniedError",
            "ApprovalPresentation",
            "ApprovalRequest",
            "ApprovalScope",
        ),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
