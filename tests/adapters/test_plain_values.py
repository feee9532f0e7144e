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
from typing import Any, Literal, NamedTuple
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

from signoff.adapters.json_values import Validate, plain_call, plain_values
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
    assert plain_values("tool", {"it": value})["it"] == shown


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


class Delete(BaseModel):
    id: int = Field(alias="delete")


class Archive(BaseModel):
    id: int = Field(alias="archive")


class Tagged(BaseModel):
    kind: Literal["tagged"] = "tagged"
    id: int


@dataclass
class Dog:
    name: str


@dataclass
class Puppy(Dog):
    pass


ALIKE = [
    (Delete(delete=1), Archive(archive=1)),
    (Path("a"), "a"),
    (b"YQ==", "WVE9PQ=="),
    ((1, 2), [1, 2]),
    ({1, 2}, [1, 2]),
    (frozenset({1}), {1}),
    (Color.RED, "red"),
    (Level.HIGH, 3),
    (date(2026, 1, 2), "2026-01-02"),
    (Decimal("1.5"), "1.5"),
    (SecretStr("a"), "a"),
    (Dog("a"), Puppy("a")),
    (Dog("a"), {"name": "a"}),
    ([{"to": Dog("a")}], [{"to": Puppy("a")}]),
    ({1: "a"}, {"1": "a"}),
    (Words(["a"]), ["a"]),
]
"""Values of two classes with one plain form."""


@pytest.mark.parametrize(("one", "other"), ALIKE)
@pytest.mark.parametrize("validate", [None, dict], ids=["unknown", "takes all"])
def test_values_that_look_alike_are_told_apart(one: Any, other: Any, validate: Validate | None) -> None:
    shown = [plain_call("tool", {"it": value}, validate=validate).spelled for value in (one, other)]
    assert shown[0] != shown[1]


class Act(BaseModel):
    it: Tagged | Dog | Puppy | set[int] | Path | str


def act(plain: dict[str, Any]) -> dict[str, Any]:
    return {"it": Act.model_validate(plain).it}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Tagged(id=1), {}),
        (Dog("a"), {}),
        (Puppy("a"), {"class of it": f"{__name__}.Puppy"}),
        (Path("a"), {"class of it": "pathlib.PosixPath"}),
        ("a", {}),
    ],
)
def test_a_class_is_said_only_where_the_tool_would_make_another_one_of_what_is_shown(
    value: Any, said: dict[str, str]
) -> None:
    shown = plain_values("tool", {"it": value}, act)
    assert {name: each for name, each in shown.items() if name != "it"} == said


def test_the_place_of_a_class_within_a_value_is_said() -> None:
    shown = plain_values("tool", {"it": [{"a b": Path("x")}]}, dict)
    assert shown == {"it": [{"a b": "x"}], 'class of it[0]["a b"]': "pathlib.PosixPath"}


def test_an_argument_that_could_say_a_class_is_refused() -> None:
    with pytest.raises(NotJsonError, match="rename it"):
        plain_values("tool", {"it": 1, "class of it": "pathlib.PosixPath"})


@given(left=st.text(), right=st.text())
@pytest.mark.parametrize("kind", [SecretStr, lambda text: Hiding(shown="", hidden=text), lambda text: {text: 1}])
def test_different_values_are_shown_differently(kind: Callable[[str], Any], left: str, right: str) -> None:
    shown = [canonical(plain_values("tool", {"it": kind(text)})) for text in (left, right)]
    assert (shown[0] == shown[1]) == (left == right)
