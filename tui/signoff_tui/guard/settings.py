"""Every time and switch of the guard, with its default and what is accepted."""

# Annotations are no strings here: settings_of reads them, and to compile strings would take it milliseconds.

import math
from typing import Annotated

from msgspec import Struct

__all__ = ["GuardSettings"]

SHORTEST_ARM = 0.15
"""Seconds. Below this nobody can react to what appeared."""

SHORTEST_HOLD = 0.8
"""Seconds. A shorter hold would end before typing can be told from deciding (`burst_window`)."""


class GuardSettings(Struct, frozen=True, kw_only=True):
    """Values of the decision guard. Times are seconds."""

    arm_moved: Annotated[float, "From the picture to the first key that counts, after you moved."] = 0.25
    arm_advanced: Annotated[float, "The same after the screen moved on by itself."] = 0.4
    arm_arrived: Annotated[float, "The same when a request comes into an empty inbox."] = 1.0
    arm_changed: Annotated[float, "The same when what you look at changed."] = 1.0
    arm_focus: Annotated[float, "The same after the terminal got the focus."] = 0.5
    arm_high: Annotated[float, "At least this long for HIGH risk."] = 0.8
    arm_sheet: Annotated[float, "The same after a question or a sheet opened."] = 0.4
    link_delay: Annotated[float, "Added to all of these, for slow lines."] = 0.0
    repeat_gap: Annotated[float, "A decision key this soon after another does nothing."] = 0.15
    """It is dropped, and arming starts anew."""
    autorepeat: Annotated[float, "Equal keys that come faster than this are one held key."] = 0.13
    """Two gaps in a row have to be that short."""
    enter_after: Annotated[float, "Enter this soon after an approval takes it back."] = 0.5
    hasty_text: Annotated[float, "Text this soon after the text box opened was meant for elsewhere."] = 0.3
    hasty_enter: Annotated[float, "So was Enter this soon: then it is needed twice."] = 0.5
    enter_again: Annotated[float, "Least time between the two."] = 0.4
    paste_gap: Annotated[float, "Enter this soon after text was pasted: it ends a line, and sends nothing."] = 0.03
    """For terminals that do not tell what is pasted from what is pressed."""
    burst_keys: Annotated[int, range(2, 101), "So many letters within burst_window are typing."] = 3
    burst_window: Annotated[float, "See burst_keys."] = 0.7
    burst_quiet: Annotated[float, "Silence that unlocks the keys after typing."] = 0.8
    quiet_before: Annotated[float, "Silence that a decision key needs before and after it."] = 0.25
    """As well the time in which another key makes a decision the first letter of a word."""
    late: Annotated[float, "A key that waited so long in a busy program does nothing."] = 0.25
    """It is dropped, and so is all that was pressed meanwhile."""
    hold: Annotated[float, "How long u can take a decision back; 0 is not at all, else 800ms or more."] = 3.0
    dwell: Annotated[float, "A line counts as shown after this long."] = 0.2
    """The screen measures it."""
    typing_lock: Annotated[bool, "Lock the decision keys while somebody types."] = True
    require_seen: Annotated[bool, "Approve only what was shown in full."] = True
    """Sets always want it."""

    def validate(self) -> None:
        """Refuse values with which the guard could not keep its promises.

        Raises:
            ValueError: One of them is refused; the message names the setting, the value and what is accepted.
        """
        for name in self.__struct_fields__:
            try:
                self.check(name)
            except ValueError as error:
                raise ValueError(f"guard.{name} is {getattr(self, name)}: {error}") from None

    def check(self, name: str) -> None:
        """Refuse a value with which the guard could not keep its promises.

        Args:
            name: The setting that has it.

        Raises:
            ValueError: A time is negative or not finite, an `arm_` time is under 0.15 s, `hold` is
                neither 0 nor at least 0.8 s, or `burst_keys` is under 2. The message says what is accepted.
        """
        value = getattr(self, name)
        if not math.isfinite(value) or value < 0:
            raise ValueError("it must be a time, 0 or more")
        if name.startswith("arm_") and value < SHORTEST_ARM:
            raise ValueError(f"at least {SHORTEST_ARM} s")
        if name == "hold" and 0 < value < SHORTEST_HOLD:
            raise ValueError(f"0 (off) or at least {SHORTEST_HOLD} s")
        if name == "burst_keys" and value < 2:
            raise ValueError("at least 2")

    @property
    def reduced(self) -> bool:
        """True if a protection is switched off, which the status line then says."""
        return not (self.typing_lock and self.require_seen and self.hold)
