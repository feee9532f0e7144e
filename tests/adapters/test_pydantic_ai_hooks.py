"""`ApprovalToolset`: toolsets, marks and objects that say themselves whether a call needs approval."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import FunctionToolset
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, WrapperToolset
from toolset_agents import (
    ACT,
    REQUEST,
    ByContext,
    ByNameAndMemory,
    ByNeeds,
    Deciding,
    call,
    look,
    run,
    wipe,
)

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.adapters.pydantic_ai.objects import DeclaredToolset
from signoff.decorators import requires_approval
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool


@pytest.mark.parametrize("kind", [ByContext, ByNameAndMemory, ByNeeds])
def test_the_toolset_may_ask_with_a_request_of_its_own(kind: type[Deciding]) -> None:
    asked = Asked()
    run(ApprovalToolset(kind(REQUEST), asked), ACT)
    assert asked.requests == [REQUEST]


@pytest.mark.parametrize(("kind", "no"), [(ByContext, None), (ByNameAndMemory, None), (ByNeeds, False)])
def test_the_toolset_may_need_no_approval(kind: type[Deciding], no: Any) -> None:
    asked = Asked()
    assert run(ApprovalToolset(kind(no), asked), ACT) == [("success", "done")]
    assert asked.requests == []


def test_needs_approval_may_say_yes() -> None:
    asked = Asked()
    run(ApprovalToolset(ByNeeds(True), asked), ACT)
    assert asked.requests[0].payload == {"number": 7}


def test_needs_approval_may_give_some_fields() -> None:
    asked = Asked()
    presentation = {"type": "command", "content": "act --seven"}
    fields = {"description": "Act", "payload": {"n": 7}, "presentation": presentation}
    run(ApprovalToolset(ByNeeds(fields), asked), ACT)
    request = asked.requests[0]
    assert (request.description, request.payload) == ("Act", {"n": 7})
    assert request.presentation is not None
    assert request.presentation.content == "act --seven"


def test_needs_approval_that_forgets_to_answer_is_asked_about() -> None:
    asked = Asked()
    run(ApprovalToolset(ByNeeds(None), asked), ACT)
    assert asked.tools == ["act"]


@pytest.mark.parametrize("kind", [ByContext, ByNeeds])
@pytest.mark.parametrize("garbage", ["no", 0, [], object()])
def test_an_opinion_that_is_not_understood_runs_nothing(kind: type[Deciding], garbage: Any) -> None:
    inner = kind(garbage)
    with pytest.raises(TypeError, match="answered with"):
        run(ApprovalToolset(inner, Asked()), ACT)
    assert not inner.ran


def test_an_asynchronous_opinion_is_refused_instead_of_taken_for_yes() -> None:
    class Later(Deciding):
        async def needs_approval(self, tool_name: str, args: dict[str, Any]) -> bool:
            return False

    with pytest.raises(TypeError, match="asynchronous"):
        run(ApprovalToolset(Later(None), Asked()), ACT)


def test_a_hook_with_another_signature_is_refused() -> None:
    class Odd(Deciding):
        def check_approval(self) -> None:
            return None

    with pytest.raises(TypeError, match="other arguments"):
        run(ApprovalToolset(Odd(None), Asked()), ACT)


WIPE = [call("wipe", what="db")]


@pytest.mark.parametrize(("kind", "no"), [(ByContext, None), (ByNameAndMemory, None), (ByNeeds, False)])
def test_the_mark_on_a_function_asks_where_the_toolset_does_not(kind: type[Deciding], no: Any) -> None:
    inner, asked = kind(no), Asked()
    inner.tools.clear()
    inner.add_function(wipe, name="act")
    run(ApprovalToolset(inner, asked), [call("act", what="db")])
    assert asked.tools == ["act"]


@pytest.mark.parametrize("default", ["required", "none"])
def test_a_marked_tool_beside_those_of_a_sandbox_is_asked_about(workdir: Path, default: Any) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": "."}}, cwd=str(workdir)))
    files.add_function(wipe)
    asked = Asked()
    run(ApprovalToolset(files, asked, default_approval=default), WIPE)
    assert asked.tools == ["wipe"]


@pytest.mark.parametrize(("default", "asked_about"), [("required", ["look"]), ("none", [])])
def test_other_tools_beside_those_of_a_sandbox_are_left_to_the_default(
    workdir: Path, default: Any, asked_about: list[str]
) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": "."}}, cwd=str(workdir)))
    files.add_function(look)
    asked = Asked()
    run(ApprovalToolset(files, asked, default_approval=default), [call("look", what="db")])
    assert asked.tools == asked_about


def test_a_toolset_without_an_opinion_leaves_its_tool_to_the_default() -> None:
    asked = Asked()
    run(ApprovalToolset(ByContext(NotImplemented), asked), ACT)
    assert asked.tools == ["act"]


@pytest.mark.parametrize(
    ("around", "name"),
    [
        (lambda files: files, "write_file"),
        (lambda files: files.prefixed("my"), "my_write_file"),
        (lambda files: files.renamed({"save": "write_file"}), "save"),
        (lambda files: CombinedToolset([files, FunctionToolset([look])]), "write_file"),
        (WrapperToolset, "write_file"),
    ],
)
def test_a_write_is_asked_about_and_shown_whatever_is_around_the_toolset(
    workdir: Path, around: Callable[..., AbstractToolset[Any]], name: str
) -> None:
    files = DeclaredToolset.of_files(FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir)))
    asked = Asked(approved=False, mode="soft")
    toolset = ApprovalToolset(around(files), asked, default_approval="none")
    run(toolset, [call(name, path="a.txt", content="hi")])
    assert [(request.tool_name, len(request.effects)) for request in asked.requests] == [(name, 1)]
    assert list(workdir.iterdir()) == []


def test_a_method_in_a_plain_toolset_is_decided_by_its_object(workdir: Path) -> None:
    asked = Asked(approved=False, mode="soft")
    plain = FunctionToolset([ShellTool(workdir).run_command])
    run(ApprovalToolset(plain, asked, default_approval="none"), [call("run_command", command="touch ran")])
    assert asked.tools == ["run_command"]


def test_the_mark_on_a_function_asks_where_the_default_does_not() -> None:
    @requires_approval
    def marked(number: int) -> str:
        """Marked."""
        return "marked"

    def plain(number: int) -> str:
        """Not marked."""
        return "plain"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([marked, plain]), asked, default_approval="none")
    run(toolset, [call("marked", number=1), call("plain", number=2)])
    assert asked.tools == ["marked"]


def test_the_mark_is_found_under_another_name_of_the_tool() -> None:
    @requires_approval(description="Send it")
    def send(to: str) -> str:
        """Send."""
        return "sent"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([send]).prefixed("mail"), asked, default_approval="none")
    run(toolset, [call("mail_send", to="x")])
    assert [request.description for request in asked.requests] == ["Send it"]


def test_the_older_mark_without_a_method_is_understood() -> None:
    def send(to: str) -> str:
        """Send."""
        return "sent"

    send._requires_approval = True  # type: ignore[attr-defined]
    asked = Asked()
    run(ApprovalToolset(FunctionToolset([send]), asked, default_approval="none"), [call("send", to="x")])
    assert asked.tools == ["send"]
