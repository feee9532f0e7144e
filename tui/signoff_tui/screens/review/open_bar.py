"""What lies where the action bar usually is: a sheet, a bar, a text box, a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.guard import LeftOut, Offer, Ref
from signoff_tui.screens.review import sheets
from signoff_tui.screens.review.releasing import Listing
from signoff_tui.state.reach import remember_preview
from signoff_tui.state.session import ReviewSession
from signoff_tui.state.tagged import TAGGED
from signoff_tui.text.key_hints import BarRoom, KeyHint
from signoff_tui.text.lines import Line

__all__ = [
    "Asking",
    "Finding",
    "GroupNotReady",
    "OpenBar",
    "Picking",
    "Remembering",
    "Stopping",
    "Unseen",
    "Writing",
    "bar_lines",
    "box_keys",
]


class Unseen(Struct, frozen=True):
    """Not everything of a request was shown; offers the deliberate second act, which never remembers."""

    ref: Ref
    remembers: bool = False


class GroupNotReady(Struct, frozen=True):
    """No member of a group can be approved yet."""

    group: str
    left_out: tuple[LeftOut, ...]
    remembers: bool = False


class Remembering(Struct, frozen=True):
    """What remembering would cover, and what else waits for the same if that can be released, too."""

    refs: tuple[Ref, ...]
    listing: Listing | None = None


class Stopping(Struct, frozen=True):
    """Whom stopping an agent would reach."""

    refs: tuple[Ref, ...]


class Picking(Struct, frozen=True):
    """Replies to choose from, some at a time.

    Attributes:
        replies: All of them.
        most: How many have room; not more than there are digits for.
        first: The first that is listed now.
        marked: The one that Enter puts in; it is listed.
    """

    replies: tuple[str, ...]
    most: int
    first: int = 0
    marked: int = 0

    @property
    def listed(self) -> tuple[str, ...]:
        """The ones that are listed now; a digit stands for each, from 1."""
        return self.replies[self.first : self.first + self.most]

    def next(self) -> Picking | None:
        """The next ones; None behind the last, which closes the list."""
        first = self.first + self.most
        return None if first >= len(self.replies) else replace(self, first=first, marked=first)

    def moved(self, steps: int) -> Picking:
        """The mark further down or up, as far as there are replies; what is listed goes with it."""
        marked = max(0, min(self.marked + steps, len(self.replies) - 1))
        first = max(min(self.first, marked), marked - self.most + 1)
        return replace(self, first=first, marked=marked)

    def chosen(self, key: str) -> str | None:
        """The reply that a key stands for: a digit for a listed one, Enter for the marked one."""
        if key == "enter":
            return self.replies[self.marked]
        number = int(key) if len(key) == 1 and key in "123456789" else 0
        return self.listed[number - 1] if 1 <= number <= len(self.listed) else None


class Writing(Struct, frozen=True):
    """A refusal is being written; or a reply for it is chosen."""

    offer: Offer
    hard: bool
    picking: Picking | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """Ids of the requests that it is about."""
        return tuple(ref.id for ref in self.offer.refs)


class Finding(Struct, frozen=True):
    """Words are looked for in what is shown."""

    problem: str = ""


class Asking(Struct, frozen=True):
    """A question of the program's own. It is answered by one of the hinted keys."""

    question: str
    hints: tuple[KeyHint, ...]
    about: Literal["quit", "copy", "filter"] = "quit"


OpenBar = Unseen | GroupNotReady | Remembering | Stopping | Writing | Finding | Asking


def bar_lines(desk: ReviewSession, open_bar: OpenBar, room: BarRoom, *, armed: bool, now: int) -> Sequence[Line]:
    """The lines of an open bar, above its text box if it has one; now is in microseconds since the epoch."""
    match open_bar:
        case Unseen(ref, remembers):
            return sheets.unseen_bar(desk, ref, room, remembers=remembers)
        case GroupNotReady(about, left_out, remembers):
            return sheets.group_bar(desk, left_out, room, tagged=about == TAGGED, remembers=remembers)
        case Remembering(refs, listing):
            others = sheets.others_lines(desk, refs, listing, now=now, width=room.width)
            previews = [remember_preview(desk.inbox, ref.id) for ref in refs if ref.id in desk.inbox]
            release = 0 if listing is None else len(listing.listed)
            if not previews:
                return ()
            return sheets.remember_sheet(previews, others, room, desk.keys, armed=armed, release=release)
        case Stopping(refs):
            return sheets.stop_sheet(desk, refs, room, armed=armed)
        case Writing(offer, hard, picking):
            if picking is None:
                return sheets.editor_lines(desk, offer, room, hard=hard)
            marked = picking.marked - picking.first
            return sheets.reply_lines(picking.listed, picking.first, len(picking.replies), room, marked=marked)
        case Finding(problem):
            return sheets.find_lines(problem)
        case Asking(question, hints):
            return sheets.question_lines(question, hints, room)


def box_keys(desk: ReviewSession, open_bar: OpenBar | None, room: BarRoom) -> Sequence[Line]:
    """The keys of the text box that belongs to an open bar, for below it; nothing if it has none."""
    match open_bar:
        case Writing(offer, hard, None):
            return sheets.editor_keys(desk, offer, room, hard=hard)
        case Writing(picking=Picking() as picking):
            return sheets.reply_keys(picking.listed, picking.first, len(picking.replies), room)
        case Finding():
            return sheets.find_keys(room)
        case _:
            return ()
