"""The action bar: the keys that make sense for what the cursor is on.

The words here name what a key will act on. They are the contract with the person, so every decision key is
followed by its object, or by the reason why it does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from signoff.policy.risk import HIDDEN_VALUE
from signoff.queue.records import Risk
from signoff_tui.desk import Desk
from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.guard import Eligibility, Omission
from signoff_tui.inbox import Entry, Group
from signoff_tui.lines import Line
from signoff_tui.screens.review.extent import View
from signoff_tui.screens.review.naming import as_many, names_of
from signoff_tui.screens.review.pointing import Pointed
from signoff_tui.screens.review.tagged_lines import tag_hints

__all__ = ["Reader", "action_lines", "to_show", "what_is_missing"]


WIDE = 60
"""Cells from which there is room for more than what a key does."""

LEAST_NAMES = 24
"""Cells for the names of what a key covers, however narrow the bar."""


@dataclass(frozen=True, slots=True)
class Reader:
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
    desk: Desk, view: View, room: Room, reader: Reader, *, two_panes: bool, armed: bool
) -> tuple[Line, ...]:
    """The keys that work, or would work, most important first."""
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    hints: list[KeyHint] = []
    if entry is not None:
        hints += _request_hints(desk, entry, room, reader, visible=two_panes or view == "request", armed=armed)
    if view != "inbox":
        hints.append(KeyHint("Esc", "back"))
    if group is not None:
        rest = _rest(view, on_heading=entry is None, two_panes=two_panes or reader.told)
        hints += _group_hints(desk, view, group, room, rest, reader, on_heading=entry is None, armed=armed)
    hints += tag_hints(desk)
    hints += _moving_hints(desk, view, entry, group, two_panes=two_panes)
    if view not in {"request", "page"}:
        hints += _list_hints(desk)
    hints.append(KeyHint(desk.keys.shown("history"), "history"))
    if view == "inbox":
        hints.append(KeyHint(desk.keys.shown("quit"), "quit"))
        # Last: they take only the room that is left, and move nothing else.
        hints += [KeyHint(desk.keys.shown(screen), screen) for screen in ("agents", "memory", "rules")]
    return flow([*hints, KeyHint(desk.keys.shown("help"), "help")], room)


def what_is_missing(desk: Desk, entry: Entry) -> str:
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


def to_show(desk: Desk, entry: Entry) -> bool:
    """Whether a request waits of which something can be shown that was not."""
    if not entry.waiting or desk.failure(entry) is not None:
        return False
    coverage = desk.coverage(entry)
    return coverage is None or coverage.missing > 0


def _request_hints(
    desk: Desk, entry: Entry, room: Room, reader: Reader, *, visible: bool, armed: bool
) -> list[KeyHint]:
    page = _page_hints(desk, entry, visible=visible)
    if not entry.waiting:
        return page
    coverage = desk.coverage(entry)
    complete = coverage is not None and coverage.complete
    change = desk.change(entry)
    if change is not None and change.instead is None:
        hints = [KeyHint(desk.keys.shown("approve"), "approve: nothing left, reject instead", live=False)]
    elif complete:
        what = "approve" if change is None else f"approve {change.summary}"
        hints = [KeyHint(desk.keys.shown("approve"), what, live=armed, token="strong")]
    else:
        hints = [KeyHint(desk.keys.shown("approve"), f"approve: {what_is_missing(desk, entry)}", live=False)]
    if change is not None:
        session = KeyHint(desk.keys.shown("remember"), "once only: changed by you", live=False)
    elif entry.request.submission.risk is Risk.HIGH:
        session = KeyHint(desk.keys.shown("remember"), "never for HIGH", live=False)
    elif not entry.request.submission.may_be_remembered:
        session = KeyHint(desk.keys.shown("remember"), "never for this call", live=False)
    else:
        session = KeyHint(desk.keys.shown("remember"), "session", live=armed and complete)
    return [
        *hints,
        *page,
        KeyHint(desk.keys.shown("reject"), "reject, say why" if room.width >= WIDE else "reject", live=armed),
        session,
        KeyHint(desk.keys.shown("stop"), "stop the agent", live=armed),
        *_choice_hints(desk, entry, reader),
        *_secret_hints(desk, entry),
    ]


def _page_hints(desk: Desk, entry: Entry, *, visible: bool) -> list[KeyHint]:
    """The key that shows what is to be read: it has one place, whatever there is to read."""
    coverage = desk.coverage(entry)
    if to_show(desk, entry):
        words = "show the rest" if coverage is not None and coverage.shown else "show it"
    elif desk.next_unseen() is not None:
        words = "page, next unseen" if visible else "read next unseen"
    elif visible:
        words = "page"
    else:
        return []
    return [KeyHint(desk.keys.shown("page_down"), words)]


def _choice_hints(desk: Desk, entry: Entry, reader: Reader) -> list[KeyHint]:
    hints = []
    if reader.pointed is not None:
        live = bool(reader.pointed.numbers)
        hints.append(KeyHint(desk.keys.shown("toggle_hunk"), reader.pointed.words, live=live))
        hints.append(KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"))
    if desk.why_not_edited(entry) is None:
        change = desk.change(entry)
        again = desk.has_edit(entry) or (change is not None and change.choice is None)
        hints.append(KeyHint(desk.keys.shown("edit_call"), "edit again" if again else "edit"))
    return hints


def _secret_hints(desk: Desk, entry: Entry) -> list[KeyHint]:
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
    desk: Desk, view: View, group: Group, room: Room, rest: str, reader: Reader, *, on_heading: bool, armed: bool
) -> list[KeyHint]:
    members = desk.eligibility(group)
    if not members.waiting:
        return []
    hints = [
        _approve_group(desk, members, room, rest, armed=armed),
        KeyHint(desk.keys.shown("reject_group"), f"reject all {len(members.waiting)}", live=armed),
    ]
    if view != "page":
        hints.append(KeyHint(desk.keys.shown("group_page"), "all on one page"))
    if not on_heading:
        return hints
    on_page = "page, next unseen" if reader.unread else "page"
    return [KeyHint(desk.keys.shown("page_down"), on_page if view == "page" else "read next unseen"), *hints]


def _approve_group(desk: Desk, members: Eligibility, room: Room, rest: str, *, armed: bool) -> KeyHint:
    ready = members.ready
    if not ready:
        altered = any(item.reason is Omission.ALTERED for item in members.left_out)
        why = f"none ready (changed ones: {desk.keys.shown('approve')})" if altered else "none ready"
        return KeyHint(desk.keys.shown("approve_group"), f"approve group: {why}", live=False)
    names = as_many(names_of(desk, ready), max(room.width // 2, LEAST_NAMES), rest=rest)
    return KeyHint(
        desk.keys.shown("approve_group"), f"approve the {len(ready)} ready: {names}", live=armed, token="strong"
    )


def _moving_hints(
    desk: Desk, view: View, entry: Entry | None, group: Group | None, *, two_panes: bool
) -> list[KeyHint]:
    hints: list[KeyHint] = []
    if view == "page":
        hints += [
            KeyHint(desk.keys.shown("next_request", "previous_request"), "next/previous"),
            KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"),
            KeyHint("Enter", "open the one at the top"),
        ]
    elif entry is None and group is not None:
        hints.append(
            KeyHint("Enter", "close" if group.open else "open") if two_panes else KeyHint("Enter", "open")
        )
    elif entry is not None and view == "request":
        content = desk.content(entry)
        has_hunks = content is not None and any(document.hunks for document in content.documents)
        if has_hunks and not (entry.waiting and desk.may_choose(entry)):  # else it stands beside what refuses one
            hints.append(KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"))
        hints.append(KeyHint(desk.keys.shown("next_request", "previous_request"), "next/previous"))
    elif entry is not None:
        hints.append(KeyHint(desk.keys.shown("full"), "full screen") if two_panes else KeyHint("Enter", "open"))
    around = (entry,) if entry is not None else () if group is None else desk.inbox.listed(group.key)
    if any(member.waiting for member in around):
        hints.append(KeyHint(desk.keys.shown("later"), "later"))
        hints.append(KeyHint(desk.keys.shown("tag"), "tag"))
    return hints


def _list_hints(desk: Desk) -> list[KeyHint]:
    if not any(True for _ in desk.inbox.entries()):
        return []
    # With one agent in the list the key would change nothing, or list all again.
    several = _several_agents(desk)
    only = [KeyHint(desk.keys.shown("only_agent"), "only this agent")] if several else []
    order = KeyHint(desk.keys.shown("order"), "sort, tidy")
    return [KeyHint(desk.keys.shown("filter"), "filter"), order, *only]


def _several_agents(desk: Desk) -> bool:
    """Whether the list holds requests of more than one agent."""
    names = (entry.request.asked_by.name for entry in desk.inbox.entries() if not desk.inbox.is_hidden(entry.id))
    first = next(names, None)
    return any(name != first for name in names)
