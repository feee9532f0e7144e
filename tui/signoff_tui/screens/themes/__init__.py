"""The choice of a theme, with a sample of each."""

from __future__ import annotations

from signoff_tui.screens.themes.screen import ThemesScreen

__all__ = ["ThemesScreen"]
