"""Arguments as JSON values: what runs is shown whole, or refused."""

from __future__ import annotations

import ipaddress
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SecretBytes,
    SecretStr,
    field_serializer,
    model_serializer,
)

from signoff.adapters.plain_values import plain_call, plain_values
from signoff.canonical import NotJsonError, canonical


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    left: int
    right: int


class Hiding(BaseModel):
    shown: str
    hidden: str = Field(default="", exclude=True, repr=False)


class Masking(BaseModel):
    text: str

    @field_serializer("text")
    def mask(self, text: str) -> str:
        return "***"


class Vanishing(BaseModel):
    text: str

    @model_serializer
    def vanish(self) -> dict[str, Any]:
        return {}


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    known: int = 1


class Aliased(BaseModel):
    name: str = Field(alias="Name")


Words = RootModel[list[str]]


@dataclass
class Point:
    x: int
    y: int = field(default=0, repr=False)


@dataclass(slots=True)
class Slotted:
    inner: Any


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Hiding(shown="a", hidden="b"), {"shown": "a", "hidden": "b"}),
        (Masking(text="rm -rf /"), {"text": "rm -rf /"}),
        (Vanishing(text="rm -rf /"), {"text": "rm -rf /"}),
        (Open(known=2, other=[3]), {"known": 2, "other": [3]}),  # type: ignore[call-arg]
        (Aliased(Name="a"), {"name": "a"}),
        (Words(["a"]), ["a"]),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Slotted(Hiding(shown="a")), {"inner": {"shown": "a", "hidden": ""}}),
        (SecretStr("s3cret"), "s3cret"),
        (SecretBytes(b"hi"), "aGk="),
        (Color.RED, "red"),
        (Level.HIGH, 3),
        (Pair(1, 2), [1, 2]),
        (deque([1]), [1]),
        ({3, 1, 2}, [1, 2, 3]),
        ({1: "a"}, {"1": "a"}),
        ({Color.RED: 1}, {"red": 1}),
        (date(2026, 11, 21), "2026-11-21"),
        (datetime(2026, 11, 21, 8, 0, 0, 1, tzinfo=UTC), "2026-11-21T08:00:00.000001Z"),
        (timedelta(days=1, microseconds=1), "P1DT0.000001S"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("/a"), "/a"),
        (AnyUrl("https://me:pw@a.example/"), "https://me:pw@a.example/"),
        (ipaddress.ip_address("::1"), "::1"),
    ],
)
def test_everything_in_a_value_is_shown(value: Any, shown: Any) -> None:
    assert plain_values("tool", {"it": value}) == {"it": shown}


class TextOfItsOwn(str):
    __slots__ = ()


class DateOfItsOwn(date):
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(),
        re.compile("a"),
        float("nan"),
        TextOfItsOwn("a"),
        DateOfItsOwn(2026, 1, 1),
        {1: "a", "1": "b"},
        {True: "a"},
        {(1, 2): "a"},
        Point,
        print,
    ],
)
def test_what_has_no_plain_form_is_refused_with_the_name_of_the_tool(value: Any) -> None:
    with pytest.raises(NotJsonError, match="arguments of send cannot be shown"):
        plain_values("send", {"it": value})


def test_a_refusal_says_where_the_value_is() -> None:
    with pytest.raises(NotJsonError, match=re.escape("$.mail.inner")):
        plain_values("send", {"mail": Slotted(object())})


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotJsonError, match="nested deeper"):
        plain_values("send", {"it": endless})


def test_what_is_shown_is_a_copy() -> None:
    given_list = ["a"]
    plain_values("tool", {"it": given_list})["it"].append("b")
    assert given_list == ["a"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(arguments=st.dictionaries(st.text(), JSON, max_size=3))
def test_what_is_json_already_is_shown_as_it_is(arguments: dict[str, Any]) -> None:
    assert canonical(plain_values("tool", arguments)) == canonical(arguments)


@given(arguments=st.dictionaries(st.text(), JSON, max_size=3))
def test_a_call_is_spelled_as_its_values_are(arguments: dict[str, Any]) -> None:
    called = plain_call("tool", arguments)
    assert (called.tool_name, called.spelled) == ("tool", canonical(arguments))
    assert canonical(called.payload) == called.spelled


@given(left=st.text(), right=st.text())
@pytest.mark.parametrize("kind", [SecretStr, lambda text: Hiding(shown="", hidden=text), lambda text: {text: 1}])
def test_different_values_are_shown_differently(kind: Callable[[str], Any], left: str, right: str) -> None:
    shown = [canonical(plain_values("tool", {"it": kind(text)})) for text in (left, right)]
    assert (shown[0] == shown[1]) == (left == right)
