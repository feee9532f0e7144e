"""Documents of commands and of plain text."""

from __future__ import annotations

from collections.abc import Mapping

from signoff.present.diff import split_lines
from signoff.present.document import Document, Sources
from signoff.present.masking import Masks, masked
from signoff.present.reveal import SafeText, quoted, reveal_line
from signoff.present.rows import RowKind, Run, fixed, joined, quoted_path

__all__ = ["command_document", "text_document"]


def command_document(
    command: str,
    cwd: str | None,
    env: Mapping[str, str] | None = None,
    *,
    real_cwd: str | None = None,
    notes: tuple[str, ...] = (),
    masks: Masks | None = None,
) -> Document:
    """Show a command, never cut: where it runs, what changes in its environment, and its lines.

    Args:
        command: Text handed to the shell.
        cwd: Working directory as the call names it, None if it is not known.
        env: Environment variables that are added or changed.
        real_cwd: The working directory with every link followed.
        notes: Facts for the heading.
        masks: Says what of the lines and the environment is hidden; None hides nothing.
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
    lines = split_lines(command)
    if not lines or lines[-1].endswith("\n"):
        lines.append("")  # so that a newline at the end can be seen
    runs.append(Run(RowKind.COMMAND, len(lines), counts=True, new=0, numbered=False))
    sources = Sources(new=lines, field="command", masks=masks)
    return Document("command", runs, sources, language_name="bash", notes=notes)


def text_document(text: str, *, notes: tuple[str, ...] = ()) -> Document:
    """Show a text; every line counts."""
    lines = split_lines(text)
    if lines:
        run = Run(RowKind.PLAIN, len(lines), counts=True, new=0, numbered=False)
    else:
        run = fixed(RowKind.NOTE, "(empty text)", counts=True)
    return Document("text", [run], Sources(new=lines), notes=notes)


def _on_one_row(text: str, masks: Masks | None = None) -> SafeText:
    safe = reveal_line(text, "arg_value", mark_trailing=True)
    # A variable can be run, so its name hides nothing.
    # The sign before it tells that its first word is none that is run.
    found = () if masks is None else masks.line_spans(f"={text}", command=True, in_block=False)
    return quoted(masked(safe, [(start - 1, end - 1) for start, end in found]))
