"""What has the keys while the list has not: a text box, or a sheet."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.guard.arming import Arming
from signoff_tui.guard.holds import Act
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.subjects import Ref
from signoff_tui.guard.verdicts import Offer

__all__ = ["Editor", "Release", "Sheet"]


class Release(Struct, frozen=True):
    """What a sheet offers besides what it is about.

    Attributes:
        key: The key that goes through with both.
        refs: The requests that the sheet lists: exactly these can be released.
    """

    key: str
    refs: tuple[Ref, ...]


class Editor:
    """An open text box, and whether it was opened by what was meant for another window.

    Args:
        settings: When text or Enter came in haste.
        offer: What Enter would do, or `None` for a text box that decides nothing.
    """

    def __init__(self, settings: GuardSettings, offer: Offer | None) -> None:
        self.offer = offer
        self.arming: Arming[str] = Arming()
        self._settings = settings
        self._hasty = False
        self._asked_at = math.inf
        self._text_at = -math.inf

    def soften(self) -> None:
        """Turn a stop into a reject, which reaches less."""
        if self.offer is not None and self.offer.act is Act.STOP:
            self.offer = replace(self.offer, act=Act.REJECT)

    def text(self, t: float) -> None:
        """Anything but Enter was pressed or pasted at `t`."""
        if self._soon(t, self._settings.hasty_text):
            self._hasty = True
        self._asked_at = math.inf
        self._text_at = t

    def is_pasted(self, t: float) -> bool:
        """Whether Enter at `t` came too soon after text for a hand: it is the end of a pasted line."""
        return t - self._text_at < self._settings.paste_gap

    def enter(self, t: float) -> bool:
        """Whether Enter, pressed at `t`, sends; otherwise it must be pressed again."""
        if self._soon(t, self._settings.hasty_enter):
            self._hasty = True
        if not self._hasty:
            return True
        again = t - self._asked_at >= self._settings.enter_again
        self._asked_at = t
        return again

    def _soon(self, t: float, time: float) -> bool:
        painted_at = self.arming.painted_at
        return painted_at is None or t - painted_at < time


class Sheet:
    """An open sheet or question.

    Args:
        offer: What confirming would do, or `None` for a question of the screen's own.
        confirm: The keys that count. None does until the screen has said what it shows.
        extra: Keys that the sheet handles itself.
        larger: Keys that confirm more than the offer, each with what it would do. They are as hard to press.
    """

    def __init__(
        self,
        offer: Offer | None,
        confirm: frozenset[str] = frozenset(),
        extra: frozenset[str] = frozenset(),
        larger: Mapping[str, Offer] | None = None,
    ) -> None:
        self.offer = offer
        self._larger = dict(larger or {})
        self.confirm = confirm | self._larger.keys()
        self.extra = extra
        self.arming: Arming[str] = Arming()

    def offer_of(self, key: str) -> Offer | None:
        """What a key would go through with; None for a question of the screen's own."""
        return self._larger.get(key, self.offer)
