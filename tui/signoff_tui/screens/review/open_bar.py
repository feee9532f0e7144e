"""The sheets, text boxes and questions over the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from signoff_tui.guard import DecisionOffer, Ref
from signoff_tui.screens.review import sheets
from signoff_tui.screens.review.allow import Allowing, allow_sheet
from signoff_tui.state.documents import ContentKey
from signoff_tui.state.edits import Editable
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import BarRoom, KeyHint
from signoff_tui.text.lines import Line

__all__ = [
    "Approving",
    "Editing",
    "FindBar",
    "OpenBar",
    "QuestionBar",
    "Unseen",
    "Writing",
    "bar_lines",
    "box_keys",
]


class Unseen(Struct, frozen=True):
    """The bar of a request not shown in full; it offers the deliberate second act, which never remembers."""

    ref: Ref


class Approving(Struct, frozen=True):
    """The sheet of an approval of a group, or of the tagged, that leaves some out: it lists what is covered."""

    offer: DecisionOffer


class Writing(Struct, frozen=True):
    """The box in which a refusal is written.

    Attributes:
        offer: The decision that Enter confirms.
        hard: True if it stops the agent.
        suggests: The edited part of the call, if the text is what the agent should do instead.
    """

    offer: DecisionOffer
    hard: bool
    suggests: Editable | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """Ids of the requests that it is about."""
        return tuple(ref.id for ref in self.offer.refs)


class Editing(Struct, frozen=True):
    """The box in which a call is edited before it is approved.

    Attributes:
        of: The content that is edited.
        what: The part of it.
    """

    of: ContentKey
    what: Editable


class FindBar(Struct, frozen=True):
    """The box for words to find in the content."""

    problem: str = ""


class QuestionBar(Struct, frozen=True):
    """A question of the program's own. It is answered by one of the hinted keys."""

    question: str
    hints: tuple[KeyHint, ...]
    about: Literal["quit", "copy"] = "quit"


OpenBar = Unseen | Approving | Allowing | Writing | Editing | FindBar | QuestionBar


def bar_lines(desk: ReviewSession, open_bar: OpenBar, room: BarRoom, *, armed: bool) -> Sequence[Line]:
    """Return the lines of an open bar, above its text box if it has one."""
    match open_bar:
        case Unseen(ref):
            return sheets.unseen_question(desk, ref, room, armed=armed)
        case Approving(offer):
            return sheets.approve_sheet(desk, offer, room, armed=armed)
        case Allowing():
            return allow_sheet(desk, open_bar, room, armed=armed)
        case Writing(offer, _, Editable()):
            return sheets.suggestion_lines(desk, offer, room)
        case Writing(offer, hard):
            return sheets.editor_lines(desk, offer, room, hard=hard)
        case Editing(of, what):
            return sheets.editing_lines(desk, of, what)
        case FindBar(problem):
            return sheets.find_lines(problem)
        case QuestionBar(question, hints):
            return sheets.question_lines(question, hints, room)


def box_keys(desk: ReviewSession, open_bar: OpenBar | None, room: BarRoom) -> Sequence[Line]:
    """Return the keys of the text box that belongs to an open bar, for below it; nothing if it has none."""
    match open_bar:
        case Writing(offer, hard, suggests):
            return sheets.editor_keys(desk, offer, room, hard=hard, suggests=suggests is not None)
        case Editing():
            return sheets.editing_keys(room)
        case FindBar():
            return sheets.find_keys(room)
        case _:
            return ()
