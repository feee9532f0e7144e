"""What the command line prints of a hostile scene, topic by topic."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hostile_scene import HostileScene
from pty_bench import Terminal
from written_bench import Written

from hostile_texts import SORTS, Hostile
from system_bench import PATIENCE, environment

_NOT_DECIDED = b"nothing was decided"

_AGAIN = 3.0
"""Seconds after which a line is typed once more."""


class Lines:
    """Somebody who works with the command line.

    Args:
        scene: What there is to see; everybody asked.
        gates: The command that runs the commands in a file, see `gates`.
    """

    def __init__(self, scene: HostileScene, gates: Sequence[str]) -> None:
        self._scene, self._gates, self._texts = scene, gates, scene.texts
        self._variables = environment(scene.folder, SIGNOFF_QUEUE=str(scene.place))
        self._own = [request.id for request in scene.waiting[: len(scene.texts)]]

    def requests(self) -> Written:
        """What waits."""
        return self._prints([["list"], *(["show", request.id] for request in self._scene.waiting), ["status"]])

    def mistakes(self) -> Written:
        """Requests and files that there are not, and calls that are no calls."""
        names = [text.name.replace("\0", "") for text in self._texts]
        wrong = [arguments for name in names for arguments in (["show", name], ["policy", "check", name], [name])]
        return self._prints(wrong)

    def rules(self) -> Written:
        """Settings with such words in a rule, and what becomes of such commands."""
        hostile, plain = self._scene.folder / "hostile.yaml", self._scene.folder / "plain.yaml"
        rules = [{"pattern": text.content, "approval": True} for text in self._texts]
        hostile.write_text(json.dumps({"shell_rules": rules}), encoding="utf-8")
        plain.write_text(json.dumps({"shell_rules": [{"pattern": "ls", "approval": False}]}))
        explained = [["policy", "explain", str(plain), "--", text.content] for text in self._texts]
        return self._prints([["policy", "check", str(hostile)], *explained, ["policy", "replay", str(plain)]])

    def lines_of_json(self) -> Written:
        """What rules say of calls that are given one a line, and of lines that are no calls."""
        rules, calls = self._scene.folder / "plain.yaml", self._scene.folder / "calls.jsonl"
        # Of keys the escapes are those of Python, which has others for what is beyond the first plane.
        told = [text for text in self._texts if max(text.content) > "\uffff"] + [*self._texts[-len(SORTS) :]]
        given = [{"command": text.content} for text in told]
        given += [{text.mark: 1, text.name: 2} for text in self._texts]
        calls.write_text("\n".join(map(json.dumps, given)))
        return self._prints([[f"<{calls}", "policy", "test", str(rules)]])

    def suggestions(self) -> Written:
        """Rules that are drawn from what agents of such names asked, with such words in it."""
        self._scene.approves_commands()
        return self._prints([["policy", "suggest"], ["policy", "suggest", "--json"]])

    def questions(self) -> Written:
        """What is asked before an approval; the answer is another one each time."""
        asked = [*self._own[-len(SORTS) :], self._scene.waiting[-1].id]
        with self._terminal([["approve", each] for each in asked]) as terminal:
            for number in range(len(asked)):
                _says_once_more(terminal, b"to approve exactly this", than=number)
                while not terminal.tells(lambda: terminal.raw.count(_NOT_DECIDED) > number, 0):  # noqa: B023
                    terminal.type("no\n")
                    terminal.tells(lambda: terminal.raw.count(_NOT_DECIDED) > number, _AGAIN)  # noqa: B023
            return _all_of(terminal)

    def line_by_line(self) -> Written:
        """A talk about what waits and what is remembered."""
        with self._terminal([["--plain"]]) as terminal:
            assert terminal.tells(lambda: b"list names them" in terminal.raw, PATIENCE)
            _types(terminal, "list", r"\d+ waiting\s(?s:.*)remember all")
            _types(terminal, "allowed", rf"allowed for a session\s(?s:.*){self._texts[0].mark}")
            for number in range(1, min(len(self._texts), len(SORTS)) + 1):
                _types(terminal, f"show {number}", f"end of {number}")
            _types(terminal, "group 1", r"\d+ waiting")
            _types(terminal, "s 1", "would also approve|never remembered|not shown in full")
            _types(terminal, "history", "reviewer anna")
            terminal.type("quit\n")
            return _all_of(terminal)

    def remembered(self) -> Written:
        """What runs without asking."""
        return self._prints([["grants"]])

    def decided(self) -> Written:
        """What a rejection prints; then all that ended, and its records."""
        rejected = [["reject", each, "--note", "no"] for each in self._own]
        records = [["history", "--limit", "1000"], ["history", "export"], ["history", "verify"]]
        return self._prints([*rejected, *records])

    def _prints(self, commands: Sequence[Sequence[str]]) -> Written:
        with self._terminal(commands) as terminal:
            return _all_of(terminal)

    def _terminal(self, commands: Sequence[Sequence[str]]) -> Terminal:
        file = self._scene.folder / "commands.json"
        file.write_text(json.dumps(commands))
        return Terminal([*self._gates, str(file)], self._variables, self._scene.folder, columns=100, rows=30)


TOPICS: Mapping[str, Callable[[Lines], Written]] = {
    "requests": Lines.requests,
    "questions": Lines.questions,
    "mistakes": Lines.mistakes,
    "rules": Lines.rules,
    "lines of JSON": Lines.lines_of_json,
    "suggestions": Lines.suggestions,
    "remembered": Lines.remembered,
    "line by line": Lines.line_by_line,
    "decided": Lines.decided,
}
"""What there is to print, in the order in which it is printed."""


def printed(base: Path, gates: Sequence[str], texts: tuple[Hostile, ...]) -> dict[str, Written]:
    """What is printed on each topic, on a scene of its own."""
    with HostileScene(base, texts) as scene:
        scene.asks()
        scene.remembers()
        lines = Lines(scene, gates)
        return {name: topic(lines) for name, topic in TOPICS.items()}


def _says_once_more(terminal: Terminal, words: bytes, *, than: int) -> None:
    """Wait until something was said more often."""
    assert terminal.tells(lambda: terminal.raw.count(words) > than, PATIENCE), terminal.raw.decode()


def _types(terminal: Terminal, line: str, answer: str) -> None:
    """Type a line until it is answered: what was typed before the question was whole is dropped."""
    before = len(terminal.raw)

    def answered() -> bool:
        return re.search(answer, terminal.raw[before:].decode(errors="replace")) is not None

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        terminal.type(f"{line}\n")
        if terminal.tells(answered, _AGAIN):
            return
    raise AssertionError(f"{line!r} was not answered with {answer!r}:\n{terminal.raw[before:].decode()}")


def _all_of(terminal: Terminal) -> Written:
    """All that a program wrote, once it has ended."""
    terminal.process.wait()
    terminal.close()
    found = Written()
    found.add(terminal.raw.decode().replace("\r\n", "\n"))
    return found
