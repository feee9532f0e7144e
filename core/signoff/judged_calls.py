"""Which calls a remembered approval may answer, found once for all equal calls."""

from __future__ import annotations

from signoff.asking import arguments_of, plain_submission
from signoff.canonical import canonical
from signoff.marking import simple_approval_request
from signoff.memory import PlainCall
from signoff.queue.records import Submission
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["JudgedCalls"]

_MOST_JUDGED = 1_000
"""Most calls that are kept in mind."""

_LONGEST_JUDGED = 4_000
"""Longest arguments that are kept in mind, in characters of their canonical form."""


class JudgedCalls:
    """What was found of calls that declare no effects: an equal call has an equal risk, and is judged once."""

    def __init__(self) -> None:
        self._rememberable: dict[tuple[str, ...], bool] = {}

    def may_be_remembered(
        self, request: ApprovalRequest, context: ApprovalContext | None, payload_key: str
    ) -> bool:
        """Whether a remembered approval may answer the call; see `Submission.may_be_remembered`.

        Args:
            request: What the tool asks; without effects.
            context: Where the call came from.
            payload_key: Canonical form of its payload.

        Raises:
            NotJsonError: The arguments are not JSON.
        """
        arguments = arguments_of(request, context)
        spelled = payload_key if arguments is request.payload else canonical(dict(arguments))
        call = (request.tool_name, request.description, "\0".join(request.masked_keys), spelled)
        known = self._rememberable.get(call)
        return self._judged_now(call, plain_submission(request, context)) if known is None else known

    def plain_may_be_remembered(self, call: PlainCall) -> bool:
        """`may_be_remembered` of a call that is asked about by its name and arguments alone.

        Its definition does not matter here.
        """
        key = call.tool_name, call.spelled
        known = self._rememberable.get(key)
        if known is not None:
            return known
        return self._judged_now(key, plain_submission(simple_approval_request(call.tool_name, call.payload), None))

    def _judged_now(self, call: tuple[str, ...], described: Submission) -> bool:
        found = described.may_be_remembered
        if len(self._rememberable) >= _MOST_JUDGED:
            self._rememberable.clear()
        if len(call[-1]) <= _LONGEST_JUDGED:
            self._rememberable[call] = found
        return found
