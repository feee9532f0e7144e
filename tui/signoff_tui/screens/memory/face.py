"""The lines around the list: title, what an empty list says, and what the keys do now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from signoff.filter import SavedFilter
from signoff_tui.header import Standing, first_line
from signoff_tui.input.keymap import STANDARD, KeyMap
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.filtering import Listing
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow, saved_hints
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped

__all__ = ["Bar", "Said", "empty_lines", "foot_lines", "title_line"]

LEAST_TEXT = 12
"""Cells of a filter that tell which one it is."""

_ALWAYS = (" revoking never changes decisions already given", " what was decided stays decided")
_WORDS = {
    "list": _ALWAYS,
    "empty": _ALWAYS,
    "saved": (" list only", " list only"),
    "sheet": (" Nothing is saved before {confirm} is pressed.",),
}


class Said(Struct, frozen=True):
    """What became of the last key, and the style of the words."""

    words: str = ""
    token: str = "muted"


class Bar(Struct, frozen=True):
    """What the keys can do now.

    Attributes:
        kind: The list, nothing to act on, the question before all is revoked, a choice of patterns or of filters.
        keys: The keys of the person.
        number: How many are in force.
        filtered: Whether only one session is listed.
        by_filter: Whether a filter says what is listed.
        live: Whether the key that changes something works now.
        narrows: Whether there is something narrower.
        used: Whether it answered calls.
        full: Whether the details have the whole screen.
        saved: The filters to choose from.
    """

    kind: Literal["list", "empty", "all", "sheet", "saved"]
    keys: KeyMap = STANDARD
    number: int = 0
    filtered: bool = False
    by_filter: bool = False
    live: bool = True
    narrows: bool = True
    used: bool = True
    full: bool = False
    saved: Sequence[SavedFilter] = ()


def title_line(entries: Sequence[Entry] | None, session: str | None, standing: Standing, width: int) -> Line:
    """Where am I, how much waits, how much runs without asking (None: it was not read yet), is the queue there."""
    whose = () if session is None else (chunk(" session ", "muted", keep=True), _named(session), chunk(" "))
    if entries is None:
        return first_line(["Session memory", "Memory"], standing, width, [whose])
    active = sum(entry.in_force for entry in entries)
    counts = f" {active} active" + (f", {len(entries) - active} revoked" if len(entries) > active else "")
    numbers = chunk(f"{counts} ", "text", keep=True)
    return first_line(["Session memory", "Memory"], standing, width, [(numbers, *whose)])


def _named(session: str) -> Chunk:
    return Chunk(foreign(session).text, "text", most=30, enough=6)


def empty_lines(session: str | None, problem: str, width: int, *, ready: bool) -> list[Line]:
    """What the list says when there is nothing in it."""
    if problem:
        return [Line(), *_words(problem, width, "danger")]
    if not ready:
        return [Line(), *_words("reading what is remembered ...", width, "muted")]
    whose = "" if session is None else f" for session {session}"
    return [
        Line(),
        *_words(f"Nothing is remembered{whose}: no call is let through by memory.", width, "strong"),
        *_words("s on a request approves it and remembers that for its session.", width, "muted"),
    ]


def _words(words: str, width: int, token: str) -> list[Line]:
    return wrapped(words, width, token, head=chunk("   "))


def foot_lines(bar: Bar, said: Said, width: int, *, rows: int) -> list[Line]:
    """The keys, and in the last row what was said last, as on every screen; a question stands above its keys.

    Args:
        bar: What they can do now.
        said: What became of the last key.
        width: Cells.
        rows: Rows for the keys.
    """
    words = _said(said) if said.words else fullest(_wordings(bar), width)
    room = BarRoom(width, rows)
    keys = flow(saved_hints(bar.saved, room) if bar.kind == "saved" else _hints(bar), room)
    return [words, *keys] if bar.kind in {"all", "sheet"} else [*keys, words]


def filter_lines(listing: Listing, keys: KeyMap, width: int) -> list[Line]:
    """What a filter does not list, and the key that ends it; nothing without one.

    Args:
        listing: What is listed, and what is not.
        keys: The keys of the person.
        width: Cells.
    """
    if not listing.filtered:
        return []
    hidden = listing.hidden
    words = f" {hidden} in force not listed, by filter" if hidden else " nothing in force is hidden by filter"
    full = chunk(words, "warn" if hidden else "muted", keep=True)
    by = Chunk(foreign(f"  {listing.query.text}").text, "text", cut="end", enough=LEAST_TEXT)
    key = chunk(f"[{keys.shown('clear_filter', place='memory')}]", "key", keep=True)
    return [
        fullest(
            [
                line(full, by, right=(chunk("  "), key, chunk(" clears it ", keep=True))),
                line(full, by, right=(chunk(" "), key, chunk(" "))),
                line(full, right=(chunk(" "), key)),
            ],
            width,
        )
    ]


def _wordings(bar: Bar) -> Sequence[Line]:
    if bar.kind == "all":
        question = f" Revoke the {bar.number} LISTED?" if bar.by_filter else f" Revoke ALL {bar.number}?"
        return [
            line(chunk(f"{question} The next such calls ask again.", "danger")),
            line(chunk(question, "danger")),
        ]
    confirm = bar.keys.shown("confirm", place="memory")
    return [line(chunk(words.replace("{confirm}", confirm), "muted")) for words in _WORDS[bar.kind]]


def _hints(bar: Bar) -> Sequence[KeyHint]:
    help_ = KeyHint(bar.keys.shown("help"), "help")
    match bar.kind:
        case "all":
            which = "the listed" if bar.by_filter else "all"
            key = bar.keys.shown("confirm", place="memory")
            confirm = KeyHint(key, f"revoke {which} {bar.number}", live=bar.live, token="danger")
            return (confirm, KeyHint("Esc", "no, back"))
        case "sheet":
            choose = (
                KeyHint(bar.keys.shown("down", "up"), "other choice"),
                KeyHint(bar.keys.shown("page_down"), "page"),
                KeyHint("Esc", "back"),
            )
            save = bar.keys.shown("confirm", place="memory")
            return (KeyHint(save, "save", live=bar.live, token="warn"), *choose)
        case "saved":
            return ()
        case "empty":
            return (
                KeyHint(bar.keys.shown("inbox"), "inbox"),
                *((KeyHint(bar.keys.shown("memory"), "all sessions"),) if bar.filtered else ()),
                KeyHint("Esc", "back"),
                help_,
            )
        case "list":
            return (
                KeyHint(bar.keys.shown("revoke", place="memory"), "revoke at once", live=bar.live),
                KeyHint(bar.keys.shown("revoke_all", place="memory"), "revoke all", live=bar.number > 0),
                KeyHint("w", "widen", live=bar.live),
                KeyHint("n", "narrow", live=bar.live and bar.narrows),
                KeyHint(bar.keys.shown("full"), "list" if bar.full else "details"),
                KeyHint("Enter", "uses", live=bar.used),
                KeyHint(bar.keys.shown("filter", place="memory"), "filter"),
                KeyHint("Esc", "back"),
                KeyHint(bar.keys.shown("memory"), "all sessions")
                if bar.filtered
                else KeyHint(bar.keys.shown("session_memory", place="memory"), "its session"),
                KeyHint(bar.keys.shown("inbox"), "inbox"),
                help_,
            )


def _said(said: Said) -> Line:
    return line(foreign(f" {said.words}", said.token))
