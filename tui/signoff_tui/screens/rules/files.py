"""The rule files that a person trusts, as they are now, with their rules."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from signoff.policy.trust import TrustedFile, trusted_files
from signoff.settings_yaml import ConfigError, Problem

if TYPE_CHECKING:
    from signoff.config.report import RuleRow
    from signoff.config.verdicts import SettingsFile

__all__ = ["FileRule", "RuleFile", "State", "read_files"]

State = Literal["trusted", "CHANGED", "GONE", "BROKEN"]


class RuleFile(Struct, frozen=True):
    """One trusted file.

    Attributes:
        known: Its entry on the list of trust.
        code: True if it is code of custom tools, not a file of rules.
        settings: Its settings as they are now, if it can be read.
        problems: The errors in it, line by line; safe to show.
        rows: Its rules.
        code_differs: True if the code of its custom tools is not what was trusted.
        warnings: The parts that are dangerous, let through more than they seem to, or have no effect.
        table: The error in the person's own rows of known programs; empty if there is none. Safe to show.
    """

    known: TrustedFile
    code: bool
    settings: SettingsFile | None = None
    problems: tuple[str, ...] = ()
    rows: tuple[RuleRow, ...] = ()
    code_differs: bool = False
    warnings: tuple[Problem, ...] = ()
    table: str = ""

    @property
    def name(self) -> str:
        """Its path."""
        return self.known.name

    @property
    def state(self) -> State:
        """Its state in one word."""
        if self.known.state == "gone":
            return "GONE"
        if self.problems:
            return "BROKEN"
        return "CHANGED" if self.known.state == "changed" or self.code_differs else "trusted"

    @property
    def in_force(self) -> bool:
        """True if agents that start now use it."""
        return self.state == "trusted"


class FileRule(Struct, frozen=True):
    """A rule of a file.

    Attributes:
        file: The file.
        number: Place of the rule in it, from 1.
    """

    file: RuleFile
    number: int

    @property
    def rule(self) -> RuleRow:
        """The rule itself, as the file has it."""
        return self.file.rows[self.number - 1]

    @property
    def line(self) -> int | None:
        """The line on which it is written."""
        return None if self.file.settings is None else self.file.settings.line_of(self.rule.path)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings of the file that are about this rule."""
        settings = self.file.settings
        if settings is None:
            return ()
        key = settings.respelled.place(self.rule.path)[1]
        return tuple(each for each in self.file.warnings if re.match(rf"{re.escape(key)}(?![^.\[])", each.key))


def read_files() -> tuple[RuleFile, ...]:
    """Read all files that are trusted.

    Raises:
        TrustError: What is trusted cannot be read.
    """
    known = trusted_files()
    unchanged = frozenset(each.name for each in known if each.state == "unchanged")
    return tuple(_read(each, unchanged) for each in known)


def _read(known: TrustedFile, unchanged: frozenset[str]) -> RuleFile:
    from signoff.config.load import TOOLS_FILE
    from signoff.config.report import describe, rule_rows
    from signoff.config.verdicts import read_settings_file
    from signoff.config.warnings import table_problem, warnings_of

    if Path(known.name).name == TOOLS_FILE:
        return RuleFile(known, code=True)
    if known.state == "gone":
        return RuleFile(known, code=False)
    try:
        settings = read_settings_file(known.name)
    except ConfigError as error:
        named = (replace(problem, file=Path(known.name).name) for problem in error.problems)
        return RuleFile(known, code=False, problems=tuple(map(str, named)))
    report = describe(settings.config, settings.directory)
    warnings = tuple(replace(each, file=Path(known.name).name) for each in warnings_of(settings, report))
    problem = table_problem()
    code = os.path.realpath(Path(settings.directory, TOOLS_FILE))
    differs = bool(settings.config.custom_tools) and code not in unchanged
    return RuleFile(
        known,
        code=False,
        settings=settings,
        rows=tuple(rule_rows(report)),
        code_differs=differs,
        warnings=warnings,
        table="" if problem is None else str(problem),
    )
