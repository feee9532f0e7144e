"""The controller of a gate, whose queue is opened with the first request that needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from signoff.controller import ApprovalController
from signoff.modes import Mode, chosen_mode

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["GateController"]


class GateController:
    """The controller of one session.

    Args:
        connect: Opens the queue; called in a thread, with the first request, and again as long as it fails.
        mode: The mode of the settings; a stricter one of ``SIGNOFF_MODE`` holds.
    """

    def __init__(self, connect: Callable[[], AgentQueue], mode: Mode | None = None) -> None:
        self._connect = connect
        # The variables may be a project's, which must not say yes in a person's place.
        self._mode = chosen_mode("interactive", mode)
        self._controller: ApprovalController | None = None
        self._connecting: asyncio.Task[ApprovalController] | None = None

    async def connected(self) -> ApprovalController:
        """Return the controller, with its queue.

        Raises:
            QueueError: The queue cannot be opened.
        """
        if self._controller is not None:
            return self._controller
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._connected())
        # Whoever asks may be cancelled; the queue that is being opened is for the next one.
        return await asyncio.shield(self._connecting)

    async def _connected(self) -> ApprovalController:
        try:
            queue = await asyncio.to_thread(self._connect)
            self._controller = ApprovalController(self._mode, queue=queue)
        finally:
            self._connecting = None
        return self._controller

    def close(self) -> None:
        """Leave the queue."""
        if self._controller is not None and self._controller.queue is not None:
            self._controller.queue.close()
