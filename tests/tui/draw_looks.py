"""Draws the stored pictures of all looks as SVG files, one for each look.

Usage: python tests/tui/draw_looks.py FOLDER [PART OF A NAME ...]

Looks without colors of their own are drawn on a dark and on a light terminal.
"""

from __future__ import annotations

import io
import sys
from itertools import chain
from pathlib import Path

from looks_form import Shot, from_text, style_of
from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, MONOKAI, TerminalTheme

from signoff.demo.pilot import self_contained

STORED = Path(__file__).parent / "screens" / "__snapshots__" / "test_looks"
LIGHT, DARK = DEFAULT_TERMINAL_THEME, MONOKAI


def main() -> None:
    """Draw all that were asked for."""
    folder, *wanted = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    drawn = 0
    for path in sorted(STORED.glob("*.look")):
        if wanted and not any(part in path.name for part in wanted):
            continue
        view = path.stem.partition("[")[2].rstrip("]")
        for look, shot in from_text(path.read_text("utf-8")).items():
            terminals = {"": DARK} if look not in {"signoff-ansi", "no-color"} else {"": DARK, "-on-light": LIGHT}
            for suffix, terminal in terminals.items():
                name = f"{view}-{look.removeprefix('signoff-')}{suffix}"
                (Path(folder) / f"{name}.svg").write_text(drawing(shot, name, terminal), "utf-8")
                drawn += 1
    print(f"{drawn} pictures in {folder}")


def drawing(shot: Shot, title: str, terminal: TerminalTheme = DARK) -> str:
    """One picture as SVG, in a terminal with these colors."""
    width, height = len(shot[0]), len(shot)
    console = Console(
        width=width, height=height, file=io.StringIO(), force_terminal=True, color_system="truecolor", record=True
    )
    rows = ([*(Segment(letter, style_of(painted)) for letter, painted in row), Segment.line()] for row in shot)
    console.print(Segments(list(chain.from_iterable(rows))), end="")
    return self_contained(console.export_svg(title=title, theme=terminal))


if __name__ == "__main__":
    main()
