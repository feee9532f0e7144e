"""The checks that a way to confine commands passes before it is trusted."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Check"]


class Check(StrEnum):
    """A thing that a confined command can do, or cannot, in words."""

    STARTS = "a command starts, and its exit code comes back"
    WRITES = "it can write where it may"
    READS_ONLY = "it cannot write what it may only read"
    HIDES = "it cannot see anything else"
    KEEPS_PROTECTED = "a protected directory in a writable one stays as it is, and where it is"
    NETWORK = "it has a network of its own"
    PROCESSES = "it does not see other processes"
    PRIVILEGES = "it can get no new privileges"
    CAPABILITIES = "it has no capabilities"
    FILTERED = "its system calls are filtered"
