"""Errors of confining."""

from __future__ import annotations

__all__ = ["LaunchError"]


class LaunchError(RuntimeError):
    """A command was not started, because it could not be confined as its profile says."""
