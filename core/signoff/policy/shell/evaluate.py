"""The verdict of rules on a shell command: each part is judged alone, and the strictest verdict holds."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from signoff.policy.shell.commands import Expanded, ExpandedCommand, expand
from signoff.policy.shell.rule_coverage import side_door, uncovered_input, uncovered_word
from signoff.policy.shell.syntax_model import Part, Word, possible_commands
from signoff.policy.shell.wrappers import asks_always
from signoff.policy.verdict import Level, PartVerdict, Verdict, strictest

__all__ = ["CommandRule", "judge_command", "stricter_for_all"]

Covers = Callable[[Part], bool]


class CommandRule(Struct, frozen=True):
    """A rule about the commands that begin with certain words.

    Attributes:
        words: The first words of the command, after quote removal.
        level: The level for such a command.
        name: The name of the rule for people.
        covers: Tells whether the rule may allow a command that it matches, by what it would work on. A rule with
            it allows nothing but a single simple command, since another one could change the directory or the
            input; a rule that asks or blocks does so in any case.
        any_arguments: True if a rule that allows covers every argument, not only what is known to be harmless.
    """

    words: tuple[str, ...]
    level: Level
    name: str
    covers: Covers | None = None
    any_arguments: bool = False


def judge_command(text: str, rules: Sequence[CommandRule], default: Level) -> Verdict:
    """Return the verdict of rules on a command.

    Every simple command anywhere in the text is judged, with those that wrappers such as ``sudo`` and
    texts such as that of ``bash -c`` run. Of all rules that match one the strictest decides, in whatever order
    they stand; without any, the default. On top of that some things are at least asked about, such as writing to
    files.

    Args:
        text: The text that is handed to ``bash -c``.
        rules: Any number of them. One without words matches nothing.
        default: The level for a command that no rule is about.

    Returns:
        The strictest verdict of all parts and reasons. With anything that cannot be read it is at least to ask,
        and at least the default.
        The first parts are those of `expand`, each in its place; possible commands follow.
    """
    expanded = expand(text)
    by_name = _RulesByName(rules)
    parts = [_of_run(run, by_name.about(run.part.words[0]), default) for run in expanded.runs]
    parts += _of_candidates(expanded, rules)
    at_least = Level.ASK if expanded.floors or not parts else Level.ALLOW
    if expanded.broken or not parts:
        at_least = strictest((at_least, default))
    level = strictest((part.level for part in parts), at_least)
    deciding = next((part for part in parts if part.level is level), None)
    return Verdict(level, "" if deciding is None else deciding.rule, expanded.floors, tuple(parts))


def stricter_for_all(words: Sequence[str], rules: Sequence[CommandRule]) -> PartVerdict | None:
    """Return the reason why no command that begins with some words runs unasked; None if one may.

    What is asked about only some of them is no such reason: ``bash`` reads commands, ``bash x.sh`` does not.

    Args:
        words: The first words, after quote removal.
        rules: The rules.

    Returns:
        The strictest verdict that all of them meet, whatever rule allows them.
    """
    strict = _RulesByName([rule for rule in rules if rule.level is not Level.ALLOW])
    found: list[PartVerdict] = []
    for run in expand(shlex.join(words)).runs:
        about = strict.about(run.part.words[0])
        if (rule := _strict_rule(run.part.words, about)) is not None:
            found.append(PartVerdict(run.part.text, rule.level, rule.name))
        elif stricter := next((each for each in about if _may_match(each, run.part.words)), None):
            found.append(PartVerdict(run.part.text, Level.ASK, stricter.name))
        elif run.part.words[0].literal and (reason := asks_always(run.part.words)) is not None:
            found.append(PartVerdict(run.part.text, Level.ASK, "", (reason,)))
    return max(found, key=lambda each: each.level, default=None)


def _of_run(run: ExpandedCommand, rules: Sequence[CommandRule], default: Level) -> PartVerdict:
    applying = [rule for rule in rules if _applies(rule, run)]
    return _with_reasons(_of_part(run.part, applying, default), run.reasons)


def _applies(rule: CommandRule, run: ExpandedCommand) -> bool:
    """True if a rule can hold for a command at all, apart from its words."""
    if rule.covers is None or rule.level is not Level.ALLOW:
        return True
    return run.alone and not run.part.piped and not run.part.reads_file and rule.covers(run.part)


def _of_candidates(expanded: Expanded, rules: Sequence[CommandRule]) -> Iterator[PartVerdict]:
    """Verdicts of rules that ask or block on possible commands."""
    if not expanded.candidates and not expanded.anywhere:
        return
    strict = _RulesByName([rule for rule in rules if rule.level is not Level.ALLOW])
    told: Counter[str] = Counter()
    for words in possible_commands(expanded.candidates, expanded.anywhere, lambda word: bool(strict.about(word))):
        if (found := _strict_rule(words, strict.about(words[0]))) is not None and told[found.name] < _MOST_TOLD:
            told[found.name] += 1
            yield PartVerdict(Part(words).text, found.level, found.name)


_MOST_TOLD = 1_000
"""The most verdicts on possible commands that one rule gives. Another one changes nothing."""


class _RulesByName:
    """Rules by the program that they are about, so that each command is compared with few rules."""

    def __init__(self, rules: Sequence[CommandRule]) -> None:
        self._found: dict[str, list[tuple[int, CommandRule]]] = {}
        for at, rule in enumerate(rules):
            if rule.words:
                self._found.setdefault(rule.words[0].casefold(), []).append((at, rule))

    def about(self, program: Word) -> Sequence[CommandRule]:
        """The rules that may be about a program, in their order; none for a name that the shell fills in."""
        if not program.literal:
            return ()
        name = program.text.casefold()
        own, base = self._found.get(name, []), name.rpartition("/")[2]
        if base == name or base not in self._found:
            return [rule for _, rule in own]
        return [rule for _, rule in sorted([*own, *self._found[base]], key=lambda each: each[0])]


def _of_part(part: Part, rules: Sequence[CommandRule], default: Level) -> PartVerdict:
    """The verdict of rules on one simple command, with further reasons to ask."""
    matching = [rule for rule in rules if _matches(rule, part.words)]
    level = strictest(rule.level for rule in matching) if matching else default
    # Of several with the same level, the longest covers most of the command.
    deciding = sorted((rule for rule in matching if rule.level is level), key=lambda rule: -len(rule.words))
    rule, uncovered = _covering(part, deciding) if level is Level.ALLOW else (None, None)
    rule = rule or next(iter(deciding), None)
    reasons = [] if uncovered is None else [uncovered]
    if not part.words[0].literal:
        reasons = ["runs a program whose name is filled in by the shell"]
    may_match = (each for each in rules if each.level is not Level.ALLOW and _may_match(each, part.words))
    if stricter := next(may_match, None):
        reasons.append(f'may be what the rule "{stricter.name}" is about')
    return _with_reasons(PartVerdict(part.text, level, "default" if rule is None else rule.name), reasons)


def _covering(part: Part, rules: Sequence[CommandRule]) -> tuple[CommandRule | None, str | None]:
    """The first rule that covers all of a command; else the reason why the first rule does not."""
    words = part.words
    if not words[0].literal:
        return None, None
    if not rules:
        return None, side_door(words, of_readers=True)
    reasons: list[str] = []
    for rule in rules:
        said = len(rule.words)
        uncovered = None if rule.any_arguments else uncovered_word(words, said) or uncovered_input(part, said)
        if uncovered is None:
            return rule, None
        reasons.append(uncovered)
    return None, reasons[0]


def _with_reasons(verdict: PartVerdict, reasons: Sequence[str]) -> PartVerdict:
    if not reasons:
        return verdict
    all_reasons = tuple(dict.fromkeys((*verdict.reasons, *reasons)))
    return PartVerdict(verdict.text, max(verdict.level, Level.ASK), verdict.rule, all_reasons)


# -- matching ------------------------------------------------------------------------------------------------


def _matches(rule: CommandRule, words: Sequence[Word]) -> bool:
    """True if the rule's words are the first words of the command, all of them literals."""
    if not rule.words or len(words) < len(rule.words):
        return False
    same = all(word.literal and word.text == said for word, said in zip(words[1:], rule.words[1:], strict=False))
    return same and words[0].literal and _same_program(rule, words[0].text)


def _same_program(rule: CommandRule, program: str, folded: Callable[[str], str] = str) -> bool:
    """True if a program has the name of the rule; a strict rule also means it in any directory."""
    said = folded(rule.words[0])
    return program == said or (rule.level is not Level.ALLOW and program.rpartition("/")[2] == said)


def _may_match(rule: CommandRule, words: Sequence[Word]) -> bool:
    """True if the rule could match a command that is made of the words.

    A word that the shell fills in can be anything, or nothing. On disks that ignore case, ``RM`` is ``rm``.
    """
    if not rule.words or not words[0].literal or not _same_program(rule, words[0].text.casefold(), str.casefold):
        return False
    for at, said in enumerate(rule.words):
        if at >= len(words) or (words[at].literal and at > 0 and words[at].text != said):
            return False
        if not words[at].literal:
            return True
    return not _same_program(rule, words[0].text)


def _strict_rule(words: Sequence[Word], rules: Sequence[CommandRule]) -> CommandRule | None:
    """The strictest of the rules that match a command."""
    return max(
        (rule for rule in rules if _matches(rule, words)),
        key=lambda rule: rule.level,
        default=None,
    )
