"""Something in a valid settings file that its author may not have meant."""

from __future__ import annotations

from dataclasses import dataclass

from signoff.setting_files.paths import KeyPath

__all__ = ["Caution"]


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that its author may not have meant.

    Attributes:
        path: What it is about, as the models spell it.
        message: What is the matter, in words.
    """

    path: KeyPath
    message: str
