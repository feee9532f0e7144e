"""What a settings file builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff import ApprovalContext, ApprovalController
from signoff.config import AgentConfig, ConfigError, Setup, build, build_from_file, parse_config
from signoff.modes import MODE_VARIABLE, Mode


@pytest.fixture(autouse=True)
def _no_mode_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODE_VARIABLE, raising=False)


def settings(folder: Path, text: str) -> Path:
    path = folder / "signoff.yaml"
    path.write_text(text)
    return path


def test_nothing_set_builds_no_tools(tmp_path: Path) -> None:
    setup = build(AgentConfig(), tmp_path)
    assert setup == Setup(sandbox=None, shell=None, custom_tools=None, tool_configs={}, mode="interactive")


def test_relative_roots_start_where_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project" / "notes").mkdir(parents=True)
    (tmp_path / "project" / "notes" / "a.txt").write_text("hello")
    path = settings(tmp_path / "project", "sandbox: {paths: {notes: {root: ./notes}}}")
    monkeypatch.chdir(tmp_path)
    sandbox = build_from_file(path.relative_to(tmp_path), trusted=True).sandbox
    assert sandbox is not None
    assert sandbox.read_file("notes/a.txt") == "hello"


def test_commands_run_where_the_file_is_by_its_rules(tmp_path: Path) -> None:
    shell = build(parse_config("shell: {rules: [{pattern: rm, allowed: false}]}"), tmp_path).shell
    assert shell is not None
    assert shell.cwd == str(tmp_path)
    with pytest.raises(PermissionError, match="rm"):
        shell.check_approval(ApprovalContext(tool_name="run_command", args={"command": "rm -rf x"}))


def test_rules_of_the_shell_know_the_roots_of_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    text = """
    sandbox: {paths: {out: {root: out}}}
    shell: {rules: [{pattern: ls, approval: false, sandbox_paths: [out]}]}
    """
    shell = build(parse_config(text), tmp_path).shell
    assert shell is not None

    def asks(command: str) -> bool:
        return shell.check_approval(ApprovalContext(tool_name="shell", args={"command": command})) is not None

    assert (asks("ls out"), asks("ls /etc")) == (False, True)


def test_a_rule_with_a_root_that_there_is_not_cannot_be_built(tmp_path: Path) -> None:
    config = parse_config("shell_rules: [{pattern: ls, sandbox_paths: [out]}]")
    with pytest.raises(ValueError, match="out"):
        build(config, tmp_path)


def test_custom_tools_come_from_the_file_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("def add(a: int, b: int) -> int:\n    return a + b\n\ndef other(): ...\n")
    setup = build(parse_config("custom_tools: {add: {approval: required}}"), tmp_path)
    assert setup.custom_tools is not None
    assert {name: tool(1, 2) for name, tool in setup.custom_tools.tools.items()} == {"add": 3}
    assert setup.custom_tools.check_approval(ApprovalContext(tool_name="add", args={"a": 1, "b": 2})) is not None
    assert setup.tool_configs == {"add": {"approval": "required"}}


def test_without_custom_tools_no_code_is_run(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("raise AssertionError\n")
    assert build(parse_config("custom_tools: []"), tmp_path).custom_tools is None


def test_a_custom_tool_that_there_is_not_cannot_be_built(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("")
    with pytest.raises(ValueError, match="gone"):
        build(parse_config("custom_tools: [gone]"), tmp_path)


def test_settings_of_single_tools_become_tool_configs(tmp_path: Path) -> None:
    config = parse_config(
        "tools: {deploy: {approval: required}, look: {approval: none}, drop: {approval: deny}, x:}"
    )
    assert build(config, tmp_path).tool_configs == {
        "deploy": {"approval": "required"},
        "look": {"approval": "none"},
        "drop": {"approval": "deny"},
    }


def test_of_two_settings_for_one_tool_the_stricter_holds() -> None:
    config = AgentConfig.model_validate(
        {
            "tools": {"a": {"approval": "none"}, "b": {"approval": "required"}},
            "custom_tools": {"a": {"approval": "required"}, "b": {"approval": "none"}},
        }
    )
    assert config.tool_configs == {"a": {"approval": "required"}, "b": {"approval": "required"}}


@pytest.mark.parametrize(
    ("file", "code", "environment", "holds"),
    [
        (None, None, None, "interactive"),
        ("approve_all", None, None, "approve_all"),
        ("approve_all", "interactive", None, "interactive"),
        ("approve_all", None, "interactive", "interactive"),
        ("approve_all", "approve_all", "strict", "strict"),
        ("interactive", "approve_all", None, "interactive"),
        ("strict", "approve_all", "interactive", "strict"),
        ("interactive", "strict", None, "strict"),
    ],
)
def test_the_strictest_mode_holds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: Mode | None,
    code: Mode | None,
    environment: str | None,
    holds: Mode,
) -> None:
    if environment is not None:
        monkeypatch.setenv(MODE_VARIABLE, environment)
    setup = build(AgentConfig(approval_mode=file), tmp_path, mode=code)
    assert setup.mode == holds
    assert ApprovalController(setup.mode).mode == holds


def test_a_program_can_ignore_the_mode_of_the_file_when_it_says_so(tmp_path: Path) -> None:
    path = settings(tmp_path, "approval_mode: strict")
    assert build_from_file(path, trusted=True, mode="approve_all", ignore_mode_of_file=True).mode == "approve_all"


def test_a_mode_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="yolo"):
        build(AgentConfig(approval_mode="strict"), tmp_path, mode="yolo")  # type: ignore[arg-type]


def test_a_file_that_is_not_valid_builds_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        build_from_file(settings(tmp_path, "sandbox: {}\nshel: {}"))
