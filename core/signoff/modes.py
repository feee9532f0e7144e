"""The modes of a controller: ask a person, or give every call the same answer.

The mode comes from code, from the environment (``SIGNOFF_MODE``) and, for `signoff ask`, from the command line.
Of several the strictest holds: the user of a program may make it ask, but cannot make it stop asking against its
author's will.
"""

from __future__ import annotations

import os
from typing import Literal, TypeGuard, get_args

__all__ = ["MODES", "MODE_VARIABLE", "Mode", "chosen_mode", "known_mode"]

Mode = Literal["interactive", "approve_all", "strict"]

MODES: tuple[Mode, ...] = get_args(Mode)

MODE_VARIABLE = "SIGNOFF_MODE"

_STRICTEST_FIRST: tuple[Mode, ...] = ("strict", "interactive", "approve_all")


def chosen_mode(*modes: str | None) -> Mode:
    """Return the mode that holds: ``interactive`` if none is given.

    Args:
        modes: The modes of the code and its settings; None for none.

    Raises:
        ValueError: One of them, or the one in the environment, is unknown.
    """
    said = [known_mode(mode) for mode in modes if mode is not None]
    if from_outside := os.environ.get(MODE_VARIABLE):
        said.append(known_mode(from_outside, MODE_VARIABLE))
    return next((each for each in _STRICTEST_FIRST if each in said), "interactive")


def known_mode(mode: str, source: str = "mode") -> Mode:
    """Return a mode by its name.

    Args:
        mode: Its name.
        source: The origin of the name, for the message.

    Raises:
        ValueError: There is no such mode.
    """
    if _is_mode(mode):
        return mode
    raise ValueError(f"unknown {source} {mode!r}; choose one of: {', '.join(MODES)}")


def _is_mode(mode: str) -> TypeGuard[Mode]:
    return mode in MODES
