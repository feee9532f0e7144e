"""All that is made of a command has bounds on time and memory, and what is blocked is blocked beyond them, too.

Work is counted, not timed: a verdict must not depend on how busy the machine is.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.config import suggest
from signoff.policy.shell import commands, worker
from signoff.policy.shell.commands import expand
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.plain_commands import suspicious_characters
from signoff.policy.shell.shfmt_tree import _is_pattern
from signoff.policy.shell.worker import read_command
from signoff.policy.verdict import Level

SIZE = 10_000
"""Characters of each hostile command."""


def filled(part: str, end: str = "") -> str:
    """A part said again and again, then an end."""
    return part * (SIZE // len(part)) + end


RUNNERS = {
    "find -exec find": filled("find . -exec "),
    "-exec -exec": "find " + filled("-exec "),
    "-exec with one end": "find . " + filled("-exec ls ", r"\; -exec "),
    "-exec with many ends": "find . " + filled(r"-exec ls {} \; ", "-exec "),
    "find -exec eval": filled("find . -exec eval "),
    "sudo": filled("sudo "),
    "sudo with options": filled("sudo -u a "),
    "a shell of sudo": filled("sudo -s "),
    "env": filled("env "),
    "env with variables": filled("env A=1 "),
    "env that splits": "env " + filled("-S a "),
    "timeout": filled("timeout 1 "),
    "xargs": filled("xargs "),
    "parallel": filled("parallel "),
    "eval": filled("eval "),
    "watch": filled("watch "),
    "a value that is filled in": filled("nice -n $x "),
    "many runners": filled("sudo env nice nohup timeout 1 xargs find . -exec "),
}
"""What runs a command that is put behind it."""

TEXTS = {
    "options of fish": "fish " + filled("-C "),
    "options of bash": "bash " + filled("--zz "),
    "texts of su": "su " + filled("-c ls ") + "-c ",
    "texts of parallel": "parallel " + filled("::: a ") + "::: ",
    "many shells": "; ".join(f"bash -c 'ls {n}'" for n in range(SIZE // 18)) + "; bash -c ",
    "a shell that reads itself": "bash <<'E'\n" + filled("bash\n", "E\n") + "bash -c ",
    "braces": "(ls " + filled("{,", ");bash -c "),
    "comments": "ls " + filled("# ", "\nbash -c "),
}
"""What runs a text that is put behind it."""

HOSTILE = [each + "rm x" for each in RUNNERS.values()] + [each + "'rm x'" for each in TEXTS.values()]
ALLOWED = ("find", "sudo", "env", "timeout", "xargs", "parallel", "eval", "watch", "nice", "nohup", "ls", "bash")
RULES = [CommandRule((name,), Level.ALLOW, name) for name in (*ALLOWED, "su", "fish", "a")]
BLOCK = CommandRule(("rm",), Level.BLOCK, "rm")


@pytest.mark.parametrize("command", HOSTILE, ids=[*RUNNERS, *TEXTS])
def test_what_is_blocked_stays_blocked_however_much_a_line_runs(command: str) -> None:
    assert judge_command(command, [*RULES, BLOCK], Level.ALLOW).level is Level.BLOCK


@pytest.mark.parametrize("command", HOSTILE, ids=[*RUNNERS, *TEXTS])
def test_a_line_that_runs_too_much_is_analyzed_in_bounds(command: str) -> None:
    said = len(command.split())
    expanded = expand(command)
    words = sum(len(run.part.words) for run in expanded.runs if run.by is not None)
    assert words <= 2 * said + commands._MOST_WORDS
    assert sum(map(len, expanded.anywhere)) <= 8 * said + commands._MOST_WORDS


def test_a_line_that_runs_too_much_is_never_allowed() -> None:
    verdict = judge_command(filled("sudo ", "ls"), RULES, Level.ALLOW)
    assert (verdict.level, verdict.reasons) == (Level.ASK, ("runs too much to be analyzed",))


def test_many_commands_of_one_program_are_all_read() -> None:
    command = "find . " + filled(r"-exec ls {} \; ", r"-exec ls -l \;")
    assert expand(command).floors == ()
    assert expand(command).runs[-1].part.text == "ls -l"


def test_the_command_that_counts_is_found_behind_one_that_is_a_value() -> None:
    found = [run.part.text for run in expand(r"find . -name -exec -exec sudo rm x \;").runs]
    assert "rm x" in found


def test_a_very_long_text_is_looked_through_for_what_is_blocked() -> None:
    assert judge_command("ls " * 60_000 + "; rm x", [*RULES, BLOCK], Level.ALLOW).level is Level.BLOCK


ANALYSIS = f"""
import resource, sys
for limit, most in ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_CPU, 60)):
    resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))
sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
from signoff.policy.shell.explain import command_parts
from signoff.policy.risk import command_findings
from signoff.policy.shell.evaluate import judge_command
from signoff.policy.verdict import Level
import test_shell_limits as limits

rules = [*limits.RULES, limits.BLOCK]
for command in limits.HOSTILE[::2]:
    parts = command_parts(command, "/home", lambda text: judge_command(text, rules, Level.ALLOW))
    assert str(parts.risk) == "high", command[:60]
    assert any(level == "high" for level, _ in command_findings(command, "/home")), command[:60]
print("all of them")
"""


def test_agent_command_line_and_screen_analyze_hostile_lines_in_little_memory_and_time() -> None:
    """All of the analysis, in one process with less than it took for the first of these lines alone."""
    done = subprocess.run([sys.executable, "-c", ANALYSIS], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("all of them", "")


def test_what_is_remembered_of_many_lines_is_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MOST_REMEMBERED", 2_000)
    for number in range(12):
        read_command(f"({number} " + "a$x " * 9 + ")")
    sizes = [size for _, size in worker._CHILD._remembered.values()]
    assert sum(sizes) == worker._CHILD._size <= 2_000
    assert len(sizes) > 1


# -- what was made linear says the same ----------------------------------------------------------------------


@settings(max_examples=120)
@given(st.text(st.sampled_from("a# \\\n;"), max_size=24))
def test_a_comment_that_goes_on_is_found_wherever_it_stands(text: str) -> None:
    reason = suspicious_characters(text)
    if reason is None or "comment" in reason:
        goes_on = re.search(r"(?:^|[\s;&|()])#[^\n]*\\\n", text) is not None
        assert (reason is not None) is goes_on


@settings(max_examples=120)
@given(st.text(st.sampled_from("a{}.,"), max_size=16))
def test_braces_are_a_pattern_with_a_comma_or_two_points_between(text: str) -> None:
    found = re.search(r"\{.*(?:,|\.\.).*\}", text) is not None
    assert _is_pattern([(char, False) for char in text]) is found


def test_a_rule_is_suggested_for_long_commands_without_trying_each_of_their_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []
    monkeypatch.setattr(suggest, "_can_be_shown", lambda pattern: tried.append(pattern) or False)
    assert suggest._pattern(["git", "add", *("a" * 20_000)]) is None
    assert len(tried) <= suggest._LONGEST_PATTERN
