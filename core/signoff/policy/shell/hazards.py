"""Options by which programs do more than their name says: run programs, write files, send data.

A rule that allows a program covers what its words say, not such options. The lists are a start and cannot be
whole; GTFOBins has more. Compared as GNU getopt does: in bundles, glued to their value, and abbreviated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from signoff.policy.shell.facts import Part, Word
from signoff.policy.shell.wrappers import SHELLS, inner_of

__all__ = ["hazard_in"]


@dataclass(frozen=True, slots=True)
class _Options:
    """The dangerous options of a program.

    Attributes:
        short: Letters.
        long: Names with their dashes; abbreviations count.
        valued: Letters of other options that take a value, which may be glued to them.
        exact: Long options that are no abbreviation of a dangerous one.
        words: Options that are compared whole, as `find` has them.
    """

    short: str = ""
    long: frozenset[str] = frozenset()
    valued: str = ""
    exact: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPTIONS = {
    "find": _Options(words=_names("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls")),
    "sed": _Options("if", _names("--in-place --file"), "eEl"),
    "awk": _Options("fil", _names("--file --load --include --inplace"), "Fve"),
    "sort": _Options("oT", _names("--output --compress-program --temporary-directory"), "ktS"),
    "tar": _Options(
        "IF",
        _names(
            "--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script "
            "--rsh-command"
        ),
        "fCbXTgKNVHLl",
    ),
    "rg": _Options("z", _names("--pre --hostname-bin --search-zip"), "ABCEefgjMmrtTd"),
    "man": _Options("PH", _names("--pager --html"), "CeLMmprRSsTE"),
    "file": _Options("mfC", _names("--magic-file --files-from --compile"), "eFP"),
    "docker": _Options("H", _names("--host --url --connection --identity --context"), "lc"),
    "curl": _Options(
        "oOTdFKDcJ",
        _names(
            "--output --output-dir --remote-name --remote-name-all --remote-header-name --upload-file --data "
            "--data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string --form-escape "
            "--config --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc "
            "--libcurl --url --next"
        ),
        "AbCeEhHmPQrtuUwxXyYz",
    ),
    "wget": _Options(
        "OoaPieB",
        _names(
            "--output-document --output-file --append-output --directory-prefix --input-file --execute --config "
            "--post-data --post-file --body-data --body-file --save-cookies --warc-file --use-askpass --base "
            "--rejected-log"
        ),
        "tTwQUlADRIXn",
    ),
    "tree": _Options("o", frozenset(), "LPIHT"),
    "xxd": _Options("r", frozenset(), "cglso"),
    "date": _Options("fs", _names("--file --set"), "dIr"),
    "test": _Options(words=_names("-v")),
    "[": _Options(words=_names("-v")),
    "printf": _Options(),
    "set": _Options(),
    "hash": _Options("p"),
    "mapfile": _Options("C"),
    "read": _Options(),
    "git": _Options(
        "",
        _names("--ext-diff --textconv --output --open-files-in-pager --upload-pack --receive-pack --exec"),
        exact=_names("--text"),
    ),
}
_SAME = {"gawk": "awk", "mawk": "awk", "nawk": "awk", "podman": "docker", "gsed": "sed", "readarray": "mapfile"}
_ALTERS_THE_SHELL = frozenset(["alias", "bind", "complete", "compgen", "enable", "shopt"])
"""Built-ins by which later words mean something else."""
_DECLARES = frozenset(["declare", "typeset", "local", "readonly", "export", "let"])
"""Built-ins that may look into their arguments for more to run, also under a quoted name."""
_RUNS_ITS_ARGUMENTS = frozenset(["npx", "pnpx", "bunx", "uvx", "pipx", "pwsh", "prlimit", "setarch"])
_HARMLESS_SET = re.compile(r"[-+][eux]+|-[eux]*o|pipefail")
_SPECIAL_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|.*\[.*")

_SED_ADDRESS = r"(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/)"
_SED_PRINT = re.compile(rf"(?:{_SED_ADDRESS}(?:,{_SED_ADDRESS})?)?p")
_SED_REPLACE = re.compile(r"s([^\w\s\\])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1[gIip0-9]*")
_AWK_DOORS = re.compile(r"system|getline|[|>@]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:[\w-]+\.)+[A-Za-z]{2,}(?:[:/]|$)|(?:\d+\.){3}\d+")
_GIT_BEFORE = frozenset({"--no-pager", "-P", "--no-optional-locks"})
_GIT_COMMANDS = frozenset(
    ["bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "daemon", "send-email"]
)


_FREE_ARGUMENTS = frozenset({"git", "printf", "read"})
"""Programs whose dangerous options can be told, whatever the shell fills in elsewhere."""


def hazard_in(words: Sequence[Word], covered: int) -> str | None:
    """The first option or argument that a rule for the program does not cover, or None.

    Args:
        words: The whole command; the first word is a literal.
        covered: How many words the allowing rule spells out itself.
    """
    name = words[0].text.rpartition("/")[2]
    name = _SAME.get(name, name)
    if name in _ALTERS_THE_SHELL:
        return "changes what the words after it mean"
    if name in _DECLARES:
        return "sets a variable, or calculates"
    if name in SHELLS and _script(words) not in {None, *words[:covered]}:
        return "runs a file of commands"
    if name in _RUNS_ITS_ARGUMENTS and len(words) > max(covered, 1):
        return "runs what its arguments name"
    options = _OPTIONS.get(name)
    if options is None:
        return None
    said = {word.text for word in words[:covered]}
    free = [word for word in words[max(covered, 1) :] if word.text not in said or not word.text.startswith("-")]
    if name not in _FREE_ARGUMENTS and any(not word.literal for word in free):
        return f"has an argument that is filled in by the shell, which may be an option of {name}"
    special = _SPECIAL.get(name)
    found = special(words, covered) if special is not None else None
    return found or next(_dangerous(options, free, old_style=name == "tar"), None)


def _script(words: Sequence[Word]) -> Word | None:
    inner = inner_of(Part(tuple(words)))
    return None if inner is None else inner.script


def _dangerous(options: _Options, words: Sequence[Word], *, old_style: bool) -> Iterator[str]:
    for at, word in enumerate(words):
        text = word.text
        if text in options.words:
            yield _does(text)
        elif text.startswith("--"):
            name = text.partition("=")[0]
            if len(name) > 2 and name not in options.exact and any(full.startswith(name) for full in options.long):
                yield _does(name)
        elif text.startswith("-") and (letter := _letter(text[1:], options)):
            yield _does(f"-{letter}")
        elif old_style and at == 0 and (bundle := set(text) & set(options.short)) and text.isalpha():
            yield _does(min(bundle))


def _letter(letters: str, options: _Options) -> str | None:
    for letter in letters:
        if letter in options.short:
            return letter
        if letter in options.valued:
            return None
    return None


def _does(option: str) -> str:
    return f"has {option}, which does more than the program's name says"


# -- programs with a language of their own --------------------------------------------------------------------


def _sed(words: Sequence[Word], covered: int) -> str | None:
    scripts: list[str] = []
    operands: list[str] = []
    takes_script = False
    for word in words[1:]:
        text = word.text
        if takes_script:
            scripts.append(text)
            takes_script = False
        elif text.startswith("--"):
            name, glued, value = text.partition("=")
            if len(name) > 2 and "--expression".startswith(name):
                takes_script = not glued
                scripts += [value] if glued else []
        elif text.startswith("-") and text != "-" and "e" in text:
            glued_script = text[text.index("e") + 1 :]
            takes_script = not glued_script
            scripts += [glued_script] if glued_script else []
        elif not text.startswith("-"):
            operands.append(text)
    for script in scripts or operands[:1]:
        if not (_SED_PRINT.fullmatch(script) or _SED_REPLACE.fullmatch(script)):
            return "has a sed script that does more than print or replace"
    return None


def _awk(words: Sequence[Word], covered: int) -> str | None:
    rest = list(words[1:])
    while rest:
        text = rest.pop(0).text
        if text in {"-F", "-v"}:
            del rest[:1]
        elif text.startswith("-"):
            if text.startswith("-e"):  # a program as an option
                return _does("-e")
        else:
            return "has an awk program that can run programs or write files" if _AWK_DOORS.search(text) else None
    return None


def _git(words: Sequence[Word], covered: int) -> str | None:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        if at >= covered and words[at].text not in _GIT_BEFORE:
            return _does(words[at].text)
        at += 1
    if at >= len(words):
        return None
    command = words[at]
    if at >= covered and (not command.literal or command.text in _GIT_COMMANDS):
        return f"runs git {command.text}, which can run programs"
    for word in words[max(at + 1, covered) :]:
        if "ext::" in word.text:
            return "names a program as an address"
        letters = word.text[1:] if re.match(r"-[A-Za-z]", word.text) else ""
        if (command.text == "grep" and "O" in letters) or (command.text == "rebase" and "x" in letters):
            return _does(word.text)
        if (command.text == "archive" and "o" in letters) or (command.text == "clone" and "u" in letters):
            return _does(word.text)
    return None


def _web(words: Sequence[Word], covered: int) -> str | None:
    addresses = [at for at, word in enumerate(words[1:], 1) if _URL.match(word.text)]
    if any(word.text.startswith("@") or "=@" in word.text for word in words[max(covered, 1) :]):
        return "sends a file"
    return "has a further address" if any(at >= max(covered, addresses[0] + 1) for at in addresses) else None


def _xxd(words: Sequence[Word], covered: int) -> str | None:
    return next((_does(word.text) for word in words[max(covered, 1) :] if word.text.startswith("-r")), None)


def _printf(words: Sequence[Word], covered: int) -> str | None:
    first = words[1] if len(words) > 1 else None
    if first is not None and covered < 2 and (not first.literal or first.text.startswith("-v")):
        return "may set a variable"
    return None


def _set(words: Sequence[Word], covered: int) -> str | None:
    extra = (word.text for word in words[max(covered, 1) :] if not _HARMLESS_SET.fullmatch(word.text))
    return next((f"changes how the shell works ({text})" for text in extra), None)


def _read(words: Sequence[Word], covered: int) -> str | None:
    """A variable such as PATH means something to what runs afterwards; a name of one's own does not."""
    if any(not word.literal or _SPECIAL_VARIABLE.fullmatch(word.text) for word in words[max(covered, 1) :]):
        return "sets a variable that may mean something to other programs"
    return None


_SPECIAL: dict[str, Callable[[Sequence[Word], int], str | None]] = {
    "sed": _sed,
    "awk": _awk,
    "git": _git,
    "curl": _web,
    "wget": _web,
    "xxd": _xxd,
    "printf": _printf,
    "set": _set,
    "read": _read,
}
