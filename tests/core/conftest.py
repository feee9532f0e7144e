"""Both ways to ask a controller."""

from __future__ import annotations

import asyncio

import pytest
from controller_samples import Ask


@pytest.fixture(params=["async", "sync"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Both ways to ask; the blocking one in a thread of its own."""
    if request.param == "async":
        return lambda controller, wanted: controller.request_approval(wanted)
    return lambda controller, wanted: asyncio.to_thread(controller.request_approval_sync, wanted)
