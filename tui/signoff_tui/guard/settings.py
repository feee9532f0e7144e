"""Every time and switch of the guard, with its default and what is accepted."""

from __future__ import annotations

import math

from msgspec import Struct

__all__ = ["GuardSettings"]

SHORTEST_ARM = 0.15
"""Seconds. Below this nobody can react to what appeared."""

SHORTEST_HOLD = 0.8
"""Seconds. A shorter hold would end before typing can be told from deciding (`burst_window`)."""


class GuardSettings(Struct, frozen=True, kw_only=True):
    """Values of the decision guard. Times are seconds.

    Attributes:
        arm_moved: From the paint to the first accepted key, after the user moved here.
        arm_advanced: The same after the program moved on by itself, following a decision.
        arm_arrived: The same after a request became the target of an empty inbox by itself.
        arm_changed: The same after contents, risk or state of the target changed.
        arm_focus: From the terminal's report of focus.
        arm_high: Least of all the above when the target is HIGH.
        arm_sheet: From the paint of a sheet or bar with its own keys.
        link_delay: Added to each of the above: how much later a slow line paints than we know.
        repeat_gap: A decision key this soon after another is dropped and restarts arming.
        autorepeat: Two gaps in a row shorter than this between equal keys are a held key.
        enter_after: Enter this soon after an approval takes it back.
        hasty_text: A first character this soon after the editor was painted makes it hasty.
        hasty_enter: So does Enter this soon.
        enter_again: A hasty editor wants Enter twice, at least this far apart.
        paste_gap: Enter this soon after text was not pressed but pasted, by a terminal that does not
            tell the two apart: it is the end of a line, and sends nothing.
        burst_keys: So many keys within `burst_window` are typing.
        burst_window: See `burst_keys`.
        burst_quiet: Silence that ends the lock after typing.
        quiet_before: Least silence between any other key and a decision key; as well the time in
            which another key makes a decision the first letter of a word.
        late: A decision key handled this long after its press waited in a blocked program: it is
            dropped, and so is all that was pressed meanwhile.
        hold_one: How long a decision about one request is held, 0 for not at all.
        hold_many: The same for a set, a remembered approval, an approval of what was not fully
            shown, a hard reject, and whatever is HIGH.
        dwell: A line counts as shown after this long on screen. The screen measures it.
        typing_lock: Whether typing is recognized.
        require_seen: Whether `y` wants everything shown. Sets always want it.
    """

    arm_moved: float = 0.25
    arm_advanced: float = 0.4
    arm_arrived: float = 1.0
    arm_changed: float = 1.0
    arm_focus: float = 0.5
    arm_high: float = 0.8
    arm_sheet: float = 0.4
    link_delay: float = 0.0
    repeat_gap: float = 0.15
    autorepeat: float = 0.13
    enter_after: float = 0.5
    hasty_text: float = 0.3
    hasty_enter: float = 0.5
    enter_again: float = 0.4
    paste_gap: float = 0.03
    burst_keys: int = 3
    burst_window: float = 0.7
    burst_quiet: float = 0.8
    quiet_before: float = 0.25
    late: float = 0.25
    hold_one: float = 1.2
    hold_many: float = 3.0
    dwell: float = 0.2
    typing_lock: bool = True
    require_seen: bool = True

    def validate(self) -> None:
        """Refuse values with which the guard could not keep its promises.

        Raises:
            ValueError: A time is negative or not finite, an `arm_` time is under 0.15 s, a
                `hold_` time is neither 0 nor at least 0.8 s, or `burst_keys` is under 2. The
                message names the setting, the value and what is accepted.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, bool):
                continue
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"guard.{name} is {value}: it must be a time, 0 or more")
            if name.startswith("arm_") and value < SHORTEST_ARM:
                raise ValueError(f"guard.{name} is {value} s: at least {SHORTEST_ARM} s")
            if name.startswith("hold_") and 0 < value < SHORTEST_HOLD:
                raise ValueError(f"guard.{name} is {value} s: 0 (off) or at least {SHORTEST_HOLD} s")
        if self.burst_keys < 2:
            raise ValueError(f"guard.burst_keys is {self.burst_keys}: at least 2")

    @property
    def reduced(self) -> bool:
        """Whether a protection is switched off, which the status line then says."""
        return not (self.typing_lock and self.require_seen and self.hold_one and self.hold_many)
