"""Coverage: how much of each content was on the screen.

A unit (a changed line, a line of a new file, a row of a command) counts as shown when all its wrapped parts
were painted, inside the view and still, for the dwell time. Shown is not read; the program never claims more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from signoff_tui.state.documents import Content, ContentKey

__all__ = [
    "Coverage",
    "Coverages",
    "PaintedRow",
]


ALMOST = 0.999
"""Most that content can count as shown when a part of it cannot be shown at all."""


class PaintedRow(Struct, frozen=True):
    """One painted row of the view: part `index` of `count` wrapped parts of a unit."""

    unit: int
    index: int
    count: int


@dataclass(slots=True)
class Coverage:
    """Which units of one revision of one request were shown.

    Args:
        units: How many units there are.
        dwell: Seconds a part must stay painted.
        whole: False if there is more than the units: something that cannot be shown at all.
        waived: Units that nobody need have seen, because they are not approved. That they were shown is kept.
    """

    units: int
    dwell: float = 0.2
    whole: bool = True
    waived: frozenset[int] = frozenset()
    _shown: set[int] = field(default_factory=set)
    _parts: dict[int, set[int]] = field(default_factory=dict)
    _width: int | None = None
    _painted: tuple[PaintedRow, ...] = ()
    _since: float = 0.0
    _counted: bool = True

    def painted(self, parts: Iterable[PaintedRow], width: int, now: float) -> bool:
        """Tell what the view shows since `now` (monotonic seconds), at a width in cells.

        What was painted before counts if it stayed for the dwell time. Another width wraps otherwise, so parts
        of half-shown units start anew; units that were shown stay shown. Returns whether the view shows
        anything else than before.
        """
        self.settle(now)
        visible = tuple(parts)
        if width == self._width and visible == self._painted:
            return False
        if width != self._width:
            self._parts.clear()
            self._width = width
        self._painted = visible
        self._since = now
        self._counted = not visible
        return True

    def hidden(self, now: float) -> None:
        """Tell that the view is covered or shows something else since `now`."""
        self.settle(now)
        self._painted = ()
        self._counted = True

    def settle(self, now: float) -> bool:
        """Count what has been on screen long enough; returns whether the share changed."""
        if self._counted or now - self._since < self.dwell:
            return False
        self._counted = True
        before = len(self._shown)
        for part in self._painted:
            if part.unit in self._shown:
                continue
            seen = self._parts.setdefault(part.unit, set())
            seen.add(part.index)
            if len(seen) >= part.count:
                self._shown.add(part.unit)
                del self._parts[part.unit]
        return len(self._shown) != before

    @property
    def settles_at(self) -> float | None:
        """When what is on the screen now has stayed long enough, or None when all of it was counted."""
        return None if self._counted else self._since + self.dwell

    def is_shown(self, unit: int) -> bool:
        """Whether a unit was shown in full, or need not be."""
        return unit in self._shown or unit in self.waived

    @property
    def needed(self) -> int:
        """How many units are to be shown."""
        return self.units - len(self.waived)

    @property
    def shown(self) -> int:
        """How many of the units that are to be shown were shown."""
        return len(self._shown - self.waived)

    @property
    def missing(self) -> int:
        """How many units were not shown yet."""
        return self.needed - self.shown

    @property
    def complete(self) -> bool:
        """Whether everything was shown. Never so where a part cannot be shown, or there is nothing to show."""
        return self.whole and self.shown == self.needed > 0

    @property
    def share(self) -> float:
        """Share of the content that was shown, 0.0 to 1.0; 1.0 only if it is complete."""
        if self.complete:
            return 1.0
        return min(self.shown / self.needed, ALMOST) if self.needed else 0.0

    @property
    def percent(self) -> int:
        """The share in percent, rounded down so that 100 means all of it."""
        return int(self.share * 100)


# -- What was shown of each content, and what of it is on the screen now.


class Coverages:
    """Counts what was shown, content by content.

    Args:
        dwell: Seconds a part must stay painted.
        clock: Monotonic seconds.
    """

    def __init__(self, dwell: float, clock: Callable[[], float]) -> None:
        self._dwell = dwell
        self._clock = clock
        self._known: dict[ContentKey, Coverage] = {}
        self._visible: dict[ContentKey, tuple[PaintedRow, ...]] = {}
        self._layout = 0

    def of(self, key: ContentKey) -> Coverage | None:
        """What was shown of a content; None while it was never made."""
        return self._known.get(key)

    def count(self, content: Content) -> None:
        """Count from now on what is shown of a content; what was counted before stays."""
        coverage = self._known.setdefault(content.key, Coverage(content.units, dwell=self._dwell))
        coverage.whole = content.can_be_all_shown

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forget the contents of requests that are gone, by their ids."""
        self._known = {key: known for key, known in self._known.items() if not gone(key[0])}

    def painted(self, key: ContentKey, parts: Sequence[PaintedRow], width: int) -> bool:
        """Parts of a request's content, and of no other, are on the screen now; returns whether that is news."""
        return self.painted_together({key: parts}, width)

    def painted_together(self, shown: Mapping[ContentKey, Sequence[PaintedRow]], width: int) -> bool:
        """Parts of several contents are on the screen now, and nothing else; returns whether that is news.

        Whatever moved, moved all of it: nothing on the screen stood still, whosever it is.
        """
        visible = {key: tuple(parts) for key, parts in shown.items() if key in self._known}
        if (visible, width) == (self._visible, self._layout):
            self.settle()
            return False
        self.covered()
        self._visible, self._layout = visible, width
        for key, parts in visible.items():
            self._known[key].painted(parts, width, self._clock())
        return True

    def covered(self) -> None:
        """No content is on the screen any more."""
        for coverage in self._on_screen():
            coverage.hidden(self._clock())
        self._visible = {}

    def settle(self) -> bool:
        """Count what has been on screen long enough; returns whether a share changed."""
        changed = [coverage.settle(self._clock()) for coverage in self._on_screen()]
        return any(changed)

    @property
    def settles_at(self) -> float | None:
        """When `settle` should be called next, or None when nothing is to be counted."""
        moments = [coverage.settles_at for coverage in self._on_screen()]
        return min((moment for moment in moments if moment is not None), default=None)

    def _on_screen(self) -> Sequence[Coverage]:
        return [self._known[key] for key in self._visible if key in self._known]
