"""Asking in plain Python, without a framework: a decorator for functions, and one call for all else."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import marshal
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from collections.abc import Set as AbstractSet
from types import FunctionType
from typing import Any, Literal, ParamSpec, TypeVar, cast, overload

from signoff.adapters.json_values import plain_values
from signoff.approved_call import ChangedSinceApprovedError, bound_to
from signoff.canonical import canonical
from signoff.controller import ApprovalController
from signoff.decorators import Description, simple_approval_request
from signoff.expiry import ExpiresIn, seconds_of
from signoff.tool_definition import Definition
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = ["ask", "asks", "forget_controller"]

P = ParamSpec("P")
R = TypeVar("R")

_RUNS_LATER = (
    "its body runs after the approval, maybe with other arguments; write @signoff.asks next to the function that"
    " does the work, and have that return a value, such as a list"
)
_NOT_REMEMBERED: frozenset[Literal["session"]] = frozenset({"session"})

_making = threading.Lock()
_controllers: dict[int, ApprovalController] = {}
"""The controller of this process, by its id: a child must not use the connection of its parent."""


def ask(
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    description: str | None = None,
    exclude_keys: AbstractSet[str] | None = None,
    expires_in: ExpiresIn | None = None,
    server: str | None = None,
    controller: ApprovalController | None = None,
) -> ApprovalDecision:
    """Ask about one call, and return only if it may run; blocks while a person decides.

    Args:
        tool: Name of what would be called.
        arguments: All arguments: JSON values, and what has a text of its own, such as paths, dates and bytes.
        description: One line for the person; made from name and arguments if None.
        exclude_keys: Arguments that a remembered approval does not match on.
        expires_in: Seconds (or a `timedelta`) after which the request expires; None leaves it to the controller.
        server: The server that the tool belongs to; None for one of the program itself.
        controller: The controller that decides; one for the whole process if None.

    Returns:
        The approval, with the reviewer's note.

    Raises:
        ApprovalDeniedError: The call must not run; the message is for the model. It is a `PermissionError`.
        NotJsonError: An argument cannot be shown as it is; the message says which.
    """
    plain = plain_values(tool, arguments or {})
    request = _request(tool, plain, description, exclude_keys, expires_in, why="signoff.ask")
    context = ApprovalContext(tool_name=tool, args=plain, server=server)
    return (controller or _own()).request_approval_sync(request, context).raise_if_denied()


@overload
def asks(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def asks(
    *,
    description: Description | None = None,
    exclude_keys: AbstractSet[str] | None = None,
    expires_in: ExpiresIn | None = None,
    controller: ApprovalController | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def asks(
    function: Callable[P, R] | None = None,
    /,
    *,
    description: Description | None = None,
    exclude_keys: AbstractSet[str] | None = None,
    expires_in: ExpiresIn | None = None,
    controller: ApprovalController | None = None,
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function ask each time that it is called, before it runs; works bare and with arguments.

    It stands below the decorator of a framework, next to the function. A synchronous function blocks its thread
    while a person decides; an asynchronous one waits. All arguments are shown, with those that have a default, and
    an approval is for exactly these. One for the session is for this function, not for another of its name; of a
    lambda, and of a function that holds variables of one around it, as wrapped ones do, none is remembered.

    Args:
        function: The function, when used bare. Its arguments are JSON values, and what has a text of its own, such
            as paths, dates and bytes.
        description: A line for the person, or a function that makes it from the arguments.
        exclude_keys: Arguments that a remembered approval does not match on.
        expires_in: Seconds (or a `timedelta`) after which a request expires; None leaves it to the controller.
        controller: The controller that decides; one for the whole process if None.

    Returns:
        The function that asks. Calling it raises `ApprovalDeniedError` (a `PermissionError`, with words for the
        model) if the call must not run, and `NotJsonError` if an argument cannot be shown as it is.

    Raises:
        ValueError: `expires_in` is not more than zero, or more than a hundred years.
        TypeError: The decorated object is no function, or a method: a person would not see on which object. Or it
            is a generator: its body runs after the approval.
    """
    seconds = seconds_of(expires_in)

    def decorate(target: Callable[P, R]) -> Callable[P, R]:
        if not inspect.isfunction(target):
            raise TypeError(
                f"@signoff.asks is for functions, not for a {type(target).__name__}: write it below the decorator"
                " of your framework, next to the function"
            )
        if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
            raise TypeError(f"@signoff.asks is not for a generator, such as {target.__name__}: {_RUNS_LATER}")
        signature, name = inspect.signature(target), target.__name__
        if next(iter(signature.parameters), None) in {"self", "cls"}:
            raise TypeError(
                f"@signoff.asks does not show on which object the method {name} is called: call signoff.ask in it,"
                " with all that a person has to see"
            )

        definition = _definition_of(target)

        def asked(arguments: dict[str, Any]) -> tuple[ApprovalRequest, ApprovalContext]:
            text = description(dict(arguments)) if callable(description) else description
            request = _request(name, arguments, text, exclude_keys, seconds, why="@signoff.asks")
            return request.with_definition(definition), ApprovalContext(
                tool_name=name, args=arguments, lacks=_NOT_REMEMBERED if _is_one_of_many(target) else frozenset()
            )

        def read(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return plain_values(name, bound.arguments)

        def require_same(shown: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if canonical(read(args, kwargs)) != canonical(dict(shown)):
                raise ChangedSinceApprovedError("an argument")

        if inspect.iscoroutinefunction(target):

            @functools.wraps(target)
            async def waits(*args: P.args, **kwargs: P.kwargs) -> Any:
                arguments = read(args, kwargs)
                request, context = asked(arguments)
                decision = (await (controller or _own()).request_approval(request, context)).raise_if_denied()
                require_same(arguments, args, kwargs)
                with bound_to(request, decision.snapshot):
                    return _done(name, await target(*args, **kwargs))

            return cast("Callable[P, R]", waits)

        @functools.wraps(target)
        def blocks(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments = read(args, kwargs)
            request, context = asked(arguments)
            decision = (controller or _own()).request_approval_sync(request, context).raise_if_denied()
            require_same(arguments, args, kwargs)
            with bound_to(request, decision.snapshot):
                return cast("R", _done(name, target(*args, **kwargs)))

        return blocks

    return decorate if function is None else decorate(function)


def _definition_of(function: FunctionType) -> Definition:
    """The definition of a function: another one of the same name has another."""
    code = function.__code__
    place = f"{function.__module__}.{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
    digest = hashlib.sha256(marshal.dumps(code, 2)).hexdigest()  # of version 2, which says the same each time
    return Definition.of(function.__name__, function.__doc__, {}, {"function": place, "code": digest})


def _is_one_of_many(function: FunctionType) -> bool:
    """True if functions of the same place may do different things: a closure by what it holds, a lambda anyhow."""
    return bool(function.__closure__) or function.__name__ == "<lambda>"


def _done(name: str, result: Any) -> Any:
    """Return the result of an approved call.

    Raises:
        TypeError: It is the call itself, which has yet to run.
    """
    if isinstance(result, Awaitable | Generator | AsyncGenerator):
        if isinstance(result, Coroutine | Generator):
            with contextlib.suppress(RuntimeError):  # it does not want to be closed
                result.close()
        raise TypeError(f"{name} returned a {type(result).__name__}, which is refused: {_RUNS_LATER}")
    return result


def _request(
    tool: str,
    arguments: Mapping[str, Any],
    description: str | None,
    exclude_keys: AbstractSet[str] | None,
    expires_in: ExpiresIn | None,
    *,
    why: str,
) -> ApprovalRequest:
    request = simple_approval_request(tool, arguments, description=description, exclude_keys=exclude_keys)
    return request.model_copy(update={"why": why, "expires_in": seconds_of(expires_in)})


def _own() -> ApprovalController:
    with _making:
        found = _controllers.get(os.getpid())
        if found is None:
            _controllers.clear()
            found = _controllers[os.getpid()] = ApprovalController()
        return found


def forget_controller() -> None:
    """Close the connection of this process to the queue; the next call opens the one that is named then."""
    with _making:
        for controller in _controllers.values():
            if controller.queue is not None:
                controller.queue.close()
        _controllers.clear()
