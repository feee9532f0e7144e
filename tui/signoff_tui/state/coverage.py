"""Coverage: the part of each content that was on the screen.

A unit (a changed line, a line of a new file, a row of a command) counts as shown when each of its characters was
painted, inside the view and still, for the dwell time. Shown does not mean read, and is never called so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from signoff_tui.state.documents import Content, ContentKey
from signoff_tui.state.read_marks import ReadMark

__all__ = [
    "ALMOST",
    "LONG_LINE",
    "Coverage",
    "Coverages",
    "PaintedRow",
    "UnitCoverage",
]


ALMOST = 0.999
"""The largest share of content with a part that cannot be shown at all."""


LONG_LINE = 500
"""The characters of a line above which the part of it that was shown counts for the share."""


class PaintedRow(Struct, frozen=True):
    """One painted row of the view: the characters of a unit from `start` to before `end`, `of` so many."""

    unit: int
    start: int
    end: int
    of: int


class UnitCoverage:
    """The characters of a unit that were shown.

    Args:
        length: The number of all of them.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self._spans: list[tuple[int, int]] = []

    def add(self, part: PaintedRow) -> bool:
        """Count the characters of a painted row; True if any of them were not shown before."""
        start, end = part.start, part.end
        if any(first <= start and end <= last for first, last in self._spans):
            return False
        apart = [span for span in self._spans if span[1] < start or span[0] > end]
        touched = [span for span in self._spans if span not in apart]
        firsts, lasts = zip(*touched, (start, end), strict=True)
        self._spans = sorted([*apart, (min(firsts), max(lasts))])
        return True

    @property
    def complete(self) -> bool:
        """True if all of them were shown."""
        return self._spans == [(0, self.length)]

    @property
    def share(self) -> float:
        """The part of a long line that was shown; a shorter one counts as a whole, or not at all."""
        return sum(end - start for start, end in self._spans) / self.length if self.length > LONG_LINE else 0.0


@dataclass(slots=True)
class Coverage:
    """The units of one revision of one request that were shown.

    Args:
        units: The number of units.
        dwell: Seconds a part must stay painted.
        whole: False if the content has more than the units: a part that cannot be shown at all.
        waived: Units that nobody need have seen, because they are not approved. If they were shown, that is kept.
        shown_from: The time at which the units that were shown last had stayed long enough (monotonic seconds).
    """

    units: int
    dwell: float = 0.2
    whole: bool = True
    waived: frozenset[int] = frozenset()
    shown_from: float = -math.inf
    _shown: set[int] = field(default_factory=set)
    _begun: dict[int, UnitCoverage] = field(default_factory=dict)
    _painted: tuple[PaintedRow, ...] = ()
    _since: float = 0.0
    _counted: bool = True

    def painted(self, parts: Iterable[PaintedRow], now: float) -> bool:
        """Note the parts that the view shows since `now` (monotonic seconds).

        Parts that were painted before count if they stayed for the dwell time. Returns True if the view shows
        other parts than before.
        """
        self.settle(now)
        visible = tuple(parts)
        if visible == self._painted:
            return False
        self._painted = visible
        self._since = now
        self._counted = not visible
        return True

    def hidden(self, now: float) -> None:
        """Note that the view is covered or shows something else since `now`."""
        self.settle(now)
        self._painted = ()
        self._counted = True

    def settle(self, now: float) -> bool:
        """Count the parts that have been on screen long enough; True if the share changed."""
        if self._counted or now - self._since < self.dwell:
            return False
        self._counted = True
        changed = False
        for part in self._painted:
            if part.unit in self._shown:
                continue
            seen = self._begun.setdefault(part.unit, UnitCoverage(part.of))
            changed |= seen.add(part) and seen.length > LONG_LINE
            if seen.complete:
                self._shown.add(part.unit)
                del self._begun[part.unit]
                changed = True
        if changed:
            self.shown_from = self._since + self.dwell
        return changed

    def restore(self, mark: ReadMark | None) -> bool:
        """Count as shown what was shown before; True if that is new."""
        if mark is None or mark.units != self.units or mark.shown <= self._shown:
            return False
        self._shown |= mark.shown
        return True

    @property
    def all_shown(self) -> frozenset[int]:
        """The units that were shown."""
        return frozenset(self._shown)

    @property
    def settles_at(self) -> float | None:
        """The time at which the parts on the screen have stayed long enough; None if all of them were counted."""
        return None if self._counted else self._since + self.dwell

    def is_shown(self, unit: int) -> bool:
        """True if a unit was shown in full, or need not be."""
        return unit in self._shown or unit in self.waived

    @property
    def state(self) -> tuple[object, ...]:
        """Everything that a row says of what was shown: equal as long as the row stays the same."""
        return len(self._shown), self.share, self.waived, self.units, self.whole

    @property
    def needed(self) -> int:
        """The number of units that have to be shown."""
        return self.units - len(self.waived)

    @property
    def shown(self) -> int:
        """The number of these units that were shown."""
        return len(self._shown - self.waived)

    @property
    def missing(self) -> int:
        """The number of these units that were not shown yet."""
        return self.needed - self.shown

    @property
    def complete(self) -> bool:
        """True if everything was shown. Never so if a part cannot be shown, or there is nothing to show."""
        return self.whole and self.shown == self.needed > 0

    @property
    def share(self) -> float:
        """Share of the content that was shown, 0.0 to 1.0; 1.0 only if it is complete."""
        if self.complete:
            return 1.0
        begun = sum(seen.share for unit, seen in self._begun.items() if unit not in self.waived)
        return min((self.shown + begun) / self.needed, ALMOST) if self.needed else 0.0

    @property
    def percent(self) -> int:
        """The share in percent, rounded down so that 100 means all of it."""
        return int(self.share * 100)


# -- The coverage of each content, and the contents that are on the screen now.


class Coverages:
    """The coverage of all contents.

    Args:
        dwell: Seconds a part must stay painted.
        clock: Monotonic seconds.
    """

    def __init__(self, dwell: float, clock: Callable[[], float]) -> None:
        self._dwell = dwell
        self._clock = clock
        self._known: dict[ContentKey, Coverage] = {}
        self._marks: Mapping[ContentKey, ReadMark] = {}
        self.changes = 0
        """Counts how often a line was shown that was not before."""
        self._visible: dict[ContentKey, tuple[PaintedRow, ...]] = {}
        self._layout = 0

    def of(self, key: ContentKey) -> Coverage | None:
        """Return the coverage of a content; None if its documents were never made."""
        return self._known.get(key)

    def count(self, content: Content) -> None:
        """Count the coverage of a content from now on; an earlier count stays."""
        coverage = self._known.setdefault(content.key, Coverage(content.units, dwell=self._dwell))
        coverage.whole = content.can_be_all_shown
        coverage.restore(self._marks.get(content.key))

    def restore(self, marks: Mapping[ContentKey, ReadMark]) -> bool:
        """Count as shown what was shown before, or on another screen; True if that is new."""
        self._marks = marks
        restored = [coverage.restore(marks.get(key)) for key, coverage in self._known.items()]
        return any(restored)

    def marks(self, waits: Callable[[str], bool], now: int) -> Mapping[ContentKey, ReadMark]:
        """Return what was shown.

        Args:
            waits: Tells if a request waits, by its id.
            now: The time, microseconds since the epoch.
        """
        return {
            key: ReadMark(coverage.units, coverage.all_shown, now)
            for key, coverage in self._known.items()
            if coverage.all_shown and waits(key[0])
        }

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forget the contents of requests that are gone, by their ids."""
        self._known = {key: known for key, known in self._known.items() if not gone(key[0])}

    def painted(self, key: ContentKey, parts: Sequence[PaintedRow], layout: int) -> bool:
        """Note that parts of one content, and of no other, are on the screen; True if that is new."""
        return self.painted_together({key: parts}, layout)

    def painted_together(self, shown: Mapping[ContentKey, Sequence[PaintedRow]], layout: int) -> bool:
        """Note that parts of several contents, and nothing else, are on the screen; True if that is new.

        If one of them moved, or the line breaks did, all of them moved: nothing on the screen stood still.
        """
        visible = {key: tuple(parts) for key, parts in shown.items() if key in self._known}
        if (visible, layout) == (self._visible, self._layout):
            self.settle()
            return False
        self.covered()
        self._visible, self._layout = visible, layout
        for key, parts in visible.items():
            self._known[key].painted(parts, self._clock())
        return True

    def covered(self) -> None:
        """Note that no content is on the screen any more."""
        self.settle()
        for coverage in self._on_screen():
            coverage.hidden(self._clock())
        self._visible = {}

    def settle(self) -> bool:
        """Count the parts that have been on screen long enough; True if a share changed."""
        changed = [coverage.settle(self._clock()) for coverage in self._on_screen()]
        self.changes += any(changed)
        return any(changed)

    @property
    def settles_at(self) -> float | None:
        """The time at which to call `settle` next, or None if there is nothing to count."""
        moments = [coverage.settles_at for coverage in self._on_screen()]
        return min((moment for moment in moments if moment is not None), default=None)

    def _on_screen(self) -> Sequence[Coverage]:
        return [self._known[key] for key in self._visible if key in self._known]
