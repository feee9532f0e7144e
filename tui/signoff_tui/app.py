"""The program: the shared services, the review screen, and the screens over it."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.events import AppBlur, AppFocus, Event, InputEvent, Key, MouseDown, Paste
from textual.filter import LineFilter, Monochrome, NoColor
from textual.theme import Theme as TextualTheme

from signoff.filter import SavedFilter
from signoff.present.reveal import reveal_line
from signoff.queue import QueueError, ReviewQueue, open_review_queue, place_name
from signoff_tui.context import Announcement, Office
from signoff_tui.external import copied_by_tmux, edit_text, in_a_free_terminal
from signoff_tui.fault import ScreenStopped, fault_of
from signoff_tui.guard import GuardSettings
from signoff_tui.notify.channels import terminal_kind
from signoff_tui.notify.mutes import MuteFile
from signoff_tui.notify.policy import NoticeSettings
from signoff_tui.notify.service import Beside, Clocks, Muting
from signoff_tui.router import Layers
from signoff_tui.screens.plain import News
from signoff_tui.screens.review.screen import ReviewScreen
from signoff_tui.screens.review.work import QueueNews
from signoff_tui.settings import NotKeptError, keep_filter, keep_theme
from signoff_tui.settings.reload import Following
from signoff_tui.settings.resolve import Personal, ResolvedSettings
from signoff_tui.state.persistence import ListStates, saved_with
from signoff_tui.state.read_marks import ReadMarks
from signoff_tui.terminal.background import BackgroundTold, is_light
from signoff_tui.terminal.input import InputStuck, TerminalBack, ToldToEnd
from signoff_tui.terminal.output_filter import DropControls, InOnePass
from signoff_tui.terminal.sequences import AskBackground, Copy, Saying, Speaks, TerminalKind
from signoff_tui.terminal.sigcont import Standstill
from signoff_tui.text.look import ASCII, UNICODE, Appearance, Glyphs
from signoff_tui.text.themes import ANSI_THEME, AUTO_THEME, DEFAULT_THEME, LIGHT_THEME, Theme
from signoff_tui.warning_watch import AlarmWatch
from signoff_tui.workers import run_beside

__all__ = ["DEFAULT_THEME", "SignoffApp", "run", "spare_the_collector"]


class SignoffApp(App[None]):
    """The reviewer's screen.

    Args:
        queue: An open review connection; the app closes it.
        place: The place of the queue, in words.
        theme: Name of a theme; that of `chosen` if it is left out.
        settings: Times of the decision guard; those of `chosen` if they are left out.
        notices: The settings of notices; those of `chosen` if they are left out.
        speaks_through: The first reader of the output: the terminal or a multiplexer.
        ascii_only: Draw with ASCII characters only, whatever `chosen` says.
        read_only: Look only: no key decides anything.
        wall_clock: Microseconds since the epoch, for the times that people read; that of the queue if left out.
        chosen: The settings of the person; the defaults if they are left out.
        personal: The sources of these settings, read again when they change.
        asks_for_theme: Ask for a theme before anything else.
        list_states: The store of list positions; without it they are forgotten.
        mute_file: The file of mutes; without it they are forgotten.

    Raises:
        ValueError: There is no such theme, or the guard's settings are not acceptable.
    """

    TITLE = "signoff"
    # The style of the first screen is loaded with the program's. A full path: others subclass this program.
    CSS_PATH = Path(__file__).parent / "screens" / "review" / "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    # Every key goes through the guard: Textual's own bindings would answer before it.
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    Screen { background: $signoff-background; color: $signoff-text; }
    RowList, VerticalScroll {
        scrollbar-color: $signoff-rule;
        scrollbar-color-hover: $signoff-muted;
        scrollbar-color-active: $signoff-muted;
        scrollbar-background: $signoff-background;
        scrollbar-background-hover: $signoff-background;
        scrollbar-background-active: $signoff-background;
    }
    /* Reversed: the one way that shows on every terminal, and without colors. */
    TextBox > .input--cursor, TextBox:focus > .input--cursor {
        color: $signoff-text;
        background: $signoff-surface;
        text-style: reverse;
    }
    /* Scroll bars are drawn with block characters. */
    App.-ascii RowList, App.-ascii VerticalScroll { scrollbar-size-vertical: 0; }
    """

    def __init__(
        self,
        queue: ReviewQueue,
        *,
        place: str = "",
        theme: str | None = None,
        settings: GuardSettings | None = None,
        notices: NoticeSettings | None = None,
        speaks_through: TerminalKind = "terminal",
        ascii_only: bool = False,
        read_only: bool = False,
        wall_clock: Callable[[], int] | None = None,
        chosen: ResolvedSettings | None = None,
        personal: Personal | None = None,
        asks_for_theme: bool = False,
        list_states: ListStates | None = None,
        mute_file: MuteFile | None = None,
        read_marks: ReadMarks | None = None,
    ) -> None:
        self._net = DropControls()
        self._colorless = NoColor()
        self._one_pass = InOnePass([self._net])
        self.fault: Exception | None = None
        """The error that ended the screen, if there was one."""
        self.stopped: ScreenStopped | None = None
        """The event outside the screen that ended it."""
        super().__init__()
        self.animation_level = "none"
        chosen = chosen or ResolvedSettings()
        self._personal = personal
        self._asks_for_theme = asks_for_theme
        self._chosen = replace(
            chosen,
            theme=theme or chosen.theme,
            ascii_only=ascii_only or chosen.ascii_only,
            guard=settings or chosen.guard,
            notices=notices or chosen.notices,
        )
        self._theme_choice = theme = self._chosen.theme
        """The name of the chosen theme, which may be auto."""
        if self._theme_choice not in (AUTO_THEME, *chosen.themes):
            raise ValueError(
                f"there is no theme {self._theme_choice!r}; choose one of: {', '.join(self.theme_names)}"
            )
        self._on_light = chosen.on_light
        """True if the background of the terminal is light, as far as it has said so."""
        self._themes: Mapping[str, Theme] = chosen.themes
        self.look = Appearance(self._themes[DEFAULT_THEME if theme == AUTO_THEME else theme], self._glyphs)
        self.set_class(self._chosen.ascii_only, "-ascii")
        for known in self._themes.values():
            self.register_theme(known.for_textual())
        self.theme = self.look.theme.name
        now = wall_clock or (lambda: queue.now)
        clocks = Clocks(time.monotonic, now, self.set_timer)
        muting = Muting(clocks, self._mutes_changed, mute_file)
        marks = None if read_marks is None else read_marks.path
        self._following = Following(self, personal, chosen, muting, marks)
        self._office = Office(queue, place, self, now, muting, chosen.keys, read_marks)
        self._office.viewer = chosen.viewer
        self._office.saved_filters = saved_with(chosen.filters)
        self._review = ReviewScreen(self._office, self._chosen.guard, self._chosen.diff)
        self._review.desk.guard.set_read_only(read_only)
        self._office.status_row = self._review.status_row
        self._office.counts = lambda: self._review.desk.inbox.tally.counts
        self._list_states = list_states
        if list_states is not None:
            self._review.filtering.goes_on_from(list_states.load())
        self._layers = Layers(self, self._office, self._review, self)
        self._alarms = AlarmWatch(self, self._office, self._layers.take_standing, self._warned)
        self._standstill = Standstill(self._went_on)
        self._speaks_through: TerminalKind = speaks_through
        self._beside = Beside(self._chosen.notices, speaks_through, self.speak, clocks, lambda: muting.now)

    @property
    def review(self) -> ReviewScreen:
        """The screen on which requests are decided."""
        return self._review

    def get_default_screen(self) -> ReviewScreen:
        """Return the review as the first screen: Textual would lay out and paint an empty one below it."""
        return self._review

    def on_mount(self) -> None:
        """Start the session and listen to the queue."""
        # Ctrl+Q and Ctrl+C come with the base class; both must be asked first, or do nothing.
        self._bindings.key_to_bindings.clear()
        self._standstill.listen()
        if self.has_few_colors or self._has_256_colors or self._on_light:
            self._fit_themes()
            self._paint_in(self._theme_choice)
        run_beside(self, self._watch, group="watch")
        self._following.start()
        self._office.muting.start()
        if not self.no_color:
            self.speak(AskBackground())  # whatever the theme: auto and ansi can be chosen at any time
        if self._asks_for_theme and not self.no_color:
            self._ask_for_a_theme(first=True)

    @on(BackgroundTold)
    def _take_background(self, event: BackgroundTold) -> None:
        if is_light(event.background) == self._on_light:
            return
        self._on_light = not self._on_light
        self._fit_themes()
        if self._theme_choice == AUTO_THEME or self.look.theme.name == ANSI_THEME:
            self._review.desk.guard.restart()
            self._paint_in(self._theme_choice)
        self._layers.take_standing()

    def on_unmount(self) -> None:
        """Save the list position and what was read, and close the queue."""
        self._keep_list_state()
        if (kept := self._office.read_marks) is not None:
            kept.add(self._review.contents.marks, self._office.now(), closing=True)
        self._standstill.stop()
        self._following.stop()
        self._office.close()

    def get_driver_class(self) -> type[Driver]:
        """Return the driver for terminals that costs nothing while no key comes; elsewhere Textual's own."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        from signoff_tui.terminal.driver import QuietDriver  # it cannot be imported where terminals are others

        return QuietDriver

    def get_line_filters(self) -> list[LineFilter]:
        """Return Textual's filters, then the output filter. Without colors there are no shades of gray either."""
        wanted = (*super().get_line_filters(), self._net)
        if self.no_color:
            kept = (known for known in wanted[:-1] if not isinstance(known, Monochrome | NoColor))
            wanted = (*kept, self._colorless, self._net)
        if wanted != self._one_pass.filters:
            self._one_pass = InOnePass(wanted)
        return [self._one_pass]

    def get_theme(self, theme_name: str) -> TextualTheme | None:
        """Return a theme without copying all themes: Textual asks for it at every row that it draws."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def post_display_hook(self) -> None:
        """Note a painted picture: Textual calls this after every picture it wrote."""
        self._review.displayed()
        if (over := self._layers.top) is not None:
            over.displayed()

    async def on_event(self, event: Event) -> None:
        """Handle an event; any use of keyboard or mouse shows that somebody is there."""
        if isinstance(event, Key | MouseDown | Paste):
            self._beside.present()
        if isinstance(event, InputEvent) and not self.screen_stack:
            return  # typed before there is a screen or after the last one: it decides nothing
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            # Never to a box at once: the key that opens it may be queued, and a later one would overtake it.
            self.app_focus = True
            self.screen._forward_event(event)  # noqa: SLF001 - as Textual does to the box
            return
        await super().on_event(event)

    def _went_on(self) -> None:
        self._review.desk.guard.went_on()
        for screen in self._layers:
            screen.stood_still()

    @on(ToldToEnd)
    def _end(self, event: ToldToEnd) -> None:
        """End as by the key, but ask nothing: a held decision is not sent; sent ones are waited for, once."""
        if self.stopped is not None or not self._layers.there:
            self.stopped = self.stopped or ScreenStopped(event.number, 0)
            self.exit()
            return
        held = self._review.desk.guard.holds.take_back_all()
        self.stopped = ScreenStopped(event.number, sum(len(each.refs) for each in held))
        self._review.leave()

    @on(TerminalBack)
    def _paint_again(self) -> None:
        if not self._layers.there:
            return
        if (over := self._layers.top) is not None:
            over.do_redraw()
        else:
            self._review.go("redraw")

    @on(InputStuck)
    def _tell_of_stuck_input(self, event: InputStuck) -> None:
        if event.on and self._layers.there:
            words = "the terminal began something and does not end it, keys wait for that: Esc ends it"
            if (over := self._layers.top) is not None:
                over.tell(words)
            else:
                self._review.say(words)

    def on_app_focus(self, event: AppFocus) -> None:
        """Note the focus of the terminal; the key or click before it may have been meant for that alone."""
        self._beside.focus(focused=True)
        self._following.look()  # some changes are not reported, such as those by other machines
        self._review.terminal_focused(event.time)
        for screen in self._layers:
            screen.terminal_focused(event.time)

    def on_app_blur(self, _: AppBlur) -> None:
        """Note the lost focus; the person may end the program from elsewhere."""
        self._keep_list_state()
        self._beside.focus(focused=False)

    def _keep_list_state(self) -> None:
        if self._list_states is not None:
            self._list_states.save(self._review.filtering.state)

    def _handle_exception(self, error: Exception) -> None:
        """End the screen after an unexpected error; Textual calls this."""
        self.fault = self.fault or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Print no dump: Textual would write all variables, with the secrets that agents sent."""
        self._close_messages_no_wait()

    def speak(self, saying: Saying) -> None:
        """Write a sequence to the terminal besides the picture; without a terminal nothing happens.

        What is copied in tmux is given to tmux: by itself it lets no program copy.
        """
        if isinstance(saying, Copy) and self._speaks_through == "tmux" and copied_by_tmux(saying.data):
            return
        if isinstance(self._driver, Speaks):
            self._driver.speak(saying, self._speaks_through)

    def edit(self, text: str, suffix: str) -> str | None:
        """Give the terminal to the person's editor; returns the text, or None if it was not changed.

        Raises:
            HandoverError: The editor failed; the message says why.
        """
        return in_a_free_terminal(self, lambda: edit_text(text, suffix))

    def hand_over(self, work: Callable[[], None]) -> None:
        """Give the terminal to a program of the person.

        Raises:
            HandoverError: The program failed; the message says why.
        """
        in_a_free_terminal(self, work)

    def raise_fault(self) -> None:
        """Raise what ended the screen, if that was a fault of its own.

        Raises:
            ScreenFaultError: It was.
        """
        if self.fault is not None:
            held = sum(len(each.refs) for each in self._review.desk.guard.holds)
            raise fault_of(self.fault, held) from self.fault

    def announce(self, words: str, *, token: str = "ok") -> None:
        """Show a message of signoff that stays while nothing waits."""
        self._office.announcement = Announcement(words, token)
        if self._layers.there:  # otherwise the first picture shows it
            self._review.say(words, token=token)

    def _warned(self, words: str) -> None:
        """Tell of a loss of the history, or of agents that do not trust this reviewer; "" takes it back."""
        self.announce(reveal_line(words).text, token="danger")

    def _mutes_changed(self) -> None:
        """Note that mutes have changed."""
        self._beside.mutes_changed()
        if self._layers.there:
            self._review.redraw()
        self._layers.take_standing()

    def look_at_marks(self) -> None:
        """Read what other screens have shown."""
        if self._layers.there:
            self._review.look_at_marks()

    def rules_looked_at(self, *, changed: bool) -> None:
        """Tell the screens that show rule files to look again, and check whether one is broken."""
        self._alarms.rules_changed(differ=changed)
        for screen in self._layers:
            screen.take_rules_news()

    def go(self, name: str, query: str = "") -> None:
        """Show another screen, or change the theme.

        Args:
            name: The name of the screen.
            query: The filter of the screen; empty for everything.

        Raises:
            ValueError: There is no such screen.
        """
        match name:
            case "themes":
                self._ask_for_a_theme()
            case _:
                self._layers.open(name, query)

    @on(QueueNews)
    def _pass_on(self, event: QueueNews) -> None:
        """Pass the changes that the review took over on to the screens over it."""
        # After the picture of the changes: neither is needed for it, and both load more of the program.
        self._review.call_after_refresh(self._following.begin)
        problem = str(event.news) if isinstance(event.news, QueueError) else ""
        if not problem:
            self._review.call_after_refresh(self._alarms.queue_changed)
        for screen in self._layers:
            screen.post_message(News(problem))

    def use(self, chosen: ResolvedSettings, before: ResolvedSettings) -> None:
        """Apply new settings. The guard and the keys stay as they are: no key changes under the hand.

        Args:
            chosen: The new settings.
            before: The settings before.
        """
        self._chosen = chosen
        said = ["settings read again"]
        if chosen.notices != before.notices:
            self._beside.use(chosen.notices)
        self._office.viewer = chosen.viewer
        self._office.saved_filters = saved_with(chosen.filters)
        if chosen.diff != before.diff:
            self._review.show_diffs(chosen.diff)
        if (chosen.guard, chosen.keys, chosen.mouse) != (before.guard, before.keys, before.mouse):
            said.append("guard, keys and mouse count from the next start")
        self._fit_themes()
        self.set_class(chosen.ascii_only, "-ascii")
        own_choice = chosen.theme == before.theme and self._theme_choice in (AUTO_THEME, *chosen.themes)
        self.use_theme(self._theme_choice if own_choice else chosen.theme)
        self._review.redraw()
        self._review.say("; ".join(said), token="muted")

    @property
    def has_few_colors(self) -> bool:
        """True if the terminal has sixteen colors. Pictures that no terminal shows have all."""
        return not self.is_headless and self.console.color_system in {"standard", "windows"}

    @property
    def _has_256_colors(self) -> bool:
        return not self.is_headless and self.console.color_system == "256"

    def _fit_themes(self) -> None:
        """Have the themes that there are in colors that can be read in this terminal."""
        themes = dict(self._chosen.themes)
        if self._has_256_colors:
            themes = {name: each.in_256_colors() for name, each in themes.items()}
        if self.has_few_colors:
            themes = {name: each if each.ansi else each.in_sixteen_colors() for name, each in themes.items()}
        if self._on_light and ANSI_THEME in themes:
            themes[ANSI_THEME] = themes[ANSI_THEME].in_sixteen_colors(dark=False)
        self._themes = themes
        for known in themes.values():
            self.register_theme(known.for_textual())

    @property
    def _glyphs(self) -> Glyphs:
        return ASCII if self._chosen.ascii_only else UNICODE

    def _ask_for_a_theme(self, *, first: bool = False) -> None:
        from signoff_tui.screens.themes.screen import ThemesScreen

        def themes() -> Mapping[str, Theme]:
            return {name: self._themes[self._named(name)] for name in self.theme_names}

        where = "" if self._personal is None else str(self._personal.file)
        self._layers.cover(
            ThemesScreen(self._office, themes, self._theme_choice, where, self._keep_theme, first=first)
        )

    def _keep_theme(self, name: str) -> None:
        """Apply a theme, and write it into the settings if there is a file for them."""
        self.use_theme(name)
        if self._personal is None:
            return
        try:
            keep_theme(self._personal.file, name)
        except NotKeptError as error:
            self._review.say(reveal_line(str(error)).text, token="danger")
        else:
            self._following.look()  # at once: its message about the file must not come after this
            self._review.say(f"theme {name}, written to your settings", token="ok")

    def keep_filter(self, query: str) -> Announcement:
        """Write a filter into the settings, among the person's own; returns the result in words."""
        if self._personal is None:
            return Announcement("not saved: there is no place for settings", "warn")
        try:
            keep_filter(self._personal.file, query)
        except NotKeptError as error:
            return Announcement(str(error), "danger")
        if not any(each.query == query for each in self._office.saved_filters):
            self._office.saved_filters = (*self._office.saved_filters, SavedFilter(query, query))
        return Announcement(f"saved in your settings: {self._office.keys.shown('saved')} lists it")

    @property
    def theme_names(self) -> tuple[str, ...]:
        """The names that can be chosen: auto, and all themes."""
        return (AUTO_THEME, *self._chosen.themes)

    def use_theme(self, name: str) -> None:
        """Paint everything in another theme, or in the one that fits the terminal."""
        self._theme_choice = name
        self._paint_in(name)
        self._review.desk.guard.restart()
        self._review.say(f"theme {name}", token="muted")

    def _named(self, choice: str) -> str:
        """The theme that a choice stands for in this terminal."""
        if choice != AUTO_THEME:
            return choice
        return ANSI_THEME if self.has_few_colors else LIGHT_THEME if self._on_light else DEFAULT_THEME

    def _paint_in(self, choice: str) -> None:
        name = self._named(choice)
        self.look = Appearance(self._themes[name], self._glyphs)
        if self.theme == name:  # other colors under the same name
            self._watch_theme(name)  # by which Textual knows, too, whether they are the terminal's own now
        else:
            self.theme = name  # Textual works out all styles; doing it here too would take twice as long
        for widget in self.screen.walk_children(with_self=True):
            widget.refresh()

    async def _watch(self) -> None:
        async for changed in self._office.changes(lambda: self._review.desk.inbox.queue_cursor):
            self._review.post_message(QueueNews(changed))
            self._beside.take(changed)


_MADE_AT_ONCE = 50_000
"""The number of new objects after which the garbage collector runs."""


def spare_the_collector() -> None:
    """Exclude the objects that are there from garbage collection.

    They are code, mostly. Walking through them again and again takes a tenth of a second each time, in which
    nothing is drawn. Later objects often come all at once: a long diff is not walked through again and again while
    it is made.
    """
    gc.enable()  # the caller may have switched it off
    gc.freeze()
    gc.set_threshold(_MADE_AT_ONCE)


def run(
    place: str | None = None,
    *,
    theme: str | None = None,
    ascii_only: bool = False,
    read_only: bool = False,
    chosen: ResolvedSettings | None = None,
) -> ScreenStopped | None:
    """Open the screen on a queue and stay until the person leaves.

    Args:
        place: Directory, name or URL of the queue; ``SIGNOFF_QUEUE`` or the default queue otherwise.
        theme: Name of a theme; ``SIGNOFF_THEME`` or the theme of the settings by default.
        ascii_only: Draw with ASCII characters only, whatever the settings say.
        read_only: Look only: no key decides anything.
        chosen: The person's settings, if they have been read already.

    Returns:
        The event outside the screen that ended it; None if the person left it.

    Raises:
        QueueError: The queue cannot be opened; the message says what to do.
        ScreenFaultError: The screen ended by a fault of its own.
        ValueError: There is no such theme or channel for notices, or the person's settings are not valid.
    """
    variables = dict(os.environ)
    os.environ.pop("UNICODE_VERSION", None)  # with it, Rich would use an older table than the measured one
    personal = Personal(variables, theme, ascii_only)
    chosen = chosen or personal.choose()
    queue = open_review_queue(place)
    app = SignoffApp(
        queue,
        place=place_name(place),
        speaks_through=terminal_kind(variables),
        read_only=read_only,
        chosen=chosen,
        personal=personal,
        asks_for_theme=not chosen.theme_was_chosen,
        list_states=ListStates(place_name(place)),
        mute_file=MuteFile(place_name(place)),
        read_marks=ReadMarks(place_name(place), queue.reviewer, read_only=read_only),
    )
    spare_the_collector()
    app.run(mouse=chosen.mouse)
    app.raise_fault()
    return app.stopped
