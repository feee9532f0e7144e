"""Nothing that an agent wrote acts on the terminal: told from every byte that the screen writes."""

from __future__ import annotations

import itertools
import re
import time
import unicodedata
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from display_corpus import cases
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

CORPUS = {f"case{number}": case.text[:2_000] for number, case in enumerate(cases()) if not case.benign}
"""Every hostile case of the display corpus, as far as a name may be long."""

BENIGN = {"plain": "as it should be"}

_ESCAPES = re.compile(
    r"(?P<csi>\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~]))"
    r"|(?P<string>\x1b[\]PX^_].*?(?:\x07|\x1b\\))"
    r"|(?P<other>\x1b[ -/]*[0-~])",
    re.DOTALL,
)
_TITLE = re.compile(r"\x1b\]2;signoff: (?:nothing|\d+) waiting(?:, \d+ HIGH)?\x1b\\")
"""The only string that the screen says while somebody looks, but for the empty title with which it ends."""
_NAME = re.compile(r"\b[a-z0-9]+-\d")
_ASKED = re.compile(rf"why asked: ({_NAME.pattern})")
_JOINERS = re.compile("\u200d(?=[\u2600-\u27bf\U0001f300-\U0001faff])")
"""What joins pictographs to one. Where a row ends within a pictograph, one stands at the start of the next row."""
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
    text = _TITLE.sub("", raw.decode("utf-8"))
    sequences = set()
    for found in _ESCAPES.finditer(text):
        if found["csi"] is None:
            sequences.add(found[0])
        else:
            exact = found["final"] in "hl" or found["parameters"][:1] in "<=>?"
            sequences.add(f"{found['parameters'] if exact else ''}{found['between']}{found['final']}")
    rest = _JOINERS.sub("", _ESCAPES.sub("", text))
    return Spoken(
        frozenset(sequences), frozenset(char for char in rest if unicodedata.category(char) in _UNPRINTABLE)
    )


class Scene:
    """Requests with a text in every field, waiting and ended, and somebody who looks at all of them.

    Args:
        base: An empty folder.
        texts: By name; names are letters and digits.
        each: Whether every text stands in every kind of request, and all the sheets are opened. Otherwise there
            is one request for each text, of the kinds by turns.
    """

    def __init__(self, base: Path, texts: dict[str, str], *, each: bool = True) -> None:
        self._texts = texts
        self._each = each
        self._waiting: list[str] = []
        self._folder = base / "work"
        self._place = base / "queue"
        (self._folder / "tmp").mkdir(parents=True)

    def play(self, *sizes: tuple[int, int]) -> bytes:
        """Post, look on screens of several sizes, and return every byte that was written."""
        raw = b""
        with ExitStack() as stack:
            self._names = self._ask(stack)
            for columns, rows in sizes:
                variables = environment(self._folder, SIGNOFF_QUEUE=str(self._place))
                with Terminal(SCREEN, variables, self._folder, columns=columns, rows=rows) as terminal:
                    self._look(Person(terminal), opened=columns < 100)
                raw += terminal.raw
        return raw

    def click_everywhere(self, columns: int, rows: int) -> list[bool]:
        """Press and release the mouse on every cell; returns for each request whether it still waits."""
        with ExitStack() as stack:
            self._names = self._ask(stack)
            variables = environment(self._folder, SIGNOFF_QUEUE=str(self._place))
            with Terminal(SCREEN, variables, self._folder, columns=columns, rows=rows) as terminal:
                person = Person(terminal)
                person.sees(f"{len(self._names)} waiting")
                for row in range(1, rows + 1):
                    clicks = (f"\x1b[<0;{cell};{row}M\x1b[<0;{cell};{row}m" for cell in range(1, columns + 1))
                    terminal.type("".join(clicks))
                person.press("h")  # does nothing where a sheet, a text box or a question is open
                person.sees("History")
            queue = stack.enter_context(open_review_queue(self._place, reviewer="anna"))
            return [queue.get(request_id).pending for request_id in self._waiting]

    def _ask(self, stack: ExitStack) -> set[str]:
        """Post everything; returns the names of what waits."""
        names = set()
        for index, (name, text) in enumerate(self._texts.items()):
            cwd = f"{self._folder}/{text}"
            agent = stack.enter_context(
                connect_agent(text, session=f"s-{text}", place=self._place, cwd=cwd, via=text)
            )
            self._end_some(agent, name, text)
            for number in range(4) if self._each else (index % 4,):
                self._waiting.append(agent.submit(self._submission_of(number, name, text)).id)
                names.add(f"{name}-{number}")
        return names

    def _submission_of(self, number: int, name: str, text: str) -> Submission:
        """One of a structured call, a command and two files in a group."""
        old = self._folder / f"{name}-2.txt"
        old.write_bytes(f"before {text}\nsame\n".encode("utf-8", "surrogatepass"))
        shown = ApprovalPresentation(type="text", content=f"sent {text}\nby the tool", metadata={text: text})
        effects: tuple[tuple[Effect, ...], ...] = (
            (),
            (Command(f": {name}-1 {_without_nul(text)}", str(self._folder), {"NAME": _without_nul(text)}),),
            (FileWrite(str(old), f"after {text}\nsame\n"),),
            (FileWrite(f"{self._folder}/{name}-3{_file_name(text)}.py", f"x = '{text}'\n"),),
        )
        request = ApprovalRequest(
            tool_name=f"{name} {text}",
            description=f"{name}-{number} {text}",
            payload={text: text, "number": number},
            arguments={text: [text, {text: 1}], "number": number},
            presentation=shown,
            group_id=f"group {text}" if self._each else None,
            why=f"{name}-{number} because {text}",
            effects=effects[number],
        )
        return self._submission(request, text)

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
        person.sees(f"{len(self._names)} waiting")
        if opened:
            person.press("Enter")
            person.sees("signoff +Group")
            person.press("v")
            person.sees("signoff +Request")
        seen: set[str] = set()
        keys = itertools.cycle("JK")
        key = next(keys)
        while not seen >= self._names:
            seen |= _news(person, seen)
            if not person.steps(key):
                key = next(keys)
        if self._each:
            self._opens_sheets(person)
        person.press("h")
        person.sees("History")
        self._look_back(person)

    def _opens_sheets(self, person: Person) -> None:
        person.reads()
        for key, words in (("s", "Remember for this session"), ("n", "what to do instead"), ("X", "STOP: reject")):
            person.opens(key, words)
            person.goes_back(words)

    def _look_back(self, person: Person) -> None:
        """Look at everything that ended, record by record or page by page."""
        for _ in range(2 * len(self._texts) // (1 if self._each else 10)):
            person.press("j" if self._each else "Space")
            person.sees("History")


def _news(person: Person, seen: set[str]) -> set[str]:
    """Names on the screen that were not seen before; what a request holds may come a moment after its target."""
    end = time.monotonic() + 0.3
    while True:
        named = {*_NAME.findall(person.target), *_ASKED.findall(person.sees("TARGET"))}
        if named - seen or time.monotonic() > end:
            return named
        time.sleep(0.02)


def _without_nul(text: str) -> str:
    """What a command or the name of a file can hold: others are refused before anybody sees them."""
    return text.replace("\0", "")


def _file_name(text: str) -> str:
    return _without_nul(text.encode("utf-8", "ignore").decode()).replace("/", "")[:60]


@pytest.fixture(scope="module")
def benign(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """What the screen says to its terminal about ordinary requests."""
    return spoken(Scene(tmp_path_factory.mktemp("benign"), BENIGN).play((120, 40)))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """What it says about hostile ones."""
    return spoken(Scene(tmp_path_factory.mktemp("hostile"), HOSTILE).play((120, 40), (80, 24)))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """What it says about the cases of the display corpus."""
    return spoken(Scene(tmp_path_factory.mktemp("corpus"), CORPUS, each=False).play((120, 40)))


def test_hostile_text_sends_no_control_sequence(hostile: Spoken, benign: Spoken) -> None:
    assert hostile.sequences - benign.sequences == frozenset()


def test_hostile_text_sends_no_character_that_cannot_be_seen(hostile: Spoken, benign: Spoken) -> None:
    assert hostile.characters - benign.characters == frozenset()


def test_no_case_of_the_corpus_sends_a_control_sequence(corpus: Spoken, benign: Spoken) -> None:
    assert corpus.sequences - benign.sequences == frozenset()


def test_no_case_of_the_corpus_sends_a_character_that_cannot_be_seen(corpus: Spoken, benign: Spoken) -> None:
    assert corpus.characters - benign.characters == frozenset()


def test_clicking_every_cell_decides_nothing_and_opens_nothing(tmp_path: Path) -> None:
    still_waiting = Scene(tmp_path, HOSTILE, each=False).click_everywhere(120, 40)
    assert still_waiting == [True] * len(HOSTILE)
