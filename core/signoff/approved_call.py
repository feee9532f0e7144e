"""The binding of a running call to its approval, also if a reviewer changed the arguments.

While an approved call runs, its request and the snapshot that was shown are known here. A tool that declares
effects checks each before it happens, so that a path that leads elsewhere by now, a file that was written
meanwhile, or an argument that was changed on the way, is refused. Outside an approved call nothing is checked:
tools stay usable on their own.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from signoff.canonical import canonical
from signoff.decorators import simple_approval_request
from signoff.effects import Command, Effect
from signoff.queue.amendment import EDIT, PARTIAL, Instead, named_command
from signoff.submission import arguments_of
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.present.snapshot.steps import FileState


__all__ = [
    "HONORS",
    "ApprovedContent",
    "ChangedSinceApprovedError",
    "EditedCall",
    "EditedCallError",
    "NotedResult",
    "approved_instead",
    "approved_state",
    "bound_to",
    "is_approved",
    "require_approved",
    "require_runnable",
    "told",
    "was_written",
]


class ChangedSinceApprovedError(PermissionError):
    """The files are not as they were shown; nothing was done, and the call may be asked about again."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not run: {what} was changed since it was approved; ask again")


class ApprovedCall(Protocol):
    """An approved request, or a plain call that was approved without one."""

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        ...

    @property
    def payload(self) -> Mapping[str, Any]:
        """The entries that the approval matches on."""
        ...

    @property
    def effects(self) -> Sequence[Effect]:
        """The declared effects; empty if there are none."""
        ...


class _ApprovedCall(NamedTuple):  # no data class: one is made at every call, and this is cheaper
    """An approved call that is being carried out.

    Attributes:
        request: The request.
        snapshot: The snapshot that was shown; None if the request declared no effects.
        instead: The amendment, if the reviewer changed the call.
        written: Files that the call itself has written, by path, as it left them.
    """

    request: ApprovedCall
    snapshot: Snapshot | None
    instead: Instead | None
    written: dict[str, FileState]


_approved: ContextVar[_ApprovedCall | None] = ContextVar("signoff_approved", default=None)


class bound_to:  # noqa: N801 - a context manager, which is called like a function
    """Run the body, and the tasks and threads it starts, as the execution of an approved request.

    Args:
        request: The approved request.
        snapshot: The snapshot that was shown; None binds to the request only.
        instead: The amendment that runs; None runs exactly what was asked.
    """

    def __init__(
        self, request: ApprovedCall, snapshot: Snapshot | None = None, instead: Instead | None = None
    ) -> None:
        self._call = _ApprovedCall(request, snapshot, instead, {})

    def __enter__(self) -> None:
        self._token = _approved.set(self._call)

    def __exit__(self, *_: object) -> None:
        _approved.reset(self._token)


def require_approved(tool_name: str, payload: Mapping[str, Any], effects: Sequence[Effect] = ()) -> None:
    """Check that the call that is about to run is the approved one.

    Effects must be among the approved ones, and a command must run in the directory that was shown. For a call
    without effects the payload must be the approved one. A request without effects, or of another tool, limits
    only what it names.

    Args:
        tool_name: Name of the tool.
        payload: Payload that a request for the call would have now.
        effects: Effects that the call is about to have.

    Raises:
        PermissionError: An approved call is running, and this is not the approved one.
    """
    approved = _approved.get()
    if approved is None:
        return
    request = approved.request
    if effects:
        as_approved = not request.effects or all(effect in request.effects for effect in effects)
    else:
        of_this_tool = request.tool_name == tool_name or request.payload.keys() == payload.keys()
        as_approved = not of_this_tool or request.payload == payload
    if not as_approved:
        raise PermissionError("not run: this is not what was approved; something was changed meanwhile")
    for effect in effects:
        if isinstance(effect, Command):
            _require_same_directory(approved, effect)


def is_approved(effect: Effect) -> bool:
    """True while a call runs that was approved with an effect among those it declares."""
    approved = _approved.get()
    return approved is not None and effect in approved.request.effects


def approved_state(path: str) -> FileState | None:
    """Return the state in which a file must be found when an approved call is about to write it.

    It is the file as it was shown, or as the call itself has left it.

    Args:
        path: Absolute path without links.

    Returns:
        The state, or None if the file was not shown.
    """
    approved = _approved.get()
    if approved is None or approved.snapshot is None:
        return None
    if path in approved.written:
        return approved.written[path]
    changes = (change for change in approved.snapshot.items if change.path == path)
    return next((change.before for change in changes), None)


@dataclass(frozen=True, slots=True)
class ApprovedContent:
    """The content of a file that a reviewer approved in place of the requested one.

    Attributes:
        data: The exact content to write.
        told: The message for the agent.
    """

    data: bytes
    told: str


def approved_instead(path: str) -> ApprovedContent | None:
    """Return the content to write to a file in place of the one that the running call asked for.

    A tool that lists ``partial`` in `ApprovalRequest.honors` calls this before it writes, writes exactly that,
    and puts the message in its result.

    Args:
        path: Absolute path, as in the effect that was declared.

    Returns:
        The content, or None if the call writes what it asked for.

    Raises:
        PermissionError: The reviewer approved other contents, and this path was not among those shown.
    """
    approved = _approved.get()
    if approved is None or approved.instead is None or not approved.instead.contents:
        return None
    data = approved.instead.content(path)
    if data is not None:
        return ApprovedContent(data, f"The reviewer {approved.instead.words}.")
    shown = () if approved.snapshot is None else approved.snapshot.items
    if all(change.path != path for change in shown):
        # Such as another name of the file: the refused content must not be written under it.
        raise PermissionError(
            "not run: the reviewer changed what is written, and this is not the path that was shown"
        )
    return None


def was_written(path: str, state: FileState) -> None:
    """Note the state in which the running call has left a file, so that its next effect accepts it."""
    approved = _approved.get()
    if approved is not None:
        approved.written[path] = state


def _require_same_directory(approved: _ApprovedCall, command: Command) -> None:
    runs = () if approved.snapshot is None else approved.snapshot.commands
    shown = {run.real_cwd for run in runs if run.cwd == command.cwd}  # also of a command that a reviewer edited
    if shown and os.path.realpath(command.cwd) not in shown:
        raise ChangedSinceApprovedError("the place that the working directory leads to")


# -- Running a call with arguments that a reviewer changed.

HONORS = frozenset({PARTIAL, EDIT})
"""The features of signoff's own ways to run a call besides running it as asked."""


class EditedCall:
    """Checks edited arguments as if the model had sent them, and keeps the call that is to run.

    Args:
        context: The call as it was asked.
        asked: Its request.
        shown: Has the tool validate arguments, and returns them as the reviewer sees them.
        ask: Asks policy, settings, toolset and function about the call; blocks it by `PermissionError`.

    Attributes:
        request: The request that the edited call is bound to; None while none was approved.
    """

    def __init__(
        self,
        context: ApprovalContext,
        asked: ApprovalRequest,
        shown: Callable[[dict[str, Any]], Mapping[str, Any]],
        ask: Callable[[ApprovalContext], ApprovalRequest | None],
    ) -> None:
        self._context = context
        self._asked = asked
        self._shown = shown
        self._ask = ask
        self.request: ApprovalRequest | None = None

    def __call__(self, arguments: Mapping[str, Any]) -> None:
        """Check the arguments; return if the call may run with them.

        Raises:
            PermissionError: They are blocked, or have an effect that nobody was shown.
            ValueError, TypeError: The tool does not accept them.
        """
        spelled = canonical(dict(arguments))
        if canonical(dict(self._shown(copy.deepcopy(dict(arguments))))) != spelled:
            raise ValueError("the tool reads the changed arguments as others than were shown")
        args = copy.deepcopy(dict(arguments))
        effects = self._effects_with(args)
        request = self._ask(self._context.model_copy(update={"args": args}))
        if request is not None and tuple(request.effects) != effects:
            raise PermissionError("with the changed arguments it would do what nobody was shown")
        plain = simple_approval_request(self._context.tool_name, args)
        self.request = request or plain.model_copy(update={"effects": effects})

    def _effects_with(self, arguments: Mapping[str, Any]) -> tuple[Effect, ...]:
        """The effects that the reviewer was shown for the edited call: none, or the edited command.

        Raises:
            PermissionError: None were shown.
        """
        match tuple(self._asked.effects):
            case ():
                return ()
            case (Command(command=asked) as effect,):
                name = named_command(arguments_of(self._asked, self._context), asked)
                command = None if name is None else arguments.get(name)
                if isinstance(command, str) and command.strip():
                    return (replace(effect, command=command),)
        raise PermissionError("with the changed arguments it would do what nobody was shown")


class EditedCallError(Exception):
    """The arguments that a reviewer approved in place of the original ones cannot run."""


def require_runnable(decision: ApprovalDecision, context: ApprovalContext | None) -> None:
    """Return if the approved call may run, be it amended or not.

    Args:
        decision: The approval of a person.
        context: The call as it was asked; it knows if other arguments can run.

    Raises:
        EditedCallError: The amended call may not run.
    """
    if decision.instead is None or decision.instead.arguments is None:
        return
    if context is None or context.check_edited is None:
        raise EditedCallError("its arguments were changed, and nobody here can run it so")
    try:
        context.check_edited(decision.instead.arguments)
    except (PermissionError, ValueError, TypeError) as error:
        raise EditedCallError(f"the reviewer changed the arguments, and so it cannot run: {error}") from error


class NotedResult:
    """A result that has a place for notes to the model, so that it keeps its type."""

    __slots__ = ()

    def with_note(self, note: str) -> Self:
        """Return the result with a note."""
        raise NotImplementedError


def told(result: Any, instead: Instead | None) -> Any:
    """Return the result of a call that ran with edited arguments, with a note for the model.

    Args:
        result: The result of the tool.
        instead: The amendment that ran, or None.
    """
    if instead is None or instead.arguments is None:
        return result
    words = f"The reviewer changed the arguments: it ran with {canonical(dict(instead.arguments))}"
    if isinstance(result, NotedResult):
        return result.with_note(words)
    return f"{result}\n\n{words}" if isinstance(result, str) else {"result": result, "reviewer": words}
