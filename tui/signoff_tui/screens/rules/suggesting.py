"""Narrow rules drawn from what people approved in one session, as the file would look with them.

Nothing is written: the lines can be copied, and the person's editor opens the file where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from signoff.policy.verdict import Level
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document
from signoff.present.reveal import reveal_line
from signoff.queue import HistoryFilter, HistoryRecord, ReviewQueue
from signoff_tui.screens.rules.changing import document_lines, file_line
from signoff_tui.screens.rules.files import RuleFile
from signoff_tui.screens.rules.wording import fact
from signoff_tui.text.lines import Line, chunk, folded, wrapped

if TYPE_CHECKING:
    from signoff.config.suggest import Suggestion
    from signoff.config.verdicts import SettingsFile

__all__ = ["NothingToSuggestError", "Suggested", "SuggestedRule", "suggest", "suggested_lines"]

_LONGEST = 2_000
_EXAMPLES = 3


class NothingToSuggestError(Exception):
    """There is no rule to suggest; the text says why. Not safe to show yet."""


class SuggestedRule(Struct, frozen=True):
    """A rule that would let commands run.

    Attributes:
        pattern: Their first words.
        approved: How many calls that it is about people approved in the session.
        unasked: How many of them the file asked about, and would let run with the rule.
        commands: These commands, each once.
    """

    pattern: str
    approved: int
    unasked: int
    commands: tuple[str, ...]


class Suggested(Struct, frozen=True):
    """What is suggested for a file.

    Attributes:
        file: The settings file.
        session: The session whose approvals it is drawn from.
        agent: Name of its agent.
        rules: What the rules would be.
        new: The lines that they would be written with.
        line: Where these lines would begin; None if the person has to find the place.
        document: The file compared with how it would be; None if no lines can simply be put into it.
    """

    file: RuleFile
    session: str
    agent: str
    rules: tuple[SuggestedRule, ...]
    new: tuple[str, ...]
    line: int | None = None
    document: Document | None = None

    @property
    def text(self) -> str:
        """The new lines as one text."""
        return "".join(f"{row}\n" for row in self.new)


def suggest(queue: ReviewQueue, file: RuleFile) -> Suggested:
    """Look what people approved in the directory of a file, in the session in which that was done last.

    All of the history counts against a rule: what was refused, or of HIGH risk, in any session.

    Args:
        queue: An open connection.
        file: The file.

    Raises:
        NothingToSuggestError: There is nothing to suggest.
        QueueError: The history cannot be read.
    """
    from signoff.config.suggest import LEAST_APPROVALS, rule_lines, suggestions, with_rules

    settings = file.settings
    if settings is None or not file.in_force:
        raise NothingToSuggestError("rules are suggested only for a file that is as you trusted it")
    if settings.config.shell is None:
        raise NothingToSuggestError("this file gives no shell, so a rule for commands would give one")
    records = _shell_calls(queue)
    last = next((record for record in reversed(records) if _is_drawn_from(record, settings)), None)
    if last is None:
        raise NothingToSuggestError("no command was approved by a person in the directory of this file")
    found = suggestions(
        records, lambda record: record.session == last.session and _is_drawn_from(record, settings)
    )
    rules = tuple(rule for each in found if (rule := _rule(each, settings)).unasked)
    if not rules:
        few = f"needed are {LEAST_APPROVALS} approvals of one kind, none refused or HIGH, that the file asks about"
        raise NothingToSuggestError(f"nothing to suggest from session {last.session} of {last.agent_name}: {few}")
    patterns = [rule.pattern for rule in rules]
    added = with_rules(settings, patterns)
    if added is None:
        new = tuple(row for pattern in patterns for row in rule_lines(pattern))
        return Suggested(file, last.session, last.agent_name, rules, new)
    document = diff_document(settings.text.encode(), added.text.encode(), file.name)
    return Suggested(file, last.session, last.agent_name, rules, added.new, added.line, document)


def suggested_lines(suggested: Suggested, width: int) -> list[Line]:
    """What is suggested, why, and what would be other in the file.

    Args:
        suggested: What is suggested.
        width: Cells.
    """
    rules = suggested.rules
    lines = wrapped(
        "Suggested: 1 rule" if len(rules) == 1 else f"Suggested: {len(rules)} rules",
        width,
        "strong",
        head=chunk(" "),
    )
    whose = f"session {suggested.session} of {suggested.agent}: the last in which people approved commands here"
    lines += fact("from", whose, width)
    for rule in rules:
        lines += [Line(), *_rule_lines(rule, width)]
    also = "each rule also lets through what is known to be harmless behind its words"
    lines += fact("wider", also, width, "warn")
    lines += [Line(), file_line(suggested.file.name)]
    if suggested.document is not None:
        lines += document_lines(suggested.document, width)
    else:
        said = "its rules stand in brackets, so no lines can simply be put in; these would be needed:"
        lines += wrapped(said, width, "warn", head=chunk(" "))
        lines += [each for row in suggested.new for each in _new_line(row, width)]
    said = "Nothing is saved: c copies the new lines, e opens the file. What you save is shown before it counts."
    return [*lines, Line(), *wrapped(said, width, "muted", head=chunk(" "))]


def _shell_calls(queue: ReviewQueue) -> Sequence[HistoryRecord]:
    from signoff.config.verdicts import SHELL_TOOLS

    found = [record for tool in sorted(SHELL_TOOLS) for record in queue.export(HistoryFilter(tool_name=tool))]
    return sorted(found, key=lambda record: record.seq)


def _is_drawn_from(record: HistoryRecord, settings: SettingsFile) -> bool:
    """Whether a person approved it, where the rules of the file hold."""
    from signoff.config.suggest import by_a_person, directory_of

    return by_a_person(record) and PurePath(directory_of(record)).is_relative_to(settings.directory)


def _rule(found: Suggestion, settings: SettingsFile) -> SuggestedRule:
    from signoff.config.suggest import verdicts_with

    after = verdicts_with(settings, [found.pattern])
    commands = [command for _, command in found.answered]
    unasked = tuple(
        command
        for command in dict.fromkeys(commands)
        if after is not None
        and settings.verdicts.command(command).level is Level.ASK
        and after.command(command).level is Level.ALLOW
    )
    return SuggestedRule(found.pattern, len(commands), sum(command in unasked for command in commands), unasked)


def _rule_lines(rule: SuggestedRule, width: int) -> Iterator[Line]:
    yield from folded(reveal_line(rule.pattern, "command"), width, "strong", head=chunk(" + runs     ", "danger"))
    asked = "asked once" if rule.unasked == 1 else f"asked {rule.unasked} times"
    yield from fact(
        "", f"people approved {rule.approved} such calls; the file {asked}, and would not ask again", width
    )
    for command in rule.commands[:_EXAMPLES]:
        yield from folded(reveal_line(command[:_LONGEST], "command"), width, "muted", head=chunk("            $ "))
    more = len(rule.commands) - _EXAMPLES
    if more > 0:
        yield from fact("", f"and {more} more {'command' if more == 1 else 'commands'}", width, "muted")


def _new_line(row: str, width: int) -> Sequence[Line]:
    return folded(reveal_line(row, "arg_value"), width, "add", head=chunk("      + ", "add", keep=True))
