"""The real sandbox, for tests that ask the kernel."""

from __future__ import annotations

import os

import pytest

from signoff.confine.detect import Usable, detect

REQUIRED = "SIGNOFF_REQUIRE_SANDBOX"
"""Environment variable that is 1 where these tests must run, so that they cannot pass by being left out."""


@pytest.fixture(scope="session")
def real_sandbox() -> None:
    """Skip where commands cannot be confined, or fail where they must be."""
    found = detect("bwrap")
    if not isinstance(found, Usable):
        (pytest.fail if os.environ.get(REQUIRED) == "1" else pytest.skip)(str(found))
