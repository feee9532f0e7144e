"""Work of the memory screen that must not block it. What comes of it arrives as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual.message import Message
from textual.screen import Screen

from signoff.queue import PatternPreview, QueueError, StoredRequest
from signoff_tui.context import Office
from signoff_tui.screens.memory import widening
from signoff_tui.screens.memory.deeds import Deed
from signoff_tui.screens.memory.entries import Entry, Origin, Reading, load, matching
from signoff_tui.screens.memory.face import Said
from signoff_tui.workers import run_beside

__all__ = ["Counted", "Done", "Loaded", "Offered", "Previewed", "Work"]


class Loaded(Message, bubble=False):
    """The remembered approvals were read, or cannot be."""

    def __init__(self, reading: Reading | None, problem: str = "") -> None:
        super().__init__()
        self.reading = reading
        self.problem = problem


class Counted(Message, bubble=False):
    """It is known how many requests that wait a grant matches."""

    def __init__(self, grant_id: str, waiting: int) -> None:
        super().__init__()
        self.grant_id = grant_id
        self.waiting = waiting


class Done(Message, bubble=False):
    """Something was done, or refused."""

    def __init__(self, said: Said) -> None:
        super().__init__()
        self.said = said


class Offered(Message, bubble=False):
    """What can be remembered besides, or instead, is known."""

    def __init__(self, sheet: widening.Widening) -> None:
        super().__init__()
        self.sheet = sheet


class Previewed(Message, bubble=False):
    """It is known what a pattern would have answered."""

    def __init__(self, option: widening.Option, found: PatternPreview) -> None:
        super().__init__()
        self.option = option
        self.found = found


class Work:
    """Starts workers of the screen.

    Args:
        screen: Gets the messages.
        office: Does the work.
        session: Only what is remembered for this session; None for all.
    """

    def __init__(self, screen: Screen[None], office: Office, session: str | None) -> None:
        self._screen = screen
        self._office = office
        self._session = session

    def load(self, listed: Sequence[Entry], known: Mapping[str, Origin]) -> None:
        """Read what is remembered; `Loaded` follows."""
        ids = frozenset(entry.grant.id for entry in listed)
        run_beside(self._screen, partial(self._load, ids, known), group="load")

    def match(self, entry: Entry, waiting: Sequence[StoredRequest]) -> None:
        """Count the requests that one would answer; `Counted` follows."""
        run_beside(self._screen, partial(self._match, entry, waiting), group="count", exclusive=True)

    def do(self, deed: Deed) -> None:
        """Change something; `Done` follows."""
        run_beside(self._screen, partial(self._do, deed), group="deed")

    def find_offers(self, entry: Entry, *, narrows: bool) -> None:
        """Look what else could be remembered; `Offered` follows, or `Done` if there is nothing."""
        run_beside(self._screen, partial(self._find_offers, entry, narrows=narrows), group="offer", exclusive=True)

    def preview(self, sheet: widening.Widening) -> None:
        """Look what the chosen pattern would have answered; `Previewed` follows, or `Done` if that fails."""
        run_beside(self._screen, partial(self._preview, sheet), group="preview", exclusive=True)

    async def _load(self, listed: frozenset[str], known: Mapping[str, Origin]) -> None:
        now = self._office.now()
        try:
            reading = await self._office.ask(lambda queue: load(queue, self._session, now, listed, known))
        except QueueError as error:
            self._screen.post_message(Loaded(None, f"it cannot be read: {error}"))
        else:
            self._screen.post_message(Loaded(reading))

    async def _match(self, entry: Entry, waiting: Sequence[StoredRequest]) -> None:
        number = await self._office.compute(matching, entry.grant, waiting)
        self._screen.post_message(Counted(entry.grant.id, number))

    async def _do(self, deed: Deed) -> None:
        try:
            said = await self._office.ask(deed.do)
        except QueueError as error:
            said = Said(f"{deed.failed}: {error}", "danger")
        self._screen.post_message(Done(said))

    async def _find_offers(self, entry: Entry, *, narrows: bool) -> None:
        try:
            sheet = await self._office.ask(lambda queue: widening.offers(queue, entry, narrows=narrows))
        except QueueError as error:
            word = "narrower" if narrows else "wider"
            self._screen.post_message(Done(Said(f"#{entry.number} gets no {word}: {error}", "warn")))
        else:
            self._screen.post_message(Offered(sheet))

    async def _preview(self, sheet: widening.Widening) -> None:
        option, grant = sheet.chosen, sheet.entry.grant
        try:
            found = await self._office.ask(lambda queue: widening.preview(queue, grant, option.pattern))
        except QueueError as error:
            self._screen.post_message(Done(Said(f"no preview, so nothing can be saved: {error}", "danger")))
        else:
            self._screen.post_message(Previewed(option, found))
