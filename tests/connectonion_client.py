"""A client of ConnectOnion's tool approval: the other end of `agent.io`."""

from __future__ import annotations

import json
from typing import Any

CLOSED = {"type": "io_closed"}
"""What `receive` returns once the connection is closed."""


class Client:
    """Gives the answers that it has, in order.

    It has chosen to be asked about edits of files too; later versions of ConnectOnion let them through otherwise.

    Attributes:
        asked: The questions that came, as they would over the wire.
    """

    def __init__(self, *answers: object) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answers = iter(answers)

    def send(self, event: dict[str, Any]) -> None:
        if event["type"] == "approval_needed":
            self.asked.append(json.loads(json.dumps(event)))

    def receive(self) -> Any:
        return next(self._answers)

    def receive_all(self, msg_type: str | None = None) -> list[dict[str, Any]]:
        return [{"type": msg_type, "mode": "read-only"}] if msg_type == "mode_change" else []
