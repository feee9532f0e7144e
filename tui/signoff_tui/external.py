"""Programs of the person: editor, pager and diff viewer, and the hand-over of the terminal."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

from signoff.present.snapshot.files import MAX_FILE_SIZE
from signoff_tui.state.persistence import read_bytes

__all__ = [
    "HandoverError",
    "copied_by_tmux",
    "edit_file",
    "edit_text",
    "editor_words",
    "in_a_free_terminal",
    "in_pager",
    "in_viewer",
    "obeying_no_text",
    "private_folder",
    "program",
    "words_of",
    "write_private",
]


T = TypeVar("T")

_NO_MODELINES = (
    "--cmd",
    # The second part holds even if the person's own settings allow modelines.
    "set nomodeline | silent! autocmd BufReadPre,StdinReadPre * setlocal nomodeline",
)


_TMUX_SECONDS = 1.0
"""Seconds that tmux has to take what is copied."""


class HandoverError(Exception):
    """A program cannot be started, failed, or cannot get the terminal; the message says what to do."""


def copied_by_tmux(data: bytes) -> bool:
    """Give something to the tmux around us, for its buffer and the clipboard; False if it did not take it."""
    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"],
            input=data,
            timeout=_TMUX_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def in_a_free_terminal(app: App[Any], work: Callable[[], T]) -> T:
    """Give the terminal away while work is done, and take it back in any case.

    Args:
        app: The app with the terminal.
        work: The work; the screen waits for it.

    Raises:
        HandoverError: The terminal cannot be given away, or the work raised it.
    """
    done: list[T] = []
    failure: HandoverError | None = None
    try:
        with app.suspend(), _interrupts_left_to_the_program():
            try:
                done.append(work())
            except HandoverError as error:  # raised below: Textual takes the terminal back only without an error
                failure = error
    except SuspendNotSupported:
        raise HandoverError("this terminal cannot be handed to another program") from None
    if failure is not None:
        raise failure
    return done[0]


def words_of(said: str, name: str) -> Sequence[str]:
    """Split a command into words as shells do, without running one.

    Args:
        said: The command; may be empty.
        name: The variable with the command, for messages.

    Raises:
        HandoverError: Its quotes do not match.
    """
    try:
        return shlex.split(said)
    except ValueError as error:
        raise HandoverError(f"{name} cannot be read: {error}") from error


def obeying_no_text(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command, with options that keep its program from obeying the opened text.

    Only vim does that, under several names.

    Args:
        words: The program and its arguments.
    """
    name = Path(os.path.realpath(shutil.which(words[0]) or words[0])).name
    return [words[0], *_NO_MODELINES, *words[1:]] if name.startswith(("vim", "nvim")) else words


def program(
    words: Sequence[str],
    *,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    text: str | None = None,
) -> int:
    """Run a program and wait for its end.

    Args:
        words: The program and its arguments.
        folder: The directory it runs in; the present one if left out.
        variables: Its environment; that of this process if left out.
        text: Its standard input; the terminal if left out.

    Returns:
        Its exit code.

    Raises:
        HandoverError: The program cannot be started.
    """
    given = None if text is None else text.encode()
    with _signals_passed_on() as pass_on_to:
        try:
            running = subprocess.Popen(
                words,
                cwd=folder,
                env=None if variables is None else dict(variables),
                stdin=None if given is None else subprocess.PIPE,
            )
        except OSError as error:
            raise HandoverError(f"{words[0]} cannot be started: {error.strerror}") from error
        with running:
            pass_on_to(running)
            running.communicate(given)
    return running.returncode


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder that nobody else can look into, and that is deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="signoff-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_private(file: Path, text: str) -> None:
    """Write a new file that nobody else can read."""
    file.touch(mode=0o600, exist_ok=False)
    file.write_bytes(text.encode())


@contextmanager
def _signals_passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Pass signals that end the screen on to the program in the terminal; it is named once it runs."""
    programs: list[subprocess.Popen[bytes]] = []
    came: list[int] = []

    def take(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each in programs:
            each.send_signal(number)
        before[number](number, frame)

    def pass_on_to(running: subprocess.Popen[bytes]) -> None:
        programs.append(running)
        for number in came:  # it may have been started by then
            running.send_signal(number)

    ours = {int(number): signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    before = {number: handler for number, handler in ours.items() if callable(handler)}
    for number in before:
        signal.signal(number, take)
    try:
        yield pass_on_to
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _interrupts_left_to_the_program() -> Iterator[None]:
    """Leave Ctrl+C to the program that has the terminal."""
    # A function, and not "ignore": that would be inherited by the program.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- The person's own editor: `$VISUAL`, else `$EDITOR`, else one of the usual ones.

_TAKE_LINES = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "joe", "micro", "mcedit"})
"""Editors that take a line as ``+12`` before the file."""

_USUAL_EDITORS = ("editor", "nano", "vi")


def editor_words(variables: Mapping[str, str], file: str, line: int | None = None) -> Sequence[str]:
    """The words of the command that edits a file.

    Args:
        variables: The environment: ``VISUAL`` counts before ``EDITOR``.
        file: Absolute path.
        line: The line to begin at.

    Raises:
        HandoverError: Neither is set and there is no usual one, or the value cannot be split into words.
    """
    words = _command(variables)
    at = [f"+{line}"] if line is not None and Path(words[0]).name in _TAKE_LINES else []
    return [*words, *at, file]


def edit_file(file: str, line: int | None = None) -> None:
    """Let a person edit a file in a free terminal, and wait until that is done.

    Args:
        file: Absolute path.
        line: The line to begin at.

    Raises:
        HandoverError: There is no editor, or it cannot be started.
    """
    program(editor_words(os.environ, file, line))


def edit_text(text: str, suffix: str, variables: Mapping[str, str] = os.environ) -> str | None:
    """Let a person edit a text of somebody else, in a private file that is deleted afterwards.

    Args:
        text: The text.
        suffix: Ending of the file's name.
        variables: The environment.

    Returns:
        The edited text; None if it was not changed.

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
    said = variables.get("VISUAL") or variables.get("EDITOR") or next(filter(shutil.which, _USUAL_EDITORS), "")
    words = words_of(said, "EDITOR")
    if not words:
        raise HandoverError("set EDITOR to the editor that you want")
    return words


# -- Programs of the person that show texts outside of the screen: the pager, and a viewer for diffs.
#
# They get safe text only, with marks for secrets, and no file stays on the disk. Text in them does not count as
# shown.

_USUAL_PAGERS = ("less", "more")

_AT_A_GLANCE = 0.5
"""The time, in seconds, below which a pager has not waited for a key: nobody has read its text."""

_ENDINGS = re.compile(r"\.[A-Za-z0-9]{1,12}\Z")


def in_pager(
    text: str, variables: Mapping[str, str] = os.environ, *, wait: Callable[[], None] | None = None
) -> None:
    """Let a person read a text in a free terminal: in `$PAGER`, else in one of the usual ones.

    Args:
        text: Safe text; the pager reads it from its standard input.
        variables: The environment.
        wait: Waits for Enter, if the pager ended at once; on the terminal if it is left out.

    Raises:
        HandoverError: There is no pager, it cannot be started, or it failed.
    """
    words = words_of(variables.get("PAGER") or next(filter(shutil.which, _USUAL_PAGERS), ""), "PAGER")
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
    """Let a person compare two texts in a free terminal, and wait for Enter afterwards.

    Args:
        command: The viewer and its arguments; the two files are added.
        before: Safe lines.
        after: Safe lines.
        path: File of the texts; only its ending is used, by which the viewer knows the language.
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
        if ended not in (0, 1):  # 1 means that there is a difference
            raise HandoverError(f"{command[0]} ended with {ended}")
        (wait or _until_enter)()


def _tamed(variables: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """An environment in which less runs no commands, and git reads no settings of the folders around."""
    return {**variables, "LESSSECURE": "1", "GIT_CEILING_DIRECTORIES": str(folder.parent)}


def _until_enter() -> None:
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:  # noqa: PTH123
            terminal.write(b"\nEnter: back to signoff ")
            termios.tcflush(terminal, termios.TCIFLUSH)  # earlier keys are no answer
            terminal.readline()
    except (OSError, termios.error):
        return
