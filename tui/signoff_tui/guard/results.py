"""The guard's answers to a key: one verdict, and what was undone on the way."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from signoff_tui.guard.holds import Act, Held, Permit
from signoff_tui.guard.targets import LeftOut, Ref

__all__ = [
    "TOO_EARLY",
    "Answered",
    "BarClosed",
    "Decide",
    "DecisionOffer",
    "EditorText",
    "Effect",
    "Ignored",
    "KeysLocked",
    "NeedsGroupBar",
    "NeedsUnseenBar",
    "NotDecisive",
    "OpenEditor",
    "OpenSheet",
    "Reaction",
    "Reason",
    "SheetClosed",
    "TakenBack",
    "Verdict",
]


class Reason(StrEnum):
    """The reason to swallow a key."""

    READ_ONLY = "read only"
    TOO_SMALL = "too small"
    DISCONNECTED = "not connected"
    NOTHING = "nothing to decide"
    CATCHING_UP = "catching up"
    CLOSED = "closed"
    HELD = "held"
    TOO_EARLY = "too early"
    LATE = "late"
    CAPITALS = "capitals act on groups"
    NO_GROUP = "no group"
    HIGH = "HIGH is never allowed for a session"
    NOT_OFFERED = "not offered"
    SHEET = "the sheet has the keys"
    TYPING = "typing"
    ENTER_AFTER = "Enter after an approval"
    ENTER_AGAIN = "Enter again"
    ENDED = "ended while open"


class DecisionOffer(Struct, frozen=True):
    """The subject of an editor or a sheet. It decides nothing until the user confirms there.

    Attributes:
        act: The act to confirm.
        refs: The requests, in the order given.
        key: The key that asked for it.
        left_out: Members of the group that are not covered.
        group: True if it is about a group, whatever is left of it.
        also: For `RELEASE`: what waits for the same, as the sheet lists it.
    """

    act: Act
    refs: tuple[Ref, ...]
    key: str
    left_out: tuple[LeftOut, ...] = ()
    group: bool = False
    also: tuple[Ref, ...] = ()


class NotDecisive(Struct, frozen=True):
    """An ordinary key: the screen handles it."""


class EditorText(Struct, frozen=True):
    """The key belongs to the open text box. Nothing else may see it."""


class Ignored(Struct, frozen=True):
    """The key does nothing, and the bar says `text`."""

    reason: Reason
    text: str


TOO_EARLY = Ignored(Reason.TOO_EARLY, "too early: look, press again")
"""The answer to a key that was pressed before there was time to see what it would be about."""


class Decide(Struct, frozen=True):
    """A decision was made. The screen holds it: `guard.hold(permit, payload)`."""

    permit: Permit


class OpenEditor(Struct, frozen=True):
    """Ask for words that go with a rejection; Enter there decides."""

    offer: DecisionOffer


class OpenSheet(Struct, frozen=True):
    """Show what an approval would be remembered for, or whom a stop would reach."""

    offer: DecisionOffer


class NeedsUnseenBar(Struct, frozen=True):
    """Not everything was on screen yet: say how much is missing and offer `!`, which never remembers.

    Attributes:
        ref: The key's target.
        coverage: Share of it that was shown.
        remembers: True if the key would have remembered the approval.
    """

    ref: Ref
    coverage: float
    remembers: bool = False


class NeedsGroupBar(Struct, frozen=True):
    """No member of the group is ready: say why.

    Attributes:
        left_out: All of them, each with the reason.
    """

    left_out: tuple[LeftOut, ...]


class Answered(Struct, frozen=True):
    """A question that the screen asked was answered with this key."""

    key: str


Verdict = (
    NotDecisive
    | EditorText
    | Ignored
    | Decide
    | OpenEditor
    | OpenSheet
    | NeedsUnseenBar
    | NeedsGroupBar
    | Answered
)


class TakenBack(Struct, frozen=True):
    """These decisions were not sent and never will be; their requests wait again."""

    held: tuple[Held[Any], ...]


class SheetClosed(Struct, frozen=True):
    """The open sheet is to be removed."""


class BarClosed(Struct, frozen=True):
    """The bar that offered `!` is to be removed."""


class KeysLocked(Struct, frozen=True):
    """Typing was recognized: no letter does anything until it has been quiet.

    Attributes:
        until: Time when the lock ends if no further key comes.
        text: The typed text, as far as it is known.
        keys: Keys that the screen obeyed before they were known to be typing. It undoes what they
            changed of the view.
    """

    until: float
    text: str
    keys: tuple[str, ...] = ()


Effect = TakenBack | SheetClosed | BarClosed | KeysLocked


class Reaction(Struct, frozen=True):
    """The outcome of a key. The effects happened before the verdict."""

    verdict: Verdict
    effects: tuple[Effect, ...] = ()
