"""What `signoff config check` says of names and marks that it can only read, not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.cli.config_text import report_facts, report_text
from signoff.config import parse_config
from signoff.config.report import Report, describe
from signoff.config.warnings import SettingsWarning, report_warnings

LISTED = "custom_tools: [send]"
MARK = "@requires_approval"


def report_of(folder: Path, settings: str, source: str = "") -> Report:
    (folder / "tools.py").write_text(source)
    return describe(parse_config(settings), folder)


def said(report: Report) -> str:
    """What the report says of the only custom tool."""
    lines = report_text(report, ()).splitlines()
    return lines[lines.index("custom tools:") + 1].strip()


# -- marks -------------------------------------------------------------------------------------------------

CLEAR = {
    "marked": (f"{MARK}\ndef send(): ...", "send  asks first (as marked; tools.py, line 2)"),
    "marked with words": (
        f"{MARK}(description='x')\nasync def send(): ...",
        "send  asks first (as marked; tools.py, line 2)",
    ),
    "not marked": ("def send(): ...", "send  runs without asking (not marked; tools.py, line 1)"),
    "the same in every branch": (
        f"if x:\n {MARK}\n def send(): ...\nelse:\n {MARK}\n def send(): ...",
        "send  asks first (as marked; tools.py, line 6)",
    ),
}

DECORATED = "it has other decorators"
SEVERAL = "it is defined in several ways"
ELSEWHERE = "it is not written as a function there"

UNCLEAR = {
    "another decorator above the mark": (f"@traced\n{MARK}\ndef send(): ...", DECORATED, 3),
    "another decorator below the mark": (f"{MARK}\n@traced\ndef send(): ...", DECORATED, 3),
    "another decorator with arguments": (f"{MARK}\n@traced(to='log')\ndef send(): ...", DECORATED, 3),
    "another decorator and no mark": ("@traced\ndef send(): ...", DECORATED, 2),
    "marked in one branch only": (
        f"try:\n {MARK}\n def send(): ...\nexcept E:\n def send(): ...",
        SEVERAL,
        5,
    ),
    "marked in the last branch only": (f"def send(): ...\nif x:\n {MARK}\n def send(): ...", SEVERAL, 4),
    "imported, or else defined": ("try:\n from x import send\nexcept E:\n def send(): ...", SEVERAL, 4),
    "decorated in one branch only": ("if x:\n @traced\n def send(): ...\nelse:\n def send(): ...", SEVERAL, 5),
    "imported": ("from x import send", ELSEWHERE, 1),
    "wrapped by hand": (f"{MARK}\ndef send(): ...\nsend = traced(send)", ELSEWHERE, 3),
}


@pytest.mark.parametrize("case", CLEAR)
def test_a_mark_alone_on_a_function_is_told(tmp_path: Path, case: str) -> None:
    source, words = CLEAR[case]
    report = report_of(tmp_path, LISTED, source)
    assert said(report) == words
    assert report_warnings(report) == []


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_mark_that_other_code_may_lose_cannot_be_told_from_the_source(tmp_path: Path, case: str) -> None:
    source, why, line = UNCLEAR[case]
    report = report_of(tmp_path, LISTED, source)
    words = "asks first or runs: cannot be told from the source"
    assert said(report) == f"send  {words}, because {why} (tools.py, line {line})"


def test_programs_are_told_too_that_it_is_unclear(tmp_path: Path) -> None:
    report = report_of(tmp_path, LISTED, f"@traced\n{MARK}\ndef send(): ...")
    (tool,) = report_facts(report, ())["custom_tools"]
    assert (tool["answer"], tool["marked"]) == ("unclear", True)


def test_a_function_with_other_decorators_and_no_setting_is_warned_of(tmp_path: Path) -> None:
    report = report_of(tmp_path, LISTED, f"@traced\n{MARK}\ndef send(): ...")
    message = f'whether it asks cannot be told from the source, because {DECORATED}; set its "approval"'
    assert report_warnings(report) == [SettingsWarning(("custom_tools", "send"), message)]


@pytest.mark.parametrize(("approval", "words"), [("required", "asks first"), ("none", "runs without asking")])
def test_a_setting_holds_whatever_the_decorators_do(tmp_path: Path, approval: str, words: str) -> None:
    report = report_of(tmp_path, f"custom_tools: {{send: {{approval: {approval}}}}}", "@traced\ndef send(): ...")
    assert said(report) == f"send  {words} (as set; tools.py, line 2)"
    assert report_warnings(report) == []


# -- names -------------------------------------------------------------------------------------------------


def messages_of(folder: Path, settings: str, source: str = "") -> dict[str, str]:
    found = report_warnings(report_of(folder, settings, source))
    return {str(warning.path[-1]): warning.message for warning in found}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("wirte_file", "write_file"),
        ("write-file", "write_file"),
        ("WriteFile", "write_file"),
        ("list_file", "list_files"),
        ("run_comand", "run_command"),
        ("worker_cal", "worker_call"),
        ("deploy_shop", "deploy_shops"),
    ],
)
def test_a_tool_that_is_called_almost_like_a_known_one_is_warned_of(
    tmp_path: Path, written: str, meant: str
) -> None:
    settings = f"custom_tools: [deploy_shops]\ntools: {{{written}: {{approval: deny}}}}"
    warnings = messages_of(tmp_path, settings, "def deploy_shops(): ...")
    assert warnings == {written: f'is no tool that is known here; did you mean "{meant}"?'}


@pytest.mark.parametrize(
    "name", ["write_file", "run_command", "shell", "deploy", "list_tables", "read_email", "send"]
)
def test_a_known_tool_and_one_of_any_other_origin_are_not_warned_of(tmp_path: Path, name: str) -> None:
    settings = f"{LISTED}\ntools: {{{name}: {{approval: required}}}}"
    assert messages_of(tmp_path, settings, "def send(): ...") == {}


def test_a_custom_tool_that_there_is_not_is_warned_of_with_what_may_be_meant(tmp_path: Path) -> None:
    missing = "there is no such function in tools.py; nothing can be built"
    source = "def send_mail(): ...\ndef _send(): ...\nsend = 1"
    assert messages_of(tmp_path, "custom_tools: [sned_mail, other]", source) == {
        "sned_mail": f'{missing}; did you mean "send_mail"?',
        "other": missing,
    }


def test_what_is_no_public_function_is_not_suggested(tmp_path: Path) -> None:
    source = "def _sends(): ...\nsent = 1"
    assert messages_of(tmp_path, LISTED, source) == {
        "send": "there is no such function in tools.py; nothing can be built"
    }
