"""A callback that notes what it is asked and gives one answer."""

from __future__ import annotations

from typing import Any

from signoff.types import ApprovalDecision, ApprovalRequest


class Asked:
    """Approves, unless the answer says otherwise."""

    def __init__(self, **answer: Any) -> None:
        self.requests: list[ApprovalRequest] = []
        self.answer = ApprovalDecision(**{"approved": True, **answer})

    def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        self.requests.append(request)
        return self.answer

    @property
    def tools(self) -> list[str]:
        """The tools that were asked about, in order."""
        return [request.tool_name for request in self.requests]

    @property
    def times(self) -> int:
        """How often it was asked."""
        return len(self.requests)
