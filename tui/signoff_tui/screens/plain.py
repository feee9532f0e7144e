"""The base of the screens over the review: keys from the action table, and the ways to other screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.message import Message
from textual.screen import Screen

from signoff.text.time import local_time
from signoff_tui.context import Office
from signoff_tui.input.actions import Action, Place
from signoff_tui.input.handlers import Handlers
from signoff_tui.notify.warnings import with_alarms
from signoff_tui.text.lines import Line, chunk, fullest
from signoff_tui.text.look import look_of
from signoff_tui.widgets.text_box import TextBox

__all__ = ["PLAIN_HANDLERS", "News", "PlainScreen"]

PLAIN_HANDLERS: Handlers[PlainScreen] = Handlers()
"""Handlers for the actions of every screen over the review."""


class News(Message, bubble=False):
    """News of the queue: it changed, and the review knows of it; or it cannot be reached.

    Args:
        problem: The reason why it cannot be reached; empty if it can.
    """

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self.problem = problem


class PlainScreen(Screen[None]):
    """A screen over the review: the registry of its class has a handler for each action of its place.

    Args:
        office: The services that all screens share.
        query: The choice of the screen, in the filter language; everything if it is empty.
    """

    AUTO_FOCUS = ""
    place: ClassVar[Place]
    """The part of the action table that the screen answers."""
    handlers: ClassVar[Handlers[Any]] = PLAIN_HANDLERS
    """Handlers for the actions of the place."""

    def __init__(self, office: Office, query: str = "") -> None:
        super().__init__()
        self._office = office
        self._query = query

    def on_key(self, event: events.Key) -> None:
        """Do what the key stands for here, or hand it to the text box; one that is in no table does nothing."""
        event.stop()
        event.prevent_default()
        if isinstance(self.focused, TextBox):
            self.focused.take(event)
            return
        key = event.character if event.is_printable and event.character else event.key
        action = self._office.keys.action_of(key, self.place)
        if action is not None and not action.decides:
            self.perform(action)

    def on_paste(self, event: events.Paste) -> None:
        """Hand pasted text to the text box, if one is open: it is never a command."""
        event.stop()
        if isinstance(self.focused, TextBox):
            self.focused.take_paste(event)

    @on(News)
    def _news(self, event: News) -> None:
        self.take_news(event)

    def take_news(self, news: News) -> None:
        """Take note that the queue changed or was lost; screens that show its contents read it again."""

    def take_rules_news(self) -> None:
        """Take note that rule files, or the list of those that are trusted, may have changed."""

    def take_standing(self) -> None:
        """Draw the first line again: the warnings and mutes in it have changed."""

    def tell(self, words: str) -> None:
        """Show the effect of the last key, in words."""

    def titled(self, title: Callable[[int], Line], width: int) -> Line:
        """Return the first line of the screen: its title, the warnings, and the mutes where there is room.

        Args:
            title: Makes the title line for a number of cells.
            width: Cells.
        """
        line = with_alarms(title, self._office.alarms, width, ellipsis=look_of(self).glyphs.ellipsis)
        until = self._office.muting.now.everything
        if until is None:
            return line
        muted = [
            chunk(f" muted {words}{local_time(until, 'minute')} ", "warn", keep=True) for words in ("until ", "")
        ]
        return fullest([*(replace(line, right=(words, *line.right)) for words in muted), line], width)

    def displayed(self) -> None:
        """Note that a picture of this screen was written: the wait for a second key is counted from here."""

    def stood_still(self) -> None:
        """Note that the program goes on after it was stopped: that wait is counted from the next picture."""

    def terminal_focused(self, at: float) -> None:
        """Note that the terminal got the focus at a time (monotonic seconds): what gave it is no decision."""

    def perform(self, action: Action) -> None:
        """Do one action of this place, as its key would; a decision is left to its key."""
        if action.decides:
            self.tell(f"{action.shown} does that: look, then press it")
        else:
            self.handlers.do(action.name, self)

    @property
    def stands(self) -> bool:
        """True if there is something to draw on: not before it is laid out, nor once the screen is left.

        What was asked for may be answered, and news may come, while the parts of a screen are taken away.
        """
        return self.app.is_running and self.is_mounted and bool(self.size) and self in self.app.screen_stack

    @PLAIN_HANDLERS("back")
    def do_back(self) -> None:
        """Go one level back."""
        self.dismiss()

    @PLAIN_HANDLERS("inbox")
    def do_inbox(self) -> None:
        """Show the inbox."""
        self._office.go("inbox")

    @PLAIN_HANDLERS("history")
    def do_history(self) -> None:
        """Show the history."""
        self._office.go("history")

    @PLAIN_HANDLERS("agents")
    def do_agents(self) -> None:
        """Show the agents."""
        self._office.go("agents")

    @PLAIN_HANDLERS("rules")
    def do_rules(self) -> None:
        """Show the rules: what asks, what runs, and why."""
        self._office.go("rules")

    @PLAIN_HANDLERS("mute")
    def do_mute(self) -> None:
        """Hold all notices back for a while; or do not any more."""
        self.tell(self._office.muting.turn())

    @PLAIN_HANDLERS("help")
    def do_help(self) -> None:
        """Show the keys of this screen."""
        self._office.go("help")

    @PLAIN_HANDLERS("palette")
    def do_palette(self) -> None:
        """Choose what to do by its name."""
        self._office.go("palette")

    @PLAIN_HANDLERS("themes")
    def do_themes(self) -> None:
        """Choose a theme."""
        self._office.go("themes")

    @PLAIN_HANDLERS("redraw")
    def do_redraw(self) -> None:
        """Draw everything anew, after another program wrote into the terminal."""
        self.app.refresh(layout=True)
