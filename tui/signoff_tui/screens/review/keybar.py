"""The action bar: the keys that make sense for what the cursor is on.

The words here name what a key will act on. They are the contract with the person, so every decision key is
followed by its object, or by the reason why it does nothing.
"""

from __future__ import annotations

from signoff.policy.risk import HIDDEN_VALUE
from signoff.queue.records import Risk
from signoff_tui.desk import Desk
from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.guard import Ref
from signoff_tui.inbox import Entry, Group
from signoff_tui.lines import Line
from signoff_tui.screens.review.extent import View
from signoff_tui.screens.review.naming import as_many, names_of
from signoff_tui.screens.review.tagged_lines import tag_hints

__all__ = ["action_lines", "to_show", "what_is_missing"]


LEAST_NAMES = 24
"""Cells for the names of what a key covers, however narrow the bar."""


def action_lines(desk: Desk, view: View, room: Room, *, two_panes: bool, armed: bool) -> tuple[Line, ...]:
    """The keys that work, or would work, most important first."""
    entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
    hints: list[KeyHint] = []
    if entry is not None:
        hints += _request_hints(desk, entry, armed=armed)
    if view != "inbox":
        hints.append(KeyHint("Esc", "back"))
    if group is not None:
        rest = _rest(view, on_heading=entry is None, two_panes=two_panes)
        hints += _group_hints(desk, view, group, room, rest, on_heading=entry is None, armed=armed)
    hints += tag_hints(desk)
    hints += _moving_hints(desk, view, entry, group, two_panes=two_panes)
    if entry is not None and not to_show(desk, entry) and desk.next_unseen() is not None:
        visible = two_panes or view == "request"
        hints.append(KeyHint(desk.keys.shown("page_down"), "page, next unseen" if visible else "read next unseen"))
    ended = desk.inbox.tally.any_ended
    if view not in {"request", "page"}:
        hints += _list_hints(desk, ended=ended)
    hints.append(KeyHint(desk.keys.shown("history"), "history"))
    if view == "inbox":
        hints.append(KeyHint(desk.keys.shown("quit"), "quit"))
        if desk.inbox.rows() and not ended:
            hints.append(KeyHint(desk.keys.shown("order"), "order"))
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


def _request_hints(desk: Desk, entry: Entry, *, armed: bool) -> list[KeyHint]:
    if not entry.waiting:
        return []
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
        if to_show(desk, entry):
            seen = coverage is not None and coverage.shown
            hints.append(KeyHint(desk.keys.shown("page_down"), "show the rest" if seen else "show it"))
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
        KeyHint(desk.keys.shown("reject"), "reject, say why", live=armed),
        session,
        KeyHint(desk.keys.shown("stop"), "stop the agent", live=armed),
        *_choice_hints(desk, entry),
        *_secret_hints(desk, entry),
    ]


def _choice_hints(desk: Desk, entry: Entry) -> list[KeyHint]:
    hints = []
    if desk.may_choose(entry):
        hints.append(KeyHint(desk.keys.shown("toggle_hunk"), "refuse or approve hunk"))
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
    desk: Desk, view: View, group: Group, room: Room, rest: str, *, on_heading: bool, armed: bool
) -> list[KeyHint]:
    members = desk.eligibility(group)
    if not members.waiting:
        return []
    hints = [
        _approve_group(desk, members.ready, room, rest, armed=armed),
        KeyHint(desk.keys.shown("reject_group"), f"reject all {len(members.waiting)}", live=armed),
    ]
    if not on_heading:
        return hints
    return [KeyHint(desk.keys.shown("page_down"), "page" if view == "page" else "read next unseen"), *hints]


def _approve_group(desk: Desk, ready: tuple[Ref, ...], room: Room, rest: str, *, armed: bool) -> KeyHint:
    if not ready:
        return KeyHint(desk.keys.shown("approve_group"), "approve group: none ready", live=False)
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
        hints.append(KeyHint(desk.keys.shown("group_page"), "all on one page"))
        hints.append(
            KeyHint("Enter", "close" if group.open else "open") if two_panes else KeyHint("Enter", "open")
        )
    elif entry is not None and view == "request":
        content = desk.content(entry)
        if content is not None and any(document.hunks for document in content.documents):
            hints.append(KeyHint(desk.keys.shown("next_hunk", "previous_hunk"), "hunk"))
        hints.append(KeyHint(desk.keys.shown("next_request", "previous_request"), "next/previous"))
    elif entry is not None:
        hints.append(KeyHint(desk.keys.shown("full"), "full screen") if two_panes else KeyHint("Enter", "open"))
    around = (entry,) if entry is not None else () if group is None else desk.inbox.listed(group.key)
    if any(member.waiting for member in around):
        hints.append(KeyHint(desk.keys.shown("later"), "later"))
        if not desk.tags:
            hints.append(KeyHint(desk.keys.shown("tag"), "tag"))
    return hints


def _list_hints(desk: Desk, *, ended: bool) -> list[KeyHint]:
    tidy = [KeyHint(desk.keys.shown("order"), "tidy")] if ended else []
    anything = any(True for _ in desk.inbox.entries())
    if not anything:
        return []
    # With one agent in the list the key would change nothing, or list all again.
    several = _several_agents(desk)
    only = [KeyHint(desk.keys.shown("only_agent"), "only this agent")] if several else []
    return [*tidy, KeyHint(desk.keys.shown("filter"), "filter"), *only]


def _several_agents(desk: Desk) -> bool:
    """Whether the list holds requests of more than one agent."""
    names = (entry.request.asked_by.name for entry in desk.inbox.entries() if not desk.inbox.is_hidden(entry.id))
    first = next(names, None)
    return any(name != first for name in names)
