"""The parts of a command for a reviewer: risk, files written, and the reviewer's own rules.

Everything is worked out from the exact text for the shell and by the reader's own rule file: the sender's word on
its call, such as the rule that asked, must not affect the view. The layout is left to the screen or the command
line.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from signoff.effects import Risk
from signoff.policy.redaction.masking import Redactor
from signoff.policy.shell.commands import expand
from signoff.policy.shell.evaluate import judge_command
from signoff.policy.shell.explain import CommandPart, CommandParts, Remark, command_parts
from signoff.policy.shell.syntax_model import Word
from signoff.policy.trust import TrustedFile, TrustError, trusted_files
from signoff.policy.verdict import DOES, RISK_WORD, Level, PartVerdict, Verdict
from signoff.present.document.masking import mark
from signoff.present.document.rows import joined, number_of
from signoff.present.document.text import counted
from signoff.present.reveal import SafeText, reveal_line
from signoff.queue.records import StoredRequest
from signoff.settings_yaml import ConfigError
from signoff.shown_commands import ShownCommand
from signoff.text.risk import risk_reasons

if TYPE_CHECKING:
    from signoff.config.verdicts import SettingsVerdicts


__all__ = [
    "LEVELS",
    "WORDS",
    "ShellRules",
    "ToldCommand",
    "ToldPart",
    "removed_now",
    "shell_rules_for",
    "told_command",
]


LEVELS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)
WORDS = tuple(RISK_WORD[risk] for risk in LEVELS)
"""The risk of each level as a word."""

_LONGEST = 400
"""The most characters of a part that are shown: the command stands above it, whole."""


class ToldPart(Struct, frozen=True):
    """A part of a command, or a remark about the whole line, in words that are safe to show.

    Attributes:
        level: 0 for low risk, 1 for medium, 2 for high.
        joined: The sign that joins it to the part before, as in `CommandPart`.
        depth: The number of parts that it is nested in.
        doubtful: True if it may or may not be a command.
        text: Makes the text of the part.
        about: Makes the remarks on it, a line each.
        alone: The same without the reasons of its risk, for a heading that names them.
    """

    level: int
    joined: str
    depth: int
    doubtful: bool
    text: Callable[[], SafeText]
    about: tuple[Callable[[], SafeText], ...]
    alone: tuple[Callable[[], SafeText], ...] = ()


class ToldCommand(Struct, frozen=True):
    """A command with remarks on its parts.

    Attributes:
        command: The command.
        parts: Its parts, in order.
        remarks: The remarks on the line as a whole.
        found: The number of parts of each risk, in words.
        rules: The source of the rules, or what is wrong with it; None without any, and if the request is closed.
        facts: The same for programs. Texts in it are raw: not masked and not safe to show.
        rule_file: The rule file that the rules are from, if there is one.
        masked: Hides the secrets of a text of others.
    """

    command: ShownCommand
    parts: tuple[ToldPart, ...]
    remarks: tuple[ToldPart, ...]
    found: str
    rules: SafeText | None
    facts: CommandParts
    rule_file: str | None
    masked: Callable[[str], str]

    @property
    def guess(self) -> str:
        """The words before the parts if it is only guessed that a shell runs the text."""
        return "" if self.command.argument is None else f'if a shell runs "{self.command.argument}": '

    @property
    def is_one_part(self) -> bool:
        """True if the only part is the whole line, as it is written."""
        return len(self.parts) == 1 and not self.remarks and self.facts.parts[0].text == self.command.text.strip()

    @property
    def says_nothing_more(self) -> bool:
        """True if the only part is the whole line, and `found` says all about it."""
        return self.is_one_part and not self.parts[0].about


def told_command(command: ShownCommand, request: StoredRequest, masks: Redactor | None) -> ToldCommand:
    """Work out the parts of a command. It may take seconds, and reports unreadable text instead of failing.

    Args:
        command: The command.
        request: The request of the command. For a closed one the rules are left out: they may have changed.
        masks: The rules of what to hide; None hides nothing.
    """
    rules = shell_rules_for(command.cwd) if request.pending else ShellRules(command.cwd)
    try:
        facts = command_parts(command.text, command.cwd, rules.judge)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, it is told, and is no reason for calm
        words = f"could not be broken into parts ({type(error).__name__})"
        facts = CommandParts((), (Remark(words, Risk.HIGH, unread=True),))
    telling = _Telling(command.text, masks, rules)
    return ToldCommand(
        command,
        tuple(map(telling.part, facts.parts)),
        tuple(map(telling.remark, facts.remarks)),
        _counted(facts),
        _rules_named(rules) if request.pending else None,
        facts,
        rules.file,
        telling.masked,
    )


def _counted(facts: CommandParts) -> str:
    levels = [LEVELS.index(part.risk) for part in facts.parts]
    whole = LEVELS.index(facts.risk)
    found = f"{number_of(len(levels), 'part')}: {counted(levels, WORDS)}" if levels else "no parts"
    return f"{found}{f'; the line is {WORDS[whole]}' if whole > max(levels, default=0) else ''}"


def _rules_named(rules: ShellRules) -> SafeText | None:
    """The source of the rules in words; None where there are none, which is nothing special."""
    if rules.file is not None:
        return joined("rules of ", reveal_line(os.path.relpath(rules.file, rules.directory), "path"))
    return reveal_line(rules.problem, "content") if rules.problem else None


class _Telling:
    """The wording of parts.

    Args:
        command: The whole command.
        masks: The rules of what to hide; None hides nothing.
        rules: The rules it was judged by.
    """

    def __init__(self, command: str, masks: Redactor | None, rules: ShellRules) -> None:
        self._masks = masks
        self._rules = rules
        # Quoting may change around a secret, so a secret of the command is hidden wherever it comes back.
        spans = () if masks is None else masks.spans(command, command=True)
        self._secrets = {command[start:end]: mark(end - start) for start, end in spans}

    def part(self, part: CommandPart) -> ToldPart:
        """The part with its remarks."""
        about, alone = (
            tuple(partial(self._said, *words) for words in self._about(part, reasons=reasons))
            for reasons in (True, False)
        )
        text = partial(self._shown, part.text[:_LONGEST])
        return ToldPart(LEVELS.index(part.risk), part.joined, part.depth, part.doubtful, text, about, alone)

    def remark(self, remark: Remark) -> ToldPart:
        """The remark on the line as a whole."""
        so = "what it runs cannot be told, so it counts as the highest risk"
        about = (partial(self._said, so, ""),) if remark.unread else ()
        return ToldPart(LEVELS.index(remark.risk), "", 0, False, partial(self._shown, remark.words), about)

    def masked(self, text: str) -> str:
        """A text of others without its secrets."""
        for secret, instead in self._secrets.items():
            text = text.replace(secret, instead)
        return text if self._masks is None else self._masks.mask_text(text, command=True).text

    def _about(self, part: CommandPart, *, reasons: bool) -> Iterator[tuple[str, str]]:
        """The remarks on a part: signoff's words, then those of others."""
        if len(part.text) > _LONGEST:
            yield f"{len(part.text) - _LONGEST:,} more characters: see the command above", ""
        if part.times > 1:
            yield f"{part.times:,} times in the line", ""
        for path in part.writes:
            more = len(path) - _LONGEST
            yield f"{f'({more:,} more characters) ' if more > 0 else ''}writes ", path[:_LONGEST]
        why = ", ".join(risk_reasons(part.reasons)) if reasons else ""
        by, rule = self._by(part.verdict)
        if why or by:
            yield f"{why}{'; ' if why and by else ''}{by}", rule
        for reason in () if part.verdict is None else part.verdict.reasons:
            yield "! ", reason

    def _by(self, verdict: PartVerdict | None) -> tuple[str, str]:
        """The verdict of the rules on a part, and the name of the rule; empty if no rules are known."""
        if not self._rules.known:
            return "", ""
        if verdict is None:
            return "no rule", ""
        if verdict.rule in {"", "default"}:
            return f"no rule: {DOES[verdict.level]}", ""
        return f"{DOES[verdict.level]} by rule ", f'"{verdict.rule}"'

    def _said(self, ours: str, others: str) -> SafeText:
        return joined(ours, self._shown(others))

    def _shown(self, text: str) -> SafeText:
        return reveal_line(self.masked(text), "command")


# -- What a command would remove, as it is now.

_MOST_COUNTED = 10_000
"""The most files that are counted in what is removed."""

_MOST_NAMED = 5
"""The most things to remove that are named."""

_PATTERN = re.compile(r"[\w./*?\[\]-]+")
"""A pattern that the shell fills in, and nothing else of what a shell fills in."""


def removed_now(command: str, cwd: str) -> tuple[str, ...]:
    """Look at what the `rm` of a command line would remove. It may take long.

    Returns:
        Words that are safe to show, such as ``gen: 41 files``; none for a line that changes its directory.
    """
    expanded = expand(command)
    parts = [run.part for run in expanded.runs]
    if expanded.broken or any(part.words[0].text in {"cd", "pushd", "popd"} for part in parts):
        return ()
    named = [word for part in parts if part.words[0].text == "rm" for word in _operands(part.words[1:])]
    said = [words for word in named if (words := _what_is_there(word, cwd))]
    more = (f"and {len(said) - _MOST_NAMED:,} more",) if len(said) > _MOST_NAMED else ()
    return (*said[:_MOST_NAMED], *more)


def _operands(words: tuple[Word, ...]) -> Iterator[Word]:
    options = True
    for word in words:
        if options and word.literal and word.text == "--":
            options = False
        elif not (options and word.text.startswith("-")):
            yield word


def _what_is_there(word: Word, cwd: str) -> str:
    """The number of files behind a word, in words; empty if the shell fills it in with something unknown."""
    name = word.text if word.literal else word.written
    if word.literal:
        found = [Path(cwd, name)] if os.path.lexists(Path(cwd, name)) else []
    elif _PATTERN.fullmatch(name):
        # As the shell does, it leaves out names that begin with a dot; `Path.glob` does not.
        matching = glob.iglob(name, root_dir=cwd)  # noqa: PTH207
        found = [Path(cwd, each) for each in islice(matching, _MOST_COUNTED)]
    else:
        return ""
    files = len(list(islice((file for each in found for file in _files(each)), _MOST_COUNTED + 1)))
    if not found:
        what = "nothing is there"
    elif files > _MOST_COUNTED:
        what = f"over {_MOST_COUNTED:,} files"
    else:
        what = number_of(files, "file") if files else "no files"
    return f"{reveal_line(name, 'path').text}: {what}"


def _files(place: Path) -> Iterator[Path]:
    """The files at a place and below it; no link is followed."""
    if place.is_symlink() or not place.is_dir():
        yield place
        return
    for folder, folders, names in os.walk(place):
        yield from (Path(folder, name) for name in names)
        yield from (link for name in folders if (link := Path(folder, name)).is_symlink())


# -- The rule file for a directory, of those that a person trusts, and the verdicts of its shell rules.
#
# An agent may run with other rules than these, and its word about that is not asked: the view shows the verdict
# of the person's own file, with its name.

_USUAL = "signoff.yaml"
_CODE = "tools.py"
"""The file with the code of custom tools, which is trusted beside a rule file and holds no rules."""


class ShellRules(Struct, frozen=True):
    """The rules for commands in a directory.

    Attributes:
        directory: The directory.
        file: Path of the rule file for it, if there is a trusted one.
        problem: Reason why there are no rules, in raw words; empty if nothing is wrong.
    """

    directory: str
    file: str | None = None
    problem: str = ""
    _verdicts: SettingsVerdicts | None = None

    @property
    def known(self) -> bool:
        """True if there are rules to judge by."""
        return self._verdicts is not None

    def judge(self, command: str) -> Verdict:
        """Return the verdict on a command, part by part; without rules, the reasons that hold in any case."""
        found = None if self._verdicts is None else self._verdicts.shell(command, self.directory)
        return found or judge_command(command, (), Level.ALLOW)


def shell_rules_for(directory: str) -> ShellRules:
    """Find the rules for commands that run in a directory: of the nearest trusted file there or above.

    Args:
        directory: Absolute, without links.
    """
    try:
        near = _nearest(directory, trusted_files())
    except TrustError as error:
        return ShellRules(directory, problem=str(error))
    if near is None:
        return ShellRules(directory)
    if near.state == "gone":
        return ShellRules(directory, problem=f"{near.name} is gone, so its rules are not used")
    if near.state == "changed":
        changed = f"{near.name} changed since you trusted it, so its rules are not used"
        return ShellRules(directory, problem=changed)
    return _read(directory, near.name)


def _nearest(directory: str, files: tuple[TrustedFile, ...]) -> TrustedFile | None:
    """The file with the usual name, of several in one directory; else the first."""
    above = [str(each) for each in (PurePath(directory), *PurePath(directory).parents)]

    def rank(file: TrustedFile) -> tuple[int, bool]:
        path = Path(file.name)
        return above.index(str(path.parent)), path.name != _USUAL

    about = (each for each in files if Path(each.name).name != _CODE and str(Path(each.name).parent) in above)
    return min(about, key=rank, default=None)


def _read(directory: str, file: str) -> ShellRules:
    from signoff.config.trust import load_trusted  # late: few requests are commands with rules
    from signoff.config.verdicts import SettingsVerdicts

    try:
        config = load_trusted(file)
    except (ConfigError, TrustError, OSError) as error:
        return ShellRules(directory, problem=f"{file} cannot be used: {str(error).splitlines()[0]}")
    if config.shell is None:
        return ShellRules(directory, problem=f"{file} has no rules for the shell")
    return ShellRules(directory, file, _verdicts=SettingsVerdicts(config, Path(file).parent))
