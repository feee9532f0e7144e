"""Pictures of the screen as SVG files that refer to nothing outside themselves."""

from __future__ import annotations

import re
from pathlib import Path

from textual.app import App

__all__ = ["picture", "save_picture", "self_contained"]

_WEB_FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def picture(app: App[None]) -> str:
    """What the app shows now, as SVG."""
    return self_contained(app.export_screenshot())


def self_contained(drawn: str) -> str:
    """An exported SVG that takes its letters from the machine it is looked at on, not from the web."""
    return _WEB_FONTS.sub("", drawn).replace("Fira Code", _FONTS)


def save_picture(app: App[None], path: Path) -> None:
    """Write what the app shows now.

    Args:
        app: A running app.
        path: The file to write; folders that are missing are made.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(picture(app), encoding="utf-8")
