"""Approval for tools and agents of LangChain.

```python
from langchain.agents import create_agent
from signoff.adapters.langchain import ApprovalMiddleware

agent = create_agent(model, tools, middleware=[ApprovalMiddleware()])  # asks in the local queue
```

`ApprovalMiddleware` is for agents: a soft refusal is reported to the model, a hard one ends the run. `approved`
makes one tool ask by itself, wherever it is used, and `ApprovalToolWrapper` is for programs that call a tool
themselves. `answer_interrupts` runs an agent that pauses by LangChain's own `HumanInTheLoopMiddleware`.
"""

from __future__ import annotations

try:
    from signoff.adapters.langchain.interrupts import InterruptError, aanswer_interrupts, answer_interrupts
    from signoff.adapters.langchain.middleware import ApprovalMiddleware
    from signoff.adapters.langchain.tool import ApprovalToolWrapper, approved
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"langchain", "langchain_core", "langgraph"}:
        raise
    raise ImportError(
        f"signoff.adapters.langchain needs LangChain ({error}): pip install 'signoff[langchain]'"
    ) from error

__all__ = [
    "ApprovalMiddleware",
    "ApprovalToolWrapper",
    "InterruptError",
    "aanswer_interrupts",
    "answer_interrupts",
    "approved",
]
