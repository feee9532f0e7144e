"""Everything that can be done, by name."""

from __future__ import annotations

from signoff_tui.screens.palette.screen import PaletteScreen

__all__ = ["PaletteScreen"]
