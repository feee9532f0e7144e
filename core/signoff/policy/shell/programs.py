"""The table of known programs: the arguments that do no more than read, print or select.

A rule that allows a command covers its own words and, beyond them, the arguments of this table; see
`rule_coverage`. The table is ``programs.txt`` beside this file, one row a program or subcommand, drawn from the
programs' manuals. A person's own rows stand in ``programs.txt`` in their configuration directory; a row there
replaces the one of the same name.

A row has the words that it is about, its marks and options, and its operands:

    grep, egrep, fgrep: @reads -ciln -# -ABCm= -e^= -f^=FILE --color=? ; TEXT FILE...

``-abc`` are three options and ``-ab=`` two that take a value, of the kind that follows the ``=``; ``=?`` is a
value that can only be glued to its option; one with both takes the next word if it is of its kind. ``-#`` is a
number behind a dash. ``^`` in front of ``=`` marks an option that stands for the first operand, ``~`` in front
of one marks an option by which the program reaches files that are not written out, and ``!`` one that does more,
so that a rule has to name it. ``...`` repeats the last operand. The marks are:

``@reads``
    No option of the program does more than read, print or select, listed or not, so that what the shell fills in
    may be one.
``@data``
    What the program reads from its input is data to it, and never commands; so it is with ``@reads``. It does not
    count for a script of `sed` or `awk` that only a rule spells out: the script may run what it reads.
``@named``
    Only a rule that spells out the words of the row covers it.
``@args``
    A word that begins with ``@``, a value too, is a file with further arguments.
``@reaches``
    The program works on files that its arguments do not name: on a project or a repository, or as a file tells it.
``@words``
    Options are whole words behind one dash, as those of `find`.
``@stops``
    Options end at the first operand.
``@text``
    Every argument is text, also one that begins with a dash.
``@bundle``
    The first argument is options, with a dash or without, as that of `tar`.
``@apart``
    A value is never glued to its letter.
``@undivided``
    ``--`` does not end the options.
``@tests``
    The arguments are an expression of `test`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from signoff.private_files import UnsafeFileError, read_own

__all__ = [
    "BROAD_PROGRAMS",
    "OWN_PROGRAMS",
    "PATH_KINDS",
    "ProgramRow",
    "ProgramTable",
    "ProgramTableError",
    "broad_commands",
    "fits_kind",
    "known_programs",
    "only_reads",
    "own_programs_file",
]


OWN_PROGRAMS = "programs.txt"
"""Name of the file with a person's own rows, in their configuration directory."""

_MOST_OWN = 1024 * 1024
"""Bytes of a person's own rows."""

_TEXT, _FILE = "TEXT", "FILE"
_FILES = frozenset({_FILE, "INSIDE", "NEW", "SOURCE"})
PATH_KINDS = _FILES | {"LOCAL"}
"""Kinds of values that name a path."""

# -- kinds of values -----------------------------------------------------------------------------------------

# A delimiter between brackets is a character of the expression. Where brackets end must be beyond doubt, so
# there are no further ones between them but those of classes such as [:alpha:], and no backslash before one.
_BRACKETS = r"\[\^?+\]?+(?:\[:[a-z]+:\]|\\[^][\n]|[^][\\\n])*+\]"
_ADDRESS = rf"(?:\+?[0-9]+|\$|/(?:{_BRACKETS}|[^/\\\n[]|\\.)*+/I?)"
_REPLACE = (
    rf"s(?P<mark>[^\w\s\\\[\]])(?:{_BRACKETS}|(?!(?P=mark))[^\\\n[]|\\.)*+(?P=mark)"
    r"(?:(?!(?P=mark))[^\\\n]|\\.)*+(?P=mark)[gIip0-9]*+"
)
_SED_COMMAND = re.compile(
    rf"[ ]*+(?:{_ADDRESS}(?:,{_ADDRESS})?+)?+[ ]*+!?+[ ]*+(?:[pd]|{_REPLACE})[ ]*+(?:[;\n]++|$)"
)
_AWK_DOORS = re.compile(r"system|getline|ARG[CV]|SYMTAB|FUNCTAB|inet|[|@]")
_JQ_MODULES = re.compile(r'(?:^|[\s;}])(?:import|include)\s*(?:["#]|$)')
"""Directives of `jq` that read further files."""
_COUNTS = re.compile(r"%[-#0 +'0-9.*hjlqtzL]*n")
"""A conversion by which `printf` stores how much it has printed, in all its forms."""


def _is_sed_script(text: str) -> bool:
    """True for prints, deletions and replacements without flags that write or run."""
    at = 0
    while at < len(text):
        command = _SED_COMMAND.match(text, at)
        if command is None:
            return False
        at = command.end()
    return True


def _is_awk_program(text: str) -> bool:
    """True if it runs, writes and connects to nothing: ``>`` only compares without a ``print`` before it."""
    _, printed, behind = text.partition("print")
    return _AWK_DOORS.search(text.replace("||", "")) is None and not (printed and ">" in behind) and bool(text)


def _is_inside(text: str) -> bool:
    """True for a path below the working directory, which is no address and no option."""
    return not (text.startswith(("/", "~", "@", "-")) or "://" in text or ".." in re.split(r"[/:]", text))


def _is_file(text: str) -> bool:
    return not text.startswith(("@", "/inet"))


_SWITCHES = frozenset({"true", "false"})
_CAPABILITY = re.compile(
    "lines|cols|colors|clear|bold|dim|rev|sgr0|[sr]mul|[sr]mso|[sr]itm|seta[fb]|op|el1?|ed|cup|home|cuu1|civis|cnorm"
    "|sc|rc|longname"
)
"""Capabilities that `tput` only prints; ``init`` and ``reset`` run a program of the terminal's description."""

_GITHUB = r"(?:https://github\.com/)?"
"""The host that `gh` may be sent to: it shows others the token for a server of one's own."""

_REPORTERS = frozenset({"default", "verbose", "dot", "basic", "tap", "tap-flat", "json", "stylish"})
"""Reporters that print; any other is a module, or writes a file."""

_KINDS: Mapping[str, Callable[[str], bool] | None] = {
    _TEXT: None,
    _FILE: _is_file,
    "NEW": lambda text: _is_file(text) and re.search(r"(?:^|/)-", text) is None,
    "LOCAL": lambda text: re.match(r"@|[^/:]*:", text) is None,
    "INSIDE": _is_inside,
    "NUMBER": str.isdecimal,
    "NAME": lambda text: re.fullmatch(r"[A-Za-z0-9_][\w.-]*", text) is not None,
    "REMOTE": lambda text: text in {"origin", "upstream"},
    "REF": lambda text: re.fullmatch(r"[A-Za-z0-9_][\w./@{}~^-]*", text) is not None,
    "TARGET": lambda text: re.fullmatch(r"[A-Za-z0-9_.][\w./%+-]*", text) is not None,
    "PACKAGE": lambda text: re.fullmatch(r"(?:@[\w-]+/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~-]+)?", text) is not None,
    "REPO": lambda text: re.fullmatch(rf"{_GITHUB}[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?", text) is not None,
    "ISSUE": lambda text: re.fullmatch(rf"{_GITHUB}(?!.*//)[A-Za-z0-9_#][\w./:#-]*", text) is not None,
    "VARIABLE": lambda text: (
        re.fullmatch(r"(?!(?:npm|pnpm|yarn)_|.*(?:_proxy|_config|path))[a-z_][a-z0-9_]*", text) is not None
    ),
    "SETTING": lambda text: text in {"pipefail", "errexit", "nounset", "xtrace"},
    "SWITCH": _SWITCHES.__contains__,
    "CAPABILITY": lambda text: _CAPABILITY.fullmatch(text) is not None,
    "ORDER": lambda text: re.fullmatch(r"-?[a-z][\w:.()%=-]*", text) is not None,
    "DATE": lambda text: text.startswith("+"),
    "NULL": lambda text: text == "/dev/null",
    "HEADER": lambda text: not text.startswith("@"),
    "OUTPUT": lambda text: not text.startswith("@") and "%output{" not in text,
    "MODULE": lambda text: re.fullmatch(r"(?!.*\.py$)[A-Za-z_][\w.]*", text) is not None,
    "MODMODE": lambda text: text in {"readonly", "vendor"},
    "TRIPLE": lambda text: re.fullmatch(r"[\w-]+", text) is not None,
    "WARNING": lambda text: re.fullmatch(r"[a-z]+(?::[^:]*(?::[A-Za-z]*(?::.*)?)?)?", text) is not None,
    "COVREPORT": lambda text: re.fullmatch(r"(?:term|term-missing)(?::skip-covered)?|", text) is not None,
    "REPORTER": lambda text: text in _REPORTERS,
    "BLOCKED": lambda text: re.fullmatch(r"no:[\w.-]+", text) is not None,
    "FORMAT": lambda text: _COUNTS.search(text) is None,
    "SOURCE": lambda text: _is_inside(text) and text not in _SWITCHES | {"null", "undefined"},
    "JQ": lambda text: _JQ_MODULES.search(text) is None,
    "SED": _is_sed_script,
    "AWK": _is_awk_program,
}
"""Tests for each kind of value. A filled-in one fits ``TEXT``, ``FILE``, ``INSIDE``, ``NEW`` and ``SOURCE`` alone.

No ``FILE`` begins with ``@``, which to many programs means more options in a file, or with the ``/inet`` of
gawk. A ``NEW`` one may be made, so that no name in it begins with a dash. A ``LOCAL`` one names no other
machine, one that is ``INSIDE`` lies below the directory that the command runs in, a ``VARIABLE`` is none that
programs obey, a ``TARGET`` sets none, a ``SOURCE`` is no word by which an option before it is set or unset, an
``ORDER`` alone may begin with a dash where it is glued to its option, a ``JQ`` reads no further files, a
``FORMAT`` of `printf` stores nothing, and the ``OUTPUT`` of `curl` goes to no file.
"""


def fits_kind(kind: str, text: str | None) -> bool:
    """True if a value can be of a kind.

    Args:
        kind: As a row of the table names it.
        text: The value; None if the shell fills it in.
    """
    fits = _KINDS[kind]
    return fits is None or (kind in _FILES if text is None else fits(text))


# -- the table -----------------------------------------------------------------------------------------------


class ProgramTableError(ValueError):
    """A row that cannot be read; the message names file and line and says what is wrong."""


class ProgramRow(Struct, frozen=True):
    """One row of the table.

    Attributes:
        words: The program and its subcommands.
        marks: See the module.
        flags: Options without a value, with their dashes.
        valued: Options with a value, and its kind.
        glued: Options whose value can only be glued to them.
        leading: Options that stand for the first operand.
        reaching: Options by which files are reached that are not written out.
        named: Options that a rule has to name.
        numbers: True if a number behind a dash is an option.
        operands: Kinds of the operands, in order.
        repeats: True if the last kind holds for any number of operands.
    """

    words: tuple[str, ...]
    marks: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    valued: Mapping[str, str] = {}
    glued: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    reaching: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    numbers: bool = False
    operands: tuple[str, ...] = ()
    repeats: bool = False


_MARKS = frozenset(
    {"@reads", "@data", "@named", "@args", "@reaches", "@words", "@stops", "@text", "@bundle", "@apart"}
    | {"@undivided", "@tests"}
)
_OPTION = re.compile(
    r"(?P<named>!)?(?P<reaching>~)?(?P<names>--(?:\[no-\])?[A-Za-z0-9][\w.-]*|-#|-[^\s=^-][^\s=^]*)"
    r"(?P<leading>\^)?(?P<value>=(?P<glued>\?)?(?P<kind>[A-Z]*))?"
)
_PLAIN_OPTION = re.compile(r"(?<!\S)--[A-Za-z0-9][\w.-]*(?!\S)")
"""An option that is nothing but a name: most are, and a row is read while somebody waits."""
_OPERAND = re.compile(r"(?P<kind>[A-Z]+)(?P<repeats>\.\.\.)?")


class ProgramTable:
    """The rows of some texts, read on demand; a later text replaces rows of earlier ones.

    Args:
        texts: Name of each text, for messages, and the text.

    Raises:
        ProgramTableError: A line is no row.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._lines: dict[tuple[str, ...], tuple[str, str]] = {}
        self._rows: dict[tuple[str, ...], ProgramRow | None] = {}
        self._beginnings: set[tuple[str, ...]] = set()
        for name, text in texts.items():
            for number, line in _joined_lines(text):
                place = f"{name}, line {number}"
                heads, colon, rest = line.partition(": ")
                if not colon:
                    raise ProgramTableError(f'{place}: no ": " behind the words that the row is about')
                for head in heads.split(","):
                    words = tuple(head.split())
                    if not words:
                        raise ProgramTableError(f"{place}: names no program")
                    self._lines[words] = (place, rest)
                    self._beginnings |= {words[:end] for end in range(1, len(words))}

    def __iter__(self) -> Iterator[ProgramRow]:
        """Read every row.

        Raises:
            ProgramTableError: One cannot be read.
        """
        return (row for words in self._lines if (row := self.row(words)) is not None)

    def row(self, words: tuple[str, ...]) -> ProgramRow | None:
        """The row of a program or subcommand; None if there is none.

        Raises:
            ProgramTableError: It cannot be read.
        """
        if words not in self._rows:
            line = self._lines.get(words)
            self._rows[words] = None if line is None else _row(words, *line)
        return self._rows[words]

    def has_more(self, words: tuple[str, ...]) -> bool:
        """True if rows begin with these words and go on."""
        return words in self._beginnings


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Rows with their line numbers: a line that begins with a blank goes on with the one before."""
    number, row = 0, ""
    for at, line in enumerate(text.splitlines(), 1):
        if line[:1] in {" ", "\t"} and row:
            row += f" {line.strip()}"
            continue
        if row:
            yield number, row
        number, row = at, "" if line.startswith("#") else f"{line.strip()} " if line.strip() else ""
    if row:
        yield number, row


def _row(words: tuple[str, ...], place: str, text: str) -> ProgramRow:
    before, _, behind = text.partition(";")
    tokens, operands = _PLAIN_OPTION.sub("", before).split(), behind.split()
    marks = {token for token in tokens if token.startswith("@")}
    if not marks <= _MARKS:
        known = ", ".join(sorted(_MARKS))
        raise ProgramTableError(f"{place}: unknown mark {min(marks - _MARKS)}; the marks are {known}")
    flags = set(_PLAIN_OPTION.findall(before))
    valued: dict[str, str] = {}
    glued: set[str] = set()
    leading: set[str] = set()
    reaching: set[str] = set()
    named: set[str] = set()
    for token in tokens:
        if token in marks:
            continue
        option = _OPTION.fullmatch(token)
        kind = "" if option is None else option["kind"] or _TEXT
        if option is None or kind not in _KINDS:
            raise ProgramTableError(f"{place}: {token!r} is no option")
        names = _names(option["names"], whole="@words" in marks)
        if option["glued"]:
            glued.update(names)
        elif option["value"]:
            valued.update(dict.fromkeys(names, kind))
        else:
            flags.update(names)
        leading.update(names if option["leading"] else ())
        reaching.update(names if option["reaching"] else ())
        named.update(names if option["named"] else ())
    kinds = [_OPERAND.fullmatch(operand) for operand in operands]
    if any(kind is None or kind["kind"] not in _KINDS for kind in kinds):
        raise ProgramTableError(f"{place}: the operands must be of the kinds {', '.join(_KINDS)}")
    found = [kind for kind in kinds if kind is not None]
    return ProgramRow(
        words=words,
        marks=frozenset(marks),
        flags=frozenset(flags - {"-#"}),
        valued=valued,
        glued=frozenset(glued),
        leading=frozenset(leading),
        reaching=frozenset(reaching),
        named=frozenset(named),
        numbers="-#" in flags,
        operands=tuple(kind["kind"] for kind in found),
        repeats=bool(found) and found[-1]["repeats"] is not None,
    )


def _names(written: str, *, whole: bool) -> list[str]:
    if written.startswith("--[no-]"):
        return [f"--{written[7:]}", f"--no-{written[7:]}"]
    if whole or written == "-#" or written.startswith("--"):
        return [written]
    return [f"-{letter}" for letter in written[1:]]


def only_reads(program: str) -> bool:
    """True if a program does no more than read or print, whatever its arguments are.

    Args:
        program: Its name; of a path nothing is known.
    """
    try:
        table = known_programs()
        row = table.row((program,))
    except ProgramTableError:
        return False
    return row is not None and not table.has_more((program,)) and not row.marks.isdisjoint({"@reads", "@text"})


def own_programs_file() -> Path:
    """Path of the file with a person's own rows; it need not be there."""
    import platformdirs  # late: most processes judge no command

    return Path(platformdirs.user_config_path("signoff", appauthor=False)) / OWN_PROGRAMS


@lru_cache(maxsize=1)
def known_programs() -> ProgramTable:
    """The table that signoff brings, with the person's own rows; read once a process.

    Raises:
        ProgramTableError: The person's rows cannot be read, or others may write them.
    """
    texts = {"the table of signoff": Path(__file__).with_name("programs.txt").read_text(encoding="utf-8")}
    own = own_programs_file()
    try:
        rows = read_own(own, forbidden=0o022, owners=frozenset({os.geteuid()}), most=_MOST_OWN)
        if rows is None:
            return ProgramTable(texts)
        texts[str(own)] = rows.decode()
    except UnsafeFileError as error:
        raise ProgramTableError(str(error)) from None
    except UnicodeDecodeError:
        raise ProgramTableError(f"{own} is not UTF-8") from None
    table = ProgramTable(texts)
    for _ in table:  # a row that cannot be read is told before anything is judged by the others
        pass
    return table


# -- Programs that a rule about their name alone lets do almost anything.

_ANY_PROGRAM = ("-c 'rm -rf x'", "x.sh")
_ANY_CODE = ("-c 'import os; os.remove(\"x\")'", "x.py")
_PACKAGES = ("install x", "run x", "x")

BROAD_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "fish", "busybox"), _ANY_PROGRAM),
    **dict.fromkeys(("python", "python3", "pypy3", "uv", "poetry", "pipx"), _ANY_CODE),
    **dict.fromkeys(("node", "deno", "bun"), ('-e \'require("fs").unlinkSync("x")\'', "x.js")),
    **dict.fromkeys(("perl", "ruby", "php", "lua"), ("-e 'unlink \"x\"'", "x")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "npx", "pip", "pip3", "cargo", "gem", "brew", "apt"), _PACKAGES),
    **dict.fromkeys(("docker", "podman"), ("run -v /:/host alpine rm -rf /host/home", "system prune -af")),
    **dict.fromkeys(("curl", "wget"), ("https://example.com/x",)),
    **dict.fromkeys(("ssh", "scp", "rsync", "sftp"), ("x@example.com:", "-a . x@example.com:")),
    **dict.fromkeys(("cat", "head", "tail", "less"), ("/etc/passwd",)),
    **dict.fromkeys(("grep", "rg"), ("-r PRIVATE /home",)),
    **dict.fromkeys(("cp", "mv", "ln"), ("x ../y",)),
    **dict.fromkeys(("rm", "rmdir", "shred"), ("-rf .", "x")),
    **dict.fromkeys(("chmod", "chown"), ("-R 777 .", "x .")),
    **dict.fromkeys(("kubectl", "helm"), ("delete namespace x", "uninstall x")),
    **dict.fromkeys(("sudo", "doas", "env", "xargs", "nohup", "timeout"), ("x", "1 x")),
    "git": ("push --force origin main", "clean -fdx", "checkout -- ."),
    "gh": ("api -X DELETE /repos/x/y",),
    "find": (". -delete", "/home -name id_rsa"),
    "tee": ("x",),
    "dd": ("if=/dev/zero of=x",),
    "make": ("x",),
    "go": ("run x.go",),
    "sed": ("-i s/a/b/ x", "-n p /etc/passwd"),
    "awk": ("'BEGIN { system(\"rm x\") }'", "1 /etc/passwd"),
    "tar": ("-xf x.tar -C /",),
    "aws": ("s3 rm s3://x --recursive",),
    "terraform": ("destroy -auto-approve",),
}
"""Programs with very different uses, each with arguments that show it, the worse ones first."""

_BROAD_BEGINNINGS: Mapping[str, tuple[str, ...]] = {
    "git checkout": ("-- .",),
    "git config": ("core.pager x",),
    "git push": ("--force origin main",),
    "git reset": ("--hard",),
    "docker run": ("-v /:/host alpine rm -rf /host/home",),
    "docker exec": ("x rm -rf /data",),
    "npm run": ("x",),
    "npm install": ("x",),
    "pip install": ("x",),
    "uv run": ("x.py",),
    "python -c": ("'import os; os.remove(\"x\")'",),
    "python3 -c": ("'import os; os.remove(\"x\")'",),
    "python -m": ("pip install x",),
    "python3 -m": ("pip install x",),
}


def broad_commands(words: Sequence[str]) -> list[str]:
    """Commands that begin with the words of a rule and do more than its author would expect.

    Args:
        words: The words of the rule.
    """
    beginning = " ".join(words)
    program = beginning.rpartition("/")[2]
    return [f"{beginning} {tail}" for tail in _BROAD_BEGINNINGS.get(program, BROAD_PROGRAMS.get(program, ()))]
