"""What is known of a tool by its name, and what is guessed."""

from __future__ import annotations

import pytest

from signoff.policy.tool_rules import (
    DANGEROUS_TOOLS,
    SAFE_TOOLS,
    ApprovalPolicies,
    ToolClass,
    class_of,
    guesses,
)

SAFE = (
    "read, read_file, glob, grep, search, list_files, get_file_info, task, load_guide, "
    "enter_plan_mode, exit_plan_mode, write_plan, task_output, ask_user"
)
DANGEROUS = (
    "bash, shell, run, run_in_dir, write, edit, multi_edit, run_background, kill_task, "
    "send_email, post, delete, remove"
)


def test_the_lists_are_those_of_the_document() -> None:
    assert set(SAFE.split(", ")) == SAFE_TOOLS
    assert set(DANGEROUS.split(", ")) == DANGEROUS_TOOLS


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("read", ToolClass.SAFE),
        ("bash", ToolClass.DANGEROUS),
        ("BASH", ToolClass.DANGEROUS),
        ("Read", ToolClass.UNKNOWN),
        ("read_files", ToolClass.UNKNOWN),
        ("mcp__evil__read_file", ToolClass.UNKNOWN),
        ("toString", ToolClass.UNKNOWN),
        ("__class__", ToolClass.UNKNOWN),
        ("", ToolClass.UNKNOWN),
    ],
)
def test_a_tool_is_known_by_its_name(name: str, known: ToolClass) -> None:
    assert class_of(name) is known


def policies_against(name: str) -> set[str]:
    return {guess.policy for guess in guesses(name, ApprovalPolicies())}


@pytest.mark.parametrize(
    "name",
    ["delete_files", "createIssue", "git_push", "SET_VALUE", "HTTPPost", "overwrite", "upload-file", "send"],
)
def test_a_tool_that_appears_to_change_something_is_found(name: str) -> None:
    assert "write_ops" in policies_against(name)


@pytest.mark.parametrize(
    "name", ["dangerous_operation", "run_tests", "execSync", "sudo_ls", "bash", "Bash", "format_disk", "RunScript"]
)
def test_a_tool_that_appears_to_be_dangerous_is_found(name: str) -> None:
    assert "dangerous_ops" in policies_against(name)


@pytest.mark.parametrize(
    "name", ["read_file", "list_tables", "get_settings", "search_addresses", "compute_offset", "prune_view", ""]
)
def test_a_tool_that_appears_to_only_read_is_not_asked_about(name: str) -> None:
    assert policies_against(name) == set()


def test_the_reason_is_worded_as_the_document_has_it() -> None:
    (guess,) = guesses("delete_files", ApprovalPolicies(dangerous_ops=False))
    assert guess.reason == "tool 'delete_files' appears to perform write operations"


def test_only_the_policies_that_are_wanted_count() -> None:
    assert list(guesses("delete_and_run", ApprovalPolicies(write_ops=False, dangerous_ops=False))) == []
