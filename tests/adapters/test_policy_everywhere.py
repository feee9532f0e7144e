"""A policy for calls holds in every entry point: of all that is said of a call the strictest wins."""

from __future__ import annotations

import contextlib
from typing import Any, Literal, get_args

import pytest
from entry_points import ALL, ASYNCHRONOUS, WITH_SETTINGS, Act, EntryPoint, policy_of, with_execute_tool

from asked import Asked
from signoff import ApprovalController, ApprovalDecision, ApprovalMemory, execute_tool, requires_approval
from signoff.modes import Mode
from signoff.policy.tool_rules import CallPolicy
from signoff.types import ApprovalDeniedError, ApprovalRequest

Verdict = Literal["allow", "ask", "block"]
Outcome = Literal["runs", "asks", "blocked"]
Opinion = Literal["nothing", "no approval", "approval", "mark", "block"]

every_entry_point = pytest.mark.parametrize("call", ALL, ids=lambda each: each.__name__)
each_with_settings = pytest.mark.parametrize("call", WITH_SETTINGS, ids=lambda each: each.__name__)


def policy(verdict: Verdict) -> CallPolicy:
    """One that says this of the call that is made here, and allows every other."""
    rule = f"{{when: {{number: 7}}, verdict: {verdict}}}"
    return policy_of(f"arguments: {{act: {{default: allow, rules: [{rule}]}}}}")


def opinionated(opinion: Opinion) -> Act:
    act = Act()
    if opinion == "mark":
        requires_approval(act.function)
    elif opinion != "nothing":
        act.function.check_approval = lambda ctx: answer(opinion)
    return act


def answer(opinion: Opinion) -> ApprovalRequest | None:
    if opinion == "block":
        raise PermissionError("act is blocked by its author")
    if opinion == "no approval":
        return None
    return ApprovalRequest(tool_name="act", description="Act!", payload={"number": 7}, why="its author")


def outcome(call: EntryPoint, act: Act, asked: Asked, mode: Mode = "interactive", **said: Any) -> Outcome:
    """What becomes of the call, if whoever is asked approves."""
    try:
        call(act, ApprovalController(mode, asked), **said)
    except ApprovalDeniedError:
        raise
    except PermissionError:
        assert (act.ran, asked.requests) == ([], [])
        return "blocked"
    assert act.ran == [7]
    return "asks" if asked.requests else "runs"


# -- the policy and whoever wrote the tool -----------------------------------------------------------------

MATRIX: dict[tuple[Opinion, Verdict], Outcome] = {
    ("nothing", "allow"): "runs",
    ("nothing", "ask"): "asks",
    ("nothing", "block"): "blocked",
    ("no approval", "allow"): "runs",
    ("no approval", "ask"): "asks",
    ("no approval", "block"): "blocked",
    ("approval", "allow"): "asks",
    ("approval", "ask"): "asks",
    ("approval", "block"): "blocked",
    ("mark", "allow"): "asks",
    ("mark", "ask"): "asks",
    ("mark", "block"): "blocked",
    ("block", "allow"): "blocked",
    ("block", "ask"): "blocked",
    ("block", "block"): "blocked",
}


@every_entry_point
@pytest.mark.parametrize("default", ["required", "none"])
@pytest.mark.parametrize(("opinion", "verdict"), MATRIX)
def test_the_strictest_of_policy_and_author_holds_whatever_the_default(
    call: EntryPoint, opinion: Opinion, verdict: Verdict, default: str
) -> None:
    said = {"policy": policy(verdict), "default_approval": default}
    assert outcome(call, opinionated(opinion), Asked(), **said) == MATRIX[opinion, verdict]


@pytest.mark.parametrize("call", ASYNCHRONOUS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(("verdict", "expected"), [("allow", "runs"), ("ask", "asks"), ("block", "blocked")])
def test_asynchronous_tools_are_held_to_the_policy_too(
    call: EntryPoint, verdict: Verdict, expected: Outcome
) -> None:
    assert outcome(call, Act(asynchronous=True), Asked(), policy=policy(verdict)) == expected


@every_entry_point
def test_the_policy_judges_the_arguments_of_the_call(call: EntryPoint) -> None:
    other = policy_of("arguments: {act: {default: allow, rules: [{when: {number: 8}, verdict: block}]}}")
    assert outcome(call, Act(), Asked(), policy=other) == "runs"


@every_entry_point
def test_a_block_names_the_rule(call: EntryPoint) -> None:
    with pytest.raises(PermissionError, match=r"^act is blocked \(policy: arguments\.act\.rules\[0\]\)"):
        call(Act(), ApprovalController("interactive", Asked()), policy=policy("block"))


@every_entry_point
def test_a_block_tells_the_reasons(call: EntryPoint) -> None:
    rules = "[{when: {number: 7}, verdict: block}, {when: {missing: 1}, verdict: ask}]"
    unclear = policy_of(f"arguments: {{act: {{rules: {rules}}}}}")
    with pytest.raises(PermissionError, match=r'rules\[0\]; may be what the rule "arguments.act.rules\[1\]"'):
        call(Act(), ApprovalController("interactive", Asked()), policy=unclear)


@every_entry_point
def test_a_request_of_the_policy_names_the_rule(call: EntryPoint) -> None:
    asked = Asked()
    outcome(call, Act(), asked, policy=policy("ask"))
    assert [request.why for request in asked.requests] == ["policy: arguments.act.rules[0]"]


@every_entry_point
def test_a_request_of_the_author_keeps_its_words_and_names_the_rule_too(call: EntryPoint) -> None:
    asked = Asked()
    outcome(call, opinionated("approval"), asked, policy=policy("ask"))
    (request,) = asked.requests
    assert (request.description, request.why) == ("Act!", "its author; policy: arguments.act.rules[0]")


@every_entry_point
@pytest.mark.parametrize("default", ["required", "none"])
def test_the_rules_of_a_server_are_about_its_tools(call: EntryPoint, default: str) -> None:
    rules = policy_of("tools: [{server_name: web, arguments: {act: {default: block, rules: []}}}]")
    said = {"policy": rules, "server": "web", "default_approval": default}
    assert outcome(call, Act(), Asked(), **said) == "blocked"


# -- tools that the policy knows nothing of ----------------------------------------------------------------

KNOWS_NOTHING_OF_ACT = {
    "a policy without rules": "unknown: allow",
    "rules for a server that lists the tool": "tools: [{server_name: web, allowlist: [act]}]",
    "rules for a server that denies the tool": "tools: [{server_name: web, denylist: [act]}]",
    "rules for a server that allows everything": "tools: [{server_name: web, default: allow}]",
    "rules on the tool of a server": "tools: [{server_name: web, arguments: {act: {default: allow}}}]",
    "rules on another tool": "arguments: {other: {default: allow}}",
    "rules for a tool whose name differs in case": "arguments: {Act: {default: allow}}",
    "rules against other calls of the name": (
        "arguments: {Act: {default: allow, rules: [{when: {number: 8}, verdict: block}]}}"
    ),
    "guesses that do not concern the tool": "approval_policies: {}",
}

FORGOTTEN_OR_MISSPELLED = (None, "wbe", "Web", "")

NOTHING_KNOWN = [
    pytest.param(call, settings, server, id=f"{call.__name__}-{name}-{server}")
    for call in ALL
    for name, settings in KNOWS_NOTHING_OF_ACT.items()
    for server in FORGOTTEN_OR_MISSPELLED
    # All hand both to the same policy: that each comes with each other is seen where it costs least.
    if call is with_execute_tool or server == "wbe" or name == "rules for a server that denies the tool"
]
"""Every entry point with each of these policies, and with each of these servers."""


@pytest.mark.parametrize(("call", "settings", "server"), NOTHING_KNOWN)
def test_the_default_decides_about_a_tool_that_the_policy_knows_nothing_of(
    call: EntryPoint, settings: str, server: str | None
) -> None:
    said = {"policy": policy_of(settings), "server": server}
    assert outcome(call, Act(), Asked(), **said, default_approval="required") == "asks"
    assert outcome(call, Act(), Asked(), **said, default_approval="none") == "runs"


@every_entry_point
def test_a_request_about_a_tool_that_the_policy_knows_nothing_of_names_the_default(call: EntryPoint) -> None:
    asked = Asked()
    outcome(call, Act(), asked, policy=policy_of("unknown: allow"), default_approval="required")
    assert [request.why for request in asked.requests] == ["default_approval: required"]


@every_entry_point
def test_without_a_default_only_execute_tool_runs_what_the_policy_knows_nothing_of(call: EntryPoint) -> None:
    rules = policy_of("tools: [{server_name: web, denylist: [act]}]")
    expected = "runs" if call is with_execute_tool else "asks"
    assert outcome(call, Act(), Asked(), policy=rules, server="wbe") == expected


@every_entry_point
@pytest.mark.parametrize(
    ("opinion", "expected"), [("no approval", "runs"), ("approval", "asks"), ("mark", "asks")]
)
def test_the_author_of_a_tool_speaks_for_it_before_the_default(
    call: EntryPoint, opinion: Opinion, expected: Outcome
) -> None:
    said = {"policy": policy_of("unknown: allow"), "default_approval": "required"}
    assert outcome(call, opinionated(opinion), Asked(), **said) == expected


@every_entry_point
@pytest.mark.parametrize("default", ["required", "none"])
@pytest.mark.parametrize(
    ("of_server", "expected"),
    [
        ("denylist: [other]", "runs"),
        ("requires_approval: {conditional: [other]}", "runs"),
        ("allowlist: [act]", "runs"),
        ("default: allow", "runs"),
        ("default: ask", "asks"),
    ],
)
def test_the_rules_of_a_server_stand_above_the_default_also_where_they_do_not_name_its_tool(
    call: EntryPoint, of_server: str, expected: Outcome, default: str
) -> None:
    rules = policy_of(f"tools: [{{server_name: web, {of_server}}}]")
    said = {"policy": rules, "server": "web", "default_approval": default}
    assert outcome(call, Act(), Asked(), **said) == expected


@every_entry_point
@pytest.mark.parametrize("default", ["required", "none"])
@pytest.mark.parametrize("server", ["web", "wbe", None])
def test_unknown_tools_ask_whatever_the_default_if_the_policy_says_so(
    call: EntryPoint, server: str | None, default: str
) -> None:
    rules = policy_of("{unknown: ask, tools: [{server_name: web, denylist: [other]}]}")
    said = {"policy": rules, "server": server, "default_approval": default}
    assert outcome(call, Act(), Asked(), **said) == "asks"


@pytest.mark.parametrize(("server", "times"), [(None, 0), ("wbe", 1)])
async def test_only_the_own_tools_of_an_agent_are_safe_for_their_name(server: str | None, times: int) -> None:
    act, asked = Act(), Asked()
    said: Any = {"policy": policy_of("unknown: allow"), "server": server, "default_approval": "required"}
    await execute_tool(act.function, "read_file", {"number": 7}, ApprovalController("interactive", asked), **said)
    assert (act.ran, asked.times) == ([7], times)


# -- modes and grants --------------------------------------------------------------------------------------


@every_entry_point
@pytest.mark.parametrize("mode", get_args(Mode))
def test_no_mode_overrides_a_block(call: EntryPoint, mode: Mode) -> None:
    assert outcome(call, Act(), Asked(), mode, policy=policy("block")) == "blocked"


@every_entry_point
def test_the_mode_answers_what_the_policy_asks(call: EntryPoint) -> None:
    assert outcome(call, Act(), Asked(), "approve_all", policy=policy("ask")) == "runs"
    act = Act()
    refused(call, act, ApprovalController("strict"), policy=policy("ask"))
    assert act.ran == []


@every_entry_point
@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_what_a_person_refuses_does_not_run_and_the_note_is_told(
    call: EntryPoint, mode: Literal["soft", "hard"]
) -> None:
    act, no = Act(), ApprovalDecision(approved=False, note="not today", mode=mode)
    try:
        told = str(call(act, ApprovalController("interactive", lambda _: no), policy=policy("ask")))
    except ApprovalDeniedError as error:
        told = str(error)
    assert act.ran == []
    assert "not today" in told


def refused(call: EntryPoint, act: Act, controller: ApprovalController, **said: Any) -> None:
    """A refusal raises, or ends the run of an agent."""
    with contextlib.suppress(ApprovalDeniedError):
        call(act, controller, **said)


def remembering() -> ApprovalMemory:
    memory = ApprovalMemory()
    memory.store("act", {"number": 7}, ApprovalDecision(approved=True, remember="session"))
    return memory


@every_entry_point
def test_a_remembered_approval_does_not_override_a_block(call: EntryPoint) -> None:
    act, memory = Act(), remembering()
    with pytest.raises(PermissionError, match="act is blocked"):
        call(act, ApprovalController("interactive", Asked(), memory=memory), policy=policy("block"))
    assert (act.ran, memory.list()[0].uses) == ([], 0)


@every_entry_point
def test_a_remembered_approval_answers_what_the_policy_asks(call: EntryPoint) -> None:
    act, asked = Act(), Asked()
    call(act, ApprovalController("interactive", asked, memory=remembering()), policy=policy("ask"))
    assert (act.ran, asked.requests) == ([7], [])


# -- the policy and the settings of single tools -----------------------------------------------------------


@each_with_settings
@pytest.mark.parametrize(
    ("setting", "verdict", "expected"),
    [
        ("none", "allow", "runs"),
        ("none", "ask", "asks"),
        ("none", "block", "blocked"),
        ("required", "allow", "asks"),
        ("required", "ask", "asks"),
        ("required", "block", "blocked"),
        ("deny", "allow", "blocked"),
        ("deny", "ask", "blocked"),
        ("deny", "block", "blocked"),
    ],
)
def test_the_strictest_of_policy_and_setting_holds(
    call: EntryPoint, setting: str, verdict: Verdict, expected: Outcome
) -> None:
    configs = {"act": {"approval": setting}}
    assert outcome(call, Act(), Asked(), tool_configs=configs, policy=policy(verdict)) == expected


@each_with_settings
def test_a_policy_that_asks_outranks_a_setting_that_silences_the_author(call: EntryPoint) -> None:
    configs = {"act": {"approval": "none"}}
    said = {"tool_configs": configs, "policy": policy("ask")}
    assert outcome(call, opinionated("approval"), Asked(), **said) == "asks"


@each_with_settings
@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        ({"act": {"approval": "required"}}, "asks"),
        ({"act": {"approval": "none"}}, "runs"),
        ({"act": {"approval": "deny"}}, "blocked"),
        ({"other": {"approval": "required"}}, "runs"),
        ({}, "runs"),
    ],
)
def test_settings_speak_for_a_tool_that_the_policy_knows_nothing_of_and_change_the_default(
    call: EntryPoint, configs: dict[str, Any], expected: Outcome
) -> None:
    said = {"tool_configs": configs, "policy": policy_of("unknown: allow")}
    assert outcome(call, Act(), Asked(), **said) == expected


@every_entry_point
def test_a_request_brings_the_names_that_settings_mask(call: EntryPoint) -> None:
    asked = Asked()
    rules = policy_of("tools: [{server_name: s, default: ask, redaction: {arguments: [number]}}]")
    assert outcome(call, Act(), asked, policy=rules, server="s") == "asks"
    assert [request.masked_keys for request in asked.requests] == [("number",)]
