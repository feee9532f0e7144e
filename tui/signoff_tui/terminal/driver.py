"""The driver of the terminal: it sleeps while no key comes, and writes no string sequences of others.

Textual's own driver looks for keys ten times a second; a screen that stays open all day should cost nothing. And
sequences with more effect than text, color and movement (title, clipboard, links, uploads) are never written,
whatever their origin, except by `signoff_tui.terminal.sequences`, which has a way of its own.

However the program ends or is stopped, the terminal gets back every mode that was set.
"""

from __future__ import annotations

import errno
import os
import re
import select
import selectors
import signal
import termios
import threading
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from types import FrameType
from typing import Any, TextIO, cast

from textual import constants
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from signoff_tui.terminal.background import BackgroundTold, background_of
from signoff_tui.terminal.input import (
    InputStuck,
    OperatingSystemCommand,
    TerminalBack,
    TerminalInput,
    ToldToEnd,
)
from signoff_tui.terminal.output_filter import whole_flags
from signoff_tui.terminal.sequences import (
    AskBackground,
    Saying,
    TerminalKind,
    Title,
    TitleBack,
    is_allowed,
    written,
)

__all__ = [
    "EndingSignals",
    "QuietDriver",
    "without_strings",
]


_READ_BYTES = 4096
_ANSWER_SECONDS = 1.0
"""The time, in seconds, after which an answer is ignored."""
_ANSWERS_SECONDS = 5.0
"""The time, in seconds, that the terminal may take to answer; until then Escape may begin an answer."""

# Bidirectional support (ECMA-48, BDSM): explicit while the screen draws, so that text from right to left stays in
# its columns; then implicit, the default of terminals that know the mode. VTE would move it to the other end of
# the row, over other text.
_BIDI_EXPLICIT, _BIDI_IMPLICIT = "\x1b[8l", "\x1b[8h"
_NO_SYNCHRONIZED = "\x1b[?2026l"
_MOUSE_ON, _MOUSE_OFF = "\x1b[?1002h\x1b[?1006h", "\x1b[?1002l\x1b[?1006l"
_MODES_AGAIN = ("\x1b[?1049h", "\x1b[?25l", "\x1b[?1004h", _BIDI_EXPLICIT)
_KITTY_AGAIN = "\x1b[=25;1u"
"""The flags that Textual asks for, in place of the present ones: none is put on the stack twice."""
_ALL_BACK = (
    "\x1b[8h\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1002l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)

# OSC, DCS, SOS, PM and APC with their text (ECMA-48, 5.6 and 8.3) in both spellings; the bell and all other
# controls of the C1 set; and every escape that begins no control sequence (CSI).
_STRINGS = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[\x07\x80-\x9f]|\x1b(?!\[)"
)


def without_strings(data: str) -> str:
    """Return data that may be written: text, colors and movements, no string sequences, no C1 controls.

    Args:
        data: The data, with its escape sequences.
    """
    return _STRINGS.sub("", data)


class QuietDriver(LinuxDriver):
    """Textual's driver for terminals, which wakes up for keys only and leaves the terminal as it found it.

    A terminal that reorders text from right to left does not do so while it draws.
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
        self._input = TerminalInput()
        self._asked_at = -_ANSWER_SECONDS
        self._output = _Output(cast("TextIO", self._file), self._lost)
        self._file = cast("Any", self._output)  # Textual's thread writes to it
        self._mode = _Mode.OFF
        self._signals = EndingSignals(self._told_to_end, self._give_back_at_once)
        self._signals.listen()

    # -- writing -------------------------------------------------------------------------------------------

    def write(self, data: str) -> None:
        """Write data to the terminal, without string sequences."""
        super().write(whole_flags(without_strings(data)))

    def speak(self, saying: Saying, terminal_kind: TerminalKind) -> None:
        """Write one of the allowed sequences. A title is taken back when the screen closes.

        Args:
            saying: The sequence.
            terminal_kind: Its first reader: the terminal or a multiplexer.
        """
        if isinstance(saying, Title):
            if self._title is None:
                self._utter(TitleBack(keep=True), terminal_kind)
            self._title = saying
        if isinstance(saying, AskBackground):
            self._asked_at = time.monotonic()
            self._input.asked(self._asked_at, questions=1, seconds=_ANSWERS_SECONDS)
        self._utter(saying, terminal_kind)

    def _utter(self, saying: Saying, terminal_kind: TerminalKind = "terminal") -> None:
        sequence = written(saying, terminal_kind)
        if is_allowed(sequence):
            super().write(sequence)

    # -- taking the terminal, and giving it back -----------------------------------------------------------

    def start_application_mode(self) -> None:
        """Take the terminal over, with the title that the program gave it before it was suspended."""
        if self._end < 0:  # a suspended driver is closed
            self._end, self._end_writer = os.pipe()
        self._wait_for_foreground()
        self._mode = _Mode.ON
        self._input = TerminalInput()
        self._input.asked(time.monotonic(), questions=2, seconds=_ANSWERS_SECONDS)
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
        self._in_band_window_resize = False
        self.write(_NO_SYNCHRONIZED)
        self._mode = _Mode.OFF

    def _enable_mouse_support(self) -> None:
        """Ask for clicks, the wheel and drags, in cells: what else the mouse does is nobody's business."""
        if self._mouse:
            self.write(_MOUSE_ON)

    def _disable_mouse_support(self) -> None:
        if self._mouse:
            self.write(_MOUSE_OFF)

    def _enable_mouse_pixels(self) -> None:
        """Cells it stays, also where the terminal could report pixels."""

    def suspend_application_mode(self) -> None:
        """Give the terminal away for a while; signals that end the program still work."""
        self.stop_application_mode()
        self._mode = _Mode.AWAY
        self.close()

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
        if self._mode is _Mode.OFF:
            self._signals.stop()

    # -- stopping ------------------------------------------------------------------------------------------

    def _sigtstp_application(self, *_: object) -> None:
        """Stop as the shell asked; the handler only leaves a note, because it may run at any moment."""
        if self._mode is _Mode.ON:
            self._soon(self._stand_still)
        else:
            _stop_process()  # another program has the terminal, and was stopped too

    def _sigcont_application(self, *_: object) -> None:
        if self._mode is _Mode.ON:
            self._wait_for_foreground()
            self._soon(self._take_back)

    def _stand_still(self) -> None:
        if self._mode is _Mode.ON:
            self.suspend_application_mode()
            _stop_process()
            self.start_application_mode()
            self.send_message(TerminalBack())

    def _take_back(self) -> None:
        """Set all modes again after a stop without notice: others used the terminal meanwhile."""
        if self._mode is not _Mode.ON:
            return
        self._set_raw()
        for sequence in _MODES_AGAIN:
            self.write(sequence)
        self._enable_mouse_support()
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        if not constants.DISABLE_KITTY_KEY:
            self.write(_KITTY_AGAIN)
        if self._in_band_window_resize:
            self._enable_in_band_window_resize()
        if self._title is not None:
            self._utter(self._title)
        width, height = self._get_terminal_size()
        self.send_message(Resize(Size(width, height), Size(width, height)))
        self.send_message(TerminalBack())

    def _set_raw(self) -> None:
        if self.attrs_before is None:
            return
        attributes = list(self.attrs_before)
        attributes[tty.LFLAG] = self._patch_lflag(attributes[tty.LFLAG])
        attributes[tty.IFLAG] = self._patch_iflag(attributes[tty.IFLAG])
        attributes[tty.CC] = [*attributes[tty.CC]]
        attributes[tty.CC][termios.VMIN] = 1
        with suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)

    def _wait_for_foreground(self) -> None:
        """Wait for the foreground without any change: in the background the kernel stops the process here."""
        while True:
            try:
                termios.tcsetattr(self.fileno, termios.TCSANOW, termios.tcgetattr(self.fileno))
            except termios.error as error:
                if error.args[0] == errno.EINTR:
                    continue
            return

    # -- ending --------------------------------------------------------------------------------------------

    def _lost(self) -> None:
        self._soon(lambda: self._signals.end(signal.SIGHUP))

    def _told_to_end(self, number: int) -> None:
        self._soon(lambda: self._app.post_message(ToldToEnd(number)))

    def _soon(self, act: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it the screen
            self._loop.call_soon_threadsafe(act)

    def _give_back_at_once(self) -> None:
        """Give the terminal back without the rest of the program, which hangs."""
        if self._mode is not _Mode.ON:
            return
        if self.attrs_before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        title = "" if self._title is None else written(TitleBack(keep=False))
        with suppress(OSError):
            if select.select([], [self._output], [], 0)[1]:
                os.write(self._output.fileno(), (title + _ALL_BACK).encode())

    # -- reading -------------------------------------------------------------------------------------------

    def run_input_thread(self) -> None:
        """Turn input of the terminal into events until input is disabled."""
        stuck = False
        with selectors.SelectSelector() as selector:  # other selectors refuse terminals on some systems
            selector.register(self._end, selectors.EVENT_READ)
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = {key.fd for key, _ in selector.select(self._input.wait(time.monotonic()))}
                if self.fileno in ready:
                    data = self._read()
                    if not data:  # nobody types there any more
                        selector.unregister(self.fileno)
                        self._lost()
                    messages = self._input.feed(data, time.monotonic())
                else:
                    messages = self._input.due(time.monotonic())
                for message in messages:
                    self._pass_on(message)
                if stuck is not (stuck := self._input.is_stuck(time.monotonic())):
                    self.send_message(InputStuck(on=stuck))

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _READ_BYTES)
        except OSError:  # the terminal is gone
            return b""

    def _pass_on(self, message: Message) -> None:
        if isinstance(message, OperatingSystemCommand):
            background = background_of(message.body)
            if background is not None and time.monotonic() - self._asked_at < _ANSWER_SECONDS:
                self.send_message(BackgroundTold(background))
        else:
            self.process_message(message)


class _Mode(Enum):
    """The owner of the terminal."""

    OFF = "off"
    ON = "on"
    AWAY = "away"
    """Another program's for a while."""


class _Output:
    """The output to a terminal; once the terminal is gone, it is dropped and nothing waits.

    Args:
        file: The terminal.
        lost: Called once when the terminal is gone.
    """

    def __init__(self, file: TextIO, lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost
        self._gone = False

    def fileno(self) -> int:
        """Number of the open file."""
        return self._file.fileno()

    def write(self, text: str) -> None:
        """Write text."""
        self._do(lambda: self._file.write(text))

    def flush(self) -> None:
        """Write buffered text."""
        self._do(self._file.flush)

    def _do(self, act: Callable[[], object]) -> None:
        if self._gone:
            return
        try:
            act()
        except BlockingIOError:  # another program made writing return at once; the rest is written later
            select.select([], [self._file], [])
        except OSError:
            self._gone = True
            self._lost()


def _stop_process() -> None:
    """Stop as Ctrl+Z does, until the shell continues the process; without a shell nothing happens."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, before)


# -- The signals that end the screen from outside: they end it as its own key does, or at last without its help.

PATIENCE = 10.0
"""The time, in seconds, that the program gets to end by itself."""

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class EndingSignals:
    """The handler of SIGHUP, SIGINT, SIGQUIT and SIGTERM, unless the program started with them ignored.

    Args:
        told: Called with each signal, in the main thread at any moment: it must be short and must not block.
        at_last: Called in a thread when the program has not ended in time, before it is killed.
    """

    def __init__(self, told: Callable[[int], None], at_last: Callable[[], None]) -> None:
        self._told = told
        self._at_last = at_last
        self._before: dict[int, Any] = {}
        self._ends = False

    def listen(self) -> None:
        """Listen from now on. Signals reach the main thread only: elsewhere this does nothing."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _ENDING:
            if (before := signal.getsignal(number)) is not signal.SIG_IGN and number not in self._before:
                self._before[number] = before
                signal.signal(number, self._take)

    def stop(self) -> None:
        """Restore the handlers of before."""
        while self._before:
            signal.signal(*self._before.popitem())

    def end(self, number: int) -> None:
        """Report a signal, and make sure that the program ends."""
        if not self._ends:
            self._ends = True
            last = threading.Timer(PATIENCE, self._end_at_once, [number])
            last.daemon = True
            last.start()
        self._told(number)

    def _take(self, number: int, _: FrameType | None) -> None:
        self.end(number)

    def _end_at_once(self, number: int) -> None:
        self._at_last()
        os._exit(128 + number)
