"""Handing the terminal over to another program of the person, and taking it back whatever becomes of that."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

__all__ = [
    "HandoverError",
    "in_a_free_terminal",
    "obeying_no_text",
    "private_folder",
    "program",
    "words_of",
    "write_private",
]

T = TypeVar("T")

_NO_MODELINES = (
    "--cmd",
    # The second part holds also where the person's own settings allow modelines.
    "set nomodeline | silent! autocmd BufReadPre,StdinReadPre * setlocal nomodeline",
)


class HandoverError(Exception):
    """A program cannot be started, failed, or the terminal cannot be given away; the message says what to do."""


def in_a_free_terminal(app: App[Any], work: Callable[[], T]) -> T:
    """Give the terminal away while something is done, and take it back whatever becomes of that.

    Args:
        app: Whose terminal it is.
        work: What is done; nothing else happens meanwhile.

    Raises:
        HandoverError: The terminal cannot be given away, or the work says so.
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
    """The words of a command that somebody wrote as one text, as shells read it, but run by no shell.

    Args:
        said: The command; may be empty.
        name: The variable that it stands in, for messages.

    Raises:
        HandoverError: Its quotes do not match.
    """
    try:
        return shlex.split(said)
    except ValueError as error:
        raise HandoverError(f"{name} cannot be read: {error}") from error


def obeying_no_text(words: Sequence[str]) -> Sequence[str]:
    """The words of a command, with those that keep its program from obeying a text of somebody else that it opens.

    Only vim does that, under whatever name it is started.

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
        folder: Where it runs; here if it is left out.
        variables: Its environment; ours if it is left out.
        text: What it reads from its standard input; the terminal if it is left out.

    Returns:
        How it ended; 0 is well.

    Raises:
        HandoverError: It cannot be started.
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
    """A folder that nobody else can look into, and that is gone afterwards with all that is in it."""
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
    """Signals that end the screen end the program first that has its terminal; it is named once it runs."""
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
    """Ctrl+C is pressed for the program that has the terminal, not for us, who started it."""
    # A function, and not "ignore": that would be inherited by the program.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
