"""Running a call with arguments that a reviewer put in place of those that were asked."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from signoff.canonical import canonical
from signoff.marking import simple_approval_request
from signoff.queue.amendment import EDIT, PARTIAL, Instead
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

__all__ = ["HONORS", "EditedCall", "EditedCallError", "require_runnable", "told"]

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
