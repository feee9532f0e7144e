"""Ways for a tool function to say that it needs approval."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from signoff.canonical import NotJsonError
from signoff.decorators import requires_approval, simple_approval_request
from signoff.types import ApprovalContext, ApprovalRequest

ARGS = {"to": "a@example.com", "subject": "Hello", "body": "secret"}


def request_of(function: Any, args: dict[str, Any] = ARGS) -> ApprovalRequest:
    request: ApprovalRequest = function.check_approval(ApprovalContext(tool_name="send_email", args=args))
    return request


def send_email(to: str, subject: str, body: str) -> str:
    return f"sent to {to}"


@pytest.mark.parametrize("mark", [requires_approval, requires_approval()])
def test_the_mark_works_bare_and_with_parentheses(mark: Any) -> None:
    marked = mark(send_email)
    request = request_of(marked)
    assert (request.tool_name, request.payload, request.arguments) == ("send_email", ARGS, ARGS)


def test_a_marked_function_is_called_as_before() -> None:
    marked = requires_approval(send_email)
    assert marked("b", "s", "x") == "sent to b"
    assert marked.__name__ == "send_email"


def test_the_description_may_be_made_from_the_arguments() -> None:
    marked = requires_approval(description=lambda args: f"Mail {args['to']}")(send_email)
    assert request_of(marked).description == "Mail a@example.com"


def test_excluded_arguments_are_not_matched_on_but_shown() -> None:
    request = request_of(requires_approval(exclude_keys={"body"})(send_email))
    assert request.payload == {"to": "a@example.com", "subject": "Hello"}
    assert "secret" not in request.description
    assert request.arguments == ARGS


def test_a_payload_of_its_own_comes_before_excluded_arguments() -> None:
    marked = requires_approval(payload=lambda args: {"to": args["to"]}, exclude_keys={"to"})(send_email)
    assert request_of(marked).payload == {"to": "a@example.com"}


def test_a_payload_that_is_not_json_is_refused() -> None:
    marked = requires_approval(payload=lambda args: {"to": {1}})(send_email)
    with pytest.raises(NotJsonError, match="not JSON"):
        request_of(marked)


def test_a_simple_request_describes_the_call() -> None:
    request = simple_approval_request("act", {"n": 1, "who": "me"})
    assert request.description == "act(n=1, who='me')"


def test_a_simple_request_takes_a_description() -> None:
    assert simple_approval_request("act", {}, description="Act now").description == "Act now"


def test_what_a_framework_made_of_a_function_is_refused_with_what_to_do() -> None:
    class Made(BaseModel):
        name: str

    with pytest.raises(TypeError, match="below the decorator"):
        requires_approval(Made(name="x"))  # type: ignore[type-var]


def test_one_text_as_excluded_keys_is_refused_because_it_would_exclude_by_its_letters() -> None:
    with pytest.raises(TypeError, match="set of names"):
        requires_approval(exclude_keys="token")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="set of names"):
        simple_approval_request("pay", {"to": "anna"}, exclude_keys="token")  # type: ignore[arg-type]
