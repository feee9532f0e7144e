"""Where the mode comes from, and which one holds."""

from __future__ import annotations

import pytest

from signoff import ApprovalController, ApprovalDecision, ApprovalRequest
from signoff.modes import MODES, chosen_mode


@pytest.fixture(autouse=True)
def nothing_in_the_environment(monkeypatch):
    monkeypatch.delenv("SIGNOFF_MODE", raising=False)


def test_nobody_says_anything_so_a_person_is_asked():
    assert chosen_mode(None) == "interactive"


@pytest.mark.parametrize("mode", MODES)
def test_the_environment_chooses_where_the_code_does_not(mode, monkeypatch):
    monkeypatch.setenv("SIGNOFF_MODE", mode)
    assert ApprovalController().mode == mode


def test_an_empty_variable_says_nothing(monkeypatch):
    monkeypatch.setenv("SIGNOFF_MODE", "")
    assert chosen_mode(None) == "interactive"


@pytest.mark.parametrize(
    ("code", "environment", "holds"),
    [
        ("strict", "approve_all", "strict"),
        ("interactive", "approve_all", "interactive"),
        ("approve_all", "strict", "strict"),
        ("approve_all", "interactive", "interactive"),
        ("interactive", "strict", "strict"),
    ],
)
def test_the_stricter_of_two_holds(code, environment, holds, monkeypatch):
    monkeypatch.setenv("SIGNOFF_MODE", environment)
    assert ApprovalController(code).mode == holds


def test_an_unknown_mode_in_the_environment_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("SIGNOFF_MODE", "yolo")
    with pytest.raises(ValueError, match="unknown SIGNOFF_MODE 'yolo'; choose one of: interactive"):
        ApprovalController()


def test_an_unknown_mode_in_code_is_refused():
    with pytest.raises(ValueError, match="unknown mode 'yolo'"):
        ApprovalController("yolo")


async def test_a_subclass_may_ask_a_person_in_a_method_of_its_own():
    class Own(ApprovalController):
        async def _prompt_user(self, request):
            return ApprovalDecision(approved=False, note=f"no {request.tool_name}")

    request = ApprovalRequest(tool_name="deploy", description="", payload={})
    assert (await Own().request_approval(request)).note == "no deploy"


async def test_synchronous_code_inside_an_event_loop_may_ask_an_asynchronous_callback():
    async def callback(request):
        return ApprovalDecision(approved=True, note="yes")

    request = ApprovalRequest(tool_name="deploy", description="", payload={})
    assert ApprovalController(approval_callback=callback).request_approval_sync(request).note == "yes"


def test_the_environment_does_not_silence_a_callback(monkeypatch):
    monkeypatch.setenv("SIGNOFF_MODE", "approve_all")
    controller = ApprovalController(approval_callback=lambda _: ApprovalDecision(approved=False))
    assert controller.mode == "interactive"


def test_a_mode_that_is_set_later_is_checked_too():
    controller = ApprovalController()
    with pytest.raises(ValueError, match="unknown mode 'Strict'"):
        controller.mode = "Strict"
    assert controller.mode == "interactive"
