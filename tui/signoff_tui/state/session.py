"""The state of one reviewer's screen: requests, coverage, decisions. No widgets.

The screen feeds it (changes of the queue, made documents, painted parts, keys) and draws the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain

from msgspec.structs import replace

from signoff.effects import Risk
from signoff.queue.amendment import Instead
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.records import ChangeSet, StoredRequest
from signoff_tui.guard import (
    Act,
    DecisionGuard,
    Eligibility,
    Guard,
    GuardSettings,
    Held,
    Permit,
    PermitError,
    Ref,
    TargetFacts,
)
from signoff_tui.guard import Target as GuardTarget
from signoff_tui.input.keymap import KeyMap
from signoff_tui.state.amendments import OwnChanges, with_marks
from signoff_tui.state.coverage import Coverage, Coverages
from signoff_tui.state.decision_session import DecisionSession, HeldAnswer
from signoff_tui.state.documents import (
    Content,
    ContentKey,
    ContentStore,
    content_key,
    revealed_key,
)
from signoff_tui.state.drift import Looked
from signoff_tui.state.inbox import Entry, Inbox, PuttingAside, RowKey, ref_of
from signoff_tui.state.tagged import TAGGED, Tags
from signoff_tui.text.summary import RISK_WORD, already_ended_text

__all__ = [
    "ReviewSession",
    "first_unseen_of",
    "is_unseen",
    "next_unseen",
]


_ALL_REFUSED = "nothing is left to approve: reject it instead"
_COMPARED = "your edit is not shown yet"


class ReviewSession(DecisionSession):
    """State of one reviewer's screen.

    Args:
        settings: Times of the guard.
        keys: The keys that navigate, and all that are bound.
        clock: Monotonic seconds, the clock of key events.
        reviewer: Name under which decisions are recorded.
    """

    guard: DecisionGuard[HeldAnswer]

    def __init__(self, settings: GuardSettings, keys: KeyMap, clock: Callable[[], float], reviewer: str) -> None:
        super().__init__(DecisionGuard(settings, keys.guard_keys(), self.facts, clock), reviewer)
        self.tags = Tags(self.inbox)
        self.later = PuttingAside(self.inbox)
        self.contents = ContentStore()
        self.coverages = Coverages(settings.dwell, clock)
        self.changes = OwnChanges(self.inbox, self.contents, self.coverages)
        self.settings = settings
        self.keys = keys
        self._late: set[str] = set()
        self.came_back: list[Ref] = []
        """Approved requests that ask again, until the screen has announced them."""
        self.revealed: ContentKey | None = None
        """The content whose secrets are shown; it ends when another request gets the focus."""
        self.drift: Looked | None = None
        """The drift of the request in focus."""

    # -- facts -------------------------------------------------------------------------------------------

    def facts(self, request_id: str) -> TargetFacts | None:
        """Return the facts that the guard needs about a request now; None if it is gone."""
        if request_id not in self.inbox:
            return None
        entry = self.inbox.entry(request_id)
        coverage = self.coverage(entry)
        return TargetFacts(
            ref=self.ref(entry),
            risk=RISK_WORD[self.risk(entry)],  # type: ignore[arg-type]
            coverage=0.0 if coverage is None else coverage.share,
            shown_from=-math.inf if coverage is None else coverage.shown_from,
            closed=self._closed(entry),
            later=entry.later,
            hidden=not self.inbox.is_in_filter(request_id),
            nothing=self._nothing(entry),
            stoppable="hard" in entry.request.submission.supports,
        )

    def risk(self, entry: Entry) -> Risk:
        """Return the risk of what an approval would run; at least medium if its files changed on disk.

        Order, counts and notices go by the risk of the call as it was asked.
        """
        risk, drift = self.changes.risk(entry), self.drift
        changed = drift is not None and drift.key == content_key(entry.request) and drift.reasons
        return Risk.MEDIUM if changed and risk is Risk.LOW else risk

    def ref(self, entry: Entry) -> Ref:
        """Return the reference that a decision about the entry would name, with its amendment."""
        change = self.changes.of(entry)
        return ref_of(entry) if change is None else replace(ref_of(entry), instead=change.digest)

    def request(self, entry: Entry) -> StoredRequest:
        """Return a request about the call that an approval would run: an edited one is named as it was edited."""
        return self.changes.request(entry)

    def share(self, entry: Entry) -> float:
        """Return the share of the content that was shown. Never 1 if a part of it cannot be shown."""
        coverage = self.coverage(entry)
        return 0.0 if coverage is None else coverage.share

    def target(self) -> GuardTarget | None:
        """Return the target of decision keys for the guard; None on an empty list.

        Small letters are about the request under the cursor, capitals about what is tagged, else about its group.
        """
        group = self.inbox.focused_group()
        entry = self.inbox.focused_request()
        if self.tags:
            several, members = TAGGED, self.tagged()
        elif group is not None:
            several, members = group.key.id, self.eligibility(group.members)
        elif entry is None:
            return None
        else:
            return GuardTarget.one(self._facts_of(entry))
        if entry is None:
            return GuardTarget.heading(several, members)
        return GuardTarget.one(self._facts_of(entry), group=several, members=members)

    def _facts_of(self, entry: Entry) -> TargetFacts:
        facts = self.facts(entry.id)
        assert facts is not None
        return facts

    def tagged(self) -> Eligibility:
        """Return the tagged requests that an approval of them would cover, and why the others not."""
        return self.eligibility(ref.id for ref in self.tags.refs)

    # -- the contents of requests ------------------------------------------------------------------------

    def take_content(self, content: Content) -> None:
        """Keep made documents, and count their coverage from now on."""
        self.contents.store(content)
        self.coverages.count(content)

    def content(self, entry: Entry) -> Content | None:
        """Return the made documents of a request as it is now, with its amendment."""
        change = self.changes.of(entry)
        if change is not None:
            return change.content
        content = self.contents.get(content_key(entry.request))
        return content if content is None or not entry.waiting else self.changes.marked(entry, content)

    def coverage(self, entry: Entry) -> Coverage | None:
        """Return the coverage of a request, or of its edit; None if its documents were never made."""
        return self.coverages.of(self.key(entry))

    def asked_content(self, entry: Entry) -> Content | None:
        """Return the made documents of a request as it was asked."""
        return self.contents.get(content_key(entry.request))

    def revealed_content(self, entry: Entry) -> Content | None:
        """Return the made documents of a request with its secrets."""
        content, change = self.contents.get(revealed_key(entry.request)), self.changes.of(entry)
        if change is not None and change.choice is None:
            return change.content  # the text of the reviewer, not of the request
        return content if content is None or change is None else with_marks(entry.request, content, change.choice)

    def key(self, entry: Entry) -> ContentKey:
        """Return the key of the content that an approval would run: an edit has one of its own."""
        change = self.changes.of(entry)
        return content_key(entry.request) if change is None else change.content.key

    def is_revealed(self, entry: Entry) -> bool:
        """True if the secrets of a request are to be shown."""
        return self.revealed == content_key(entry.request)

    def toggle_revealed(self, entry: Entry) -> None:
        """Show the secrets of a request, or marks again. Meanwhile nothing counts as shown."""
        self.coverages.covered()
        self.revealed = None if self.is_revealed(entry) else content_key(entry.request)

    def failure(self, entry: Entry) -> str | None:
        """Return why the documents of a request cannot be made, or None."""
        return self.contents.failure(content_key(entry.request))

    # -- changes by the queue ----------------------------------------------------------------------------

    def apply(self, changes: ChangeSet) -> tuple[Held[HeldAnswer], ...]:
        """Take over changes; returns the held decisions about contents that are gone.

        Contents that changed have another key, so their coverage starts at zero. A decision about several
        requests goes on: the queue refuses the ones that changed.
        """
        if changes.fresh:  # a request that looks the same is of another queue: it was not shown yet
            self.guard.changed()
            self.contents.clear()
            self.coverages.covered()
            self.coverages.forget(lambda _: True)
            self.changes.forget(lambda _: True)
            self.came_back.clear()
            self._late.clear()
            self.take_changes(changes)
            return ()
        self._note_late(changes)
        replaced = set(self.take_changes(changes))
        for request_id in replaced:
            entry = self.inbox.entry(request_id)
            if entry.answered:
                self.came_back.append(ref_of(entry))
            entry.note = "changed: read again"
            if self.changes.keeps_edit(request_id):
                entry.note += f"; your edit is kept: {self.keys.shown('edit_call')} opens it again"
        focused = self.inbox.focused_request()
        if focused is not None and focused.id in replaced:
            self.guard.changed()

        def is_void(permit: Permit) -> bool:
            # Released requests go with the first one, and wait if it is not approved.
            deciding = permit.refs[:1] if permit.act is Act.RELEASE else permit.refs
            return all(ref.id in replaced for ref in deciding)

        return self.guard.holds.take_back_where(is_void)

    def _note_late(self, changes: ChangeSet) -> None:
        """Note what joins a group of which something was on the screen; not while the group fills as announced."""
        looked_at: dict[RowKey, bool] = {}
        for request in (change.request for change in changes.changes):
            group = None if request.id in self.inbox else self.inbox.group_of(request)
            if group is None:
                continue
            if group.key not in looked_at:
                filling = group.came < (group.announced or 0)
                looked_at[group.key] = not filling and any(map(self._was_shown, group.members))
            if looked_at[group.key]:
                self._late.add(request.id)

    def _was_shown(self, request_id: str) -> bool:
        coverage = self.coverage(self.inbox.entry(request_id))
        return coverage is not None and coverage.shown > 0

    def is_late(self, request_id: str) -> bool:
        """True if a request joined its group after somebody looked at that, and was not on the screen since."""
        return request_id in self._late and not self._was_shown(request_id)

    def fold(self) -> None:
        """Remove the rows of what ended, with all facts about them. The person moves, so that rows may."""
        if self.inbox.fold():
            self.coverages.forget(self._is_gone)
            self.changes.forget(self._is_gone)
            self._late = {id_ for id_ in self._late if id_ in self.inbox}

    # -- deciding ----------------------------------------------------------------------------------------

    def hold(
        self,
        permit: Permit,
        note: str | None = None,
        pattern: GrantPattern | None = None,
        guard: Guard[HeldAnswer] | None = None,
    ) -> Held[HeldAnswer]:
        """Hold the permitted decision, mark its requests and move the cursor on.

        Args:
            permit: The guard's leave.
            note: The reviewer's words to the agent.
            pattern: The calls that are remembered, if these are others than exactly the call.
            guard: The guard that gave it and shares the holds; that of the session if left out.

        Raises:
            PermitError: The guard does not know the permit (any more).
        """
        held = super().hold(permit, note, pattern, guard)
        self.tags.decided(permit.refs)
        reading = self.inbox.focused_request()
        # A reader of a request that was left out goes on reading it.
        if reading is None or not reading.waiting:
            self.inbox.advance()
        return held

    # -- parts -------------------------------------------------------------------------------------------

    def _instead(self, permit: Permit) -> Instead | None:
        """The amendment of a permitted decision, if the permit names one.

        Raises:
            PermitError: The amendment has changed since.
        """
        named = [ref for ref in permit.refs if ref.instead]
        if not named or not permit.act.approves:
            return None
        change = self.changes.of(self.inbox.entry(named[0].id))
        if len(permit.refs) != 1 or change is None or change.instead is None or change.digest != named[0].instead:
            raise PermitError("what was changed is not what the key was pressed for")
        return change.instead

    def _nothing(self, entry: Entry) -> str:
        """Return the reason why nothing of a waiting request is left to approve; empty if something is."""
        if self.changes.is_compared(entry):
            return _COMPARED
        change = self.changes.of(entry)
        return _ALL_REFUSED if change is not None and change.instead is None else ""

    def _is_gone(self, request_id: str) -> bool:
        return request_id not in self.inbox

    def _closed(self, entry: Entry) -> str:
        if entry.sent:
            return "sent, the queue has not answered yet"
        if self.is_reached(entry):
            return f"a held stop rejects it too: {self.keys.shown('undo')} takes that back"
        return already_ended_text(entry.request, self.reviewer)


# -- The next request to read.


def next_unseen(desk: ReviewSession) -> RowKey | None:
    """Return the next waiting request that was not fully shown: in the group first, then down the list."""
    inbox = desk.inbox
    group = inbox.focused_group()
    rows, at = inbox.rows(), inbox.row_index(inbox.cursor)
    start = 0 if at is None else at + 1
    if group is not None:
        members = list(_requests_of(inbox, group.key))
        focus = inbox.cursor
        cut = members.index(focus) + 1 if focus in members else 0
        for key in members[cut:] + members[:cut]:
            if is_unseen(desk, inbox.entry(key.id)):
                return key
    for index in chain(range(start, len(rows)), range(start)):  # there may be thousands: no list is made
        for candidate in _requests_of(inbox, rows[index].key):
            if is_unseen(desk, inbox.entry(candidate.id)):
                return candidate
    return None


def first_unseen_of(desk: ReviewSession, group: RowKey) -> Entry | None:
    """Return the first waiting member of a group that was not fully shown; None if there is none."""
    keys = _requests_of(desk.inbox, group)
    return next((entry for key in keys if is_unseen(desk, entry := desk.inbox.entry(key.id))), None)


def is_unseen(desk: ReviewSession, entry: Entry) -> bool:
    """True if a request waits, was not put aside, and a part of it that can be shown was not shown yet."""
    if not entry.waiting or entry.later:
        return False
    coverage = desk.coverage(entry)
    return coverage is None or coverage.missing > 0


def _requests_of(inbox: Inbox, key: RowKey) -> tuple[RowKey, ...]:
    if key.kind == "request":
        return (key,)
    return tuple(RowKey("request", entry.id) for entry in inbox.listed(key))
