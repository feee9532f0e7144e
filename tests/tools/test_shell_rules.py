"""Shell rules: their spellings, and what they say of a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool, judge
from signoff.tools.shell_rules import ShellConfig, ShellDefault, ShellRule
from signoff.types import ApprovalContext, ApprovalRequest

RULES = {
    "default": {"allowed": True, "approval": True},
    "rules": [
        {"pattern": "git status", "approval": False},
        {"pattern": "git add", "approval": True, "description": "Stage files for commit"},
        {"pattern": "git commit", "approval": True, "description": "Create a commit"},
        {"pattern": "rm", "allowed": False},
        {"pattern": "wc", "approval": False, "sandbox_paths": ["output"]},
    ],
}


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    for name in ("output/tests", "output/private", "src"):
        (workdir / name).mkdir(parents=True)
    return FileSandbox({"output": {"root": "output"}, "src": {"root": "src"}}, cwd=str(workdir))


@pytest.fixture
def shell(workdir: Path, sandbox: FileSandbox) -> ShellTool:
    return ShellTool(workdir, config=RULES, sandbox=sandbox)


def asked(shell: ShellTool, command: str, tool: str = "run_command") -> ApprovalRequest | None:
    return shell.check_approval(ApprovalContext(tool_name=tool, args={"command": command}))


def verdict(config: dict[str, Any], command: str) -> str:
    try:
        judgement = judge(ShellConfig.model_validate(config), command, lambda *_: False)
    except PermissionError:
        return "block"
    return "ask" if judgement.asks else "allow"


# -- spellings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "allowed", "approval"),
    [
        ({}, True, True),
        ({"approval": False}, True, False),
        ({"approval": "none"}, True, False),
        ({"approval": "required"}, True, True),
        ({"approval_required": False}, True, False),
        ({"action": "allow"}, True, False),
        ({"action": "approve"}, True, True),
        ({"action": "deny"}, False, True),
        ({"allowed": False, "approval_required": True}, False, True),
        ({"approval": "required", "approval_required": True, "action": "approve"}, True, True),
    ],
)
def test_every_spelling_is_read(given: dict[str, Any], allowed: bool, approval: bool) -> None:
    default = ShellDefault.model_validate(given)
    assert (default.allowed, default.approval) == (allowed, approval)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"approval": True, "approval_required": False}, '"approval" and "approval_required"'),
        ({"approval": "none", "action": "approve"}, '"approval" and "action"'),
        ({"approval_required": True, "action": "allow"}, '"approval_required" and "action"'),
        ({"allowed": True, "action": "deny"}, '"allowed" and "action"'),
    ],
)
def test_two_spellings_that_contradict_each_other_are_both_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError, match=f"{named} contradict"):
        ShellDefault.model_validate(given)


@pytest.mark.parametrize(
    "given",
    [
        *({"approval": "maybe"}, {"approval": "yes"}, {"allowed": "no"}, {"approval": 0}, {"action": "block"}),
        *({"action": True}, {"aproval": True}, {"approval_required": "none"}),
    ],
)
def test_a_setting_that_is_not_understood_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ShellDefault.model_validate(given)


@pytest.mark.parametrize(
    "pattern", ["", " ", "git *", "rm -rf ~", "git 'status'", "a;b", "a | b", "$X", "^git", "a\nb*", "/bin/"]
)
def test_a_pattern_that_is_not_plain_words_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError, match="not a program in plain words"):
        ShellRule(pattern=pattern)


def test_the_keys_at_the_top_level_mean_the_same() -> None:
    config = ShellConfig.from_top_level(
        {"allowed": False, "approval_required": True}, [{"pattern": "ls", "approval_required": False}]
    )
    assert config == ShellConfig(
        default=ShellDefault(allowed=False), rules=(ShellRule(pattern="ls", approval=False),)
    )


def test_what_the_top_level_leaves_out_has_its_default() -> None:
    assert ShellConfig.from_top_level() == ShellConfig()


# -- what a rule lets through ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        *("git status", "git status -s", "git  'status'", "git status 'a; b'", "git stat\\us", "git status #"),
        *(
            "git status; git status -s",
            "git status && (git status)",
            "! git status",
            "time git status",
            "git status -- *",
        ),
    ],
)
def test_commands_with_the_words_of_a_rule_run_unasked(shell: ShellTool, command: str) -> None:
    assert asked(shell, command) is None


@pytest.mark.parametrize(
    "command",
    [
        *("git status; x", "git status $(x)", "git status > ~/.bashrc", "GIT_PAGER=x git status", "git status\nx"),
        *(
            "git status `x`",
            "git status & x",
            "git status | x",
            "git status && x",
            "git status <(x)",
        ),
        *(
            "./git status",
            "/usr/bin/git status",
            "Git status",
            "git",
            "git -c a=b status",
            "git statusx",
            "git status\r",
        ),
        *("git status\u2028x", "time x", "! x", "(x)", ""),
    ],
)
def test_anything_more_is_asked_about(shell: ShellTool, command: str) -> None:
    assert asked(shell, command) is not None


def test_a_part_without_a_rule_is_blocked_where_the_default_blocks() -> None:
    config = {"default": {"allowed": False}, "rules": [{"pattern": "git status", "approval": False}]}
    assert verdict(config, "git status | cat") == "block"


def test_what_a_rule_asks_about_is_asked_about_in_its_words(shell: ShellTool, workdir: Path) -> None:
    request = asked(shell, "git add x")
    assert request is not None
    assert (request.description, request.why) == ("Stage files for commit", 'shell rule "git add"')


def test_a_grant_ends_with_the_rule_that_asked(shell: ShellTool, workdir: Path) -> None:
    request = asked(shell, "git add x")
    assert request is not None
    assert request.payload == {"command": "git add x", "cwd": str(workdir), "rule": "git add"}


@pytest.mark.parametrize("first", [0, 1])
def test_the_strictest_rule_that_is_about_a_command_decides_in_any_order(first: int) -> None:
    rules = [{"pattern": "git", "approval": False}, {"pattern": "git push"}]
    rules = [rules[first], rules[1 - first]]
    assert [verdict({"rules": rules}, f"git {name}") for name in ("log", "push")] == ["allow", "ask"]


@pytest.mark.parametrize(
    ("default", "said"), [({}, "ask"), ({"approval": False}, "allow"), ({"allowed": False}, "block")]
)
def test_without_a_rule_the_default_decides(default: dict[str, Any], said: str) -> None:
    assert verdict({"default": default, "rules": [{"pattern": "x"}]}, "make all") == said


@pytest.mark.parametrize("command", ["env curl x", "/usr/bin/curl x", "sh -c 'curl x'", "x; curl", "$X"])
def test_a_default_that_lets_through_asks_wherever_a_rule_does(command: str) -> None:
    assert verdict({"default": {"approval": False}, "rules": [{"pattern": "curl"}]}, command) == "ask"


def test_a_rule_that_lets_through_does_not_hide_what_another_asks_about() -> None:
    rules = [{"pattern": "env", "approval": False}, {"pattern": "make", "approval": False}, {"pattern": "curl"}]
    assert [verdict({"rules": rules}, command) for command in ("env make x", "env curl x")] == ["allow", "ask"]


@pytest.mark.parametrize(("command", "said"), [("env", "allow"), ("env x", "ask"), ("bash -c x", "ask")])
def test_to_let_a_runner_through_says_nothing_of_what_it_runs(command: str, said: str) -> None:
    rules = [{"pattern": "env", "approval": False}, {"pattern": "bash", "approval": False}]
    assert verdict({"rules": rules}, command) == said


def test_why_it_is_asked_names_what_speaks_for_asking(shell: ShellTool) -> None:
    request = asked(shell, "git status > x; make")
    assert request is not None
    assert request.why == "shell default; it writes to a file"


# -- what a rule blocks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["rm y", "x; rm y", "$(rm y)", "env rm y", "sudo rm", "/bin/rm", "command rm", "git status; rm x"]
)
def test_a_blocked_program_is_blocked_wherever_it_is_found(shell: ShellTool, command: str) -> None:
    with pytest.raises(PermissionError, match='"rm" blocks'):
        asked(shell, command)


def test_a_block_outranks_rules_that_stand_before_it() -> None:
    rules = [{"pattern": "git", "approval": False}, {"pattern": "git push", "allowed": False}]
    assert verdict({"rules": rules}, "git push") == "block"


def test_what_is_blocked_is_not_run_by_a_direct_call_either(shell: ShellTool, workdir: Path) -> None:
    (workdir / "kept").touch()
    with pytest.raises(PermissionError):
        shell.run_command("rm kept")
    assert (workdir / "kept").exists()


def test_who_wants_a_command_approved_anyway_gets_no_request_for_a_blocked_one(shell: ShellTool) -> None:
    with pytest.raises(PermissionError):
        shell.approval_request(ApprovalContext(tool_name="shell", args={"command": "rm x"}))


def test_who_wants_a_command_approved_anyway_gets_a_request(shell: ShellTool, workdir: Path) -> None:
    request = shell.approval_request(ApprovalContext(tool_name="shell", args={"command": "git status"}))
    assert request is not None
    assert request.payload == {"command": "git status", "cwd": str(workdir)}


def test_the_tool_may_be_called_shell(shell: ShellTool) -> None:
    request = asked(shell, "make", tool="shell")
    assert request is not None
    assert request.tool_name == "shell"
    assert shell.shell("echo hi").output == "hi\n"


# -- paths -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "wc output",
        "wc -l output/tests",
        "wc ./output/new",
        "wc -l --total=never output/tests/test_a.py",
    ],
)
def test_a_rule_with_sandbox_paths_is_about_commands_in_them(shell: ShellTool, command: str) -> None:
    assert asked(shell, command) is None


@pytest.mark.parametrize(
    "command",
    [
        *(
            "wc",
            "wc src",
            "wc output src",
            "wc output/../src",
            "wc --out=src output",
            "wc ''",
        ),
        *(
            "wc -osrc output",
            "wc output:src",
            "wc @src",
            "wc output 'a b'",
            "wc .",
            "wc /etc",
        ),
        *("wc --a=output,/etc", "wc output/link", "wc -- src", "wc -c=src output"),
        *("cd /etc && wc output", "wc output < /etc/passwd", "env -C /etc wc output"),
    ],
)
def test_other_commands_are_left_to_the_next_rule(shell: ShellTool, workdir: Path, command: str) -> None:
    (workdir / "output" / "link").symlink_to("/etc")
    request = asked(shell, command)
    assert request is not None
    assert request.why.startswith("shell default")


@pytest.mark.parametrize(
    "option",
    [
        "-o../src",
        "-xo../src",
        "-o=../src",
        "--o=../src",
        "--o:../src",
        "--../src",
        "-- -x ../src",
        "'a b' /c",
        "-xvs",
    ],
)
def test_an_option_that_may_hold_a_path_elsewhere_is_found(
    workdir: Path, sandbox: FileSandbox, option: str
) -> None:
    inside = ShellTool(workdir / "output", config=RULES, sandbox=sandbox)
    assert asked(inside, f"wc {option}") is not None


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "pytest", "rg WORD", "ls", "grep -R WORD notes", "wc --files0-from=notes/l", "make notes",
     "git log notes", "pytest notes", "black --check notes/a", "isort --check notes/a", "flake8 notes/a",
     "prettier --check notes/a",
     "cargo check", "du", "sort -T /tmp notes/a", "find -L notes", "sha256sum -c notes/sums", "frob notes/a"],
)  # fmt: skip
def test_a_path_that_is_not_written_out_is_not_known(workdir: Path, command: str) -> None:
    assert asked(_reader(workdir, command), command) is not None


@pytest.mark.parametrize(
    "command",
    ["grep WORD notes/a", "grep -e WORD -f notes/words notes/a notes/b", "rg -n WORD notes",
     "ls -l notes", "wc -l notes/a",
     "find notes -name '*.py'", "head -n 5 notes/a", "sed -n 1,5p notes/a", "jq . notes/a"],
)  # fmt: skip
def test_words_that_are_no_paths_are_told_from_those_that_are(workdir: Path, command: str) -> None:
    assert asked(_reader(workdir, command), command) is None


@pytest.mark.parametrize(
    "command", ["grep WORD /etc/passwd", "grep -f /etc/passwd notes/a", "head notes/../src/a"]
)
def test_every_path_has_to_lie_in_the_roots(workdir: Path, command: str) -> None:
    assert asked(_reader(workdir, command), command) is not None


def _reader(workdir: Path, command: str) -> ShellTool:
    """A tool that lets the program of a command through in one folder."""
    (workdir / "notes").mkdir()
    sandbox = FileSandbox({"notes": {"root": "notes"}}, cwd=str(workdir))
    rule = {"pattern": command.split(maxsplit=1)[0], "approval": False, "sandbox_paths": ["notes"]}
    return ShellTool(workdir, config={"rules": [rule]}, sandbox=sandbox)


def test_a_directory_with_another_root_below_it_does_not_count(workdir: Path, sandbox: FileSandbox) -> None:
    inner = FileSandbox({"output": {"root": "output"}, "private": {"root": "output/private"}}, cwd=str(workdir))
    shell = ShellTool(workdir, config=RULES, sandbox=inner)
    assert asked(shell, "wc output/tests") is None
    assert asked(shell, "wc output") is not None
    assert asked(shell, "wc output/private") is not None


def test_a_root_that_nobody_knows_is_refused_at_once(workdir: Path) -> None:
    sandbox = FileSandbox({"outputs": {"root": "."}}, cwd=str(workdir))
    with pytest.raises(ValueError, match='"output"; did you mean "outputs"'):
        ShellTool(workdir, config=RULES, sandbox=sandbox)


def test_sandbox_paths_without_a_sandbox_are_refused_at_once(workdir: Path) -> None:
    with pytest.raises(ValueError, match="give a sandbox"):
        ShellTool(workdir, config=RULES)


def test_a_configuration_that_is_not_valid_is_refused_at_once_in_the_words_of_a_file(workdir: Path) -> None:
    with pytest.raises(ValueError, match=r'^shell\.rule: is no key that is known here; did you mean "rules"\?$'):
        ShellTool(workdir, config={"rule": []})


@pytest.mark.parametrize("program", ["/usr/bin/env", "env", "npx", "xargs"])
def test_a_program_that_runs_others_is_asked_about_wherever_it_lies(program: str, tmp_path: Path) -> None:
    shell = ShellTool(tmp_path, config={"rules": [{"pattern": program, "approval": False}]})
    context = ApprovalContext(tool_name="shell", args={"command": f"{program} true"})
    assert shell.check_approval(context) is not None
