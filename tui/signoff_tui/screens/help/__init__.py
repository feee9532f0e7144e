"""The keys, made from the action table."""

from __future__ import annotations

from signoff_tui.screens.help.screen import HelpScreen

__all__ = ["HelpScreen"]
