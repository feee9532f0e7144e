"""Which records a file gets, and how JSON Lines are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from signoff.filtering import Query, Viewpoint
    from signoff.queue.history import HistoryFilter, HistoryRecord
    from signoff.queue.protocol import ReviewQueue

__all__ = ["ascii_json", "fitting_records", "write_json_lines"]


def ascii_json(value: object, indent: int | None = None) -> str:
    """Write a JSON value as ASCII without a raw control character, DEL included; on one line, unless indented."""
    return json.dumps(value, indent=indent, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f")


def fitting_records(
    queue: ReviewQueue, query: Query | None, view: Viewpoint, which: HistoryFilter
) -> Iterator[HistoryRecord]:
    """The records that fit all that is given, oldest first.

    Args:
        queue: Where they are.
        query: The filter, or None.
        view: When, where and by whom it is asked.
        which: What else they must be.
    """
    if query is None:
        yield from queue.export(which)
        return
    from signoff.filtering import narrowed, of_record  # not needed, and not loaded, without a filter

    narrow = narrowed(query, view, which)
    if narrow is not None:
        test = query.test(view)
        yield from (record for record in queue.export(narrow) if test(of_record(record)))


def write_json_lines(records: Iterable[dict[str, Any]], file: TextIO) -> int:
    """Write one object a line, and return how many."""
    count = 0
    for facts in records:
        file.write(f"{ascii_json(facts)}\n")
        count += 1
    return count
