"""The tie between what was approved and what a tool then does.

While an approved call runs, its request is known here. A tool that declares what it would do asks before it
does it, so that a path which leads elsewhere by now, or an argument that was changed on the way, is refused
instead of done. Outside an approved call nothing is checked: tools stay usable on their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from signoff.effects import Effect

if TYPE_CHECKING:
    from signoff.types import ApprovalRequest

__all__ = ["bound_to", "require_approved"]

_approved: ContextVar[ApprovalRequest | None] = ContextVar("signoff_approved", default=None)


@contextmanager
def bound_to(request: ApprovalRequest) -> Iterator[None]:
    """Run the body, and the tasks and threads it starts, as the carrying out of an approved request."""
    token = _approved.set(request)
    try:
        yield
    finally:
        _approved.reset(token)


def require_approved(tool_name: str, payload: Mapping[str, Any], effects: Sequence[Effect] = ()) -> None:
    """Check that what is about to happen is what was approved.

    Effects must be among the approved ones. For a call without effects the payload must be the approved
    one. A request that declared nothing, or that another tool made, limits only what it names.

    Args:
        tool_name: Name of the tool.
        payload: Payload that a request for the call would have now.
        effects: Effects that the call is about to have.

    Raises:
        PermissionError: An approved call is running, and this is not what was approved.
    """
    request = _approved.get()
    if request is None:
        return
    if effects:
        as_approved = not request.effects or all(effect in request.effects for effect in effects)
    else:
        as_approved = request.tool_name != tool_name or request.payload == payload
    if not as_approved:
        raise PermissionError("not run: this is not what was approved; something was changed meanwhile")
