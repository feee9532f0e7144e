"""The list model: the requests, their order, those put aside, and the cursor.

Nothing here moves by itself. New requests are appended, ended ones stay in place as tombstones, and rows leave
only in `fold` and `sift`, when the person moves or filters. The cursor is bound to the identity of a row, never to
its position.
"""

from __future__ import annotations

import math
import re
from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from msgspec import Struct

from signoff.effects import Risk
from signoff.present.subject import subject_text
from signoff.queue.records import ChangeSet, StoredRequest
from signoff_tui.guard import Ref
from signoff_tui.state.tally import Tally

__all__ = [
    "Entry",
    "Group",
    "Inbox",
    "InboxRow",
    "Order",
    "Place",
    "PuttingAside",
    "RowKey",
    "following",
    "place_in",
    "ref_of",
]


class RowKey(Struct, frozen=True):
    """Identity of a row: a request by its id, or a group by session and group id."""

    kind: Literal["request", "group"]
    id: str


PlaceInGroup = tuple[float, tuple[tuple[int, str], ...], int]
"""The batch position, then the path with its numbers as numbers, then the arrival."""


@dataclass(slots=True)
class Entry:
    """A request with the state that this screen has of it."""

    request: StoredRequest
    group: RowKey | None
    held: bool = False
    """A decision of this screen is held back and not sent yet."""
    sent: bool = False
    """A decision of this screen was sent; the queue's answer is awaited."""
    approving: bool = False
    """What was sent last is an approval."""
    later: bool = False
    """Put aside by the person; the agent keeps waiting."""
    replaced: bool = False
    """Its contents are others than those that came first."""
    answered: bool = False
    """It was approved before, and asks again with other contents."""
    note: str = ""
    """An event in words of signoff, if the queue's state alone does not show it."""
    place: PlaceInGroup = (math.inf, (), 0)
    """Its place among the members of its group."""

    @property
    def id(self) -> str:
        """Id of the request."""
        return self.request.id

    @property
    def waiting(self) -> bool:
        """True if it can be decided now."""
        return self.request.pending and not self.held and not self.sent

    @property
    def closed(self) -> bool:
        """True if it ended: a tombstone."""
        return not self.request.pending


@dataclass(slots=True)
class Group:
    """Requests that belong together, as their sender declared."""

    key: RowKey
    label: str
    members: list[str] = field(default_factory=list)
    """Request ids by batch position, then path, whenever they came."""
    open: bool = True
    announced: int | None = None
    """The number of requests that the sender announced."""
    came: int = 0
    """The number of requests that ever joined it here."""

    @property
    def single(self) -> bool:
        """True if it never had, and does not expect, more than one member: it has no heading."""
        return self.came < 2 and (self.announced or 0) < 2


class InboxRow(Struct, frozen=True):
    """One row of the list."""

    key: RowKey
    depth: int
    """1 inside an open group, else 0."""


class Inbox:
    """Rows, groups and the cursor."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._groups: dict[RowKey, Group] = {}
        self._order: list[RowKey] = []
        self._rows: tuple[InboxRow, ...] | None = None
        self._index: dict[RowKey, int] = {}
        self._held: tuple[Entry, ...] = ()
        self.tally = Tally()
        """The counts of all requests here. Held ones still wait: nothing was sent."""
        self._keeps: Callable[[Entry], bool] | None = None
        self._sifted_out: set[str] = set()
        self._kept: RowKey | None = None
        self._arrived: set[RowKey] = set()
        self.order: Order = "arrival"
        """The order of the last sort; new rows are appended in any case."""
        self.cursor: RowKey | None = None
        self.queue_cursor = 0
        """The cursor of the queue's changes that were taken over."""

    # -- looking ---------------------------------------------------------------------------------------

    def __contains__(self, request_id: str) -> bool:
        return request_id in self._entries

    def entry(self, request_id: str) -> Entry:
        """The entry of a request.

        Raises:
            KeyError: The inbox does not know it.
        """
        return self._entries[request_id]

    def entries(self) -> Iterable[Entry]:
        """All entries, in arrival order."""
        return self._entries.values()

    def in_list_order(self) -> Iterable[Entry]:
        """All entries as the list shows them, members of a group together; also what the filter hides."""
        for key in self._order:
            yield from self.members(key) if key.kind == "group" else (self._entries[key.id],)

    def group(self, key: RowKey) -> Group:
        """The group behind a group's row.

        Raises:
            KeyError: There is no such group.
        """
        return self._groups[key]

    def group_of(self, request: StoredRequest) -> Group | None:
        """The group that a request belongs to, whether it is here or not; None if there is none of that name."""
        key = _group_key(request)
        return None if key is None else self._groups.get(key)

    def members(self, key: RowKey) -> tuple[Entry, ...]:
        """The members of a group, by batch position, then path."""
        return tuple(self._entries[member] for member in self._groups[key].members)

    def listed(self, key: RowKey) -> tuple[Entry, ...]:
        """Return the members of a group that the filter lists, by batch position, then path."""
        return tuple(entry for entry in self.members(key) if self.is_in_filter(entry.id))

    def is_in_filter(self, request_id: str) -> bool:
        """True if a request passes the filter, or stays for the cursor that was on it."""
        return request_id not in self._sifted_out or RowKey("request", request_id) == self._still_kept

    def is_hidden(self, request_id: str) -> bool:
        """True if the filter keeps a request out of the list."""
        high = self._entries[request_id].request.submission.risk is Risk.HIGH
        return not (high or self.is_in_filter(request_id))

    def hidden(self) -> tuple[Entry, ...]:
        """The requests that the filter keeps out of the list, in arrival order."""
        return tuple(entry for entry in self._not_passing() if self.is_hidden(entry.id))

    def out_of_filter(self) -> tuple[Entry, ...]:
        """The HIGH requests that do not pass the filter: they stand after what does, whatever it is."""
        return tuple(
            entry for entry in self._not_passing() if not (self.is_in_filter(entry.id) or self.is_hidden(entry.id))
        )

    def _not_passing(self) -> Iterable[Entry]:
        return (
            (entry for id_, entry in self._entries.items() if id_ in self._sifted_out) if self._sifted_out else ()
        )

    @property
    def anything_passes(self) -> bool:
        """True if the filter lists anything; without a filter, if there is anything to list."""
        return self.passing > 0

    @property
    def passing(self) -> int:
        """The number of requests that pass the filter."""
        return len(self._entries) - len(self._sifted_out)

    @property
    def focus_strays(self) -> bool:
        """True if the row under the cursor is listed only because the cursor is on it."""
        key = self._still_kept
        if key is None:
            return False
        return key.id in self._sifted_out if key.kind == "request" else not self.listed(key)

    def has_arrived(self, key: RowKey) -> bool:
        """True if a row was appended to a list in another order, since it was sorted."""
        return self.order != "arrival" and key in self._arrived

    def stands_for(self, key: RowKey) -> tuple[Entry, ...]:
        """Return the requests that a row stands for: itself, or the members of a closed group."""
        if key.kind == "request":
            return (self._entries[key.id],)
        return () if self._groups[key].open else self.listed(key)

    def rows(self) -> tuple[InboxRow, ...]:
        """All rows, top to bottom."""
        if self._kept is not None and self._kept != self.cursor:
            # The heading of a group may be listed only for the member that the cursor left.
            self._kept = self.cursor if self._is_sifted_out(self.cursor) else None
            self._lay_out_anew()
        if self._rows is None:
            self._rows = tuple(self._make_rows())
            self._index = {row.key: index for index, row in enumerate(self._rows)}
        return self._rows

    def row_index(self, key: RowKey | None) -> int | None:
        """Return the index of a row, or None if it is not shown."""
        self.rows()
        return None if key is None else self._index.get(key)

    def focused_request(self) -> Entry | None:
        """The entry under the cursor, if the cursor is on a request."""
        if self.cursor is None or self.cursor.kind != "request":
            return None
        return self._entries.get(self.cursor.id)

    def focused_group(self) -> Group | None:
        """The group under the cursor, or the one its request belongs to; None for one of a single request."""
        if self.cursor is None:
            return None
        if self.cursor.kind == "group":
            return self._groups.get(self.cursor)
        entry = self._entries.get(self.cursor.id)
        group = self._groups[entry.group] if entry is not None and entry.group is not None else None
        return None if group is None or group.single else group

    # -- changes by the queue ----------------------------------------------------------------------------

    def apply(self, changes: ChangeSet) -> tuple[str, ...]:
        """Take over a change set; returns the ids of requests with changed content.

        The cursor stays where it is; only in an empty list does it go to the first row. Requests that ended before
        they were ever listed, or after they were tidied away, do not appear.
        """
        replaced = []
        if changes.fresh:
            self._empty()
        for request in (change.request for change in changes.changes):
            known = self._entries.get(request.id)
            if known is None:
                if request.pending:
                    self._append(request)
                continue
            if _content(known.request) != _content(request):
                replaced.append(request.id)
                known.replaced = True
                approved = known.request.decision is not None and known.request.decision.approved
                known.answered = request.pending and (approved or (known.sent and known.approving))
                known.sent = known.later = False
            known.request = request
            self.tally.put(request)
            if not request.pending:
                known.sent = known.later = False
            if request.id in self._sifted_out and self._passes(known):
                self._sifted_out.discard(request.id)
        self.queue_cursor = changes.cursor
        if self._keeps is not None:
            self._lay_out_anew()
        if self.row_index(self.cursor) is None:
            self.cursor = self._first_waiting()
        return tuple(replaced)

    # -- changes by the person ---------------------------------------------------------------------------

    def move(self, steps: int) -> None:
        """Move the cursor by rows, stopping at the ends."""
        rows = self.rows()
        at = self.row_index(self.cursor)
        if not rows:
            self.cursor = None
        elif at is None:
            self.cursor = rows[0].key
        else:
            self.cursor = rows[max(0, min(len(rows) - 1, at + steps))].key

    def move_to(self, key: RowKey) -> None:
        """Put the cursor on a row, opening its group if need be; the filter does not hide it meanwhile."""
        if key.kind == "request":
            group = self._entries[key.id].group
            if group is not None and not self._groups[group].open:
                self.set_open(group, open_=True)
        if self._is_sifted_out(key):
            self._keep(key)
        if self.row_index(key) is not None:
            self.cursor = key

    def move_to_neighbor(self, steps: int) -> None:
        """Move to the next or previous waiting request, or closed group with one."""
        rows = self.rows()
        at = self.row_index(self.cursor)
        index = -1 if at is None else at
        while 0 <= (index := index + steps) < len(rows):
            if self._waits(rows[index].key):
                self.cursor = rows[index].key
                return

    def set_open(self, key: RowKey, *, open_: bool) -> None:
        """Open or close a group; closing moves the cursor from a member to the heading."""
        self._groups[key].open = open_
        self._lay_out_anew()
        if not open_ and self.row_index(self.cursor) is None:
            self._keep(key)

    def advance(self) -> None:
        """Move on after a decision: to the next waiting member of the group, the next row, or the oldest.

        Requests that were put aside are passed over. The cursor stays if nothing waits.
        """
        group = self.focused_group()
        at = self.row_index(self.cursor)
        start = -1 if at is None else at
        keys = [row.key for row in self.rows()]
        below, above = keys[start + 1 :], keys[: max(start, 0)]
        in_group = [key for key in below + above if group is not None and self._belongs(key, group)]
        for key in [*in_group, *below, *above]:
            if self._waits(key) and not self._put_aside(key):
                self.cursor = key
                return

    def set_held(self, request_ids: Iterable[str]) -> None:
        """Mark these requests as held, as far as they are still here, and all others as free again."""
        for entry in self._held:
            entry.held = False
        self._held = tuple(self._known(request_ids))
        for entry in self._held:
            entry.held = True

    def set_sent(self, request_ids: Iterable[str], *, sent: bool, approving: bool = False) -> None:
        """Mark requests as sent, as far as they are still here, or take that back."""
        for entry in self._known(request_ids):
            entry.sent, entry.approving = sent, approving

    def set_later(self, request_ids: Iterable[str], *, later: bool) -> None:
        """Put requests aside, or take them back."""
        for request_id in request_ids:
            self._entries[request_id].later = later

    def lower_put_aside(self) -> Sequence[RowKey]:
        """Put the rows of what was put aside below all others; returns the rows as they stood."""
        before = tuple(self._order)
        self._order.sort(key=self._put_aside)
        self._lay_out_anew()
        return before

    def put_back(self, rows: Sequence[RowKey]) -> None:
        """Let rows stand as they did before; what came since stands at the end."""
        places = {key: at for at, key in enumerate(rows)}
        self._order.sort(key=lambda key: places.get(key, len(places)))
        self._lay_out_anew()

    def sift(self, keeps: Callable[[Entry], bool] | None) -> None:
        """List only entries that pass. New or changed ones are tested as well; a listed row stays listed.

        The row under the cursor stays until the cursor leaves it.

        Args:
            keeps: Tells if an entry passes; None lists everything.
        """
        self._keeps = keeps
        self._sifted_out = {id_ for id_, entry in self._entries.items() if not self._passes(entry)}
        self._kept = None
        self._kept = self.cursor if self._is_sifted_out(self.cursor) else None
        self._lay_out_anew()
        if self.row_index(self.cursor) is None:
            self.cursor = self._first_waiting()

    def sort(self, order: Order) -> bool:
        """Sort the rows, those put aside at the end; True if any of them moved."""
        before, self.order = [*self._order], order
        self._arrived.clear()
        arrival = {id_: number for number, id_ in enumerate(self._entries)}
        places = {key: self._place(key, order, arrival) for key in self._order}
        self._order.sort(key=places.__getitem__)
        self._lay_out_anew()
        return self._order != before

    def fold(self) -> bool:
        """Remove the rows of what ended, but not the one under the cursor; True if any row went.

        A group of which nothing waits becomes one row first, and goes the next time. If all ended, no row stays.
        """
        if not self.tally.any_ended:
            return False
        gone: set[str] = set()
        folded = False
        focused = self.focused_group()
        for group in self._groups.values():
            members = [self._entries[id_] for id_ in group.members]
            if group.single or any(not entry.closed for entry in members):
                gone.update(entry.id for entry in members if entry.closed)
            elif group is focused:
                continue
            elif group.open:
                group.open, folded = False, True
            else:
                gone.update(group.members)
        gone.update(entry.id for entry in self._entries.values() if entry.closed and entry.group is None)
        if all(entry.closed for entry in self._entries.values()):
            gone.update(self._entries)
        elif self.cursor is not None and self.cursor.kind == "request":
            gone.discard(self.cursor.id)
        if gone:
            self._remove(gone)
        elif folded:
            self._lay_out_anew()
        return bool(gone) or folded

    def _remove(self, gone: set[str]) -> None:
        for request_id in gone:
            self.tally.drop(request_id)
        self._entries = {id_: entry for id_, entry in self._entries.items() if id_ not in gone}
        for group in self._groups.values():
            group.members = [member for member in group.members if member not in gone]
        self._groups = {key: group for key, group in self._groups.items() if group.members}
        self._order = [key for key in self._order if key.id in self._entries or key in self._groups]
        self._sifted_out &= self._entries.keys()
        self._arrived &= set(self._order)
        if not self._entries:
            self.cursor = None
        self._lay_out_anew()

    # -- parts -------------------------------------------------------------------------------------------

    def _empty(self) -> None:
        for request_id in self._entries:
            self.tally.drop(request_id)
        self._entries, self._groups, self._order, self._held = {}, {}, [], ()
        self._sifted_out, self._kept, self.cursor = set(), None, None
        self._arrived.clear()
        self._lay_out_anew()

    def _known(self, request_ids: Iterable[str]) -> Iterable[Entry]:
        return (self._entries[request_id] for request_id in request_ids if request_id in self._entries)

    def _lay_out_anew(self) -> None:
        self._rows = None

    def _make_rows(self) -> Iterable[InboxRow]:
        for key in self._order:
            if self._sifted_out and not self._is_in_filter(key):
                continue
            if key.kind == "group" and self._groups[key].single:
                yield from (InboxRow(RowKey("request", entry.id), 0) for entry in self.listed(key))
                continue
            yield InboxRow(key, 0)
            if key.kind == "group" and self._groups[key].open:
                yield from (InboxRow(RowKey("request", entry.id), 1) for entry in self.listed(key))
        if self._sifted_out:
            yield from (InboxRow(RowKey("request", entry.id), 0) for entry in self.out_of_filter())

    def _append(self, request: StoredRequest) -> None:
        key = _group_key(request)
        self._entries[request.id] = entry = Entry(request, key)
        row = key or RowKey("request", request.id)
        is_new = key is None or key not in self._groups
        if is_new:
            self._order.append(row)
            self._arrived.add(row)
        if key is not None:
            if is_new:
                self._groups[key] = Group(key, request.submission.group_id or "")
            group = self._groups[key]
            entry.place = _place_in_group(request)
            insort(group.members, request.id, key=lambda member: self._entries[member].place)
            group.came += 1
            group.announced = request.submission.group_size or group.announced
        self.tally.put(request)
        if not self._passes(entry):
            self._sifted_out.add(request.id)
        self._append_row(request.id, key, new=is_new)

    def _append_row(self, request_id: str, key: RowKey | None, *, new: bool) -> None:
        """Append the row of a new request if it belongs at the end: faster than laying out all rows anew."""
        group = None if key is None else self._groups[key]
        own, depth = RowKey("request", request_id), 0 if group is None or group.single else 1
        last = group is not None and key == self._order[-1] and group.members[-1] == request_id
        at_the_end = new or (group is not None and last and group.open and group.came > 2)
        if self._rows is None or self._keeps is not None or not at_the_end:
            self._lay_out_anew()
            return
        rows = [InboxRow(own, depth)]
        if key is not None and depth and new:
            rows.insert(0, InboxRow(key, 0))
        self._index.update({row.key: len(self._rows) + index for index, row in enumerate(rows)})
        self._rows = (*self._rows, *rows)

    def _keep(self, key: RowKey) -> None:
        """Put the cursor on a row and list it, whether the filter hides it or not."""
        self.cursor = key
        self._kept = key if self._sifted_out else None
        self._lay_out_anew()

    def _passes(self, entry: Entry) -> bool:
        return self._keeps is None or self._keeps(entry)

    @property
    def _still_kept(self) -> RowKey | None:
        """The row that the filter would hide if the cursor were not on it."""
        return self._kept if self._kept == self.cursor else None

    def _is_sifted_out(self, key: RowKey | None) -> bool:
        """True if a row is there, but not listed."""
        if key is None or not self._sifted_out:
            return False
        if key.kind == "request":
            return key.id in self._entries and self.is_hidden(key.id)
        return key in self._groups and not self._is_in_filter(key)

    def _is_in_filter(self, key: RowKey) -> bool:
        if key.kind == "request":
            return self.is_in_filter(key.id)
        return key == self._still_kept or bool(self.listed(key))

    def _place(self, key: RowKey, order: Order, arrival: dict[str, int]) -> Place:
        entries = (self._entries[key.id],) if key.kind == "request" else self.members(key)
        pending = [entry.request for entry in entries if entry.request.pending]
        requests = pending or [entry.request for entry in entries]
        return place_in(order, requests, arrival, aside=self._put_aside(key))

    def _waits(self, key: RowKey) -> bool:
        """True if a row is, or stands for, a waiting request."""
        return any(entry.waiting for entry in self.stands_for(key))

    def _belongs(self, key: RowKey, group: Group) -> bool:
        return key.kind == "request" and self._entries[key.id].group == group.key

    def _first_waiting(self) -> RowKey | None:
        rows: Sequence[InboxRow] = self.rows()
        for row in rows:
            if row.key.kind == "group" or self._entries[row.key.id].waiting:
                return row.key
        return rows[0].key if rows else None

    def _put_aside(self, key: RowKey) -> bool:
        if key.kind == "request":
            return self._entries[key.id].later
        pending = [entry for entry in self.members(key) if entry.request.pending]
        return bool(pending) and all(entry.later for entry in pending)


def _place_in_group(request: StoredRequest) -> PlaceInGroup:
    submission = request.submission
    position = math.inf if submission.batch_position is None else submission.batch_position
    path = subject_text(submission.snapshot, submission.cwd) or ""
    parts = tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path))
    return position, parts, request.seq


def _content(request: StoredRequest) -> tuple[int, str]:
    """The revision and digest that tell one content of a request from another."""
    return request.revision, request.submission.digest


def _group_key(request: StoredRequest) -> RowKey | None:
    """The key of a request's group. Group ids are the sender's, so the session belongs to the key."""
    group_id = request.submission.group_id
    if group_id is None:
        return None
    return RowKey("group", f"{request.asked_by.session}\x1f{group_id}")


# -- The orders of the rows of the inbox.

Order = Literal["arrival", "risk", "agent"]
"""The sort orders: oldest first, riskiest first, or by agent name. Ties go to the oldest."""

Place = tuple[bool, str | int, int]
"""The sort key of rows: put aside, rank in the order, arrival."""

_RANKS = {Risk.HIGH: 0, Risk.MEDIUM: 1, Risk.LOW: 2}


def following(order: Order) -> Order:
    """Return the order after this one; after the last, the first."""
    orders: Sequence[Order] = get_args(Order)
    return orders[(orders.index(order) + 1) % len(orders)]


def place_in(order: Order, requests: Sequence[StoredRequest], arrival: Mapping[str, int], *, aside: bool) -> Place:
    """Return the sort key of a row.

    Args:
        order: The order.
        requests: The waiting requests that the row stands for; at least one.
        arrival: The arrival position of requests by id.
        aside: True if it was put aside.
    """
    first = min(requests, key=lambda request: arrival[request.id])
    rank: str | int = 0
    if order == "risk":
        rank = min(_RANKS[request.submission.risk] for request in requests)
    elif order == "agent":
        rank = first.asked_by.name
    return aside, rank, arrival[first.id]


# -- Requests put aside for later, and taken back.

UNDONE = 10
"""The most changes between waiting and later that can be undone: more than typing makes unnoticed."""


class PuttingAside:
    """Puts waiting requests aside for later.

    Args:
        inbox: The requests.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._before: deque[tuple[dict[str, bool], Sequence[RowKey]]] = deque(maxlen=UNDONE)

    def toggle(self) -> bool | None:
        """Put the request under the cursor, or the waiting ones of the group, aside, or take it back.

        Returns:
            True if it is aside now; None if there is nothing to put aside.
        """
        group, entry = self._inbox.focused_group(), self._inbox.focused_request()
        if entry is not None:
            members: Sequence[Entry] = (entry,)
        else:
            members = () if group is None else self._inbox.listed(group.key)
        waiting = [member for member in members if member.waiting]
        if not waiting:
            self._before.append(({}, ()))  # undoing this key undoes nothing
            return None
        aside = not all(member.later for member in waiting)
        before = {member.id: member.later for member in waiting}
        self._inbox.set_later(before, later=aside)
        self._before.append((before, self._inbox.lower_put_aside()))
        return aside

    def undo(self) -> None:
        """Undo the last `toggle` that was not undone yet."""
        before, rows = self._before.pop() if self._before else ({}, ())
        for request_id, later in before.items():
            if request_id in self._inbox:
                self._inbox.set_later([request_id], later=later)
        if rows:
            self._inbox.put_back(rows)


# -- The reference of a row for a decision.


def ref_of(entry: Entry) -> Ref:
    """Return the reference that a decision about the entry would name."""
    return Ref(entry.id, entry.request.revision, entry.request.submission.digest)
