"""The one table of settings: reading, the commented default and the guide are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import Struct

from signoff_tui.notices import Channel
from signoff_tui.settings.kinds import FILTERS, KEY, KEY_MAP, NAME, SWITCH, TIME, TIMES, WORDS, Kind, choice, whole
from signoff_tui.settings.values import ScreenSettings

__all__ = ["SECTIONS", "SETTINGS", "Setting", "default_of", "value_in"]


class Setting(Struct, frozen=True):
    """One setting.

    Attributes:
        section: Key of the mapping that it stands in; empty at the top.
        name: Its key, and the name of the attribute that it sets.
        kind: What may stand there.
        words: What it does, in one line.
    """

    section: str
    name: str
    kind: Kind
    words: str


SECTIONS: Mapping[str, str] = {
    "diff": "How a diff looks when the screen opens; the keys w, d, { and } change it there.",
    "guard": "The decision guard: what makes a key count. Longer is safer.",
    "notify": "How you are called while you look elsewhere.",
    "outside": "Programs of yours that show things outside of the screen.",
    "keys": "Keys, by the names of what they do; what is moved leaves its old key free.",
}

SETTINGS: tuple[Setting, ...] = (
    Setting("", "theme", NAME, "A theme by its name; auto: dark or light, as the terminal."),
    Setting("", "ascii", choice("auto", "on", "off"), "Draw with ASCII only; auto: where the terminal needs it."),
    Setting("", "mouse", SWITCH, "Take clicks and the wheel; off leaves selecting to the terminal."),
    Setting("", "filters", FILTERS, 'Filters for f and a digit, such as {6: "agent:docs-bot is:unseen"}.'),
    Setting(
        "diff",
        "layout",
        choice("auto", "unified", "split"),
        "Before and after below, or beside each other; auto: beside from 160 columns.",
    ),
    Setting("diff", "context", whole(1, 10_000), "Unchanged lines around a change."),
    Setting("diff", "wrap", SWITCH, "Wrap long lines; off cuts them, and what is cut off is not shown."),
    Setting("guard", "arm_moved", TIME, "From the picture to the first key that counts, after you moved."),
    Setting("guard", "arm_advanced", TIME, "The same after the screen moved on by itself."),
    Setting("guard", "arm_arrived", TIME, "The same when a request comes into an empty inbox."),
    Setting("guard", "arm_changed", TIME, "The same when what you look at changed."),
    Setting("guard", "arm_focus", TIME, "The same after the terminal got the focus."),
    Setting("guard", "arm_high", TIME, "At least this long for HIGH risk."),
    Setting("guard", "arm_sheet", TIME, "The same after a question or a sheet opened."),
    Setting("guard", "link_delay", TIME, "Added to all of these, for slow lines."),
    Setting("guard", "repeat_gap", TIME, "A decision key this soon after another does nothing."),
    Setting("guard", "autorepeat", TIME, "Equal keys that come faster than this are one held key."),
    Setting("guard", "enter_after", TIME, "Enter this soon after an approval takes it back."),
    Setting("guard", "hasty_text", TIME, "Text this soon after the text box opened was meant for elsewhere."),
    Setting("guard", "hasty_enter", TIME, "So was Enter this soon: then it is needed twice."),
    Setting("guard", "enter_again", TIME, "Least time between the two."),
    Setting(
        "guard", "paste_gap", TIME, "Enter this soon after text was pasted: it ends a line, and sends nothing."
    ),
    Setting("guard", "burst_keys", whole(2, 100), "So many letters within burst_window are typing."),
    Setting("guard", "burst_window", TIME, "See burst_keys."),
    Setting("guard", "burst_quiet", TIME, "Silence that unlocks the keys after typing."),
    Setting("guard", "quiet_before", TIME, "Silence that a decision key needs before and after it."),
    Setting("guard", "late", TIME, "A key that waited so long in a busy program does nothing."),
    Setting("guard", "hold_one", TIME, "How long u can take it back; 0 is not at all, else 800ms or more."),
    Setting("guard", "hold_many", TIME, "The same for groups, remembering, stopping and HIGH risk."),
    Setting("guard", "dwell", TIME, "A line counts as shown after this long."),
    Setting("guard", "typing_lock", SWITCH, "Lock the decision keys while somebody types."),
    Setting("guard", "require_seen", SWITCH, "Approve only what was shown in full."),
    Setting("notify", "channel", choice("auto", *get_args(Channel)), "How a notice reaches you; auto asks TERM."),
    Setting("notify", "title", SWITCH, "Say in the title of the window what waits."),
    Setting("notify", "every", TIME, "Least time between two notices."),
    Setting("notify", "every_high", TIME, "The same for HIGH risk, which does not wait for the others."),
    Setting("notify", "gather", TIME, "What comes within this is one notice."),
    Setting("notify", "remind", TIMES, "Remind of the oldest request after these; [] never."),
    Setting("notify", "lost_after", TIME, "Say that the queue is lost after this."),
    Setting(
        "notify", "away_after", TIME, "Without a key for so long nobody looks, if the terminal tells no focus."
    ),
    Setting(
        "outside",
        "viewer",
        WORDS,
        "Shows a diff: program and arguments, such as [difft] or [delta, --paging=always].",
    ),
    Setting("keys", "single", SWITCH, "Let single keys decide; off wants the leader right before each that does."),
    Setting("keys", "leader", KEY, "That key: one character that means nothing else."),
    Setting("keys", "profile", choice("default", "arrows"), "arrows moves by arrows and named keys only."),
    Setting("keys", "map", KEY_MAP, "Other keys, such as {approve: A, later: [Z, f5]}."),
)


def value_in(settings: ScreenSettings, setting: Setting) -> Any:
    """What one of the settings is."""
    return getattr(getattr(settings, setting.section) if setting.section else settings, setting.name)


def default_of(setting: Setting) -> Any:
    """What holds while a setting is not given."""
    return value_in(ScreenSettings(), setting)
