"""Tests that need the operating system to confine commands."""

from __future__ import annotations

import os

import pytest

from signoff.confine.detect import Unusable, detect

__all__ = ["require_backend"]


def require_backend(name: str = "bwrap") -> None:
    """Skip the test if commands cannot be confined here; fail it if ``SIGNOFF_REQUIRE_SANDBOX`` is 1."""
    found = detect(name)
    if isinstance(found, Unusable):
        (pytest.fail if os.environ.get("SIGNOFF_REQUIRE_SANDBOX") == "1" else pytest.skip)(str(found))
