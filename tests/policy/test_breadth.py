"""How much a remembered approval would cover, compared with the call it was given for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.canonical import canonical
from signoff.policy.grant_breadth import Breadth, reach

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
