"""The part of a command that a rule covers: its own words, and arguments known to be harmless."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from msgspec import Struct

from signoff.policy.shell.programs import (
    PATH_KINDS,
    ProgramRow,
    ProgramTable,
    ProgramTableError,
    fits_kind,
    known_programs,
)
from signoff.policy.shell.syntax_model import Part, Word
from signoff.policy.shell.wrappers import SHELLS, WRAPPERS, harmless_exec, inner_of

__all__ = [
    "covering_row",
    "knows_arguments",
    "reaches_further",
    "side_door",
    "uncovered_input",
    "uncovered_word",
    "written_paths",
]

_READ_BY_WRAPPERS = frozenset({"eval", "source", ".", "trap", "su", "script", "runuser", "jobs", *WRAPPERS})
"""Programs whose arguments are read where the commands that they run are found."""
_OTHER_BUILTINS = frozenset(
    (
        *(
            "alias",
            "bind",
            "compgen",
            "complete",
            "compopt",
            "declare",
            "enable",
            "export",
            "fc",
            "getopts",
            "hash",
        ),
        *("history", "let", "local", "mapfile", "readarray", "readonly", "shopt", "typeset", "unalias", "unset"),
    )
)
"""Built-in commands of bash that may calculate their arguments, or change later commands."""
_LIKE_AN_OPTION = re.compile(r"-[^0-9\s]")
_QUOTES = "\"'"
_BEGINS_WITH_TEXT = re.compile(
    r"[A-Za-z0-9_./,:%=^~]|@(?!\()|\{[A-Za-z0-9_][\w./-]*+(?:,[A-Za-z0-9_][\w./-]*+)++\}", re.ASCII
)
_SPLIT_BY_THE_SHELL = re.compile(r"[$`]")
_FROM_THE_ENVIRONMENT = re.compile(r"[^$`{]*\$(?:[A-Z][A-Z0-9_]*(?!\w)|\{[A-Z][A-Z0-9_]*\})[^$`{]*")
_CHOSEN_BY_THE_LINE = re.compile(
    r"\$\{?(?:[_0-9@*]|BASH_|LC_|(?:LANG|TZ|NO_COLOR|CI|IFS|PS4|REPLY|MAPFILE|OPTARG|PWD|OLDPWD|DIRSTACK)(?!\w))"
)
"""Parameters that stand for a part of the line itself, or that a line may set without a question."""
_MAKES_A_DASH = re.compile(r"(?:^|[/{,])[-$`]|\{[^}]*\.\.")
"""The places where what the shell fills in may begin the name of a file with a dash; a pattern names old files."""
_BEGINS_WITH_FOLDER = re.compile(r"[\w.-]+/")
_VALUE_IN_QUOTES = re.compile(r'"(--[A-Za-z0-9][\w.-]*)=[^"]*"|(--[A-Za-z0-9][\w.-]*)="[^"]*"')
_TAKING_DATA = frozenset({"@data", "@reads", "@text", "@tests"})
"""Marks of programs to which their input is data."""
_SCRIPTS = frozenset({"SED", "AWK"})
"""Kinds of operands that may run what the program reads."""
_READS_INPUT = "is given input that the rule does not name, and may obey it"


class _Argument(Struct, frozen=True):
    """An argument of a program, as its row tells it.

    Attributes:
        at: Its place among the words.
        problem: Reason why it is not known to be harmless; empty if it is.
        path: The path that it names, or None.
        reaches: True if the program then works on files that are not written out.
    """

    at: int
    problem: str = ""
    path: str | None = None
    reaches: bool = False


def knows_arguments(words: Sequence[str]) -> bool:
    """True if it is known which arguments are harmless after the words of a rule.

    Args:
        words: The words of the rule.
    """
    command = [Word(word) for word in words]
    if _is_read_by_wrapper(command):
        return True
    reader = _read_through(command, len(command), len(command))
    return reader is not None and reader.knows_the_rest


def covering_row(words: Sequence[Word]) -> tuple[str, ...]:
    """The first words of a command that name its row in the table, if the others are harmless after them; or none.

    Args:
        words: The whole command; the first word is a literal.
    """
    reader = _read_through(words, 1, len(words))
    row = () if reader is None else reader.row_words
    named = all(word.literal and word.text == said for word, said in zip(words, row, strict=False))
    return row if named and uncovered_word(words, len(row)) is None else ()


def reaches_further(words: Sequence[str]) -> bool:
    """True if every command of a rule works on files that it does not write out.

    Args:
        words: The words of the rule.
    """
    command = [Word(word) for word in words]
    try:
        return any(argument.reaches for argument in _read(command, len(command), known_programs()))
    except ProgramTableError:
        return False


def uncovered_word(words: Sequence[Word], covered: int) -> str | None:
    """Reason for which a rule does not cover a command; None if it does.

    Args:
        words: The whole command; the first word is a literal.
        covered: The number of words that the rule spells out itself, at least 1.
    """
    if _is_read_by_wrapper(words):
        return _script_problem(words, covered)
    try:
        table = known_programs()
    except ProgramTableError as error:
        return f"cannot be looked up: {error}" if len(words) > covered else None
    return next((argument.problem for argument in _read(words, covered, table) if argument.problem), None)


def uncovered_input(part: Part, covered: int) -> str | None:
    """Reason for which a rule does not cover what a command reads; None if it does, or if it reads nothing new.

    Input is one more argument: `psql` runs it, `grep` looks through it. What the table does not call data may be
    obeyed, as by the editor that `git commit` starts.

    Args:
        part: The command; the first word is a literal.
        covered: The number of words that the rule spells out itself, at least 1.
    """
    if part.fed is None and not part.piped and not part.reads_file:
        return None
    inner = inner_of(part)
    if inner is not None and (inner.commands or inner.texts or inner.reasons):
        return None  # what it runs is judged with this input
    reader = _read_through(part.words, covered, covered)
    if reader is None or not reader.takes_data:
        return _READS_INPUT
    # A script that only the rule spells out may run what it reads.
    return _READS_INPUT if reader.has_script and uncovered_word(part.words, 1) is not None else None


def side_door(words: Sequence[Word], *, of_readers: bool = False) -> str | None:
    """The reason why a command may do more than its program's name suggests; None if none is known.

    Args:
        words: The whole command; the first word is a literal.
        of_readers: Leave out subcommands that do more than read, or of which nothing is known.
    """
    name = words[0].text
    if name in _OTHER_BUILTINS and len(words) > 1:
        return "is a built-in command that may calculate its arguments"
    if _is_read_by_wrapper(words):
        return _script_problem(words, 1)
    try:
        table = known_programs()
        if table.row((name,)) is None:
            return "runs what its arguments name" if table.has_more((name,)) and len(words) > 1 else None
        reader = _ArgumentReader(words, 1, table, len(words))
        for argument in reader.arguments():
            if argument.problem:
                return None if of_readers and not reader.only_reads(words[argument.at]) else argument.problem
    except ProgramTableError:
        return None
    return None


def written_paths(words: Sequence[Word]) -> list[str] | None:
    """All files that a command works on, if every one of them is written out; None if that is not known.

    Args:
        words: The whole command, all of them literals.
    """
    try:
        table = known_programs()
    except ProgramTableError:
        return None
    paths: list[str] = []
    for argument in _read(words, 1, table, named=len(words)):
        if argument.problem or argument.reaches:
            return None
        if argument.path is not None:
            paths.append(argument.path)
    return paths or None


def _is_read_by_wrapper(words: Sequence[Word]) -> bool:
    name = words[0].text.rpartition("/")[2]
    if name in SHELLS:
        return True
    if name not in _READ_BY_WRAPPERS:
        return False
    inner = inner_of(Part(tuple(words)))
    runs = inner is not None and bool(inner.commands or inner.texts or inner.reasons)
    return inner is not None and (runs or len(words) == 1 or name == "trap")  # "trap - EXIT" runs nothing


def _script_problem(words: Sequence[Word], covered: int) -> str | None:
    """The reason why a rule does not cover a shell's script: it must name the file and its arguments."""
    inner = inner_of(Part(tuple(words)))
    if inner is None or inner.script is None:
        return None
    # The place counts, not the word: in ``bash bash`` a rule for ``bash`` spells out the first one alone.
    script = max((at for at, word in enumerate(words) if word is inner.script), default=len(words))
    if script >= covered:
        return "runs a file of commands"
    return _beyond(words[covered]) if len(words) > covered else None


def _beyond(word: Word) -> str:
    return f"has {word.shown}, which the rule does not name, and nothing is known of this command's arguments"


def _uncovered(word: Word, row: ProgramRow) -> str:
    said = " ".join(row.words)
    return f"has {word.shown}, which is not known to be harmless for {said}"


# -- reading arguments by the row of the program -------------------------------------------------------------


def _read(
    words: Sequence[Word], covered: int, table: ProgramTable, named: int | None = None
) -> Iterator[_Argument]:
    """Yield each argument with its meaning.

    Args:
        words: The whole command.
        covered: The number of first words that the rule spells out.
        table: The rows.
        named: The number of words that may name a row for rules only; `covered` unless given.
    """
    row = table.row((words[0].text,))
    if row is None and not table.has_more((words[0].text,)):
        if len(words) > covered:
            yield _Argument(covered, _beyond(words[covered]))
        return
    yield from _ArgumentReader(words, covered, table, covered if named is None else named).arguments()


def _read_through(words: Sequence[Word], covered: int, named: int) -> _ArgumentReader | None:
    """A reader that has read all of a command; None if the table cannot be read. Arguments as of `_read`."""
    try:
        reader = _ArgumentReader(words, covered, known_programs(), named)
    except ProgramTableError:
        return None
    for _ in reader.arguments():
        pass
    return reader


class _ArgumentReader:
    def __init__(self, words: Sequence[Word], covered: int, table: ProgramTable, named: int) -> None:
        self._words = words
        self._covered = covered
        self._named = named
        self._table = table
        self._path: tuple[str, ...] = (words[0].text,)
        self._row = table.row(self._path) or ProgramRow(self._path)
        self._operands = 0
        self._led = False
        self._only_operands = False
        self._unknown: Word | None = None

    @property
    def row_words(self) -> tuple[str, ...]:
        """The words of the longest row that the command belongs to, as far as it was read."""
        return self._path

    @property
    def knows_the_rest(self) -> bool:
        """True if the words that may follow are known."""
        return self._unknown is None and self._table.row(self._path) is not None

    @property
    def takes_data(self) -> bool:
        """True if the input of such a command is data to it, but for what `has_script` says."""
        row = self._table.row(self._path)
        return row is not None and self._unknown is None and not row.marks.isdisjoint(_TAKING_DATA)

    @property
    def has_script(self) -> bool:
        """True if an operand is a script, which may run what the program reads."""
        return not _SCRIPTS.isdisjoint(self._row.operands)

    def only_reads(self, word: Word) -> bool:
        """True if the command that was read so far only reads, and a word is none of its subcommands."""
        is_subcommand = self._table.has_more(self._path) and not word.text.startswith("-")
        return "@named" not in self._row.marks and not is_subcommand

    def arguments(self) -> Iterator[_Argument]:
        at, launched = 1, False
        unnamed = 0
        if "@reaches" in self._row.marks:
            yield _Argument(0, reaches=True)
        while at < len(self._words):
            word = self._words[at]
            if at >= self._covered and self._unknown is not None:
                # An option of the rule that is not known here may take any word after it as its value.
                problem = f"has {word.shown} behind {self._unknown.shown}, of which it is not known what it takes"
                yield _Argument(at, problem)
                return
            if self._goes_on(at):
                launched = launched or (at >= self._named and self._table.row(self._path) is None)
                row = self._table.row((*self._path, word.text)) or ProgramRow((*self._path, word.text))
                if at >= self._named and word.text != "--":  # what stands behind it is no other command
                    has_to_be_named = launched or "@named" in row.marks
                    unnamed = (unnamed or at) if has_to_be_named else 0
                self._path, self._row = row.words, row
                self._operands, self._led, self._only_operands = 0, False, False
                yield _Argument(at, reaches="@reaches" in row.marks)
                at += 1
                continue
            if unnamed:
                break
            if "@text" in self._row.marks:
                return
            if "@tests" in self._row.marks:
                yield from self._tests(at)
                return
            at += yield from self._argument(at, word)
        # Programs that a launcher such as ``uv run`` starts, and rows marked so, have to be named by the rule.
        if unnamed:
            yield _Argument(unnamed, f"is {' '.join(self._path)}, which only a rule with these words covers")

    def _goes_on(self, at: int) -> bool:
        """True if a word is the next one of a longer row."""
        word = self._words[at]
        further = (*self._path, word.text)
        return (
            word.literal
            and not self._only_operands
            and (not self._operands or word.text == "--")
            and self._table.has_more(self._path)
            and (self._table.row(further) is not None or self._table.has_more(further))
        )

    def _argument(self, at: int, word: Word) -> Generator[_Argument, None, int]:
        """Return the meaning of one argument, with its value, and the number of its words."""
        row = self._row
        if "@args" in row.marks and at >= self._covered and _names_arguments(word):
            yield _Argument(at, f"has {word.shown}, a file with further arguments to {row.words[0]}")
            return 1
        if not word.literal:
            yield self._filled_in(at, word)
            return 1
        if self._only_operands or word.text == "-" or not self._is_option(at, word):
            yield from self._operand(at, word)
            return 1
        if word.text == "--" and row.marks.isdisjoint({"@words", "@undivided"}):
            self._only_operands = True
            return 1
        if row.words == ("find",) and word.text == "-exec" and (end := harmless_exec(self._words, at)) is not None:
            yield _Argument(at, reaches=True)  # the command is judged alone
            return end + 1 - at
        options, value, known = self._options(word.text)
        if not known and at < self._covered:
            self._unknown = self._unknown or word
        elif not known or (at >= self._covered and not row.named.isdisjoint(options)):
            yield _Argument(at, _uncovered(word, row))
        if not known:
            return 1
        self._led = self._led or not row.leading.isdisjoint(options)
        reaches = not row.reaching.isdisjoint(options)
        kind = row.valued.get(options[-1])
        if value is None and (kind is None or not self._takes_next(at, options[-1], kind)):
            yield _Argument(at, reaches=reaches)
            return 1
        place, behind = (at + 1, self._words[at + 1]) if value is None else (at, Word(value))
        problem = "" if place == at and kind == "ORDER" else self._unsure_value(place, options[-1], behind)
        if problem or kind is None:
            yield _Argument(place, problem, reaches=reaches)
        else:
            yield self._value(place, kind, behind, reaches)
        return place + 1 - at

    def _is_option(self, at: int, word: Word) -> bool:
        if word.text.startswith("-"):
            return True
        return at == 1 and "@bundle" in self._row.marks

    def _options(self, text: str) -> tuple[list[str], str | None, bool]:
        """The options in a word, the value glued to the last of them, and True if the row knows all of it."""
        row = self._row
        name, equals, value = text.partition("=")
        if "@words" in row.marks or text.startswith("--"):
            if equals:
                return [name], value, name in row.valued or name in row.glued
            return [name], None, name in row.flags or name in row.valued or name in row.glued
        if row.numbers and text[1:].isdecimal():
            return [text], None, True
        letters = text.removeprefix("-")
        options: list[str] = []
        for place, letter in enumerate(letters, 1):
            options.append(f"-{letter}")
            rest = letters[place:]
            if options[-1] in row.valued:
                # In a bundle without a dash every letter takes a word of its own.
                return options, rest or None, not rest or (text.startswith("-") and "@apart" not in row.marks)
            if options[-1] in row.glued:
                return options, rest or None, True
            if options[-1] not in row.flags:
                return options, None, False
        return options, None, True

    def _takes_next(self, at: int, option: str, kind: str) -> bool:
        """True if the value of an option is the next word; one that may be glued takes only what fits."""
        if at + 1 == len(self._words):
            return False
        behind = self._words[at + 1]
        return option not in self._row.glued or (behind.literal and fits_kind(kind, behind.text))

    def _unsure_value(self, at: int, option: str, word: Word) -> str:
        """The reason why a value may be an option, of another version or of a program that it is handed to."""
        row = self._row
        if at < self._covered or not row.marks.isdisjoint({"@reads", "@words"}):
            return ""
        if "@args" in row.marks and _names_arguments(word):
            return f"has {word.shown}, a file with further arguments to {row.words[0]}"
        chosen = not word.literal and _CHOSEN_BY_THE_LINE.search(word.spelled) and not _keeps_out_options(word)
        if chosen or (word.literal and option not in row.leading and _LIKE_AN_OPTION.match(word.text)):
            return f"has {word.shown} behind {option}, which may be an option as well"
        return ""

    def _value(self, at: int, kind: str, word: Word, reaches: bool) -> _Argument:
        text = word.text if word.literal else None
        problem = "" if at < self._covered or _fits(kind, word) else _uncovered(word, self._row)
        if not word.literal and not problem and not word.is_one_text:
            problem = f"has {word.shown}, which may be an option of {self._path[0]} as well"
            problem = "" if "@reads" in self._row.marks else problem
        return _Argument(at, problem, text if kind in PATH_KINDS else None, reaches)

    def _operand(self, at: int, word: Word) -> Iterator[_Argument]:
        if "@stops" in self._row.marks:
            self._only_operands = True
        kind = self._next_kind()
        if kind is None:
            if at >= self._covered:
                yield _Argument(at, _uncovered(word, self._row))
            elif self._table.has_more(self._path):  # a subcommand that only the rule knows
                self._path = (*self._path, word.text)
                self._row = ProgramRow(self._path)
            return
        text = word.text if word.literal else None
        problem = "" if at < self._covered or _fits(kind, word) else _uncovered(word, self._row)
        yield _Argument(at, problem, text if kind in PATH_KINDS else None)

    def _next_kind(self) -> str | None:
        kinds = self._row.operands[1:] if self._led else self._row.operands
        at, self._operands = self._operands, self._operands + 1
        if at < len(kinds):
            return kinds[at]
        return kinds[-1] if kinds and self._row.repeats else None

    def _filled_in(self, at: int, word: Word) -> _Argument:
        """A word that the shell fills in."""
        row = self._row
        if at < self._covered or "@reads" in row.marks:
            self._operands += 1
            return _Argument(at, reaches=True)
        spelled = word.spelled
        if not self._only_operands and (quoted := _VALUE_IN_QUOTES.fullmatch(spelled)):
            kind = row.valued.get(quoted[1] or quoted[2])
            if kind is not None and fits_kind(kind, None):
                return _Argument(at, reaches=True)
        if not self._only_operands and not _keeps_out_options(word):
            return _Argument(
                at, f"has {word.shown}, which the shell fills in and may be an option of {row.words[0]}"
            )
        found = next(self._operand(at, word), None)
        several = not word.is_one_text and not row.repeats
        problem = _uncovered(word, row) if several else "" if found is None else found.problem
        return _Argument(at, problem, reaches=True)

    def _tests(self, at: int) -> Iterator[_Argument]:
        """An expression of `test`, in which bash calculates subscripts behind ``-v``, which may be filled in."""
        for place in range(at, len(self._words)):
            word = self._words[place]
            behind = self._words[place + 1] if place + 1 < len(self._words) else Word("")
            if word.literal:
                known = not re.fullmatch(r"-[A-Za-z]+", word.text) or word.text in self._row.flags
                problem = "" if known or place < self._covered else _uncovered(word, self._row)
            else:
                harmless = word.is_one_text and behind.literal and "[" not in behind.text
                problem = "" if harmless else f"has {word.shown}, which the shell fills in and may be an operator"
            yield _Argument(place, problem, reaches=True)


def _names_arguments(word: Word) -> bool:
    return (word.text if word.literal else word.spelled.lstrip(_QUOTES)).startswith("@")


def _keeps_out_options(word: Word) -> bool:
    """True if no argument that the shell makes of a word can begin with a dash."""
    spelled = word.spelled
    if not _BEGINS_WITH_TEXT.match(spelled.lstrip(_QUOTES)):
        return False
    if word.is_one_text or not _SPLIT_BY_THE_SHELL.search(spelled):
        return True  # every word that braces and patterns make begins as the first one does
    return _FROM_THE_ENVIRONMENT.fullmatch(spelled) is not None and not _CHOSEN_BY_THE_LINE.search(spelled)


def _fits(kind: str, word: Word) -> bool:
    """True if a value or an operand fits a kind, whatever the shell fills in."""
    if word.literal:
        return fits_kind(kind, word.text)
    if not fits_kind(kind, None):
        return False
    spelled = word.spelled.lstrip(_QUOTES)
    if kind == "SOURCE" and not _BEGINS_WITH_FOLDER.match(spelled):
        return False
    if kind in {"INSIDE", "SOURCE"}:
        return not spelled.startswith(("@", "~", "/", "$")) and ".." not in spelled and "/." not in spelled[1:]
    if kind == "NEW" and _MAKES_A_DASH.search(re.sub(r"[\"'\\]", "", spelled)):
        return False
    return kind not in {"FILE", "NEW"} or not spelled.startswith(("@", "/inet"))
