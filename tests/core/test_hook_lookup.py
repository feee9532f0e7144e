"""A hook that cannot be looked up is an error: it is never taken for one that is not there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from signoff.approval_rules import HOOKS, ApprovalNeeds, has_hook, hook_of
from signoff.controller import ApprovalController
from signoff.execution import execute_tool
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext

CALL = ApprovalContext(tool_name="act", args={})


class Broken:
    """Its hooks are properties that need what was never set."""

    @property
    def check_approval(self) -> Callable[..., Any]:
        return self._policy.check  # type: ignore[attr-defined, no-any-return]

    @property
    def needs_approval(self) -> Callable[..., Any]:
        raise AttributeError("no policy was loaded")

    def act(self) -> str:
        return "acted"


class Around:
    """Passes what it does not have itself on to another object."""

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Refusing:
    """Has no attributes, and says so in words of its own."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"nothing here is called {name}")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("owner", [Broken(), Around(Broken())], ids=["own", "passed on"])
def test_a_property_that_fails_is_not_an_absent_hook(owner: object, hook: str) -> None:
    with pytest.raises(TypeError, match=f"{hook} of .* cannot be looked up"):
        hook_of(owner, hook)


@pytest.mark.parametrize(
    "owner", [None, object(), len, functools.partial(len), Refusing(), Around(object()), Around(Refusing())]
)
def test_a_hook_that_is_not_there_is_none(owner: object) -> None:
    assert hook_of(owner, "check_approval") is None


@pytest.mark.parametrize("setting", ["required", "none"])
def test_a_toolset_whose_hook_cannot_be_looked_up_lets_nothing_run(setting: str) -> None:
    needs = ApprovalNeeds({"act": {"approval": setting}}, "none")
    with pytest.raises(TypeError, match="cannot be looked up"):
        needs.request_for(CALL, Broken(), None, ApprovalMemory())


def test_a_tool_is_not_let_run_unlooked_at_when_a_hook_cannot_be_looked_up() -> None:
    needs = ApprovalNeeds({"act": {"approval": "none"}}, "none")
    with pytest.raises(TypeError, match="cannot be looked up"):
        needs.lets_run("act", Broken(), None)


async def test_the_method_of_an_object_whose_hook_cannot_be_looked_up_is_not_run() -> None:
    with pytest.raises(TypeError, match="cannot be looked up"):
        await execute_tool(Broken().act, "act", {}, ApprovalController("approve_all"))


class LooksUpItself:
    """Its own way to look attributes up needs something for a hook that is not there."""

    def __getattribute__(self, name: str) -> Any:
        if name == "check_approval":
            return super().__getattribute__("_policy").check  # which was never set
        return super().__getattribute__(name)


def test_a_hook_that_a_class_with_its_own_lookup_cannot_give_is_not_taken_for_absent() -> None:
    with pytest.raises(TypeError, match="cannot be looked up"):
        has_hook(LooksUpItself(), ("check_approval",))
