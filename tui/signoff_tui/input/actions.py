"""The one table of keys: action, place and words of each. Help, palette and guard are made from it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["ACTIONS", "Action", "Area", "Place", "action_of", "actions_on"]

Area = Literal["decide", "read", "list", "go", "safety"]

Place = Literal["review", "history", "agents", "rules", "help", "palette", "details", "themes", "message"]
"""The places where keys act: the review, its message box, and the screens over it."""

_REVIEW: tuple[Place, ...] = ("review",)
_OVER: tuple[Place, ...] = ("history", "agents", "rules")
_LISTS: tuple[Place, ...] = (*_REVIEW, *_OVER)
_SCROLLED: tuple[Place, ...] = ("help", "details")
_PAGES: tuple[Place, ...] = (*_LISTS, *_SCROLLED)
_AGENTS: tuple[Place, ...] = ("agents",)
_DECIDED: tuple[Place, ...] = (*_REVIEW, "agents")
_MUTED: tuple[Place, ...] = (*_REVIEW, "history", "rules")
_FILTERED: tuple[Place, ...] = (*_REVIEW, "history")
_RULES: tuple[Place, ...] = ("rules",)
_THEMES: tuple[Place, ...] = ("themes",)
_MESSAGE: tuple[Place, ...] = ("message",)


class Action(Struct, frozen=True):
    """One thing a person can do.

    Attributes:
        name: Name of its handler in the review, and of its method after ``do_`` elsewhere; decision keys go
            through the guard instead.
        keys: Keys, as the guard names them: the character, or the name of a key that prints none. An action
            without keys is chosen by its name.
        shown: The keys as people read them.
        words: A description of the action.
        area: Heading in the help.
        decides: True if the guard judges it.
        changes: True if it changes something at once without the guard.
        rapid: True if people press its keys fast, one after the other, beside decisions: these keys are no sign of
            typing. All others that write a character are, also those that open a page.
        places: The places where it can be done.
    """

    name: str
    keys: tuple[str, ...]
    shown: str
    words: str
    area: Area
    decides: bool = False
    rapid: bool = False
    places: tuple[Place, ...] = _REVIEW
    changes: bool = False


ACTIONS: tuple[Action, ...] = (
    Action("approve", ("y",), "y", "approve", "decide", decides=True),
    Action("approve_group", ("Y",), "Y", "approve the group or tagged", "decide", decides=True),
    Action("remember", ("s",), "s", "allow for this session", "decide", decides=True),
    Action("reject", ("n",), "n", "reject, with a message", "decide", decides=True),
    Action("reject_group", ("N",), "N", "reject the group or tagged", "decide", decides=True),
    Action("stop", ("x",), "x", "reject it and the turn's rest", "decide", decides=True),
    Action("stop", ("x",), "x", "stop it; first lists all", "decide", decides=True, places=_AGENTS),
    Action("despite", ("!",), "!", "confirm what was warned of", "decide", decides=True, places=_DECIDED),
    Action("undo", ("u",), "u", "undo", "decide", rapid=True, places=_DECIDED),
    Action("later", ("z",), "z", "snooze; the agent waits on", "decide"),
    Action("page_down", (" ", "pagedown"), "Space", "read on: page, then next", "read", rapid=True),
    Action("page_down", (" ", "pagedown"), "Space", "page", "read", rapid=True, places=(*_OVER, *_SCROLLED)),
    Action("page_up", ("b", "pageup"), "b", "page back", "read", rapid=True, places=_PAGES),
    Action("next_hunk", ("]", "alt+down"), "]", "next hunk", "read", rapid=True),
    Action("previous_hunk", ("[", "alt+up"), "[", "previous hunk", "read", rapid=True),
    Action("toggle_hunk", ("-",), "-", "refuse or approve this hunk", "decide"),
    Action("edit_call", ("E",), "E", "edit it, read it, approve it", "decide"),
    Action("find", ("ctrl+f",), "Ctrl+F", "find in the text", "read"),
    Action("more_context", ("}",), "}", "more context around changes", "read", rapid=True),
    Action("less_context", ("{",), "{", "less context around changes", "read", rapid=True),
    Action("wrap", (), ":", "wrap long lines, or cut them", "read"),
    Action("split", ("d",), "d", "before and after side by side", "read"),
    Action("details", ("i",), "i", "why asked, payload, hashes", "read", places=(*_REVIEW, "details")),
    Action("copy", ("c",), "c", "copy text, path or id", "read"),
    Action("reveal", (), ":", "show or hide secrets", "read"),
    Action("full", ("v",), "v", "whole screen", "read"),
    Action("outside", ("|",), "|", "outside: viewer, or pager", "read"),
    Action("pager", (), ":", "pager: all, in $PAGER", "read"),
    Action("down", ("j", "down"), "j", "next row, or line", "list", rapid=True, places=_PAGES),
    Action("up", ("k", "up"), "k", "previous row, or line", "list", rapid=True, places=_PAGES),
    Action("next_request", ("J",), "J", "next waiting request", "list", rapid=True),
    Action("previous_request", ("K",), "K", "previous waiting request", "list", rapid=True),
    Action("first", ("g", "home"), "g", "first", "list", rapid=True, places=_PAGES),
    Action("last", ("G", "end"), "G", "last", "list", rapid=True, places=_PAGES),
    Action(
        "open",
        ("enter",),
        "Enter",
        "open, close; never approves",
        "list",
        places=(*_REVIEW, "history"),
    ),
    Action("expand", ("right",), "Right", "open the group, or a level", "list", rapid=True),
    Action("collapse", ("left",), "Left", "close the group, or a level", "list", rapid=True),
    Action("tag", ("t",), "t", "tag; Y and N act on tagged", "list", rapid=True),
    Action("order", ("o",), "o", "sort: oldest, risk, agent", "list"),
    Action("border_left", ("<",), "<", "move the border left", "list", rapid=True),
    Action("border_right", (">",), ">", "move the border right", "list", rapid=True),
    Action("inbox", ("1",), "1", "inbox", "go", places=_PAGES),
    Action("history", ("h", "3"), "h", "history", "go", places=_LISTS),
    Action("agents", ("2",), "2", "agents: who asks", "go", places=_PAGES),
    Action("full", ("v",), "v", "details on the whole screen", "read", places=("agents", "rules")),
    Action("requests", ("enter",), "Enter", "its requests, or its last hour", "list", places=_AGENTS),
    Action("last_hour", ("H",), "H", "its last hour, in the history", "go", places=_AGENTS),
    Action("rules", ("4",), "4", "rules: what asks, what runs", "go", places=_LISTS),
    Action("uses", ("enter",), "Enter", "its uses, or calls it asked about", "list", places=_RULES),
    Action("edit", ("E",), "E", "edit the file, at the line", "decide", places=_RULES),
    Action("revoke", ("x",), "x", "revoke; trust a file no longer", "decide", places=_RULES, changes=True),
    Action("confirm", ("!",), "!", "trust what was shown", "decide", places=_RULES, changes=True),
    Action("agent_history", ("H",), "H", "this agent's last hour", "go", places=(*_REVIEW, "history")),
    Action("filter", ("/",), "/", "filter; Ctrl+S saves it", "list", places=_FILTERED),
    Action("expand", ("right",), "Right", "list what ended together", "list", places=("history",)),
    Action("collapse", ("left",), "Left", "one row for it again", "list", places=("history",)),
    Action("saved", ("f",), "f", "saved filters", "list", places=_FILTERED),
    Action("copy", ("c",), "c", "copy the command or path", "read", places=("history",)),
    Action("details", ("i",), "i", "hashes, ids; checks the chain", "read", places=("history",)),
    Action("export", (), ":", "export: write to a file, asks where", "list", places=("history",)),
    Action("back", ("escape",), "Esc", "one level back; never decides", "go", places=_PAGES),
    Action("help", ("?",), "?", "keys of this screen", "go", places=_PAGES),
    Action("palette", (":", "ctrl+p"), ":", "choose by name", "go", places=_LISTS),
    Action("run", ("enter",), "Enter", "do it; never approves", "go", places=("palette",)),
    Action("down", ("down",), "Down", "next", "list", places=("palette",)),
    Action("up", ("up",), "Up", "previous", "list", places=("palette",)),
    Action("page_down", ("pagedown",), "PgDn", "page", "list", places=("palette",)),
    Action("page_up", ("pageup",), "PgUp", "page back", "list", places=("palette",)),
    Action("back", ("escape",), "Esc", "back", "go", places=("palette",)),
    Action("themes", (), ":", "choose a theme", "go", places=_PAGES),
    Action("keep", ("enter",), "Enter", "use it, and write it down", "go", places=_THEMES),
    Action("down", ("j", "down"), "j", "next", "list", places=_THEMES),
    Action("up", ("k", "up"), "k", "previous", "list", places=_THEMES),
    Action("page_down", (" ", "pagedown"), "Space", "page", "list", places=_THEMES),
    Action("page_up", ("b", "pageup"), "b", "page back", "list", places=_THEMES),
    Action("first", ("g", "home"), "g", "first", "list", places=_THEMES),
    Action("last", ("G", "end"), "G", "last", "list", places=_THEMES),
    Action("back", ("escape", "q"), "Esc", "back", "go", places=_THEMES),
    Action("quit", ("q", "ctrl+q"), "q", "back; from the inbox: quit", "go"),
    Action("back", ("q", "ctrl+q"), "q", "back", "go", places=(*_OVER, *_SCROLLED)),
    Action("new_line", ("ctrl+j", "alt+enter", "shift+enter"), "Ctrl+J", "new line", "list", places=_MESSAGE),
    Action("earlier_text", ("up",), "Up", "row up; then earlier texts", "list", places=_MESSAGE),
    Action("later_text", ("down",), "Down", "row down; then later texts", "list", places=_MESSAGE),
    Action("soften", ("ctrl+o",), "Ctrl+O", "only reject; the agent goes on", "list", places=_MESSAGE),
    Action("edit_message", ("ctrl+e",), "Ctrl+E", "write it in $EDITOR", "list", places=_MESSAGE),
    Action("copy_message", ("ctrl+y",), "Ctrl+Y", "copy your text", "list", places=_MESSAGE),
    Action("back", ("escape",), "Esc", "back; your text is kept", "list", places=_MESSAGE),
    Action("mute", ("m",), "m", "mute 15 min; again: unmute", "safety", places=_MUTED),
    Action("mute", ("m",), "m", "mute it 15 min; again: unmute", "safety", places=_AGENTS),
    Action("interrupt", ("ctrl+c",), "Ctrl+C", "copy what is marked", "safety"),
    Action("redraw", ("ctrl+l",), "Ctrl+L", "redraw", "safety", places=(*_PAGES, *_THEMES)),
)
"""The action of each key at each place: a key may have several meanings, but only one at a place."""

_BY_KEY = {(place, key): action for action in ACTIONS for place in action.places for key in action.keys}


def action_of(key: str, place: Place) -> Action | None:
    """Return the action of a key at a place, or None."""
    return _BY_KEY.get((place, key))


def actions_on(place: Place) -> tuple[Action, ...]:
    """Return all actions at a place, in the order of the table."""
    return tuple(action for action in ACTIONS if place in action.places)
