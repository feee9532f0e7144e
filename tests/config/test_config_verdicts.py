"""What a settings file says of calls: all that has a say counts, and the strictest holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff import ApprovalContext, ApprovalMemory
from signoff.approval_rules import ApprovalNeeds
from signoff.config import build, parse_config
from signoff.config.verdicts import FILE_TOOLS, SHELL_TOOLS, SettingsVerdicts
from signoff.policy.verdict import Level, Verdict, strictest
from signoff.tools import FileSandbox, ShellTool

SHELL = "shell: {rules: [{pattern: git status, approval: false}, {pattern: rm, allowed: false}]}\n"
SANDBOX = "sandbox: {paths: {notes: {root: notes, mode: rw, suffixes: [.txt]}}}\n"


def verdicts(folder: Path, settings: str, source: str | None = None) -> SettingsVerdicts:
    (folder / "notes").mkdir(exist_ok=True)
    if source is not None:
        (folder / "tools.py").write_text(source)
    return SettingsVerdicts(parse_config(settings), folder)


def command(folder: Path, settings: str, text: str) -> Verdict:
    return verdicts(folder, settings).command(text)


# -- the shell -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "level", "rule"),
    [
        ("git status -s", Level.ALLOW, "git status"),
        ("git status; rm x", Level.BLOCK, "rm"),
        ("/usr/bin/git status", Level.ASK, "default"),
    ],
)
def test_a_command_is_judged_by_the_rules_of_the_shell(tmp_path: Path, text: str, level: Level, rule: str) -> None:
    found = command(tmp_path, SHELL, text)
    assert (found.level, found.rule) == (level, rule)


@pytest.mark.parametrize("tool", sorted(SHELL_TOOLS))
def test_every_name_of_the_shell_tool_has_its_rules(tmp_path: Path, tool: str) -> None:
    found = verdicts(tmp_path, SHELL).verdict(tool, {"command": "rm x"})
    assert found.level is Level.BLOCK


def test_a_command_that_is_no_text_is_blocked(tmp_path: Path) -> None:
    assert verdicts(tmp_path, SHELL).verdict("shell", {"command": ["ls"]}).level is Level.BLOCK


def test_without_rules_for_the_shell_a_command_asks(tmp_path: Path) -> None:
    assert command(tmp_path, "tools: {}", "ls").level is Level.ASK


@pytest.mark.parametrize(
    ("path", "level"),
    [("notes/a.txt", Level.ALLOW), ("notes/../a.txt", Level.ASK), ("/etc/passwd", Level.ASK)],
)
def test_a_rule_with_roots_lets_through_paths_in_them_only(tmp_path: Path, path: str, level: Level) -> None:
    rules = "shell: {rules: [{pattern: cat, approval: false, sandbox_paths: [notes]}]}"
    assert command(tmp_path, SANDBOX + rules, f"cat {path}").level is level


@pytest.mark.parametrize(
    "text",
    ["git status", "rm x", "ls", "git status > x", "cat notes/a.txt", "cat x", "sudo cat notes/a.txt", "cat 'x"],
)
def test_a_command_is_judged_as_the_shell_tool_does(tmp_path: Path, text: str) -> None:
    rules = "[{pattern: cat, approval: false, sandbox_paths: [notes]}, {pattern: rm, allowed: false}]"
    found = verdicts(tmp_path, f"{SANDBOX}shell: {{rules: {rules}}}")
    tool = ShellTool(tmp_path, config=found.config.shell, sandbox=sandbox_of(found))
    assert found.command(text).level is asked(tool, "run_command", {"command": text})


# -- files -----------------------------------------------------------------------------------------------


def sandbox_of(found: SettingsVerdicts) -> FileSandbox:
    assert found.config.sandbox is not None
    return FileSandbox(found.config.sandbox, cwd=found.directory)


def asked(tool: FileSandbox | ShellTool, name: str, arguments: dict[str, object]) -> Level:
    """What the tool itself does with a call."""
    try:
        request = tool.check_approval(ApprovalContext(tool_name=name, args=arguments))
    except PermissionError:
        return Level.BLOCK
    return Level.ALLOW if request is None else Level.ASK


@pytest.mark.parametrize("path", ["notes/a.txt", "notes/a.bin", "notes/../a.txt", "notes", "/etc/passwd", ""])
@pytest.mark.parametrize("tool", sorted(FILE_TOOLS))
def test_a_path_is_judged_as_the_sandbox_does(tmp_path: Path, tool: str, path: str) -> None:
    found = verdicts(tmp_path, SANDBOX)
    arguments: dict[str, object] = {"path": path, "content": "", "old": "", "new": ""}
    assert found.verdict(tool, arguments).level is asked(sandbox_of(found), tool, arguments)


def test_the_root_is_the_rule_and_the_path_is_the_part(tmp_path: Path) -> None:
    found = verdicts(tmp_path, SANDBOX).verdict("write_file", {"path": "notes/a.txt", "content": "x"})
    assert (found.level, found.rule, found.parts[0].text) == (Level.ASK, "notes", "notes/a.txt")


def test_files_and_commands_are_blocked_where_a_sandbox_is_required_that_cannot_be_had(tmp_path: Path) -> None:
    required = (
        "sandbox: {require_os_sandbox: true, os_sandbox_backends: [seatbelt], paths: {notes: {root: notes}}}\n"
    )
    found = verdicts(tmp_path, required + SHELL)
    assert found.command("git status").level is Level.BLOCK
    assert found.verdict("read_file", {"path": "notes/a.txt"}).level is Level.BLOCK


# -- settings of tools, and functions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "level"), [("required", Level.ASK), ("none", Level.ALLOW), ("deny", Level.BLOCK)]
)
def test_a_setting_says_what_becomes_of_a_tool(tmp_path: Path, setting: str, level: Level) -> None:
    found = verdicts(tmp_path, f"tools: {{deploy: {{approval: {setting}}}}}").verdict("deploy", {})
    assert (found.level, found.rule) == (level, f"approval: {setting}")


@pytest.mark.parametrize(
    ("text", "level"), [("ls", Level.ALLOW), ("git status", Level.ALLOW), ("rm x", Level.BLOCK)]
)
def test_a_setting_of_none_stands_above_what_the_tool_would_ask_about_but_not_above_a_block(
    tmp_path: Path, text: str, level: Level
) -> None:
    settings = SHELL + "tools: {run_command: {approval: none}}"
    assert command(tmp_path, settings, text).level is level


def test_a_setting_of_none_does_not_stand_above_the_rules_on_calls(tmp_path: Path) -> None:
    settings = "unknown: ask\ntools: {deploy: {approval: none}}"
    assert verdicts(tmp_path, settings).verdict("deploy", {}).level is Level.ASK


FUNCTIONS = {
    "marked": ("import signoff\n@signoff.requires_approval\ndef send(): ...", "", Level.ASK),
    "not marked": ("def send(): ...", "", Level.ALLOW),
    "unclear": ("@traced\ndef send(): ...", "", Level.ASK),
    "missing": ("", "", Level.ASK),
    "marked, set to none": ("import signoff\n@signoff.requires_approval\ndef send(): ...", "none", Level.ALLOW),
    "not marked, set to required": ("def send(): ...", "required", Level.ASK),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_a_function_is_judged_by_its_mark_and_its_setting(tmp_path: Path, case: str) -> None:
    source, setting, level = FUNCTIONS[case]
    settings = f"custom_tools: {{send: {{approval: {setting}}}}}" if setting else "custom_tools: [send]"
    assert verdicts(tmp_path, settings, source).verdict("send", {}).level is level


def test_no_code_is_run_to_judge_a_function(tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\ndef send(): ..."
    verdicts(tmp_path, "custom_tools: [send]", source).verdict("send", {})
    assert not (tmp_path / "ran").exists()


# -- several that have a say ------------------------------------------------------------------------------


def test_a_tool_that_nothing_is_said_of_asks(tmp_path: Path) -> None:
    found = verdicts(tmp_path, "{}").verdict("deploy", {})
    assert (found.level, found.rule, found.reasons) == (Level.ASK, "default", ("no setting is about this tool",))


def test_rules_on_calls_count_beside_the_sandbox(tmp_path: Path) -> None:
    settings = (
        SANDBOX + "arguments: {read_file: {default: allow, rules: [{when: {path: notes/b.txt}, verdict: block}]}}"
    )
    found = verdicts(tmp_path, settings)
    assert found.verdict("read_file", {"path": "notes/a.txt"}).level is Level.ALLOW
    assert found.verdict("read_file", {"path": "notes/b.txt"}).level is Level.BLOCK
    assert found.verdict("read_file", {"path": "a.txt"}).level is Level.BLOCK


def test_the_tool_of_a_server_is_not_ours_for_its_name(tmp_path: Path) -> None:
    settings = SANDBOX + "tool_servers: [{server_name: files, allowlist: ['read_.*'], default: allow}]"
    found = verdicts(tmp_path, settings).verdict("read_file", {"path": "/etc/passwd"}, "files")
    assert (found.level, found.rule) == (Level.ALLOW, 'allowlist "read_.*"')


@given(
    tool=st.sampled_from(["run_command", "read_file", "write_file", "deploy", "send_email"]),
    text=st.sampled_from(["git status", "rm x", "ls", "notes/a.txt", "../a.txt", ""]),
    setting=st.sampled_from(["required", "deny"]),
    unknown=st.sampled_from(["", "unknown: ask\n"]),
)
def test_another_rule_that_asks_or_blocks_never_loosens(
    tmp_path_factory: pytest.TempPathFactory, tool: str, text: str, setting: str, unknown: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    arguments = {"command": text, "path": text, "content": ""}
    settings = SHELL + SANDBOX + unknown
    before = verdicts(folder, settings).verdict(tool, arguments)
    after = verdicts(folder, f"{settings}tools: {{{tool}: {{approval: {setting}}}}}").verdict(tool, arguments)
    said = Level.ASK if setting == "required" else Level.BLOCK
    if before.reasons != ("no setting is about this tool",):
        assert after.level is strictest((before.level, said))
    else:
        assert after.level is said


# -- what really happens ----------------------------------------------------------------------------------


CALLS = [
    ("run_command", {"command": "git status"}),
    ("run_command", {"command": "rm x"}),
    ("run_command", {"command": "ls"}),
    ("shell", {"command": "git status"}),
    ("read_file", {"path": "notes/a.txt"}),
    ("read_file", {"path": "a.txt"}),
    ("write_file", {"path": "notes/a.txt", "content": "x"}),
    ("list_files", {}),
]

ON_CALLS = [
    "",
    "unknown: ask\n",
    "approval_policies: {}\n",
    "arguments: {read_file: {default: block}, run_command: {default: allow}}\n",
]


@given(
    call=st.sampled_from(CALLS),
    setting=st.sampled_from(["", "required", "none", "deny"]),
    on_calls=st.sampled_from(ON_CALLS),
)
def test_a_verdict_is_what_really_happens_to_a_call(
    tmp_path_factory: pytest.TempPathFactory, call: tuple[str, dict[str, object]], setting: str, on_calls: str
) -> None:
    tool, arguments = call
    settings = f"tools: {{{tool}: {{approval: {setting}}}}}" if setting else ""
    folder = tmp_path_factory.getbasetemp()
    found = verdicts(folder, SHELL + SANDBOX + on_calls + settings)
    setup = build(found.config, folder)
    toolset = setup.shell if tool in SHELL_TOOLS else setup.sandbox
    needs = ApprovalNeeds(setup.tool_configs, "required", policy=setup.call_policy)
    context = ApprovalContext(tool_name=tool, args=arguments)
    try:
        request = needs.request_for(context, toolset, None, ApprovalMemory())
    except PermissionError:
        happens = Level.BLOCK
    else:
        happens = Level.ALLOW if request is None else Level.ASK
    assert found.verdict(tool, arguments).level is happens


@pytest.mark.parametrize(("of_all_tools", "of_the_call"), [("web", None), (None, "web")])
def test_a_server_is_judged_by_its_rules_whoever_names_it(
    tmp_path: Path, of_all_tools: str | None, of_the_call: str | None
) -> None:
    policy = build(parse_config("tool_servers: [{server_name: web, denylist: ['.*']}]"), tmp_path).call_policy
    needs = ApprovalNeeds({}, "none", policy=policy, server=of_all_tools)
    context = ApprovalContext(tool_name="fetch", args={}, server=of_the_call)
    with pytest.raises(PermissionError, match="blocked"):
        needs.request_for(context, None, None, ApprovalMemory())
