"""The call that runs in place of the one that was asked, for whoever names or shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from signoff.canonical import canonical
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.queue.amendment import Instead, command_argument
from signoff.queue.history import HistoryRecord
from signoff.queue.records import Submission

__all__ = ["amended", "as_it_ran", "is_edited"]

Call = TypeVar("Call", Submission, HistoryRecord)


def is_edited(instead: Instead) -> bool:
    """True for an edit; False if only parts of the call were refused."""
    return not instead.refused


def as_it_ran(record: HistoryRecord) -> HistoryRecord:
    """Return a record about the call that was approved: the one that was asked, unless a reviewer edited it."""
    instead = None if record.decision is None else record.decision.instead
    return record if instead is None else amended(record, instead)


def amended(call: Call, instead: Instead) -> Call:
    """Return a call with the arguments that a reviewer made of it; other contents leave its name as it is.

    What its agent says of the call that was asked is not true of this one: it has no description but its command,
    else its tool and arguments.
    """
    if instead.arguments is None:
        return call
    arguments, name = instead.arguments, command_argument(call)
    words = _in_words(call.tool_name, DEFAULT_REDACTION.also(call.masked_keys).mask_value(dict(arguments)))
    changed = replace(call, arguments=arguments, description=words)
    if name is None or call.snapshot is None:
        return changed
    (step,) = call.snapshot["steps"]
    steps = [{**step, "command": arguments.get(name)}]
    return replace(changed, description="", snapshot={**call.snapshot, "steps": steps})


def _in_words(tool: str, arguments: Mapping[str, Any]) -> str:
    """``deploy to=staging``."""
    values = (
        f"{name}={value if isinstance(value, str) else canonical(value)}" for name, value in arguments.items()
    )
    return " ".join((tool, *values))
