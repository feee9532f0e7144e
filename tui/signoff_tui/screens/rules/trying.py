"""The verdict of a typed call: what decides, and each part with its rule. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.cells import cell_len

from signoff.canonical import canonical
from signoff.policy.verdict import DOES, Level, PartVerdict, Verdict, floors_of, why
from signoff.present.reveal import reveal_line
from signoff_tui.screens.rules.files import RuleFile
from signoff_tui.screens.rules.wording import TOKENS, fact
from signoff_tui.text.lines import Chunk, Line, chunk, folded, foreign, line, wrapped

if TYPE_CHECKING:
    from signoff.config.verdicts import TypedCall

__all__ = ["Tried", "judge", "tried_lines"]

_LABEL = 9
_LONGEST = 20_000


class Tried(Struct, frozen=True):
    """What was typed, and what came of it.

    Attributes:
        file: The file that was asked.
        call: The call, if it is one.
        verdict: What the file says of it, if it says anything.
        problem: Why there is no verdict.
    """

    file: RuleFile
    call: TypedCall | None = None
    verdict: Verdict | None = None
    problem: str = ""


def judge(file: RuleFile, text: str) -> Tried:
    """Ask a file what it says of a call.

    Args:
        file: The file.
        text: What was typed.
    """
    from signoff.config.verdicts import UnreadableCallError, read_call

    try:
        call = read_call(text)
    except UnreadableCallError as error:
        return Tried(file, problem=str(error))
    if file.settings is None:
        return Tried(
            file, call, problem="this file holds no rules that can be read; choose another one in the list"
        )
    return Tried(file, call, call.judged_by(file.settings.verdicts))


def tried_lines(tried: Tried, width: int) -> list[Line]:
    """What was typed, the verdict, what decides, and each part.

    Args:
        tried: What came of it.
        width: Cells.
    """
    lines = list(_asked(tried, width))
    if tried.verdict is None:
        return [*lines, *fact("verdict", tried.problem or "type on", width, "warn")]
    verdict = tried.verdict
    lines += fact("verdict", f"{DOES[verdict.level]}: {why(verdict)}", width, TOKENS[DOES[verdict.level]])
    it = "it " if tried.call is not None and tried.call.command is not None else ""
    lines += [row for reason in floors_of(verdict) for row in fact("because", f"{it}{reason}", width)]
    if verdict.parts:
        lines += [Line(), line(chunk(" each part, and its rule", "muted"))]
        widest = max(cell_len(reveal_line(part.text[:_LONGEST], "command").text) for part in verdict.parts)
        lines += [row for part in verdict.parts for row in _part(part, width, min(widest, width // 2))]
    lines.append(Line())
    if not tried.file.in_force:
        said = "as the file is now, which you do not trust: agents that start now refuse it"
        lines += wrapped(said, width, "danger", head=chunk(" "))
    return [
        *lines,
        *wrapped("Nothing was run. The mode of the agent is left out.", width, "muted", head=chunk(" ")),
    ]


def _asked(tried: Tried, width: int) -> Iterator[Line]:
    call = tried.call
    if call is not None and call.command is not None:
        yield from folded(
            reveal_line(call.command[:_LONGEST], "command"), width, "strong", head=chunk(" $ ", "strong")
        )
    elif call is not None:
        server = "" if call.server is None else f" of server {call.server}"
        yield from wrapped(f"{call.tool}{server}", width, "strong", head=chunk(" { ", "strong"))
        given = canonical(dict(call.arguments))[:_LONGEST]
        yield from folded(reveal_line(given, "arg_value"), width, head=chunk("   "))
    yield from fact("rules of", Path(tried.file.name).name, width)


def _part(part: PartVerdict, width: int, column: int) -> Iterator[Line]:
    word, rule = DOES[part.level], f"by {part.rule}" if part.rule else "by no rule"
    head = chunk(f" {word:<{_LABEL}}", TOKENS[word], keep=True)
    text, by = reveal_line(part.text[:_LONGEST], "command"), foreign(rule, "muted")
    if cell_len(text.text) <= column and head.width + column + by.width + 2 < width:
        yield line(head, Chunk(text, least=column), chunk("  "), by)
    else:
        yield from folded(text, width, head=head)
        yield from wrapped(rule, width, "muted", head=chunk(" " * head.width))
    for reason in part.reasons:
        token = "muted" if part.level is Level.ALLOW else "warn"
        yield from wrapped(reason, width, token, head=chunk(" " * head.width + "! ", token))
