"""What the documents show in YAML loads as it is written, and means what they say."""

from __future__ import annotations

import pytest

from documented_blocks import BLOCKS
from signoff.config import AgentConfig, parse_config
from signoff.tools.custom import CustomToolConfig
from signoff.tools.file_sandbox import SandboxConfig
from signoff.tools.roots import PathConfig
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule


def _sandbox(**roots: PathConfig) -> AgentConfig:
    return AgentConfig(sandbox=SandboxConfig(paths=roots))


MEANINGS = {
    "write_approval": _sandbox(output=PathConfig(root="./output", mode="rw", write_approval=True)),
    "read_approval": _sandbox(documents=PathConfig(root="./docs", mode="ro", read_approval=True)),
    "custom_tools_list": AgentConfig(
        custom_tools={"calculate_fibonacci": CustomToolConfig(), "send_notification": CustomToolConfig()}
    ),
    "shell_default_and_rules": AgentConfig(
        shell=ShellConfig(
            default=ShellDefault(allowed=False, approval=True),
            rules=(
                ShellRule(pattern="git status", allowed=True, approval=False),
                ShellRule(pattern="git commit", allowed=True, approval=True),
            ),
        )
    ),
    "sandbox_in_one_place": _sandbox(
        notes=PathConfig(root="./notes", mode="rw", suffixes=(".txt", ".log"), write_approval=True),
        cache=PathConfig(root="./cache", mode="rw", write_approval=False),
    ),
    "shell_block": AgentConfig(
        shell=ShellConfig(
            default=ShellDefault(allowed=True, approval=True),
            rules=(
                ShellRule(pattern="git status", approval=False),
                ShellRule(pattern="git add", approval=True, description="Stage files for commit"),
                ShellRule(pattern="git commit", approval=True, description="Create a commit"),
                ShellRule(pattern="rm", allowed=False),
                ShellRule(pattern="pytest", approval=False, sandbox_paths=("output",)),
            ),
        )
    ),
    "os_sandbox": AgentConfig(
        sandbox=SandboxConfig(
            paths={"data": PathConfig(root="./data", mode="rw")},
            require_os_sandbox=True,
            os_sandbox_fallback="refuse_tools",
        )
    ),
    "custom_tools_mapping": AgentConfig(
        custom_tools={
            "calculate_stats": CustomToolConfig(approval="required"),
            "send_notification": CustomToolConfig(approval="none"),
            "format_output": CustomToolConfig(),
        }
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_documented_block_means_what_the_document_says(name: str) -> None:
    assert parse_config(BLOCKS[name]) == MEANINGS[name]


def test_both_spellings_of_a_shell_mean_the_same() -> None:
    top_level = "shell_default: {allowed: false}\nshell_rules: [{pattern: ls, approval_required: false}]\n"
    block = "shell:\n  default: {action: deny}\n  rules: [{pattern: ls, approval: none}]\n"
    assert parse_config(top_level) == parse_config(block)


def test_both_spellings_of_an_approval_mean_the_same() -> None:
    flags = "sandbox: {paths: {a: {root: a, mode: rw, write_approval: false, read_approval: true}}}"
    words = "sandbox: {paths: {a: {root: a, mode: rw, approval: {write: none, read: required}}}}"
    assert parse_config(flags) == parse_config(words)


def test_both_spellings_of_custom_tools_mean_the_same() -> None:
    assert parse_config("custom_tools: [a, b]") == parse_config("custom_tools: {a: {}, b:}")
