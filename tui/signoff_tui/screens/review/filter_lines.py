"""What the list says of a filter: how much of what waits it hides, danger first."""

from __future__ import annotations

from signoff_tui.inbox_filter import Hidden
from signoff_tui.keymap import KeyMap
from signoff_tui.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped

__all__ = ["filter_line", "hidden_words", "nothing_listed", "only_listed"]

LEAST_TEXT = 12
"""Cells that tell which filter it is."""


def filter_line(text: str, hidden: Hidden, keys: KeyMap, width: int) -> Line:
    """What is hidden, by which filter, and the key that ends it. What is hidden is never cut.

    Args:
        text: The filter.
        hidden: What it hides.
        keys: The keys of the person.
        width: Cells.
    """
    token = "danger" if hidden.high else "warn" if hidden.waiting else "muted"
    full, short = (chunk(f" {hidden_words(hidden, by)}", token, keep=True) for by in (" by filter", ""))
    by = Chunk(foreign(f"  {text}").text, "text" if hidden.matches else "warn", cut="end", enough=LEAST_TEXT)
    none = () if hidden.matches else (chunk("  no row matches:", "warn", keep=True),)
    stays = () if hidden.matches else (chunk("  (only the row under the cursor is listed)", "warn", keep=True),)
    key = chunk(f"[{keys.shown('clear_filter')}]", "key", keep=True)
    clears = (chunk("  "), key, chunk(" clears it ", keep=True))
    return fullest(
        [
            line(full, *none, by, *stays, right=clears),
            *(line(short, *none, by, *stays, right=right) for right in (clears, (key,)) if stays),
            line(full, *none, by, right=clears),
            line(short, *none, by, right=(chunk(" "), key, chunk(" "))),
            line(short, right=(key,)),
        ],
        width,
    )


def hidden_words(hidden: Hidden, by: str = "") -> str:
    """How much is hidden, by what, and how much of that is HIGH."""
    if not hidden.waiting:
        return f"nothing hidden{by}"
    high = f", of these {hidden.high} HIGH" if hidden.high else ""
    return f"{hidden.waiting} hidden{by}{high}"


def only_listed(keys: KeyMap) -> str:
    """What is said where the inbox lists only what one agent asks, because another screen wanted that."""
    clears, stops = keys.shown("clear_filter"), keys.shown("stop_all")
    return f"only its requests are listed; {clears} lists all, {stops} rejects all of it once [armed]"


def nothing_listed(hidden: Hidden, keys: KeyMap, width: int) -> tuple[Line, ...]:
    """What an empty list says while a filter is in force."""
    high = f", {hidden.high} HIGH" if hidden.high else ""
    words = f"{hidden.waiting} waiting{high} hidden. {keys.shown('clear_filter')} clears the filter."
    return (
        Line(),
        line(chunk("   No rows match.", "strong")),
        *wrapped(words, width, "danger" if hidden.high else "warn", head=chunk("   ", keep=True)),
    )
