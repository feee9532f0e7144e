"""The subject of a call in one text, without its secrets: what it declared, or its agent's description.

Of a call that a reviewer edited it is that of the call that ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from signoff.amended_call import as_it_ran
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.subject import subject_text
from signoff.queue.history import HistoryRecord

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.records import Submission

__all__ = ["announced_subjects", "declared_subject", "described", "subject_of"]


def subject_of(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str:
    """Return what a call declared, or what its agent says of it if that is all there is; not safe to draw yet.

    Args:
        call: The call.
        masks: Hides secrets in it.
    """
    return declared_subject(call, masks) or described(call, masks)


def declared_subject(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str | None:
    """Return the command or the path that a call declared, or None; not safe to draw yet."""
    call = _that_ran(call)
    text = subject_text(call.snapshot, call.cwd)
    return None if text is None else masks.mask_text(text, command=True).text


def described(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str:
    """Return what the agent says of a call; not safe to draw yet.

    Where it says nothing but the call itself, as `signoff.decorators.simple_approval_request` does, that is the
    name of the tool and the first line of each text among the arguments: a row has no room for more.
    """
    call = _that_ran(call)
    name, first = next(iter(call.arguments.items()), ("", None))
    if not isinstance(first, str) or not call.description.startswith(f"{call.tool_name}({name}={first!r}"):
        return masks.mask_text(call.description).text
    hidden = masks.also(call.masked_keys)
    texts = [hidden.mask_value(text, name) for name, text in call.arguments.items() if isinstance(text, str)]
    lines = [str(text).strip().partition("\n")[0] for text in texts]
    return f"{call.tool_name} {', '.join(filter(None, lines))}".rstrip()


def announced_subjects(call: Submission, masks: Redactor = DEFAULT_REDACTION) -> list[str]:
    """Return the calls that follow in the turn: tool, and first text of the arguments; not safe to draw yet."""
    return [_announced(each, masks.also(call.masked_keys)) for each in call.batch_remaining]


def _announced(call: Mapping[str, Any], masks: Redactor) -> str:
    arguments = masks.mask_value(call.get("arguments"))
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    about = next((value for value in values if isinstance(value, str)), "")
    return f"{call.get('tool', '?')} {about}".strip()


def _that_ran(call: Submission | HistoryRecord) -> Submission | HistoryRecord:
    return as_it_ran(call) if isinstance(call, HistoryRecord) else call
