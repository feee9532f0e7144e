"""The person's own editor: `$VISUAL`, else `$EDITOR`, else one of the usual ones."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

__all__ = ["NoEditorError", "edit_file", "edit_text", "editor_words", "in_a_free_terminal"]

T = TypeVar("T")

_TAKE_LINES = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "joe", "micro", "mcedit"})
"""Editors that take a line as ``+12`` before the file."""

_NO_MODELINES = dict.fromkeys(("vim", "nvim"), ("--cmd", "set nomodeline"))
"""What keeps an editor from obeying a text of somebody else that it opens."""

_USUAL = ("editor", "nano", "vi")


class NoEditorError(Exception):
    """There is no editor, it cannot be started, or it left no text; the message says what to do."""


def in_a_free_terminal(app: App[Any], work: Callable[[], T]) -> T:
    """Give the terminal away while something is done, and take it back whatever becomes of that.

    Args:
        app: Whose terminal it is.
        work: What is done; nothing else happens meanwhile.

    Raises:
        NoEditorError: The terminal cannot be given away, or the work says so.
    """
    done: list[T] = []
    failure: NoEditorError | None = None
    try:
        with app.suspend():
            try:
                done.append(work())
            except NoEditorError as error:  # raised below: Textual takes the terminal back only without an error
                failure = error
    except SuspendNotSupported:
        raise NoEditorError("this terminal cannot be handed to an editor") from None
    if failure is not None:
        raise failure
    return done[0]


def editor_words(variables: Mapping[str, str], file: str, line: int | None = None) -> Sequence[str]:
    """The words of the command that edits a file.

    Args:
        variables: The environment: ``VISUAL`` counts before ``EDITOR``.
        file: Absolute path.
        line: Where to begin.

    Raises:
        NoEditorError: Neither is set and none of the usual ones is there, or what is set are no words.
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
        NoEditorError: There is no editor, or it cannot be started.
    """
    _run(editor_words(os.environ, file, line))


def edit_text(text: str, suffix: str, variables: Mapping[str, str] = os.environ) -> str | None:
    """Let a person edit a text of somebody else, in a private file that is gone afterwards.

    Args:
        text: What is to be edited.
        suffix: Ending of the file's name.
        variables: The environment.

    Returns:
        The text as it was left; None if it was not changed.

    Raises:
        NoEditorError: There is no editor, it cannot be started, it failed, or it left no text.
    """
    command = _command(variables)
    folder = Path(tempfile.mkdtemp(prefix="signoff-edit-"))  # readable for nobody else
    try:
        file = folder / f"edit{suffix}"
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:  # noqa: PTH123
            out.write(text.encode())
        ended = _run([*command, *_NO_MODELINES.get(Path(command[0]).name, ()), str(file)])
        if ended != 0:
            raise NoEditorError(f"{command[0]} ended with {ended}")
        try:
            after = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            raise NoEditorError(f"what {command[0]} left is no UTF-8 text") from error
        return None if after == text else after
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(variables: Mapping[str, str]) -> Sequence[str]:
    said = variables.get("VISUAL") or variables.get("EDITOR") or next(filter(shutil.which, _USUAL), "")
    try:
        words = shlex.split(said)
    except ValueError as error:
        raise NoEditorError(f"EDITOR cannot be read: {error}") from error
    if not words:
        raise NoEditorError("set EDITOR to the editor that you want")
    return words


def _run(words: Sequence[str]) -> int:
    try:
        return subprocess.run(words, check=False).returncode
    except OSError as error:
        raise NoEditorError(f"{words[0]} cannot be started: {error.strerror}") from error
