"""The screens that lie over the review: opening them, and telling them of news."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from textual.app import App
from textual.screen import Screen

from signoff_tui.context import Office
from signoff_tui.input.actions import Place
from signoff_tui.screens.plain import PlainScreen
from signoff_tui.screens.review.screen import ReviewScreen

if TYPE_CHECKING:
    from signoff_tui.screens.palette.commands import Command

__all__ = ["Layers", "Themed"]


class Themed(Protocol):
    """Who paints, as far as the palette needs it."""

    @property
    def theme_names(self) -> tuple[str, ...]:
        """The themes that there are."""

    def use_theme(self, name: str) -> None:
        """Paint everything in another theme."""


class Layers:
    """The review, and what lies over it.

    Args:
        app: Keeps the screens, one over the other.
        office: What every screen works with.
        review: The screen that is always there, below the others.
        themed: Changes the theme when the palette says so.
    """

    def __init__(self, app: App[None], office: Office, review: ReviewScreen, themed: Themed) -> None:
        self._app = app
        self._office = office
        self._review = review
        self._themed = themed

    @property
    def place(self) -> Place:
        """Where keys act now."""
        screen = self._app.screen
        return screen.place if isinstance(screen, PlainScreen) else "review"

    @property
    def top(self) -> PlainScreen | None:
        """What lies over everything else; None if nothing lies over the review."""
        stack = self._app.screen_stack
        return stack[-1] if stack and isinstance(stack[-1], PlainScreen) else None

    @property
    def there(self) -> bool:
        """Whether the screens can be drawn: not before the first, nor while the program ends."""
        return self._app.is_running and self._review.is_mounted

    def __iter__(self) -> Iterator[PlainScreen]:
        """What lies over the review, from the lowest up."""
        return (screen for screen in self._app.screen_stack if isinstance(screen, PlainScreen))

    def take_standing(self) -> None:
        """What the first line of every screen says besides is other than it was."""
        if not self.there:
            return
        self._review.take_standing()
        for screen in self:
            screen.take_standing()

    def open(self, name: str, query: str = "") -> None:
        """Show a screen.

        Args:
            name: Which one.
            query: What the screen picks, in the filter language; all if it is empty.

        Raises:
            ValueError: There is no such screen.
        """
        # Screens are loaded when they are first shown: most of them are not needed to begin.
        match name:
            case "inbox":
                came_from = self.place
                while self._app.screen is not self._review:
                    self._app.pop_screen()
                if query:
                    self._review.filtering.seek(query, came_from)
            case "agents":
                from signoff_tui.screens.agents.screen import AgentsScreen

                self._lay_over(AgentsScreen(self._office, query, self._review.desk.inbox), query)
            case "history":
                from signoff_tui.screens.history.screen import HistoryScreen

                self._lay_over(HistoryScreen(self._office, query), query)
            case "memory":
                from signoff_tui.screens.memory.screen import MemoryScreen

                self._lay_over(MemoryScreen(self._office, query, self._review.desk), query)
            case "rules":
                from signoff_tui.screens.rules.screen import RulesScreen

                self._lay_over(RulesScreen(self._office, query, self._review.desk), query)
            case "help":
                from signoff_tui.screens.help.screen import HelpScreen

                self.cover(HelpScreen(self._office, self.place))
            case "details":
                from signoff_tui.screens.details.screen import DetailsScreen

                entry = self._review.desk.inbox.focused_request()
                if entry is not None:
                    self.cover(DetailsScreen(self._office, entry.request))
            case "palette":
                from signoff_tui.screens.palette.commands import commands_on
                from signoff_tui.screens.palette.screen import PaletteScreen

                commands = commands_on(self.place, self._themed.theme_names, self._office.keys)
                self.cover(PaletteScreen(self._office, commands, self._run))
            case _:
                raise ValueError(f"there is no screen {name!r}")

    def cover(self, screen: Screen[None]) -> None:
        """Lay a screen over what is there. The review gets no keys until it is back."""
        if self._app.screen is self._review:
            self._review.covered()
        self._app.push_screen(screen)

    def _lay_over(self, screen: PlainScreen, query: str) -> None:
        """Lay a screen over the review, in the place of what lies there.

        What picks something was opened for a row: it lies over the screen with that row, and leads back to it.
        """
        if query or self._app.screen is self._review:
            self.cover(screen)
            return
        while self._app.screen_stack[-2] is not self._review:
            self._app.pop_screen()
        self._app.switch_screen(screen)

    def _run(self, command: Command) -> None:
        """Do what was chosen in the palette, on the screen that it was opened on."""
        screen = self._app.screen
        if command.theme:
            self._themed.use_theme(command.theme)
        elif command.action is not None and isinstance(screen, PlainScreen | ReviewScreen):
            screen.perform(command.action)
