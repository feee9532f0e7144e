"""What the rule files say: each rule in words, how often it asked, the verdict of a typed call, edit and trust."""

from __future__ import annotations

from signoff_tui.screens.rules.screen import RulesScreen

__all__ = ["RulesScreen"]
