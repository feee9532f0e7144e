"""What runs without asking: list, origin, uses, revoke, and wider or narrower with a preview."""

from __future__ import annotations

from signoff_tui.screens.memory.screen import MemoryScreen

__all__ = ["MemoryScreen"]
