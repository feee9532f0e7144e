"""Tools from a file: only what is named becomes one, and who decides about its approval."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from signoff.controller import ApprovalController
from signoff.execution import execute_tool
from signoff.tools.custom import CustomToolConfig, CustomTools, load_custom_tools
from signoff.types import ApprovalContext, ApprovalDeniedError, ApprovalRequest

TOOLS = '''
from __future__ import annotations
from dataclasses import dataclass
from os.path import join, samefile
from signoff import requires_approval
from signoff.types import ApprovalRequest

@dataclass
class Sum:
    value: Number

Number = int
limit = 3
_secret = lambda: "secret"

def add(a: Number, b: int = 2, *, c: int = 0) -> int:
    """Add numbers."""
    return a + b + c

@requires_approval(description="Send it", exclude_keys={"body"})
def send(to: str, body: str) -> str:
    return f"sent to {to}"

def picky(path: str) -> str:
    return path

def check_picky(ctx):
    if ctx.args["path"] == "secret":
        raise PermissionError("never")

picky.check_approval = check_picky

def only_marked() -> None: ...
only_marked._requires_approval = True

def confused() -> None: ...
confused.check_approval = lambda ctx: True

async def later() -> str:
    return "later"

sum_up = sum
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tools.py"
    path.write_text(TOOLS)
    return path


def asked(tools: CustomTools, name: str, **args: Any) -> ApprovalRequest | None:
    return tools.check_approval(ApprovalContext(tool_name=name, args=args))


# -- loading -----------------------------------------------------------------------------------------------


def test_only_what_is_named_becomes_a_tool(file: Path) -> None:
    assert list(load_custom_tools(file, ["add", "later"]).tools) == ["add", "later"]


def test_a_function_that_the_file_imports_can_be_named(file: Path) -> None:
    assert load_custom_tools(file, ["join"]).tools["join"]("a", "b") == "a/b"


def test_a_tool_has_the_signature_and_the_words_of_its_function(file: Path) -> None:
    add = load_custom_tools(file, ["add"]).tools["add"]
    assert add(1) == 3
    assert add(1, 1, c=5) == 7
    assert (add.__name__, add.__doc__) == ("add", "Add numbers.")
    assert str(inspect.signature(add)) == "(a: 'Number', b: 'int' = 2, *, c: 'int' = 0) -> 'int'"
    assert get_type_hints(add)["a"] is int


def test_a_name_that_is_not_there_is_refused_with_a_suggestion(file: Path) -> None:
    with pytest.raises(ValueError, match=r'"sent" is not in .*tools\.py; did you mean "send"'):
        load_custom_tools(file, ["sent"])


@pytest.mark.parametrize("name", ["_secret", "Sum", "limit", "sum_up", "__builtins__", "ApprovalRequest"])
def test_what_is_no_public_function_is_refused(file: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a public function"):
        load_custom_tools(file, [name])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"tools\.py is not there"):
        load_custom_tools(tmp_path / "tools.py", [])


def test_a_file_that_fails_is_named_with_the_cause(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("1 / 0")
    with pytest.raises(ImportError, match=r"tools\.py cannot be loaded: ZeroDivisionError") as failed:
        load_custom_tools(tmp_path / "tools.py", [])
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tools.txt").write_text(TOOLS)
    with pytest.raises(ImportError, match="not a Python file"):
        load_custom_tools(tmp_path / "tools.txt", [])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"approval": "yes"}, 'custom_tools.add.approval: must be "required" or "none", not "yes"'),
        (
            {"aproval": "none"},
            'custom_tools.add.aproval: is no key that is known here; did you mean "approval"?',
        ),
        ("none", 'custom_tools.add: must be a mapping of keys to values, not "none"'),
    ],
)
def test_settings_that_are_not_understood_are_refused_in_the_words_of_a_file(
    file: Path, settings: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        load_custom_tools(file, {"add": settings})


def test_settings_without_a_function_are_refused() -> None:
    with pytest.raises(ValueError, match="no function"):
        CustomTools({}, {"add": CustomToolConfig()})


# -- who decides -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("allowed", [["add"], {"add": None}, {"add": {}}, {"add": CustomToolConfig()}])
def test_what_nobody_speaks_about_needs_no_approval(file: Path, allowed: Any) -> None:
    assert asked(load_custom_tools(file, allowed), "add", a=1) is None


def test_what_nobody_speaks_about_can_be_asked_about_by_default(file: Path) -> None:
    request = asked(load_custom_tools(file, ["add"], default_approval="required"), "add", a=1)
    assert request is not None
    assert (request.payload, request.why) == ({"a": 1}, "default_approval: required")


def test_a_mark_asks_in_its_own_words(file: Path) -> None:
    request = asked(load_custom_tools(file, ["send"]), "send", to="x", body="y")
    assert request is not None
    assert (request.description, request.payload) == ("Send it", {"to": "x"})


def test_the_bare_mark_asks_too(file: Path) -> None:
    request = asked(load_custom_tools(file, ["only_marked"]), "only_marked")
    assert request is not None
    assert request.why == "@requires_approval"


def test_an_answer_that_is_not_understood_is_an_error(file: Path) -> None:
    with pytest.raises(TypeError, match="answered with bool"):
        asked(load_custom_tools(file, ["confused"]), "confused")


def test_a_setting_asks_where_the_function_does_not(file: Path) -> None:
    request = asked(load_custom_tools(file, {"add": {"approval": "required"}}), "add", a=1)
    assert request is not None
    assert request.why == "custom_tools: required"


def test_a_setting_that_asks_keeps_the_words_of_the_mark(file: Path) -> None:
    request = asked(load_custom_tools(file, {"send": {"approval": "required"}}), "send", to="x", body="y")
    assert request is not None
    assert request.description == "Send it"


def test_a_setting_outranks_the_mark(file: Path) -> None:
    assert asked(load_custom_tools(file, {"send": {"approval": "none"}}), "send", to="x", body="y") is None


def test_a_block_outranks_the_setting(file: Path) -> None:
    tools = load_custom_tools(file, {"picky": {"approval": "none"}})
    assert asked(tools, "picky", path="a") is None
    with pytest.raises(PermissionError, match="never"):
        asked(tools, "picky", path="secret")


def test_about_the_tools_of_others_it_has_no_opinion(file: Path) -> None:
    assert asked(load_custom_tools(file, ["add"]), "send") is NotImplemented


def test_the_settings_can_be_handed_to_a_toolset(file: Path) -> None:
    tools = load_custom_tools(file, {"add": {"approval": "none"}, "send": {}})
    assert tools.tool_configs == {"add": {"approval": "none"}}


# -- running -----------------------------------------------------------------------------------------------

nobody = ApprovalController(mode="strict")


async def test_the_decision_goes_with_the_function(file: Path) -> None:
    tools = load_custom_tools(file, {"add": {"approval": "required"}, "send": {"approval": "none"}, "later": None})
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(tools.tools["add"], "add", {"a": 1}, nobody)
    assert await execute_tool(tools.tools["send"], "mail", {"to": "x", "body": ""}, nobody) == "sent to x"
    assert await execute_tool(tools.tools["later"], "later", {}, nobody) == "later"


async def test_the_mark_of_the_original_is_left_alone(file: Path) -> None:
    marked = load_custom_tools(file, {"send": {}}).tools["send"]
    load_custom_tools(file, {"send": {"approval": "none"}})
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(marked, "send", {"to": "x", "body": ""}, nobody)
