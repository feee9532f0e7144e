"""`ApprovalMiddleware` and `approved` with a policy: which tools a model is offered, and whose policy holds."""

from __future__ import annotations

from typing import Any

import pytest
from entry_points import Act, policy_of
from langchain_agents import DEPLOY, Deploying, Scripted, agent_of, ago, call, go, middleware, told
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from asked import Asked
from signoff.adapters.langchain import ApprovalToolWrapper, approved
from signoff.controller import ApprovalController

each_way = pytest.mark.parametrize("way", [go, ago])

DENYING = policy_of("tools: [{server_name: web, denylist: [deploy, web_search]}]")
ALLOWING = policy_of("arguments: {act: {default: allow}, deploy: {default: allow}}")
KNOWING_NOTHING = policy_of("unknown: allow")
ASKING = policy_of("unknown: ask")


class Offered(Scripted):
    """A scripted model that notes the tools it is told of."""

    names: list[str] = []  # noqa: RUF012 - a field, copied for each model

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, AIMessage]:
        self.names[:] = [tool.name if isinstance(tool, BaseTool) else str(tool) for tool in tools]
        return self


def offered(*turns: Any) -> Offered:
    said = [AIMessage("", tool_calls=list(turn)) for turn in turns]
    return Offered(messages=iter([*said, AIMessage("done")]))


@each_way
@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({}, ["deploy", "act"]),
        ({"policy": DENYING}, ["deploy", "act"]),
        ({"policy": DENYING, "server": "web"}, ["act"]),
        ({"policy": ASKING}, ["deploy", "act"]),
        ({"policy": policy_of("arguments: {act: {default: block, rules: []}}")}, ["deploy", "act"]),
    ],
)
def test_a_model_is_offered_what_the_policy_does_not_block_by_name(way: Any, said: Any, names: Any) -> None:
    model = offered()
    way(agent_of(model, [Deploying().tool(), Act().langchain_tool()], middleware(Asked(), **said)))
    assert model.names == names


@each_way
def test_a_call_of_a_hidden_tool_is_blocked(way: Any) -> None:
    deploying, asked = Deploying(), Asked()
    agent = agent_of(offered(DEPLOY), [deploying.tool()], middleware(asked, policy=DENYING, server="web"))
    with pytest.raises(PermissionError, match="deploy is blocked"):
        way(agent)
    assert (deploying.ran, asked.requests) == ([], [])


@each_way
def test_a_run_with_a_denied_and_a_conditional_tool(way: Any) -> None:
    rules = "{server_name: web, denylist: [act], requires_approval: {conditional: ['deploy.*']}}"
    model, deploying, asked = offered(DEPLOY), Deploying(), Asked()
    around = middleware(asked, policy=policy_of(f"tools: [{rules}]"), server="web")
    assert told(way(agent_of(model, [deploying.tool(), Act().langchain_tool()], around))) == [
        ("success", "deployed to staging")
    ]
    assert (model.names, asked.tools) == (["deploy"], ["deploy"])
    assert asked.requests[0].why == 'policy: requires_approval.conditional "deploy.*"'


@pytest.mark.parametrize(
    "spelled",
    [
        {"type": "web_search"},
        {"type": "web_search_2025", "name": "web_search"},
        {"type": "function", "function": {"name": "web_search"}},
    ],
)
def test_a_tool_that_the_provider_runs_is_hidden_by_its_name(spelled: dict[str, Any]) -> None:
    for policy, names in ((DENYING, ["act"]), (ALLOWING, ["act", str(spelled)])):
        model = offered()
        around = middleware(Asked(), policy=policy, server="web")
        go(agent_of(model, [Act().langchain_tool(), spelled], around))
        assert model.names == names


def test_who_calls_a_tool_that_there_is_not_is_not_told_of_hidden_ones() -> None:
    around = middleware(Asked(), policy=DENYING, server="web")
    tools = [Deploying().tool(), Act().langchain_tool()]
    ((status, text),) = told(go(agent_of(offered([call("nothing")]), tools, around)))
    assert (status, text) == ("error", "Not run: nothing is not a tool of this agent, use one of: act")


# -- tools that ask by themselves --------------------------------------------------------------------------


def asking_itself(deploying: Deploying, asked: Asked, **said: Any) -> BaseTool:
    return approved(deploying.tool(), ApprovalController(approval_callback=asked), **said)


@each_way
def test_a_tool_is_hidden_by_its_own_policy(way: Any) -> None:
    model = offered()
    tool = asking_itself(Deploying(), Asked(), policy=DENYING, server="web")
    way(agent_of(model, [tool, Act().langchain_tool()], middleware(Asked())))
    assert model.names == ["act"]


@each_way
def test_a_tool_that_asks_itself_is_blocked_and_hidden_by_the_policy_of_the_agent(way: Any) -> None:
    model, deploying, own = offered(DEPLOY), Deploying(), Asked()
    tool = asking_itself(deploying, own, policy=ALLOWING)
    with pytest.raises(PermissionError, match="deploy is blocked"):
        way(agent_of(model, [tool, Act().langchain_tool()], middleware(Asked(), policy=DENYING, server="web")))
    assert (model.names, deploying.ran, own.requests) == (["act"], [], [])


@each_way
@pytest.mark.parametrize(
    ("own_policy", "policy_of_agent", "times"),
    [(ALLOWING, ALLOWING, 0), (ALLOWING, ASKING, 1), (ASKING, ALLOWING, 1), (ASKING, ASKING, 1)],
)
def test_of_two_policies_the_one_that_asks_wins_and_asks_once(
    way: Any, own_policy: Any, policy_of_agent: Any, times: int
) -> None:
    deploying, own, others = Deploying(), Asked(), Asked()
    tool = asking_itself(deploying, own, policy=own_policy)
    way(agent_of(offered(DEPLOY), [tool], middleware(others, policy=policy_of_agent)))
    assert (own.times, others.times, deploying.ran) == (times, 0, ["staging"])


@each_way
@pytest.mark.parametrize(("default", "times"), [("required", 1), ("none", 0)])
@pytest.mark.parametrize("policy_of_agent", [ALLOWING, KNOWING_NOTHING])
def test_a_policy_that_knows_nothing_of_a_tool_that_asks_itself_leaves_it_to_the_default_of_that_tool(
    way: Any, default: Any, times: int, policy_of_agent: Any
) -> None:
    deploying, own, others = Deploying(), Asked(), Asked()
    tool = asking_itself(deploying, own, policy=KNOWING_NOTHING, default_approval=default)
    way(agent_of(offered(DEPLOY), [tool], middleware(others, policy=policy_of_agent)))
    assert (own.times, others.times, deploying.ran) == (times, 0, ["staging"])


def test_the_policy_of_an_agent_that_allows_does_not_silence_a_tool_that_asks_itself() -> None:
    own = Asked()
    tool = asking_itself(Deploying(), own)
    go(agent_of(offered(DEPLOY), [tool], middleware(Asked(), policy=ALLOWING)))
    assert own.tools == ["deploy"]


def test_a_tool_that_asks_already_is_held_to_a_further_policy() -> None:
    deploying, own = Deploying(), Asked()
    tool = asking_itself(deploying, own, policy=ALLOWING)
    controller = ApprovalController(approval_callback=Asked())
    with pytest.raises(PermissionError, match="deploy is blocked"):
        approved(tool, controller, policy=DENYING, server="web").invoke({"to": "staging"})
    approved(tool, controller, policy=ASKING).invoke({"to": "staging"})
    assert (own.tools, deploying.ran) == (["deploy"], ["staging"])


async def test_a_wrapper_holds_a_tool_that_asks_already_to_its_policy() -> None:
    deploying = Deploying()
    tool = asking_itself(deploying, Asked(), default_approval="none")
    wrapper = ApprovalToolWrapper(tool, ApprovalController("approve_all"), policy=DENYING, server="web")
    with pytest.raises(PermissionError, match="deploy is blocked"):
        await wrapper.invoke({"to": "staging"})
    assert deploying.ran == []


def test_a_tool_that_asks_already_stays_as_it_is_without_a_policy() -> None:
    tool = asking_itself(Deploying(), Asked())
    assert approved(tool, ApprovalController(approval_callback=Asked())) is tool
