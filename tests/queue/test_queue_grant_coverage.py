"""The coverage of a remembered approval: its breadth, and words that say exactly that."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queue_samples import call

from signoff.canonical import canonical
from signoff.queue import AgentQueue, PatternPreview, Risk
from signoff.queue.grant_coverage import (
    Breadth,
    applies_to,
    end_words,
    entry_text,
    free_words,
    limit_text,
    names_directory,
    never_remembered,
    preview_words,
    reach,
    reach_of,
    reach_of_pattern,
    row_text,
    session_text,
    where_words,
)
from signoff.queue.grant_pattern import AnyValue, Exact, GrantPattern, Matcher, OneOf, Under

values = st.sampled_from([None, False, 0, 0.0, "0", "", [0], {"a": 0}])
objects = st.dictionaries(st.sampled_from("abcd"), values)


def is_fixed(name: str, payload: dict[str, Any], arguments: dict[str, Any]) -> bool:
    """The obvious definition: the payload holds the argument with the same value of the same type."""
    return name in payload and canonical(payload[name]) == canonical(arguments[name])


@given(objects, objects)
def test_it_is_everything_exactly_if_the_payload_is_empty(
    payload: dict[str, Any], arguments: dict[str, Any]
) -> None:
    assert (reach(payload, arguments).breadth is Breadth.EVERYTHING) == (not payload)


@given(objects.filter(bool))
def test_a_payload_equal_to_the_arguments_is_exact(arguments: dict[str, Any]) -> None:
    assert reach(arguments, arguments).breadth is Breadth.EXACT


@given(objects.filter(bool), objects)
def test_it_is_exact_exactly_if_the_payload_fixes_every_argument(
    payload: dict[str, Any], arguments: dict[str, Any]
) -> None:
    every = all(is_fixed(name, payload, arguments) for name in arguments)
    assert (reach(payload, arguments).breadth is Breadth.EXACT) == every


@given(objects.filter(bool), objects.filter(bool))
def test_it_is_wide_exactly_if_the_payload_fixes_no_argument(
    payload: dict[str, Any], arguments: dict[str, Any]
) -> None:
    none = not any(is_fixed(name, payload, arguments) for name in arguments)
    assert (reach(payload, arguments).breadth is Breadth.WIDE) == none


@given(objects, objects)
def test_every_argument_is_either_free_or_fixed_by_the_payload(
    payload: dict[str, Any], arguments: dict[str, Any]
) -> None:
    covered = {name for name in arguments if is_fixed(name, payload, arguments)}
    free = reach(payload, arguments).free
    assert covered.isdisjoint(free)
    assert covered.union(free) == set(arguments)
    assert list(free) == sorted(free)


@given(objects, objects)
def test_the_whole_payload_is_named_as_fixed(payload: dict[str, Any], arguments: dict[str, Any]) -> None:
    fixed = reach(payload, arguments).fixed
    assert dict(fixed) == payload
    assert [name for name, _ in fixed] == sorted(payload)


@given(objects, objects)
def test_it_is_careless_exactly_if_no_argument_has_to_be_equal(
    payload: dict[str, Any], arguments: dict[str, Any]
) -> None:
    found = reach(payload, arguments)
    nothing_fixed = not payload or (bool(arguments) and len(found.free) == len(arguments))
    assert found.breadth.careless == nothing_fixed


@pytest.mark.parametrize("other", [1.0, True, "1", [1]])
def test_a_value_of_another_type_does_not_fix_an_argument(other: object) -> None:
    assert reach({"number": other}, {"number": 1}).free == ("number",)


# -- The words.

FILE = {"sandbox": "shop", "path": "src/app/api.py"}
SANDBOX, FILE_PATH = Exact.of("shop"), Exact.of("src/app/api.py")


@pytest.mark.parametrize(
    ("payload", "free", "named"),
    [
        ({"command": "ls", "cwd": "/srv/shop"}, (), True),
        ({"command": "ls", "cwd": "C:\\shop"}, (), True),
        ({"command": "ls"}, (), False),
        ({"command": "ls", "cwd": "shop"}, (), False),
        ({"command": "ls", "cwd": None}, (), False),
        ({"command": "ls", "cwd": "/srv/shop"}, {"cwd"}, False),
    ],
    ids=["named", "named on Windows", "not said", "relative", "nothing", "may be anything"],
)
def test_only_a_whole_path_in_the_payload_binds_to_a_directory(
    payload: dict[str, object], free: set[str], named: bool
) -> None:
    assert names_directory(payload, free) == named


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ([True, True], "only in the directory named here"),
        ([False], "from any directory"),
        ([True, False], "from any directory where none is named"),
    ],
    ids=["all", "none", "some"],
)
def test_several_are_said_to_be_bound_only_if_each_is(named: list[bool], words: str) -> None:
    assert where_words(named)[0] == words


@pytest.mark.parametrize("bound", [(True,), (True, False)])
def test_an_early_end_is_said_in_fewer_words_where_there_is_less_room(bound: tuple[bool, ...]) -> None:
    wordings = end_words(bound)
    assert all("definition" in words for words in wordings)
    assert [len(words) <= room for words, room in zip(wordings, (88, 68, 38, 28), strict=True)] == [True] * 4


def test_what_is_bound_to_no_definition_ends_with_the_session() -> None:
    assert end_words([False]) == ("with the session; HIGH risk still asks",)


def of_file(path: Matcher, sandbox: Matcher = SANDBOX) -> GrantPattern:
    return GrantPattern("write_file", (("path", path), ("sandbox", sandbox)))


@pytest.mark.parametrize("spelled", ["src/app/api.py", "./src/app/api.py"], ids=["as compared", "otherwise"])
@pytest.mark.parametrize(
    ("pattern", "limits"),
    [
        (of_file(Under("src")), "only path and sandbox limit it"),
        (of_file(AnyValue()), "only sandbox limits it"),
        (of_file(FILE_PATH, AnyValue()), "only path limits it"),
        (of_file(AnyValue(), AnyValue()), "nothing limits it"),
    ],
    ids=["below", "any path", "any sandbox", "anything"],
)
def test_what_limits_a_pattern_is_named_and_what_may_be_anything_is_not(
    pattern: GrantPattern, limits: str, spelled: str
) -> None:
    reach = reach_of_pattern(pattern, FILE, {"path": spelled, "content": "x"})
    assert limit_text(reach.breadth, pattern) == f"{reach.breadth}: {limits}"


def test_an_argument_that_the_tool_spells_otherwise_is_not_said_to_be_anything() -> None:
    reach = reach_of_pattern(of_file(FILE_PATH), FILE, {"path": "./src/app/api.py", "content": "x"})
    assert free_words(reach, FILE) == ["ANY content"]


@pytest.mark.parametrize(
    ("cwd", "where"),
    [
        (Exact.of("/srv/shop"), "only in the directory named here"),
        (Under("/srv"), "only in directories as said here"),
        (AnyValue(), "from any directory"),
    ],
    ids=["one", "below", "any"],
)
def test_a_pattern_says_from_which_directories_calls_run(cwd: Matcher, where: str) -> None:
    pattern = GrantPattern("run_command", (("command", Exact.of("ls")), ("cwd", cwd)))
    words = applies_to("s-1", {"command": "ls", "cwd": "/srv/shop"}, pattern)
    assert words == f"any agent of session s-1, {where}"


def test_an_approval_for_the_session_says_from_where_and_until_when_it_counts() -> None:
    somewhere = call(payload={"path": "a"}, arguments={"path": "a"}, definition="d" * 64)
    here = call(payload={"cwd": "/srv/shop"}, arguments={"cwd": "/srv/shop"})
    assert session_text(somewhere, "write_file", "s-1") == (
        'every later call of write_file in session s-1 with exactly {"path":"a"}, from any directory;'
        " it ends with the session, or when the tool's definition changes; HIGH risk still asks"
    )
    assert session_text(here, "write_file", "s-1") == (
        'every later call of write_file in session s-1 with exactly {"cwd":"/srv/shop"}, only in the directory'
        " named here; it ends with the session; HIGH risk still asks"
    )


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        (Exact.of("é"), 'mode = "é"'),
        (OneOf.of("w", 1), 'mode one of "w", 1'),
        (Under("docs"), "mode below docs/"),
        (AnyValue(), "mode ANY"),
    ],
)
def test_an_entry_has_few_words_in_a_row(matcher: Matcher, words: str) -> None:
    assert entry_text("mode", matcher, lambda value, _: value) == words


def test_a_row_names_what_may_be_anything_and_hides_secrets(agent: AgentQueue) -> None:
    payload = {"path": "a", "token": "t"}
    submission = call(payload=payload, payload_key=canonical(payload), arguments={**payload, "content": "x"})
    grant = agent.add_grant(submission, by="anna")
    hide = {"token": "***"}
    assert row_text(grant, reach_of(submission), lambda value, name: hide.get(name, value)) == (
        'path = "a", token = "***", ANY content'
    )


def test_a_row_of_a_damaged_grant_says_what_its_full_text_says(agent: AgentQueue) -> None:
    grant = dataclasses.replace(agent.add_grant(call(), by="anna"), damage="bad")
    assert row_text(grant, None, lambda value, _: value) == grant.words() == "nothing: its record is damaged"


def test_the_reason_for_which_nothing_is_remembered_is_the_true_one() -> None:
    assert never_remembered(call()) is None
    assert never_remembered(call(risk=Risk.HIGH)) == "an approval of HIGH risk is never remembered"
    assert "hides a secret" in (never_remembered(call(supports=("once",))) or "")


def test_a_preview_says_what_still_asks_and_what_cannot_be_compared_only_where_there_is_something() -> None:
    nothing = PatternPreview(looked_at=1, matched=(), still_asked=0, unreadable=0, waiting=())
    assert preview_words(nothing) == {
        "matched": "would have matched 0 of the last 1 call of the session",
        "waiting": "no waiting request matches",
    }
    told = preview_words(dataclasses.replace(nothing, looked_at=2, still_asked=2, unreadable=1))
    assert told["asked"] == "2 more match and would still be asked"
    assert told["unreadable"] == "1 call could not be compared: the record is damaged"
