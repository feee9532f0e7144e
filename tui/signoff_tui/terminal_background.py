"""What a terminal answers when it is asked for the color of its background.

The question and the answer are ``OSC 11`` of xterm (XTerm Control Sequences, "Set dynamic colors"). An answer that
came as keys would act on the screen; so it is taken out of what the terminal sends, even if it comes late.
"""

from __future__ import annotations

import re

from textual.message import Message

__all__ = ["Background", "BackgroundAnswers", "BackgroundTold", "is_light"]

Background = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""

_COLOR = "(?:rgba?:[0-9a-fA-F]{1,4}(?:/[0-9a-fA-F]{1,4}){2,3}|#[0-9a-fA-F]{3,12})"
_ANSWER = re.compile(rf"\x1b\]11;({_COLOR})(?:\x07|\x1b\\)")
_BEGUN = re.compile(r"\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?)?)?\Z")
"""What may go on as an answer."""

_LIGHT = 0.5
"""Brightness (ITU-R BT.601 luma) from which a background is light."""


class BackgroundTold(Message, bubble=False):
    """The terminal answered soon after it was asked for the color of its background.

    Args:
        background: The color.
    """

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.background = background


class BackgroundAnswers:
    """Takes answers out of what a terminal sends, in whatever pieces it comes."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> tuple[str, Background | None]:
        """Take the next piece.

        Returns:
            What of it is no answer, and the color of the last answer that is complete. What may go on as an answer
            is held back until it does or does not; `give_up` gives it back.
        """
        text = self._held + text
        found: Background | None = None
        for answer in _ANSWER.finditer(text):
            found = _color(answer[1]) or found
        text = _ANSWER.sub("", text)
        begun = _BEGUN.search(text)
        self._held = text[begun.start() :] if begun else ""
        return text[: len(text) - len(self._held)], found

    @property
    def holds(self) -> bool:
        """Whether something is held back."""
        return bool(self._held)

    @property
    def holds_keys(self) -> bool:
        """Whether what is held back is more likely one key than the beginning of an answer."""
        return 0 < len(self._held) <= len("\x1b]")

    def give_up(self) -> str:
        """What was held back, which is no answer: nothing came after it."""
        held, self._held = self._held, ""
        return held


def is_light(background: Background) -> bool:
    """Whether dark letters are read better on it."""
    red, green, blue = background
    return 0.299 * red + 0.587 * green + 0.114 * blue >= _LIGHT


def _color(text: str) -> Background | None:
    """A color as XParseColor reads it: each part is a share of the most that its digits can say."""
    if text.startswith("#"):
        digits, rest = divmod(len(text) - 1, 3)
        if rest:
            return None
        parts = [text[1 + at * digits : 1 + (at + 1) * digits] for at in range(3)]
    else:
        parts = text.partition(":")[2].split("/")
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in parts[:3])
    return red, green, blue
