"""What the list says of a filter: how much of what waits it hides, danger first."""

from __future__ import annotations

from signoff_tui.input.keymap import KeyMap
from signoff_tui.state.inbox_filter import Hidden
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped

__all__ = ["filter_line", "hidden_words", "nothing_listed", "only_listed"]

_STRAYS, _STAYS = "; the focused one does not match", "; the focused one stays"

LEAST_TEXT = 12
"""Cells that tell which filter it is."""


def filter_line(
    text: str, hidden: Hidden, keys: KeyMap, width: int, *, kept: bool = True, strays: bool = False
) -> Line:
    """What is hidden, by which filter, and the key that ends it. What is hidden is never cut.

    Args:
        text: The filter.
        hidden: What it hides.
        keys: The keys of the person.
        width: Cells.
        kept: Whether the row under the cursor stays listed where nothing matches.
        strays: Whether that row is listed although it does not match, among others that do.
    """
    key = chunk(f"[{keys.shown('clear_filter')}]", "key", keep=True)
    clears = (chunk("  "), key, chunk(" clears it ", keep=True))
    if not hidden.matches:
        return _nothing_matches(text, hidden, (clears, (chunk(" "), key, chunk(" "))), width, kept=kept)
    token = "danger" if hidden.high else "warn" if hidden.waiting else "muted"
    full, short = (chunk(f" {hidden_words(hidden, by)}", token, keep=True) for by in (" by filter", ""))
    by = Chunk(foreign(f"  {text}").text, cut="end", enough=LEAST_TEXT)
    stray = [_STRAYS, _STAYS] if strays else []
    return fullest(
        [
            *(line(full, by, chunk(words, "warn", keep=True), right=clears) for words in stray),
            *(line(short, by, chunk(words, "warn", keep=True), right=(chunk(" "), key)) for words in stray),
            line(full, by, right=clears),
            line(short, by, right=(chunk(" "), key, chunk(" "))),
            line(short, right=(key,)),
        ],
        width,
    )


def _nothing_matches(
    text: str, hidden: Hidden, rights: tuple[tuple[Chunk, ...], ...], width: int, *, kept: bool
) -> Line:
    """That a filter matches nothing, and why a row may still be listed; what waits and is hidden comes first."""
    token = "danger" if hidden.high else "warn"
    first = (chunk(f" {hidden_words(hidden)} ", token, keep=True),) if hidden.waiting else ()
    none = chunk(" no row matches", "warn", keep=True)
    by = Chunk(foreign(f" {text}").text, "warn", cut="end", enough=LEAST_TEXT)
    stays = (f"{_STAYS} listed", _STAYS) if kept else ()
    clears, key = rights
    return fullest(
        [
            *(line(*first, none, by, chunk(words, "warn", keep=True), right=clears) for words in (*stays, "")),
            line(*first, none, by, right=key),
            line(*(first or (none,)), right=key),
        ],
        width,
    )


def hidden_words(hidden: Hidden, by: str = "") -> str:
    """How much is hidden, by what, and how much of that is HIGH."""
    if not hidden.waiting:
        return f"nothing that waits is hidden{by}"
    high = f", of these {hidden.high} HIGH" if hidden.high else ""
    return f"{hidden.waiting} hidden{by}{high}"


def only_listed(keys: KeyMap) -> str:
    """What is said where the inbox lists only what one agent asks, because another screen wanted that."""
    clears, stops = keys.shown("clear_filter"), keys.shown("stop_all")
    return f"only its requests are listed; {stops} rejects all of it, {clears} lists all, Esc leads back"


def nothing_listed(hidden: Hidden, keys: KeyMap, width: int) -> tuple[Line, ...]:
    """What an empty list says while a filter is in force."""
    high = f", {hidden.high} HIGH" if hidden.high else ""
    words = f"{hidden.waiting} waiting{high} hidden. {keys.shown('clear_filter')} clears the filter."
    return (
        Line(),
        line(chunk("   No rows match.", "strong")),
        *wrapped(words, width, "danger" if hidden.high else "warn", head=chunk("   ", keep=True)),
    )
