"""Which rules are listed, what the history says of each, and which has the focus. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from textual import on

from signoff_tui.context import Office
from signoff_tui.header import standing_of
from signoff_tui.screens.list_beside_details import ListBesideDetails, Rows
from signoff_tui.screens.plain import News
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.rules.face import empty_lines, title_line
from signoff_tui.screens.rules.files import Listed, RuleFile
from signoff_tui.screens.rules.hits import Hits, Tally
from signoff_tui.screens.rules.lines import ONE_LINE, Known, heading, row_lines
from signoff_tui.screens.rules.work import Counted, Read, Work
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of

__all__ = ["ListedRules"]


class ListedRules(ListBesideDetails):
    """Reads the files whenever they change; what can be done about them is the business of the screen.

    Args:
        office: What all screens share.
        query: Why a request asked: the rule that says so has the focus first. All rules are listed anyway.
        desk: How the inbox stands; nothing of it is changed.
    """

    def __init__(self, office: Office, query: str, desk: ReviewSession) -> None:
        super().__init__(office, query)
        self._desk = desk
        self._work = Work(self, office)
        self._rereading = Rereading(self._work.read)
        self._rows: Sequence[Listed] = ()
        self._hits: Mapping[tuple[str, str, str, str], Hits] = {}
        self._tally = Tally()
        self._ready = self._lost = False
        self._problem = ""

    def on_mount(self) -> None:
        """Read the files."""
        self._rereading.wanted()

    def take_news(self, news: News) -> None:
        """The queue changed, was lost, or is back."""
        self._lost = bool(news.problem)
        if not self._lost:
            self._work.count(self._rows, self._tally)
        self.draw()

    def take_rules_news(self) -> None:
        """Files changed, or the list of those that are trusted."""
        self._rereading.wanted()

    def rows_changed(self) -> None:
        """The files were read: what was shown of one may not be in it any more."""

    # -- what comes in -----------------------------------------------------------------------------------

    @on(Read)
    def _read(self, event: Read) -> None:
        focused = self._focused
        self._ready, self._problem = True, event.problem
        self._rows = event.rows
        keys = [row.key for row in self._rows]
        if focused is not None and focused.key in keys:
            self._cursor = keys.index(focused.key)
        elif focused is None:
            self._cursor = next((index for index, row in enumerate(self._rows) if self._is_asked_for(row)), 0)
        self._cursor = max(0, min(self._cursor, len(keys) - 1))
        self.rows_changed()
        self._work.count(self._rows, self._tally)
        self._rereading.ended()
        self.draw()

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        self._tally, self._hits = event.tally, event.hits
        self.draw()

    # -- drawing -------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of files and rules."""
        return len(self._rows)

    @property
    def _focused(self) -> Listed | None:
        return self._rows[self._cursor] if self._rows else None

    @property
    def _files(self) -> Sequence[RuleFile]:
        return [row.file for row in self._rows if not row.number]

    @property
    def _rules_of_focused(self) -> RuleFile | None:
        """The settings file that the focused row belongs to; of code, the one beside it."""
        row = self._focused
        if row is None or not row.file.code:
            return None if row is None else row.file
        folder = Path(row.file.name).parent
        return next((file for file in self._files if not file.code and Path(file.name).parent == folder), row.file)

    def _is_asked_for(self, row: Listed) -> bool:
        """Whether it is the rule of the request from which this screen was opened."""
        return row.rule is not None and row.rule.asked(self._query)

    def _known(self, row: Listed) -> Known:
        return Known(row, self._hits.get(row.key), self._tally.looked_at)

    def title_line(self, width: int) -> Line:
        """How many rules there are, and whether they are what was trusted."""
        return title_line(self._files, standing_of(self._desk.inbox.tally.counts, lost=self._lost), width)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """That nothing is trusted, or why that is not known."""
        return empty_lines(self._problem, width, ready=self._ready)

    def rows(self, width: int) -> Rows:
        """One row for each file and each rule."""
        rows, glyphs = self._rows, look_of(self).glyphs

        def row(index: int, width: int) -> Sequence[Line]:
            return row_lines(self._known(rows[index]), glyphs, width, focused=index == self._cursor)

        return Rows(row, 1 if width >= ONE_LINE else 2, [heading(width)])
