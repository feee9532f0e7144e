"""Programs of the person that show things outside of the screen: the pager, and a viewer for diffs.

They get safe text only, with marks for secrets, and nothing of it stays on the disk. What they show does not count
as shown.
"""

from __future__ import annotations

import os
import re
import shutil
import termios
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from signoff_tui.handing_over import (
    HandoverError,
    obeying_no_text,
    private_folder,
    program,
    words_of,
    write_private,
)

__all__ = ["in_pager", "in_viewer"]

_USUAL = ("less", "more")

_AT_A_GLANCE = 0.5
"""Seconds. What a pager showed for a shorter time has been read by nobody: it did not wait for a key."""

_ENDINGS = re.compile(r"\.[A-Za-z0-9]{1,12}\Z")


def in_pager(
    text: str, variables: Mapping[str, str] = os.environ, *, wait: Callable[[], None] | None = None
) -> None:
    """Let a person read a text in a terminal that is free: in `$PAGER`, else in one of the usual ones.

    Args:
        text: Safe text; the pager reads it from its standard input.
        variables: The environment.
        wait: Waits for Enter, if the pager ended at once; on the terminal if it is left out.

    Raises:
        HandoverError: There is no pager, it cannot be started, or it failed.
    """
    words = words_of(variables.get("PAGER") or next(filter(shutil.which, _USUAL), ""), "PAGER")
    if not words:
        raise HandoverError("set PAGER to the pager that you want")
    began = time.monotonic()
    with private_folder() as folder:
        ended = program(obeying_no_text(words), folder=folder, variables=_tamed(variables, folder), text=text)
    if ended != 0:
        raise HandoverError(f"{words[0]} ended with {ended}")
    if time.monotonic() - began < _AT_A_GLANCE:
        (wait or _until_enter)()


def in_viewer(
    command: Sequence[str],
    before: Iterable[str],
    after: Iterable[str],
    path: str,
    variables: Mapping[str, str] = os.environ,
    *,
    wait: Callable[[], None] | None = None,
) -> None:
    """Let a person compare two texts in a terminal that is free, and wait for Enter afterwards.

    Args:
        command: The viewer and its arguments; the two files are added.
        before: Safe lines.
        after: Safe lines.
        path: File that the texts are of; only its ending is used, by which the viewer knows the language.
        variables: The environment.
        wait: Waits for Enter; on the terminal if it is left out.

    Raises:
        HandoverError: The viewer cannot be started, or it failed.
    """
    ending = _ENDINGS.search(path)
    with private_folder() as folder:
        files = [folder / f"{name}{ending.group() if ending else ''}" for name in ("before", "after")]
        for file, lines in zip(files, (before, after), strict=True):
            write_private(file, "".join(f"{line}\n" for line in lines))
        words = [*obeying_no_text(command), *map(str, files)]
        ended = program(words, folder=folder, variables=_tamed(variables, folder))
        if ended not in (0, 1):  # 1 is how those end that have found a difference
            raise HandoverError(f"{command[0]} ended with {ended}")
        (wait or _until_enter)()


def _tamed(variables: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """An environment in which less runs no commands, and git looks for settings in no folder around."""
    return {**variables, "LESSSECURE": "1", "GIT_CEILING_DIRECTORIES": str(folder.parent)}


def _until_enter() -> None:
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:  # noqa: PTH123
            terminal.write(b"\n[Enter] back to signoff ")
            termios.tcflush(terminal, termios.TCIFLUSH)  # what was typed before this was asked is no answer
            terminal.readline()
    except (OSError, termios.error):
        return
