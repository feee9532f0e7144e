"""The reviewer's desk: what waits, what was shown of it, what may be decided. No widgets.

The screen feeds it (changes of the queue, made documents, painted parts, keys) and draws what it says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from signoff.policy.breadth import Reach, reach
from signoff.queue.instead import Instead
from signoff.queue.records import ChangeSet, Decision, Risk, Verdict
from signoff_tui.changing import Change, choosable, toggled, units_of, with_marks
from signoff_tui.coverage import Coverage, Part
from signoff_tui.documents import Content, ContentKey, ContentStore, content_key, revealed_key
from signoff_tui.drift import Looked
from signoff_tui.editing import Editable, why_not_edited
from signoff_tui.guard import (
    Act,
    DecisionGuard,
    Eligibility,
    Facts,
    GuardSettings,
    Held,
    Permit,
    PermitError,
    Ref,
)
from signoff_tui.guard import Target as GuardTarget
from signoff_tui.inbox import Entry, Group, Inbox, RowKey
from signoff_tui.keymap import KeyMap
from signoff_tui.refs import ref_of
from signoff_tui.summary import RISK_WORD, ended_text
from signoff_tui.tagging import Tags

__all__ = ["Answer", "Desk", "RememberPreview"]

_ALL_REFUSED = "nothing is left to approve: reject it instead"

ASIDES = 10
"""Changes between waiting and later that can be undone: more than typing can make before it is recognized."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a held decision will say to the queue."""

    decision: Decision
    refs: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class RememberPreview:
    """What remembering a request would cover.

    Attributes:
        entry: The request.
        reach: What later calls would match.
        matching: How many other waiting requests of the session would match it.
    """

    entry: Entry
    reach: Reach
    matching: int


class Desk:
    """State of one reviewer's screen.

    Args:
        settings: Times of the guard.
        keys: Which keys navigate and which do anything.
        clock: Monotonic seconds, the clock of key events.
        reviewer: Name under which decisions are recorded.
    """

    def __init__(self, settings: GuardSettings, keys: KeyMap, clock: Callable[[], float], reviewer: str) -> None:
        self.inbox = Inbox()
        self.tags = Tags(self.inbox)
        self.contents = ContentStore()
        self.guard: DecisionGuard[Answer] = DecisionGuard(settings, keys.guard_keys(), self.facts, clock)
        self.settings = settings
        self.keys = keys
        self.reviewer = reviewer
        self._clock = clock
        self._coverage: dict[ContentKey, Coverage] = {}
        self._visible: dict[ContentKey, tuple[Part, ...]] = {}
        self._layout = 0
        self.came_back: list[Ref] = []
        """Requests that were approved and ask again, until the screen has said so."""
        self.revealed: ContentKey | None = None
        """The request whose secrets are shown; it ends when another one gets the focus."""
        self.drift: Looked | None = None
        """Why files are no longer as a request shows them, and which request that is."""
        self._changes: dict[str, Change] = {}
        self._edits: dict[str, str] = {}
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, Change | None] | None] = deque(maxlen=ASIDES)
        self._asides: deque[dict[str, bool]] = deque(maxlen=ASIDES)

    # -- facts -------------------------------------------------------------------------------------------

    def facts(self, request_id: str) -> Facts | None:
        """What the guard must know of a request at this moment; None when it is not there any more."""
        if request_id not in self.inbox:
            return None
        entry = self.inbox.entry(request_id)
        change = self.change(entry)
        return Facts(
            ref=self.ref(entry),
            risk=RISK_WORD[self.risk(entry)],  # type: ignore[arg-type]
            coverage=self.share(entry),
            closed=self._closed(entry),
            later=entry.later,
            hidden=self.inbox.is_hidden(request_id),
            nothing=_ALL_REFUSED if change is not None and change.instead is None else "",
        )

    def ref(self, entry: Entry) -> Ref:
        """Exactly what a decision about the entry would name, with what the reviewer made of it."""
        change = self.change(entry)
        return ref_of(entry) if change is None else replace(ref_of(entry), instead=change.digest)

    def take_content(self, content: Content) -> None:
        """Keep made documents; from now on it is counted what is shown of them."""
        self.contents.store(content)
        coverage = self._coverage.setdefault(content.key, Coverage(content.units, dwell=self.settings.dwell))
        coverage.whole = content.can_be_all_shown

    def content(self, entry: Entry) -> Content | None:
        """The made documents of what the request is now, and of what the reviewer made of it."""
        change = self.change(entry)
        if change is not None:
            return change.content
        content = self.contents.get(content_key(entry.request))
        return content if content is None or not entry.waiting else self._with_marks(entry, content)

    def coverage(self, entry: Entry) -> Coverage | None:
        """What was shown of a request, or of an edit of it; None while its documents were never made."""
        return self._coverage.get(self.key(entry))

    def revealed_content(self, entry: Entry) -> Content | None:
        """The made documents of a request with its secrets."""
        content, change = self.contents.get(revealed_key(entry.request)), self.change(entry)
        if change is not None and change.choice is None:
            return change.content  # what the reviewer wrote, and not what was asked
        return content if content is None or change is None else with_marks(entry.request, content, change.choice)

    def key(self, entry: Entry) -> ContentKey:
        """The key of what an approval would run: an edit has one of its own."""
        change = self.change(entry)
        return content_key(entry.request) if change is None else change.content.key

    # -- what the reviewer makes of it -------------------------------------------------------------------

    def change(self, entry: Entry) -> Change | None:
        """What would run in place of what was asked; None if that is what was asked."""
        change, decision = self._changes.get(entry.id), entry.request.decision
        if change is None or change.of != content_key(entry.request):
            return None
        return change if decision is None or decision.instead == change.instead else None

    def may_choose(self, entry: Entry) -> bool:
        """Whether single hunks of the request may be refused."""
        content, change = self.contents.get(content_key(entry.request)), self.change(entry)
        if not entry.waiting or content is None or (change is not None and change.choice is None):
            return False
        return choosable(entry.request, content) is not None

    def toggle_hunks(self, entry: Entry, numbers: Collection[int]) -> Change | None:
        """Refuse hunks of a request that may be chosen, or approve them again; returns what comes of it."""
        content = self.contents.get(content_key(entry.request))
        assert content is not None
        before = self.change(entry)
        self._ticks.append((content_key(entry.request), before))
        self._set_change(entry, toggled(entry.request, content, before, numbers))
        return self.change(entry)

    def risk(self, entry: Entry) -> Risk:
        """The risk of what an approval would run: an edit may raise it."""
        change = self.change(entry)
        risk = None if change is None else change.risk
        return risk or entry.request.submission.risk

    def why_not_edited(self, entry: Entry) -> str | None:
        """Why nothing of a request can be edited; None if something can."""
        content = self.asked_content(entry)
        if not entry.waiting or content is None:
            return "it does not wait, or was not opened yet"
        return why_not_edited(entry.request, content)

    def text_to_edit(self, entry: Entry, what: Editable) -> str:
        """What the editor begins with: the last edit, also one of an earlier revision, else what would run now."""
        change = self.change(entry)
        if change is not None and change.choice is not None and change.instead is not None and what.path:
            return (change.instead.content(what.path) or b"").decode()
        return self._edits.get(entry.id, what.text)

    def asked_content(self, entry: Entry) -> Content | None:
        """The made documents of what was asked, whatever was made of it."""
        return self.contents.get(content_key(entry.request))

    def asked_coverage(self, entry: Entry) -> Coverage | None:
        """What was shown of what was asked, whatever was made of it."""
        return self._coverage.get(content_key(entry.request))

    def take_edit(
        self, entry: Entry, text: str, change: Change | None, of: ContentKey, *, failed: bool = False
    ) -> bool:
        """Keep an edit; False if it is kept as a draft only, because the request is another one by now.

        Args:
            entry: The request.
            text: What it was edited to.
            change: What comes of it; None if that is what was asked, or nothing.
            of: The contents that were edited.
            failed: Whether nothing can come of it.
        """
        self._edits[entry.id] = text
        if failed or of != content_key(entry.request) or not entry.waiting:
            return False
        if change is None:
            del self._edits[entry.id]
        else:
            self._coverage.setdefault(
                change.content.key,
                Coverage(change.content.units, dwell=self.settings.dwell, whole=change.content.can_be_all_shown),
            )
        self._set_change(entry, change)
        return True

    def has_edit(self, entry: Entry) -> bool:
        """Whether an edit is kept that is not what would run."""
        return entry.id in self._edits and self.change(entry) is None

    def toggled_nothing(self) -> None:
        """Note that the key was pressed in vain: undoing it undoes nothing."""
        self._ticks.append(None)

    def undo_toggle(self) -> None:
        """Undo the last `toggle_hunks` or `toggled_nothing` that was not undone yet."""
        last = self._ticks.pop() if self._ticks else None
        if last is None:
            return
        key, before = last
        if key[0] not in self.inbox:
            return
        entry = self.inbox.entry(key[0])
        if content_key(entry.request) == key:  # hunks of an earlier revision are none of this one
            self._set_change(entry, before)

    def _with_marks(self, entry: Entry, content: Content) -> Content:
        """The documents with marks at what may be chosen: made once, so that they are not drawn anew."""
        made = self._marked.get(entry.id)
        if made is None or made[0] is not content:
            made = self._marked[entry.id] = content, with_marks(entry.request, content)
        return made[1]

    def _set_change(self, entry: Entry, change: Change | None) -> None:
        if change is None:
            self._changes.pop(entry.id, None)
        else:
            self._changes[entry.id] = change
        coverage = self._coverage.get(content_key(entry.request))
        if coverage is not None:
            coverage.waived = units_of(change)

    def is_revealed(self, entry: Entry) -> bool:
        """Whether the secrets of a request are to be shown."""
        return self.revealed == content_key(entry.request)

    def toggle_revealed(self, entry: Entry) -> None:
        """Show the secrets of a request, or marks again. Meanwhile nothing counts as shown."""
        self.covered()
        self.revealed = None if self.is_revealed(entry) else content_key(entry.request)

    def failure(self, entry: Entry) -> str | None:
        """Why the documents of a request cannot be made, if that is so."""
        return self.contents.failure(content_key(entry.request))

    def share(self, entry: Entry) -> float:
        """Share of the content that was shown. Never 1 when a part of it cannot be shown."""
        coverage = self.coverage(entry)
        return 0.0 if coverage is None else coverage.share

    def target(self) -> GuardTarget | None:
        """What the cursor is on, or is tagged if it is about that, for the guard; None on an empty list."""
        if self.tags.acting:
            return GuardTarget.tagged(self.tagged())
        group = self.inbox.focused_group()
        entry = self.inbox.focused_request()
        if entry is not None:
            facts = self.facts(entry.id)
            assert facts is not None
            if group is None:
                return GuardTarget.one(facts)
            return GuardTarget.one(facts, group=group.key.id, members=self.eligibility(group))
        return None if group is None else GuardTarget.heading(group.key.id, self.eligibility(group))

    def eligibility(self, group: Group) -> Eligibility:
        """Which members an approval of the group would cover, and why the others not."""
        facts = [self.facts(member) for member in group.members]
        return self.guard.eligible(item for item in facts if item is not None)

    def tagged(self) -> Eligibility:
        """Which of the tagged an approval of them would cover, and why the others not."""
        facts = [self.facts(ref.id) for ref in self.tags.refs]
        return self.guard.eligible(item for item in facts if item is not None)

    def remember_preview(self, request_id: str) -> RememberPreview:
        """What remembering an approval of a request would cover."""
        entry = self.inbox.entry(request_id)
        submission = entry.request.submission
        matching = len(self.waiting_for_the_same(request_id))
        return RememberPreview(entry, reach(submission.payload, submission.arguments), matching)

    def waiting_for_the_same(self, request_id: str) -> tuple[Entry, ...]:
        """What else waits that remembering an approval of a request would cover, were it asked later."""
        entry = self.inbox.entry(request_id)
        submission = entry.request.submission
        return tuple(
            other
            for other in self.inbox.entries()
            if other.request.pending
            and other.id != entry.id
            and other.request.asked_by.session == entry.request.asked_by.session
            and other.request.submission.tool_name == submission.tool_name
            and other.request.submission.payload_key == submission.payload_key
            and other.request.submission.definition == submission.definition
        )

    def waiting_of_agent(self) -> tuple[Ref, ...]:
        """All that the agent under the cursor waits for, in the order in which it arrived."""
        group, entry = self.inbox.focused_group(), self.inbox.focused_request()
        if entry is None and group is not None:
            entry = self.inbox.members(group.key)[0]
        if entry is None:
            return ()
        agent = entry.request.asked_by.agent_id
        return tuple(
            self.ref(other)
            for other in self.inbox.entries()
            if other.waiting and other.request.asked_by.agent_id == agent
        )

    def following_in_batch(self, refs: Sequence[Ref]) -> tuple[Ref, ...]:
        """What waits and follows any of these in its batch: a hard rejection reaches that far."""
        stopped = [self.inbox.entry(ref.id) for ref in refs if ref.id in self.inbox]
        ids = {entry.id for entry in stopped}
        return tuple(
            ref_of(other)
            for other in self.inbox.entries()
            if other.request.pending and other.id not in ids and any(_follows(other, entry) for entry in stopped)
        )

    def following_held(self) -> tuple[Ref, ...]:
        """What the stops that are held would reject besides what they are about."""
        held = {ref.id for item in self.guard.holds for ref in item.refs}
        stops = [ref for item in self.guard.holds if item.payload.decision.hard for ref in item.refs]
        return tuple(ref for ref in self.following_in_batch(stops) if ref.id not in held)

    # -- what the queue says -----------------------------------------------------------------------------

    def apply(self, changes: ChangeSet) -> tuple[Held[Answer], ...]:
        """Take over changes; returns the held decisions that were about contents that are no more.

        Contents that changed have another key, so their coverage starts at zero. A decision about several
        requests goes on: the queue refuses the ones that changed.
        """
        known = [change.request.id for change in changes.changes if change.request.id in self.inbox]
        before = {request_id: self.inbox.entry(request_id).request.revision for request_id in known}
        replaced = set(self.inbox.apply(changes))
        for request_id in replaced:
            entry = self.inbox.entry(request_id)
            if entry.answered:
                self.came_back.append(ref_of(entry))
            revisions = f"rev {before[request_id]} -> {entry.request.revision}"
            entry.note = f"CHANGED: {revisions}. Read again, share shown is back to 0%"
            if request_id in self._edits:
                entry.note += f"; your edit is kept: {self.keys.shown('edit_call')} opens it again"
        focused = self.inbox.focused_request()
        if focused is not None and focused.id in replaced:
            self.guard.changed()

        def is_void(permit: Permit) -> bool:
            # What is released goes with the first one, and waits if that is not approved.
            deciding = permit.refs[:1] if permit.act is Act.RELEASE else permit.refs
            return all(ref.id in replaced for ref in deciding)

        return self.guard.holds.take_back_where(is_void)

    # -- what was painted --------------------------------------------------------------------------------

    def painted(self, key: ContentKey, parts: Sequence[Part], width: int) -> bool:
        """Parts of a request's content, and of no other, are on the screen now; returns whether that is news."""
        return self.painted_together({key: parts}, width)

    def painted_together(self, shown: Mapping[ContentKey, Sequence[Part]], width: int) -> bool:
        """Parts of several contents are on the screen now, and nothing else; returns whether that is news.

        Whatever moved, moved all of it: nothing on the screen stood still, whosever it is.
        """
        visible = {key: tuple(parts) for key, parts in shown.items() if key in self._coverage}
        if (visible, width) == (self._visible, self._layout):
            self.settle()
            return False
        self.covered()
        self._visible, self._layout = visible, width
        for key, parts in visible.items():
            self._coverage[key].painted(parts, width, self._clock())
        return True

    def covered(self) -> None:
        """No content is on the screen any more."""
        for coverage in self._on_screen():
            coverage.hidden(self._clock())
        self._visible = {}

    def settle(self) -> bool:
        """Count what has been on screen long enough; returns whether a share changed."""
        changed = [coverage.settle(self._clock()) for coverage in self._on_screen()]
        return any(changed)

    @property
    def settles_at(self) -> float | None:
        """When `settle` should be called next, or None when nothing is to be counted."""
        moments = [coverage.settles_at for coverage in self._on_screen()]
        return min((moment for moment in moments if moment is not None), default=None)

    def _on_screen(self) -> Sequence[Coverage]:
        return [self._coverage[key] for key in self._visible if key in self._coverage]

    # -- finding what to read ----------------------------------------------------------------------------

    def next_unseen(self) -> RowKey | None:
        """The next waiting request that was not fully shown: in the group first, then down the list."""
        group = self.inbox.focused_group()
        keys = [row.key for row in self.inbox.rows()]
        at = self.inbox.row_index(self.inbox.cursor)
        start = 0 if at is None else at + 1
        if group is not None:
            members = list(self._requests_of(group.key))
            focus = self.inbox.cursor
            cut = members.index(focus) + 1 if focus in members else 0
            for key in members[cut:] + members[:cut]:
                if self._unseen(key):
                    return key
        for key in keys[start:] + keys[:start]:
            for candidate in self._requests_of(key):
                if self._unseen(candidate):
                    return candidate
        return None

    # -- keeping order -----------------------------------------------------------------------------------

    def put_aside(self) -> bool | None:
        """Put the request under the cursor aside, or what waits of the group, or take it back.

        Returns:
            Whether it is aside now; None if there is nothing to put aside.
        """
        group, entry = self.inbox.focused_group(), self.inbox.focused_request()
        if entry is not None:
            members: Sequence[Entry] = (entry,)
        else:
            members = () if group is None else self.inbox.listed(group.key)
        waiting = [member for member in members if member.waiting]
        if not waiting:
            self._asides.append({})  # to undo this key undoes nothing
            return None
        aside = not all(member.later for member in waiting)
        self._asides.append({member.id: member.later for member in waiting})
        self.inbox.set_later([member.id for member in waiting], later=aside)
        return aside

    def undo_aside(self) -> None:
        """Undo the last `put_aside` that was not undone yet."""
        if self._asides:
            for request_id, later in self._asides.pop().items():
                if request_id in self.inbox:
                    self.inbox.set_later([request_id], later=later)

    def tidy(self) -> int:
        """Remove what ended, with all that is known of it; returns how many rows left."""
        removed = self.inbox.tidy()
        self._coverage = {key: known for key, known in self._coverage.items() if key[0] in self.inbox}
        self._marked = {key: made for key, made in self._marked.items() if key in self.inbox}
        self._edits = {key: text for key, text in self._edits.items() if key in self.inbox}
        self._changes = {key: change for key, change in self._changes.items() if key in self.inbox}
        return removed

    # -- deciding ----------------------------------------------------------------------------------------

    def hold(self, permit: Permit, note: str | None = None) -> Held[Answer]:
        """Hold what the guard permitted, mark its requests and move the cursor on.

        Raises:
            PermitError: The guard does not know the permit, or not any more.
        """
        decision = Decision(
            approved=permit.act.approves,
            note=note or None,
            remember=permit.act.remembers,
            hard=permit.act in {Act.STOP, Act.STOP_ALL},
            by=self.reviewer,
            shown=permit.shown,
            deliberate=permit.act is Act.APPROVE_UNSEEN,
            instead=self._instead(permit),
        )
        held = self.guard.hold(permit, Answer(decision, permit.refs))
        self.inbox.set_held([ref.id for ref in permit.refs], held=True)
        self.tags.decided(permit.refs)
        reading = self.inbox.focused_request()
        # Who reads a request that was left out goes on reading it.
        if reading is None or not reading.waiting:
            self.inbox.advance()
        return held

    def take_back(self, held: Sequence[Held[Answer]]) -> tuple[Entry, ...]:
        """Mark the requests of decisions that were taken back as waiting again."""
        ids = [ref.id for item in held for ref in item.refs if ref.id in self.inbox]
        self.inbox.set_held(ids, held=False)
        return tuple(self.inbox.entry(request_id) for request_id in ids)

    def sending(self, held: Held[Answer]) -> None:
        """Mark the requests of a decision that leaves now."""
        ids = [ref.id for ref in held.refs]
        self.inbox.set_held(ids, held=False)
        self.inbox.set_sent(ids, sent=True)

    def answered(self, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
        """Take over what the queue said; returns the refusals."""
        refused = tuple(verdict for verdict in verdicts if not verdict.accepted)
        self.inbox.set_sent([verdict.request_id for verdict in refused], sent=False)
        return refused

    # -- parts -------------------------------------------------------------------------------------------

    def _instead(self, permit: Permit) -> Instead | None:
        """What a permitted decision lets run in place of what was asked: exactly what the permit names.

        Raises:
            PermitError: That is not at hand any more.
        """
        named = [ref for ref in permit.refs if ref.instead]
        if not named or not permit.act.approves:
            return None
        change = self.change(self.inbox.entry(named[0].id))
        if len(permit.refs) != 1 or change is None or change.instead is None or change.digest != named[0].instead:
            raise PermitError("what was changed is not what the key was pressed for")
        return change.instead

    def _closed(self, entry: Entry) -> str:
        if entry.sent:
            return "sent, the queue has not answered yet"
        return ended_text(entry.request, self.reviewer)

    def _unseen(self, key: RowKey) -> bool:
        entry = self.inbox.entry(key.id)
        if not entry.waiting or entry.later:
            return False
        coverage = self.coverage(entry)
        return coverage is None or coverage.missing > 0

    def _requests_of(self, key: RowKey) -> tuple[RowKey, ...]:
        if key.kind == "request":
            return (key,)
        return tuple(RowKey("request", entry.id) for entry in self.inbox.listed(key))


def _follows(entry: Entry, stopper: Entry) -> bool:
    """Whether a request comes after another in the same batch, by the rule of the queue."""
    one, other = entry.request, stopper.request
    batch = other.submission.batch_id
    if batch is None or batch != one.submission.batch_id or one.asked_by.session != other.asked_by.session:
        return False
    position, stopped_at = one.submission.batch_position, other.submission.batch_position
    if position is None or stopped_at is None:
        return one.seq > other.seq
    return position > stopped_at
