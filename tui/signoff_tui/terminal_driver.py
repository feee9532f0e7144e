"""The driver that speaks to the terminal: it sleeps while no key comes, and writes no string sequences of others.

Textual's own driver looks for keys ten times a second; a screen that stays open all day should cost nothing. And
what a terminal reads as more than text, color and movement (its title, the clipboard, links, uploads) is never
written, whoever asked for it, but for what `signoff_tui.terminal_voice` can say: that has a way of its own.
"""

from __future__ import annotations

import os
import re
import selectors
import time
from codecs import getincrementaldecoder
from collections.abc import Iterable

from textual import constants
from textual._xterm_parser import XTermParser  # the parser that Textual's own driver uses; it has no public name
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message import Message

from signoff_tui.last_net import whole_flags
from signoff_tui.terminal_background import BackgroundAnswers, BackgroundTold
from signoff_tui.terminal_voice import Around, AskBackground, Saying, Title, TitleBack, is_allowed, written

__all__ = ["QuietDriver", "without_strings"]

_READ_BYTES = 4096
# Bidirectional support (ECMA-48, BDSM): explicit while we draw, so that text from right to left stays in its
# columns; then implicit, which is how terminals that know the mode begin. VTE would move it to the other end of
# the row, over what stands beside it.
_BIDI_EXPLICIT, _BIDI_IMPLICIT = "\x1b[8l", "\x1b[8h"
# How often a key that may still go on (Escape, or the beginning of a sequence?) is looked at, and for how long.
_TICK_SECONDS = 0.05
_UNDECIDED_SECONDS = 1.0 + 2 * constants.ESCAPE_DELAY
# An answer that comes later than this is not told, but does not act as keys; and how long it is looked out for.
_ANSWER_SECONDS, _LATE_SECONDS = 1.0, 10.0

# Textual reads this as Enter alone; but who wants a new line must not send what is written.
_ALT_ENTER = "\x1b\r"
# What may follow Escape as the beginning of a sequence, or is a movement on some keyboards.
_NO_ALT = frozenset("[OP]X^_\\fb")

# OSC, DCS, SOS, PM and APC with their text (ECMA-48, 5.6 and 8.3) in both spellings; the bell and all other
# controls of the C1 set; and every escape that begins no control sequence (CSI).
_STRINGS = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[\x07\x80-\x9f]|\x1b(?!\[)"
)


def alt_key(text: str) -> str | None:
    """The name of a key that was pressed with Alt, or a moment after Escape; None if it is another one.

    Textual takes it for the key alone, or for the sign that some keyboards have there: what is meant for nothing
    would be written, or decide something.

    Args:
        text: What the terminal sent at once.
    """
    if text == _ALT_ENTER:
        return "alt+enter"
    if len(text) != len("\x1bx") or text[0] != "\x1b" or not text[1].isprintable() or text[1] in _NO_ALT:
        return None
    return "alt+space" if text[1] == " " else f"alt+{text[1]}"


def without_strings(data: str) -> str:
    """What may be written: text, colors and movements, no string sequence and no control of the C1 set.

    Args:
        data: What is about to be written, with its escape sequences.
    """
    return _STRINGS.sub("", data)


class QuietDriver(LinuxDriver):
    """Textual's driver for terminals, which wakes up for keys alone.

    While it draws, a terminal that reorders text from right to left does not.
    """

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._end, self._end_writer = os.pipe()
        self._title: Title | None = None
        self._answers = BackgroundAnswers()
        self._asked_at = -_LATE_SECONDS

    def write(self, data: str) -> None:
        """Write to the terminal what is no string sequence."""
        super().write(whole_flags(without_strings(data)))

    def speak(self, saying: Saying, around: Around) -> None:
        """Write one of the sequences that the program may say. A title is taken back when the screen closes.

        Args:
            saying: What to say.
            around: What reads it first.
        """
        if isinstance(saying, Title):
            if self._title is None:
                self._utter(TitleBack(keep=True), around)
            self._title = saying
        if isinstance(saying, AskBackground):
            self._asked_at = time.monotonic()
        self._utter(saying, around)

    def start_application_mode(self) -> None:
        """Take the terminal over, with the title that the program gave it before it was suspended."""
        if self._end < 0:  # a suspended driver is closed
            self._end, self._end_writer = os.pipe()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.write(_BIDI_EXPLICIT)
        if self._title is not None:
            self._utter(TitleBack(keep=True))
            self._utter(self._title)

    def stop_application_mode(self) -> None:
        """Give the terminal back, with the title that it had."""
        if self._title is not None:
            self._utter(TitleBack(keep=False))
        self.write(_BIDI_IMPLICIT)
        super().stop_application_mode()

    def _utter(self, saying: Saying, around: Around = "terminal") -> None:
        sequence = written(saying, around)
        if is_allowed(sequence):
            super().write(sequence)

    def disable_input(self) -> None:
        """Wake the thread that waits for keys, and end it."""
        if not self.exit_event.is_set():
            os.write(self._end_writer, b".")
            super().disable_input()
            os.read(self._end, 1)  # input may be enabled again, after the program was suspended

    def close(self) -> None:
        """Close what the driver opened; it may be started again."""
        super().close()
        os.close(self._end)
        os.close(self._end_writer)
        self._end = self._end_writer = -1

    def run_input_thread(self) -> None:
        """Turn what the terminal sends into events until input is disabled."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")().decode
        undecided_until = 0.0
        with selectors.SelectSelector() as selector:  # the others refuse terminals on some systems
            selector.register(self._end, selectors.EVENT_READ)
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                undecided = time.monotonic() < undecided_until
                wait = _TICK_SECONDS if undecided or self._answers.holds else None
                if self.fileno in {key.fd for key, _ in selector.select(wait)}:
                    data = os.read(self.fileno, _READ_BYTES)
                    if not data:  # standard input was no terminal, and is at its end
                        selector.unregister(self.fileno)
                    if (key := alt_key(text := self._without_answers(decode(data)))) is not None:
                        self.process_message(Key(key, None))
                    elif text:  # empty text would end the parser
                        self._pass_on(parser.feed(text))
                    undecided_until = time.monotonic() + _UNDECIDED_SECONDS
                elif text := self._no_answer(over=not undecided):
                    self._pass_on(parser.feed(text))
                self._pass_on(parser.tick())

    def _pass_on(self, messages: Iterable[Message]) -> None:
        """Hand on what the parser made; with Alt, a character is none."""
        for message in messages:
            alt = isinstance(message, Key) and message.key.startswith("alt+")
            self.process_message(Key(message.key, None) if isinstance(message, Key) and alt else message)

    def _without_answers(self, text: str) -> str:
        """What of it are keys; an answer about the background that was asked for is told to the app."""
        since = time.monotonic() - self._asked_at
        if since >= _LATE_SECONDS:
            return self._answers.give_up() + text
        keys, background = self._answers.take(text)
        if background is not None and since < _ANSWER_SECONDS:
            self.send_message(BackgroundTold(background))
        return keys

    def _no_answer(self, *, over: bool) -> str:
        """Keys that could have been the beginning of an answer. Escape is one: nobody should wait for it."""
        return self._answers.give_up() if over or self._answers.holds_keys else ""
