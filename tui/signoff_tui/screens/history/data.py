"""The reads of the history screen from the queue, and its export to files. None of them blocks the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.filter import (
    Found,
    Query,
    Viewpoint,
    existing_values,
    narrowed,
    of_record,
    search_history,
)
from signoff.history_export import fitting_records, new_file, record_facts, write_json_lines
from signoff.queue import HistoryFilter, HistoryRecord, QueueError, ReviewerKeysError, ReviewQueue, StoredRequest
from signoff.queue.records import Grant
from signoff.text.time import local_time
from signoff_tui.context import Office
from signoff_tui.screens.history.details import Agents
from signoff_tui.screens.history.listing import ActKey, act_of, acts_in
from signoff_tui.screens.history.outcomes import letter
from signoff_tui.state.documents import Content
from signoff_tui.state.edits import changed_documents

__all__ = [
    "Decided",
    "HistoryFacts",
    "NotWrittenError",
    "check_chain",
    "count_lines",
    "export",
    "find_page",
    "look_for_newer",
    "look_for_values",
    "offered_path",
    "read_decided",
    "read_facts",
    "sizes_of_acts",
    "viewpoint",
]

PAGE = 500
"""Records that are listed at once; older ones follow when the end is reached."""
STEP = 5_000
"""Records that are looked at in one go: between them, another filter may take over."""
MOST = 50_000
"""Records that are looked at for one page; whoever goes to the end again looks further."""
_NEWS = 50


# -- Pages of what a filter keeps, and what is new. All of it runs in a thread.


class HistoryFacts(Struct, frozen=True):
    """The facts on the screen besides the records.

    Attributes:
        head: Seq of the newest record, whatever the filter; 0 if there is none.
        oldest: Seq of the oldest one.
        grants: The remembered approvals with their numbers, by their id.
        agents: When agents exited.
        missing: The part of the history that a reviewer had seen and that is not there any more, in words.
    """

    head: int = 0
    oldest: int = 1
    grants: Mapping[str, tuple[int, Grant]] = field(default_factory=dict)
    agents: Agents = field(default_factory=dict)
    missing: str = ""

    @property
    def total(self) -> int:
        """The number of records: there are no gaps."""
        return max(self.head - self.oldest + 1, 0)


class Newer(Struct, frozen=True):
    """The new records, with the facts as they are now.

    Attributes:
        records: Those that the filter keeps, newest first.
        facts: The facts besides the records.
    """

    records: tuple[HistoryRecord, ...]
    facts: HistoryFacts


def read_facts(queue: ReviewQueue, before: HistoryFacts | None = None) -> HistoryFacts:
    """Read the facts on the screen besides the records.

    Args:
        queue: An open connection.
        before: The facts read before: the oldest record is not looked for again.

    Raises:
        QueueError: The queue cannot be read.
    """
    newest = queue.history(limit=1)
    if before is not None and before.head:
        oldest = before.oldest
    else:
        oldest = next((record.seq for record in queue.export()), 1)
    grants = {grant.id: (number, grant) for number, grant in enumerate(queue.grants(include_revoked=True), 1)}
    agents = {(each.name, each.session): each.ended_at for each in queue.agents()}
    head = newest[0].seq if newest else 0
    return HistoryFacts(head, oldest, grants, agents, _missing(queue))


def _missing(queue: ReviewQueue) -> str:
    try:
        return queue.recall_history()
    except ReviewerKeysError:  # the first row says so
        return ""


def look_for_older(queue: ReviewQueue, query: Query, view: Viewpoint, before: int | None, wanted: int) -> Found:
    """Look at some records, and return those that the filter keeps.

    Raises:
        QueueError: The queue cannot be read.
    """
    found = search_history(queue, query, view, before=before, limit=wanted, most=STEP)
    if len(found.records) == wanted and found.stopped_at is not None:
        return replace(found, more=True, stopped_at=None)
    return found


def look_for_newer(queue: ReviewQueue, query: Query, view: Viewpoint, known: HistoryFacts) -> Newer:
    """Look for records that came since.

    Raises:
        QueueError: The queue cannot be read.
    """
    facts = read_facts(queue, known)
    narrow = narrowed(query, view, HistoryFilter())
    if narrow is None or facts.head <= known.head:
        return Newer((), facts)
    test = query.test(view)
    found: list[HistoryRecord] = []
    before: int | None = facts.head + 1  # what comes after this look is found by the next one
    while page := queue.history(narrow, before=before, limit=_NEWS):
        found += [record for record in page if record.seq > known.head and test(of_record(record))]
        before = page[-1].seq
        if before <= known.head:
            break
    return Newer(tuple(found), facts)


def look_for_values(queue: ReviewQueue) -> Mapping[str, Sequence[str]]:
    """Return the values that the newest records have, by the name of their field.

    Raises:
        QueueError: The queue cannot be read.
    """
    return existing_values(map(of_record, queue.history(limit=PAGE)))


def sizes_of_acts(queue: ReviewQueue, records: Sequence[HistoryRecord]) -> Mapping[ActKey, int]:
    """Return the number of records of each act of which some are listed.

    Args:
        queue: An open connection.
        records: The listed records, newest first.

    Raises:
        QueueError: The queue cannot be read.
    """
    sizes: dict[ActKey, int] = {}
    above: int | None = None
    runs = list(acts_in(records))
    for (act, members), (_, following) in pairwise([*runs, (None, ())]):
        newest, oldest = members[0].seq, members[-1].seq
        # Between two neighbors of other acts, nothing of this one can be missing.
        whole = newest - oldest + 1 == len(members) and above == newest + 1
        whole &= bool(following) and following[0].seq == oldest - 1
        above = oldest
        if act is not None:
            sizes[act] = len(members) if whole else _size(queue, act)
    return sizes


def _size(queue: ReviewQueue, act: ActKey) -> int:
    which = HistoryFilter(since=act.at, until=act.at)
    number, before = 0, None
    while page := queue.history(which, before=before, limit=PAGE):
        number += sum(act_of(record) == act for record in page)
        before = page[-1].seq
        if len(page) < PAGE:
            break
    return number


# -- What runs beside the screen.


def viewpoint(office: Office) -> Viewpoint:
    """Return the time now and the reviewer, which words of a filter refer to."""
    return Viewpoint(office.now(), office.reviewer)


async def find_page(office: Office, query: Query, before: int | None) -> Found:
    """Return a page of what a filter keeps, looked for in short goes.

    Raises:
        QueueError: The queue cannot be read.
    """
    records: list[HistoryRecord] = []
    view = viewpoint(office)
    for _ in range(MOST // STEP):
        wanted = PAGE - len(records)
        look = partial(look_for_older, query=query, view=view, before=before, wanted=wanted)
        found = await office.ask(look)
        records += found.records
        if found.stopped_at is None:
            return Found(tuple(records), more=found.more)
        before = found.stopped_at
    return Found(tuple(records), stopped_at=before)


class Decided(NamedTuple):
    """The request that was decided on; without content, the reason why there is none."""

    request: StoredRequest | None
    content: Content | None
    failure: str = ""


async def read_decided(office: Office, record: HistoryRecord, request_id: str) -> AsyncIterator[Decided]:
    """Yield the request that was decided on; once more if something in it was still to be worked out."""
    try:
        request = await office.request(request_id, record.revision)
    except QueueError as error:
        yield Decided(None, None, f"the content is not stored any more: {error}")
        return
    asked, failure = await office.content(request)
    if asked is None:
        yield Decided(request, None, f"cannot be shown: {failure}")
        return
    yield Decided(request, await _with_change(office, record, request, asked))
    if asked.unparsed is not None:
        yield Decided(request, await _with_change(office, record, request, await office.scanned(asked)))


async def _with_change(office: Office, record: HistoryRecord, request: StoredRequest, asked: Content) -> Content:
    """Return the content that was asked for, below the reviewer's change of it."""
    instead = None if record.decision is None else record.decision.instead
    if instead is None:
        return asked

    def change(queue: ReviewQueue) -> Content:
        return replace(asked, documents=changed_documents(request, asked.documents, instead, queue.blob))

    return await office.ask(change)


async def count_lines(office: Office, record: HistoryRecord) -> str:
    """Return how many lines a call adds and removes, in words; empty where that cannot be told."""
    try:
        request = await office.request(record.request_id or "", record.revision)
    except QueueError:
        return ""
    content, _ = await office.content(request)
    return "" if content is None else content.lines_changed(new=letter(record) == "A")


async def check_chain(office: Office) -> str:
    """Return what a check of the whole chain found, in words."""
    try:
        check = await office.ask(lambda queue: queue.check_history())
    except QueueError as error:
        return f"cannot be checked: {error}"
    if check.fault is not None:
        return f"BROKEN: {check.message}"
    records = "record" if check.checked == 1 else "records"
    return f"whole: {check.checked} {records} checked, up to #{check.head.seq}"


# -- Writing into a file.


class NotWrittenError(Exception):
    """No file was written; the message says why."""


async def export(office: Office, query: Query, typed: str) -> tuple[int, Path]:
    """Write what a filter keeps into a new file, secrets hidden; nobody else can read it.

    Args:
        office: Has the queue.
        query: The filter.
        typed: The file, as it was typed.

    Returns:
        How many records were written, and where.

    Raises:
        NotWrittenError: The file is there already, or cannot be written.
    """
    view = viewpoint(office)

    def write(queue: ReviewQueue) -> tuple[int, Path]:
        path = Path(typed).expanduser().absolute()
        with new_file(path) as file:
            records = fitting_records(queue, query, view, HistoryFilter())
            return write_json_lines((record_facts(record) for record in records), file), path

    try:
        return await office.ask(write)
    except FileExistsError:
        raise NotWrittenError("not written: there is such a file already") from None
    except (QueueError, OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotWrittenError(f"not written: {why}") from error


_TRIES = 100


def offered_path(now: int, variables: Mapping[str, str]) -> Path:
    """Return a file that is not there yet in the person's home: the working directory is often that of agents.

    Args:
        now: Wall clock, microseconds since the epoch.
        variables: The environment.
    """
    stamp = local_time(now).translate({ord("-"): None, ord(":"): None, ord(" "): "-"})
    name = f"signoff-history-{stamp}"
    folder = Path(variables.get("HOME") or Path.cwd())
    free = (folder / f"{name}{'' if number == 1 else f'-{number}'}.jsonl" for number in range(1, _TRIES))
    return next((path for path in free if not path.exists()), folder / f"{name}.jsonl")
