"""Work of the rules screen that must not block it. What comes of it arrives as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual.message import Message
from textual.screen import Screen

from signoff.policy.trust import TrustError
from signoff.queue import QueueError
from signoff_tui.context import Office
from signoff_tui.screens.rules.changing import CannotTrustError, Change, look_at, trust_shown, untrust_gone
from signoff_tui.screens.rules.files import Listed, RuleFile, listed, read_files
from signoff_tui.screens.rules.hits import Hits, Tally, add_newer
from signoff_tui.screens.rules.suggesting import NothingToSuggestError, Suggested, suggest
from signoff_tui.screens.rules.trying import Tried, judge
from signoff_tui.workers import run_beside

__all__ = ["Compared", "Counted", "Drawn", "Failed", "Judged", "Read", "Trusted", "Untrusted", "Work"]


class Read(Message, bubble=False):
    """The files were read, or cannot be."""

    def __init__(self, rows: Sequence[Listed], problem: str = "") -> None:
        super().__init__()
        self.rows = rows
        self.problem = problem


class Counted(Message, bubble=False):
    """It is known how often each rule asked."""

    def __init__(self, tally: Tally, hits: Mapping[tuple[str, str, str, str], Hits]) -> None:
        super().__init__()
        self.tally = tally
        self.hits = hits


class Judged(Message, bubble=False):
    """It is known what a file says of a call."""

    def __init__(self, tried: Tried) -> None:
        super().__init__()
        self.tried = tried


class Compared(Message, bubble=False):
    """It is known what is other than it was trusted; None if nothing is."""

    def __init__(self, file: str, change: Change | None) -> None:
        super().__init__()
        self.file = file
        self.change = change


class Trusted(Message, bubble=False):
    """What was shown is trusted."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change


class Failed(Message, bubble=False):
    """Something cannot be done."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Untrusted(Message, bubble=False):
    """Files are trusted no more; none if the file was there again."""

    def __init__(self, file: str, ended: Sequence[str]) -> None:
        super().__init__()
        self.file = file
        self.ended = ended


class Drawn(Message, bubble=False):
    """It is known which rules could be added; None if there are none, and why."""

    def __init__(self, suggested: Suggested | None, why: str = "") -> None:
        super().__init__()
        self.suggested = suggested
        self.why = why


class Work:
    """Starts workers of the screen.

    Args:
        screen: Gets the messages.
        office: Does the work.
    """

    def __init__(self, screen: Screen[None], office: Office) -> None:
        self._screen = screen
        self._office = office

    def read(self) -> None:
        """Read the trusted files; `Read` follows."""
        run_beside(self._screen, self._read, group="read")

    def count(self, rows: Sequence[Listed], known: Tally) -> None:
        """Count what is new in the history; `Counted` follows, unless the queue cannot be read."""
        run_beside(self._screen, partial(self._count, rows, known), group="count", exclusive=True)

    def judge(self, file: RuleFile, text: str) -> None:
        """Ask a file what it says of a call; `Judged` follows."""
        run_beside(self._screen, partial(self._judge, file, text), group="judge", exclusive=True)

    def compare(self, file: str) -> None:
        """Look what is other than it was trusted; `Compared` or `Failed` follows."""
        run_beside(self._screen, partial(self._compare, file), group="compare", exclusive=True)

    def trust(self, change: Change) -> None:
        """Trust what was shown; `Trusted` or `Failed` follows."""
        run_beside(self._screen, partial(self._trust, change), group="trust")

    def untrust(self, file: str) -> None:
        """Trust a file that is gone no more; `Untrusted` or `Failed` follows."""
        run_beside(self._screen, partial(self._untrust, file), group="trust")

    def suggest(self, file: RuleFile) -> None:
        """Draw rules from what was approved; `Drawn` follows."""
        run_beside(self._screen, partial(self._suggest, file), group="suggest", exclusive=True)

    async def _read(self) -> None:
        try:
            files = await self._office.compute(read_files)
        except TrustError as error:
            self._screen.post_message(Read((), str(error)))
        else:
            self._screen.post_message(Read(tuple(listed(files))))

    async def _count(self, rows: Sequence[Listed], known: Tally) -> None:
        try:
            tally = await self._office.ask(lambda queue: add_newer(queue, known))
        except QueueError:
            return  # that it is lost is said in the title
        hits = await self._office.compute(_hits, rows, tally)
        self._screen.post_message(Counted(tally, hits))

    async def _judge(self, file: RuleFile, text: str) -> None:
        self._screen.post_message(Judged(await self._office.compute(judge, file, text)))

    async def _untrust(self, file: str) -> None:
        try:
            ended = await self._office.compute(untrust_gone, file)
        except CannotTrustError as error:
            self._screen.post_message(Failed(f"still trusted: {error}"))
        else:
            self._screen.post_message(Untrusted(file, ended))

    async def _suggest(self, file: RuleFile) -> None:
        try:
            suggested = await self._office.ask(lambda queue: suggest(queue, file))
        except NothingToSuggestError as error:
            self._screen.post_message(Drawn(None, str(error)))
        except QueueError as error:
            self._screen.post_message(Drawn(None, f"the history cannot be read: {error}"))
        else:
            self._screen.post_message(Drawn(suggested))

    async def _compare(self, file: str) -> None:
        try:
            change = await self._office.compute(look_at, file)
        except CannotTrustError as error:
            self._screen.post_message(Failed(f"cannot be trusted: {error}"))
        else:
            self._screen.post_message(Compared(file, change))

    async def _trust(self, change: Change) -> None:
        try:
            await self._office.compute(trust_shown, change)
        except CannotTrustError as error:
            self._screen.post_message(Failed(f"NOT trusted: {error}"))
        else:
            self._screen.post_message(Trusted(change))


def _hits(rows: Sequence[Listed], tally: Tally) -> Mapping[tuple[str, str, str, str], Hits]:
    return {row.key: tally.of(row.rule) for row in rows if row.rule is not None}
