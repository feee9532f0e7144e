"""What stands below the words of a filter: what is wrong with them, or what could be typed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from signoff.filter import Completion, Field, FilterError
from signoff_tui.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped

__all__ = ["hint_lines", "problem_lines"]

_KEYS = "   Tab completes   Enter keeps   Esc as before   Ctrl+S saves it"
_FEWER = "   Tab completes  Enter keeps  Ctrl+S saves"
_FEWEST = "   Enter keeps  Ctrl+S saves"


def problem_lines(problem: FilterError, text: str, left: int, width: int) -> list[Line]:
    """Say what is wrong, with a mark below the place.

    Args:
        problem: What is wrong.
        text: The words.
        left: Column of the first of them; negative if it is scrolled out.
        width: Cells.
    """
    column = max(0, min(left + cell_len(text[: problem.column]), width - 1))
    mark = chunk(" " * column + "^ ", "danger", keep=True)
    message = foreign(problem.message, "warn")
    if mark.width + message.width <= width:
        return [line(mark, message)]
    return [line(mark), *wrapped(problem.message, width, "warn", head=chunk("   ", keep=True))]


def hint_lines(offered: Completion | None, chosen: int, about: Field | None, width: int) -> list[Line]:
    """Say what Tab goes through, or what the field takes, or what the keys do.

    Args:
        offered: What could be typed; None before Tab was pressed.
        chosen: Which of it stands in the words.
        about: The field whose value is being typed; None if there is none.
        width: Cells.
    """
    if offered is None:
        wordings = [_KEYS, _FEWER, _FEWEST]
        if about is not None:
            takes = f"   {about.name}: {about.help}"
            wordings = [f"{takes}{_KEYS}", takes, *wordings]
        return [fullest([line(chunk(words, "muted")) for words in wordings], width)]
    candidates = offered.candidates
    if not candidates:
        return [line(chunk("   nothing is known that could stand here", "muted"))]
    return [_candidates([foreign(each.text) for each in candidates], candidates[chosen].help, chosen, width)]


def _candidates(texts: Sequence[Chunk], help_: str, chosen: int, width: int) -> Line:
    """The chosen one with what it is about, then as many others as there is room for, and how many more."""
    first = Chunk(texts[chosen].text, "strong", keep=True, most=max(width // 2, 10))
    pieces = [chunk("   ", keep=True), first]
    if help_:
        pieces.append(chunk(f" {help_}", "muted"))
    used = sum(piece.width for piece in pieces)
    others = [*texts[chosen + 1 :], *texts[:chosen]]
    for number, text in enumerate(others):
        more = len(others) - number
        rest = cell_len(f"  +{more} more ")
        if used + text.width + 2 + (rest if more > 1 else 0) > width:
            pieces.append(chunk(f"  +{more} more", "muted", keep=True))
            break
        pieces += [chunk("  ", keep=True), text]
        used += text.width + 2
    return line(*pieces)
