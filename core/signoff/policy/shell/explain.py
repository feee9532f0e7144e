"""A command line in its parts, for people: each command with its risk, its rule, and its place.

It is made from the text for the shell, not from the sender's word. The rules decide by the same parts. Text that
could not be read is reported as such, with the highest risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from signoff.effects import Risk
from signoff.policy.risk import (
    Finding,
    candidate_findings,
    line_findings,
    run_findings,
    telling_candidates,
)
from signoff.policy.shell.commands import Expanded, ExpandedCommand, expand
from signoff.policy.verdict import PartVerdict, Verdict

__all__ = ["CommandPart", "CommandParts", "Remark", "command_parts"]

_ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


@dataclass(frozen=True, slots=True)
class CommandPart:
    """One command of a line, or a possible one.

    Attributes:
        text: Its words: quoted where they need it, or as they are written if the shell fills them in.
        joined: The sign or word before it, such as ``&&``, ``$(`` or ``then``; ``runs`` if the one above runs it.
        depth: The number of commands that it is nested in: 0 for those of the line itself.
        times: The number of times that it occurs.
        writes: The files that its redirections open for writing.
        risk: The risk of this command alone.
        reasons: Reasons why the risk is not lower.
        verdict: The verdict of the rules on it; None without rules.
        doubtful: True if nobody could tell whether it is a command.
    """

    text: str
    joined: str
    depth: int
    times: int
    writes: tuple[str, ...]
    risk: Risk
    reasons: tuple[str, ...]
    verdict: PartVerdict | None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement about the line as a whole.

    Attributes:
        words: The text, which follows "it" in a sentence.
        risk: The risk of that.
        unread: True if it reports that the line could not be read.
    """

    words: str
    risk: Risk
    unread: bool


@dataclass(frozen=True, slots=True)
class CommandParts:
    """A line in its parts.

    Attributes:
        parts: The parts in the order of the line; commands that one runs come after it.
        remarks: Statements about the line as a whole.
    """

    parts: tuple[CommandPart, ...]
    remarks: tuple[Remark, ...]

    @property
    def risk(self) -> Risk:
        """The highest risk of all."""
        return _highest([*(part.risk for part in self.parts), *(remark.risk for remark in self.remarks)])


def command_parts(command: str, cwd: str, judge: Callable[[str], Verdict | None] | None = None) -> CommandParts:
    """Break a command line into its parts. It is parsed in a process of its own, which may take seconds.

    Args:
        command: The text handed to the shell.
        cwd: Absolute directory in which it runs.
        judge: Gives the verdict of rules on the text, as `signoff.policy.shell.evaluate.judge_command` does.
    """
    expanded = expand(command)
    verdict = judge(command) if judge is not None else None
    judged = verdict.parts if verdict is not None else ()
    known = len(expanded.runs) if len(judged) >= len(expanded.runs) else 0
    verdicts = judged[:known] or (None,) * len(expanded.runs)
    made = [_part(run, each, cwd) for run, each in zip(expanded.runs, verdicts, strict=True)]
    parts = [_at_depth(made[at], depth) for at, depth in _in_order(expanded.runs)]
    return CommandParts((*parts, *_doubtful(expanded, judged[known:])), tuple(_remarks(expanded)))


def _part(run: ExpandedCommand, verdict: PartVerdict | None, cwd: str) -> CommandPart:
    part = run.part
    risk, reasons = _assessed(run_findings(part, cwd))
    writes = tuple(word.shown for word in part.writes)
    return CommandPart(part.shown, part.joined, 0, run.times, writes, risk, reasons, verdict)


def _at_depth(part: CommandPart, depth: int) -> CommandPart:
    if not depth:
        return part
    return CommandPart(
        part.text, part.joined, depth, part.times, part.writes, part.risk, part.reasons, part.verdict
    )


def _in_order(runs: tuple[ExpandedCommand, ...]) -> Iterator[tuple[int, int]]:
    """Each command by its index, with its depth; the commands that one runs come after it."""
    below: dict[int | None, list[int]] = {}
    for at, run in enumerate(runs):
        below.setdefault(run.by, []).append(at)
    waiting = [(at, 0) for at in reversed(below.get(None, []))]
    while waiting:
        at, depth = waiting.pop()
        yield at, depth
        waiting += [(inner, depth + 1) for inner in reversed(below.get(at, []))]


def _doubtful(expanded: Expanded, judged: Iterable[PartVerdict]) -> Iterator[CommandPart]:
    """Possible commands that would be dangerous, or that a rule asks about or blocks: each once."""
    found: dict[str, list[Finding]] = {}
    times: dict[str, int] = {}
    for words in telling_candidates(expanded):
        name, findings = words[0].text, list(candidate_findings(words))
        if any(risk is Risk.HIGH for risk, _ in findings):
            found.setdefault(name, []).extend(findings)
            times[name] = times.get(name, 0) + 1
    rules: dict[str, PartVerdict] = {}
    for verdict in judged:
        name = verdict.rule
        rules.setdefault(name, verdict)
        if name not in found:
            times[name] = times.get(name, 0) + 1
    for name in {**found, **rules}:
        risk, reasons = _assessed(found.get(name, ()))
        # Where nothing could be read, anything may be true.
        risk = _highest((risk, Risk.HIGH))
        yield CommandPart(name, "", 0, times[name], (), risk, reasons, rules.get(name), doubtful=True)


def _remarks(expanded: Expanded) -> Iterator[Remark]:
    told = {word for run in expanded.runs for word in run.part.writes}
    for words, (risk, reason) in line_findings(expanded):
        if reason == "redirection" and told.issuperset(expanded.writes):
            continue  # its parts say where
        yield Remark(words, risk, unread=reason == "unparsed" and risk is Risk.HIGH)


def _assessed(findings: Iterable[Finding]) -> tuple[Risk, tuple[str, ...]]:
    found = list(findings)
    return _highest(risk for risk, _ in found), tuple(dict.fromkeys(reason for _, reason in found))


def _highest(risks: Iterable[Risk]) -> Risk:
    return max(risks, key=_ORDER.index, default=Risk.LOW)
