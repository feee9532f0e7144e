"""The options that installed programs name in their help, against what the table of known programs says of them.

Command lines are built from them and judged under a rule with the program's name, or its subcommand's. What is
allowed is really run: it must change no file, run no other program, and take no word for an option that the table
takes for something else.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import shlex
import shutil
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from benchmarks.fuzz.machine import Machine, Trace

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.programs import ProgramRow, ProgramTable
from signoff.policy.verdict import Level

__all__ = ["OptionLine", "OptionSearch", "Surprise", "installed_programs", "named_options", "sample_files"]

_LINES_A_TURN = 20
_SHARE_OF_LISTED = 0.6
_UNKNOWN = "--zzz"
"""No program has it, so each that reads it as an option says so."""
_LAUNCHERS = frozenset({"npx", "uvx", "uv", "poetry", "hatch", "pdm", "pnpm", "yarn", "bun"})
"""Their rows repeat those of the programs that they start, and fetch these first."""

_OPTION = re.compile(r"(?<![\w/.,:+-])(--?(?:\[no-\])?[A-Za-z0-9?@#][\w-]*)(?=([\[= ]?)(<?[A-Za-z]+)?)")
_BUNDLE = re.compile(r"\[-([A-Za-z0-9?@#]{2,})\]")
_NOT_KNOWN = re.compile(
    r"(?<!syntax error: )"  # expr says so of an operand too many: it reads no options
    r"(?:unrecogni[sz]ed|unknown|invalid|illegal|no such|unexpected|unsupported|bad|not a valid|wasn't expected)"
    r"(?: command[- ]line| compiler| long)? ?(?:option|argument|flag|switch|parameter|predicate|primary)s?:?"
    r"(?: --)?[ :'\"`‘]*-{0,2}(?:zzz(?![^\n]*\b(?:for|to)\b)|['’]?-['’]?$)|flag provided but not defined: -zzz",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_PERMITTED = re.compile(r"Read-only file system|Operation not permitted|[Mm]ust be (?:super-?user|root)")
_BOOKKEEPING = re.compile(
    r"here/\.git(?:/index)?$|(?:here|here/dir|here/src)$|"
    r"(?:here|here/dir|here/src)/(?:__pycache__|\.\w+_cache)(?:$|/)|home/\.(?:cache|npm|config|local|cargo|terraform\.d)(?:$|/)|"
    r"here/(?:Cargo\.lock|\.coverage|\.benchmarks)$|scratch/(?:pytest-of-|jest_)|(?:home|scratch|ran)$"
)
"""What programs keep for themselves: the state of the repository's files, and caches."""


def _archive() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        member = tarfile.TarInfo("packed.txt")
        member.size = 2
        archive.addfile(member, io.BytesIO(b"x\n"))
    return data.getvalue()


def _zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(zipfile.ZipInfo("packed.txt"), "x\n")
    return data.getvalue()


def sample_files() -> dict[str, bytes]:
    """The directory that lines run in: something for every kind of program to read, and options in a file."""
    return {
        "notes.txt": b"b 2\na 1\n",
        "more.txt": b"a 1\nc 3\n",
        "dir/deep.txt": b"x\n",
        "data.json": b'{"a": [1, 2]}\n',
        "options": b"--output=made\n-o\nmade\n",
        "script.py": b"def f(x: int) -> int:\n    return x\n",
        "test_it.py": b"def test_it():\n    assert True\n",
        "script.js": b"var a = 1\nconsole.log( a )\n",
        "main.ts": b"const a: number = 1;\n",
        "tsconfig.json": b'{"files": ["main.ts"]}\n',
        "package.json": b'{"name": "a", "version": "1.0.0"}\n',
        "Cargo.toml": b'[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": b"pub fn f( ) { }\n",
        "go.mod": b"module a\n\ngo 1.18\n",
        "main.go": b"package main\n\nfunc main() { }\n",
        "Makefile": b"all:\n\t@echo all\n",
        "archive.tar": _archive(),
        "archive.zip": _zip(),
        "archive.gz": gzip.compress(b"x\n", mtime=0),
    }


# -- programs and their options ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _HelpedProgram:
    """A program of the table that is there to be run.

    Attributes:
        row: What the table says of it.
        options: All that its help and its row name.
    """

    row: ProgramRow
    options: tuple[str, ...]

    @property
    def unlisted(self) -> list[str]:
        """The options that the table does not have, or that a rule has to name."""
        row = self.row
        listed = {*row.flags, *row.valued, *row.glued} - row.named
        return [option for option in self.options if option not in listed]


def named_options(text: str, *, words: bool = False) -> list[str]:
    """The options that a help text names, in their order.

    Args:
        text: What the program printed.
        words: Options are words behind one dash.
    """
    found: dict[str, None] = {}
    for bundle in _BUNDLE.findall(text):
        found |= dict.fromkeys([f"-{bundle}"] if words else [f"-{letter}" for letter in bundle])
    for match in _OPTION.finditer(text):
        option = match[1]
        if option.startswith("--[no-]"):
            found |= dict.fromkeys((f"--{option[7:]}", f"--no-{option[7:]}"))
        elif option.startswith("--") or words or len(option) == 2:
            found[option] = None
    return list(found)


def installed_programs(table: ProgramTable) -> list[ProgramRow]:
    """The rows of a table whose programs this machine has."""
    builtins = _builtins()
    return [
        row
        for row in table
        if row.words[0] not in _LAUNCHERS
        # A rule with all words of such a row means that it writes, and without any there is none.
        and not ("@named" in row.marks and len(row.words) == 1)
        and row.words[-1] != "--"  # it goes on with such a row
        and (row.words[0] in builtins or shutil.which(row.words[0]) is not None)
    ]


@lru_cache
def _builtins() -> frozenset[str]:
    told = subprocess.run(["bash", "-c", "compgen -b"], capture_output=True, text=True, check=True)
    return frozenset(told.stdout.split())


def _options(row: ProgramRow, machine: Machine) -> tuple[str, ...]:
    """All options that the help of a program names, and its row."""
    command = shlex.join(row.words)
    builtin = row.words[0] in _builtins()
    asked = [f"help {command}"] if builtin else [f"{command} -h", f"{command} --help"]
    if row.words[0] != "git" and not builtin:
        asked.reverse()  # "git log --help" opens the manual
    options: list[str] = []
    for text in asked:
        options = named_options(machine.run(text).said, words="@words" in row.marks)
        if len(options) > 2:
            break
    listed = sorted({*row.flags, *row.valued, *row.glued})
    return tuple(dict.fromkeys((*options, *listed)))


# -- command lines -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OptionLine:
    """A command line, and the words of the one rule that may allow it.

    Attributes:
        rule: The words of the rule.
        text: The line.
        program: Words of its row.
        option: What it is about.
        environment: Variables that the line names.
    """

    rule: tuple[str, ...]
    text: str
    program: str
    option: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_allowed(self) -> bool:
        """True if the rule allows it."""
        rule = CommandRule(self.rule, Level.ALLOW, " ".join(self.rule))
        return judge_command(self.text, [rule], Level.ASK).level is Level.ALLOW


_VALUES = (
    *("./canary", "canary", "sh -c ./canary", "made", "@options", "options", "1", "notes.txt", "a=1", "dir"),
    *(
        "./dir",
        "-",
        "a",
        "/tmp/here/made",
        "|./canary",
        "!./canary",
        "1,2",
        "json",
        "full",
        "false",
        "SHELL=./canary",
    ),
)
_OPERANDS = (
    *("notes.txt", "more.txt", "data.json", "dir", ".", "archive.tar", "archive.zip", "archive.gz", "script.py"),
    *("script.js", "new", "-", "options", "main.ts", "src/lib.rs", "./canary", "HEAD", "false", "SHELL=./canary"),
)
_BY_KIND = {
    "AWK": ("1", "{print $1}"), "SED": ("p", "s/a/b/"), "NUMBER": ("1",), "DATE": ("+%s",), "FORMAT": ("%s", "a"),
    "VARIABLE": ("name",), "REF": ("HEAD", "v1"), "MODULE": ("test_it",), "TARGET": ("all",),
}  # fmt: skip


class _Lines:
    """Command lines of one program, without end."""

    def __init__(self, program: _HelpedProgram, rng: random.Random) -> None:
        self._rng = rng
        self._row = program.row
        self._options = program.options
        self._listed = sorted({*program.row.flags, *program.row.valued, *program.row.glued})
        self._unlisted = program.unlisted
        self._letters = [flag[1] for flag in sorted(program.row.flags) if len(flag) == 2 and flag[0] == "-"]

    def draw(self) -> OptionLine:
        """A line about one of the options."""
        rng, row = self._rng, self._row
        # Of the others next to none is allowed.
        option = rng.choice(self._listed if self._listed and rng.random() < _SHARE_OF_LISTED else self._options)
        name = " ".join(row.words)
        longest = len(row.words) - ("@named" in row.marks)
        rule = row.words[: rng.randint(1, max(1, longest))]
        if "@reads" in row.marks and rng.random() < 0.15:
            filled = rng.choice((option, f"{option} {self._value()}", f"{option}={self._value()}"))
            text = f"{shlex.join(row.words)} $X {shlex.join(self._operands())}".rstrip()
            return OptionLine(rule, text, name, option, {"X": filled})
        words = [*row.words, *self._arguments(option)]
        return OptionLine(rule, shlex.join(words), name, option)

    def _arguments(self, option: str) -> list[str]:
        rng, operands = self._rng, self._operands()
        value = self._value()
        shapes: dict[str, list[str]] = {
            "alone": [option],
            "separate": [option, value],
            "with equals": [f"{option}={value}"],
            "glued": [f"{option}{value}"],
            "bundle": [self._bundled(option)],
            "bundle, separate": [self._bundled(option), value],
            "bundle, glued": [f"{self._bundled(option)}{value}"],
            "abbreviated": [option[: rng.randint(min(4, len(option)), len(option))]],
            "abbreviated, with equals": [f"{option[: rng.randint(min(4, len(option)), len(option))]}={value}"],
            "an unknown one behind": [option, _UNKNOWN],
            "an unknown one behind two dashes": [option, "--", _UNKNOWN],
            "an unknown one behind a value": [option, value, _UNKNOWN],
            "another one": [*self._other(), option],
            "another one, separate": [*self._other(), option, value],
            "behind": [option, *self._other()],
        }
        said = shapes[rng.choice(sorted(shapes))]
        match rng.randrange(8):
            case 0:
                return [*operands, *said]
            case 1:
                return ["--", *said, *operands]
            case 2:
                return said
            case _:
                return [*said, *operands]

    def _bundled(self, option: str) -> str:
        letter = self._rng.choice(self._letters) if self._letters else "v"
        return f"-{letter}{option.lstrip('-')}"

    def _other(self) -> list[str]:
        """An option that the row has, as the row has it."""
        row, rng = self._row, self._rng
        option = rng.choice(self._listed or [""])
        if option in row.valued and rng.random() < 0.8:
            return [option, self._value()]
        return [option] if option else []

    def _value(self) -> str:
        rng = self._rng
        value = rng.choice(_VALUES)
        if self._unlisted and rng.random() < 0.3:
            option = rng.choice(self._unlisted)
            return f"{option}={value}" if option.startswith("--") else f"{option}{value}"
        return value

    def _operands(self) -> list[str]:
        row, rng = self._row, self._rng
        kinds = list(row.operands)
        kinds += kinds[-1:] * (rng.randrange(3) if row.repeats else rng.random() < 0.1)
        kinds = kinds[: rng.choice((1, 2, 2, 3, 9))]
        return [rng.choice(_BY_KIND.get(kind, _OPERANDS)) for kind in kinds]


# -- looking -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Surprise:
    """A line that was allowed, and what it then did.

    Attributes:
        line: The line.
        seen: What happened.
    """

    line: OptionLine
    seen: str

    @property
    def kind(self) -> tuple[str, str, str]:
        """Two of a kind are one failure."""
        return self.line.program, self.line.option, self.seen.split(maxsplit=1)[0]

    def __str__(self) -> str:
        found = {"failure": self.seen, "command": self.line.text, "rule": " ".join(self.line.rule)}
        return json.dumps(found | ({"environment": dict(self.line.environment)} if self.line.environment else {}))


class OptionSearch:
    """A search for lines that are allowed and do more than read.

    Args:
        machine: Where they run.
        rows: What they are about. The help of each program is read when its turn comes.
        seed: The same gives the same lines on the same machine.
    """

    def __init__(self, machine: Machine, rows: Sequence[ProgramRow], seed: int) -> None:
        self._machine = machine
        self._rows = list(rows)
        self._programs: dict[tuple[str, ...], _HelpedProgram] = {}
        self._seed = seed
        self._endless: Counter[tuple[str, str]] = Counter()
        self.lines = 0
        self.allowed = 0

    def lines_to_judge(self) -> Iterator[OptionLine]:
        """Lines about all programs in turn, without end."""
        rng = random.Random(self._seed)
        rng.shuffle(self._rows)
        while True:
            for row in self._rows:
                if row.words not in self._programs:
                    self._programs[row.words] = _HelpedProgram(row, _options(row, self._machine))
                program = self._programs[row.words]
                lines = _Lines(program, rng)
                yield from (lines.draw() for _ in range(_LINES_A_TURN if program.options else 0))

    def surprises(self) -> Iterator[Surprise | None]:
        """What each line comes to: None if it is asked about, or did nothing."""
        for line in self.lines_to_judge():
            self.lines += 1
            key = (line.program, line.option)
            if not line.is_allowed or self._endless[key] > 1:
                yield None
                continue
            self.allowed += 1
            trace = self._machine.run(line.text, line.environment)
            self._endless[key] += not trace.finished
            seen = _seen(line, trace)
            yield None if seen is None else Surprise(line, seen)

    def told(self) -> str:
        """The counts, for people."""
        options = sum(len(program.options) for program in self._programs.values())
        return (
            f"{options} options of {len(self._programs)} programs and subcommands: "
            f"{self.lines} lines, {self.allowed} of them allowed and run"
        )


def _seen(line: OptionLine, trace: Trace) -> str | None:
    """What a line did that it should not have done."""
    if "ran/canary" in trace.changed:
        return "ran a program"
    changed = [name for name in trace.changed if not _BOOKKEEPING.match(name)]
    if not trace.finished:  # what a program has for a while is still there when it is killed
        changed = [name for name in changed if not name.startswith("scratch/")]
    if changed:
        return f"changed {' '.join(changed[:5])}"
    if (refused := _NOT_PERMITTED.search(trace.said)) is not None:
        return f"met the bounds of the jail: {refused[0]}"
    if _UNKNOWN in line.text and (complaint := _NOT_KNOWN.search(trace.said)) is not None:
        return f"read {_UNKNOWN} as an option: {complaint[0]}"
    return None
