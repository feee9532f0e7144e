"""The line for typing a filter, which is applied while it is typed, and the list of filters to choose from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer

from signoff.filter import (
    Completion,
    Field,
    Filtered,
    FilterError,
    Query,
    SavedFilter,
    complete,
    field_at,
    parse,
)
from signoff.present.reveal.escape import typeable
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.sized import Sized
from signoff_tui.widgets.text_box import TextBox

__all__ = [
    "FilterBar",
    "FilterWords",
    "hint_lines",
    "offer_lines",
    "problem_lines",
]


APPLY_SECONDS = 0.1
"""The least time between two applications of a filter while it is typed."""

_PROMPT = 3


class FilterBar(Vertical, Sized):
    """The filter of a list; it is hidden unless somebody types.

    The screen asks `takes_key` about every key while the bar is open, and must leave keys that it does not take to
    the text box.

    Args:
        filtered: The kind of things that are filtered.
        values: Returns existing values, by the name of their field.
        keep: Saves a filter; returns a message with its style.
    """

    DEFAULT_CSS = """
    FilterBar { height: 1; display: none; }
    FilterBar.-open { display: block; }
    FilterBar Horizontal { height: 1; }
    FilterBar #prompt { width: 3; height: 1; }
    FilterBar TextBox { width: 1fr; padding: 0; background: $signoff-surface; color: $signoff-text; }
    """

    class Applied(Message):
        """Posted when another filter is in force."""

        def __init__(self, query: Query) -> None:
            super().__init__()
            self.query = query

    class Closed(Message):
        """Posted when typing has ended.

        Args:
            kept: True if what was typed is in force now, False if that of before is.
        """

        def __init__(self, *, kept: bool) -> None:
            super().__init__()
            self.kept = kept

    def __init__(
        self,
        filtered: Filtered,
        values: Callable[[], Mapping[str, Iterable[str]]],
        keep: Callable[[str], tuple[str, str]],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._words = FilterWords(filtered)
        self._values = values
        self._keep = keep
        self._said = ("", "")
        """The message about saving, with its style."""
        self._offers: Sequence[tuple[str, str]] = ()
        """Labels and texts of the filters to choose from; empty while one is typed."""
        self._chosen = 0
        self._told_at = 0.0
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="filter-list")
        with Horizontal():
            yield LinesView(id="prompt")
            yield TextBox(id="filter-words")
        yield LinesView(id="filter-hints")

    @property
    def query_in_force(self) -> Query:
        """The filter of the list."""
        return self._words.query

    @property
    def is_open(self) -> bool:
        """True if somebody types."""
        return self.has_class("-open")

    def use(self, text: str) -> None:
        """Apply another filter, without a message to the screen.

        Raises:
            FilterError: The filter cannot be used; the last one stays.
        """
        self._words.take(text)
        problem, self._words.problem = self._words.problem, None
        if problem is not None:
            raise problem

    def open(self, text: str = "") -> None:
        """Open the bar for typing.

        Args:
            text: The text to go on from.
        """
        self._words.begin()
        self._offers = ()
        self.add_class("-open")
        self.box.write(text)
        self._draw()

    def choose(self, saved: Sequence[SavedFilter], agent: str | None) -> None:
        """Open the bar with a list of filters; the chosen one stands in the box, and may be typed on.

        Args:
            saved: The filters; at least one.
            agent: Name of the selected agent, if there is one.
        """
        self.open()
        # Invisible characters never get into a text box, wherever the filter comes from.
        self._offers = [(each.label, typeable(each.text(agent or ""), "?")) for each in saved]
        self._choose(0)

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key: keep, restore, choose, complete, save; False if it is for the text box."""
        self._said = ("", "")
        self._take(self.box.value)  # the newest text was not reported yet
        match event.key:
            case "enter":
                if self._words.problem is None:
                    self._tell(at_once=True)
                    self._close(kept=True)
            case "escape":
                if self._words.restore():
                    self._tell(at_once=True)
                self._close(kept=False)
            case "up" | "down" if self._offers:
                self._choose(self._chosen + (1 if event.key == "down" else -1))
            case "up":
                self.box.write(self._words.earlier)
            case "down":
                pass
            case "tab":
                self._complete(1)
            case "shift+tab":
                self._complete(-1)
            case "ctrl+s":
                self._save()
            case _:
                return False
        return True

    def resized(self) -> None:
        """Lay out for the width."""
        self._draw()

    @property
    def box(self) -> TextBox:
        """The box for typing."""
        return self.query_one(TextBox)

    def _choose(self, index: int) -> None:
        """Put a filter of the list into the box."""
        self._chosen = max(0, min(index, len(self._offers) - 1))
        self.box.write(self._offers[self._chosen][1])
        self._take(self.box.value)
        self._draw()

    @on(LinesView.Clicked, "#filter-list")
    def _offer_clicked(self, event: LinesView.Clicked) -> None:
        event.stop()
        self._choose(self._first_offer + event.row)

    def _save(self) -> None:
        query = self._words.query
        if self._words.problem is not None:
            self._said = ("not saved: it cannot be used as it stands", "warn")
        elif query.expression is None:
            self._said = ("not saved: nothing is typed", "warn")
        else:
            self._said = self._keep(query.text)
        self._draw()

    def _complete(self, step: int) -> None:
        box = self.box
        text, cursor = self._words.complete(box.value, box.cursor_position, self._values(), step=step)
        box.value = text
        box.cursor_position = cursor
        self._draw()

    @on(TextBox.Changed)
    def _typed(self, event: TextBox.Changed) -> None:
        event.stop()
        if self.is_open:
            if self._offers and self.box.value != self._offers[self._chosen][1]:
                self._offers = ()
            self._take(self.box.value)
            self._draw()

    def _take(self, text: str) -> None:
        if self._words.take(text):
            self._tell()

    def _tell(self, *, at_once: bool = False) -> None:
        """Report that another filter is in force; a little later if that was just reported."""
        wait = self._told_at + APPLY_SECONDS - time.monotonic()
        if at_once or wait <= 0:
            self._tell_now()
        elif self._timer is None:
            self._timer = self.set_timer(wait, self._tell_now)

    def _tell_now(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._told_at = time.monotonic()
        self.post_message(self.Applied(self._words.query))

    def _close(self, *, kept: bool) -> None:
        self.remove_class("-open")
        self.screen.set_focus(None)
        self.post_message(self.Closed(kept=kept))

    @property
    def _first_offer(self) -> int:
        """The number of the first filter of the list that is shown: it takes half of the screen at most."""
        return max(0, self._chosen - self._offer_rows + 1)

    @property
    def _offer_rows(self) -> int:
        return min(len(self._offers), max(self.screen.size.height // 2 - 2, 1))

    def _draw(self) -> None:
        if not self.is_open or not self.size.width:
            return
        words, box, width = self._words, self.box, self.size.width
        self.query_one("#prompt", LinesView).show([line(chunk(" / ", "accent"))])
        said, token = self._said
        if said:
            hints = wrapped(said, width, token, head=chunk("   ", keep=True))
        elif self._offers:
            hints = [fullest([line(chunk(words, "muted")) for words in _CHOICE_KEYS], width)]
        elif words.problem is None or words.offered is not None:
            about = words.field_at(box.value, box.cursor_position)
            hints = hint_lines(words.offered, words.chosen, about, width)
        else:
            hints = problem_lines(words.problem, box.value, _PROMPT - box.scroll_offset.x, width)
        self.query_one("#filter-hints", LinesView).show(hints)
        first, last = self._first_offer, self._first_offer + self._offer_rows
        offers = offer_lines(self._offers[first:last], self._chosen - first, look_of(self).glyphs.focus)
        self.query_one("#filter-list", LinesView).show(offers)
        self.styles.height = 1 + len(hints) + len(offers)


# -- The lines below a filter: its fault, or completions.

_KEYS = "   Tab completes   Up last filter   Ctrl+S saves it   Enter lists   Esc as before"
_FEWER = "   Tab completes  Ctrl+S saves  Enter lists"
_FEWEST = "   Ctrl+S saves  Enter lists"
_CHOICE_KEYS = ("   Up Down choose   Enter lists   Esc as before", "   Up Down choose   Enter lists")


def offer_lines(offers: Sequence[tuple[str, str]], chosen: int, focus: str) -> list[Line]:
    """Return lines with filters to choose from: label and text, of one's own only the text.

    Args:
        offers: Labels and texts.
        chosen: The number of the chosen one.
        focus: The sign before it.
    """
    width = max((foreign(label).width for label, text in offers if label != text), default=0)
    lines: list[Line] = []
    for number, (label, text) in enumerate(offers):
        mark = chunk(f" {focus} " if number == chosen else "   ", "accent", keep=True)
        words = foreign(label, "strong" if number == chosen else "text")
        told = [Chunk(words.text, words.token, keep=label != text, least=width, cut="end")]
        if label != text:
            told.append(Chunk(foreign(f"  {text}").text, "muted", cut="end"))
        lines.append(line(mark, *told, background="focus-bg" if number == chosen else "background"))
    return lines


def problem_lines(problem: FilterError, text: str, left: int, width: int) -> list[Line]:
    """Return lines with the fault, and a mark below its place.

    Args:
        problem: The fault.
        text: The text of the filter.
        left: Column of its first character; negative if it is scrolled out.
        width: Cells.
    """
    column = max(0, min(left + cell_len(text[: problem.column]), width - 1))
    mark = chunk(" " * column + "^ ", "danger", keep=True)
    message = foreign(problem.message, "warn")
    if mark.width + message.width <= width:
        return [line(mark, message)]
    return [line(mark), *wrapped(problem.message, width, "warn", head=chunk("   ", keep=True))]


def hint_lines(offered: Completion | None, chosen: int, about: Field | None, width: int) -> list[Line]:
    """Return lines with completions, or the values of the field, or the keys.

    Args:
        offered: The completion; None before Tab was pressed.
        chosen: The number of the candidate in the text.
        about: The field whose value is being typed; None if there is none.
        width: Cells.
    """
    if offered is None:
        wordings = [_KEYS, _FEWER, _FEWEST]
        if about is not None:
            takes = f"   {about.name}: {about.help}"
            wordings = [f"{takes}{_KEYS}", takes, *wordings]
        return [fullest([line(chunk(words, "muted")) for words in wordings], width)]
    candidates = offered.candidates
    if not candidates:
        return [line(chunk("   nothing is known that could stand here", "muted"))]
    return [_candidates([foreign(each.text) for each in candidates], candidates[chosen].help, chosen, width)]


def _candidates(texts: Sequence[Chunk], help_: str, chosen: int, width: int) -> Line:
    """The chosen candidate with its explanation, then as many others as fit, and the number of the rest."""
    first = Chunk(texts[chosen].text, "strong", keep=True, most=max(width // 2, 10))
    pieces = [chunk("   ", keep=True), first]
    if help_:
        pieces.append(chunk(f" {help_}", "muted"))
    used = sum(piece.width for piece in pieces)
    others = [*texts[chosen + 1 :], *texts[:chosen]]
    for number, text in enumerate(others):
        more = len(others) - number
        rest = cell_len(f"  +{more} more ")
        if used + text.width + 2 + (rest if more > 1 else 0) > width:
            pieces.append(chunk(f"  +{more} more", "muted", keep=True))
            break
        pieces += [chunk("  ", keep=True), text]
        used += text.width + 2
    return line(*pieces)


# -- A filter while it is typed: the last good one stays in force, and the one before can come back.


class FilterWords:
    """The typed text, the filter in force, and completions.

    Args:
        filtered: The kind of things that are filtered.
    """

    def __init__(self, filtered: Filtered) -> None:
        self._filtered = filtered
        self.query = parse("", filtered)
        """The filter that is in force."""
        self.problem: FilterError | None = None
        """The fault of the text, if it is not in force."""
        self.offered: Completion | None = None
        """The completion that Tab goes through."""
        self.chosen = 0
        """The number of the candidate in the text."""
        self._before = self.query
        self._earlier = ""
        self._source = ""
        self._completed = ("", 0)

    def begin(self) -> None:
        """Begin to type."""
        self._before = self.query
        if self.query.text:
            self._earlier = self.query.text
        self.problem = self.offered = None

    @property
    def earlier(self) -> str:
        """The last filter that was in force when typing began."""
        # Invisible characters never get into a text box, wherever the filter comes from.
        return typeable(self._earlier, "?")

    def take(self, text: str) -> bool:
        """Take the typed text; True if another filter is in force now."""
        if self.offered is not None and text != self._completed[0]:
            self.offered = None
        try:
            query = parse(text, self._filtered)
        except FilterError as error:
            self.problem = error
            return False
        self.problem = None
        before, self.query = self.query, query
        return before.expression != query.expression

    def field_at(self, text: str, cursor: int) -> Field | None:
        """Return the field whose value is being typed. Arguments as for `complete`."""
        return field_at(text, cursor, self._filtered)

    def restore(self) -> bool:
        """Give up the typed text; True if another filter is in force now."""
        now, self.query = self.query, self._before
        self.problem = self.offered = None
        return now.expression != self.query.expression

    def complete(
        self, text: str, cursor: int, values: Mapping[str, Iterable[str]], *, step: int = 1
    ) -> tuple[str, int]:
        """Put a candidate at the cursor; the next one if there is one already.

        Args:
            text: The typed text.
            cursor: The number of characters before the cursor.
            values: Values that exist, by the name of their field.
            step: 1 for the next candidate, -1 for the one before.

        Returns:
            The text, and the new place of the cursor.
        """
        if self.offered is None or (text, cursor) != self._completed:
            self._source = text
            self.offered = complete(text, cursor, self._filtered, values)
            self.chosen = 0 if step > 0 else len(self.offered.candidates) - 1
        elif self.offered.candidates:
            self.chosen = (self.chosen + step) % len(self.offered.candidates)
        if not self.offered.candidates:
            self._completed = (text, cursor)
        else:
            self._completed = self.offered.applied(self._source, self.chosen)
        return self._completed
