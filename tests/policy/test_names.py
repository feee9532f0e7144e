"""Rules on the names of tools: what is listed, what asks, and that no rule against a tool lets more through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_judges import Case, fault_of, read, said_of_name
from signoff.policy.regex import RegexError
from signoff.policy.tool_rules import NameRules, judge_name
from signoff.policy.verdict import Level, Verdict


@pytest.mark.parametrize("case", read("tool-filters.jsonl"), ids=lambda case: case["id"])
def test_a_name_is_judged_as_the_corpus_says(case: Case) -> None:
    assert fault_of(said_of_name(case), case["accept"]) is None


def judged(name: str, default: Level = Level.ALLOW, **rules: Any) -> Verdict:
    return judge_name(name, NameRules.compiled(**rules), default)


def test_the_pattern_that_blocks_is_named() -> None:
    assert judged("delete", denylist=["x", ".*del.*"]) == Verdict(Level.BLOCK, 'denylist ".*del.*"')


def test_a_name_that_is_not_on_the_allowlist_is_told_so() -> None:
    reason = "the name of the tool is not on the allowlist"
    assert judged("other", allowlist=["read"]) == Verdict(Level.BLOCK, "allowlist", (reason,))


def test_the_pattern_that_asks_is_named() -> None:
    rule = 'requires_approval.conditional ".*write.*"'
    assert judged("WRITE", conditional=[".*write.*"]) == Verdict(Level.ASK, rule)


def test_the_entry_of_the_allowlist_that_lets_a_name_run_is_named() -> None:
    assert judged("read", allowlist=["list", "read"]) == Verdict(Level.ALLOW, 'allowlist "read"')


def test_the_allowlist_lets_nothing_run_that_the_default_asks_about() -> None:
    assert judged("read", Level.ASK, allowlist=["read"]) == Verdict(Level.ASK, "default")


@pytest.mark.parametrize(
    "name", ["", " ", "read file", "re\u0430d", "read\n", "read\x7f", "r\u200bead"], ids=ascii
)
def test_a_name_that_is_not_plain_is_asked_about(name: str) -> None:
    assert judged(name, allowlist=[".*", "(?s).*"]).level is Level.ASK


def test_a_name_that_is_not_plain_is_still_blocked() -> None:
    assert judged("de\u200blete", denylist=["de.*lete"]).level is Level.BLOCK


@pytest.mark.parametrize("key", ["allowlist", "denylist", "conditional"])
def test_a_broken_pattern_is_refused_wherever_it_stands(key: str) -> None:
    with pytest.raises(RegexError, match="missing"):
        NameRules.compiled(**{key: ["fine", "("]})  # type: ignore[arg-type]


NAMES = st.sampled_from(["read_file", "READ_FILE", "write_file", "delete", "delete\nx", "re\u0430d", ""])
PATTERNS = st.lists(st.sampled_from(["read_.*", ".*file", ".*delete.*", "(?i)read.*", ".*", "x"]), max_size=3)
RULES = st.fixed_dictionaries(
    {"allowlist": st.none() | PATTERNS, "denylist": PATTERNS, "always": st.booleans(), "conditional": PATTERNS}
)
DEFAULTS = st.sampled_from([Level.ALLOW, Level.ASK])


@given(NAMES, RULES, DEFAULTS, PATTERNS, PATTERNS, st.booleans())
def test_a_rule_against_a_name_never_loosens(
    name: str, rules: dict[str, Any], default: Level, denied: list[str], asked: list[str], always: bool
) -> None:
    more = {
        **rules,
        "denylist": rules["denylist"] + denied,
        "conditional": rules["conditional"] + asked,
        "always": rules["always"] or always,
    }
    assert judged(name, default, **more).level >= judged(name, default, **rules).level


@given(NAMES, RULES, PATTERNS, st.sampled_from(list(Level)))
def test_a_name_to_block_never_loosens_even_where_the_default_blocks(
    name: str, rules: dict[str, Any], denied: list[str], default: Level
) -> None:
    more = {**rules, "denylist": rules["denylist"] + denied}
    assert judged(name, default, **more).level >= judged(name, default, **rules).level


@given(NAMES, RULES, DEFAULTS, st.data())
def test_an_entry_less_on_the_allowlist_never_loosens(
    name: str, rules: dict[str, Any], default: Level, data: st.DataObject
) -> None:
    entries = rules["allowlist"] or []
    kept = [entry for entry in entries if data.draw(st.booleans())]
    assert judged(name, default, **{**rules, "allowlist": kept}).level >= judged(name, default, **rules).level


@given(NAMES, RULES, DEFAULTS, st.randoms(use_true_random=False))
def test_the_order_of_patterns_does_not_matter(
    name: str, rules: dict[str, Any], default: Level, random: Any
) -> None:
    def shuffled(value: Any) -> Any:
        return random.sample(value, len(value)) if isinstance(value, list) else value

    mixed = {key: shuffled(value) for key, value in rules.items()}
    assert judged(name, default, **mixed).level is judged(name, default, **rules).level
