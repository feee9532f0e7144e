"""One canonical spelling of JSON values, strict about types."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.canonical import MAX_DEPTH, MAX_DIGITS, NotJsonError, canonical, digest, parse_json

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


def same(a: Any, b: Any) -> bool:
    """The slow, obvious definition of equality: same JSON value, same types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)


@given(values, values)
def test_two_values_are_spelled_alike_exactly_if_they_are_the_same(a: Any, b: Any) -> None:
    assert (canonical(a) == canonical(b)) == same(a, b)


@given(values)
def test_the_spelling_can_be_read_back(value: Any) -> None:
    assert same(parse_json(canonical(value)), value)


@given(values)
def test_the_spelling_is_plain_ascii(value: Any) -> None:
    assert canonical(value).isascii()


@given(st.dictionaries(st.text(), st.text()))
def test_an_object_of_texts_is_spelled_as_within_any_other_value(value: dict[str, Any]) -> None:
    assert canonical([value]) == f"[{canonical(value)}]"


@given(st.dictionaries(st.text(), scalars))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (1, "1"),
        (0.0, -0.0),
        (None, False),
        ("é", "e\u0301"),
        ([1, 2], [2, 1]),
        ({}, []),
        (2**53, 2**53 + 1),
    ],
)
def test_values_that_python_or_people_take_for_equal_are_told_apart(a: Any, b: Any) -> None:
    assert canonical(a) != canonical(b)


def test_a_tuple_counts_as_a_list() -> None:
    assert canonical((1, 2)) == canonical([1, 2])


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        b"bytes",
        {1, 2},
        object(),
        {1: "a"},
        {None: "a"},
        OrderedDict(a=1),
        IntEnum("Number", ["ONE"])["ONE"],
        StrEnum("Text", ["A"])["A"],
        1j,
    ],
)
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(NotJsonError):
        canonical([value])


@pytest.mark.parametrize(
    "value", [{1: "a"}, {None: "a"}, {StrEnum("Key", ["A"])["A"]: "a"}, {"a": StrEnum("Text", ["A"])["A"]}]
)
def test_an_object_whose_keys_or_values_only_look_like_text_is_refused(value: Any) -> None:
    with pytest.raises(NotJsonError):
        canonical(value)


def test_the_message_names_the_place() -> None:
    with pytest.raises(NotJsonError, match=r"\$\.a\[1\]"):
        canonical({"a": [1, {2}]})


def nested(depth: int, innermost: Any = 1) -> Any:
    value = innermost
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("innermost", [1, "text", {"key": "text"}])
def test_deep_values_are_refused_before_they_harm(innermost: Any) -> None:
    depth = MAX_DEPTH - isinstance(innermost, dict)
    canonical(nested(depth, innermost))
    for deeper in (depth + 1, 100_000):
        with pytest.raises(NotJsonError, match="deeper"):
            canonical(nested(deeper, innermost))


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotJsonError, match="deeper"):
        canonical(loop)


def test_a_lone_surrogate_is_kept() -> None:
    assert parse_json(canonical("\ud800")) == "\ud800"


def test_the_digest_is_a_sha256_of_the_spelling() -> None:
    assert digest({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '{"a": {"b": 1, "b": 2}}', "NaN", "-Infinity", "1e999", "[1,]", "", "{'a': 1}"]
)
def test_text_that_parsers_read_differently_is_refused(text: str) -> None:
    with pytest.raises(NotJsonError):
        parse_json(text)


def test_text_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(NotJsonError):
        parse_json("[" * 100_000 + "]" * 100_000)


@given(values)
def test_ordinary_json_is_read_as_ever(value: Any) -> None:
    assert same(parse_json(json.dumps(value)), value)


def test_a_number_too_long_for_python_to_write_is_refused() -> None:
    largest = 10**MAX_DIGITS - 1
    assert canonical([largest, -largest]).count("9") == 2 * MAX_DIGITS
    for number in (largest + 1, -largest - 1):
        with pytest.raises(NotJsonError, match="digits"):
            canonical(number)


@given(st.lists(st.text() | st.integers(0, 9), max_size=MAX_DEPTH))
def test_the_message_is_short_and_printable_ascii_whatever_the_keys_are(trail: list[str | int]) -> None:
    value: Any = {1}
    for step in reversed(trail):
        value = {step: value} if isinstance(step, str) else [0] * step + [value]
    with pytest.raises(NotJsonError) as refused:
        canonical(value)
    message = str(refused.value)
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 4_000


@pytest.mark.parametrize(
    "text", ['{"\\u001b[2J": 1, "\\u001b[2J": 2}', '{"\\u202e": NaN, "a": 1, "a": 1}', "-" + "9" * 5_000 + ".0"]
)
def test_a_refusal_of_text_is_short_and_printable_ascii(text: str) -> None:
    with pytest.raises(NotJsonError) as refused:
        parse_json(text)
    message = str(refused.value)
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 200


def test_what_a_message_leaves_out_of_a_long_key_is_counted() -> None:
    with pytest.raises(NotJsonError, match=r"a{40}' \(\+60 characters\)"):
        canonical({"a" * 100: {1}})


def test_what_a_message_leaves_out_of_a_deep_place_is_counted() -> None:
    with pytest.raises(NotJsonError, match=rf"at \$(\[0\]){{4}} \(\+{MAX_DEPTH - 7} levels\) (\[0\]){{4}}$"):
        canonical(nested(MAX_DEPTH + 1))


def test_a_type_with_a_hostile_name_is_refused_in_printable_ascii() -> None:
    hostile = type("\x1b[2J\u202e", (), {})
    for value in (hostile(), {hostile(): 1}):
        with pytest.raises(NotJsonError) as refused:
            canonical(value)
        assert str(refused.value).isascii()
        assert str(refused.value).isprintable()
