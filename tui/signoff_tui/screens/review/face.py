"""What the parts that react to keys may ask of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from signoff_tui.guard import Cause
from signoff_tui.screens.review.extent import Extent

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.guard import Held
    from signoff_tui.screens.review.boxes import Boxes
    from signoff_tui.screens.review.filtering import Filtering
    from signoff_tui.screens.review.open_bar import OpenBar
    from signoff_tui.screens.review.outside import Outside
    from signoff_tui.screens.review.views import Views
    from signoff_tui.state.decision_session import HeldAnswer
    from signoff_tui.state.session import ReviewSession
    from signoff_tui.widgets.document.view import DocumentView

__all__ = ["Face"]


class Face(Protocol):
    """The screen, as its helpers see it."""

    @property
    def desk(self) -> ReviewSession:
        """The state behind the screen."""

    @property
    def office(self) -> Office:
        """What is shared with the other screens."""

    @property
    def views(self) -> Views:
        """What has the screen."""

    @property
    def filtering(self) -> Filtering:
        """What is listed."""

    @property
    def boxes(self) -> Boxes:
        """The boxes for text."""

    @property
    def outside(self) -> Outside:
        """The clipboard, and programs that get the terminal."""

    @property
    def document(self) -> DocumentView:
        """The view on the content."""

    @property
    def extent(self) -> Extent:
        """What has room."""

    @property
    def two_panes(self) -> bool:
        """Whether list and content stand side by side."""

    def grow_page(self) -> bool:
        """Put the next member on the page, if it is made; returns whether that was so."""

    @property
    def bar(self) -> OpenBar | None:
        """What lies over the action bar."""

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put something over the action bar, or remove it."""

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something on the last row, until the next key."""

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""

    def send(self, held: Held[HeldAnswer]) -> None:
        """Give a decision to the queue."""

    def go(self, name: str, query: str = "") -> None:
        """Go to another screen, with what the query picks: ``history``, ``memory``, ``agents``, ``help``."""

    def leave(self) -> None:
        """End the program."""
