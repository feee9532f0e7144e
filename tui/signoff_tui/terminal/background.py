"""The color of the terminal's background: from its answer to a question, or from the environment.

The question and the answer are ``OSC 11`` of xterm (XTerm Control Sequences, "Set dynamic colors"). The variable
is ``COLORFGBG`` of rxvt (rxvt(1), "ENVIRONMENT"), which Konsole and others set, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from textual.message import Message

__all__ = ["Background", "BackgroundTold", "background_of", "is_light", "is_light_by_variable"]

Background = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""

_COLOR = "(?:rgba?:[0-9a-fA-F]{1,4}(?:/[0-9a-fA-F]{1,4}){2,3}|#[0-9a-fA-F]{3,12})"
_ANSWER = re.compile(rf"11;({_COLOR})")

_LIGHT = 0.5
"""Brightness (ITU-R BT.601 luma) from which a background is light."""


class BackgroundTold(Message, bubble=False):
    """The answer of the terminal to the question about the color of its background.

    Args:
        background: The color.
    """

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.background = background


def background_of(body: str) -> Background | None:
    """Return the color that an operating system command reports.

    Args:
        body: Its text, such as ``11;rgb:ffff/ffff/ffff``.

    Returns:
        None if it is about something else, or no color of three parts.
    """
    answer = _ANSWER.fullmatch(body)
    return None if answer is None else _color(answer[1])


def is_light(background: Background) -> bool:
    """True if dark letters are read better on it."""
    red, green, blue = background
    return 0.299 * red + 0.587 * green + 0.114 * blue >= _LIGHT


def is_light_by_variable(variables: Mapping[str, str]) -> bool:
    """True if ``COLORFGBG`` names a light background: white, or one of the bright colors but gray.

    Args:
        variables: The environment. The variable ends with the number of the color, as in ``0;15``.
    """
    number = variables.get("COLORFGBG", "").rpartition(";")[2]
    return number.isdecimal() and (number == "7" or 9 <= int(number) <= 15)


def _color(text: str) -> Background | None:
    """A color as XParseColor reads it: each part is a share of the largest number of its digits."""
    if text.startswith("#"):
        digits, rest = divmod(len(text) - 1, 3)
        if rest:
            return None
        parts = [text[1 + at * digits : 1 + (at + 1) * digits] for at in range(3)]
    else:
        parts = text.partition(":")[2].split("/")
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in parts[:3])
    return red, green, blue
