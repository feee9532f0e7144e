"""The parts of a command in lines of words, for screen readers.

Screen readers often skip the signs that join commands, such as ``|`` and ``;``, so they are words here; the
command above has the signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from signoff.command_review import WORDS
from signoff.present.document.rows import number_of
from signoff.present.document.text import counted, unfolded

if TYPE_CHECKING:
    from signoff.command_review import ToldCommand, ToldPart

__all__ = ["parts_heading", "parts_lines"]

_JOINED: Mapping[str, str] = {
    "": "",
    "&&": "if the one before works",
    "||": "if the one before fails",
    "|": "reads what the one before prints",
    "|&": "reads what the one before prints, errors as well",
    ";": "then",
    "&": "while the one before runs",
    "$(": "what it prints becomes part of the line",
    "<(": "what it prints is read like a file",
    ">(": "it is written to like a file",
    "then": "if that works",
    "else": "if that fails",
    "if": "decides what runs next",
    "while": "decides how often the next ones run",
    "do": "in a loop",
    "case": "in one case",
    "function": "when the function is called",
}
"""The words for each sign that joins a part to the line."""

_RUNS = "runs"


def parts_heading(told: ToldCommand) -> str:
    """Return the number of parts of each risk, and the rules they were judged by, safe to print."""
    rules = "" if told.rules is None else f"; {told.rules.text}"
    return f"{told.guess}{told.found}{rules}"


def parts_lines(told: ToldCommand, context: int) -> Iterator[str]:
    """Return the remarks on a command, safe to print.

    Args:
        told: The command.
        context: The amount of detail: up to 3, the least risky of very many parts are only counted.
    """
    worst = len(WORDS) - 1
    yield from (line for each in told.remarks if each.level == worst for line in _remark(each))
    if not told.says_nothing_more:
        yield from _parts(told, context)
    yield from (line for each in told.remarks if each.level < worst for line in _remark(each))


def _parts(told: ToldCommand, context: int) -> Iterator[str]:
    levels = [part.level for part in told.parts]
    shown = unfolded(levels, context)
    above: list[int] = []
    for at, part in enumerate(told.parts):
        del above[part.depth :]
        if at in shown:
            yield f"{_lead(at, part, above)}: {part.text().text}"
            yield from (f"  {said().text}" for said in part.about)
        above.append(at + 1)
    left = [level for at, level in enumerate(levels) if at not in shown]
    if left:
        count = number_of(len(left), "part")
        yield f"{count} not listed: {counted(left, WORDS)}; signoff show --context 4 lists all"


def _lead(at: int, part: ToldPart, above: list[int]) -> str:
    """The words before a part: its number, its risk, and how it comes to run."""
    words = [f"part {at + 1}", WORDS[part.level]]
    if part.doubtful:
        words.append("may be a command")
    elif above:
        words.append(f"run by part {above[-1]}")
    if part.joined != _RUNS and (joined := _JOINED.get(part.joined, part.joined)):
        words.append(joined)
    return ", ".join(words)


def _remark(remark: ToldPart) -> Iterator[str]:
    yield f"{WORDS[remark.level]}: the line {remark.text().text}"
    yield from (f"  {said().text}" for said in remark.about)
