"""Programs that run other programs: which of their words are the inner command, which a shell text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from signoff.policy.shell.programs import only_reads
from signoff.policy.shell.syntax_model import Part, Word
from signoff.policy.shell.worker import words_anywhere

__all__ = [
    "SHELLS",
    "TOO_MUCH",
    "WRAPPERS",
    "Inner",
    "Wrapper",
    "asks_always",
    "harmless_exec",
    "inner_of",
    "is_harmless",
    "judges_inner",
    "runs_any_program",
]


SHELLS = frozenset(["bash", "sh", "dash", "zsh", "ksh", "ash", "rbash", "mksh", "fish", "csh", "tcsh"])
"""Programs that run the text they are given."""


@dataclass(slots=True)
class Inner:
    """The commands and texts that a program runs.

    Attributes:
        commands: Words of the commands that it runs as they are.
        texts: Texts that a shell reads.
        reasons: Reasons to ask, whatever the rules on these are.
        anywhere: Rows of words of which any may begin a command: only rules that block or ask are applied to them.
        script: The file of commands that a shell runs, which only a rule that names it covers.
        replaced: The text that `xargs` replaces in its command by what it reads, if there is one.
    """

    commands: list[tuple[Word, ...]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    anywhere: list[tuple[Word, ...]] = field(default_factory=list)
    script: Word | None = None
    replaced: str | None = None


TOO_MUCH = "runs too much to be analyzed"
"""The reason for asking about a line of which some part was not analyzed."""

_RUNS_A_FILE = "runs a file of commands"
_RUNS_A_SHELL = "runs a shell"
_READS = "starts a shell, which runs whatever it reads"
_SHELL_OPTION = re.compile(r"-[AbBEeHKknPSlVvN]*[si].*|--sh(?:e(?:ll?)?)?|--l(?:o(?:g(?:in?)?)?)?")
_INTERPRETERS = re.compile(r"(?:python|pypy|perl|ruby|php|lua|node|nodejs|deno|bun|osascript|Rscript)[\d.]*")
"""Programs that run their input if they are given no file."""
_TELLS = re.compile(r"-[A-Za-z]*[chemMpPrVv].*|--.+")
"""Options of interpreters that take code or a module, or print about the program."""
_LOOKS_UP = frozenset({"-v", "-V"})
_MOST_SPLIT = 8
"""Options ``-S`` of one `env` whose texts are read, each with all later words; of more, the last."""
_SOURCES = frozenset({"source", "."})
_SHELL_TEXT_OPTION = {"su": "c", "script": "c", "runuser": "c"}


def inner_of(part: Part) -> Inner | None:
    """The commands and texts that a simple command runs besides its program; None if none are known.

    Args:
        part: The command, all of its words; the first is a literal.
    """
    name = part.words[0].text.rpartition("/")[2]
    rest = part.words[1:]
    if name in SHELLS:
        return _shell(part, rest)
    if name == "eval":
        return _joined(rest[1:] if rest[:1] == (Word("--"),) else rest)
    if name in _SOURCES:
        return Inner(reasons=[_RUNS_A_FILE])
    if name == "trap":
        return _trap(rest)
    if name == "find":
        return _find(rest)
    if name in _SHELL_TEXT_OPTION and not (name == "runuser" and _names_a_user(rest)):
        return _fed(part, _text_option(rest, _SHELL_TEXT_OPTION[name]))
    if name == "jobs" and Word("-x") in rest:
        return Inner(commands=[command] if (command := rest[rest.index(Word("-x")) + 1 :]) else [])
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return _interpreter(part, rest) if _INTERPRETERS.fullmatch(name) else None
    inner = _wrapped(name, wrapper, rest)
    if name == "exec" and inner is not None and not inner.commands and (part.fed is not None or part.reads_file):
        inner.reasons.append("changes what the commands after it read")
    if inner is not None and not inner.commands and _starts_a_shell(name, rest):
        return _reads_commands(part, inner)
    return inner


def asks_always(words: Sequence[Word]) -> str | None:
    """The reason to ask about each command that begins with some words; None if some are not asked about for one.

    Args:
        words: Its first words; the first is a literal.
    """
    name = words[0].text.rpartition("/")[2]
    if name in _SOURCES:
        return _RUNS_A_FILE
    if name in _SHELL_TEXT_OPTION and name != "runuser":
        return _RUNS_A_SHELL
    if name == "xargs":
        return None  # not about what only reads
    return WRAPPERS[name].asks or None if name in WRAPPERS else None


def runs_any_program(words: Sequence[Word]) -> bool:
    """True if words are the beginning of a command that runs another one, and do not say which.

    Args:
        words: Its first words, all of them literals.
    """
    if _INTERPRETERS.fullmatch(words[0].text.rpartition("/")[2]):
        return all(word.text.startswith("-") for word in words[1:])
    inner = inner_of(Part(tuple(words)))
    return inner is not None and not (inner.commands or inner.texts or inner.script)


def judges_inner(words: Sequence[Word]) -> bool:
    """True if the commands that a program runs are judged by themselves where they are written out."""
    return inner_of(Part(tuple(words))) is not None


def _names_a_user(words: Sequence[Word]) -> bool:
    return any(word.text.startswith(("-u", "--user")) for word in words)


def _starts_a_shell(name: str, words: Sequence[Word]) -> bool:
    """True if a wrapper without a command runs a shell."""
    if name in {"sudo", "doas"}:
        return any(_SHELL_OPTION.fullmatch(word.text) for word in words)
    return name in {"unshare", "chroot", "fakeroot", "nsenter", "runuser", "pkexec"}


def _fed(part: Part, inner: Inner) -> Inner:
    """Add the input of a shell to what it runs."""
    if part.piped:
        inner.reasons.append("runs what it reads from a pipe")
    if part.reads_file:
        inner.reasons.append("runs what it reads from a file")
    if part.fed is not None:
        inner.texts.append(part.fed)
    return inner


def _interpreter(part: Part, words: Sequence[Word]) -> Inner | None:
    """The code that an interpreter without a file runs: all of its input."""
    if any(_TELLS.fullmatch(word.text) or not word.text.startswith("-") for word in words):
        return None
    inner = _fed(part, Inner())
    if part.fed is not None:
        inner.texts.clear()
        inner.reasons.append("runs what it reads")
    return inner if inner.reasons else None


def _reads_commands(part: Part, inner: Inner) -> Inner:
    """The commands of a shell that is given none: it reads them from its input."""
    if part.fed is None:
        inner.reasons.append(_READS)
    return _fed(part, inner)


# -- programs that take a command ----------------------------------------------------------------------------


def _wrapped(name: str, wrapper: Wrapper, words: Sequence[Word]) -> Inner | None:
    inner = Inner(reasons=[wrapper.asks] if wrapper.asks else [])
    rest = _Rest(words)
    if not _take_options(name, wrapper, rest, inner):
        return inner
    if name == "env" and rest.words[:1] == [Word("-")]:  # also behind "--"
        rest.take()
    if name == "command" and any(word.text[:2] in _LOOKS_UP for word in words[:1]):
        return None
    for _ in range(wrapper.operands):
        rest.take()
    while wrapper.assignments and rest.words and "=" in rest.words[0].text:
        variable, _, value = rest.words[0].text.partition("=")
        if not is_harmless(variable, Word(value, rest.words[0].literal)):
            inner.reasons.append("sets a variable")
        rest.take()
        if name == "sudo" and not _take_options(name, wrapper, rest, inner):  # it goes on with options
            return inner
    skipped = words[: len(words) - len(rest.words)]
    if any(not word.literal for word in skipped):
        inner.reasons.append(f"has a word before the command that {name} runs which is filled in by the shell")
        inner.anywhere.append(tuple(words))
    if name == "flock" and rest.words and rest.words[0].text in {"-c", "--command"}:
        rest.take()
        return _joined(rest.words[:1], inner)
    if name == "env" and any(_splits(word.text) for word in skipped):
        _add_behind(inner, rest.words)
        return inner
    if name == "parallel":
        return _parallel(rest.words, inner)
    if name in {"watch", "ssh"} and not any(_runs_as_it_is(name, word.text) for word in skipped):
        return _joined(rest.words, inner)
    if name == "sudo" and rest.words and any(_SHELL_OPTION.fullmatch(word.text) for word in skipped):
        # The shell then reads text with a backslash before every sign but a dollar.
        if any("$" in word.text for word in rest.words):
            inner.reasons.append("gives a shell a text that it fills in")
        inner.anywhere.append(tuple(Word(text) for word in rest.words for text in word.text.split()))
    if name == "xargs" and (filled := _filled_by_xargs(skipped, rest.words)) is not None:
        inner.reasons.remove(wrapper.asks)
        inner.commands.append(filled)
        return inner
    if rest.words:
        inner.commands.append(tuple(rest.words))
        if not rest.words[0].literal:  # it may be an option, or nothing at all
            inner.anywhere.append(tuple(rest.words))
    return inner


def _take_options(name: str, wrapper: Wrapper, rest: _Rest, inner: Inner) -> bool:
    """Read options with their values; False if the inner command cannot be told, as `inner` then says."""
    while rest.words and _is_option(name, rest.words[0]):
        if rest.words[0].text == "--":
            rest.take()
            return True
        if not _take_option(name, wrapper, rest, inner):
            inner.reasons.append(
                f"has the option {rest.words[0].text!r}, and what {name} then runs cannot be told"
            )
            inner.anywhere.append(tuple(rest.words))
            return False
    return True


def _runs_as_it_is(name: str, option: str) -> bool:
    return name == "watch" and (option == "--exec" or re.fullmatch(r"-[a-z]*x[a-z]*", option) is not None)


def _splits(option: str) -> bool:
    """True if an option of `env` is ``-S`` or ``--split-string``, in any spelling."""
    return option.startswith("--s") or (option[:1] == "-" and option[1:2] != "-" and "S" in option)


def _add_behind(inner: Inner, words: Sequence[Word]) -> None:
    """Put the words after the options of `env` at the end of each text of its option ``-S``."""
    behind = shlex.join(word.text for word in words)
    if len(inner.texts) > _MOST_SPLIT:
        inner.anywhere.append(words_anywhere(" ".join([*inner.texts, behind])))
        inner.texts = inner.texts[-1:]
    inner.texts = [f"{text} {behind}" for text in inner.texts]


def _parallel(words: Sequence[Word], inner: Inner) -> Inner:
    """GNU parallel: a text for a shell, and texts that are put into it or run themselves."""
    texts = [word.text for word in words]
    marks = [at for at, text in enumerate(texts) if text.startswith(":::")]
    command = " ".join(texts[: marks[0]] if marks else texts)
    inner.texts += [text for text in (command, *(texts[marks[0] :] if marks else ())) if text.strip(": ")]
    return inner


_MARKS = frozenset({"{}", "%", "@"})
"""Texts that `xargs` may replace: no rule is about words that are made of them."""
_ADDED = Word("", literal=False, written="…")
"""The arguments that `xargs` adds."""


def _takes_anything(program: Word) -> bool:
    """True if a program does no more than read or print, whatever arguments it is given."""
    return program.literal and program.text not in WRAPPERS and only_reads(program.text)


def _filled_by_xargs(options: Sequence[Word], command: Sequence[Word]) -> tuple[Word, ...] | None:
    """The command that `xargs` runs, with what it reads filled in; None if that may do more than read."""
    command = command or [Word("echo")]
    if not _takes_anything(command[0]):
        return None
    if _take_options("xargs", _XARGS, _Rest(options), Inner()):
        return (*command, _ADDED)
    found = Inner()
    if _take_options("xargs", _XARGS_REPLACING, _Rest(options), found) and found.replaced in _MARKS:
        return _filled(command, found.replaced)
    return None


def _filled(command: Sequence[Word], mark: str) -> tuple[Word, ...]:
    """A command in which a mark in words is replaced by something that is not known."""
    return tuple(
        Word(word.text.replace(mark, ""), literal=False, written=word.shown) if mark in word.text else word
        for word in command
    )


class _Rest:
    """The words that are still to be read."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = list(words)

    def take(self) -> Word | None:
        return self.words.pop(0) if self.words else None


def _is_option(name: str, word: Word) -> bool:
    return word.text.startswith("-") and (word.text != "-" or name == "env")


def _take_option(name: str, wrapper: Wrapper, rest: _Rest, inner: Inner) -> bool:
    """Read one option with its value; False, with nothing read, if it is not known."""
    word = rest.words[0]
    if not word.literal:
        return False
    if word.text.startswith("--"):
        return _take_long(name, wrapper, rest, inner)
    letters = word.text[1:]
    for at, letter in enumerate(letters):
        if letter in wrapper.valued:
            rest.take()
            value = letters[at + 1 :] or _text_of(rest.take())
            _note_value(name, letter, value, inner)
            return True
        if letter not in wrapper.flags:
            return False
    rest.take()
    return True


def _take_long(name: str, wrapper: Wrapper, rest: _Rest, inner: Inner) -> bool:
    option, glued, value = rest.words[0].text[2:].partition("=")
    known = wrapper.long | wrapper.long_valued
    full = option if option in known else _only(each for each in known if each.startswith(option))
    if full is None:
        return False
    rest.take()
    if full in wrapper.long_valued:
        _note_value(name, full, value if glued else _text_of(rest.take()), inner)
    return True


def _only(found: Iterable[str]) -> str | None:
    names = list(found)
    return names[0] if len(names) == 1 else None


def _text_of(word: Word | None) -> str:
    return "" if word is None else word.text


def _note_value(name: str, option: str, value: str, inner: Inner) -> None:
    if name == "env" and option in {"S", "split-string"}:
        inner.reasons.append("splits a text into words of its own")
        inner.texts.append(value)
    elif name in {"flock", "runuser"} and option in {"c", "command"}:
        inner.texts.append(value)
    elif name in {"strace", "time"} and option in {"o", "output"}:
        inner.reasons.append("writes to a file")
    elif name == "strace" and option == "E":
        inner.reasons.append("sets a variable")
    elif name == "xargs" and option == "I":
        inner.replaced = value


# -- shells and texts that they read -------------------------------------------------------------------------


def _shell(part: Part, words: Sequence[Word]) -> Inner:
    inner = _fed(part, Inner())
    rest = _Rest(words)
    takes_text = has_unknown = False
    while rest.words and rest.words[0].text[:1] in {"-", "+"} and rest.words[0].text not in {"-", "--"}:
        word = rest.take()
        assert word is not None
        if not word.literal:
            inner.reasons.append("has options that are filled in by the shell")
        if part.words[0].text.rpartition("/")[2] == "fish" and word.text not in _FISH_FLAGS:
            inner.reasons.append(f"has the option {word.text!r}, and what it makes the shell run cannot be told")
            inner.texts += [word.text[2:], *(() if has_unknown else (each.text for each in rest.words))]
            has_unknown = True
            continue
        if word.text.startswith("--") or f"-{word.text}" in _SHELL_LONG | _SHELL_FILES:  # bash takes one dash, too
            if not word.text.startswith("--") and "c" in word.text:  # behind others it is a bundle, as -rcfile
                inner.texts += [each.text for each in rest.words[:1]]
            known = _takes_known_option("--" + word.text.lstrip("-"), rest, inner)
            if not known and not has_unknown:  # then any word may be a text; the first time all of them are taken
                inner.texts += [each.text for each in rest.words]
            has_unknown = has_unknown or not known
            continue
        takes_text = takes_text or "c" in word.text[1:]
        for _ in range(word.text[1:].count("o") + word.text[1:].count("O")):
            rest.take()
    if rest.words and rest.words[0].text in {"-", "--"}:
        rest.take()
    if not takes_text:
        inner.script = rest.words[0] if rest.words else None
        if not rest.words and part.fed is None and Word("--version") not in words and Word("--help") not in words:
            inner.reasons.append(_READS)
        return inner
    _joined(rest.words[:1], inner)
    if len(rest.words) > 1:
        inner.reasons.append("gives arguments to a text of commands")
    return inner


_FISH_FLAGS = frozenset({"-c", "-i", "-l", "-n", "-N", "-P", "-v", "-h"})
"""To fish the rest of ``-cTEXT`` is the text, and ``-C`` has another one."""
_SHELL_FILES = frozenset({"--rcfile", "--init-file"})
_SHELL_LONG = frozenset(
    (
        *("--login", "--norc", "--noprofile", "--posix", "--restricted"),
        *("--verbose", "--noediting", "--help", "--version"),
    )
)


def _takes_known_option(option: str, rest: _Rest, inner: Inner) -> bool:
    """Read a long option of a shell with its value; True if it is known."""
    if option in _SHELL_FILES:
        rest.take()
        inner.reasons.append(_RUNS_A_FILE)
    elif option not in _SHELL_LONG:
        inner.reasons.append(f"has the option {option!r}, and what it makes the shell run cannot be told")
        inner.texts.append(option.partition("=")[2])
        return False
    return True


def _joined(words: Sequence[Word], inner: Inner | None = None) -> Inner:
    """Words that a shell reads as one text."""
    inner = inner or Inner()
    if any(not word.literal for word in words):
        inner.reasons.append("runs a text that is filled in by the shell")
    if words:
        inner.texts.append(" ".join(word.text for word in words))
    return inner


def _trap(words: Sequence[Word]) -> Inner | None:
    rest = _Rest(words)
    while rest.words and rest.words[0].text in {"-l", "-p", "-P", "--"}:
        rest.take()
    if len(rest.words) < 2 or rest.words[0].text in {"", "-"}:  # it lists, ignores or resets signals
        return Inner()
    return _joined(rest.words[:1], Inner(reasons=["runs a text of commands later"]))


def _text_option(words: Sequence[Word], letter: str) -> Inner:
    """Read the text after ``-c`` of ``su`` and ``script``, wherever it is."""
    inner = Inner(reasons=[_RUNS_A_SHELL])
    for at, word in enumerate(words):
        if word.text.startswith("--"):
            name, glued, value = word.text[2:].partition("=")
            if name and ("command".startswith(name) or "session-command".startswith(name)):
                inner.texts.append(value if glued else _text_of(words[at + 1] if at + 1 < len(words) else None))
        elif word.text.startswith("-") and letter in word.text[1:]:
            glued_text = word.text[word.text.index(letter) + 1 :]
            inner.texts.append(glued_text or _text_of(words[at + 1] if at + 1 < len(words) else None))
    return inner


_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_MOST_REPEATED = 2_000
"""Most words repeated in the commands of one `find`: later words belong to each ``-exec``."""


def _find(words: Sequence[Word]) -> Inner:
    """Read the commands of `find`: any ``-exec`` may count, since an earlier one may be a value."""
    inner = Inner()
    left = len(words) + _MOST_REPEATED
    for start, end in _commands_of_find(words):
        left -= end - start
        if left < 0:
            inner.reasons.append(TOO_MUCH)
            inner.anywhere.append(tuple(words))
            break
        command = tuple(words[start:end])
        inner.commands.append(_filled(command, "{}") if _takes_anything(command[0]) else command)
    return inner


def harmless_exec(words: Sequence[Word], at: int) -> int | None:
    """The index of the end of an ``-exec`` of `find` whose command only reads, whatever file it is given.

    Args:
        words: All words of the command.
        at: The index of ``-exec``.

    Returns:
        None if there is no such end, or if not every `find` finds it there.
    """
    end = next((place for place in range(at + 1, len(words)) if _ends_exec(words, place)), None)
    inner = words[at + 1 : end]
    if end is None or not inner or not _takes_anything(inner[0]):
        return None
    # What the shell fills in may be the end, and to some versions a plus is one anywhere.
    return end if all(word.literal and word.text != "+" for word in inner) else None


def _commands_of_find(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The ranges of the commands of ``-exec`` and the like, in order; none is empty."""
    ends = iter([*(at for at in range(len(words)) if _ends_exec(words, at)), len(words)])
    end = next(ends)
    for start in (at + 1 for at, word in enumerate(words) if word.text in _FIND_RUNS):
        while end < start:
            end = next(ends)
        if start < end:
            yield start, end


def _ends_exec(words: Sequence[Word], at: int) -> bool:
    """True at the end of a command of ``-exec``: ``;``, or ``+`` after ``{}`` (POSIX, find)."""
    return words[at].text == ";" or (words[at].text == "+" and at > 0 and words[at - 1].text == "{}")


# -- The options of programs that run other programs: how to find where the inner command begins.
#
# From the manuals of GNU coreutils 9, util-linux 2.39, sudo 1.9, findutils 4.9, strace 6 and OpenSSH 9. With an
# option that is not listed it cannot be told where the inner command begins.


class Wrapper(Struct, frozen=True):
    """The options of a program that come before the command that it runs.

    Attributes:
        flags: Short options without a value.
        valued: Short options with one.
        long: Long options without a value.
        long_valued: Long options with one.
        operands: The number of operands before the command.
        assignments: True if ``NAME=value`` may stand before it.
        asks: The reason to ask in any case, if there is one.
    """

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: int = 0
    assignments: bool = False
    asks: str = ""


def _long(names: str) -> frozenset[str]:
    return frozenset(names.split())


_ADDS = "adds arguments that are known only when it runs; a command that spells them out can be judged"

WRAPPERS = {
    "sudo": Wrapper(
        "AbBEeHKknPSsilVvN",
        "CDghpRrTtUu",
        _long("askpass background preserve-env edit set-home login non-interactive stdin shell reset-timestamp"),
        _long("chdir group host prompt role type user chroot close-from command-timeout other-user"),
        assignments=True,
    ),
    "doas": Wrapper("nsL", "uC"),
    "env": Wrapper(
        "i0v",
        "uCSa",
        _long("ignore-environment null debug list-signal-handling default-signal ignore-signal block-signal"),
        _long("unset chdir split-string argv0"),
        assignments=True,
    ),
    "command": Wrapper("pvV"),
    "builtin": Wrapper(),
    "exec": Wrapper("cl", "a"),
    "nohup": Wrapper(),
    "nice": Wrapper("0123456789", "n", long_valued=_long("adjustment")),
    "ionice": Wrapper("t", "cnpPu", _long("ignore"), _long("class classdata pid pgid uid")),
    "setsid": Wrapper("cfw", "", _long("ctty fork wait")),
    "stdbuf": Wrapper("", "ioe", frozenset(), _long("input output error")),
    "timeout": Wrapper("fpv", "ks", _long("foreground preserve-status verbose"), _long("kill-after signal"), 1),
    "time": Wrapper("pqva", "", _long("portability quiet verbose append")),
    "watch": Wrapper(
        "bcdegtwxpr",
        "nq",
        _long("beep color differences errexit chgexit no-title exec precise"),
        _long("interval equexit"),
    ),
    "flock": Wrapper(
        "nsxuoFe",
        "wEc",
        _long("nonblock nb shared exclusive unlock close no-fork verbose"),
        _long("wait timeout conflict-exit-code command"),
        1,
    ),
    "chroot": Wrapper("", "", _long("skip-chdir"), _long("userspec groups"), 1),
    "unshare": Wrapper(
        "imnpuUCTfrc",
        "RwSG",
        _long(
            "ipc mount net pid uts user cgroup time fork map-root-user map-current-user map-auto mount-proc "
            "keep-caps kill-child"
        ),
        _long("root wd setuid setgid map-user map-group propagation setgroups"),
    ),
    "strace": Wrapper("fFcCdhiknqrtTvVxyYzZ", "abeEIOpPsSuUX", _long("follow-forks"), _long("trace")),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "xargs": Wrapper(
        "0rtpxo",
        "adEILnPs",
        _long("null no-run-if-empty verbose interactive exit open-tty show-limits replace eof max-lines"),
        _long("arg-file delimiter max-args max-procs max-chars process-slot-var"),
        asks=_ADDS,
    ),
    "parallel": Wrapper(
        "0kqtuvX",
        "jaINLnPS",
        _long("keep-order dry-run null verbose"),
        _long("jobs arg-file colsep"),
        asks=_ADDS,
    ),
    "ssh": Wrapper(
        "46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", operands=1, asks="runs its command elsewhere"
    ),
    "pkexec": Wrapper("", "", _long("disable-internal-agent keep-cwd"), _long("user")),
    "runuser": Wrapper("lmp", "ugGcs", _long("login preserve-environment"), _long("user group command shell")),
    "taskset": Wrapper("ac", "p", _long("all-tasks cpu-list"), operands=1),
    "chrt": Wrapper("abdfiorRv", "TPD", operands=1),
    "fakeroot": Wrapper("hvu", "lsib"),
    "prlimit": Wrapper(asks="changes the limits of what it runs"),
    "setarch": Wrapper(operands=1, asks="changes how what it runs sees the machine"),
    "systemd-run": Wrapper(asks="runs its command elsewhere"),
    "nsenter": Wrapper(asks="runs its command elsewhere"),
}

_XARGS = Wrapper(
    "0rtx", "nLPsdE", _long("null no-run-if-empty verbose exit"), _long("delimiter max-args max-procs max-chars")
)
_XARGS_REPLACING = Wrapper(
    "0rtx", "IPsdE", _long("null no-run-if-empty verbose exit"), _long("delimiter max-procs max-chars")
)
"""The options of `xargs` that change no more than how it reads and divides, without and with ``-I``."""


# -- Variables that a command may set without a question.

_LOCALES = frozenset(("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME"))
_LOCALE = re.compile(r"(?:C|POSIX|(?:[A-Za-z_]+\.)?(?:UTF-8|utf-?8)(?:@[a-z]+)?)?")
"""In other character sets a backslash may be half of a letter, so that programs read other text than is judged."""
_NAMES = frozenset(("TZ", "NO_COLOR", "CI"))
"""They change times and colors and nothing else."""
_VALUE = re.compile(r"[A-Za-z0-9_./:@+-]*")


def is_harmless(name: str, value: Word) -> bool:
    """True if ``NAME=value`` before a command is no reason to ask."""
    allowed = _LOCALE if name in _LOCALES else _VALUE if name in _NAMES else None
    return allowed is not None and value.literal and allowed.fullmatch(value.text) is not None
