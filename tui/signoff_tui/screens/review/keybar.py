"""The action bar: the keys that make sense for what the cursor is on.

The words here name what a key will act on. They are the contract with the person, so every decision key is
followed by its object, or by the reason why it does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from signoff.policy.risk import HIDDEN_VALUE
from signoff.queue.records import Risk
from signoff_tui.guard import Eligibility, Omission
from signoff_tui.screens.review.extent import STEADY, STEADY_WIDE, View
from signoff_tui.screens.review.naming import as_many, names_of
from signoff_tui.screens.review.pointing import Pointed
from signoff_tui.screens.review.tagged_lines import tag_hints
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession, next_unseen
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow, flow_sections
from signoff_tui.text.lines import Line

__all__ = ["Reader", "action_lines", "to_show", "what_is_missing"]


WIDE = 60
"""Cells from which there is room for more than what a key does."""

_SLOTS = (45, 27, 22, 25, 20)
"""Cells for the keys about one request, so that the others stay where they are when a label changes."""

_OPENS = 17
"""Cells for the key that opens what is in focus beside its list, for the same reason."""

_BESIDE, _BESIDE_WIDE = 91, 115
"""Cells of the row that names what an approval covers, for what stands beside these names."""

_USUAL = 20
"""Cells of what stands before these names, which that room allows for; more is taken from the names."""

_THE = 60
"""Cells of a bar from which on it has room for an article."""

LEAST_NAMES = 24
"""Cells for the names of what a key covers, however narrow the bar."""


_OTHERS = ("agents", "memory", "rules")
"""Screens that lie over the inbox, besides the history."""


class Reader(Struct, frozen=True):
    """What the reader has on the screen, as far as keys are about it.

    Attributes:
        pointed: What is pointed at of the content on the screen; None where no hunks can be refused.
        unread: Whether the page of a group has lines that were not shown yet.
        told: Whether what stands above that page names whom an approval covers.
    """

    pointed: Pointed | None = None
    unread: bool = False
    told: bool = False


def action_lines(
    desk: ReviewSession, view: View, room: BarRoom, reader: Reader, *, two_panes: bool, armed: bool
) -> tuple[Line, ...]:
    """The keys that work, or would work, most important first."""
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    visible = two_panes or view == "request"
    page: list[KeyHint] = []
    own: list[KeyHint] = []
    of_group: list[KeyHint] = []
    if entry is not None:
        page = _page_hints(desk, entry, visible=visible)
        own = [*_choice_hints(desk, entry, reader), *_secret_hints(desk, entry)] if entry.waiting else []
    if group is not None:
        rest = _rest(view, on_heading=entry is None, two_panes=two_panes or reader.told)
        of_group = _group_hints(desk, group, view, room, rest, armed=armed)
        if entry is None and of_group:
            page = [_group_page_hint(desk, view, reader)]
    back = [] if view == "inbox" else [KeyHint("Esc", "back")]
    moving = [*tag_hints(desk), *_moving_hints(desk, view, entry, group, two_panes=two_panes)]
    listing = [] if view in {"request", "page"} else _list_hints(desk, armed=armed)
    more = _more_hints(desk, view)
    if (entry is not None or group is not None) and _steady(room):
        page = page or [KeyHint(desk.keys.shown("page_down"), "page", live=False)]
        deciding = _in_slots(_decision_hints(desk, entry, room, armed=armed), page)
        return _steadily(
            [deciding, of_group, own, [*back, *moving], listing, _going_hints(desk, view), more], room
        )
    deciding = _decision_hints(desk, entry, room, armed=armed) if entry is not None and entry.waiting else []
    hints = [*deciding[:1], *page, *deciding[1:], *own, *back, *of_group, *moving]
    *leading, last = _going_hints(desk, view, narrow=not _steady(room))
    # Tidying is worth its place where something ended.
    first = 2 if any(each.closed for each in desk.inbox.entries()) else 1
    return flow([*hints, *listing[:first], *leading, *listing[first:], *more, last], room)


def _steady(room: BarRoom) -> bool:
    """Whether there is room to keep each key where it is."""
    return room.rows >= 3 and room.width >= (STEADY_WIDE if room.rows == 3 else STEADY)


def _in_slots(deciding: Sequence[KeyHint], page: Sequence[KeyHint]) -> list[KeyHint]:
    """The keys about one request, each as wide as it may ever get: also those that do nothing now."""
    keys = [deciding[0], *page, *deciding[1:]]
    return [replace(hint, slot=cells) for hint, cells in zip(keys, _SLOTS, strict=True)]


def _steadily(kinds: Sequence[Sequence[KeyHint]], room: BarRoom) -> tuple[Line, ...]:
    """What decides one request, its group, is about its parts, moves about, lists, leads elsewhere, and more."""
    deciding, of_group, own, moving, listing, (*going, last), more = kinds
    if room.width >= STEADY_WIDE:
        rest = [*moving, *listing, *going, *more, last]
        return flow_sections([(deciding, 1), ([*of_group, *own], 1), (rest, room.rows - 2)], room.width)
    rest = [*listing, *going, last]
    return flow_sections(
        [([*deciding, *of_group], 2), ([*moving, *own, *more], 1), (rest, room.rows - 3)], room.width
    )


def _going_hints(desk: ReviewSession, view: View, *, narrow: bool = False) -> list[KeyHint]:
    """What leads elsewhere, in a narrow bar the other screens under one hint; help is the last."""
    hints = [KeyHint(desk.keys.shown("history"), "history")]
    if view == "inbox":
        others = [KeyHint(desk.keys.shown(screen), screen) for screen in _OTHERS]
        if narrow:
            others = [KeyHint(desk.keys.shown(*_OTHERS), ", ".join(_OTHERS))]
        leaves = KeyHint(desk.keys.shown("quit"), "quit")
        hints += [*others, leaves] if narrow else [leaves, *others]
    return [*hints, KeyHint(desk.keys.shown("help"), "help")]


def _more_hints(desk: ReviewSession, view: View) -> list[KeyHint]:
    """What is told where there is room for it, and else by the help: all of it works everywhere."""
    saved = [KeyHint(desk.keys.shown("saved"), "saved filters")] if view in {"inbox", "group"} else []
    return [
        *saved,
        KeyHint(desk.keys.shown("palette"), "all commands"),
        KeyHint(desk.keys.shown("themes"), "theme"),
    ]


def what_is_missing(desk: ReviewSession, entry: Entry) -> str:
    """What of a request was not on the screen, in words."""
    coverage = desk.coverage(entry)
    if coverage is None:
        failed = desk.failure(entry) is not None
        return "it cannot be shown" if failed else "it was not opened yet"
    if not coverage.missing:
        content = desk.content(entry)
        searched = content is None or content.scanned
        return "a part cannot be shown" if searched else "still looking for hidden characters"
    return f"{coverage.missing} of {coverage.needed} {'line' if coverage.needed == 1 else 'lines'} not shown yet"


def to_show(desk: ReviewSession, entry: Entry) -> bool:
    """Whether a request waits of which something can be shown that was not."""
    if not entry.waiting or desk.failure(entry) is not None:
        return False
    coverage = desk.coverage(entry)
    return coverage is None or coverage.missing > 0


def _decision_hints(desk: ReviewSession, entry: Entry | None, room: BarRoom, *, armed: bool) -> list[KeyHint]:
    """What decides one request, in the order of the places: approve, reject, remember, stop."""
    live = armed and entry is not None and entry.waiting
    over = "" if entry is None or entry.waiting else _why_not(entry)
    reject = f"reject: {over}" if over else "reject, say why" if room.width >= WIDE else "reject"
    return [
        _approve_hint(desk, entry, armed=armed),
        KeyHint(desk.keys.shown("reject"), reject, live=live),
        KeyHint(desk.keys.shown("remember"), f"session: {over}", live=False)
        if over
        else _remember_hint(desk, entry, live=live),
        _stop_hint(desk, entry, over, armed=armed),
    ]


def _stop_hint(desk: ReviewSession, entry: Entry | None, over: str, *, armed: bool) -> KeyHint:
    """On the heading of a group it is the capital that stops, and it asks once more."""
    if entry is None:
        return KeyHint(desk.keys.shown("stop_all"), "stop the agent", live=armed)
    words = f"stop: {over}" if over else "stop the agent"
    return KeyHint(desk.keys.shown("stop"), words, live=armed and entry.waiting)


def _why_not(entry: Entry) -> str:
    """Why a request cannot be decided, in as few words as go with each key."""
    if entry.closed:
        return "it ended"
    return "held" if entry.held else "sent"


def _taking_back(desk: ReviewSession, entry: Entry) -> str:
    """The key that takes back a held decision: of several, one key takes the last, another all."""
    last = list(desk.guard.holds)[-1:]
    reached = {ref.id for ref in desk.reached_by_stops()}
    if entry.id in reached or any(ref.id == entry.id for held in last for ref in held.refs):
        return f"held, [{desk.keys.shown('undo')}] takes it back"
    return f"held, [{desk.keys.shown('undo_all')}] takes all back"


def _approve_hint(desk: ReviewSession, entry: Entry | None, *, armed: bool) -> KeyHint:
    key = desk.keys.shown("approve")
    if entry is None:
        return KeyHint(key, "approve: capitals act on groups", live=False)
    if not entry.waiting:
        why = _taking_back(desk, entry) if entry.held else "it does not wait any more"
        return KeyHint(key, f"approve: {why}", live=False)
    coverage, change = desk.coverage(entry), desk.changes.of(entry)
    if change is not None and change.instead is None:
        return KeyHint(key, "approve: nothing left, reject instead", live=False)
    if coverage is None or not coverage.complete:
        # What can be shown wants to be read first; for what never can be, this key leads to the one that approves.
        never = not to_show(desk, entry)
        keys = f"; {key}, {desk.keys.shown('despite')}" if never else ""
        return KeyHint(key, f"approve: {what_is_missing(desk, entry)}{keys}", live=False)
    what = "approve" if change is None else f"approve {change.summary}"
    return KeyHint(key, what, live=armed, token="strong")


def _remember_hint(desk: ReviewSession, entry: Entry | None, *, live: bool) -> KeyHint:
    key = desk.keys.shown("remember")
    if entry is None:
        return KeyHint(key, "session", live=False)
    if desk.changes.of(entry) is not None:
        return KeyHint(key, "once only: changed by you", live=False)
    if entry.request.submission.risk is Risk.HIGH:
        return KeyHint(key, "never for HIGH", live=False)
    if not entry.request.submission.may_be_remembered:
        return KeyHint(key, "never for this call", live=False)
    coverage = desk.coverage(entry)
    return KeyHint(key, "session", live=live and coverage is not None and coverage.complete)


def _page_hints(desk: ReviewSession, entry: Entry, *, visible: bool) -> list[KeyHint]:
    """The key that shows what is to be read: it has one place, whatever there is to read."""
    coverage = desk.coverage(entry)
    if to_show(desk, entry):
        words = "show the rest" if coverage is not None and coverage.shown else "show it"
    elif next_unseen(desk) is not None:
        words = "page, next unseen" if visible else "read next unseen"
    elif visible:
        words = "page"
    else:
        return []
    return [KeyHint(desk.keys.shown("page_down"), words)]


def _choice_hints(desk: ReviewSession, entry: Entry, reader: Reader) -> list[KeyHint]:
    hints = []
    if reader.pointed is not None:
        live = bool(reader.pointed.numbers)
        hints.append(KeyHint(desk.keys.shown("toggle_hunk"), reader.pointed.words, live=live))
        if reader.pointed.of > 1 or not live:  # a single one is gone to while its heading is above the screen
            hints.append(KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"))
    if desk.changes.why_not_edited(entry) is None:
        change = desk.changes.of(entry)
        again = desk.changes.has_draft(entry) or (change is not None and change.choice is None)
        hints.append(KeyHint(desk.keys.shown("edit_call"), "edit again" if again else "edit"))
    return hints


def _secret_hints(desk: ReviewSession, entry: Entry) -> list[KeyHint]:
    if HIDDEN_VALUE not in entry.request.submission.risk_reasons:
        return []
    return [KeyHint(desk.keys.shown("reveal"), "hide secrets" if desk.is_revealed(entry) else "show secrets")]


def _rest(view: View, *, on_heading: bool, two_panes: bool) -> str:
    """Where the members are listed that the bar has no room for."""
    if view == "page":
        return ": [Esc] lists all"
    if two_panes or view == "group":
        return ""
    if on_heading:
        return ": [Enter] lists all"
    return ": [Esc] lists all" if view == "request" else ""


def _group_hints(
    desk: ReviewSession, group: Group, view: View, room: BarRoom, rest: str, *, armed: bool
) -> list[KeyHint]:
    members = desk.eligibility(group.members)
    if not members.waiting:
        return []
    hints = [
        _approve_group(desk, members, view, room, rest, armed=armed),
        KeyHint(desk.keys.shown("reject_group"), f"reject all {len(members.waiting)}", live=armed),
    ]
    if view != "page":
        hints.append(KeyHint(desk.keys.shown("group_page"), "all on one page"))
    return hints


def _group_page_hint(desk: ReviewSession, view: View, reader: Reader) -> KeyHint:
    """The key that shows what of a group is to be read, on its heading."""
    on_page = "page, next unseen" if reader.unread else "page"
    return KeyHint(desk.keys.shown("page_down"), on_page if view == "page" else "read next unseen")


def _approve_group(
    desk: ReviewSession, members: Eligibility, view: View, room: BarRoom, rest: str, *, armed: bool
) -> KeyHint:
    ready = members.ready
    if not ready:
        altered = any(item.reason is Omission.ALTERED for item in members.left_out)
        why = f"none ready (changed ones: {desk.keys.shown('approve')})" if altered else "none ready"
        return KeyHint(desk.keys.shown("approve_group"), f"approve group: {why}", live=False)
    might = len(ready) + sum(item.reason is not Omission.CLOSED for item in members.left_out)
    every = might == len(ready)
    # In a narrow bar, how many are not ready would take the place of other keys.
    of = f" of {might}" if _steady(room) else ""
    the = "the " if room.width >= _THE else ""
    words = f"approve all {might}" if every else f"approve {the}{len(ready)} ready{of}"
    # All of them stand on the page itself: nobody has to leave it to see which they are.
    rest = "" if every and view == "page" else rest
    cells = _names_room(room) - max(len(words) - _USUAL, 0)
    names = as_many(names_of(desk, ready), cells, rest=rest, none=rest.removeprefix(": "))
    told = f"{words}: {names}" if names else words
    return KeyHint(desk.keys.shown("approve_group"), told, live=armed, token="strong")


def _names_room(room: BarRoom) -> int:
    """Cells for the names of what an approval covers."""
    if _steady(room):
        return room.width - (_BESIDE_WIDE if room.width >= STEADY_WIDE else _BESIDE)
    return max(room.width // 2, LEAST_NAMES)


def _moving_hints(
    desk: ReviewSession, view: View, entry: Entry | None, group: Group | None, *, two_panes: bool
) -> list[KeyHint]:
    hints: list[KeyHint] = []
    if view == "page":
        hints += [
            KeyHint(desk.keys.shown("next_request", "previous_request"), "next/previous"),
            KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"),
            KeyHint("Enter", "open the one at the top"),
        ]
    elif entry is None and group is not None:
        closes = two_panes and group.open
        hints.append(KeyHint("Enter", "close" if closes else "open", slot=_OPENS if two_panes else 0))
    elif entry is not None and view == "request":
        content = desk.content(entry)
        several = content is not None and sum(len(document.hunks) for document in content.documents) > 1
        if several and not (
            entry.waiting and desk.changes.may_choose(entry)
        ):  # else it stands beside what refuses one
            hints.append(KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"))
        hints.append(KeyHint(desk.keys.shown("next_request", "previous_request"), "next/previous"))
    elif entry is not None:
        full = KeyHint(desk.keys.shown("full"), "full screen", slot=_OPENS)
        hints.append(full if two_panes else KeyHint("Enter", "open"))
    around = (entry,) if entry is not None else () if group is None else desk.inbox.listed(group.key)
    if any(member.waiting for member in around):
        aside = all(member.later for member in around if member.waiting)
        hints.append(KeyHint(desk.keys.shown("later"), "not later" if aside else "later"))
        hints.append(KeyHint(desk.keys.shown("tag"), "tag"))
    return hints


def _list_hints(desk: ReviewSession, *, armed: bool) -> list[KeyHint]:
    if not any(True for _ in desk.inbox.entries()):
        return []
    narrow, order = KeyHint(desk.keys.shown("filter"), "filter"), KeyHint(desk.keys.shown("order"), "sort, tidy")
    # With one agent in the list the key would change nothing, or list all again.
    if _several_agents(desk):
        return [narrow, order, KeyHint(desk.keys.shown("only_agent"), "only this agent")]
    if any(entry.waiting for entry in desk.inbox.hidden()):
        return [narrow, KeyHint(desk.keys.shown("stop_all"), "stop: reject all", live=armed), order]
    return [narrow, order]


def _several_agents(desk: ReviewSession) -> bool:
    """Whether the list holds requests of more than one agent."""
    names = (entry.request.asked_by.name for entry in desk.inbox.entries() if not desk.inbox.is_hidden(entry.id))
    first = next(names, None)
    return any(name != first for name in names)
