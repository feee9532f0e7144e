"""A settings file with rules added that let commands run: the text that a person would write. Nothing is written.

What is around the new lines stays as it is, comments too. A text that does not say exactly what is wanted when it
is read again is not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.config.loading import parse_config
from signoff.config.settings_file import SettingsFile
from signoff.config.verdicts import SettingsVerdicts
from signoff.setting_files.errors import ConfigError
from signoff.tools.shell_rules import ShellRule

if TYPE_CHECKING:
    from signoff.config.models import AgentConfig

__all__ = ["Added", "rule_lines", "verdicts_with", "with_rules"]


@dataclass(frozen=True, slots=True)
class Added:
    """A settings file with rules added.

    Attributes:
        text: All of it.
        line: The first of the new lines, from 1.
        new: The new lines.
    """

    text: str
    line: int
    new: tuple[str, ...]


def rule_lines(pattern: str) -> tuple[str, ...]:
    """A rule that lets commands run, as it is written in a list.

    Args:
        pattern: The first words of the commands; words that a rule can have are plain in YAML too.
    """
    return (f'- pattern: "{pattern}"', "  approval: false")


def verdicts_with(settings: SettingsFile, patterns: Sequence[str]) -> SettingsVerdicts | None:
    """What a file would say of calls with some rules more.

    Args:
        settings: The file.
        patterns: The first words of commands that these rules let run.

    Returns:
        None if the file gives no shell: then rules for it would not only loosen it, but give one.
    """
    wanted = _wanted(settings.config, patterns)
    return None if wanted is None else SettingsVerdicts(wanted, settings.directory)


def with_rules(settings: SettingsFile, patterns: Sequence[str]) -> Added | None:
    """The text of a file with some rules more.

    Args:
        settings: The file.
        patterns: The first words of commands that these rules let run.

    Returns:
        None if no lines can simply be put into it, such as where the list stands in brackets.
    """
    wanted = _wanted(settings.config, patterns)
    if wanted is None:
        return None
    for added in _attempts(settings, patterns):
        try:
            says = parse_config(added.text, Path(settings.file).name)
        except ConfigError:
            continue
        if says.model_dump() == wanted.model_dump():
            return added
    return None


def _wanted(config: AgentConfig, patterns: Sequence[str]) -> AgentConfig | None:
    shell = config.shell
    if shell is None:
        return None
    rules = (*shell.rules, *(ShellRule(pattern=pattern, approval=False) for pattern in patterns))
    return config.model_copy(update={"shell": shell.model_copy(update={"rules": rules})})


def _attempts(settings: SettingsFile, patterns: Sequence[str]) -> Iterator[Added]:
    """Where new rules may belong: behind the last one, below the key of the shell, at the end."""
    lines = settings.text.splitlines(keepends=True)
    rules = [row for pattern in patterns for row in rule_lines(pattern)]
    assert settings.config.shell is not None
    number = len(settings.config.shell.rules)
    if number:
        last = settings.line_of(("shell", "rules", number - 1))
        if last is not None:
            dash = _indent(lines[last - 1])
            yield _inserted(lines, _end_of_item(lines, last, dash), [" " * dash + row for row in rules])
        return
    shell = settings.line_of(("shell",))
    if shell is not None:
        inner = next((_indent(line) for line in lines[shell:] if _says_something(line)), 0)
        inner = inner or 2
        added = [" " * inner + "rules:", *(" " * (inner + 2) + row for row in rules)]
        yield _inserted(lines, shell, added)
    yield _inserted(lines, len(lines), ["shell_rules:", *(f"  {row}" for row in rules)])


def _end_of_item(lines: Sequence[str], first: int, dash: int) -> int:
    """How many lines there are up to the end of the item of a list that begins on a line, from 1."""
    end = first
    for number, line in enumerate(lines[first:], first + 1):
        if not _says_something(line):
            continue
        if _indent(line) <= dash:
            break
        end = number
    return end


def _inserted(lines: Sequence[str], at: int, new: Sequence[str]) -> Added:
    before = list(lines[:at])
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if before and not before[-1].endswith(("\n", "\r")):
        before[-1] += ending
    text = "".join([*before, *(f"{row}{ending}" for row in new), *lines[at:]])
    return Added(text, at + 1, tuple(new))


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
