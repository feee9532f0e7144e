"""Rules on the arguments of structured calls: what is unclear lets no call run, and hides none that is blocked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.policy.argument_rules import (
    LONGEST_MATCHED,
    ArgumentRule,
    Condition,
    judge_arguments,
)
from signoff.policy.regex import RegexError
from signoff.policy.verdict import Level, Verdict

ALLOW, ASK, BLOCK = Level.ALLOW, Level.ASK, Level.BLOCK


def rule(level: Level, name: str = "rule", **wanted: Any) -> ArgumentRule:
    """A rule about keys, in which two underscores stand for a dot."""
    conditions = [Condition.equal_to(key.replace("__", "."), (value,)) for key, value in wanted.items()]
    return ArgumentRule(tuple(conditions), level, name)


def pattern(level: Level, key: str, text: str) -> ArgumentRule:
    return ArgumentRule((Condition.matching(key, text, level),), level, "rule")


def level_of(arguments: object, *rules: ArgumentRule, default: Level = ASK) -> Level:
    return judge_arguments(arguments, rules, default).level


# -- a rule that allows ------------------------------------------------------------------------------------

GET = rule(ALLOW, request__host="api.example.com", method="GET")


def test_a_call_runs_if_all_that_the_rule_says_holds() -> None:
    arguments = {"request": {"host": "api.example.com", "path": "/x"}, "method": "GET"}
    assert judge_arguments(arguments, [GET], ASK) == Verdict(ALLOW, "rule")


NOT_COVERED: dict[str, object] = {
    "another value": {"request": {"host": "api.example.org"}, "method": "GET"},
    "another case": {"request": {"host": "api.example.com"}, "method": "get"},
    "blanks around a value": {"request": {"host": "api.example.com"}, "method": "GET "},
    "one that is not there": {"request": {"host": "api.example.com"}},
    "nothing": {"request": {"host": "api.example.com"}, "method": None},
    "a list": {"request": {"host": ["api.example.com"]}, "method": "GET"},
    "a mapping": {"request": {"host": {"api.example.com": 1}}, "method": "GET"},
    "a text instead of a mapping": {"request": "api.example.com", "method": "GET"},
    "a key with a dot beside the nested one": {
        "request": {"host": "api.example.com"},
        "request.host": "api.example.com",
        "method": "GET",
    },
    "a key in another case beside it": {
        "request": {"host": "api.example.com", "Host": "evil.example"},
        "method": "GET",
    },
    "a key in another case": {"request": {"Host": "api.example.com"}, "method": "GET"},
    "no mapping": "request.host=api.example.com",
    "no arguments": None,
}


@pytest.mark.parametrize("case", NOT_COVERED)
def test_a_call_that_is_not_clearly_covered_gets_the_default(case: str) -> None:
    assert judge_arguments(NOT_COVERED[case], [GET], ASK) == Verdict(ASK, "default")


@pytest.mark.parametrize(
    ("wanted", "given_"),
    [(1, True), (1, 1.0), (1, "1"), (True, 1), (True, "true"), ("1", 1), (1.0, 1), (0.0, -0.0), ("a", "A")],
)
def test_values_of_different_types_are_different(wanted: Any, given_: Any) -> None:
    assert level_of({"key": given_}, rule(ALLOW, key=wanted)) is ASK


@pytest.mark.parametrize("value", ["text", "", 1, 1.5, True, False])
def test_an_equal_value_of_the_same_type_is_covered(value: Any) -> None:
    assert level_of({"key": value}, rule(ALLOW, key=value)) is ALLOW


def test_one_of_several_values_is_enough() -> None:
    either = ArgumentRule((Condition.equal_to("method", ["GET", "HEAD"]),), ALLOW, "rule")
    assert [level_of({"method": each}, either) for each in ("GET", "HEAD", "PUT")] == [ALLOW, ALLOW, ASK]


def test_a_key_whose_dots_are_part_of_its_name_is_found() -> None:
    arguments = {"request.host": "api.example.com", "method": "GET"}
    assert level_of(arguments, GET) is ALLOW


def test_a_pattern_must_match_the_whole_text() -> None:
    path = pattern(ALLOW, "path", "/v1/[a-z]+")
    texts = ["/v1/users", "/v1/users\n", "x/v1/users", "/V1/users", "/v1/users?x"]
    assert [level_of({"path": text}, path) for text in texts] == [ALLOW, ASK, ASK, ASK, ASK]


@pytest.mark.parametrize("value", [1, True, None, ["a"], "a\ud800"], ids=ascii)
def test_a_pattern_covers_nothing_but_text(value: object) -> None:
    assert level_of({"key": value}, pattern(ALLOW, "key", "(?s).*")) is ASK


def test_a_text_that_is_too_long_for_a_pattern_is_unclear() -> None:
    texts = {"fits": "a" * LONGEST_MATCHED, "too long": "a" * (LONGEST_MATCHED + 1)}
    allowed = {name: level_of({"key": text}, pattern(ALLOW, "key", "a+")) for name, text in texts.items()}
    assert allowed == {"fits": ALLOW, "too long": ASK}
    assert level_of({"key": texts["too long"]}, pattern(BLOCK, "key", "b"), default=ALLOW) is ASK


# -- a rule that asks or blocks ----------------------------------------------------------------------------

DELETE = rule(BLOCK, "no delete", host="db.example.com", method="DELETE")


def test_a_call_is_blocked_if_all_that_the_rule_says_holds() -> None:
    arguments = {"host": "db.example.com", "method": "DELETE"}
    assert judge_arguments(arguments, [DELETE], ALLOW) == Verdict(BLOCK, "no delete")


UNCLEAR: dict[str, object] = {
    "one that is not there": {"host": "db.example.com"},
    "a list": {"host": "db.example.com", "method": ["DELETE"]},
    "another case": {"host": "db.example.com", "method": "delete"},
    "blanks around a value": {"host": "db.example.com", "method": " DELETE\n"},
    "a key in another case": {"host": "db.example.com", "METHOD": "DELETE"},
    "two keys": {"host": "db.example.com", "method": "GET", "Method": "DELETE"},
    "a port": {"host": "db.example.com:443", "method": "DELETE"},
    "a user": {"host": "x@db.example.com", "method": "DELETE"},
    "a NUL behind a value": {"host": "db.example.com", "method": "DELETE\0"},
    "a NUL and more": {"host": "db.example.com", "method": "DELETE\0GET"},
    "a wide letter": {"host": "db.example.com", "method": "\uff24ELETE"},
    "an invisible character": {"host": "db.example.com", "method": "DEL\u200bETE"},
    "another invisible character": {"host": "db.example.com", "method": "GET\u202e"},
    "a key with an invisible character": {"host": "db.example.com", "method": "GET", "meth\u200bod": "DELETE"},
    "a key with a blank": {"host": "db.example.com", "method": "GET", "method ": "DELETE"},
    "a key with a wide letter": {"host": "db.example.com", "method": "GET", "\uff4dethod": "DELETE"},
    "a key with a NUL": {"host": "db.example.com", "method": "GET", "method\0x": "DELETE"},
    "no mapping": ["db.example.com", "DELETE"],
    "nothing at all": {},
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_call_that_a_rule_may_be_about_is_asked_about(case: str) -> None:
    reason = 'may be what the rule "no delete" is about'
    assert judge_arguments(UNCLEAR[case], [DELETE], ALLOW) == Verdict(ASK, "default", (reason,))


def test_a_rule_that_is_clearly_not_about_a_call_says_nothing() -> None:
    assert level_of({"host": "other.example", "method": ["DELETE"]}, DELETE, default=ALLOW) is ALLOW


@pytest.mark.parametrize(("wanted", "given_"), [(22, "22"), ("22", 22), (True, "yes"), (True, 1), (1, 1.0)])
def test_a_value_of_another_type_may_be_what_is_blocked(wanted: Any, given_: Any) -> None:
    assert level_of({"key": given_}, rule(BLOCK, key=wanted), default=ALLOW) is ASK


def test_a_pattern_that_blocks_ignores_case_and_newlines() -> None:
    assert level_of({"sql": "select 1;\nDROP table x"}, pattern(BLOCK, "sql", ".*drop.*")) is BLOCK


@pytest.mark.parametrize("value", ["dr\u200bop", "d\0rop", "\uff44rop", "GET\u202e"], ids=ascii)
def test_a_text_that_hides_characters_may_be_what_a_pattern_blocks(value: str) -> None:
    assert level_of({"sql": value}, pattern(BLOCK, "sql", ".*drop.*"), default=ALLOW) is ASK


@pytest.mark.parametrize("value", ["select 1;\n\tselect 2", "h\u00e9llo \u4f60\u597d", "GET"], ids=ascii)
def test_an_ordinary_text_is_not_what_a_rule_blocks(value: str) -> None:
    assert level_of({"key": value}, pattern(BLOCK, "key", "drop"), rule(BLOCK, key="x"), default=ALLOW) is ALLOW


def test_of_all_rules_that_are_about_a_call_the_strictest_decides() -> None:
    rules = [rule(ALLOW, "a", x=1), rule(BLOCK, "b", x=1), rule(ASK, "c", x=1)]
    assert judge_arguments({"x": 1}, rules, ALLOW) == Verdict(BLOCK, "b")


def test_a_default_that_blocks_leaves_what_a_rule_allows() -> None:
    assert [level_of({"x": x}, rule(ALLOW, x=1), default=BLOCK) for x in (1, 2)] == [ALLOW, BLOCK]


# -- hosts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["api.example.com", "API.Example.COM", "api.example.com."])
def test_a_host_is_the_same_in_any_case_and_with_a_dot_at_its_end(host: str) -> None:
    assert level_of({"host": host}, rule(ALLOW, host="Api.example.com.")) is ALLOW


OTHER_HOSTS = [
    "api.example.com..",
    "api.example.com:80",
    "api.example.com/x",
    "api.example.com@evil.example",
    "evil.example#api.example.com",
    " api.example.com",
    "api.example.com\n",
    "api。example。com",
    "\u0430pi.example.com",
    "ap\u0131.example.com",
    "x.api.example.com",
    "",
    ".",
]


@pytest.mark.parametrize("host", OTHER_HOSTS, ids=ascii)
def test_nothing_else_is_that_host(host: str) -> None:
    assert level_of({"host": host}, rule(ALLOW, host="api.example.com")) is ASK


@pytest.mark.parametrize("host", ["127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "127.0.0.1:80", "[::1]"])
def test_an_address_in_another_spelling_may_be_one_that_is_blocked(host: str) -> None:
    assert level_of({"hostname": host}, rule(BLOCK, hostname="127.0.0.1"), default=ALLOW) is ASK


def test_an_address_is_a_host() -> None:
    hosts = ["127.0.0.1", "127.0.0.2"]
    assert [level_of({"host": host}, rule(BLOCK, host="127.0.0.1"), default=ALLOW) for host in hosts] == [
        BLOCK,
        ALLOW,
    ]


def test_a_pattern_for_hosts_sees_their_one_spelling() -> None:
    under = pattern(ALLOW, "request.host", r"[a-z0-9-]+\.example\.com")
    hosts = ["API.example.com.", "example.com", "evil.example", "api.example.com:80"]
    assert [level_of({"request": {"host": host}}, under) for host in hosts] == [ALLOW, ASK, ASK, ASK]


# -- rules that cannot be used -----------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["*.example.com", "https://example.com", "example.com:80", "", 7, "127.1"])
def test_a_rule_with_a_host_that_is_none_is_refused(host: Any) -> None:
    with pytest.raises(ValueError, match="must be host names"):
        rule(ALLOW, host=host)


@pytest.mark.parametrize("key", ["", "a..b", ".a", "a.", "a.b.c.d.e.f.g.h.i"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"dotted key|parts"):
        Condition.equal_to(key, [1])


def test_a_rule_about_no_argument_is_refused() -> None:
    with pytest.raises(ValueError, match="must name one"):
        ArgumentRule((), ALLOW, "rule")


def test_a_condition_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="has no value"):
        Condition.equal_to("key", [])


def test_a_broken_pattern_is_refused() -> None:
    with pytest.raises(RegexError):
        pattern(BLOCK, "key", "(")


# -- any rules ---------------------------------------------------------------------------------------------

VALUES = st.sampled_from(["GET", "get", "DELETE", 1, True, "1", None, ["GET"], "example.com", "EXAMPLE.com."])
ARGUMENTS = st.dictionaries(st.sampled_from(["method", "Method", "host", "a", "a.b"]), VALUES) | st.none()
WANTED = st.one_of(
    st.builds(
        Condition.equal_to,
        st.sampled_from(["method", "a", "a.b"]),
        st.lists(st.sampled_from(["GET", "DELETE", 1, True]), min_size=1, max_size=2),
    ),
    st.builds(Condition.equal_to, st.just("host"), st.just(["example.com"])),
)


def rules_of(*levels: Level) -> st.SearchStrategy[list[ArgumentRule]]:
    conditions = st.lists(WANTED, min_size=1, max_size=2).map(tuple)
    return st.lists(st.builds(ArgumentRule, conditions, st.sampled_from(levels), st.just("rule")), max_size=4)


@given(ARGUMENTS, rules_of(*Level), rules_of(ASK, BLOCK), st.sampled_from([ALLOW, ASK]))
def test_a_rule_against_a_call_never_loosens(
    arguments: object, rules: list[ArgumentRule], more: list[ArgumentRule], default: Level
) -> None:
    assert level_of(arguments, *rules, *more, default=default) >= level_of(arguments, *rules, default=default)


@given(ARGUMENTS, rules_of(*Level), rules_of(BLOCK), st.sampled_from(list(Level)))
def test_a_rule_that_blocks_never_loosens_whatever_the_default(
    arguments: object, rules: list[ArgumentRule], more: list[ArgumentRule], default: Level
) -> None:
    before = level_of(arguments, *rules, default=default)
    assert level_of(arguments, *rules, *more, default=default) >= before


@given(ARGUMENTS, rules_of(*Level), st.sampled_from([ASK, BLOCK]), st.data())
def test_a_rule_that_allows_less_never_loosens_where_the_default_asks(
    arguments: object, rules: list[ArgumentRule], default: Level, data: st.DataObject
) -> None:
    kept = [each for each in rules if each.level is not ALLOW or data.draw(st.booleans())]
    assert level_of(arguments, *kept, default=default) >= level_of(arguments, *rules, default=default)


@given(ARGUMENTS, rules_of(*Level), st.sampled_from(list(Level)), st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(
    arguments: object, rules: list[ArgumentRule], default: Level, random: Any
) -> None:
    named = [ArgumentRule(each.conditions, each.level, f"rule {i}") for i, each in enumerate(rules)]
    mixed = judge_arguments(arguments, random.sample(named, len(named)), default)
    straight = judge_arguments(arguments, named, default)
    assert (mixed.level, mixed.rule, set(mixed.reasons)) == (straight.level, straight.rule, set(straight.reasons))
