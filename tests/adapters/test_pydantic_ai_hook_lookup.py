"""A toolset whose say about approval cannot be looked up is an error, never a toolset without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai import FunctionToolset
from toolset_agents import Deploying, call, run

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController


class Broken(FunctionToolset[Any]):
    """Its hook is a property that needs what was never set."""

    @property
    def check_approval(self) -> Callable[..., Any]:
        return self._policy.check  # type: ignore[attr-defined, no-any-return]


def test_nothing_runs_of_a_toolset_whose_hook_cannot_be_looked_up() -> None:
    deploying = Deploying()
    wrapped = ApprovalToolset(
        Broken([deploying.deploy]),
        controller=ApprovalController("approve_all"),
        tool_configs={"deploy": {"approval": "none"}},
    )
    with pytest.raises(TypeError, match="check_approval of Broken cannot be looked up"):
        run(wrapped, [call("deploy", to="x")])
    assert deploying.ran == []


def test_what_hides_such_a_toolset_is_not_wrapped() -> None:
    with pytest.raises(TypeError, match="check_approval of Broken cannot be looked up"):
        ApprovalToolset(Broken().filtered(lambda *_: True))
