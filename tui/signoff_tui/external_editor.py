"""The person's own editor: `$VISUAL`, else `$EDITOR`, else one of the usual ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from signoff.present.snapshot.files import MAX_FILE_SIZE
from signoff_tui.handing_over import (
    HandoverError,
    obeying_no_text,
    private_folder,
    program,
    words_of,
    write_private,
)
from signoff_tui.own_files import read_bytes

__all__ = ["edit_file", "edit_text", "editor_words"]

_TAKE_LINES = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "joe", "micro", "mcedit"})
"""Editors that take a line as ``+12`` before the file."""

_USUAL = ("editor", "nano", "vi")


def editor_words(variables: Mapping[str, str], file: str, line: int | None = None) -> Sequence[str]:
    """The words of the command that edits a file.

    Args:
        variables: The environment: ``VISUAL`` counts before ``EDITOR``.
        file: Absolute path.
        line: Where to begin.

    Raises:
        HandoverError: Neither is set and none of the usual ones is there, or what is set are no words.
    """
    words = _command(variables)
    at = [f"+{line}"] if line is not None and Path(words[0]).name in _TAKE_LINES else []
    return [*words, *at, file]


def edit_file(file: str, line: int | None = None) -> None:
    """Let a person edit a file in a terminal that is free, and wait until that is done.

    Args:
        file: Absolute path.
        line: Where to begin.

    Raises:
        HandoverError: There is no editor, or it cannot be started.
    """
    program(editor_words(os.environ, file, line))


def edit_text(text: str, suffix: str, variables: Mapping[str, str] = os.environ) -> str | None:
    """Let a person edit a text of somebody else, in a private file that is gone afterwards.

    Args:
        text: What is to be edited.
        suffix: Ending of the file's name.
        variables: The environment.

    Returns:
        The text as it was left; None if it was not changed.

    Raises:
        HandoverError: There is no editor, it cannot be started, it failed, or it left no text.
    """
    command = _command(variables)
    with private_folder() as folder:
        file = folder / f"edit{suffix}"
        write_private(file, text)
        ended = program([*obeying_no_text(command), str(file)])
        if ended != 0:
            raise HandoverError(f"{command[0]} ended with {ended}")
        try:
            after = read_bytes(file, most=MAX_FILE_SIZE).decode()
        except (OSError, ValueError) as error:
            if not isinstance(error, UnicodeDecodeError | OSError):
                raise HandoverError(f"what {command[0]} left is too large") from error
            raise HandoverError(f"what {command[0]} left is no UTF-8 text") from error
        return None if after == text else after


def _command(variables: Mapping[str, str]) -> Sequence[str]:
    said = variables.get("VISUAL") or variables.get("EDITOR") or next(filter(shutil.which, _USUAL), "")
    words = words_of(said, "EDITOR")
    if not words:
        raise HandoverError("set EDITOR to the editor that you want")
    return words
