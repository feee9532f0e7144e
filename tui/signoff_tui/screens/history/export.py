"""Writes what a filter keeps into a file of the person at the screen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from signoff.filter import Query, Viewpoint
from signoff.history_export import fitting_records, new_file, record_facts, write_json_lines
from signoff.queue import HistoryFilter, ReviewQueue
from signoff.text.time import local_time

__all__ = ["offered_path", "write_export"]

_TRIES = 100


def offered_path(now: int, variables: Mapping[str, str]) -> Path:
    """A file that is not there yet in the person's home: the working directory is often that of agents.

    Args:
        now: Wall clock, microseconds since the epoch.
        variables: The environment.
    """
    stamp = local_time(now).translate({ord("-"): None, ord(":"): None, ord(" "): "-"})
    name = f"signoff-history-{stamp}"
    folder = Path(variables.get("HOME") or Path.cwd())
    free = (folder / f"{name}{'' if number == 1 else f'-{number}'}.jsonl" for number in range(1, _TRIES))
    return next((path for path in free if not path.exists()), folder / f"{name}.jsonl")


def write_export(queue: ReviewQueue, query: Query, view: Viewpoint, path: Path) -> int:
    """Write records as JSON Lines, oldest first, secrets hidden, into a new file that nobody else can read.

    Args:
        queue: An open connection.
        query: What is written.
        view: When, where and by whom it is asked.
        path: The file. None that is there is replaced.

    Returns:
        How many records.

    Raises:
        QueueError: The queue cannot be read.
        FileExistsError: There is such a file already.
        OSError: The file cannot be written.
    """
    with new_file(path) as file:
        records = fitting_records(queue, query, view, HistoryFilter())
        return write_json_lines((record_facts(record) for record in records), file)
