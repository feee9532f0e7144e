"""Rules added to the text of a settings file: it says exactly that besides, and everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.config import parse_config
from signoff.config.load import parse_with_marks
from signoff.config.suggest import verdicts_with, with_rules
from signoff.config.verdicts import SettingsFile
from signoff.policy.verdict import Level
from signoff.settings_yaml import ConfigError

FILES = {
    "items in braces": "shell:\n  rules:\n    - {pattern: rm, allowed: false}  # never\n# the end\ntools: {}\n",
    "items in lines": "shell:\n  rules:\n  - pattern: rm\n    # never\n    allowed: false\n  default: {}\n",
    "a list of its own": "shell_rules:\n- pattern: rm\n  allowed: false",
    "a shell without rules": "shell:  # mine\n    default: {approval: true}\n",
    "only a default": "shell_default: {approval: true}\n",
    "other ends of lines": "shell:\r\n  rules:\r\n    - {pattern: rm}\r\n",
}


def settings(text: str) -> SettingsFile:
    return SettingsFile("signoff.yaml", text, *parse_with_marks(text, "signoff.yaml"))


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_the_new_rules_are_there_and_no_line_is_lost(text: str) -> None:
    added = with_rules(settings(text), ["git status", "git diff --stat"])
    assert added is not None
    lines = added.text.splitlines()
    assert lines[added.line - 1 : added.line - 1 + len(added.new)] == list(added.new)
    del lines[added.line - 1 : added.line - 1 + len(added.new)]
    assert lines == text.splitlines()
    shell = parse_config(added.text).shell
    assert shell is not None
    assert [rule.pattern for rule in shell.rules][-2:] == ["git status", "git diff --stat"]


def test_a_comment_below_the_last_rule_stays_below_the_new_one() -> None:
    added = with_rules(settings(FILES["items in braces"]), ["git status"])
    assert added is not None
    assert added.text.splitlines()[3:6] == ['    - pattern: "git status"', "      approval: false", "# the end"]


@pytest.mark.parametrize(
    "text", ["{shell: {rules: [{pattern: rm}]}}", "shell: {}\n", "shell:\n  rules: [{pattern: rm}]\n"]
)
def test_a_list_in_brackets_gets_no_lines(text: str) -> None:
    assert with_rules(settings(text), ["git status"]) is None


def test_a_file_without_a_shell_gets_none() -> None:
    assert with_rules(settings("tools: {}\n"), ["git status"]) is None
    assert verdicts_with(settings("tools: {}\n"), ["git status"]) is None


def test_a_stricter_rule_stays_the_one_that_decides() -> None:
    found = verdicts_with(settings("shell:\n  rules:\n    - {pattern: git}\n"), ["git status", "ls"])
    assert found is not None
    assert found.command("git status").level is Level.ASK
    assert found.command("ls").level is Level.ALLOW


LINES = [
    *("rules:", "  rules:", "shell:", "shell_rules:", "- pattern: a", "  - {pattern: b}", "    allowed: true"),
    *("# x", "", "tools: {}", "  default: {}", "    - pattern: |", "      c"),
]


@given(st.lists(st.sampled_from(LINES), max_size=8), st.booleans())
def test_whatever_the_file_is_like_a_text_is_offered_only_if_it_says_what_is_wanted(
    lines: list[str], ends: bool
) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    try:
        read = settings(text)
    except ConfigError:
        return
    added = with_rules(read, ["git status"])
    if added is None:
        return
    before, after = read.config, parse_config(added.text)
    assert before.shell is not None
    assert after.shell is not None
    assert after.shell.rules[:-1] == before.shell.rules
    assert after.model_copy(update={"shell": None}) == before.model_copy(update={"shell": None})
