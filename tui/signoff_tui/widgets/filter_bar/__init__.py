"""The line on which a filter is typed, for every screen that has a list."""

from __future__ import annotations

from signoff_tui.widgets.filter_bar.bar import FilterBar

__all__ = ["FilterBar"]
