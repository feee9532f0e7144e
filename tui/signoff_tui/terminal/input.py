"""The parser of terminal input: keys, pastes, mouse and reports, in any pieces and at any speed.

Textual's parser takes unknown sequences, or those with a pause of a tenth of a second, for pressed keys: an answer
of the terminal could decide something. Here a sequence ends where its grammar says (ECMA-48, 5.4 and 5.6; XTerm
Control Sequences), and unknown ones are dropped. Escape as the only byte is a key; inside of a sequence that does
not end, it is the way out.
"""

from __future__ import annotations

import math
import re
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterable, Iterator

from msgspec import Struct, field
from textual import constants
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._xterm_parser import XTermParser  # the keys of Textual's own driver; it has no public name
from textual.events import AppBlur, AppFocus, Key, Paste, Resize
from textual.keys import Keys
from textual.message import Message
from textual.messages import InBandWindowResize, TerminalSupportsSynchronizedOutput

__all__ = [
    "LONGEST_PASTE",
    "InputStuck",
    "OperatingSystemCommand",
    "TerminalBack",
    "TerminalInput",
    "ToldToEnd",
]

LONGEST_PASTE = 1_000_000
"""The most characters that are kept of a paste; the rest is dropped."""

_LONGEST_SEQUENCE = 4_096
"""The most characters of any other sequence; a longer one is dropped whole."""

_PAUSE = 1.0
"""The pause, in seconds, inside of a sequence after which the person is told, and Escape ends it."""

_SLOW_SECONDS = 60.0
"""The time, in seconds, for which Escape waits longer after a sequence came in pieces."""

_STRAY_SECONDS = 2.0
"""The time, in seconds, after Escape in which text like the rest of a sequence is held for more of it."""

_CONTROL_SEQUENCE, _SHIFTED_KEY, _STRING, _PASTE = "csi", "ss3", "string", "paste"
_BEGUN = {
    "[": _CONTROL_SEQUENCE,
    "O": _SHIFTED_KEY,
    **dict.fromkeys("]P_^X", _STRING),
}
"""The kind of sequence that Escape and a character begin (ECMA-48: CSI, SS3, OSC, DCS, APC, PM, SOS)."""

_C1 = {"\x9b": "[", "\x8f": "O", "\x9d": "]", "\x90": "P", "\x9f": "_", "\x9e": "^", "\x98": "X"}
"""The same, with one character of the C1 set."""

_RESTS = {"[": "0123456789?<>=IOMABCDEFHPQRSZ", "]": "0123456789lLI", "P": "0123456789>!$+=?", "_": "G"}
"""The next characters in a sequence whose Escape came long before."""

_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_CANCELS = "\x18\x1a"

_MODE = re.compile(r"\x1b\[\?(\d{1,5});(\d)\$y")
_SIZE = re.compile(r"\x1b\[48;(\d{1,4})(?::\d*)*;(\d{1,4})(?::\d*)*;(\d{1,6})(?::\d*)*;(\d{1,6})(?::\d*)*t")
_NUMBERED = re.compile(r"\x1b\[(\d*)[\d:;]*([~ABCDEFHPQS])")
"""A function key with its number, and with modifier keys."""


class TerminalBack(Message, bubble=False):
    """The program goes on after it was stopped: the terminal shows text that others wrote."""


class InputStuck(Message, bubble=False):
    """The terminal began a sequence and does not go on: keys would be part of it. Or that is over.

    Args:
        on: True if it has begun.
    """

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on


class ToldToEnd(Message, bubble=False):
    """The program was asked to end, or its terminal is gone.

    Args:
        number: The signal; SIGHUP for the terminal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class OperatingSystemCommand(Message, bubble=False):
    """A sequence in which the terminal reports something; for the driver only.

    Args:
        body: Its text, such as ``11;rgb:0000/0000/0000``.
    """

    def __init__(self, body: str) -> None:
        super().__init__()
        self.body = body


class _Unfinished(Struct):
    """A sequence that has begun."""

    kind: str
    text: str
    since: float
    """The time of its last character (monotonic seconds)."""
    escaped: bool = False
    """True if its last character was Escape, which ends it."""
    dropped: bool = False
    """True if it is to be ignored."""
    pasted: list[str] = field(default_factory=list)
    room: int = LONGEST_PASTE
    """The number of characters of a paste that still fit."""


class TerminalInput:
    """The reader of one terminal's input. It never fails, whatever the input."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._known = XTermParser()
        self._open: _Unfinished | None = None
        self._escape_at: float | None = None
        """The time of an Escape that may be a key, or begin a sequence."""
        self._stray_until = -math.inf
        """The time until which the rest of a sequence may come whose Escape was taken for a key."""
        self._stray: str = ""
        self._stray_at = 0.0
        self._string_left = False
        """True if Escape left a string: if it was its end, the rest of that still comes."""
        self._slow_until = -math.inf
        self._asked_until = -math.inf
        self._questions = 0

    def asked(self, now: float, *, questions: int, seconds: float) -> None:
        """Expect answers: until they came, Escape may be the beginning of one.

        Args:
            now: Monotonic seconds.
            questions: The number of questions.
            seconds: The time that answers may take.
        """
        self._questions += questions
        self._asked_until = now + seconds

    def feed(self, data: bytes, now: float) -> Iterator[Message]:
        """Read input; call `due` instead if nothing came for the time that `wait` returned.

        Args:
            data: Bytes as they came.
            now: The time at which they were read (monotonic seconds).
        """
        if self._open is not None:
            self._note_pause(self._open.since, now)
        text = self._decode(data)
        while text:
            if self._open is not None and self._open.kind == _PASTE:
                text = yield from self._paste_on(self._open, text)
                continue
            yield from self._take(text[0], now)
            text = text[1:]
        if self._open is not None:
            self._open.since = now

    def due(self, now: float) -> Iterator[Message]:
        """Return the events that are certain because nothing followed until now."""
        if self._escape_at is not None and now >= self._escape_at + self._escape_wait(self._escape_at):
            self._escape_at = None
            self._stray_until = now + _STRAY_SECONDS
            yield Key("escape", "\x1b")
        if self._stray and now >= self._stray_at + _PAUSE:
            stray, self._stray = self._stray, ""
            yield from self._keys(stray)
        unfinished = self._open
        if unfinished is not None and unfinished.escaped and now >= unfinished.since + _PAUSE:
            self._open = None
            self._stray_until = now + _STRAY_SECONDS
            self._string_left = unfinished.kind == _STRING
            if unfinished.kind == _PASTE:
                unfinished.pasted.append(unfinished.text.removesuffix("\x1b")[: unfinished.room])
                yield _pasted(unfinished)

    def wait(self, now: float) -> float | None:
        """Return the seconds after which `due` or `is_stuck` has news if nothing comes; None for never."""
        moments = []
        if self._escape_at is not None:
            moments.append(self._escape_at + self._escape_wait(self._escape_at))
        if self._stray:
            moments.append(self._stray_at + _PAUSE)
        if self._open is not None and (self._open.escaped or not self.is_stuck(now)):
            moments.append(self._open.since + _PAUSE)
        return max(0.0, min(moments) - now) if moments else None

    def is_stuck(self, now: float) -> bool:
        """True if a sequence has begun and does not go on, so that keys would be taken for the rest of it."""
        return self._open is not None and now >= self._open.since + _PAUSE

    # -- single characters ---------------------------------------------------------------------------------

    def _take(self, char: str, now: float) -> Iterator[Message]:
        left, self._string_left = self._string_left, False
        if self._open is not None:
            yield from self._go_on(self._open, char, now)
        elif left and char == "\\":
            return
        elif self._escape_at is not None:
            yield from self._after_escape(char, self._escape_at, now)
        elif self._stray:
            yield from self._after_stray(char, now)
        elif now < self._stray_until and char in _RESTS:
            self._stray, self._stray_at = char, now
        elif char == "\x1b":
            self._escape_at = now
        elif char in _C1:
            self._begin(_C1[char], now)
        elif not "\x80" <= char <= "\x9f":
            self._stray_until = -math.inf
            yield from self._keys(char)

    def _after_escape(self, char: str, pressed_at: float, now: float) -> Iterator[Message]:
        if char == "\x1b":
            self._escape_at = now
            yield Key("escape", "\x1b")
            return
        self._escape_at = None
        if char in _BEGUN:
            # Any other key may be the next one of a person: it says nothing about the line.
            self._note_pause(pressed_at, now)
            self._begin(char, now)
        else:
            yield from self._keys(f"\x1b{char}")

    def _after_stray(self, char: str, now: float) -> Iterator[Message]:
        stray, self._stray, self._stray_until = self._stray, "", -math.inf
        if char in _RESTS[stray]:
            self._slow_until = now + _SLOW_SECONDS
            self._begin(stray, now)
        else:
            yield from self._keys(stray)
        yield from self._take(char, now)

    def _begin(self, introducer: str, now: float) -> None:
        self._open = _Unfinished(_BEGUN[introducer], f"\x1b{introducer}", now)

    def _go_on(self, unfinished: _Unfinished, char: str, now: float) -> Iterator[Message]:
        if char in _CANCELS:
            self._open = None
        elif unfinished.escaped or (char == "\x1b" and unfinished.kind != _STRING):
            # Escape ends it: here because it was not the end of a string.
            self._open = None
            if char == "\\" and unfinished.escaped:
                yield from self._string(unfinished)
            else:
                self._escape_at = now
                if char != "\x1b":
                    yield from self._after_escape(char, now, now)
        elif char == "\x1b":
            unfinished.escaped = True
        elif unfinished.kind == _STRING:
            if char in "\x07\x9c":
                self._open = None
                yield from self._string(unfinished)
            else:
                _keep(unfinished, char)
        else:
            _keep(unfinished, char)
            if _is_whole(unfinished, char):
                self._open = None
                yield from self._sequence(unfinished)

    def _paste_on(self, unfinished: _Unfinished, text: str) -> Generator[Message, None, str]:
        """Read the text of a paste; returns the rest. A possible end of it is held in `unfinished.text`."""
        text = unfinished.text + text
        end = text.find(_PASTE_ENDS)
        kept = text[:end] if end >= 0 else text[: 1 - len(_PASTE_ENDS)]
        unfinished.pasted.append(kept[: unfinished.room])
        unfinished.room -= len(unfinished.pasted[-1])
        if end < 0:
            unfinished.text = text[len(kept) :]
            unfinished.escaped = text.endswith("\x1b")
            return ""
        self._open = None
        unfinished.text = ""
        yield _pasted(unfinished)
        return text[end + len(_PASTE_ENDS) :]

    # -- whole sequences -----------------------------------------------------------------------------------

    def _string(self, unfinished: _Unfinished) -> Iterator[Message]:
        if unfinished.text.startswith("\x1b]") and not unfinished.dropped:
            self._answered()
            yield OperatingSystemCommand(unfinished.text[2:])

    def _sequence(self, unfinished: _Unfinished) -> Iterator[Message]:
        text = unfinished.text
        if unfinished.dropped:
            return
        if text == _PASTE_BEGINS:
            self._open = _Unfinished(_PASTE, "", unfinished.since)
        elif text == "\x1b[I":
            yield AppFocus()
        elif text == "\x1b[O":
            yield AppBlur()
        elif (mode := _MODE.fullmatch(text)) is not None:
            self._answered()
            yield from _mode_told(mode[1], int(mode[2]))
        elif (size := _SIZE.fullmatch(text)) is not None:
            yield from self._resized(*map(int, size.groups()))
        elif text[-1] in "mM" and "<" in text:
            yield from self._mouse(text)
        elif text in ANSI_SEQUENCES_KEYS or text.endswith("u") or _is_function_key(text):
            yield from self._keys(text)

    def _answered(self) -> None:
        self._questions = max(0, self._questions - 1)

    def _resized(self, height: int, width: int, pixel_height: int, pixel_width: int) -> Iterator[Message]:
        if not (height and width):
            return
        event = Resize.from_dimensions((width, height), (pixel_width, pixel_height))
        if pixel_height and pixel_width:
            self._known.terminal_size, self._known.terminal_pixel_size = event.size, event.pixel_size
        yield event

    def _mouse(self, text: str) -> Iterator[Message]:
        try:
            event = self._known.parse_mouse_code(text)
        except ValueError:  # numbers of thousands of digits
            return
        if event is not None:
            yield event

    def _keys(self, text: str) -> Iterator[Message]:
        """The keys of a character, or of a whole sequence; none if it is unknown."""
        if (alt := _alt_key(text)) is not None:
            yield Key(alt, None)
            return
        try:
            keys: Iterable[Key] = tuple(self._known._sequence_to_key_events(text))  # noqa: SLF001 - as its class
        except (ValueError, OverflowError):  # numbers that are no characters
            return
        for key in keys:
            if key.key == Keys.Ignore or (key.character is not None and "\ud800" <= key.character <= "\udfff"):
                continue
            # With Alt, a character is no character key: it must not be written, nor decide anything.
            yield Key(key.key, None) if key.key.startswith("alt+") else key

    # -- time ----------------------------------------------------------------------------------------------

    def _escape_wait(self, at: float) -> float:
        """The seconds until Escape counts as a key."""
        waits_for_answers = self._questions > 0 and at < self._asked_until
        return _PAUSE if waits_for_answers or at < self._slow_until else constants.ESCAPE_DELAY

    def _note_pause(self, since: float, now: float) -> None:
        if now - since > 2 * constants.ESCAPE_DELAY:
            self._slow_until = now + _SLOW_SECONDS


def _keep(unfinished: _Unfinished, char: str) -> None:
    if len(unfinished.text) < _LONGEST_SEQUENCE:
        unfinished.text += char
    else:
        unfinished.dropped = True


def _is_whole(unfinished: _Unfinished, char: str) -> bool:
    """True if a control sequence, or the sequence of a function key, ends with this character."""
    text = unfinished.text
    if text.startswith("\x1b[M"):  # the oldest report of the mouse: three characters follow
        return len(text) == len("\x1b[M") + 3
    if not " " <= char <= "~":  # not part of a sequence: it ends, and is ignored
        unfinished.dropped = True
        return True
    if unfinished.kind == _SHIFTED_KEY:
        return not char.isdigit() and char != ";"
    if text.startswith("\x1b[["):  # function keys of the Linux console
        return len(text) == len("\x1b[[A")
    return "@" <= char <= "~" or (char == "$" and text in ANSI_SEQUENCES_KEYS)


def _is_function_key(text: str) -> bool:
    """True if a control sequence is a key; Textual makes letters of other numbers."""
    found = _NUMBERED.fullmatch(text)
    return found is not None and f"{found[1] or 1}{found[2]}" in FUNCTIONAL_KEYS


def _pasted(unfinished: _Unfinished) -> Paste:
    return Paste("".join(unfinished.pasted).replace("\x00", ""))


def _mode_told(mode: str, setting: int) -> Iterator[Message]:
    if mode == "2026" and setting > 0:
        yield TerminalSupportsSynchronizedOutput()
    elif mode == "2048" and constants.SMOOTH_SCROLL:
        yield InBandWindowResize.from_setting_parameter(setting)


def _alt_key(text: str) -> str | None:
    """The name of a key that was pressed with Alt, or a moment after Escape; None for other keys.

    Textual takes it for the key alone, or for the sign that some keyboards have there.
    """
    if text == "\x1b\r":
        return "alt+enter"
    # Alt and f or b move by words on some keyboards; the backslash is the end of a string that did not begin.
    if len(text) != len("\x1bx") or text[0] != "\x1b" or not text[1].isprintable() or text[1] in "fb\\":
        return None
    return "alt+space" if text[1] == " " else f"alt+{text[1]}"
