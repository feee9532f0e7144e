"""The things on screen, since when, and who has the keys."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from signoff_tui.guard.arming import Arming, Cause, Frame, Naming
from signoff_tui.guard.holds import Act, PermitError
from signoff_tui.guard.results import DecisionOffer
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.targets import Ref, Risk, Target, TargetKind, is_high

__all__ = [
    "Editor",
    "Sheet",
    "Stage",
]


class Stage:
    """Keeps what the screen reports. Everything that could mislead a key asks for a new paint.

    The request under the cursor and the set that an approval of its group covers are armed apart,
    so that moving inside a group does not start its set anew, nor a new member the request. A
    rejection of the group covers whoever has been named for long enough: a group that is still
    filling could not be rejected otherwise.

    Args:
        settings: The waits.
    """

    def __init__(self, settings: GuardSettings) -> None:
        self.settings = settings
        self.target: Target | None = None
        self.connected = True
        self.read_only = False
        self.too_small = False
        self._one: Arming[tuple[TargetKind, Ref | None, Risk]] = Arming()
        self._set: Arming[tuple[bool, str, frozenset[Ref]]] = Arming()
        self._rest = Naming()
        self._bar: Arming[Ref] | None = None
        self._sheet: Sheet | None = None
        self._editor: Editor | None = None
        self._frames = 0

    # What the screen names

    def show(self, target: Target | None, cause: Cause) -> None:
        """The screen names something else now.

        Parts that are the same as before keep their arming; an equal target changes nothing.
        """
        if target == self.target:
            return
        self.target = target
        frame = self._next_frame()
        self._show_one(target, cause, frame)
        self._show_set(target, cause, frame)
        self._rest.show(target.rest if target is not None else frozenset(), frame)

    def changed(self) -> None:
        """The focused request changed under its name: contents, risk or state."""
        self._close_bar()
        self._repaint(Cause.CHANGED.wait(self.settings))

    def restart(self) -> None:
        """Something lay over the target or drew it anew: a modal, another theme."""
        self._repaint()

    def resized(self, *, too_small: bool) -> None:
        """Everything was laid out anew, perhaps in a pane too small for what would be approved."""
        self.too_small = too_small
        self._repaint()

    def focus_in(self, t: float) -> None:
        """The terminal reported focus at `t`: the click or key that gave it is no decision."""
        high = self.target is not None and is_high(self.target.risk)
        self._delay(t + Cause.FOCUS.wait(self.settings, high=high))

    def set_read_only(self, on: bool) -> None:
        """Switch decision keys off or on."""
        if on != self.read_only:
            self.read_only = on
            self._repaint()

    # What was painted

    @property
    def pending(self) -> Frame | None:
        """The frame to report with `painted` after the next refresh, or `None`."""
        if self._rest.is_pending or any(arming.pending is not None for arming in self._armings()):
            return Frame(self._frames)
        return None

    def painted(self, frame: Frame, t: float) -> None:
        """The terminal got `frame`, captured from `pending` when its refresh was asked for."""
        for arming in self._armings():
            arming.painted(frame, t)
        self._rest.painted(frame, t)

    # Sheets, editors, bars

    def sheet_opened(
        self,
        *,
        confirm: str = "",
        extra: frozenset[str] = frozenset(),
        releases: Mapping[str, tuple[Ref, ...]] | None = None,
    ) -> None:
        """The sheet that `OpenSheet` asked for is shown, or says something else now.

        Args:
            confirm: The one key that goes through with it.
            extra: Further keys that the sheet handles itself.
            releases: For `REMEMBER`: the keys that go through with it, each with the further requests that the
                sheet lists for it and that it releases, too.

        Raises:
            PermitError: No sheet was asked for, or it was closed meanwhile; or it is one that releases nothing.
        """
        if self._sheet is None or self._sheet.offer is None:
            raise PermitError("no key asked for this sheet")
        offer = self._sheet.offer
        if releases is None:
            self._open_sheet(Sheet(offer, {confirm: offer}, extra))
        else:
            self._open_sheet(Sheet(offer, {key: _releasing(offer, also) for key, also in releases.items()}, extra))

    def question_opened(self, keys: frozenset[str], extra: frozenset[str] = frozenset()) -> None:
        """The screen asks something of its own, such as whether to quit, answered by `keys`.

        Args:
            keys: They answer it, once it was on the screen for a while.
            extra: Keys that the screen handles itself, at once: they may do no harm.
        """
        self._open_sheet(Sheet(None, dict.fromkeys(keys), extra))

    def sheet_changed(self) -> None:
        """The open sheet says something else now."""
        if self._sheet is not None:
            self._sheet.arming.again(self._next_frame())

    def sheet_closed(self) -> None:
        """No sheet is open any more."""
        if self._sheet is not None:
            self._sheet = None
            self._repaint()

    def editor_opened(self) -> None:
        """A text box that decides nothing has the keys: filter, palette; or help, or any modal."""
        self._open_editor(None)

    def edit_opened(self) -> None:
        """A text box has the keys whose Enter takes over what is in it, and decides nothing."""
        self._open_editor(None, answers=True)

    def suggestion_opened(self, ref: Ref, key: str) -> DecisionOffer:
        """A text box has the keys whose Enter rejects a request with its text. Returns what Enter confirms."""
        offer = DecisionOffer(Act.REJECT, (ref,), key)
        self._open_editor(offer)
        return offer

    def editor_softened(self) -> None:
        """The reviewer turned the stop they are writing into a reject."""
        if self._editor is not None:
            self._editor.soften()

    def editor_closed(self) -> None:
        """No text box is open any more."""
        if self._editor is not None:
            self._editor = None
            self._repaint()

    @property
    def offers_unseen(self) -> bool:
        """True if the bar that offers `!` is open. It ends with the contents it was about."""
        return self._bar is not None

    def bar_closed(self) -> None:
        """The bar that offered `!` is gone."""
        self._close_bar()

    # For the guard

    def _show_one(self, target: Target | None, cause: Cause, frame: Frame) -> None:
        if target is None or target.focus is None:
            self._close_bar()
            self._one.clear()
            return
        subject = (target.kind, target.focus, target.risk)
        if subject == self._one.subject:
            return
        self._close_bar()
        high = is_high(target.risk)
        wait = cause.wait(self.settings, high=high)
        before = self._one.subject[1] if self._one.subject is not None else None
        if before is not None and before.id == target.focus.id:
            # Other contents took the place under one id, whatever the screen calls it.
            wait = max(wait, Cause.CHANGED.wait(self.settings, high=high))
        self._one.show(subject, frame, wait)

    def _show_set(self, target: Target | None, cause: Cause, frame: Frame) -> None:
        if target is None or target.group is None:
            self._set.clear()
            return
        subject = (target.kind is TargetKind.TAGGED, target.group, target.ready)
        if subject != self._set.subject:
            self._set.show(subject, frame, cause.wait(self.settings))

    def _open_sheet(self, sheet: Sheet) -> None:
        self._close_bar()
        self._sheet = sheet
        sheet.arming.show("sheet", self._next_frame(), Cause.SHEET.wait(self.settings))

    def _open_editor(self, offer: DecisionOffer | None, *, answers: bool = False) -> None:
        self._close_bar()
        self._editor = Editor(self.settings, offer, answers=answers)
        self._editor.arming.show("editor", self._next_frame(), 0.0)

    def _open_bar(self, ref: Ref) -> None:
        high = self.target is not None and is_high(self.target.risk)
        self._bar = Arming()
        self._bar.show(ref, self._next_frame(), Cause.SHEET.wait(self.settings, high=high))

    def _close_bar(self) -> bool:
        was_open = self._bar is not None
        self._bar = None
        return was_open

    def _armings(self) -> Iterator[Arming[Any]]:
        yield self._one
        yield self._set
        if self._bar is not None:
            yield self._bar
        for layer in (self._sheet, self._editor):
            if layer is not None:
                yield layer.arming

    def _repaint(self, wait: float = 0.0) -> None:
        frame = self._next_frame()
        for arming in self._armings():
            # An editor is measured from its first paint: what it is about is checked by Enter.
            if self._editor is None or arming is not self._editor.arming:
                arming.again(frame, wait)

    def _delay(self, until: float) -> None:
        for arming in self._armings():
            arming.delay(until)

    def _next_frame(self) -> Frame:
        self._frames += 1
        return Frame(self._frames)


def _releasing(offer: DecisionOffer, also: tuple[Ref, ...]) -> DecisionOffer:
    """The offer of a key of a sheet.

    Raises:
        PermitError: Others would be released by what remembers nothing, or several, or these themselves.
    """
    if offer.act is not Act.REMEMBER:
        raise PermitError("only remembering has keys of its own")
    if not also:
        return offer
    if len(offer.refs) != 1 or offer.group or not set(offer.refs).isdisjoint(also):
        raise PermitError("only remembering one request releases others")
    return replace(offer, act=Act.RELEASE, also=also)


# -- What has the keys while the list has not: a text box, or a sheet.


class Editor:
    """An open text box, and whether it was opened by what was meant for another window.

    Args:
        settings: The times for hasty text or Enter.
        offer: The offer that Enter confirms, or `None` for a text box that decides nothing.
        answers: True if Enter takes over the text of a box that decides nothing.
    """

    def __init__(self, settings: GuardSettings, offer: DecisionOffer | None, *, answers: bool = False) -> None:
        self.offer = offer
        self.answers = answers
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
        """True if Enter at `t` came too soon after text for a hand: it is the end of a pasted line."""
        return t - self._text_at < self._settings.paste_gap

    def enter(self, t: float) -> bool:
        """True if Enter, pressed at `t`, sends; otherwise it must be pressed again."""
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
        offer: The offer that the sheet is about, or `None` for a question of the screen's own.
        offers: The keys that count, each with what it confirms. None does until the screen has said what it shows.
        extra: Keys that the sheet handles itself.
    """

    def __init__(
        self,
        offer: DecisionOffer | None,
        offers: Mapping[str, DecisionOffer | None] | None = None,
        extra: frozenset[str] = frozenset(),
    ) -> None:
        self.offer = offer
        self._offers = dict(offers or {})
        self.confirm = frozenset(self._offers)
        self.extra = extra
        self.arming: Arming[str] = Arming()

    def offer_of(self, key: str) -> DecisionOffer | None:
        """The offer that a key confirms; None for a question of the screen's own."""
        return self._offers.get(key)
