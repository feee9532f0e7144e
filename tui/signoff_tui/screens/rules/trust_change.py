"""The difference between a file and what was trusted of it: shown as a diff before it is trusted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from signoff.policy.trust import TrustError, trust, trusted_files
from signoff.present.document.diff import diff_document, file_document
from signoff.present.document.model import Document
from signoff.present.document.rows import Row, RowKind
from signoff.present.reveal import reveal_line
from signoff.settings_yaml import ConfigError
from signoff_tui.text.lines import Chunk, Line, chunk, folded, line, wrapped

if TYPE_CHECKING:
    from signoff.config.models import AgentConfig
    from signoff.config.report import RuleRow
    from signoff.config.verdicts import SettingsFile

__all__ = ["CannotTrustError", "TrustChange", "change_lines", "look_at", "no_longer_trust", "trust_shown"]

ANSWER_TOKENS: Mapping[str, str] = {"runs": "ok", "asks": "warn", "blocked": "danger", "unclear": "warn"}
"""The style of each answer to a call."""

_TOKENS = {
    RowKind.ADDED: "add",
    RowKind.REMOVED: "del",
    RowKind.HUNK: "hunk",
    RowKind.FOLD: "fold",
    RowKind.FACT: "fact",
    RowKind.NOTE: "warn",
}
_BACKGROUNDS = {
    RowKind.ADDED: "add-bg",
    RowKind.REMOVED: "del-bg",
    RowKind.HUNK: "surface",
    RowKind.FOLD: "surface",
}
_SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.FACT: "!", RowKind.NOTE: "!"}


class CannotTrustError(Exception):
    """A file cannot be trusted as it is; the text says why. Not safe to show yet."""


class TrustChange(Struct, frozen=True):
    """The question whether files count with these contents.

    Attributes:
        file: The settings file.
        contents: The contents to trust, by path: the file, and the code that it names.
        documents: The differences, by path; a file without a copy of what was trusted is shown whole.
        uncompared: Files of which no copy of what was trusted is there.
        gone: Rules that would not hold any more.
        new: Rules that would hold from now on.
        warnings: The warnings of `signoff policy trust`; before them the error in the table of programs, if any.
    """

    file: str
    contents: Mapping[str, bytes]
    documents: Mapping[str, Document]
    uncompared: frozenset[str] = frozenset()
    gone: tuple[RuleRow, ...] = ()
    new: tuple[RuleRow, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the question: other contents have another one."""
        return f"change of {self.file}: {hash(tuple(self.contents.values()))}"


def look_at(file: str) -> TrustChange | None:
    """Compare a settings file, and the code that it names, with what is trusted.

    Args:
        file: Its path.

    Returns:
        The difference; None if there is none.

    Raises:
        CannotTrustError: It is not valid, or cannot be read.
    """
    from signoff.config.trust import contents_of
    from signoff.config.verdicts import read_settings_file

    try:
        settings = read_settings_file(file)
        contents = contents_of(file, settings.text, settings.config)
        trusted = {each.name: each for each in trusted_files()}
    except ConfigError as error:
        first = error.problems[0]
        at = "" if first.mark is None else f", line {first.mark.line}"
        key = f"{first.key} " if first.key else ""
        raise CannotTrustError(f"{Path(file).name}{at}: {key}{first.message}") from error
    except (OSError, TrustError) as error:
        raise CannotTrustError(str(error)) from error
    documents: dict[str, Document] = {}
    uncompared: set[str] = set()
    for name, content in contents.items():
        known = trusted.get(str(Path(name).resolve()))
        if known is not None and known.state == "unchanged":
            continue
        before = None if known is None else known.trusted
        if before is None:
            uncompared.add(name)
        documents[name] = (
            diff_document(before, content, name) if before is not None else file_document(content, name)
        )
    if not documents:
        return None
    old = trusted.get(str(Path(file).resolve()))
    before_rows = _rows_of(None if old is None else old.trusted, file)
    now_rows = _rule_rows(settings.config, file)
    return TrustChange(
        file,
        contents,
        documents,
        frozenset(uncompared),
        gone=tuple(row for row in before_rows if not _among(row, now_rows)) if file not in uncompared else (),
        new=tuple(row for row in now_rows if not _among(row, before_rows)) if file not in uncompared else (),
        warnings=tuple(_warnings(settings)),
    )


def trust_shown(change: TrustChange) -> None:
    """Trust what was shown, if the files still hold just that.

    Args:
        change: The change that was shown.

    Raises:
        CannotTrustError: They hold something else by now, or it cannot be written.
    """
    now = look_at(change.file)
    if now is None or now.contents != change.contents:
        raise CannotTrustError("the files changed while you read; look at them again")
    try:
        trust(change.contents)
    except (OSError, TrustError) as error:
        raise CannotTrustError(str(error)) from error


def no_longer_trust(file: str) -> tuple[str, ...]:
    """Trust a file no longer, nor code that counts only with it.

    Args:
        file: Its name on the list of trust.

    Returns:
        What was trusted until now.

    Raises:
        CannotTrustError: What is trusted cannot be read or written.
    """
    from signoff.config.trust import untrust_settings

    try:
        return untrust_settings(file)
    except (OSError, TrustError) as error:
        raise CannotTrustError(str(error)) from error


def change_lines(change: TrustChange, width: int) -> list[Line]:
    """Return the lines about what would be trusted, from its effect to each line.

    Args:
        change: The question.
        width: Cells.
    """
    lines = wrapped(_counted(change), width, "strong" if change.new or change.gone else "text", head=chunk(" "))
    for sign, rows, token in (("-", change.gone, "muted"), ("+", change.new, "text")):
        for row in rows:
            word = row.answer or "--"
            loose = row.answer == "runs" and sign == "+"
            style = "danger" if loose else ANSWER_TOKENS.get(word, "muted")
            head = chunk(f"   {sign} {word:<8}", style, keep=True)
            lines += wrapped(f"{row.section} {row.about}: {row.place}{row.words}", width, token, head=head)
    for warning in change.warnings:
        lines += wrapped(f"warning: {warning}", width, "warn", head=chunk(" "))
    for name, document in change.documents.items():
        path = Chunk(reveal_line(name, "path"), "bar-strong", cut="front")
        lines += [Line(), line(chunk(" ", "bar-strong"), path, background="surface")]
        if name in change.uncompared:
            lines += wrapped(
                "no copy of what you trusted is there: all of it is shown", width, "warn", head=chunk(" ")
            )
        lines += [each for row in document if row.kind is not RowKind.PLACE for each in _row_lines(row, width)]
    return lines


def _counted(change: TrustChange) -> str:
    if change.file in change.uncompared:
        return "read all of it: what was trusted before is not known"
    if not change.new and not change.gone:
        return "no rule is other than before; what is different stands below"
    looser = any(row.answer == "runs" for row in change.new)
    loose = "; some let calls run without asking" if looser else ""
    return f"{_rules(len(change.gone))} gone, {_rules(len(change.new))} new{loose}"


def _row_lines(row: Row, width: int) -> list[Line]:
    token = _TOKENS.get(row.kind, "text")
    number = row.new_no if row.new_no is not None else row.old_no
    gutter = "" if number is None else str(number)
    head = chunk(f"{gutter:>5} {_SIGNS.get(row.kind, ' ')} ", token if row.kind in _SIGNS else "muted", keep=True)
    background = _BACKGROUNDS.get(row.kind, "background")
    return [replace(each, background=background) for each in folded(row.text, width, token, head=head)]


def _rules(number: int) -> str:
    return "1 rule" if number == 1 else f"{number} rules"


def _rows_of(text: bytes | None, file: str) -> tuple[RuleRow, ...]:
    from signoff.config.load import parse_config

    if text is None:
        return ()
    try:
        return _rule_rows(parse_config(text.decode("utf-8-sig"), file), file)
    except (ConfigError, UnicodeDecodeError):
        return ()


def _warnings(settings: SettingsFile) -> Iterator[str]:
    from signoff.config.report import describe
    from signoff.config.warnings import table_problem, warnings_of

    if (problem := table_problem()) is not None:
        yield str(problem)
    for warning in warnings_of(settings, describe(settings.config, settings.directory)):
        yield str(dataclasses.replace(warning, file=Path(warning.file).name))


def _rule_rows(config: AgentConfig, file: str) -> tuple[RuleRow, ...]:
    from signoff.config.report import describe, rule_rows

    return tuple(rule_rows(describe(config, Path(file).parent)))


def _among(row: RuleRow, rows: tuple[RuleRow, ...]) -> bool:
    """True if rows hold one that says the same, wherever it stands."""
    says = (row.section, row.about, row.words, row.place)
    return any((each.section, each.about, each.words, each.place) == says for each in rows)
