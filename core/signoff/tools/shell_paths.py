"""The paths in the arguments of a simple command, found so that none is missed."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["possible_paths"]

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@+,%=-]+")
_OPTION = re.compile(r"-[A-Za-z0-9]?|--[A-Za-z0-9][A-Za-z0-9-]*(?:=.*)?")
_MARKS = re.compile(r"[=:,@%+]")


def possible_paths(arguments: Sequence[str]) -> list[str] | None:
    """Every text in the arguments that a program could take for a path; None if that cannot be told.

    That is every word that is no option, the value behind the ``=`` of a long option, and what stands between
    marks such as ``:`` in either. It cannot be told where something is glued to a short option, a value or more
    options, nor behind ``--``, nor in quoted text. A command without paths works on its directory, ``.``.

    Args:
        arguments: Words of the command after its program.
    """
    if not all(map(_can_be_told, arguments)):
        return None
    values = [word.partition("=")[2] if word.startswith("-") else word for word in arguments]
    return [piece for value in values for piece in (value, *_MARKS.split(value)) if piece] or ["."]


def _can_be_told(word: str) -> bool:
    return _PLAIN_WORD.fullmatch(word) is not None and (
        not word.startswith("-") or _OPTION.fullmatch(word) is not None
    )
