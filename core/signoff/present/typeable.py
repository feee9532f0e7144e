"""What of a text may stand in a box for typing, where nothing is made visible."""

from __future__ import annotations

from signoff.present._unicode import HIDDEN_SIGNS, is_plain, shape

__all__ = ["typeable"]


def typeable(text: str, instead: str = "") -> str:
    """The text without what `reveal` would have to show as an escape, and in one line.

    A box shows each character as it is, under the cursor: what cannot be seen there must not get into it.

    Args:
        text: Any text.
        instead: Stands for each character that is left out.
    """
    if is_plain(text, ""):
        return text
    signs = shape(text, exact=True, kept="")
    return "".join(
        char if char.isprintable() and sign not in HIDDEN_SIGNS else instead
        for char, sign in zip(text, signs, strict=True)
    )
