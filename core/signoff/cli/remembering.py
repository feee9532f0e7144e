"""What an approval for the session would cover, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.canonical import canonical
from signoff.cli.output import one_line
from signoff.cli.subject import tool_of
from signoff.policy.grant_breadth import Breadth, Reach, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from signoff.queue.records import StoredRequest

__all__ = ["reach_of", "session_reach"]


def reach_of(request: StoredRequest) -> Reach:
    """Compare what an approval for the session would match on with the whole call."""
    return reach(request.submission.payload, request.submission.arguments)


def session_reach(request: StoredRequest) -> str:
    """Say what an approval for the session would cover: what is fixed, what stays free, and what ends it."""
    tool, session = tool_of(request.submission), one_line(request.asked_by.session)
    which = _which(reach_of(request))
    reach = f"every later call of {tool} in session {session}{which}, from whatever working directory it is asked"
    bound = "; it ends when the definition of the tool changes" if request.submission.definition else ""
    return f"{reach}{bound}"


def _which(found: Reach) -> str:
    if found.breadth is Breadth.EVERYTHING:
        return ", WHATEVER ITS ARGUMENTS ARE"
    fixed = one_line(canonical(dict(found.fixed)))
    if found.breadth is Breadth.EXACT:
        return f" with exactly {fixed}"
    if found.breadth is Breadth.WIDE:
        return f" that the tool files under {fixed}, WHATEVER ITS ARGUMENTS ARE: {_names(found.free)}"
    return f" with {fixed}, whatever the other arguments are: {_names(found.free)}"


def _names(names: Sequence[str]) -> str:
    """Names in quotes: none of them can pass for words of ours."""
    return ", ".join(one_line(canonical(name)) for name in names)
