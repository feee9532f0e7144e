"""The plugin for ConnectOnion with a policy, and with tools that speak for themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("connectonion")

from connectonion_agents import Call, Conversation

from asked import Asked
from connectonion_client import Client
from signoff import ApprovalController, ApprovalRequest, requires_approval
from signoff.adapters.connectonion import QueueIO, approval_plugin
from signoff.config import build, parse_config
from signoff.policy.tool_rules import CallPolicy
from signoff.types import ApprovalContext

RUN: Call = ("bash", {"command": "make"})
PUSH: Call = ("bash", {"command": "git push"})
WRITE: Call = ("write", {"file_path": "a.txt", "content": "hello"})
PAINT: Call = ("paint", {})
READ: Call = ("read_file", {})
APPROVED = {"approved": True}
SESSION = {"approved": True, "scope": "session"}


def policy_of(settings: str) -> CallPolicy:
    policy = build(parse_config(settings), ".").call_policy
    assert policy is not None
    return policy


RULES = policy_of(
    """
    arguments:
      bash:
        default: allow
        rules:
          - {when: {command: git push}, verdict: ask}
          - {when: {command: make}, verdict: block}
    """
)
OPEN = policy_of("unknown: allow")


def paint() -> str:
    """Paint."""
    return "painted"


def marked() -> Callable[[], str]:
    """A copy of it with a mark."""

    def paint() -> str:
        """Paint."""
        return "painted"

    return requires_approval(paint)


def read_file() -> str:
    """Read."""
    return "read"


class Painter:
    """An object whose methods are tools, and which is asked about them."""

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        if ctx.tool_name != "paint":
            return None
        return ApprovalRequest(tool_name="paint", description="Paint!", payload={})

    def paint(self) -> str:
        """Paint."""
        return paint()


# -- blocks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("io", [lambda: None, Client, lambda: QueueIO(ApprovalController("approve_all"))])
@pytest.mark.parametrize("headless", ["run", "deny"])
def test_a_block_holds_with_every_client_and_without_one_and_the_model_is_told_the_rule(
    io: Any, headless: Any
) -> None:
    talk = Conversation(approval_plugin(policy=RULES, headless=headless), io(), [RUN])
    assert talk.input() == "done"
    assert talk.ran == []
    assert talk.results == ["Error: bash is blocked (policy: arguments.bash.rules[1])"]


def test_an_approval_for_the_session_does_not_override_a_block() -> None:
    web = Client(SESSION)
    talk = Conversation(approval_plugin(policy=RULES), web, [PUSH], [RUN])
    talk.input()
    assert (talk.ran, len(web.asked)) == ([PUSH], 1)


# -- questions ---------------------------------------------------------------------------------------------


def test_what_a_policy_asks_about_is_asked_each_time_also_after_an_approval_for_the_session() -> None:
    web = Client(SESSION, {"approved": False, "mode": "reject_soft"})
    talk = Conversation(approval_plugin(policy=RULES), web, [PUSH], [PUSH])
    talk.input()
    assert (talk.ran, len(web.asked)) == ([PUSH], 2)


def test_what_a_policy_allows_runs_although_its_name_is_dangerous() -> None:
    other: Call = ("bash", {"command": "ls"})
    talk = Conversation(approval_plugin(policy=RULES), Client(), [other])
    talk.input()
    assert talk.ran == [other]


def test_a_client_is_told_which_rule_asks() -> None:
    web = Client(APPROVED)
    Conversation(approval_plugin(policy=RULES), web, [PUSH]).input()
    assert web.asked[0]["policy"] == {"decision": "ask", "reason": "policy: arguments.bash.rules[0]"}


def test_the_server_of_the_tools_is_part_of_the_request() -> None:
    asked = Asked()
    rules = policy_of("tools: [{server_name: web, default: ask}]")
    plugin = approval_plugin(policy=rules, server="web")
    talk = Conversation(plugin, QueueIO(ApprovalController(approval_callback=asked)), [WRITE])
    talk.input()
    assert ([request.server for request in asked.requests], talk.ran) == (["web"], [WRITE])


@pytest.mark.parametrize("policy", [None, OPEN])
@pytest.mark.parametrize(("server", "times"), [(None, 0), ("web", 1)])
def test_only_the_own_tools_of_an_agent_are_safe_for_their_name(
    policy: CallPolicy | None, server: str | None, times: int
) -> None:
    web = Client(APPROVED)
    plugin = approval_plugin(policy=policy, server=server, unknown="ask")
    talk = Conversation(plugin, web, [READ], tools=[read_file])
    talk.input()
    assert (len(web.asked), talk.results) == (times, ["read"])


@pytest.mark.parametrize(("unknown", "times"), [("ask", 1), ("safe", 0), (None, 1)])
def test_with_a_policy_what_it_knows_nothing_of_is_asked_about_unless_said_otherwise(
    unknown: Any, times: int
) -> None:
    web = Client(APPROVED)
    talk = Conversation(approval_plugin(policy=OPEN, unknown=unknown), web, [PAINT], tools=[paint])
    talk.input()
    assert (len(web.asked), talk.results) == (times, ["painted"])


@pytest.mark.parametrize(("headless", "ran"), [("run", [PUSH]), ("deny", []), (None, [])])
def test_with_a_policy_nothing_that_it_asks_about_runs_without_a_client_unless_said_otherwise(
    headless: Any, ran: list[Call]
) -> None:
    talk = Conversation(approval_plugin(policy=RULES, headless=headless), None, [PUSH])
    talk.input()
    assert talk.ran == ran


# -- tools that speak for themselves -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", [None, OPEN])
@pytest.mark.parametrize("tools", [[marked()], [Painter()], [Painter().paint]])
def test_a_mark_or_an_object_that_asks_counts_with_and_without_a_policy(
    tools: list[Any], policy: CallPolicy | None
) -> None:
    web = Client({"approved": False, "mode": "reject_soft"})
    talk = Conversation(approval_plugin(policy=policy, unknown="safe"), web, [PAINT], tools=tools)
    talk.input()
    assert [question["tool"] for question in web.asked] == ["paint"]
    assert talk.results == ["Error: User rejected tool 'paint'."]


def test_the_words_of_an_object_that_asks_reach_the_reviewer() -> None:
    asked = Asked()
    io = QueueIO(ApprovalController(approval_callback=asked))
    talk = Conversation(approval_plugin(), io, [PAINT], tools=[Painter()])
    talk.input()
    assert ([request.description for request in asked.requests], talk.results) == (["Paint!"], ["painted"])
