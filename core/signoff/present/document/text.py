"""Documents of commands and of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from signoff.effects import Confinement
from signoff.present.diff.engine import split_lines
from signoff.present.diff.refine import LEAST_FOLD
from signoff.present.document.masking import Masks, masked
from signoff.present.document.model import Document, Sources
from signoff.present.document.rows import RowKind, RowRun, fixed, joined, number_of, quoted_path
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, one_line, quoted, reveal_line

__all__ = [
    "UNFOLDED",
    "PartRow",
    "command_document",
    "counted",
    "parts_document",
    "text_document",
    "unfolded",
]


def command_document(
    command: str,
    cwd: str | None,
    env: Mapping[str, str] | None = None,
    *,
    real_cwd: str | None = None,
    confinement: Confinement | None = None,
    notes: tuple[str, ...] = (),
    masks: Masks | None = None,
) -> Document:
    """Show a command, never cut: its directory, the changes of its environment, and its lines.

    Args:
        command: Text handed to the shell.
        cwd: Working directory as the call names it, None if it is not known.
        env: Environment variables that are added or changed.
        real_cwd: The working directory with every link followed.
        confinement: The sandbox that it would run in.
        notes: Facts for the heading.
        masks: The rules of what to hide; None hides nothing.
    """
    kind = RowKind.PLACE if cwd is not None else RowKind.FACT
    place = quoted_path(cwd) if cwd is not None else SafeText.own("not known")
    if real_cwd is not None and real_cwd != cwd:
        kind = RowKind.FACT
        place = joined(place, ", which leads to ", quoted_path(real_cwd))
    runs = [fixed(kind, joined("cwd: ", place), counts=True)]
    for name, value in sorted((env or {}).items()):
        words = joined("env: ", _on_one_row(name), " = ", _on_one_row(value, masks))
        runs.append(fixed(RowKind.FACT, words, counts=True))
    if confinement is not None:
        confined = confinement.backend not in {"none", "external"}
        words = joined("sandbox: ", _confined(confinement))
        runs.append(fixed(RowKind.SANDBOX if confined else RowKind.FACT, words, counts=True))
    lines = split_lines(command)
    if not lines or lines[-1].endswith("\n"):
        lines.append("")  # so that a newline at the end can be seen
    runs.append(RowRun(RowKind.COMMAND, len(lines), counts=True, new=0, numbered=False))
    sources = Sources(new=lines, field="command", masks=masks)
    return Document(PresentationKind.COMMAND, runs, sources, language_name="bash", notes=notes)


def _confined(confinement: Confinement) -> SafeText:
    if confinement.backend == "none":
        return SafeText.own("none, so it can touch all that its user can")
    name = " ".join(filter(None, (confinement.backend, confinement.profile[:8])))
    return joined(reveal_line(confinement.words, "arg_value"), f" ({one_line(name)})")


def text_document(text: str, *, notes: tuple[str, ...] = ()) -> Document:
    """Show a text; every line counts."""
    lines = split_lines(text)
    if lines:
        run = RowRun(RowKind.PLAIN, len(lines), counts=True, new=0, numbered=False)
    else:
        run = fixed(RowKind.NOTE, "(empty text)", counts=True)
    return Document(PresentationKind.TEXT, [run], Sources(new=lines), notes=notes)


def _on_one_row(text: str, masks: Masks | None = None) -> SafeText:
    safe = reveal_line(text, "arg_value", mark_trailing=True)
    # A variable can be run, so its name hides nothing.
    # The sign before it tells that its first word is not run.
    found = () if masks is None else masks.line_spans(f"={text}", command=True, in_block=False)
    return quoted(masked(safe, [(start - 1, end - 1) for start, end in found]))


# -- The parts of a command as rows below it, each with remarks.
#
# Nobody has to have seen them, since the whole command stands above. The row of a part begins with signoff's words
# and ends with the part, so nothing in a part can pass for a remark; remarks have rows of their own.

UNFOLDED = 3
"""The amount of context above which no part is folded."""

MOST, FEW = 24, 8
"""The numbers of parts that are shown while some are folded: the riskiest, or a few if none is risky."""


class PartRow(Struct, frozen=True):
    """A part of a command.

    Attributes:
        level: 0 for low risk, 1 for medium, 2 for high.
        lead: The label before it: its risk, and the sign that joins it to the part before.
        risk: Characters of these that are the risk.
        text: Makes the part, safe to show.
        about: Makes the remarks on it, a row each.
    """

    level: int
    lead: str
    risk: int
    text: Callable[[], SafeText]
    about: tuple[Callable[[], SafeText], ...] = ()


def parts_document(
    title: SafeText | str,
    parts: Sequence[PartRow],
    words: Sequence[str],
    *,
    notes: tuple[str, ...] = (),
) -> Document:
    """Show the parts of a command. Of many, the least risky are folded and counted in their place.

    Args:
        title: The heading; a `str` must be words of signoff.
        parts: The parts to show, in order.
        words: For each level its risk in a word.
        notes: Facts for the heading of the request.
    """

    def of(context: int) -> Document:
        kept = unfolded([part.level for part in parts], context)
        runs = [fixed(RowKind.PARTS, title), *_rows(parts, kept, words)]
        return Document(PresentationKind.COMMAND, runs, notes=notes, context=context, other_context=of)

    return of(UNFOLDED)


def unfolded(levels: Sequence[int], context: int) -> frozenset[int]:
    """The indexes of the parts that are shown: of very many the riskiest, unless more context is wanted.

    Args:
        levels: The risk of each part.
        context: The amount of context that is wanted.
    """
    if len(levels) <= MOST or context > UNFOLDED:
        return frozenset(range(len(levels)))
    risky = [at for at, level in enumerate(levels) if level]
    return frozenset(sorted(risky, key=lambda at: -levels[at])[:MOST] or range(FEW))


def _rows(parts: Sequence[PartRow], kept: frozenset[int], words: Sequence[str]) -> Iterator[RowRun]:
    for shown, stretch in groupby(enumerate(parts), key=lambda item: item[0] in kept):
        group = [part for _, part in stretch]
        if shown or len(group) < LEAST_FOLD:
            yield from (row for part in group for row in _part(part))
        else:
            yield _fold(group, words)


_KINDS = (RowKind.PART, RowKind.RISKY_PART, RowKind.HIGH_PART)


def _part(part: PartRow) -> Iterator[RowRun]:
    yield RowRun(_KINDS[part.level], text=lambda: joined(part.lead, part.text()), lead=part.risk)
    for about in part.about:
        yield RowRun(RowKind.ABOUT, text=about)


def _fold(parts: Sequence[PartRow], words: Sequence[str]) -> RowRun:
    count = number_of(len(parts), "part")
    return fixed(
        RowKind.FOLD, f"({count} folded: {counted((part.level for part in parts), words)})", lines=len(parts)
    )


def counted(levels: Iterable[int], words: Sequence[str]) -> str:
    """The number of parts of each risk, the highest first; or the risk alone if all have the same."""
    found = Counter(levels)
    if len(found) == 1:
        return words[next(iter(found))]
    return ", ".join(f"{found[level]:,} {words[level]}" for level in reversed(range(len(words))) if found[level])
