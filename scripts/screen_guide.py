"""Writes what docs/screen.md takes from the program: the default settings, and the actions with their keys.

Usage: python scripts/screen_guide.py
"""

from __future__ import annotations

import re
from pathlib import Path

from signoff_tui.input.actions import ACTIONS
from signoff_tui.input.keymap import MAPPABLE, STANDARD
from signoff_tui.settings import template

GUIDE = Path(__file__).parents[1] / "docs" / "screen.md"


def main() -> None:
    """Write the guide anew."""
    GUIDE.write_text(renewed(GUIDE.read_text("utf-8")), "utf-8")
    print(f"wrote {GUIDE.relative_to(Path(__file__).parents[1])}")


def renewed(guide: str) -> str:
    """The guide with these parts as they are now."""
    guide = _between(guide, "```yaml\n# Settings of the signoff screen", "```\n", f"```yaml\n{template()}```\n")
    return _between(guide, "| name | keys |", "\n\n", f"{_actions()}\n")


def _between(guide: str, start: str, end: str, part: str) -> str:
    pattern = re.compile(f"^{re.escape(start)}.*?{re.escape(end)}", re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda _: part, guide, count=1)


def _actions() -> str:
    words = {action.name: action.words for action in reversed(ACTIONS)}
    rows = [f"| `{name}` | {_keys(name)} | {words[name]} |\n" for name in MAPPABLE]
    return "".join(["| name | keys | what it does |\n| --- | --- | --- |\n", *rows])


def _keys(name: str) -> str:
    # A bar would end the cell of the table.
    return " ".join(f"`{key}`".replace("|", "\\|") for key in STANDARD.names_of_keys(name))


if __name__ == "__main__":
    main()
