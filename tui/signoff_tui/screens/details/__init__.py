"""All that is known of one request besides what it would do."""

from __future__ import annotations

from signoff_tui.screens.details.screen import DetailsScreen

__all__ = ["DetailsScreen"]
