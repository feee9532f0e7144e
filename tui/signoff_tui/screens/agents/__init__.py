"""Who asks: which agents there are, what waits of each, and what the last hour was like."""

from __future__ import annotations

from signoff_tui.screens.agents.screen import AgentsScreen

__all__ = ["AgentsScreen"]
