"""Who has a say about a function that is handed in as a tool, and how they are asked.

A function may carry its own `check_approval`; the method of an object that has one is that object's business. Both
are found through `functools.partial` and through wrappers made with `functools.wraps`.

An object answers for its own tools only. About the tools of others it says `NotImplemented`, which is no opinion:
None would be a no, and let a call run unasked that nobody has looked at.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["Question", "has_hook", "hook_of", "mark_of", "questions", "speakers", "under_its_name"]

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Question:
    """One hook that has to be asked about a call.

    Attributes:
        hook: What is called: the `check_approval` of the function or of the object that it belongs to.
        context: The call, under the name that the hook knows it by.
    """

    hook: Callable[..., Any]
    context: ApprovalContext


def hook_of(owner: object, name: str) -> Any:
    """A hook of an object; None if there is none.

    Args:
        owner: A toolset, a function or its object.
        name: Name of the hook.

    Raises:
        TypeError: There is one, and it cannot be had: a property that fails is not taken for one that is absent.
    """
    if _is_without(type(owner), (name,)):
        return getattr(owner, name, None)
    try:
        return getattr(owner, name)
    except AttributeError as error:
        about = owner if error.obj is None else error.obj  # another object, if the owner passes lookups on
        absent = inspect.getattr_static(about, name, _ABSENT) is _ABSENT
        if absent and error.name == name:
            return None
        raise TypeError(
            f"{name} of {type(owner).__name__} cannot be looked up, so nobody knows what needs approval: {error}"
        ) from error


def has_hook(owner: object, names: Collection[str]) -> bool:
    """Whether an object has a hook by one of these names.

    Raises:
        TypeError: There is one, and it cannot be had.
    """
    if not _is_without(type(owner), names):
        return any(hook_of(owner, name) is not None for name in names)
    # A loop: this is asked at every call, and a generator costs more than what it yields.
    for name in names:  # noqa: SIM110
        if getattr(owner, name, None) is not None:
            return True
    return False


def _is_without(kind: type[object], names: Collection[str]) -> bool:
    """Whether a class has nothing that runs, and could fail, when the names are looked up in its instances.

    Looked at every time: classes may be changed.
    """
    if kind is FunctionType:  # which cannot be changed
        return True
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    ways = ("__getattr__", *names)
    # A loop, as above.
    for base in kind.__mro__:  # noqa: SIM110
        if not base.__dict__.keys().isdisjoint(ways):
            return False
    return True


def mark_of(function: object, name: str) -> Any:
    """An attribute that a function, or one that it wraps, was marked with; None if there is none.

    Raises:
        TypeError: There is one, and it cannot be had.
    """
    marks = (hook_of(layer, name) for layer in _layers(function))
    return next((mark for mark in marks if mark is not None), None)


def questions(function: object, ctx: ApprovalContext, hook: str = "check_approval") -> Iterator[Question]:
    """Everybody who has to be asked about a call of a function.

    An object is asked about its method by the method's own name, because a tool may be called anything, and by the
    name of the tool, because the object may know it by that.

    Args:
        function: The function behind the tool.
        ctx: The call.
        hook: Name of the hook.

    Raises:
        TypeError: A hook is there and cannot be had.
    """
    mark = mark_of(function, hook)
    if mark is not None:
        yield Question(mark, ctx)
    for layer in _layers(function):
        owner = getattr(layer, "__self__", None)
        owned = None if inspect.isclass(owner) else hook_of(owner, hook)
        if owned is not None:
            for name in dict.fromkeys((getattr(layer, "__name__", ctx.tool_name), ctx.tool_name)):
                yield Question(owned, ctx.model_copy(update={"tool_name": name}))
            return


def speakers(function: object) -> Sequence[object]:
    """Everybody who could have a say about a function: itself, what it passes its calls on to, and its object."""
    found: list[object] = []
    for layer in _layers(function):
        found.append(layer)
        owner = getattr(layer, "__self__", None)
        if owner is not None and not inspect.isclass(owner):
            found.append(owner)
    return found


def under_its_name(request: ApprovalRequest, question: Question, ctx: ApprovalContext) -> ApprovalRequest:
    """A request for a call by the name that the model called, unless the hook chose one itself."""
    if request.tool_name != question.context.tool_name or request.tool_name == ctx.tool_name:
        return request
    return request.model_copy(update={"tool_name": ctx.tool_name})


def _layers(function: object) -> Sequence[object]:
    """A function and, from the outside in, those that it passes its calls on to."""
    found: list[object] = []
    while function is not None and not (found and any(function is known for known in found)):
        found.append(function)
        wrapped = getattr(function, "__wrapped__", None)
        function = function.func if isinstance(function, functools.partial) else wrapped
    return found
