"""What a program writes to its terminal, taken apart: text, and everything that is none."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hostile_texts import UNPRINTABLE, Hostile
from person_bench import HAND, NOT_TAKEN
from pty_bench import Terminal

from system_bench import PATIENCE

_SEQUENCE = re.compile(
    r"(?P<csi>\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~]))"
    r"|(?P<string>\x1b[\]PX^_].*?(?:\x07|\x1b\\))"
    r"|(?P<other>\x1b(?![\[\]PX^_])[ -/]*[0-~])",
    re.DOTALL,
)
_PICTOGRAPH = "[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]"
_JOINERS = re.compile(f"(?<={_PICTOGRAPH})\u200d|\u200d(?={_PICTOGRAPH})")
"""What joins pictographs to one. A row may end within one, before or after that."""

_CONCEALS = {"5", "6", "8"}
"""Colors and styles in which text cannot be read, or blinks."""

_TITLE = re.compile(r"\x1b\]2;signoff: (?:nothing|\d+) waiting(?:, \d+ HIGH)?\x1b\\")
"""The only string that the screen says while somebody looks."""

_MARK = re.compile(r"q\d{3}")

_ENOUGH = 5_000
"""Characters that tell what was written instead of what should have been."""

_ROW = 200
"""Characters after a mark in which its text has to be seen."""


@dataclass
class Written:
    """What was written in one stage.

    Attributes:
        pieces: Its text, a line for each place where the cursor was set. All is UTF-8, which excludes controls of
            one byte from 0x80 on.
        unfinished: The beginning of a sequence of which the rest did not come yet.
        sequences: The sorts of control sequences; colors and places are one sort each, modes and strings are not.
    """

    pieces: list[str] = field(default_factory=list)
    unfinished: str = ""
    sequences: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Take apart what came; a sequence that may go on waits for its rest."""
        text = self.unfinished + text
        begun = text.rfind("\x1b")
        whole = len(text) if begun < 0 or _SEQUENCE.match(text, begun) else begun
        self.pieces.append(_SEQUENCE.sub(self._sequence, text[:whole]))
        self.unfinished = text[whole:]

    def takes_back(self) -> str:
        """What is unfinished, which belongs to the stage in which it ends."""
        unfinished, self.unfinished = self.unfinished, ""
        return unfinished

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self.pieces).replace("\r\n", "\n")

    def _sequence(self, found: re.Match[str]) -> str:
        if found["csi"] is None:
            self.sequences |= set() if _TITLE.fullmatch(found[0]) else {found[0]}
            return ""
        parameters, final = found["parameters"], found["final"]
        exact = final in "hl" or parameters[:1] in ("<", "=", ">", "?")
        exact = exact or (final == "m" and bool(_CONCEALS & set(_styles(parameters))))
        self.sequences.add(f"{parameters if exact else ''}{found['between']}{final}")
        return "\n" if final == "H" else ""

    @property
    def unprintable(self) -> set[str]:
        """Characters outside of sequences that are no visible text."""
        text = _JOINERS.sub("", self.text)
        return {char for char in set(text) if unicodedata.category(char) in UNPRINTABLE} - {"\n"}

    def unseen(self, texts: Sequence[Hostile]) -> set[str]:
        """Marks of the texts that cannot be seen in it, or of which the first hidden character cannot be."""
        lines: dict[str, list[str]] = {}
        text = self.text
        for found in _MARK.finditer(text):
            lines.setdefault(found[0], []).append(text[found.end() : found.end() + _ROW].split("\n", 1)[0])
        return {text.mark for text in texts if not text.is_seen_in(lines.get(text.mark, ()))}


class Listener:
    """Somebody who presses keys and hears every byte that answers them, stage by stage.

    Args:
        terminal: Where the program runs.

    Attributes:
        terminal: The same.
        stages: What was written in each stage, by its name.
    """

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._heard = 0
        self._now = Written()
        self._start = 0
        self.stages: dict[str, Written] = {}

    def begins(self, stage: str) -> None:
        """What is written from now on belongs to a stage."""
        self._listen()
        unfinished = self._now.takes_back()
        self._now = self.stages.setdefault(stage, Written())
        self._now.add(unfinished)

    def presses(self, key: str, *patterns: str) -> str:
        """Press a key, and wait until each of the patterns was written after it; returns what was."""
        return self._waits(lambda: self.terminal.press(key), patterns)

    def types(self, text: str, *patterns: str) -> str:
        """Type text, and wait until each of the patterns was written after it; returns what was."""
        return self._waits(lambda: self.terminal.type(text), patterns)

    def decides(self, key: str, *patterns: str) -> None:
        """Press a decision key at the pace of people, again if it came too early, until a pattern is written."""
        while True:
            self.terminal.tells(lambda: False, HAND)
            if not NOT_TAKEN.search(self.presses(key, f"{patterns[0]}|{NOT_TAKEN.pattern}")):
                break
            # The same words once more would not be written; and in a text box these would be none.
            if key != "Enter":
                self.presses("\x03", "Ctrl.C decides nothing")
        self._waits(lambda: None, patterns, start=self._start)

    def clicks_everywhere(self) -> None:
        """Press and release the mouse on every cell."""
        columns, rows = self.terminal.size
        for row in range(1, rows + 1):
            cells = range(1, columns + 1)
            self.terminal.type("".join(f"\x1b[<0;{cell};{row}M\x1b[<0;{cell};{row}m" for cell in cells))

    def hears(self, *patterns: str) -> None:
        """Wait until the stage has written each of the patterns."""
        self._waits(lambda: None, patterns, start=0)

    def sees_all(self, texts: Sequence[Hostile]) -> None:
        """Wait until the stage has written the marks of all texts."""
        self.hears(*(text.mark for text in texts))

    def _waits(self, act: Callable[[], None], patterns: Sequence[str], start: int | None = None) -> str:
        self._listen()
        self._start = start = len(self._now.pieces) if start is None else start
        act()
        missing = [re.compile(pattern) for pattern in patterns]

        def heard() -> bool:
            self._listen()
            text = "".join(self._now.pieces[start:])
            missing[:] = [pattern for pattern in missing if not pattern.search(text)]
            return not missing

        def what() -> str:
            return f"{missing} in:\n{''.join(self._now.pieces[start:])[-_ENOUGH:]}"

        assert self.terminal.tells(heard, PATIENCE), what()
        return "".join(self._now.pieces[start:])

    def _listen(self) -> None:
        news = self.terminal.output[self._heard :]
        self._heard += len(news)
        if news:
            self._now.add(self._decoder.decode(b"".join(written.data for written in news)))


def _styles(parameters: str) -> list[str]:
    """Styles of a color sequence, without the numbers that make up a color."""
    return re.sub(r"[34]8;(?:2;\d+;\d+;\d+|5;\d+)", "", parameters).split(";")
