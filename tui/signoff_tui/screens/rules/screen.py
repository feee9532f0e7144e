"""The rules screen: the grants for a session and the trusted rule files, which say why calls ask or not."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual import events

from signoff.filter import quote
from signoff.policy.trust import TrustError
from signoff.queue import QueueError
from signoff_tui.context import Office
from signoff_tui.external import HandoverError, edit_file, in_a_free_terminal
from signoff_tui.guard import Cause, DeliberateKeys, Reason
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.list_beside_details import LIST_HANDLERS, ListBesideDetails, ListRows
from signoff_tui.screens.plain import News
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.rules.allowed import Allowed, read_allowed
from signoff_tui.screens.rules.files import FileRule, RuleFile, read_files
from signoff_tui.screens.rules.hits import HitCounts, Hits, add_newer
from signoff_tui.screens.rules.lines import (
    allowed_details,
    allowed_row,
    file_details,
    file_row,
    heading_details,
    heading_row,
    no_files_details,
    no_files_row,
    rule_details,
    rule_row,
)
from signoff_tui.screens.rules.trust_change import (
    CannotTrustError,
    TrustChange,
    change_lines,
    look_at,
    no_longer_trust,
    trust_shown,
)
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.bars import Key
from signoff_tui.text.lines import Line, chunk, wrapped
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList
from signoff_tui.workers import run_beside

__all__ = ["RulesScreen"]

_HANDLERS: Handlers[RulesScreen] = Handlers(LIST_HANDLERS)

_ALLOWED, _NO_FILES = "allowed", "no files"
"""The row above what is allowed, and the one in the place of rule files."""

Row = str | Allowed | RuleFile | FileRule

_SOON = 0.02
"""Seconds by which a key is drawn as working after it does."""


class RulesScreen(ListBesideDetails):
    """Grants, then trusted files with their rules, and everything about the focused one.

    Args:
        office: The services that all screens share.
        query: The reason why a request asked: the rule that gives it has the focus first. All is listed anyway.
        desk: The times of the guard, and what is held; nothing of it is changed.
    """

    place = "rules"
    handlers = _HANDLERS
    tab = "Rules"

    def __init__(self, office: Office, query: str, desk: ReviewSession) -> None:
        super().__init__(office, query)
        self._desk = desk
        self._deliberate = DeliberateKeys(desk.settings, office.keys.guard_keys("rules"))
        self._allowed: Sequence[Allowed] | None = None
        self._files: Sequence[RuleFile] | None = None
        self._rows: Sequence[Row] = (_ALLOWED,)
        self._reading_allowed = Rereading(lambda: run_beside(self, self._read_allowed, group="allowed"))
        self._reading_files = Rereading(lambda: run_beside(self, self._read_files, group="files"))
        self._tally: HitCounts | None = None
        self._problem = self._file_problem = ""
        self._change: TrustChange | None = None
        self._why_not = ""
        """The reason why the changed file in focus cannot be trusted; not safe to show yet."""
        self._moved_by_hand = self._busy = False

    def on_mount(self) -> None:
        """Read the grants and the rule files."""
        self._reading_allowed.wanted()
        self._reading_files.wanted()

    def on_key(self, event: events.Key) -> None:
        """Take note of every key before its action is looked up."""
        key = event.character if event.is_printable and event.character else event.key
        self._deliberate.press(key, event.time, time.monotonic())
        super().on_key(event)

    def stood_still(self) -> None:
        """Forget what was painted: what keys act on counts from the next picture."""
        self._deliberate.forget_all()
        for part in (self.query_one("#rows", RowList), self.query_one("#detail", LinesView)):
            part.draw_again()

    def terminal_focused(self, _: float) -> None:
        """Forget what was painted: the key or click that gave the terminal its focus changes nothing."""
        self.stood_still()

    # -- going ---------------------------------------------------------------------------------------------

    @_HANDLERS("rules")
    def do_rules(self) -> None:
        """Do nothing: everything is listed already."""

    @_HANDLERS("uses")
    def open_row(self) -> None:
        """Show the calls that the focused grant answered, or that the rule asked about, in the history."""
        row = self._focused
        if isinstance(row, Allowed):
            if row.grant.uses:
                self._office.go("history", f"by:{row.grant.id}")
            else:
                self.say(f"#{row.number} was never used", "muted")
        elif isinstance(row, FileRule):
            if not row.rule.told:
                self.say("requests do not name this rule, so they cannot be listed", "muted")
            elif not (hits := self._hits(row)) or not hits.total:
                self.say("no request in the newest part of the history names this rule", "muted")
            else:
                self._office.go("history", f"why:{quote(row.rule.told[0])}")
        else:
            self.do_full()

    def moved(self) -> None:
        """Compare a changed file with what was trusted as soon as it has the focus."""
        self._moved_by_hand = True
        self._deliberate.gone(self._subject)
        self._compare()

    # -- changing ------------------------------------------------------------------------------------------

    @_HANDLERS("revoke")
    def do_revoke(self) -> None:
        """Revoke the focused grant at once, or trust the focused file no longer."""
        row = self._focused
        if isinstance(row, Allowed) and not row.in_force:
            self.say(f"#{row.number} is revoked already", "muted")
        elif isinstance(row, Allowed):
            if self._meant("x", self._subject, Cause.MOVED):
                self._begin(partial(self._revoke, row))
        elif isinstance(row, RuleFile):
            if self._meant("x", self._subject, Cause.MOVED):
                self._begin(partial(self._no_longer_trust, row.name))
        elif isinstance(row, FileRule):
            self.say("x on the row of its file trusts that no longer; E edits the rule", "muted")
        else:
            self.say("go to one to revoke it", "muted")

    @_HANDLERS("confirm")
    def do_confirm(self) -> None:
        """Trust what was shown, all of it, and nothing else."""
        change = self._shown_change
        if change is None:
            self.say("only a changed file is trusted here", "muted")
        elif not self._deliberate.is_painted(change.key):
            self.say("not trusted: Space shows the rest of it first")
        elif self._meant("!", change.key, Cause.SHEET):
            self._begin(partial(self._trust, change))

    @_HANDLERS("edit")
    def do_edit(self) -> None:
        """Open the file in the person's editor, at the line of the rule; then show what changed."""
        row = self._focused
        if not isinstance(row, RuleFile | FileRule):
            self.say("no file to edit here: x revokes what is allowed", "muted")
            return
        if len(self._desk.guard.holds):
            self.say("a decision is still held: it would wait for the editor. Press E again once it is sent")
            return
        file, number = (row.name, None) if isinstance(row, RuleFile) else (row.file.name, row.line)
        try:
            in_a_free_terminal(self.app, lambda: edit_file(file, number))
        except HandoverError as error:
            self.say(str(error), "danger")
        else:
            self._deliberate.forget_all()
            self._cursor = next(at for at, each in enumerate(self._rows) if _identity(each) == ("file", file))
            self._moved_by_hand = True
            self._reading_files.wanted()

    def _meant(self, key: str, subject: str, cause: Cause) -> bool:
        """Take the last key if it may change something now and was pressed on purpose; else say why not."""
        off = self._desk.guard.read_only, self.room.too_small, bool(self._problem), self._busy
        said = ("read only", "the pane is too small", "the queue is not there", "the last key is at work")
        if any(off):
            self.say(f"{key} does nothing: {said[off.index(True)]}")
            return False
        ignored = self._deliberate.take(key, subject, cause)
        if ignored is not None:
            self.say(ignored.text, "muted" if ignored.reason is Reason.NOTHING else "warn")
        return ignored is None

    # -- drawing -------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of rows: the heading, grants, files and rules."""
        return len(self._rows)

    @property
    def _focused(self) -> Row:
        return self._rows[self._cursor]

    @property
    def _subject(self) -> str:
        """The name of the subject of `x`."""
        return f"row {_identity(self._focused)}"

    @property
    def _shown_change(self) -> TrustChange | None:
        """The change of the focused file, if there is one to trust."""
        row, change = self._focused, self._change
        return change if isinstance(row, RuleFile) and change is not None and change.file == row.name else None

    def _hits(self, row: FileRule) -> Hits | None:
        return None if self._tally is None else self._tally.of(row.rule)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """Return nothing: the heading is always there."""
        return ()

    def rows(self, width: int) -> ListRows:
        """Return one row for each grant, file and rule."""
        rows, glyphs, now, you = self._rows, look_of(self).glyphs, self._office.now(), self._office.reviewer
        number = None if self._allowed is None else sum(each.in_force for each in self._allowed)

        def row(index: int, width: int) -> Sequence[Line]:
            each, focused = rows[index], index == self._cursor
            match each:
                case Allowed():
                    return allowed_row(each, glyphs, width, now, you, focused=focused)
                case RuleFile():
                    return file_row(each, glyphs, width, focused=focused)
                case FileRule():
                    return rule_row(each, self._hits(each), glyphs, width, focused=focused)
                case _ if each == _ALLOWED:
                    return heading_row(number, glyphs, width, focused=focused)
                case _:
                    return no_files_row(glyphs, focused=focused)

        return ListRows(row, note=self._note(width))

    def _note(self, width: int) -> Sequence[Line]:
        problems = [words for words in (self._problem, self._file_problem) if words]
        return [row for words in problems for row in wrapped(words, width, "danger", head=chunk("  "))]

    def detail_lines(self, width: int) -> Sequence[Line]:
        """Return the lines about the focused row; for a changed file, what would be trusted."""
        row, now = self._focused, self._office.now()
        match row:
            case Allowed():
                return allowed_details(row, width, now, self._office.reviewer)
            case FileRule():
                looked_at = 0 if self._tally is None else self._tally.looked_at
                return [*rule_details(row, self._hits(row), looked_at, width)]
            case RuleFile():
                change = self._shown_change
                if change is not None:
                    return change_lines(change, width)
                why = wrapped(self._why_not, width, "danger", head=chunk(" ")) if self._why_not else []
                return [*file_details(row, width), *why]
            case _:
                return heading_details(width) if row == _ALLOWED else no_files_details(width)

    def bar_keys(self) -> Sequence[Key]:
        """Return the keys of the bottom row, with what they do now."""
        row, shown = self._focused, self._office.keys.shown
        revoke = shown("revoke", place="rules")
        now, change = time.monotonic(), self._shown_change
        armed = now >= self._deliberate.armed_at(self._subject, Cause.MOVED)
        match row:
            case Allowed():
                first = Key("Enter", "uses", row.grant.uses > 0, "uses")
                second = Key(
                    shown("revoke", place="rules"), "revoke", row.in_force and armed and not self._problem
                )
            case FileRule():
                hits = self._hits(row)
                first = Key("Enter", "calls", hits is not None and hits.total > 0, "uses")
                second = Key(revoke, "", live=False)
            case RuleFile():
                trusts = change is not None and now >= self._deliberate.armed_at(change.key, Cause.SHEET)
                first = Key(shown("confirm", place="rules"), "trust it", trusts)
                second = Key(revoke, "untrust", armed)
            case _:
                first, second = Key("Enter", "details", action="uses"), Key(revoke, "", live=False)
        files = isinstance(row, RuleFile | FileRule)
        return (
            first,
            second,
            Key(shown("edit", place="rules"), "edit", files, "edit" if files else ""),
            Key(shown("page_down", place="rules"), "read on", action="page_down"),
            Key("Esc", "back", action="back"),
            Key(shown("help"), "keys", action="help"),
        )

    def displayed(self) -> None:
        """Arm the keys of the last picture, which is on the screen from now on."""
        super().displayed()
        if not self.stands or self.app.screen is not self or self.room.too_small:
            return
        if self.full or self.query_one("#rows", RowList).drawn:
            self._paint(self._subject, Cause.MOVED)
        change = self._shown_change
        if change is not None and self.details_read:
            self._paint(change.key, Cause.SHEET)

    def _paint(self, subject: str, cause: Cause) -> None:
        if not self._deliberate.is_painted(subject):
            self._deliberate.painted(subject, time.monotonic())
            self.set_timer(cause.wait(self._desk.settings) + _SOON, self.draw)

    # -- what comes in -------------------------------------------------------------------------------------

    def take_news(self, news: News) -> None:
        """Read the grants again after a change of the queue; note that it was lost, or is back."""
        self._problem = news.problem
        if not news.problem:
            self._reading_allowed.wanted()
        self.draw()

    def take_rules_news(self) -> None:
        """Read the rule files again: they changed, or the list of those that are trusted."""
        self._reading_files.wanted()

    def _take_rows(self) -> None:
        """List what was read; the focus stays on its row, or goes once to where a person looks first."""
        focused = self._focused
        rows: list[Row] = [_ALLOWED, *(self._allowed or ())]
        for file in self._files or ():
            rows += [file, *(FileRule(file, number + 1) for number in range(len(file.rows)))]
        self._rows = [*rows, *([_NO_FILES] if self._files == () else [])]
        at = [_identity(row) for row in self._rows]
        here = _identity(focused)
        self._cursor = at.index(here) if here in at else min(self._cursor, len(at) - 1)
        if not self._moved_by_hand:
            self._cursor = self._first()
        self._compare()
        self.draw()

    def _first(self) -> int:
        """Return the place of the rule that the request asked by, else of the first grant."""
        asked = [
            at for at, row in enumerate(self._rows) if isinstance(row, FileRule) and row.rule.asked(self._query)
        ]
        return next(iter(asked), min(1, len(self._rows) - 1) if self._allowed else 0)

    async def _read_allowed(self) -> None:
        before = {each.grant.id: each for each in self._allowed or ()}
        tally = self._tally or HitCounts()
        try:
            self._allowed = await self._office.ask(lambda queue: read_allowed(queue, before))
            self._tally = await self._office.ask(lambda queue: add_newer(queue, tally))
        except QueueError as error:
            self._problem = f"what is allowed cannot be read: {error}"
        self._reading_allowed.ended()
        self._take_rows()

    async def _read_files(self) -> None:
        try:
            self._files, self._file_problem = await self._office.compute(read_files), ""
        except TrustError as error:
            self._files, self._file_problem = None, str(error)
        self._reading_files.ended()
        self._take_rows()

    def _compare(self) -> None:
        row = self._focused
        if isinstance(row, RuleFile) and row.state == "CHANGED":
            run_beside(self, partial(self._look_at, row.name), group="compare", exclusive=True)
        else:
            self._take_change(None, "")

    async def _look_at(self, file: str) -> None:
        try:
            self._take_change(await self._office.compute(look_at, file), "")
        except CannotTrustError as error:
            self._take_change(None, f"cannot be trusted: {error}")
        self.draw()

    def _take_change(self, change: TrustChange | None, why_not: str) -> None:
        before, self._change, self._why_not = self._change, change, why_not
        if before is not None and (change is None or change.key != before.key):
            self._deliberate.gone(before.key)

    # -- work that must not block the screen ---------------------------------------------------------------

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._busy = True
        run_beside(self, work, group="change")

    def _done(self, words: str, token: str) -> None:
        self._busy = False
        self._reading_allowed.wanted()
        self._reading_files.wanted()
        self.say(words, token)

    async def _revoke(self, row: Allowed) -> None:
        try:
            revoked = await self._office.ask(lambda queue: queue.revoke(row.grant.id))
        except QueueError as error:
            self._done(f"NOT revoked: {error}", "danger")
            return
        if revoked:
            self._done(f"#{row.number} revoked: the next such call asks again", "ok")
        else:
            self._done(f"#{row.number} had been revoked by somebody else before", "warn")

    async def _no_longer_trust(self, file: str) -> None:
        try:
            ended = await self._office.compute(no_longer_trust, file)
        except CannotTrustError as error:
            self._done(f"still trusted: {error}", "danger")
            return
        names = " and ".join(Path(name).name for name in ended)
        self._done(f"no longer trusted: {names}. Agents that start now refuse it", "ok")

    async def _trust(self, change: TrustChange) -> None:
        try:
            await self._office.compute(trust_shown, change)
        except CannotTrustError as error:
            self._done(f"NOT trusted: {error}", "danger")
        else:
            self._done(f"trusted: {Path(change.file).name}. Agents that run now must load it again", "ok")


def _identity(row: Row) -> tuple[str, ...]:
    """Return the identity of a row, by which it is found when everything is read again."""
    match row:
        case Allowed():
            return ("grant", row.grant.id)
        case RuleFile():
            return ("file", row.name)
        case FileRule():
            return ("rule", row.file.name, row.rule.section, row.rule.about, row.rule.words)
        case _:
            return (row,)
