"""Options by which programs do more than their name says: run programs, write files, send data.

A rule that allows a program covers what its words say, not such options. The lists are a start and cannot be
whole; GTFOBins has more. Compared as GNU getopt does: in bundles, glued to their value, and abbreviated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from signoff.policy.shell.facts import Part, Word
from signoff.policy.shell.hazard_programs import SPECIAL, does
from signoff.policy.shell.variables import FREE_ARGUMENTS
from signoff.policy.shell.wrappers import SHELLS, inner_of

__all__ = ["hazard_in"]


class _Options(Struct, frozen=True):
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
    "sed": _Options("if", _names("--in-place --file"), "el"),
    "awk": _Options("fil", _names("--file --load --include --inplace"), "Fve"),
    "sort": _Options("oT", _names("--output --compress-program --temporary-directory"), "ktS"),
    "tar": _Options(
        "IFT",  # a list of files may hold options
        _names(
            "--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script "
            "--rsh-command --rmt-command --files-from"
        ),
        "fCbXgKNVHL",
        _names("--file --checkpoint"),
    ),
    "rg": _Options("z", _names("--pre --hostname-bin --search-zip"), "ABCEefgjMmrtTd"),
    "man": _Options("PHC", _names("--pager --html --config-file"), "eLMmprRSsTE"),
    "file": _Options("mfC", _names("--magic-file --files-from --compile"), "eFP"),
    "docker": _Options("H", _names("--host --url --connection --identity --context"), "lc"),
    "curl": _Options(
        "oOTdFKDcJ",
        _names(
            "--output --output-dir --remote-name --remote-name-all --remote-header-name --upload-file --data "
            "--data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string --form-escape "
            "--config --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc "
            "--libcurl --url --next --url-query --expand"
        ),
        "AbCeEhHmPQrtuUwxXyYz",
        _names("--cookie"),
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
    "tree": _Options("oR"),
    "uniq": _Options(),
    "xxd": _Options("r", frozenset(), "cglso"),
    "date": _Options("fs", _names("--file --set"), "dIr"),
    "test": _Options(words=_names("-v")),
    "[": _Options(words=_names("-v")),
    "printf": _Options(),
    "set": _Options(),
    "hash": _Options("p"),
    "mapfile": _Options("C"),
    **{name: _Options() for name in ("read", "unset", "getopts", "wait")},
    "git": _Options(
        "",
        _names(
            "--ext-diff --textconv --output --open-files-in-pager --upload-pack --receive-pack --exec "
            "--config --template"
        ),
        exact=_names("--text"),
    ),
}
_SAME = {
    **{f"g{name}": name for name in ("awk", "date", "find", "printf", "sed", "sort", "tar", "test")},
    "mawk": "awk",
    "nawk": "awk",
    "podman": "docker",
    "readarray": "mapfile",
}
"""Other names of programs: GNU's begin with a g where the system has programs of its own."""
_ALTERS_THE_SHELL = frozenset(["alias", "bind", "complete", "compgen", "enable", "fc", "history", "shopt"])
"""Built-ins by which later words mean something else."""
_DECLARES = frozenset(["declare", "typeset", "local", "readonly", "export", "let"])
"""Built-ins that may look into their arguments for more to run, also under a quoted name."""
_RUNS_ITS_ARGUMENTS = frozenset(["npx", "pnpx", "bunx", "uvx", "pipx", "pwsh", "prlimit", "setarch"])
_CHOSEN_BY_THE_LINE = re.compile(r"\$(?:_(?!\w)|\{_\}|\{?(?:BASH_|LC_|(?:LANG|TZ|NO_COLOR|CI|IFS|PS4)(?!\w)))")
"""What stands for a part of the line itself, or for a variable that a line may set without a question."""
_UNREADABLE = re.compile(r"\$[\"']")
"""The beginning of a text in which bash reads signs that are not known here."""


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
    if name in SHELLS and _script_at(words) >= covered:
        return "runs a file of commands"
    if name in _RUNS_ITS_ARGUMENTS and len(words) > max(covered, 1):
        return "runs what its arguments name"
    options = _OPTIONS.get(name)
    if options is None:
        return None
    free = words[max(covered, 1) :]
    if name not in FREE_ARGUMENTS and any(not word.literal for word in free):
        return f"has an argument that is filled in by the shell, which may be an option of {name}"
    if any(not word.literal and _is_chosen_by_the_line(word) for word in free):
        return f"has an argument that the line itself fills in, which may be an option of {name}"
    special = SPECIAL.get(name)
    found = special(words, covered) if special is not None else None
    return found or next(_dangerous(options, free, old_style=name == "tar" and covered <= 1), None)


def _is_chosen_by_the_line(word: Word) -> bool:
    if _CHOSEN_BY_THE_LINE.search(word.spelled):
        return True
    return not word.is_one_text and _UNREADABLE.search(word.spelled) is not None


def _script_at(words: Sequence[Word]) -> int:
    """Where the file of commands stands that a shell runs, -1 if it runs none.

    The place counts, not the word: in ``bash bash`` a rule for ``bash`` spells out the first one alone.
    """
    inner = inner_of(Part(tuple(words)))
    if inner is None or inner.script is None:
        return -1
    return max((at for at, word in enumerate(words) if word is inner.script), default=len(words))


def _dangerous(options: _Options, words: Sequence[Word], *, old_style: bool) -> Iterator[str]:
    for at, word in enumerate(words):
        text = word.text
        if text in options.words:
            yield does(text)
        elif text.startswith("--"):
            name = text.partition("=")[0]
            if len(name) > 2 and name not in options.exact and any(full.startswith(name) for full in options.long):
                yield does(name)
        elif text.startswith("-") and (letter := _letter(text[1:], options)):
            yield does(f"-{letter}")
        elif old_style and at == 0 and (bundle := set(text) & set(options.short)):
            yield does(min(bundle))


def _letter(letters: str, options: _Options) -> str | None:
    for letter in letters:
        if letter in options.short:
            return letter
        if letter in options.valued:
            return None
    return None
