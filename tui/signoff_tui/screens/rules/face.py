"""The lines around the list: title, what an empty list says, and what the keys do now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.header import Standing, first_line
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.rules.files import RuleFile
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line, chunk, foreign, fullest, line, wrapped

__all__ = ["Bar", "Said", "empty_lines", "foot_lines", "title_line"]


class Said(Struct, frozen=True):
    """What became of the last key, and the style of the words."""

    words: str = ""
    token: str = "muted"


class Bar(Struct, frozen=True):
    """What the keys can do now.

    Attributes:
        kind: The list, a change to be trusted, a call that is typed, a verdict that is read, or rules suggested.
        keys: The keys of the person.
        live: In the list: whether the file is not as it was trusted. Of a change: whether it can be trusted now.
        full: Whether the details have the whole body.
        counted: Whether calls are known that the focused rule asked about.
        gone: Whether the focused file is not there any more.
    """

    kind: Literal["empty", "list", "change", "typing", "verdict", "suggested"]
    keys: KeyMap
    live: bool = False
    full: bool = False
    counted: bool = False
    gone: bool = False


_WORDS = {
    "empty": (
        " this screen shows rules; the agents' own programs enforce them",
        " agents' programs enforce rules",
    ),
    "list": (" this screen shows rules; the agents' own programs enforce them", " agents' programs enforce rules"),
    "change": (" Nothing is trusted before {confirm} is pressed.",),
    "typing": (' a command, or a tool: write_file {"path": "a.txt"}; nothing is run', " nothing is run"),
    "verdict": (" nothing was run",),
    "suggested": (" only suggested: nothing is saved, and no agent knows of it", " nothing is saved"),
}


def title_line(files: Sequence[RuleFile], standing: Standing, width: int) -> Line:
    """Where am I, how much waits, how many rules, are they what was trusted, is the queue there."""
    rules = sum(len(file.rows) for file in files)
    of = [file for file in files if not file.code]
    counts = chunk(f" {rules} {'rule' if rules == 1 else 'rules'}", "text", keep=True)
    where = chunk(f" in {len(of)} {'file' if len(of) == 1 else 'files'}", "text", keep=True)
    off = sum(not file.in_force for file in files)
    state = chunk(
        f"  {off} NOT AS TRUSTED " if off else "  all as trusted " if files else " ",
        "danger" if off else "muted",
        keep=True,
    )
    return first_line(["Rules"], standing, width, [(counts, where, state), (counts, state)])


def empty_lines(problem: str, width: int, *, ready: bool) -> list[Line]:
    """What the list says when there is nothing in it."""
    if problem:
        return [Line(), *_words(problem, width, "danger")]
    if not ready:
        return [Line(), *_words("reading the files ...", width, "muted")]
    decides = "Each agent's own program decides what it asks; why asked on a request says so."
    return [
        Line(),
        *_words("No rule file is trusted here, so nothing can be judged.", width, "strong"),
        *_words(decides, width, "text"),
        Line(),
        *_words(
            "signoff policy trust FILE shows what a file allows, lets it count, and lists it here.", width, "muted"
        ),
        *_words("To try a command on a file without trusting it:", width, "muted"),
        *_words("signoff policy explain FILE -- 'rm -rf build'", width, "muted"),
    ]


def foot_lines(bar: Bar, said: Said, width: int, *, rows: int) -> list[Line]:
    """The keys, and in the last row what was said last, as on every screen; a question stands above its keys.

    Args:
        bar: What they can do now.
        said: What became of the last key.
        width: Cells.
        rows: Rows for the keys.
    """
    if said.words:
        words = line(replace(foreign(f" {said.words}", said.token), cut="end"))
    else:
        confirm = bar.keys.shown("confirm", place="rules")
        wordings = [each.replace("{confirm}", confirm) for each in _WORDS[bar.kind]]
        words = fullest([line(chunk(each, "muted")) for each in wordings], width)
    keys = flow(_hints(bar), BarRoom(width, 1 if bar.kind == "typing" else rows))
    return [*keys, words] if bar.kind in {"list", "empty"} else [words, *keys]


def _hints(bar: Bar) -> Sequence[KeyHint]:
    keys = bar.keys
    back, help_ = KeyHint("Esc", "back"), KeyHint(keys.shown("help"), "help")
    inbox = KeyHint(keys.shown("inbox"), "inbox")
    page = KeyHint(keys.shown("page_down"), "page")
    match bar.kind:
        case "empty":
            return (KeyHint("Ctrl+R", "read again"), inbox, back, help_)
        case "typing":
            return (KeyHint("Enter", "keep it"), KeyHint("Up/Down", "page"), KeyHint("Esc", "close"))
        case "verdict":
            return (KeyHint("t", "type on"), page, back, help_)
        case "change":
            confirm = keys.shown("confirm", place="rules")
            return (KeyHint(confirm, "trust it", live=bar.live, token="warn"), KeyHint("e", "edit"), page, back)
        case "suggested":
            return (KeyHint("c", "copy the lines"), KeyHint("e", "edit the file there"), page, back, help_)
        case "list" if bar.gone:
            untrust = KeyHint(keys.shown("untrust", place="rules"), "trust it no more", token="warn")
            return (untrust, KeyHint("Ctrl+R", "read again"), back, inbox, help_)
        case "list":
            return (
                KeyHint("t", "try a call"),
                KeyHint("e", "edit"),
                KeyHint("T", "what changed", live=bar.live),
                KeyHint("Enter", "its calls", live=bar.counted),
                KeyHint(keys.shown("full"), "list" if bar.full else "details"),
                KeyHint("A", "suggest rules"),
                back,
                KeyHint("Ctrl+R", "read again"),
                inbox,
                help_,
            )


def _words(words: str, width: int, token: str) -> list[Line]:
    return wrapped(words, width, token, head=chunk("   "))
