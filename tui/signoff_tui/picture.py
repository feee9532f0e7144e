"""Pictures of the screen as SVG files that refer to nothing outside themselves."""

from __future__ import annotations

import re
from pathlib import Path

from textual.app import App

__all__ = ["picture", "save_picture"]

_WEB_FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def picture(app: App[None]) -> str:
    """What the app shows now, as SVG."""
    return _WEB_FONTS.sub("", app.export_screenshot()).replace("Fira Code", _FONTS)


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
