"""The lines around the list: title, what an empty list says, and what the keys do now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.keymap import STANDARD, KeyMap
from signoff_tui.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped
from signoff_tui.screens.memory.entries import Entry

__all__ = ["Bar", "Said", "empty_lines", "foot_lines", "title_line"]

_ALWAYS = (" revoking never changes decisions already given", " what was decided stays decided")
_WORDS = {
    "list": _ALWAYS,
    "empty": _ALWAYS,
    "sheet": (" Nothing is saved before ! is pressed.",),
}


@dataclass(frozen=True, slots=True)
class Said:
    """What became of the last key, and the style of the words."""

    words: str = ""
    token: str = "muted"


@dataclass(frozen=True, slots=True)
class Bar:
    """What the keys can do now.

    Attributes:
        kind: The list, nothing to act on, the question before all is revoked, or a choice of patterns.
        keys: The keys of the person.
        number: How many are in force.
        filtered: Whether only one session is listed.
        live: Whether the key that changes something works now.
    """

    kind: Literal["list", "empty", "all", "sheet"]
    keys: KeyMap = STANDARD
    number: int = 0
    filtered: bool = False
    live: bool = True


def title_line(entries: Sequence[Entry], session: str | None, width: int, *, waiting: int, lost: bool) -> Line:
    """Where am I, how much runs without asking, how much waits, is the queue there."""
    active = sum(entry.in_force for entry in entries)
    counts = f"  {active} active" + (f", {len(entries) - active} revoked" if len(entries) > active else "")
    name = chunk(" signoff  Session memory", "strong", keep=True)
    numbers = chunk(counts, "text", keep=True)
    whose = () if session is None else (chunk("  session ", "muted", keep=True), _named(session))
    queue = chunk("QUEUE LOST ", "danger") if lost else chunk("queue ok ", "muted")
    waits = chunk(f" {waiting} waiting " if waiting else " nothing waiting ", "text")
    wordings = [
        Line((name, numbers, *whose), (queue, waits)),
        Line((name, numbers, *whose), (queue,)),
        Line((chunk(" Memory", "strong", keep=True), numbers, *whose), (queue,) if lost else ()),
    ]
    return fullest(wordings, width)


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
        *_words(f"Nothing is remembered{whose}: every call asks.", width, "strong"),
        *_words("s on a request approves it and remembers that for its session.", width, "muted"),
    ]


def _words(words: str, width: int, token: str) -> list[Line]:
    return wrapped(words, width, token, head=chunk("   "))


def foot_lines(bar: Bar, said: Said, width: int, *, rows: int) -> list[Line]:
    """What was said last, and the keys.

    Args:
        bar: What they can do now.
        said: What became of the last key.
        width: Cells.
        rows: Rows for the keys.
    """
    words = _said(said) if said.words else fullest(_wordings(bar), width)
    return [words, *flow(_hints(bar), Room(width, rows))]


def _wordings(bar: Bar) -> Sequence[Line]:
    if bar.kind == "all":
        question = f" Revoke ALL {bar.number}?"
        return [
            line(chunk(f"{question} The next such calls ask again.", "danger")),
            line(chunk(question, "danger")),
        ]
    return [line(chunk(words, "muted")) for words in _WORDS[bar.kind]]


def _hints(bar: Bar) -> Sequence[KeyHint]:
    help_ = KeyHint(bar.keys.shown("help"), "help")
    match bar.kind:
        case "all":
            confirm = KeyHint("!", f"revoke all {bar.number}", live=bar.live, token="danger")
            return (confirm, KeyHint("Esc", "no, back"))
        case "sheet":
            choose = (
                KeyHint(bar.keys.shown("down", "up"), "other choice"),
                KeyHint(bar.keys.shown("page_down"), "page"),
                KeyHint("Esc", "back"),
            )
            return (KeyHint("!", "save", live=bar.live, token="warn"), *choose)
        case "empty":
            return (
                KeyHint(bar.keys.shown("inbox"), "inbox"),
                KeyHint(bar.keys.shown("memory"), "all sessions"),
                KeyHint("Esc", "back"),
                help_,
            )
        case "list":
            return (
                KeyHint("x", "revoke at once", live=bar.live),
                KeyHint("R", "revoke all", live=bar.number > 0),
                KeyHint("w", "widen", live=bar.live),
                KeyHint("n", "narrow", live=bar.live),
                KeyHint(bar.keys.shown("full"), "details"),
                KeyHint("Enter", "uses"),
                KeyHint(bar.keys.shown("memory"), "all sessions")
                if bar.filtered
                else KeyHint(bar.keys.shown("session_memory"), "its session"),
                KeyHint("Esc", "back"),
                KeyHint(bar.keys.shown("inbox"), "inbox"),
                help_,
            )


def _said(said: Said) -> Line:
    return line(foreign(f" {said.words}", said.token))
