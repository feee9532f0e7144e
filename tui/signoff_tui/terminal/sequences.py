"""The only string sequences that are written to a terminal: bell, window title, notices and the clipboard.

Each is built from typed parts, and the result is checked against one strict grammar before it is written. The
words are `SpokenWords`: letters, digits and a few signs of ASCII, so that no control character can be in them, and
nothing that a shell, a multiplexer or a terminal could read as the beginning of something else.
"""

from __future__ import annotations

import base64
import re
from typing import Literal, Protocol, TypeAlias, assert_never, runtime_checkable

from msgspec import Struct

__all__ = [
    "LONGEST_COPY",
    "LONGEST_NAME",
    "AskBackground",
    "BellSound",
    "Copy",
    "DesktopNotice",
    "Protocols",
    "Saying",
    "Speaks",
    "SpokenWords",
    "TerminalKind",
    "Title",
    "TitleBack",
    "is_allowed",
    "spoken_name",
    "written",
]

Protocols = Literal["osc9", "osc99", "osc777"]
"""The sequences by which terminals take desktop notices."""

TerminalKind = Literal["terminal", "tmux", "screen"]
"""The first reader of the sequences: the terminal, or a multiplexer that must be told to pass them on."""

LONGEST_NAME = 32
LONGEST_WORDS = 160
LONGEST_COPY = 74_000
"""The most bytes for the clipboard: some terminals drop a sequence of more than 100,000 characters."""

_PROGRAM = "signoff"
_BELL, _ESCAPE, _END = "\x07", "\x1b", "\x1b\\"
_SCREEN_PIECE = 240
"""The most characters that every version of GNU screen passes on at once."""

_WORDS = rf"[A-Za-z0-9 .,:_-]{{1,{LONGEST_WORDS}}}"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")
_WORDS_ONLY = re.compile(_WORDS)


class SpokenWords(Struct, frozen=True):
    """Words for the terminal: signoff's own words, counts, and names that went through `spoken_name`.

    Raises:
        ValueError: There are too many characters, or others than letters, digits, spaces and ``.,:_-``.
    """

    text: str

    def __post_init__(self) -> None:
        if not _WORDS_ONLY.fullmatch(self.text):
            raise ValueError(f"this cannot be said to a terminal: {self.text!a}")


def spoken_name(name: str) -> str:
    """Return the letters, digits and ``._-`` of ASCII in an agent's name, at most 32 of them.

    Args:
        name: Any text. If nothing is left, the result is ``an-agent``.
    """
    return _NOT_IN_NAMES.sub("", name)[:LONGEST_NAME] or "an-agent"


class BellSound(Struct, frozen=True):
    """The bell, which also feeds ``monitor-bell`` of tmux."""


class Title(Struct, frozen=True):
    """The title of the window."""

    words: SpokenWords


class TitleBack(Struct, frozen=True):
    """Save the present title (`keep`), or restore the saved one."""

    keep: bool


class DesktopNotice(Struct, frozen=True):
    """A notice outside of the terminal's window."""

    protocol: Protocols
    words: SpokenWords


class Copy(Struct, frozen=True):
    """Text for the clipboard. It travels as base64, so it may hold anything.

    Raises:
        ValueError: It is longer than `LONGEST_COPY` bytes.
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.data) > LONGEST_COPY:
            raise ValueError(f"only {LONGEST_COPY:,} bytes can be copied, this is {len(self.data):,}")

    @property
    def data(self) -> bytes:
        """The bytes to copy."""
        return self.text.encode("utf-8", "replace")


class AskBackground(Struct, frozen=True):
    """A question for the color of the background; `signoff_tui.terminal.background` reads the answer."""


Saying: TypeAlias = AskBackground | BellSound | Title | TitleBack | DesktopNotice | Copy


@runtime_checkable
class Speaks(Protocol):
    """A driver that can write sequences to its terminal."""

    def speak(self, saying: Saying, terminal_kind: TerminalKind) -> None:
        """Write a sequence, and nothing else."""


def written(saying: Saying, terminal_kind: TerminalKind = "terminal") -> str:
    """Return the exact characters of a sequence.

    Args:
        saying: The sequence.
        terminal_kind: Its first reader.
    """
    match saying:
        case AskBackground():  # multiplexers answer for their own background
            return f"\x1b]11;?{_END}"
        case BellSound():
            return _BELL
        case Title(words):  # multiplexers keep titles themselves
            return f"\x1b]2;{words.text}{_END}"
        case TitleBack(keep=True):
            return "\x1b[22;2t"
        case TitleBack():
            # The empty title is for terminals that save none: most show their own name then.
            return f"\x1b]2;{_END}\x1b[23;2t"
        case DesktopNotice(protocol, words):
            return _through(_notice(protocol, words.text), terminal_kind)
        case Copy():
            return _copy(base64.b64encode(saying.data).decode("ascii"), terminal_kind)
        case _:
            assert_never(saying)


def _notice(protocol: Protocols, words: str) -> tuple[str, ...]:
    match protocol:
        case "osc9":
            return (f"9;{_PROGRAM}: {words}",)
        case "osc777":
            return (f"777;notify;{_PROGRAM};{words}",)
        case "osc99":  # one id for all: a later notice takes the place of an earlier one
            return (f"99;i={_PROGRAM}:d=0:p=title;{_PROGRAM}", f"99;i={_PROGRAM}:d=1:p=body;{words}")


def _through(bodies: tuple[str, ...], terminal_kind: TerminalKind) -> str:
    """Operating system commands, wrapped for a multiplexer between the program and the terminal."""
    match terminal_kind:
        case "terminal":
            return "".join(f"\x1b]{body}{_END}" for body in bodies)
        case "tmux":  # the escapes within are written twice
            return "".join(f"\x1bPtmux;\x1b\x1b]{body}{_BELL}{_END}" for body in bodies)
        case "screen":  # no escape may end it, so a bell does
            return "".join(_in_pieces(f"\x1b]{body}{_BELL}") for body in bodies)


def _in_pieces(sequence: str) -> str:
    pieces = (sequence[start : start + _SCREEN_PIECE] for start in range(0, len(sequence), _SCREEN_PIECE))
    return "".join(f"\x1bP{piece}{_END}" for piece in pieces)


def _copy(encoded: str, terminal_kind: TerminalKind) -> str:
    body = (f"52;c;{encoded}",)
    # tmux takes a copy itself if `set-clipboard` is on, and passes it on if `allow-passthrough` is on.
    return (_through(body, "terminal") if terminal_kind == "tmux" else "") + _through(body, terminal_kind)


# -- the grammar -------------------------------------------------------------------------------------------

_BASE64 = r"[A-Za-z0-9+/]*={0,2}"
_NOTICES = (
    rf"9;{_PROGRAM}: {_WORDS}",
    rf"777;notify;{_PROGRAM};{_WORDS}",
    rf"99;i={_PROGRAM}:d=0:p=title;{_PROGRAM}",
    rf"99;i={_PROGRAM}:d=1:p=body;{_WORDS}",
)
_BODY = "|".join(_NOTICES)
_PASSED = rf"(?:{_BODY}|52;c;{_BASE64})"
_ALLOWED = re.compile(
    rf"\x07|\x1b\]11;\?\x1b\\"
    rf"|\x1b\]2;(?:{_WORDS})?\x1b\\(?:\x1b\[23;2t)?|\x1b\[22;2t"
    rf"|(?:\x1b\]{_PASSED}\x1b\\)+"
    rf"|(?:\x1b\]52;c;{_BASE64}\x1b\\)?(?:\x1bPtmux;\x1b\x1b\]{_PASSED}\x07\x1b\\)+"
    rf"|(?:\x1bP\x1b\](?:{_BODY})\x07\x1b\\)+"
    rf"|\x1bP\x1b\]52;c;{_BASE64}\x07?\x1b\\(?:\x1bP(?:[A-Za-z0-9+/]+={{0,2}}|=+)?\x07?\x1b\\)*"
)


def is_allowed(sequence: str) -> bool:
    """True if a text is exactly one allowed sequence."""
    return _ALLOWED.fullmatch(sequence) is not None
