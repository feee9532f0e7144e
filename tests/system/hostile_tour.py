"""A look at every screen of a hostile scene, in one terminal that changes its size on the way.

Every surface, which is a screen or a part of one that draws words of others, is a stage of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hostile_scene import HostileScene
from person_bench import Person
from pty_bench import Terminal
from written_bench import Listener, Written

from hostile_texts import SORTS, Hostile
from system_bench import PATIENCE, environment


@dataclass(frozen=True)
class Surface:
    """Where words of others are drawn.

    Attributes:
        name: Of the stage in which it is looked at.
        words: Its own words: with them it begins.
        one_row: Whether it is the row of these words, and nothing below.
        each: Whether every text is to be seen there with what it hides.
        bare: Whether what cannot be seen was taken out before, or escaped as in JSON, so that without a gate
            nothing else is written.
    """

    name: str
    words: str
    one_row: bool = False
    each: bool = True
    bare: bool = False

    def part(self, stages: dict[str, Written]) -> Written:
        """What was written on it."""
        return stages[self.name].part(self.words, one_row=self.one_row)


SURFACES: Mapping[str, Sequence[Surface]] = {
    "waiting": (
        Surface("empty inbox", "No agent is waiting", each=False),
        Surface("rules", "rules changed since you trusted them", one_row=True),
        Surface("inbox", "signoff +Inbox"),
        Surface("request", ""),
        Surface("details", "signoff +details of"),
        Surface("themes", "signoff +theme", each=False),
        Surface("palette", "pasted", one_row=True, each=False),
        Surface("documents", ""),
        Surface("split", "", each=False),
        Surface("find", "pasted", one_row=True, each=False),
        Surface("allow sheet", "Allow for this session"),
        Surface("group", "", each=False),
        Surface("approve sheet", "Approve exactly"),
        Surface("stop with a message", "rest of the agent's turn"),
        Surface("text box", "pasted", one_row=True, each=False),
        Surface("held", "u undo", one_row=True, each=False),
        Surface("taken back", "taken back", one_row=True, each=False),
    ),
    "kept": (
        Surface("allowed", "Allowed for a session"),
        Surface("agents", "last hour"),
        Surface("stop question", "STOP .*reject", each=False),
        Surface("ended", "", each=False),
        Surface("history", "signoff.*History"),
        Surface("records", "signoff.*History"),
        Surface("record", " agent  ", each=False),
        Surface("filter bar", "pasted", one_row=True, each=False),
        Surface("completions", "", each=False, bare=True),
        Surface("saved filter", "this agent  ", each=False, bare=True),
        Surface("export", "records? written", one_row=True, each=False),
    ),
    "chosen": (
        Surface("rule files", "Allowed for a session"),
        Surface("group page", "signoff +Inbox"),
        Surface("inbox filter", "pasted", one_row=True, each=False),
        Surface("unseen", "approve unread", one_row=True, each=False, bare=True),
        Surface("refused hunks", "", each=False),
        Surface("edit", "EDITED BY YOU"),
        Surface("folded tree", "rows? folded", each=False),
        Surface("parts", 'if a shell runs "command"'),
        Surface("what ran instead", "changed +approved with changes", bare=True),
    ),
    "alike": (
        Surface("released", "and approves", each=False),
        Surface("queue lost", "QUEUE LOST ", each=False),
    ),
}
"""What is looked at in each tour.

Where not each text is to be seen, there are one or two names, or what was typed or pasted without what it hid;
and columns are the same contents as documents, of which a page may be turned before all of it was drawn.
"""

_ROWS = re.compile(r"([\d,]+) rows? below")
"""What stands below the content of a request, until its end."""

_SHARE, _ALL = r"(\d+) % read", r"(?<!% )read (?!on)"
"""How much of a request was read, as its head says it; the keys say what Space reads on."""

_WIDE = 300
"""Columns in which names beside each other keep their beginnings."""

_PASTE = "\x1b[200~{}\x1b[201~"
"""What a terminal sends when something is pasted."""

HANDED_OVER = "handed over"
"""The stage in which the terminal is given to an editor and taken back."""

COMPLETED = ("agent", "session", "tool", "group", "batch")
"""Fields with values that agents chose, whatever is in them."""


class Tour:
    """Somebody who goes everywhere.

    Args:
        scene: What there is to see; nobody asked yet.
        listener: Hears the screen on its queue.
        variables: The environment of the screen.
    """

    def __init__(self, scene: HostileScene, listener: Listener, variables: dict[str, str]) -> None:
        self._scene, self._texts = scene, scene.texts
        self._listener = listener
        self._variables = variables
        self._rows, self._columns = 40 + 2 * len(self._texts), 200 + 60 * len(self._texts)
        self._rows_of_all = 130 + 13 * len(self._texts)

    @property
    def _last(self) -> Hostile:
        return self._texts[-1]

    @property
    def _sorts(self) -> Sequence[Hostile]:
        return self._texts[-len(SORTS) :]

    def _reads_a_member(self) -> None:
        """Go to the heading of a group, and open it on a few rows, so that not all of its members are read."""
        listener = self._listener
        listener.presses("Left", "▌.* all ")
        listener.resizes(99, 10)
        listener.presses("Enter", "Y approve")
        while not re.search("Y approve [1-9]", listener.terminal.text()):
            listener.rests()
            listener.terminal.press("Space")
            listener.rests()
        listener.resizes(99, 30)
        listener.presses("1", "▌")

    def _sees_all(self) -> None:
        """Wait until every text is on the surface that is looked at."""
        (surface,) = (each for each in chain(*SURFACES.values()) if each.name == self._listener.stage)
        self._listener.sees_all(self._texts, surface.part)

    def goes(self, name: str) -> None:
        """Look at every surface of one tour, on a scene of its own.

        Args:
            name: One of `SURFACES`.
        """
        for look in _LOOKS[name]:
            look(self)

    def comes_to_what_waits(self) -> None:
        """On a screen of usual size: everybody asked."""
        self._scene.asks()
        self._listener.hears(f"{len(self._scene.waiting)} waiting", "▌")
        person = Person(self._listener.terminal)
        assert self._listener.terminal.tells(lambda: person.is_armed, PATIENCE)

    def looks_at_nothing(self) -> None:
        """On a very wide screen: an empty list, and which rules changed."""
        listener = self._listener
        listener.begins("empty inbox")
        listener.resizes(self._columns, 31)
        listener.hears("No agent is waiting", "Queue: ")
        listener.begins("rules")
        self._scene.rules_change(self._variables)
        self._sees_all()

    def looks_at_each_request(self) -> None:
        """On a screen of usual size: the list with every request beside it, and every request by itself."""
        listener, texts = self._listener, self._texts
        listener.begins("start")
        listener.resizes(100, 30)
        self.comes_to_what_waits()
        listener.begins("inbox")
        listener.resizes(101, 30)
        listener.hears(texts[0].end)
        for text in texts[1:]:
            listener.presses("J", f"▌.*{text.mark}", text.end)
        listener.begins("request")
        listener.presses("v", self._last.mark, self._last.end)
        for text in reversed(texts[:-1]):
            listener.presses("K", text.mark, text.end)
            if text in self._sorts:
                listener.begins("details")
                listener.presses("i", "signoff +details of", f"asked by +{text.mark}")
                listener.begins("request")
                listener.presses("q", text.end)
        listener.begins("help")
        listener.presses("?", "signoff +keys", "Esc back")
        listener.begins("left")
        listener.presses("Escape", "y approve")
        listener.presses(":", "what to do: type some words")
        listener.types("choose a theme", "choose a theme")
        listener.begins("themes")
        listener.presses("Enter", "signoff +theme", "Enter writes it", "Esc back")
        listener.resizes(_WIDE, 30)  # so that there is room for the name of the directory
        listener.hears("Enter writes it to (?!your)")
        listener.presses("\x0c", "signoff +theme")  # what stands there already is written again
        listener.begins("left")
        listener.resizes(101, 30)
        listener.presses("Escape", "y approve")
        listener.begins("palette")
        listener.presses(":", "what to do: type some words")
        listener.types(_pasted(texts[-3:]), "pasted")
        listener.begins("left")
        # Whatever is written may be for something before: a key right behind Escape would be another key.
        listener.terminal.press("Escape")
        listener.loses(" Enter do it ")

    def looks_at_sheets(self) -> None:
        """On a very high screen: what has a row for each of many requests or arguments."""
        listener, texts = self._listener, self._texts
        listener.resizes(99, 30)
        listener.presses("1", "▌")
        listener.presses("G", "▌")
        listener.presses("Enter", "@ cwd")
        listener.presses("K", "remember all")
        listener.begins("all of a request")
        listener.resizes(99, 30 + 8 * len(texts))
        listener.hears(rf"remember all.* {_ALL}")
        listener.begins("details")
        listener.presses("i", "signoff +details of", "its batch and group")
        listener.begins("copy")
        listener.resizes(99, 30)
        listener.presses("q", "remember all")
        listener.insists("c", "text as shown")
        listener.decides("t", "copied")
        listener.begins("find")
        listener.presses("\x06", "Find in what is shown")
        listener.types(_pasted(texts[-3:]), "pasted")
        listener.presses("Enter", "not in what is shown")
        listener.begins("left")
        listener.presses("Escape", "n reject")
        listener.begins("allow sheet")
        listener.decides("s", "Allow for this session")
        listener.resizes(99, 40 + 10 * len(texts))
        self._sees_all()
        listener.begins("left")
        listener.resizes(99, 30)
        listener.terminal.press("Escape")
        listener.loses(" *Allow for this session")
        listener.presses("1", "▌")
        listener.presses("K", f"▌.*{self._texts[0].mark}")
        self._reads_a_member()
        listener.begins("approve sheet")
        listener.resizes(99, self._rows)
        listener.decides("Y", "Approve exactly")
        self._sees_all()
        listener.begins("left")
        listener.presses("Escape", "Y approve")
        listener.begins("group")
        if not re.search("^▌.* all ", listener.terminal.text(), re.MULTILINE):
            listener.presses("Left", "▌.* all ")
        listener.presses("Enter", " all +")
        listener.begins("left")
        listener.presses("1", "▌")

    def looks_at_contents(self) -> None:
        """On a very high screen: commands and files, page by page, below and beside each other."""
        listener = self._listener
        listener.resizes(99, 30)
        listener.presses("G", "▌")
        listener.resizes(99, self._rows)
        listener.begins("documents")
        self._reads()
        listener.terminal.press("g")
        # Where all fits on one page, nothing is written for that key; on a wide screen it would mean another.
        listener.presses("\x03", "Ctrl.C decides nothing")
        listener.begins("split")
        listener.resizes(125, self._rows)  # from 130 columns on they stand so by themselves
        self._pages("d", "side by side")
        listener.begins("left")
        listener.insists("d", "below each other")

    def _reads(self) -> None:
        """Open a request, and page on until all of it was shown.

        What is on a page counts after a moment: once turned before, it would have to be gone back to from the end.
        """
        read = self._listener.presses("Enter", f"{_SHARE}|{_ALL}")
        while not re.search(_ALL, read):
            read = self._listener.insists("Space", rf"\b(?!{re.findall(_SHARE, read)[-1]} ){_SHARE}|{_ALL}")

    def _pages(self, key: str, words: str) -> None:
        """Press a key, which is answered with some words, and page on to the end of what it shows."""
        terminal = self._listener.terminal
        self._listener.presses(key, words)
        # At the end nothing stands below: Space would go on to what was not seen.
        while rows := _ROWS.search(terminal.text()):
            self._listener.insists("Space", rf"(?<![\d,])(?!{rows[1]} )[\d,]+ rows? below|Space read on")
            self._listener.presses("\x0c", "y approve")

    def looks_at_what_names_many(self) -> None:
        """On a very wide screen: what names many requests in one line, and what was pasted into the text box."""
        listener, texts = self._listener, self._texts
        listener.resizes(self._columns, 12)
        listener.presses("1", "▌")
        listener.presses("g", "▌")
        listener.presses("G", "▌.*1 of")
        listener.presses("K", "▌.*remember all")
        listener.presses("K", "▌.* all ")
        listener.presses("Right", "▌.* all ")
        # All others follow it in the batch, in whatever order they came.
        Person(listener.terminal).goes_to(f"{{ {self._last.mark}")
        listener.begins("stop with a message")
        listener.decides("x", "also rejected")
        self._sees_all()
        listener.begins("text box")
        listener.types(_pasted(texts), "pasted")
        listener.begins("left")
        listener.presses("Escape", "n reject")
        listener.begins("held")
        listener.decides("N", "what to do instead|Tell it")
        listener.decides("Enter", r"sends in|\d s +u undo")
        self._sees_all()
        listener.begins("taken back")
        listener.presses("u", "taken back|too late")

    def looks_at_what_is_allowed_and_agents(self) -> None:
        """On a very high screen all that is allowed, and every agent; then the details of every sort."""
        listener = self._listener
        listener.begins("start")
        self._scene.remembers()
        for stage, key, title in (("allowed", "4", "Allowed for a session"), ("agents", "2", "last hour")):
            listener.begins(stage)
            listener.presses(key, title)
            # Not before: the list would be drawn on the high screen for each request that comes and ends.
            listener.resizes(_WIDE, self._rows)
            self._sees_all()
            listener.resizes(100, 30)
            listener.presses("G", "▌")
            if stage == "allowed":
                listener.presses("k", "ANY call")
            for text in reversed(self._sorts):
                listener.presses("\x0c" if (stage, text) == ("agents", self._last) else "k", text.mark)
        listener.begins("stop question")
        listener.decides("x", "STOP .*reject")
        listener.begins("left")
        listener.presses("Escape", "x stop")
        listener.presses("Escape", "y approve|Y approve")

    def looks_at_what_ended(self) -> None:
        """On a very high screen: what ends while it is looked at, all of that; then every record."""
        listener = self._listener
        # What is remembered is on the list, too, where the screen saw it before it was approved.
        listener.resizes(_WIDE, 60 + 4 * len(self._texts))
        listener.begins("ended")
        self._scene.ends()
        listener.hears(" 0 waiting|nothing waiting|waiting", self._last.mark)
        listener.begins("left")
        listener.resizes(_WIDE, self._rows)
        listener.begins("history")
        listener.presses("h", "f saved", self._last.end)
        self._sees_all()
        listener.begins("records")
        listener.presses("i", f"agent +{self._last.mark}")
        listener.resizes(180, 60)
        listener.presses("g", f"agent +{self._last.mark}")
        for text in reversed(self._texts[:-1]):
            listener.presses("j", f"agent +{text.mark}")
        listener.begins("record")
        listener.presses("i", self._texts[0].end)
        listener.resizes(99, 40)
        for text in self._texts[1 : len(SORTS)]:
            listener.presses("k", rf"▌.*{text.mark}")
            listener.presses("Enter", text.end)
            listener.presses("Escape", "▌")
        listener.begins("left")
        listener.resizes(self._columns, 12)

    def looks_at_filters(self) -> None:
        """On a very wide screen: what the filter of the history offers, says and keeps."""
        listener, texts = self._listener, self._texts
        listener.begins("filter bar")
        listener.presses("/", "Tab completes")
        listener.types(_pasted(texts[-3:]), "pasted")
        listener.begins("completions")
        for field in COMPLETED:
            listener.presses("Escape", "this agent")
            listener.presses("/", "Tab completes")
            listener.types(_PASTE.format(f"{field}:"), f"{field} needs a value")
            # The title tells that its list is there: what comes next acts on a record of that.
            listener.presses("\t", rf" {field}:.* of [\d,]+", *(text.mark for text in texts))
        listener.begins("left")
        listener.presses("Escape", "this agent", r"newest [\d,]+ of [\d,]+|[\d,]+ records?")
        listener.begins("saved filter")
        listener.presses("f", "this agent  .*agent:")
        listener.presses("Escape", "f saved")
        listener.begins("export")
        listener.presses(":", "what to do")
        listener.types("export", "write to a file")
        listener.presses("Enter", "write to: ")
        listener.presses("Enter", "records? written")
        listener.begins("left")
        listener.presses("Escape", "y approve|Y approve")

    def looks_at_rules(self) -> None:
        """On a very high screen: files of rules."""
        listener = self._listener
        listener.resizes(_WIDE, self._rows)
        self._scene.rules_change(self._variables)
        listener.begins("rule files")
        listener.presses("4", "Allowed for a session")
        self._sees_all()
        listener.begins("left")
        listener.resizes(100, 30)
        listener.presses("1", "signoff +Inbox")

    def looks_at_what_is_together(self) -> None:
        """On a very high screen: all calls of a group on one page; then what is pasted into the filter."""
        listener, texts = self._listener, self._texts
        # Beside the list, a member that is passed would be read, and be on the page no more.
        listener.resizes(99, self._rows)
        listener.presses("G", "▌")
        listener.presses("K", "▌.*remember all")
        listener.presses("K", f"▌.*{self._texts[0].mark}")
        listener.presses("Left", "▌.* all ")
        listener.begins("group page")
        listener.resizes(200, self._rows_of_all)
        listener.hears(*(f'"{text.mark}' for text in texts))  # the arguments of every member
        self._sees_all()
        listener.begins("left")
        listener.resizes(100, 30)
        listener.begins("inbox filter")
        listener.presses("/", "Tab completes")
        listener.types(_pasted(texts[-3:]), "pasted")
        listener.begins("left")
        # Whatever is written may be for something before: a key right behind Escape would be another key.
        listener.terminal.press("Escape")
        listener.loses(" / ")

    def looks_at_changes(self) -> None:
        """Hunks that are refused; what came out of the editor, its approval, and what the history says of it."""
        listener, waiting = self._listener, len(self._scene.waiting)
        listener.begins("asked")
        self._scene.asks_for_what_may_be_changed()
        listener.hears(f" {waiting + 2} waiting")
        listener.resizes(100, 14)  # before the page is there: on the larger one all of it would be read
        listener.insists("G", "▌.*hunks.txt")
        listener.presses("v", "hunks.txt")
        listener.begins("unseen")
        listener.decides("y", "approve unread")
        listener.begins("asked")
        listener.presses("Escape", "n reject")
        listener.resizes(100, 60)
        listener.presses("\x03", "Ctrl.C decides nothing")
        listener.hears(rf"hunks.txt.* {_ALL}")
        listener.rests()
        listener.presses("-", "would be written|all hunks are refused")
        listener.begins("refused hunks")
        listener.resizes(101, 60)
        listener.begins("asked")
        listener.rests()
        listener.presses("K", "edit this", rf"edit this.* {_ALL}")
        listener.decides("E", "Enter done, read it")
        listener.begins(HANDED_OVER)
        listener.rests()
        listener.presses("\x05", "Enter done, read it")
        listener.begins("edit")
        listener.decides("Enter", "EDITED BY YOU")
        listener.resizes(160, self._rows_of_all)
        self._sees_all()
        listener.begins("folded tree")
        listener.presses("Left", "rows? folded")
        listener.presses("Right", r"all \d+ levels of the arguments are open")
        listener.begins("parts")
        listener.presses("}", "unchanged lines around")
        self._sees_all()
        listener.begins("left")
        listener.presses("\x0c", _ALL)
        listener.resizes(100, 30)
        listener.decides("y", r"sends in|\d s +u undo")
        listener.rests()  # another letter right behind it would make a word of the two
        listener.presses("h", "f saved", "edited")
        listener.begins("what ran instead")
        listener.presses("Enter", "CHANGED by the reviewer")
        listener.resizes(160, self._rows_of_all)
        self._sees_all()

    def looks_at_what_is_released(self) -> None:
        """On a very wide screen: what else waits for the same."""
        listener = self._listener
        listener.begins("repeated")
        listener.resizes(self._columns, 31)
        self._scene.repeats()
        listener.hears(f" {len(self._scene.waiting) + len(self._scene.repeated)} waiting")
        listener.presses("G", f"▌.*{self._texts[0].mark}", _ALL)
        listener.begins("released")
        listener.decides("s", "Allow for this session")
        listener.presses("w", "and approves")
        listener.begins("left")
        listener.presses("Escape", "n reject")

    def is_called(self) -> None:
        """While the person looks elsewhere, an agent asks for something of HIGH risk."""
        listener = self._listener
        listener.begins("notice")
        listener.terminal.type("\x1b[O")
        self._scene.hurries()
        listener.hears_said("]9;")
        listener.hears("\x07")
        listener.terminal.type("\x1b[I")

    def loses_the_queue(self) -> None:
        """The queue goes away."""
        self._listener.begins("queue lost")
        with self._scene.lost():
            self._listener.hears(r"QUEUE LOST .*keys are off")


_LOOKS: Mapping[str, Sequence[Callable[[Tour], None]]] = {
    "waiting": (
        Tour.looks_at_nothing,
        Tour.looks_at_each_request,
        Tour.looks_at_sheets,
        Tour.looks_at_contents,
        Tour.looks_at_what_names_many,
    ),
    "kept": (
        Tour.comes_to_what_waits,
        Tour.looks_at_what_is_allowed_and_agents,
        Tour.looks_at_what_ended,
        Tour.looks_at_filters,
    ),
    "chosen": (
        Tour.looks_at_rules,
        Tour.comes_to_what_waits,
        Tour.looks_at_what_is_together,
        Tour.looks_at_changes,
    ),
    "alike": (Tour.looks_at_what_is_released, Tour.is_called, Tour.loses_the_queue),
}


@contextmanager
def opened(scene: HostileScene, command: Sequence[str], columns: int, rows: int) -> Iterator[Listener]:
    """A screen on the queue of the scene."""
    with Terminal(command, variables_for(scene), scene.folder, columns=columns, rows=rows) as terminal:
        listener = Listener(terminal)
        listener.begins("start")
        listener.hears("signoff +Inbox")
        listener.hears_said("]2;signoff: ")
        yield listener


def variables_for(scene: HostileScene) -> dict[str, str]:
    """The environment of the screen."""
    return environment(scene.folder, SIGNOFF_QUEUE=str(scene.place), SIGNOFF_NOTIFY="osc9", EDITOR=scene.editor)


def tour(base: Path, command: Sequence[str], texts: tuple[Hostile, ...], name: str) -> dict[str, Written]:
    """Look at every surface of a tour, on a scene of its own; returns what was written on each."""
    with HostileScene(base, texts) as scene, opened(scene, command, 100, 30) as listener:
        Tour(scene, listener, variables_for(scene)).goes(name)
        return listener.stages


def _pasted(texts: Sequence[Hostile]) -> str:
    """What a terminal sends when texts are pasted, with a word at each end; terminals let no escape through."""
    pasted = " ".join(text.name for text in texts).replace("\x1b", "").encode(errors="ignore").decode()
    return _PASTE.format(f"pasted {pasted} pasted")
