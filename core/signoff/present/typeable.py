"""What of a text may stand in a box for typing, where no escapes are shown."""

from __future__ import annotations

from signoff.present._unicode import HIDDEN_SIGNS, VOWEL, is_plain, marked_runs, shape

__all__ = ["typeable", "with_letters"]


def typeable(text: str, instead: str = "", *, vowels: bool = False) -> str:
    """The text without what `reveal` would have to show as something else, and in one line.

    A box shows each character as it is, under the cursor: what cannot be seen there must not get into it.

    Args:
        text: Any text.
        instead: Stands for each character that is left out.
        vowels: Leave spacing vowel signs in: for a box that draws the letter of each, see `with_letters`.
    """
    if is_plain(text, ""):
        return text
    signs = shape(text, exact=True, kept="")
    left_out = HIDDEN_SIGNS - {VOWEL} if vowels else HIDDEN_SIGNS
    return "".join(
        char if char.isprintable() and sign not in left_out else instead
        for char, sign in zip(text, signs, strict=True)
    )


def with_letters(text: str) -> str:
    """The text with a letter for each spacing vowel sign, as `reveal` draws it, in as many characters.

    Args:
        text: What `typeable` left of a text.
    """
    if text.isascii():
        return text
    signs = shape(text, exact=True, kept="")
    return "".join(marked_runs[char] if sign == VOWEL else char for char, sign in zip(text, signs, strict=True))
