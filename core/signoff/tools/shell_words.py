"""What can be told about a shell command without a shell's parser.

Two questions with opposite errors. `simple_words` says what a command runs, or nothing if there is any doubt: a
command may be let through on its answer. `may_run` looks for a program in whatever way a line could be read: a
command may be stopped on its answer, sometimes one too many.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence

__all__ = ["is_plain_word", "may_run", "may_run_its_text", "simple_words"]

_PLAIN = r"[A-Za-z0-9_./:@+,%=-]"
_QUOTED = r"'[ -&(-~]*'" + "|" + r'"[ #%-\[\]-_a-~]*"'
_SIMPLE = re.compile(rf" *(?:{_PLAIN}|{_QUOTED})+(?: +(?:{_PLAIN}|{_QUOTED})+)* *")
_WORD = re.compile(rf"(?:{_PLAIN}|{_QUOTED})+")
_PIECE = re.compile(rf"{_PLAIN}+|{_QUOTED}")
_PLAIN_WORD = re.compile(rf"{_PLAIN}+")
_RESERVED = frozenset(
    {
        *("case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select"),
        *("then", "time", "until", "while"),
    }
)  # "!", "{", "}", "[[" and "]]" are no plain characters

_QUIET_PROGRAMS = ("cat", "cp", "cut", "echo", "false", "grep", "head", "ls", "mkdir", "mv", "pwd", "tail")
_QUIET_GIT = (
    "add",
    "blame",
    "branch",
    "commit",
    "log",
    "mv",
    "reset",
    "restore",
    "rm",
    "stash",
    "status",
    "switch",
)
_QUIET = frozenset(
    {
        *((program,) for program in _QUIET_PROGRAMS),
        *(("git", subcommand) for subcommand in _QUIET_GIT),
        *((program, "rm") for program in ("docker", "npm", "podman")),
    }
)
"""Commands, by their first words, that never run what their arguments name."""

_OPERATORS = re.compile(r"[;&|()<>`\n\r]+")
_ALL_MARKS = re.compile(r"[;&|()<>`\n\r{}$'\"\\,=:!]+")
_QUOTES = re.compile(r"(?:\$(?=['\"])|['\"\\])+")
_EXPANSIONS = re.compile(r"\$\{[^{}]*\}|\$\w+|(?<![<>])[<>]++[&|]?\s*+[^\s;&|<>()]+")
"""Variables and redirections, which may leave nothing behind between two words."""
_GLUES = re.compile(r"[=:,!]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))")
_LAST_CODE_POINT = 0x10FFFF


def is_plain_word(text: str) -> bool:
    """Whether every shell reads a text as one word, and as exactly that text."""
    return _PLAIN_WORD.fullmatch(text) is not None


def simple_words(command: str) -> tuple[str, ...] | None:
    """The words of a simple command, or None if it is unclear.

    A simple command is one program with its arguments: printable ASCII on one line; words of letters, digits and
    ``_./:@+,%=-``, and quotes around text without expansions. Everything else is unclear: operators,
    substitutions, variables, patterns, tildes, backslashes, comments, assignments, reserved words, and a command
    without words. Unclear is no verdict about the command; it says that nothing may be concluded from its words.

    Args:
        command: The text handed to the shell.
    """
    if _SIMPLE.fullmatch(command) is None:
        return None
    words = tuple(_unquoted(word) for word in _WORD.findall(command))
    return None if "=" in words[0] or words[0] in _RESERVED else words


def may_run(program: Sequence[str], command: str) -> bool:
    """Whether a command line may run a program with certain first arguments.

    The line is read in several ways, each more generous than a shell, and a program may stand anywhere in a part
    of it: behind ``sudo`` and ``env``, inside quotes that are handed to another shell, spelled with quotes,
    escapes or its directory. What is put together only while the line runs, as in ``r$x``, is not found.

    Args:
        program: Name of the program and the arguments that must follow; between them there may be others. A
            program is known by its name in any directory.
        command: The text handed to the shell.
    """
    wanted = [_name(program[0]), *(word.lower() for word in program[1:])]
    words = simple_words(command)
    if words is not None and _is_quiet(words):
        return _begins(words, wanted)
    return any(
        _holds(part.split(), wanted)
        for separators, reading in _readings(command)
        if wanted[0] in reading
        for part in separators.split(reading)
    )


def may_run_its_text(words: Sequence[str]) -> bool:
    """Whether a simple command has quoted text that it might hand to a shell, as ``sh -c 'a | b'`` does."""
    return not _is_quiet(words) and not all(map(is_plain_word, words))


def _is_quiet(words: Sequence[str]) -> bool:
    return tuple(words[:1]) in _QUIET or tuple(words[:2]) in _QUIET


def _unquoted(word: str) -> str:
    return "".join(piece[1:-1] if piece[0] in "'\"" else piece for piece in _PIECE.findall(word))


def _begins(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether exactly known words begin with those of a program, apart from options and their values."""
    if not words or _name(words[0]) != wanted[0]:
        return False
    ahead = list(wanted[1:])
    before = ""
    for word in words[1:]:
        if not ahead:
            break
        if _is_argument(word, ahead[0]):
            del ahead[0]
        elif not (ahead[0].startswith("-") or word.startswith("-") or before.startswith("-")):
            return False  # another subcommand
        before = word
    return not ahead


def _is_argument(word: str, wanted: str) -> bool:
    """Whether a word is an argument, or an option spelled in another way: bundled, cut short, with a value."""
    word = word.lower()
    if word == wanted or not wanted.startswith("-"):
        return word == wanted
    name = word.partition("=")[0]
    if wanted.startswith("--"):
        return len(name) > len("--") and wanted.partition("=")[0].startswith(name)
    return not word.startswith("--") and word.startswith("-") and wanted[1:] in word


def _holds(part: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the words of a program occur in a part, in their order."""
    ahead = iter(part)
    if not any(wanted[0] in word and wanted[0] in _names(word) for word in ahead):
        return False
    return all(any(_is_argument(word, argument) for word in ahead) for argument in wanted[1:])


def _readings(command: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """The line as it could be read, in lower case, and what separates its parts."""
    text = command.replace("\\\n", "")
    for spelling in dict.fromkeys((text.lower(), _ESCAPE.sub(_character, text).lower())):
        bare = _QUOTES.sub("", spelling)
        yield _OPERATORS, bare
        yield _OPERATORS, _EXPANSIONS.sub(" ", bare)
        yield _ALL_MARKS, spelling


def _character(escape: re.Match[str]) -> str:
    """What an escape of ``$'…'`` stands for."""
    hexadecimal = escape[1] or escape[2] or escape[3]
    code = int(hexadecimal, 16) if hexadecimal else int(escape[4], 8) % 256
    return chr(code) if code <= _LAST_CODE_POINT else ""


def _names(word: str) -> tuple[str, ...]:
    """Programs that a word may name: itself, or what is glued to an option or a setting, as in ``env -Srm``."""
    glued = (word[2:],) if word.startswith("-") else ()
    return tuple(map(_name, (word, *_GLUES.split(word), *glued)))


def _name(word: str) -> str:
    return os.path.basename(word).lower()  # noqa: PTH119 - text, not a path on this disk
