"""Tools that ask by themselves in a LangChain agent whose middleware asks as well: the stricter wins."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_agents import DEPLOY, Deploying, agent_of, ago, go, middleware, script, told

from asked import Asked
from signoff.adapters.langchain import ApprovalMiddleware, approved
from signoff.controller import ApprovalController

each_way = pytest.mark.parametrize("way", [go, ago])


@each_way
def test_a_tool_that_asks_itself_is_asked_about_once(way: Any) -> None:
    own, others, model = Asked(approved=False, mode="hard", note="no"), Asked(), script(DEPLOY)
    deploy = approved(Deploying().tool(), ApprovalController(approval_callback=own))
    assert told(way(agent_of(model, [deploy], middleware(others)))) == [("error", "Approval denied: no")]
    assert (own.tools, others.tools, len(model.heard)) == (["deploy"], [], 1)


@each_way
@pytest.mark.parametrize("own_default", ["required", "none"])
def test_a_tool_that_asks_itself_is_blocked_by_a_deny(way: Any, own_default: Any) -> None:
    own, deploying = Asked(), Deploying()
    deploy = approved(deploying.tool(), ApprovalController(approval_callback=own), default_approval=own_default)
    blocking = middleware(Asked(), tool_configs={"deploy": {"approval": "deny"}})
    with pytest.raises(PermissionError, match="deploy is blocked"):
        way(agent_of(script(DEPLOY), [deploy], blocking))
    assert (own.requests, deploying.ran) == ([], [])


@pytest.mark.parametrize(
    ("own_default", "setting", "asks"),
    [
        ("required", "required", ["deploy"]),
        ("required", "none", ["deploy"]),
        ("none", "required", ["deploy"]),
        ("none", "none", []),
        ("none", None, []),
    ],
)
def test_a_setting_makes_a_tool_that_asks_itself_stricter_and_never_less_so(
    own_default: Any, setting: str | None, asks: list[str]
) -> None:
    own, others = Asked(), Asked()
    controller = ApprovalController(approval_callback=own)
    deploy = approved(Deploying().tool(), controller, default_approval=own_default)
    configs = {} if setting is None else {"deploy": {"approval": setting}}
    around = middleware(others, tool_configs=configs, default_approval="required")
    go(agent_of(script(DEPLOY), [deploy], around))
    assert (own.tools, others.tools) == (asks, [])


@pytest.mark.parametrize("denied_by", [0, 1])
def test_of_two_middlewares_the_one_that_denies_wins(denied_by: int) -> None:
    asked = Asked()
    settings = ["required", "required"]
    settings[denied_by] = "deny"
    outer, inner = (
        kind(ApprovalController(approval_callback=asked), tool_configs={"deploy": {"approval": setting}})
        for kind, setting in zip((ApprovalMiddleware, Inner), settings, strict=True)
    )
    deploy = approved(Deploying().tool(), ApprovalController(approval_callback=asked))
    with pytest.raises(PermissionError, match="deploy is blocked"):
        go(agent_of(script(DEPLOY), [deploy], outer, inner))
    assert asked.requests == []


class Inner(ApprovalMiddleware):
    """An agent takes only one middleware of a kind."""
