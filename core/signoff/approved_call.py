"""The tie between what was approved and what runs, also where a reviewer changed the arguments.

While an approved call runs, its request and the snapshot that was shown are known here. A tool that declares
what it would do asks before it does it, so that a path which leads elsewhere by now, a file that was written
meanwhile, or an argument that was changed on the way, is refused instead of done. Outside an approved call
nothing is checked: tools stay usable on their own.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from signoff.canonical import canonical
from signoff.decorators import simple_approval_request
from signoff.effects import Command, Effect
from signoff.queue.amendment import EDIT, PARTIAL, Instead
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

if TYPE_CHECKING:
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.present.snapshot.steps import FileState
    from signoff.queue.amendment import Instead


__all__ = [
    "HONORS",
    "ApprovedContent",
    "ChangedSinceApprovedError",
    "EditedCall",
    "EditedCallError",
    "approved_instead",
    "approved_state",
    "bound_to",
    "require_approved",
    "require_runnable",
    "told",
    "was_written",
]


class ChangedSinceApprovedError(PermissionError):
    """The world is not as it was shown any more; nothing was done, and the call may be asked about again."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not run: {what} was changed since it was approved; ask again")


class ApprovedCall(Protocol):
    """What was approved: an `ApprovalRequest`, or a call that did not have to be described by one."""

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        ...

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the approval matches on."""
        ...

    @property
    def effects(self) -> Sequence[Effect]:
        """What was declared; empty if nothing was."""
        ...


class _ApprovedCall(NamedTuple):  # no data class: one is made at every call, and this is cheaper
    """An approved call that is being carried out.

    Attributes:
        request: What was asked.
        snapshot: What was shown; None if the request declared no effects.
        instead: What runs in place of what was asked, if the reviewer changed it.
        written: Files that the call itself has written, by path, as it left them.
    """

    request: ApprovedCall
    snapshot: Snapshot | None
    instead: Instead | None
    written: dict[str, FileState]


_approved: ContextVar[_ApprovedCall | None] = ContextVar("signoff_approved", default=None)


class bound_to:  # noqa: N801 - a context manager, which is called like a function
    """Run the body, and the tasks and threads it starts, as the carrying out of an approved request.

    Args:
        request: What was approved.
        snapshot: What was shown of it; None binds to the request only.
        instead: What runs in place of what was asked; None: exactly what was asked.
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
    """Check that what is about to happen is what was approved.

    Effects must be among the approved ones, and a command must run in the directory that was shown. For a call
    without effects the payload must be the approved one. A request that declared nothing, or that another tool
    made, limits only what it names.

    Args:
        tool_name: Name of the tool.
        payload: Payload that a request for the call would have now.
        effects: Effects that the call is about to have.

    Raises:
        PermissionError: An approved call is running, and this is not what was approved.
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


def approved_state(path: str) -> FileState | None:
    """How a file must be found when an approved call is about to write it.

    It is the file as it was shown, or as the call itself has left it.

    Args:
        path: Absolute path without links.

    Returns:
        The state, or None if nothing was shown of the file.
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
    """The content of a file that a reviewer approved in place of the one that was asked.

    Attributes:
        data: Exactly what is to be written.
        told: What the agent is to be told of it.
    """

    data: bytes
    told: str


def approved_instead(path: str) -> ApprovedContent | None:
    """What to write to a file in place of what the running call asked for.

    A tool that says ``partial`` in `ApprovalRequest.honors` asks this before it writes, writes exactly that, and
    puts the words in its result.

    Args:
        path: Absolute path, as in the effect that was declared.

    Returns:
        The content, or None if the call writes what it asked for.

    Raises:
        PermissionError: The reviewer approved other contents, and nobody was shown that this path is written.
    """
    approved = _approved.get()
    if approved is None or approved.instead is None or not approved.instead.contents:
        return None
    data = approved.instead.content(path)
    if data is not None:
        return ApprovedContent(data, f"The reviewer {approved.instead.words}.")
    shown = () if approved.snapshot is None else approved.snapshot.items
    if all(change.path != path for change in shown):
        # Such as another name of the file: what was refused must not be written under it.
        raise PermissionError(
            "not run: the reviewer changed what is written, and this is not the path that was shown"
        )
    return None


def was_written(path: str, state: FileState) -> None:
    """Note how the running call has left a file, so that its next effect may find it so."""
    approved = _approved.get()
    if approved is not None:
        approved.written[path] = state


def _require_same_directory(approved: _ApprovedCall, command: Command) -> None:
    runs = () if approved.snapshot is None else approved.snapshot.commands
    shown = {run.real_cwd for run in runs if (run.command, run.cwd) == (command.command, command.cwd)}
    if shown and os.path.realpath(command.cwd) not in shown:
        raise ChangedSinceApprovedError("the place that the working directory leads to")


# -- Running a call with arguments that a reviewer put in place of those that were asked.

HONORS = frozenset({PARTIAL, EDIT})
"""What our own ways of running a call can do besides running it as asked."""


class EditedCall:
    """Looks at edited arguments as if the model had sent them, and keeps what is to run.

    Args:
        context: The call as it was asked.
        shown: Has the tool validate arguments, and returns them as a reviewer is shown them.
        ask: Asks policy, settings, toolset and function about the call; blocks it by `PermissionError`.

    Attributes:
        request: What the edited call is bound to; None while none was approved.
    """

    def __init__(
        self,
        context: ApprovalContext,
        shown: Callable[[dict[str, Any]], Mapping[str, Any]],
        ask: Callable[[ApprovalContext], ApprovalRequest | None],
    ) -> None:
        self._context = context
        self._shown = shown
        self._ask = ask
        self.request: ApprovalRequest | None = None

    def __call__(self, arguments: Mapping[str, Any]) -> None:
        """Look at the arguments; returns if the call may run with them.

        Raises:
            PermissionError: They are blocked, or would do what nobody was shown.
            ValueError, TypeError: The tool does not take them.
        """
        spelled = canonical(dict(arguments))
        if canonical(dict(self._shown(copy.deepcopy(dict(arguments))))) != spelled:
            raise ValueError("the tool reads the changed arguments as others than were shown")
        args = copy.deepcopy(dict(arguments))
        request = self._ask(self._context.model_copy(update={"args": args}))
        if request is not None and request.effects:
            raise PermissionError("with the changed arguments it would do what nobody was shown")
        self.request = request or simple_approval_request(self._context.tool_name, args)


class EditedCallError(Exception):
    """The arguments that a reviewer approved in place of the others cannot run."""


def require_runnable(decision: ApprovalDecision, context: ApprovalContext | None) -> None:
    """Return if what was approved in place of what was asked may run; also if it is what was asked.

    Args:
        decision: What a person approved.
        context: The call as it was asked; it knows whether others can run.

    Raises:
        EditedCallError: It may not.
    """
    if decision.instead is None or decision.instead.arguments is None:
        return
    if context is None or context.check_edited is None:
        raise EditedCallError("its arguments were changed, and nobody here can run it so")
    try:
        context.check_edited(decision.instead.arguments)
    except (PermissionError, ValueError, TypeError) as error:
        raise EditedCallError(f"the reviewer changed the arguments, and so it cannot run: {error}") from error


def told(result: Any, instead: Instead | None) -> Any:
    """What the model is told of a call that ran with edited arguments: the result, and what was changed.

    Args:
        result: What the tool returned.
        instead: What ran in place of what was asked, or None.
    """
    if instead is None or instead.arguments is None:
        return result
    words = f"The reviewer changed the arguments: it ran with {canonical(dict(instead.arguments))}"
    return f"{result}\n\n{words}" if isinstance(result, str) else {"result": result, "reviewer": words}
