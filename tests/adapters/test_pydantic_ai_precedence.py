"""Who decides whether a call must be approved: every combination of those who may have a say."""

from __future__ import annotations

import functools
from itertools import product
from typing import Any, Literal

import pytest

from signoff.approval_rules import ApprovalNeeds, Setting, default_setting
from signoff.decorators import requires_approval, simple_approval_request
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalRequest

Answer = Literal["silent", "no opinion", "no", "ask", "block"]

SETTINGS = [None, "none", "required", "deny"]
ANSWERS: list[Answer] = ["silent", "no opinion", "no", "ask", "block"]
CALL = ApprovalContext(tool_name="act", args={"n": 1})


class Opinionated:
    """Somebody with a `check_approval` that gives one answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def check_approval(self, ctx: ApprovalContext) -> Any:
        if self.answer == "block":
            raise PermissionError("blocked")
        if self.answer == "no opinion":
            return NotImplemented
        return None if self.answer == "no" else ApprovalRequest(tool_name="act", description="Own", payload={})

    def act(self, n: int) -> None:
        """A tool."""


class Silent:
    """Somebody without an opinion on approvals."""

    def act(self, n: int) -> None:
        """A tool."""


def somebody(answer: Answer) -> Any:
    return Silent() if answer == "silent" else Opinionated(answer)


def expected(
    setting: str | None, toolset: Answer, owner: Answer, default: Setting, *, marked: bool
) -> Literal["block", "ask", "run"]:
    """The precedence in words: block, then setting, then whoever asks, then whoever says no, then the default."""
    if setting == "deny" or "block" in (toolset, owner):
        return "block"
    if setting is not None:
        return "ask" if setting == "required" else "run"
    if marked or "ask" in (toolset, owner):
        return "ask"
    if "no" in (toolset, owner):
        return "run"
    return "ask" if default == "required" else "run"


@pytest.mark.parametrize("marked_by", [None, "requires_approval=True"])
@pytest.mark.parametrize("default", ["required", "none"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_precedence(setting: str | None, default: Setting, marked_by: str | None) -> None:
    needs = ApprovalNeeds({"act": {"approval": setting}}, default)
    for toolset, owner in product(ANSWERS, ANSWERS):
        function = somebody(owner).act
        try:
            request = needs.request_for(CALL, somebody(toolset), function, ApprovalMemory(), marked_by=marked_by)
        except PermissionError:
            outcome = "block"
        else:
            outcome = "run" if request is None else "ask"
        wanted = expected(setting, toolset, owner, default, marked=marked_by is not None)
        assert outcome == wanted, (toolset, owner)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_nothing_is_let_run_unseen_about_which_anybody_has_a_say(setting: str | None, answer: Answer) -> None:
    needs = ApprovalNeeds({"act": {"approval": setting}}, "none")
    for toolset, owner in ((answer, "silent"), ("silent", answer)):
        lets_run = needs.lets_run("act", somebody(toolset), somebody(owner).act)
        assert lets_run == (setting == "none" and answer == "silent")


@pytest.mark.parametrize("marked_by", [None, "requires_approval=True"])
@pytest.mark.parametrize("default", ["required", "none"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_asked_plainly_is_asked_by_name_and_arguments(
    setting: str | None, default: Setting, marked_by: str | None
) -> None:
    needs = ApprovalNeeds({"act": {"approval": setting}}, default)
    function = Silent().act
    if needs.asks_plainly("act", Silent(), function, marked_by=marked_by):
        request = needs.request_for(CALL, Silent(), function, ApprovalMemory(), marked_by=marked_by)
        assert request is not None
        assert request.model_copy(update={"why": ""}) == simple_approval_request("act", CALL.args)
    else:
        assert expected(setting, "silent", "silent", default, marked=marked_by is not None) != "ask"


WORDS = ["check_approval", "needs_approval", "approval_request", "_requires_approval"]


def tools_with(word: str) -> list[tuple[object, Any]]:
    """Toolset and function, with the word on each of those who may say it."""

    def act(n: int) -> None:
        """A tool."""

    @functools.wraps(act)
    def around(n: int) -> None:
        """A tool that passes its calls on; it has no attributes of its own."""

    vars(around).pop(word, None)
    speaking = type("Speaking", (Silent,), {word: print})()
    setattr(act, word, True)
    return [
        (speaking, None),
        (Silent(), act),
        (Silent(), around),
        (Silent(), functools.partial(act)),
        (None, speaking.act),
    ]


@pytest.mark.parametrize("word", WORDS)
def test_nothing_is_asked_plainly_of_which_anybody_says_anything(word: str) -> None:
    needs = ApprovalNeeds({}, "required")
    assert not any(needs.asks_plainly("act", toolset, function) for toolset, function in tools_with(word))


def test_the_mark_on_the_function_asks_as_any_other() -> None:
    @requires_approval
    def act(n: int) -> None:
        """A marked tool."""

    for toolset in ("silent", "no opinion", "no"):
        needs = ApprovalNeeds({}, "none")
        assert needs.request_for(CALL, somebody(toolset), act, ApprovalMemory()) is not None


def test_a_request_of_somebody_is_preferred_to_a_plain_one() -> None:
    for setting in (None, "required"):
        needs = ApprovalNeeds({"act": {"approval": setting}}, "required")
        request = needs.request_for(CALL, somebody("ask"), None, ApprovalMemory(), marked_by="a mark")
        assert request is not None
        assert request.description == "Own"


@pytest.mark.parametrize(
    ("given", "tools_were_named", "default"),
    [
        (None, True, "none"),
        (None, False, "required"),
        ("required", True, "required"),
        ("none", False, "none"),
    ],
)
def test_the_default_of_the_default(given: Setting | None, tools_were_named: bool, default: Setting) -> None:
    assert default_setting(given, tools_were_named=tools_were_named) == default
