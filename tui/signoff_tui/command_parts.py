"""The parts of the commands of a request, each with its risk and the rule that is about it.

They are worked out here, from the exact text that would be handed to the shell and by the reader's own rule file:
what a sender says of its call, such as which rule asked, must not colour how it looks; that stands in the header.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from signoff.policy.command_parts import CommandPart, CommandParts, Remark, command_parts
from signoff.policy.redaction import Redaction
from signoff.policy.shell.plain import plain_facts
from signoff.policy.verdict import PartVerdict
from signoff.policy.verdict_words import DOES
from signoff.present.document import Document
from signoff.present.document_parts import PartRow, counted, parts_document
from signoff.present.masking import mark
from signoff.present.reveal import SafeText, reveal_line
from signoff.present.rows import joined, number_of
from signoff.present.steps import CommandRun
from signoff.present.subject import steps_of
from signoff.queue.records import Risk, StoredRequest
from signoff_tui.rules_in_force import ShellRules, shell_rules_for
from signoff_tui.summary import RISK_WORD

__all__ = ["ShownCommand", "document_of_parts", "possible_commands", "shown_commands"]

_NAMES = ("command", "cmd")
"""Arguments that tools of others hand to a shell."""

_LONGEST = 400
"""Characters of a part: the command stands above it, whole."""

_SCREENFUL, _LONG = 12, 2_000
"""Parts or lines of a command, and its characters, from which the heading of the request says what is below."""

_RISK = 5
"""Cells for the risk of a part."""
_UNKNOWN = "unknown-command"
"""A reason that says nothing where there is another one."""

_LEVELS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)
_WORDS = tuple(RISK_WORD[risk] for risk in _LEVELS)


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """A command that a request shows.

    Attributes:
        after: How many of the documents of the request stand above its parts.
        text: The command.
        cwd: Where it would run, without links.
        argument: The argument that it is, where it is only guessed that a shell runs it.
    """

    after: int
    text: str
    cwd: str
    argument: str | None = None

    @property
    def plain(self) -> bool:
        """Whether its parts are told at once, without any parser."""
        return len(self.text) <= _LONG and plain_facts(self.text) is not None


def shown_commands(request: StoredRequest, documents: int) -> tuple[ShownCommand, ...]:
    """The commands of a request.

    Args:
        request: The request.
        documents: How many documents it shows: one for each step first, the arguments last.

    Raises:
        SnapshotError: What it would do is damaged.
    """
    submission = request.submission
    steps = steps_of(submission.snapshot)
    if not steps:
        return possible_commands(submission.arguments, submission.cwd, documents)
    return tuple(
        ShownCommand(after, step.command, step.real_cwd)
        for after, step in enumerate(steps, start=1)
        if isinstance(step, CommandRun)
    )


def possible_commands(arguments: Mapping[str, Any], cwd: str, documents: int = 0) -> tuple[ShownCommand, ...]:
    """The arguments of a call that a shell may run, as far as their names tell.

    Args:
        arguments: All arguments of the call.
        cwd: Where it would run.
        documents: How many documents stand above the parts.
    """
    named = ((name, arguments.get(name)) for name in _NAMES)
    return tuple(
        ShownCommand(documents, text, cwd, name) for name, text in named if isinstance(text, str) and text.strip()
    )


def document_of_parts(command: ShownCommand, request: StoredRequest, masks: Redaction | None) -> Document:
    """Work out the parts of a command. It may take seconds, and never fails: what cannot be told is said.

    Args:
        command: The command.
        request: Whose it is. Once it is closed the rules of today are left out: others may have held then.
        masks: Says what is hidden; None hides nothing.
    """
    rules = shell_rules_for(command.cwd) if request.pending else ShellRules(command.cwd)
    try:
        parts = command_parts(command.text, command.cwd, rules.judge)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, it is told, and is no reason for calm
        words = f"could not be broken into parts ({type(error).__name__})"
        parts = CommandParts((), (Remark(words, Risk.HIGH, unread=True),))
    telling = _Telling(command.text, masks, rules)
    rows, remarks = telling.parts(parts), telling.remarks(parts)
    found = _counted(rows, parts)
    long = len(rows) > _SCREENFUL or command.text.count("\n") > _SCREENFUL or len(command.text) > _LONG
    guess = "" if command.argument is None else f'if a shell runs "{command.argument}": '
    return parts_document(
        joined(f"{guess}{found}", "   " if request.pending else "", *_rules_named(rules, request)),
        [
            *(row for row in remarks if row.level == len(_WORDS) - 1),
            *(() if _says_nothing_more(rows, parts, command.text) else rows),
            *(row for row in remarks if row.level < 2),
        ],
        _WORDS,
        notes=(found.replace(":", " below the command:", 1),) if long else (),
    )


def _says_nothing_more(rows: Sequence[PartRow], parts: CommandParts, text: str) -> bool:
    """Whether the only part is the whole line, of which the count says all."""
    return len(rows) == 1 and not rows[0].about and parts.parts[0].text == text.strip() and not parts.remarks


def _counted(rows: Sequence[PartRow], parts: CommandParts) -> str:
    highest = max((row.level for row in rows), default=0)
    whole = _LEVELS.index(parts.risk)
    found = f"{number_of(len(rows), 'part')}: {counted(rows, _WORDS)}" if rows else "no parts"
    return f"{found}{f'; the line is {_WORDS[whole]}' if whole > highest else ''}"


def _rules_named(rules: ShellRules, request: StoredRequest) -> Iterator[SafeText | str]:
    """Whose rules are told."""
    if rules.file is not None:
        yield "rules of "
        yield reveal_line(os.path.relpath(rules.file, rules.directory), "path")
    elif rules.problem:
        yield reveal_line(rules.problem, "content")
    elif request.pending:
        yield "no rules of yours for this directory"


class _Telling:
    """Puts parts into words.

    Args:
        command: The whole command.
        masks: Says what is hidden; None hides nothing.
        rules: The rules it was judged by.
    """

    def __init__(self, command: str, masks: Redaction | None, rules: ShellRules) -> None:
        self._masks = masks
        self._rules = rules
        # Quoting may change around a secret, so what is one in the command is hidden wherever it comes back.
        spans = () if masks is None else masks.spans(command, command=True)
        self._secrets = {command[start:end]: mark(end - start) for start, end in spans}

    def parts(self, parts: CommandParts) -> list[PartRow]:
        """Each part with what is said of it."""
        width = max((len(_joined(part)) for part in parts.parts if not part.depth), default=0)
        return [self._part(part, width) for part in parts.parts]

    def remarks(self, parts: CommandParts) -> list[PartRow]:
        """What is said of the line as a whole."""
        return [self._remark(remark) for remark in parts.remarks]

    def _part(self, part: CommandPart, width: int) -> PartRow:
        level = _LEVELS.index(part.risk)
        lead = f"{_WORDS[level]:<{_RISK}}{'  ' * part.depth}{_joined(part):<{width}}"
        about = tuple(partial(self._indented, _RISK + 2 * part.depth, *words) for words in self._about(part))
        return PartRow(level, lead, len(_WORDS[level]), partial(self._shown, part.text[:_LONGEST]), about)

    def _about(self, part: CommandPart) -> Iterator[tuple[str, str]]:
        """What is said of a part: our words, then those of others."""
        if len(part.text) > _LONGEST:
            yield f"{len(part.text) - _LONGEST:,} more characters: see the command above", ""
        if part.times > 1:
            yield f"{part.times:,} times in the line", ""
        for path in part.writes:
            more = len(path) - _LONGEST
            yield f"{f'({more:,} more characters) ' if more > 0 else ''}writes ", path[:_LONGEST]
        more_telling = [reason for reason in part.reasons if reason != _UNKNOWN]
        reasons = ", ".join(more_telling or part.reasons)
        by, rule = self._by(part.verdict)
        if reasons or by:
            yield f"{reasons}{'; ' if reasons and by else ''}{by}", rule
        for reason in () if part.verdict is None else part.verdict.reasons:
            yield "! ", reason

    def _by(self, verdict: PartVerdict | None) -> tuple[str, str]:
        """What the rules say of a part, and the name of the rule; nothing if no rules are known."""
        if not self._rules.known:
            return "", ""
        if verdict is None:
            return "no rule", ""
        if verdict.rule in {"", "default"}:
            return f"no rule: {DOES[verdict.level]}", ""
        return f"{DOES[verdict.level]} by rule ", f'"{verdict.rule}"'

    def _remark(self, remark: Remark) -> PartRow:
        level = _LEVELS.index(remark.risk)
        so = "what it runs cannot be told, so it counts as the highest risk"
        about = (partial(self._indented, _RISK, so, ""),) if remark.unread else ()
        lead = f"{_WORDS[level]:<{_RISK}}the line "
        return PartRow(level, lead, len(_WORDS[level]), partial(self._shown, remark.words), about)

    def _indented(self, columns: int, ours: str, others: str) -> SafeText:
        return joined(" " * columns, ours, self._shown(others))

    def _shown(self, text: str) -> SafeText:
        for secret, instead in self._secrets.items():
            text = text.replace(secret, instead)
        if self._masks is not None:
            text = self._masks.mask_text(text, command=True).text
        return reveal_line(text, "command")


def _joined(part: CommandPart) -> str:
    """What joins a part to the one above, or stands before it in its stead."""
    joins = "may run" if part.doubtful else part.joined
    return f"{joins} " if joins else ""
