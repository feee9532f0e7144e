"""The real sandbox, for tests that ask the kernel."""

from __future__ import annotations

import pytest

from sandbox_bench import require_backend


@pytest.fixture(scope="session")
def real_sandbox() -> None:
    """Skip where commands cannot be confined, or fail where they must be."""
    require_backend()
