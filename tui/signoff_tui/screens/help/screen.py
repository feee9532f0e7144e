"""Help: every key of the action table, and the meaning of the marks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, zip_longest

from signoff_tui.context import Office
from signoff_tui.input.actions import Action, Area, Place
from signoff_tui.input.handlers import Handlers
from signoff_tui.input.keymap import STANDARD, KeyMap
from signoff_tui.screens.scrolling import SCROLLING_HANDLERS, ScrollingScreen
from signoff_tui.text.lines import Line, chunk, fullest, line, wrapped

__all__ = ["HelpScreen", "key_lines"]

_HANDLERS: Handlers[HelpScreen] = Handlers(SCROLLING_HANDLERS)

_HEADINGS: dict[Area, str] = {
    "decide": "decide",
    "read": "read",
    "list": "lists",
    "go": "go",
    "safety": "safety",
}
_TITLES: dict[Place, str] = {
    "review": "inbox, request and group",
    "history": "history",
    "agents": "agents",
    "rules": "rules",
    "help": "help",
    "palette": "palette",
    "message": "message box",
}
_SAFETY = (
    "Enter and Space never approve",
    "Esc only goes back",
    "a paste is never a command",
    "nothing moves by itself",
    "{undo} takes back what is held",
)
_DECIDES_NOTHING = ("no decision keys work here",)
_MUTED = ("muted: no bell, no notices,", "but for HIGH and a lost queue")
_FACTS: dict[Place, tuple[str, ...]] = {
    "review": _SAFETY,
    "agents": (
        "{stop} asks first, {despite} stops it",
        "nothing else is decided here",
        "{undo} takes back what is held",
    ),
    "rules": (
        "no request is decided here",
        "no call is run",
        "! trusts, after all was shown",
        "a typed word revokes one at most",
    ),
}
_OWN_HEADINGS: dict[tuple[Place, Area], str] = {
    ("agents", "decide"): "stop",
    ("rules", "decide"): "change what runs unasked",
    ("message", "list"): "message box ({reject}, {stop}): Enter sends",
}
_MARKS = (
    "keys: one that stands out works now; a dim one does nothing yet: read first, or wait a moment",
    "marks: med HIGH risk, 61 % read, 2 s = not sent yet, * tagged, + arrived since you sorted, --- ended",
    "kinds: M changed file, A new file, D deleted file, $ command, { call, T text, B binary",
)
_MOST_COLUMNS, _GAP, _MORE_GAP = 4, 1, 3
_KEY = 9
_MOVING = {"down": "Down", "up": "Up", "pagedown": "PgDn", "pageup": "PgUp", "home": "Home", "end": "End"}


class HelpScreen(ScrollingScreen):
    """As many columns of keys as there is room for.

    Args:
        office: The services that all screens share.
        about: The place whose keys are explained.
    """

    place = "help"
    handlers = _HANDLERS

    def __init__(self, office: Office, about: Place) -> None:
        super().__init__(office)
        self._about = about

    @_HANDLERS("help")
    def do_help(self) -> None:
        """Close the help with the key that opened it."""
        self.dismiss()

    def title_line(self, width: int) -> Line:
        """Return the title: the screen whose keys are explained."""
        name = chunk(f" signoff  keys for: {_TITLES[self._about]}", "strong", keep=True)
        also = also_moving(self._about, self._office.keys)
        words = [f"{_SAFETY[0]}; {also}", _SAFETY[0]] if self._about == "review" else [also]
        told = (line(name, right=(chunk(f"{each} ", "muted"),), background="surface") for each in words)
        return fullest([*told, line(name, background="surface")], width)

    def page_lines(self, width: int) -> Sequence[Line]:
        """Return all keys, and the meaning of the marks."""
        return [*key_lines(self._about, width, self._office.keys), Line(), *mark_lines(width)]


def also_moving(place: Place, keys: KeyMap) -> str:
    """Return the keys without letters that move as well: the list of keys names only the first of each action."""
    bound = {key for action in keys.actions_on(place) for key in action.keys}
    names = [name for key, name in _MOVING.items() if key in bound]
    return f"also moving: {' '.join(names)}" if names else ""


def key_lines(place: Place, width: int, keys: KeyMap = STANDARD) -> list[Line]:
    """Return every key of a place, in as many columns as there is room for."""
    facts = tuple(keys.filled_in(words, place) for words in _FACTS.get(place, _DECIDES_NOTHING))
    if any(action.name == "mute" for action in keys.actions_on(place)):
        facts = (*facts, *_MUTED)
    safety = [*_area(keys, place, "safety"), *(line(chunk(" " * _KEY + words, "muted")) for words in facts)]
    # Where keys lead is asked most often: it stands on the first page, however low.
    written = _area(keys, "message", "list") if place == "review" else []
    blocks = [
        *(_area(keys, place, "decide"), _area(keys, place, "go"), safety),
        *(_area(keys, place, "read"), _area(keys, place, "list"), written),
    ]
    columns = _columns([block for block in blocks if block], width)
    first, *others = columns
    spare = width - _together(columns)
    gap = _GAP + min(max(spare // max(len(others), 1), 0), _MORE_GAP)
    for column in others:
        cells = max(map(_width, first)) + gap
        first = [_beside(a, b, cells) for a, b in zip_longest(first, column, fillvalue=Line())]
    return first


def _columns(blocks: Sequence[list[Line]], width: int) -> list[list[Line]]:
    """Return blocks in columns, in their order: beside each other as far as they fit, and as low as can be."""
    most = min(len(blocks), _MOST_COLUMNS)
    cuts = (places for count in range(most) for places in combinations(range(1, len(blocks)), count))
    ways = [_cut(blocks, places) for places in cuts]
    fitting = [columns for columns in ways if _together(columns) <= width]
    return min(fitting or ways[:1], key=lambda columns: max(map(len, columns)))


def _cut(blocks: Sequence[list[Line]], places: Sequence[int]) -> list[list[Line]]:
    """Return blocks cut into columns before some of them."""
    bounds = (0, *places, len(blocks))
    return [_stacked(*blocks[start:stop]) for start, stop in pairwise(bounds)]


def _together(columns: Sequence[Sequence[Line]]) -> int:
    """Return the cells that columns take beside each other."""
    return sum(max(map(_width, column)) for column in columns) + _GAP * (len(columns) - 1)


def _width(row: Line) -> int:
    return row.width


def mark_lines(width: int) -> list[Line]:
    """Return the meaning of words and letters on the screens."""
    return [row for words in _MARKS for row in wrapped(words, width, "muted", head=chunk("  "))]


def _area(keys: KeyMap, place: Place, area: Area) -> list[Line]:
    actions = [action for action in keys.actions_on(place) if action.area == area and action.keys]
    if not actions:
        return []
    if area == "go":
        actions.sort(key=lambda action: _number(action) or "none")
    return [
        line(chunk(f" {keys.filled_in(_OWN_HEADINGS.get((place, area), _HEADINGS[area]))}", "strong")),
        *(
            line(chunk(f"  {_keys_of(action):<{_KEY - 3}} ", "key", keep=True), chunk(action.words))
            for action in actions
        ),
    ]


def _keys_of(action: Action) -> str:
    """Return the first key, and the number of a screen if that is another one."""
    number = _number(action)
    return action.shown if number in ("", action.shown) else f"{action.shown} {number}"


def _number(action: Action) -> str:
    return next((key for key in action.keys if key.isdigit()), "")


def _stacked(*blocks: list[Line]) -> list[Line]:
    """Return blocks with an empty line between them."""
    lines = [row for block in blocks if block for row in (*block, Line())]
    return lines[:-1]


def _beside(left: Line, right: Line, cells: int) -> Line:
    return Line((*left.left, chunk(" " * (cells - left.width), keep=True), *right.left))
