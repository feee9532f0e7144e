"""How long requests wait, and who of several has the say about it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from signoff import ApprovalController, execute_tool, requires_approval, simple_approval_request
from signoff.queue import DecisionSource
from signoff.types import ApprovalDeniedError

ASK = simple_approval_request("deploy", {"to": "staging"})


def closed(controller: ApprovalController) -> None:
    assert controller.queue is not None
    controller.queue.close()


@pytest.mark.parametrize("given", [0.001, timedelta(milliseconds=1), "environment"])
def test_a_request_expires_after_the_time_of_its_controller_and_that_is_nobodys_no(
    place: Path, monkeypatch: pytest.MonkeyPatch, given: float | timedelta | str
) -> None:
    if isinstance(given, str):
        monkeypatch.setenv("SIGNOFF_EXPIRES_IN", "0.001")
        controller = ApprovalController()
    else:
        controller = ApprovalController(expires_in=given)
    for decision in (controller.request_approval_sync(ASK), asyncio.run(controller.request_approval(ASK))):
        assert (decision.approved, decision.source) == (False, DecisionSource.EXPIRY)
        assert "nobody decided" in (decision.note or "")
    closed(controller)


def test_what_is_said_nearer_to_the_call_goes_first(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_EXPIRES_IN", "5000")

    @requires_approval(expires_in=timedelta(milliseconds=1))
    def marked() -> None:
        """Never runs."""

    controller = ApprovalController(expires_in=1000)
    with pytest.raises(ApprovalDeniedError) as denied:
        asyncio.run(execute_tool(marked, "marked", {}, controller))
    assert denied.value.decision.source is DecisionSource.EXPIRY
    closed(controller)


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), timedelta(0), 1e12])
def test_a_time_that_nobody_can_wait_is_refused_where_it_is_said(wrong: float | timedelta) -> None:
    with pytest.raises(ValueError, match="expires_in takes more than 0"):
        ApprovalController(expires_in=wrong)
    with pytest.raises(ValueError, match="expires_in takes more than 0"):
        requires_approval(expires_in=wrong)


@pytest.mark.parametrize("wrong", ["soon", "0", "-5", "nan", "30m"])
def test_a_wrong_time_in_the_environment_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("SIGNOFF_EXPIRES_IN", wrong)
    with pytest.raises(ValueError, match=f"SIGNOFF_EXPIRES_IN is '{wrong}'; give a number of seconds"):
        ApprovalController()


def test_no_time_at_all_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_EXPIRES_IN", "")
    assert ApprovalController()._expires_in is None


def test_what_is_no_length_of_time_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="seconds or a timedelta"):
        ApprovalController(expires_in="10")  # type: ignore[arg-type]
