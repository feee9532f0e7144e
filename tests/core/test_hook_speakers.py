"""Everybody who could say something of a call is looked at, and nothing that fails is taken for silence."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from signoff.approval_rules import ApprovalNeeds, has_hook, speakers

NAMES = ("check_approval", "needs_approval")


class Speaking:
    def check_approval(self) -> None:
        """A hook."""

    def act(self) -> None:
        """A tool."""


class Delegating:
    """Has what another object has."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Speaking(), name)


class Deciding:
    """Looks everything up itself."""

    def __getattribute__(self, name: str) -> Any:
        if name == "check_approval":
            return print
        return super().__getattribute__(name)


class Failing:
    @property
    def check_approval(self) -> Any:
        raise AttributeError("no policy was loaded")


class Inheriting(Failing):
    """A hook that fails further up."""


def with_own_hook() -> Any:
    def act() -> None:
        """A tool."""

    act.needs_approval = print  # type: ignore[attr-defined]
    return act


@pytest.mark.parametrize("owner", [Speaking(), Delegating(), Deciding(), with_own_hook()])
def test_a_hook_is_found_wherever_it_comes_from(owner: object) -> None:
    assert has_hook(owner, NAMES)


@pytest.mark.parametrize("owner", [None, object(), len, print])
def test_who_has_no_hook_has_none(owner: object) -> None:
    assert not has_hook(owner, NAMES)


@pytest.mark.parametrize("owner", [Failing(), Inheriting()])
def test_a_hook_that_cannot_be_had_is_an_error(owner: object) -> None:
    with pytest.raises(TypeError, match="cannot be looked up"):
        has_hook(owner, NAMES)


def test_a_hook_that_cannot_be_had_lets_nothing_be_asked_plainly() -> None:
    with pytest.raises(TypeError, match="cannot be looked up"):
        ApprovalNeeds({}, "required").asks_plainly("act", Failing(), None)


def test_a_function_its_layers_and_its_object_may_all_speak() -> None:
    speaking = Speaking()
    method = speaking.act
    around = functools.partial(method)
    assert list(speakers(around)) == [around, method, speaking]


def test_the_class_of_a_class_method_does_not_speak() -> None:
    class Tools:
        @classmethod
        def act(cls) -> None:
            """A tool."""

    assert Tools not in list(speakers(Tools.act))


def test_functions_that_say_they_wrap_each_other_speak_once_each() -> None:
    def one() -> None:
        """A tool."""

    def other() -> None:
        """A tool."""

    one.__wrapped__, other.__wrapped__ = other, one  # type: ignore[attr-defined]
    assert list(speakers(one)) == [one, other]
