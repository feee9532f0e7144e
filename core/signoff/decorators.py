"""The decorator and the default request of tool functions that need approval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar, overload

from signoff.expiry import ExpiresIn, seconds_of
from signoff.queue.amendment import EDIT
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["requires_approval", "simple_approval_request"]

F = TypeVar("F", bound=Callable[..., Any])
Description = str | Callable[[dict[str, Any]], str]
PayloadMaker = Callable[[dict[str, Any]], dict[str, Any]]


def simple_approval_request(
    tool_name: str,
    args: Mapping[str, Any],
    *,
    description: str | None = None,
    exclude_keys: AbstractSet[str] | None = None,
) -> ApprovalRequest:
    """Make a request from a tool's name and arguments.

    Args:
        tool_name: Name of the tool.
        args: Its arguments. They are shown in full.
        description: One line for the person; made from name and arguments if None.
        exclude_keys: Arguments that a remembered approval does not match on, and that the description
            leaves out.

    Raises:
        NotJsonError: The arguments are not JSON.
        TypeError: `exclude_keys` is a text.
    """
    if isinstance(exclude_keys, str):
        raise TypeError(f"exclude_keys is a set of names, such as {{{exclude_keys!r}}}, not one text")
    hidden = frozenset(exclude_keys or ())
    payload = {key: value for key, value in args.items() if key not in hidden}
    if description is None:
        shown = ", ".join(f"{key}={value!r}" for key, value in payload.items())
        description = f"{tool_name}({shown})"
    return ApprovalRequest(tool_name=tool_name, description=description, payload=payload, arguments=dict(args))


@overload
def requires_approval(func: F, /) -> F: ...
@overload
def requires_approval(
    *,
    description: Description | None = None,
    exclude_keys: AbstractSet[str] | None = None,
    payload: PayloadMaker | None = None,
    editable: bool = False,
    expires_in: ExpiresIn | None = None,
) -> Callable[[F], F]: ...
def requires_approval(
    func: F | None = None,
    /,
    *,
    description: Description | None = None,
    exclude_keys: AbstractSet[str] | None = None,
    payload: PayloadMaker | None = None,
    editable: bool = False,
    expires_in: ExpiresIn | None = None,
) -> F | Callable[[F], F]:
    """Mark a tool function as needing approval; works bare and with arguments.

    The function itself is unchanged and still runs when called directly: the toolset or `execute_tool` asks.

    Args:
        func: The function, when used bare.
        description: A line for the person, or a function that makes it from the arguments.
        exclude_keys: Arguments that a remembered approval does not match on.
        payload: Makes the payload from the arguments; `exclude_keys` is then ignored.
        editable: True if a reviewer may change the arguments and approve the call so. It then runs once with these
            arguments, after they passed the checks of the tool and of the policy, and the model is told.
        expires_in: Seconds (or a `timedelta`) after which a request expires; None leaves it to the toolset and the
            controller.

    Raises:
        ValueError: `expires_in` is not more than zero, or more than a hundred years.
        TypeError: The decorated object is not a function, but a tool that a framework made of one.
    """
    if isinstance(exclude_keys, str):
        raise TypeError(f"exclude_keys is a set of names, such as {{{exclude_keys!r}}}, not one text")

    seconds = seconds_of(expires_in)

    def mark(target: F) -> F:
        def check_approval(ctx: ApprovalContext) -> ApprovalRequest:
            text = description(ctx.args) if callable(description) else description
            request = simple_approval_request(
                ctx.tool_name, ctx.args, description=text, exclude_keys=None if payload else exclude_keys
            )
            update: dict[str, Any] = {"why": "@requires_approval", "honors": frozenset({EDIT} if editable else ())}
            update["expires_in"] = seconds
            if payload is not None:
                update["payload"] = payload(ctx.args)
            return ApprovalRequest(**{**dict(request), **update})

        try:
            target.check_approval = check_approval  # type: ignore[attr-defined]
            target._requires_approval = True  # type: ignore[attr-defined]  # noqa: SLF001 - the documented marker
        except (AttributeError, ValueError) as error:
            raise TypeError(
                f"@requires_approval marks functions, not a {type(target).__name__}: write it below the decorator"
                " of your framework, next to the function"
            ) from error
        return target

    return mark if func is None else mark(func)
