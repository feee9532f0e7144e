"""The person's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["NoEditorError", "edit", "editor_words"]

_TAKE_LINES = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "joe", "micro", "mcedit"})
"""Editors that take a line as ``+12`` before the file."""

_USUAL = ("editor", "nano", "vi")


class NoEditorError(Exception):
    """There is no editor, or it cannot be started; the text says what to do."""


def editor_words(variables: Mapping[str, str], file: str, line: int | None = None) -> Sequence[str]:
    """The words of the command that edits a file.

    Args:
        variables: The environment: ``VISUAL`` counts before ``EDITOR``.
        file: Absolute path.
        line: Where to begin.

    Raises:
        NoEditorError: Neither is set and none of the usual ones is there, or what is set are no words.
    """
    said = variables.get("VISUAL") or variables.get("EDITOR") or next(filter(shutil.which, _USUAL), "")
    try:
        words = shlex.split(said)
    except ValueError as error:
        raise NoEditorError(f"EDITOR cannot be read: {error}") from error
    if not words:
        raise NoEditorError("set EDITOR to the editor that you want")
    at = [f"+{line}"] if line is not None and Path(words[0]).name in _TAKE_LINES else []
    return [*words, *at, file]


def edit(file: str, line: int | None = None) -> None:
    """Let a person edit a file in a terminal that is free, and wait until that is done.

    Args:
        file: Absolute path.
        line: Where to begin.

    Raises:
        NoEditorError: There is no editor, or it cannot be started.
    """
    words = editor_words(os.environ, file, line)
    try:
        subprocess.run(words, check=False)
    except OSError as error:
        raise NoEditorError(f"{words[0]} cannot be started: {error.strerror}") from error
