"""The person's own editor: `$VISUAL`, else `$EDITOR`, on a private file that is gone afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["EditorError", "edit_text"]

_DEFAULT = "vi"
_NO_MODELINES = dict.fromkeys(("vim", "nvim"), ("--cmd", "set nomodeline"))
"""What keeps an editor from obeying the text that it opens."""


class EditorError(Exception):
    """The editor could not be started, failed, or left no text."""


def edit_text(text: str, suffix: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Have a person edit a text; waits until the editor ends.

    Args:
        text: What is to be edited.
        suffix: Ending of the file's name.
        environment: Names the editor.

    Returns:
        The text as it was left; None if it was not changed.

    Raises:
        EditorError: There is no text; the message says why.
    """
    command = _command(environment.get("VISUAL") or environment.get("EDITOR") or _DEFAULT)
    folder = Path(tempfile.mkdtemp(prefix="signoff-edit-"))  # readable for nobody else
    try:
        file = folder / f"edit{suffix}"
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:  # noqa: PTH123
            out.write(text.encode())
        try:
            done = subprocess.run([*command, str(file)], check=False)
        except OSError as error:
            raise EditorError(f"{command[0]} cannot be started: {error.strerror}; set VISUAL or EDITOR") from error
        if done.returncode != 0:
            raise EditorError(f"{command[0]} ended with {done.returncode}")
        try:
            after = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            raise EditorError(f"what {command[0]} left is no UTF-8 text") from error
        return None if after == text else after
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(words: str) -> list[str]:
    try:
        command = shlex.split(words)
    except ValueError as error:
        raise EditorError(f"VISUAL or EDITOR is no command: {error}") from error
    if not command:
        raise EditorError("VISUAL or EDITOR is blank; name an editor")
    return [*command, *_NO_MODELINES.get(Path(command[0]).name, ())]
