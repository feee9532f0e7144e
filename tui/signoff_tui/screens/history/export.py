"""Writes what a filter keeps into a file of the person at the screen."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from signoff.exporting.facts import record_facts
from signoff.exporting.files import new_file
from signoff.exporting.records import fitting_records, write_json_lines
from signoff.filtering import Query, Viewpoint
from signoff.queue import HistoryFilter, ReviewQueue

__all__ = ["write_export"]

_TRIES = 100


def write_export(queue: ReviewQueue, query: Query, view: Viewpoint, folder: Path) -> tuple[int, Path]:
    """Write records as JSON Lines, oldest first, secrets hidden, into a new file that nobody else can read.

    Args:
        queue: An open connection.
        query: What is written.
        view: When, where and by whom it is asked.
        folder: Where the file goes.

    Returns:
        How many records, and the file.

    Raises:
        QueueError: The queue cannot be read.
        OSError: The file cannot be written.
    """
    moment = dt.datetime.fromtimestamp(view.now / 1e6, tz=dt.UTC).astimezone()
    name = f"signoff-history-{moment:%Y%m%d-%H%M%S}"
    for number in range(1, _TRIES):
        path = folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl")
        try:
            with new_file(path) as file:
                records = fitting_records(queue, query, view, HistoryFilter())
                return write_json_lines((record_facts(record) for record in records), file), path
        except FileExistsError:
            continue
    raise FileExistsError(f"{name}.jsonl and {_TRIES - 2} others like it are there already")
