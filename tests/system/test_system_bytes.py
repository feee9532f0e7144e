"""Nothing that an agent wrote acts on the terminal: told from every byte that the screen writes."""

from __future__ import annotations

import itertools
import re
import unicodedata
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.asking import plain_submission, submission_with_snapshot
from signoff.connecting import connect_agent
from signoff.effects import Command, Effect, FileWrite
from signoff.queue import AgentQueue, Decision, Risk, Submission, open_review_queue
from signoff.types import ApprovalPresentation, ApprovalRequest
from system_bench import SCREEN, environment

pytestmark = pytest.mark.system

HOSTILE = {
    "modes": "\x1b[2J\x1b[H\x1b[?1049l\x1b[?2004l\x1b[31m",
    "strings": '\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x1b\\\x1b]8;;https://evil.example/\x1b\\\x1bP$q"p\x1b\\\x1b_Gpwned\x1b\\',
    "c1": "\x9b2J\x9d0;pwned\x9c\x90x\x9c\x85\x1bc",
    "c0": "\x07\x08\x7f\rmalign\tone\x0btwo\x0cthree",
    "bidi": "\u202egpj.exe\u202c\u2066admin\u2069\u2067x\u2069\u200f\u061c",
    "invisible": "a\u200bb\u2060c\ufeffd\u00ade\u2028f\u2029g\U000e0041\U000e007f",
    "unassigned": "\ue000\uf8ff\U000f0000\u0378\uffff\ud800x\udfff",
    "markup": "[@click=app.quit]go[/] [bold red]x[/] [link=https://evil.example]y[/link]",
}
"""Sorts of trouble, as they stand in every field of a request."""

BENIGN = {"plain": "as it should be"}

_ESCAPES = re.compile(
    r"(?P<csi>\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~]))"
    r"|(?P<string>\x1b[\]PX^_].*?(?:\x07|\x1b\\))"
    r"|(?P<other>\x1b[ -/]*[0-~])",
    re.DOTALL,
)
_NAME = re.compile(r"\b[a-z0-9]+-\d")
_UNPRINTABLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class Spoken:
    """What a program said to its terminal besides text.

    Attributes:
        sequences: The sorts of control sequences; colors and places differ, modes and strings do not.
        characters: Characters outside of sequences that are no visible text.
    """

    sequences: frozenset[str]
    characters: frozenset[str]


def spoken(raw: bytes) -> Spoken:
    """Take the output of a program apart. That it is UTF-8 excludes controls of one byte from 0x80 on."""
    text = raw.decode("utf-8")
    sequences = set()
    for found in _ESCAPES.finditer(text):
        if found["csi"] is None:
            sequences.add(found[0])
        else:
            exact = found["final"] in "hl" or found["parameters"][:1] in "<=>?"
            sequences.add(f"{found['parameters'] if exact else ''}{found['between']}{found['final']}")
    rest = _ESCAPES.sub("", text)
    return Spoken(
        frozenset(sequences), frozenset(char for char in rest if unicodedata.category(char) in _UNPRINTABLE)
    )


class Scene:
    """Requests with a text in every field, waiting and ended, and somebody who looks at all of them.

    Args:
        base: An empty folder.
        texts: By name; names are letters.
    """

    def __init__(self, base: Path, texts: dict[str, str]) -> None:
        self._texts = texts
        self._folder = base / "work"
        self._place = base / "queue"
        (self._folder / "tmp").mkdir(parents=True)

    def play(self, *sizes: tuple[int, int]) -> bytes:
        """Post, look on screens of several sizes, and return every byte that was written."""
        raw = b""
        with ExitStack() as stack:
            for name, text in self._texts.items():
                agent = stack.enter_context(
                    connect_agent(
                        text, session=f"s-{text}", place=self._place, cwd=f"{self._folder}/{text}", via=text
                    )
                )
                self._end_some(agent, name, text)
                for submission in self._submissions(name, text):
                    agent.submit(submission)
            for columns, rows in sizes:
                variables = environment(self._folder, SIGNOFF_QUEUE=str(self._place))
                with Terminal(SCREEN, variables, self._folder, columns=columns, rows=rows) as terminal:
                    self._look(Person(terminal), opened=columns < 100)
                raw += terminal.raw
        return raw

    def _submissions(self, name: str, text: str) -> list[Submission]:
        """A structured call, a command and two files in a group."""
        old = self._folder / f"{name}-2.txt"
        old.write_bytes(f"before {text}\nsame\n".encode("utf-8", "surrogatepass"))
        shown = ApprovalPresentation(type="text", content=f"sent {text}\nby the tool", metadata={text: text})
        effects: tuple[tuple[Effect, ...], ...] = (
            (),
            (Command(f": {name}-1 {text}", str(self._folder), {"NAME": text}),),
            (FileWrite(str(old), f"after {text}\nsame\n"),),
            (FileWrite(f"{self._folder}/{name}-3{_file_name(text)}.py", f"x = '{text}'\n"),),
        )
        requests = [
            ApprovalRequest(
                tool_name=f"{name} {text}",
                description=f"{name}-{number} {text}",
                payload={text: text, "number": number},
                arguments={text: [text, {text: 1}], "number": number},
                presentation=shown,
                group_id=f"group {text}",
                why=f"because {text}",
                effects=effect,
            )
            for number, effect in enumerate(effects)
        ]
        return [self._submission(request, text) for request in requests]

    def _submission(self, request: ApprovalRequest, text: str) -> Submission:
        # Paths are shown from the working directory on, so that of a file must be an ordinary one.
        plain = plain_submission(request, None, cwd=str(self._folder) if request.effects else text)
        bound, _ = submission_with_snapshot(request, plain)
        following = ({"tool": text, "arguments": {text: text}},)
        return replace(
            bound, batch_id=text, batch_remaining=following, risk=Risk.MEDIUM, risk_reasons=(f"reason {text}",)
        )

    def _end_some(self, agent: AgentQueue, name: str, text: str) -> None:
        """One request that was taken back, and one that was rejected, for reasons with that text."""
        withdrawn, rejected = (agent.submit(self._ended(f"{name} {number}", text)) for number in range(2))
        agent.withdraw(withdrawn.id, f"withdrawn {text}")
        with open_review_queue(self._place, reviewer=f"anna {text}") as queue:
            digest = rejected.submission.digest
            decision = Decision(approved=False, note=f"note {text}", by=f"anna {text}")
            assert queue.decide(rejected.id, rejected.revision, digest, decision).accepted

    def _ended(self, name: str, text: str) -> Submission:
        request = ApprovalRequest(tool_name=text, description=f"{name} {text}", payload={name: text})
        return self._submission(request, text)

    def _look(self, person: Person, *, opened: bool) -> None:
        """Look at everything there is to see; on a small screen, request by request."""
        everything = {f"{name}-{number}" for name in self._texts for number in range(4)}
        person.sees(f"{len(everything)} waiting")
        if opened:
            person.press("Enter")
            person.sees("signoff +Group")
            person.press("v")
            person.sees("signoff +Request")
        seen: set[str] = set()
        keys = itertools.cycle("JK")
        key = next(keys)
        while not seen >= everything:
            seen |= set(_NAME.findall(person.target))
            if not person.steps(key):
                key = next(keys)
        person.reads()
        for key, words in (("s", "Remember for this session"), ("n", "what to do instead"), ("X", "STOP: reject")):
            person.opens(key, words)
            person.goes_back(words)
        person.press("h")
        person.sees("History")
        for _ in range(2 * len(self._texts)):
            person.press("j")
            person.sees("History")


def _file_name(text: str) -> str:
    return text.encode("utf-8", "ignore").decode().replace("/", "")


@pytest.fixture(scope="module")
def benign(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """What the screen says to its terminal about ordinary requests."""
    return spoken(Scene(tmp_path_factory.mktemp("benign"), BENIGN).play((120, 40)))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """What it says about hostile ones."""
    return spoken(Scene(tmp_path_factory.mktemp("hostile"), HOSTILE).play((120, 40), (80, 24)))


def test_hostile_text_sends_no_control_sequence(hostile: Spoken, benign: Spoken) -> None:
    assert hostile.sequences - benign.sequences == frozenset()


def test_hostile_text_sends_no_character_that_cannot_be_seen(hostile: Spoken, benign: Spoken) -> None:
    assert hostile.characters - benign.characters == frozenset()
