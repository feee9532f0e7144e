"""What was shown of each content, and what of it is on the screen now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from signoff_tui.coverage import Coverage, Part
from signoff_tui.documents import Content, ContentKey

__all__ = ["Coverages"]


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
        self._visible: dict[ContentKey, tuple[Part, ...]] = {}
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

    def painted(self, key: ContentKey, parts: Sequence[Part], width: int) -> bool:
        """Parts of a request's content, and of no other, are on the screen now; returns whether that is news."""
        return self.painted_together({key: parts}, width)

    def painted_together(self, shown: Mapping[ContentKey, Sequence[Part]], width: int) -> bool:
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
