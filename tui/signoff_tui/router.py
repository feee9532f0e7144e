"""The screens over the review: opening them, and passing news on to them."""

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
    from signoff_tui.screens.palette.commands import PaletteCommand

__all__ = ["Layers", "Themed"]


class Themed(Protocol):
    """The part of the app that the palette needs to change the theme."""

    @property
    def theme_names(self) -> tuple[str, ...]:
        """The names of all themes."""

    def use_theme(self, name: str) -> None:
        """Paint everything in another theme."""


class Layers:
    """The review, and the screens over it.

    Args:
        app: The app with the stack of screens.
        office: The shared services.
        review: The screen that is always there, below the others.
        themed: Changes the theme for the palette.
    """

    def __init__(self, app: App[None], office: Office, review: ReviewScreen, themed: Themed) -> None:
        self._app = app
        self._office = office
        self._review = review
        self._themed = themed

    @property
    def place(self) -> Place:
        """The place where keys act now."""
        screen = self._app.screen
        return screen.place if isinstance(screen, PlainScreen) else "review"

    @property
    def top(self) -> PlainScreen | None:
        """The topmost screen; None if nothing is over the review."""
        stack = self._app.screen_stack
        return stack[-1] if stack and isinstance(stack[-1], PlainScreen) else None

    @property
    def there(self) -> bool:
        """True if the screens can be drawn: not before the first picture, nor while the program ends."""
        return self._app.is_running and self._review.is_mounted

    def __iter__(self) -> Iterator[PlainScreen]:
        """Iterate over the screens over the review, from the lowest up."""
        return (screen for screen in self._app.screen_stack if isinstance(screen, PlainScreen))

    def take_standing(self) -> None:
        """Redraw the first line of every screen after its facts have changed."""
        if not self._app.is_running:
            return
        self._review.take_standing()
        for screen in self:
            screen.take_standing()

    def open(self, name: str, query: str = "") -> None:
        """Show a screen.

        Args:
            name: The name of the screen.
            query: The filter of the screen; empty for everything.

        Raises:
            ValueError: There is no such screen.
        """
        # Screens are loaded when they are first shown: most of them are not needed at the start.
        match name:
            case "inbox":
                came_from = self.place
                while self._app.screen is not self._review:
                    self._app.pop_screen()
                if query:
                    self._review.filtering.seek(query, came_from)
            case "agents":
                from signoff_tui.screens.agents.screen import AgentsScreen

                self._lay_over(AgentsScreen(self._office, query, self._review), query)
            case "history":
                from signoff_tui.screens.history.screen import HistoryScreen

                self._lay_over(HistoryScreen(self._office, query), query)
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
        """Lay a screen over the others. The review gets no keys until it is back."""
        if self._app.screen is self._review:
            self._review.covered()
        self._app.push_screen(screen)

    def _lay_over(self, screen: PlainScreen, query: str) -> None:
        """Lay a screen over the review, in place of the one that is there.

        A screen with a filter was opened for a row: it lies over the screen with that row, and leads back to it.
        """
        if query or self._app.screen is self._review:
            self.cover(screen)
            return
        while self._app.screen_stack[-2] is not self._review:
            self._app.pop_screen()
        self._app.switch_screen(screen)

    def _run(self, command: PaletteCommand) -> None:
        """Run the command that was chosen in the palette, on the screen that it was opened on."""
        screen = self._app.screen
        if command.theme:
            self._themed.use_theme(command.theme)
        elif command.action is not None and isinstance(screen, PlainScreen | ReviewScreen):
            screen.perform(command.action)
