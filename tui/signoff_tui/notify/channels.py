"""The channel for notices of a terminal, from its environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, get_args

from signoff_tui.notify.policy import Channel, NoticeSettings
from signoff_tui.terminal.sequences import TerminalKind

__all__ = ["NOTIFY_VARIABLE", "channel_of", "notice_settings", "terminal_kind"]

NOTIFY_VARIABLE = "SIGNOFF_NOTIFY"
"""Environment variable that names the channel, or ``auto``, or ``off``."""

_OF_PROGRAM: Mapping[str, Channel] = {
    "ghostty": "osc777",
    "iTerm.app": "osc9",
    "kitty": "osc99",
    "WezTerm": "osc9",
}
_OF_TERM: Mapping[str, Channel] = {"xterm-kitty": "osc99", "xterm-ghostty": "osc777", "foot": "osc777"}
_OF_VARIABLE: Mapping[str, Channel] = {
    "KITTY_WINDOW_ID": "osc99",
    "GHOSTTY_RESOURCES_DIR": "osc777",
    "GHOSTTY_BIN_DIR": "osc777",
    "VTE_VERSION": "osc777",
    "WT_SESSION": "osc9",
}
_WITHOUT_TITLE = frozenset({"", "dumb", "linux", "vt100", "vt220"})
"""Terminals that have no title, or would print it."""


def channel_of(variables: Mapping[str, str]) -> Channel:
    """Return the best channel of a terminal; the bell where nothing better is known.

    Args:
        variables: The environment. In a multiplexer it describes the terminal in which that was started.
    """
    term, program = variables.get("TERM", ""), variables.get("TERM_PROGRAM", "")
    for name, channel in _OF_TERM.items():
        if term == name or term.startswith(f"{name}-"):
            return channel
    if program in _OF_PROGRAM:
        return _OF_PROGRAM[program]
    return next((channel for name, channel in _OF_VARIABLE.items() if variables.get(name)), "bell")


def terminal_kind(variables: Mapping[str, str]) -> TerminalKind:
    """Return the first reader of the program's output: a multiplexer, or the terminal itself."""
    if variables.get("TMUX"):
        return "tmux"
    return "screen" if variables.get("STY") else "terminal"


def notice_settings(variables: Mapping[str, str]) -> NoticeSettings:
    """Return the settings of notices for this environment.

    Raises:
        ValueError: `NOTIFY_VARIABLE` has an unknown value.
    """
    wanted = variables.get(NOTIFY_VARIABLE) or "auto"
    known = get_args(Channel)
    if wanted != "auto" and wanted not in known:
        raise ValueError(f"{NOTIFY_VARIABLE} is {wanted!r}; choose one of: auto, {', '.join(known)}")
    channel = channel_of(variables) if wanted == "auto" else cast("Channel", wanted)
    return NoticeSettings(channel=channel, title=variables.get("TERM", "") not in _WITHOUT_TITLE)
