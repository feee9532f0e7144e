"""Policy for whole calls: name, server, guess and arguments each have a say, and the strictest holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.policy.argument_rules import ArgumentRule, Condition, ToolArguments
from signoff.policy.tool_rules import NOTHING_KNOWN, ApprovalPolicies, CallPolicy, NameRules, ServerRules
from signoff.policy.verdict import Level

ALLOW, ASK, BLOCK = Level.ALLOW, Level.ASK, Level.BLOCK
BOTH = ApprovalPolicies()


def rule(level: Level, key: str, *values: Any) -> ArgumentRule:
    return ArgumentRule((Condition.equal_to(key, values),), level, f"{key} rule")


def server(default: Level | None = None, **lists: Any) -> ServerRules:
    return ServerRules(NameRules.compiled(**lists), default)


# -- defaults ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "of", "level", "decided"),
    [
        ("read", None, ALLOW, "safe tool"),
        ("bash", None, ASK, "dangerous tool"),
        ("bash", "any", ASK, "dangerous tool"),
        ("look_up", None, ALLOW, "unknown"),
        ("look_up", "any", ALLOW, "unknown"),
    ],
)
def test_without_rules_only_dangerous_tools_ask(tool: str, of: str | None, level: Level, decided: str) -> None:
    verdict = CallPolicy().verdict(tool, {}, of)
    assert (verdict.level, verdict.rule) == (level, decided)


def test_unknown_tools_ask_if_that_is_wanted() -> None:
    policy = CallPolicy(unknown=ASK)
    assert [policy.verdict(tool, {}).level for tool in ("read", "look_up")] == [ALLOW, ASK]


def test_the_tool_of_a_server_is_not_safe_for_its_name() -> None:
    assert CallPolicy(unknown=ASK).verdict("read", {}, "evil").level is ASK


@pytest.mark.parametrize("tool", ["read\u200b", "", "re\u0430d"], ids=ascii)
def test_a_name_that_is_not_plain_asks_without_any_rule(tool: str) -> None:
    assert CallPolicy().verdict(tool, {}).level is ASK


@pytest.mark.parametrize(
    ("of", "decided"),
    [("one", "no rule of its server"), ("One", NOTHING_KNOWN), ("", NOTHING_KNOWN), (None, NOTHING_KNOWN)],
)
@pytest.mark.parametrize("unknown", [ALLOW, ASK])
def test_it_is_told_whether_there_are_rules_for_the_server_of_an_unknown_tool(
    of: str | None, decided: str, unknown: Level
) -> None:
    policy = CallPolicy(servers={"one": server(denylist=["x"])}, unknown=unknown)
    verdict = policy.verdict("look_up", {}, of)
    assert (verdict.level, verdict.rule) == (unknown, decided)


# -- servers -----------------------------------------------------------------------------------------------


def test_the_lists_of_a_server_are_about_its_tools_only() -> None:
    policy = CallPolicy(servers={"files": server(denylist=["x"])})
    assert [policy.verdict("x", {}, of).level for of in ("files", "other", None)] == [BLOCK, ALLOW, ALLOW]


def test_the_default_of_a_server_holds_for_what_its_lists_do_not_say() -> None:
    policy = CallPolicy(servers={"dev": server(ALLOW, conditional=["x"])}, unknown=ASK)
    assert [policy.verdict(tool, {}, "dev").level for tool in ("bash", "look_up", "x")] == [ALLOW, ALLOW, ASK]


def test_without_a_default_the_class_of_the_tool_holds() -> None:
    policy = CallPolicy(servers={"dev": server(allowlist=[".*"])}, unknown=ASK)
    assert policy.verdict("look_up", {}, "dev").level is ASK


# -- guesses -----------------------------------------------------------------------------------------------


def test_a_tool_that_appears_to_write_asks_if_that_is_wanted() -> None:
    verdict = CallPolicy(approvals=BOTH).verdict("delete_files", {})
    assert (verdict.level, verdict.rule) == (ASK, "approval_policies.write_ops")
    assert verdict.reasons == ("tool 'delete_files' appears to perform write operations",)


def test_a_tool_that_is_known_to_be_safe_is_not_guessed_about() -> None:
    assert CallPolicy(approvals=BOTH).verdict("write_plan", {}).level is ALLOW


def test_a_guess_asks_about_the_tool_of_a_server_too() -> None:
    policy = CallPolicy(servers={"dev": server(ALLOW)}, approvals=BOTH)
    assert policy.verdict("write_plan", {}, "dev").level is ASK


# -- arguments ---------------------------------------------------------------------------------------------

POST = CallPolicy(arguments=(ToolArguments("post", (rule(ALLOW, "host", "a.example"), rule(BLOCK, "x", 1))),))


def test_a_rule_on_arguments_lets_a_tool_run_that_would_ask() -> None:
    verdict = POST.verdict("post", {"host": "a.example", "x": 2})
    assert (verdict.level, verdict.rule) == (ALLOW, "host rule")


def test_a_tool_with_rules_on_its_arguments_asks_where_none_of_them_is_about_the_call() -> None:
    assert POST.verdict("post", {"host": "b.example", "x": 2}).level is ASK


@pytest.mark.parametrize(("tool", "of"), [("post", None), ("POST", None), ("post", "any")])
def test_what_the_arguments_of_a_tool_block_is_blocked_for_every_tool_of_the_name(
    tool: str, of: str | None
) -> None:
    assert POST.verdict(tool, {"host": "a.example", "x": 1}, of).level is BLOCK


@pytest.mark.parametrize(("tool", "of"), [("POST", None), ("post", "any")])
def test_what_the_arguments_of_a_tool_allow_is_allowed_for_this_tool_only(tool: str, of: str | None) -> None:
    assert POST.verdict(tool, {"host": "a.example", "x": 2}, of).level is ASK


def test_the_rules_for_the_tool_of_a_server_are_not_about_another_server() -> None:
    policy = CallPolicy(arguments=(ToolArguments("t", (rule(BLOCK, "x", 1),), ALLOW, "one"),))
    assert [policy.verdict("t", {"x": 1}, of).level for of in ("one", "two", None)] == [BLOCK, ALLOW, ALLOW]


def test_a_rule_on_arguments_does_not_let_a_listed_tool_run() -> None:
    arguments = (ToolArguments("t", (rule(ALLOW, "x", 1),), server="one"),)
    for lists, level in (({"denylist": ["t"]}, BLOCK), ({"always": True}, ASK), ({"allowlist": []}, BLOCK)):
        policy = CallPolicy(servers={"one": server(**lists)}, arguments=arguments)
        assert policy.verdict("t", {"x": 1}, "one").level is level


def test_every_thing_that_has_a_say_is_told() -> None:
    policy = replace(POST, approvals=BOTH)
    parts = policy.verdict("post", {"host": "a.example", "x": 2}).parts
    assert [(part.text, part.level) for part in parts] == [
        ("arguments", ALLOW),
        ("name", ALLOW),
        ("guess", ASK),
        ("guess", ASK),
    ]


def test_what_holds_for_every_call_of_a_tool_is_told_without_its_arguments() -> None:
    policy = replace(POST, approvals=ApprovalPolicies(dangerous_ops=False))
    assert policy.by_name_alone("post").rule == "approval_policies.write_ops"
    assert POST.by_name_alone("post").level is ALLOW


# -- any policy --------------------------------------------------------------------------------------------

TOOLS = st.sampled_from(["read", "post", "POST", "look_up", "delete_files", "re\u0430d"])
SERVERS = st.sampled_from([None, "one", "two"])
ARGUMENTS = st.dictionaries(st.sampled_from(["x", "X", "host"]), st.sampled_from([1, 2, "1", "a.example", None]))
LISTS = st.lists(st.sampled_from(["post", "read", ".*o.*", "delete_.*"]), max_size=2)
NAME_RULES = st.builds(
    lambda allowlist, denylist, always, conditional: NameRules.compiled(
        allowlist=allowlist, denylist=denylist, always=always, conditional=conditional
    ),
    st.none() | LISTS,
    LISTS,
    st.booleans(),
    LISTS,
)
SERVER_RULES = st.builds(ServerRules, NAME_RULES, st.sampled_from([None, ALLOW, ASK]))


def rules_of(*levels: Level) -> st.SearchStrategy[tuple[ArgumentRule, ...]]:
    one = st.builds(rule, st.sampled_from(levels), st.just("x"), st.sampled_from([1, 2])) | st.builds(
        rule, st.sampled_from(levels), st.just("host"), st.just("a.example")
    )
    return st.lists(one, max_size=3).map(tuple)


DEFAULTS = st.sampled_from([ALLOW, ASK])
TOOL_ARGUMENTS = st.builds(ToolArguments, st.sampled_from(["post", "read"]), rules_of(*Level), DEFAULTS, SERVERS)
POLICIES = st.builds(
    CallPolicy,
    st.dictionaries(st.just("one"), SERVER_RULES),
    st.lists(TOOL_ARGUMENTS, max_size=2, unique_by=lambda each: (each.tool, each.server)).map(tuple),
    st.builds(ApprovalPolicies, st.booleans(), st.booleans()),
    DEFAULTS,
)
CALLS = st.tuples(TOOLS, ARGUMENTS, SERVERS)


@given(POLICIES, CALLS, LISTS, LISTS)
def test_a_name_to_ask_about_or_block_never_loosens(
    policy: CallPolicy, call: Any, denied: list[str], asked: list[str]
) -> None:
    more = NameRules.compiled(denylist=denied, conditional=asked)
    servers = {
        name: replace(
            rules,
            names=replace(
                rules.names,
                denylist=rules.names.denylist + more.denylist,
                conditional=rules.names.conditional + more.conditional,
            ),
        )
        for name, rules in policy.servers.items()
    }
    assert replace(policy, servers=servers).verdict(*call).level >= policy.verdict(*call).level


@given(POLICIES, CALLS, rules_of(ASK, BLOCK))
def test_a_rule_against_arguments_never_loosens(
    policy: CallPolicy, call: Any, more: tuple[ArgumentRule, ...]
) -> None:
    arguments = tuple(replace(each, rules=each.rules + more) for each in policy.arguments)
    assert replace(policy, arguments=arguments).verdict(*call).level >= policy.verdict(*call).level


@given(POLICIES, CALLS, st.data())
def test_an_entry_less_on_an_allowlist_never_loosens(policy: CallPolicy, call: Any, data: st.DataObject) -> None:
    servers = {}
    for name, rules in policy.servers.items():
        kept = tuple(entry for entry in rules.names.allowlist or () if data.draw(st.booleans()))
        servers[name] = replace(rules, names=replace(rules.names, allowlist=kept))
    assert replace(policy, servers=servers).verdict(*call).level >= policy.verdict(*call).level


@given(POLICIES, CALLS)
def test_asking_about_more_never_loosens(policy: CallPolicy, call: Any) -> None:
    stricter = replace(policy, approvals=BOTH, unknown=ASK)
    assert stricter.verdict(*call).level >= policy.verdict(*call).level


@given(POLICIES, CALLS, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(policy: CallPolicy, call: Any, random: Any) -> None:
    arguments = tuple(
        replace(each, rules=tuple(random.sample(each.rules, len(each.rules)))) for each in policy.arguments
    )
    mixed = replace(policy, arguments=tuple(random.sample(arguments, len(arguments))))
    assert mixed.verdict(*call).level is policy.verdict(*call).level


@given(POLICIES, CALLS)
def test_nothing_is_known_of_a_tool_only_if_neither_rules_for_it_nor_for_its_server_say_anything(
    policy: CallPolicy, call: Any
) -> None:
    tool, _, of = call
    rules_for_it = any((each.tool, each.server) == (tool, of) for each in policy.arguments)
    if of in policy.servers or rules_for_it:
        assert policy.verdict(*call).rule != NOTHING_KNOWN
