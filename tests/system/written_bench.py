"""What a program writes to its terminal, taken apart: text, and everything that is none."""

from __future__ import annotations

import codecs
import re
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

from person_bench import HAND, NOT_TAKEN
from pty_bench import Terminal

from hostile_texts import UNPRINTABLE, Hostile
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

_WORDS = "[A-Za-z0-9 .,:_-]+"
_SAID = re.compile(
    rf"\x1b\]2;signoff: (?:nothing|\d+) waiting(?:, \d+ HIGH)?\x1b\\|\x1b\]2;signoff: queue lost\x1b\\"
    rf"|\x1b\]9;signoff: {_WORDS}\x1b\\|\x1b\]52;c;[A-Za-z0-9+/]*={{0,2}}\x1b\\"
)
"""The strings that the screen says: the title, a notice with the name of an agent at most, and a copy."""

_MARK = re.compile(r"(q\d{3})")
_FOLDED = re.compile(r"\s*\n[\s\u2502\u21aa]*")
"""Where a text goes on in the next row."""

_LOCKED = "looked like typing"
"""What is said when keys came too fast: from then on letters do nothing until there was silence."""

_AGAIN = 2.0
"""Seconds until a key is pressed again that did not do what it should."""

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
        lines: The same, each line with its row.
        unfinished: The beginning of a sequence, or of the end of a line, of which the rest did not come yet.
        sequences: The sorts of control sequences; colors and places are one sort each, modes and strings are not.
        said: What was said in strings.
    """

    pieces: list[str] = field(default_factory=list)
    lines: list[tuple[int, list[str]]] = field(default_factory=lambda: [(0, [])])
    unfinished: str = ""
    sequences: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Take apart what came; a sequence that may go on waits for its rest, and so does the end of a line."""
        text = self.unfinished + text
        begun = text.rfind("\x1b")
        whole = len(text) if begun < 0 or _SEQUENCE.match(text, begun) else begun
        if whole == len(text) and text.endswith("\r"):
            whole -= 1
        pieces: list[str] = []
        at = 0
        for found in _SEQUENCE.finditer(text, 0, whole):
            self._writes(text[at : found.start()], pieces)
            if row := self._sequence(found):
                pieces.append("\n")
                self.lines.append((row, []))
            at = found.end()
        self._writes(text[at:whole], pieces)
        self.pieces.append("".join(pieces))
        self.unfinished = text[whole:]

    def takes_back(self) -> str:
        """What is unfinished, which belongs to the stage in which it ends."""
        unfinished, self.unfinished = self.unfinished, ""
        return unfinished

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self.pieces).replace("\r\n", "\n")

    def part(self, words: str, *, one_row: bool) -> Written:
        """The rows from the one on that says these words, once it does; or only the rows that say them."""
        begins, found = re.compile(words), []
        first: int | None = None
        for row, pieces in self.lines:
            line = "".join(pieces)
            if begins.search(line):
                first = row  # where it begins may change while it is laid out
                found.append(line)
            elif first is not None and not one_row and row >= first:
                found.append(line)
        return Written(["\n".join(found)])

    def _writes(self, text: str, pieces: list[str]) -> None:
        pieces.append(text)
        self.lines[-1][1].append(text)

    def _sequence(self, found: re.Match[str]) -> int:
        """Take note of a sequence; returns the row to which it goes, if it does."""
        if found["csi"] is None:
            self.said.append(found[0])
            self.sequences |= set() if _SAID.fullmatch(found[0]) else {found[0]}
            return 0
        sort, row = _sort(found[0])
        self.sequences.add(sort)
        return row

    @property
    def unprintable(self) -> set[str]:
        """Characters outside of sequences that are no visible text."""
        text = _JOINERS.sub("", self.text)
        return {char for char in set(text) if unicodedata.category(char) in UNPRINTABLE} - {"\n"}

    def unseen(self, texts: Sequence[Hostile]) -> set[str]:
        """Marks of the texts that cannot be seen in it, or of which the first hidden character cannot be."""
        after: dict[str, list[str]] = {}
        _, *found = _MARK.split(_FOLDED.sub("", self.text))
        for mark, text in zip(found[::2], found[1::2], strict=True):
            after.setdefault(mark, []).append(text[:_ROW])
        return {text.mark for text in texts if not text.is_seen_in(after.get(text.mark, ()))}


class Listener:
    """Somebody who presses keys and hears every byte that answers them, stage by stage.

    Args:
        terminal: Where the program runs.

    Attributes:
        terminal: The same.
        stages: What was written in each stage, by its name.
        stage: The name of this stage.
    """

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._heard = 0
        self._now = Written()
        self._start = 0
        self.stages: dict[str, Written] = {}
        self.stage = ""

    def begins(self, stage: str) -> None:
        """What is written from now on belongs to a stage."""
        self._listen()
        unfinished = self._now.takes_back()
        self.stage = stage
        self._now = self.stages.setdefault(stage, Written())
        self._now.add(unfinished)

    def presses(self, key: str, *patterns: str) -> str:
        """Press a key, and wait until each of the patterns was written after it; returns what was."""
        return self._waits(lambda: self.terminal.press(key), patterns)

    def insists(self, key: str, pattern: str) -> str:
        """Press a key that does the same again, until a pattern is written; returns what was written.

        A list may be behind its count, and a key that comes while much is being drawn is not taken.
        """
        wanted = re.compile(pattern)

        def heard() -> bool:
            self._listen()
            return wanted.search("".join(self._now.pieces[start:])) is not None

        self._listen()
        start, end = len(self._now.pieces), time.monotonic() + PATIENCE
        self.terminal.press(key)
        while not self.terminal.tells(heard, _AGAIN):
            assert time.monotonic() < end, f"{pattern} in:\n{''.join(self._now.pieces[start:])[-_ENOUGH:]}"
            self.terminal.press(key)
        return "".join(self._now.pieces[start:])

    def rests(self) -> None:
        """Let pass what a person's hand needs before the next key: quicker keys are taken for typing."""
        self.terminal.tells(lambda: False, HAND)

    def types(self, text: str, *patterns: str) -> str:
        """Type text, and wait until each of the patterns was written after it; returns what was."""
        return self._waits(lambda: self.terminal.type(text), patterns)

    def decides(self, key: str, *patterns: str) -> None:
        """Press a decision key at the pace of people, again if it came too early, until a pattern is written."""
        end = time.monotonic() + PATIENCE
        while True:
            shown = self.terminal.text()
            # The same words once more would not be written; and in a text box these would be none.
            if NOT_TAKEN.search(shown) and key != "Enter":
                self.presses("\x03", "Ctrl.C decides nothing")
            self.rests()
            if _LOCKED in shown:
                # The key would keep the keys locked.
                self.rests()
                self.rests()
            answer = self.presses(key, f"{patterns[0]}|{NOT_TAKEN.pattern}")
            if not NOT_TAKEN.search(answer):
                break
            assert time.monotonic() < end, f"{key} was not taken:\n{self.terminal.text()}"
        self._waits(lambda: None, patterns, start=self._start)

    def clicks_everywhere(self) -> None:
        """Press and release the mouse on every second cell, as of a chess board: no target is smaller.

        The last row is left out: some of its keys can be clicked, to go elsewhere.
        """
        columns, rows = self.terminal.size
        for row in range(1, rows):
            cells = range(1 + row % 2, columns + 1, 2)
            self.terminal.type("".join(f"\x1b[<0;{cell};{row}M\x1b[<0;{cell};{row}m" for cell in cells))

    def resizes(self, columns: int, rows: int) -> None:
        """Give the terminal another size, and wait until all rows were written anew, in their order."""
        self._listen()
        start = len(self._now.lines)
        self.terminal.resize(columns, rows)

        def written_anew() -> bool:
            self._listen()
            found = [row for row, _ in groupby(row for row, _ in self._now.lines[start:])]
            wanted = list(range(1, rows + 1))
            begins = (at for at, row in enumerate(found) if row == 1)
            return any(
                found[at : at + rows] == wanted and found[at + rows : at + rows + 1] != [rows + 1] for at in begins
            )

        assert self.terminal.tells(written_anew, PATIENCE), f"not written anew for {columns} x {rows}"

    def hears(self, *patterns: str) -> None:
        """Wait until the stage has written each of the patterns."""
        self._waits(lambda: None, patterns, start=0)

    def loses(self, pattern: str) -> None:
        """Wait until no row of the screen begins with a pattern."""
        rows = re.compile(f"^{pattern}", re.MULTILINE)
        assert self.terminal.tells(lambda: not rows.search(self.terminal.text()), PATIENCE), self.terminal.text()

    def hears_said(self, words: str) -> None:
        """Wait until the stage has said a string with these words."""

        def heard() -> bool:
            self._listen()
            return any(words in said for said in self._now.said)

        assert self.terminal.tells(heard, PATIENCE), f"{words!r} among what was said"

    def sees_all(self, texts: Sequence[Hostile], part: Callable[[dict[str, Written]], Written]) -> None:
        """Wait until a part of what was written has the marks of all texts."""

        def missing() -> set[str]:
            self._listen()
            return {text.mark for text in texts} - set(_MARK.findall(part(self.stages).text))

        assert self.terminal.tells(lambda: not missing(), PATIENCE), f"{missing()} in:\n{part(self.stages).text}"

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


@cache
def _sort(sequence: str) -> tuple[str, int]:
    """The sort of a control sequence, and the row to which it goes or 0; a screen repeats the same few."""
    found = _SEQUENCE.fullmatch(sequence)
    assert found is not None
    parameters, final = found["parameters"], found["final"]
    exact = final in "hl" or parameters[:1] in ("<", "=", ">", "?")
    exact = exact or (final == "m" and bool(_CONCEALS & set(_styles(parameters))))
    row = int(re.match(r"\d+", parameters + "1")[0]) if final == "H" else 0  # type: ignore[index]
    return f"{parameters if exact else ''}{found['between']}{final}", row


def _styles(parameters: str) -> list[str]:
    """Styles of a color sequence, without the numbers that make up a color."""
    return re.sub(r"[34]8;(?:2;\d+;\d+;\d+|5;\d+)", "", parameters).split(";")
