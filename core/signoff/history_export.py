"""Export of the history for other programs, in the JSON shape that ``--json`` promises."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from signoff import private_files
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.snapshot.steps import CommandRun, SnapshotError
from signoff.present.subject import steps_of
from signoff.text.ascii_json import ascii_json
from signoff.text.time import iso

if TYPE_CHECKING:
    from signoff.filter import Query, Viewpoint
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.amendment import Instead
    from signoff.queue.history import HistoryFilter, HistoryRecord
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import Decision


__all__ = [
    "decision_facts",
    "fitting_records",
    "new_file",
    "record_facts",
    "write_json_lines",
]


def record_facts(record: HistoryRecord, hidden: Redactor = DEFAULT_REDACTION) -> dict[str, Any]:
    """Return a record of the history as a JSON object.

    Args:
        record: The record.
        hidden: The rules of what to hide. Its hash covers the hidden values too.
    """
    return {
        "seq": record.seq,
        "at": iso(record.at),
        "id": record.request_id,
        "revision": record.revision,
        "state": record.state,
        "reason": record.reason,
        "decision": decision_facts(record.decision, hidden.also(record.masked_keys)),
        "agent": record.agent_name,
        "session": record.session,
        "tool": record.tool_name,
        "server": record.server,
        "description": hidden.mask_text(record.description).text,
        "arguments": hidden.also(record.masked_keys).mask_value(record.arguments),
        "group": record.group_id,
        "batch": record.batch_id,
        "risk": record.risk,
        "sandbox": _sandbox_facts(record),
        "took_seconds": record.took_us / 1_000_000,
        "digest": record.digest,
        "hash": record.hash,
    }


def _sandbox_facts(record: HistoryRecord) -> dict[str, Any] | None:
    """Return the sandbox of the record's command as a JSON object; None if nobody said anything about one."""
    told = None
    with contextlib.suppress(SnapshotError):  # what is damaged is not told
        runs = (step for step in steps_of(record.snapshot) if isinstance(step, CommandRun))
        told = next((run.confinement for run in runs if run.confinement is not None), None)
    if told is None:
        return None
    enforced = told.backend not in ("none", "external")
    return {"backend": told.backend, "profile": told.profile, "words": told.words, "enforced": enforced}


def decision_facts(decision: Decision | None, hidden: Redactor = DEFAULT_REDACTION) -> dict[str, Any] | None:
    """Return a decision as a JSON object, or None.

    Args:
        decision: The decision.
        hidden: The rules of what to hide of amended arguments.
    """
    if decision is None:
        return None
    return {
        "approved": decision.approved,
        "source": decision.source,
        "by": decision.by,
        "note": decision.note,
        "mode": None if decision.approved else "hard" if decision.hard else "soft",
        "remember": "session" if decision.remember else "none",
        "shown": decision.shown,
        "deliberate": decision.deliberate,
        "instead": _instead_facts(decision.instead, hidden),
    }


def _instead_facts(instead: Instead | None, hidden: Redactor) -> dict[str, Any] | None:
    """Return an amendment as a JSON object; the contents by their hashes."""
    if instead is None:
        return None
    return {
        "summary": instead.summary,
        "refused": [hidden.mask_text(words).text for words in instead.refused],
        "contents": dict(instead.contents),
        "arguments": None if instead.arguments is None else hidden.mask_value(instead.arguments),
        "digest": instead.digest,
    }


# -- The records of a file, and their form as JSON Lines.


def fitting_records(
    queue: ReviewQueue, query: Query | None, view: Viewpoint, which: HistoryFilter
) -> Iterator[HistoryRecord]:
    """The records that pass all filters, oldest first.

    Args:
        queue: The queue.
        query: The filter, or None.
        view: The time, place and person of the question.
        which: A further filter.
    """
    if query is None:
        yield from queue.export(which)
        return
    from signoff.filter import narrowed, of_record  # not loaded without a filter

    narrow = narrowed(query, view, which)
    if narrow is not None:
        test = query.test(view)
        yield from (record for record in queue.export(narrow) if test(of_record(record)))


def write_json_lines(records: Iterable[dict[str, Any]], file: TextIO) -> int:
    """Write one object a line, and return their number."""
    count = 0
    for facts in records:
        file.write(f"{ascii_json(facts)}\n")
        count += 1
    return count


# -- Text files that only their owner may read, complete or absent.


@contextlib.contextmanager
def new_file(target: Path, *, force: bool = False) -> Iterator[TextIO]:
    """Write a file that only its owner may read, and leave no incomplete file behind.

    Args:
        target: The path.
        force: True to replace a file that is there; it stays until the new one is complete.

    Raises:
        FileExistsError: There is a file, and `force` is not set.
    """
    with private_files.new_file(target, replaces=force) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield text
        text.detach()  # flushes it
