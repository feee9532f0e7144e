"""What was decided, by whom or what, and what had been shown."""

from __future__ import annotations

from signoff_tui.screens.history.screen import HistoryScreen

__all__ = ["HistoryScreen"]
