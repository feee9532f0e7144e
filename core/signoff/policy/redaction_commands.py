"""Words of commands that stay visible whatever they look like, because they are run, opened or connected to.

This is no reading of shell text: a word that may be the name of a program, a script or a host stays. Rather a
secret is shown than something that runs hidden.
"""

from __future__ import annotations

import re

__all__ = ["is_for", "may_reuse", "must_stay"]

_FAR = 2_000
"""Characters before a word that are searched for the command that it belongs to."""

_STARTS = re.compile(r"[;&|\n`!]|(?<!\w)\(|\{(?=\s)|(?<!\S)(?:then|do|else|elif|if|while|until)(?=\s)")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_RUNNERS = re.compile(
    r"(?:ba|z|k|mk|c|tc|da|a|fi)?sh|python[0-9.]*|perl|ruby|node|php|lua|source|\.|exec|eval|command|builtin"
    r"|sudo|doas|env|nohup|nice|time|timeout|xargs|setsid|stdbuf|watch|flock|npx|pnpx|bunx|uvx"
)
"""Programs whose next word is run, or read as code."""

_CONNECTORS = re.compile(r"ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ping")
"""Programs with a host among their words."""

_WITH_VALUE = re.compile(r"-[HudbFeA]|--(?:header|user|data|cookie|oauth2-bearer|form|password|token)[a-z-]*")
"""Options of these programs whose next word is none."""

_RUNS_THE_NEXT = re.compile(r"-(?:exec|execdir|ok|okdir)")
_RUNS_AN_OPTION = {"rsync": "-e", "nc": "-e", "ncat": "-e"}
_RUNS_A_VALUE = re.compile(r"(?:.*[\s\"'])?-?-?(?:o)?(?:Proxy|Local)Command=|--pre=", re.IGNORECASE)
"""What stands before a program that another one runs: in ``find``, for these connections, and as a value."""
_SSH_VALUED = re.compile(r"-\w*[BbcDEeFIiJLlmOopQRSWw]")

_HEADER = r"(?:-H|--header=)?\$?\\?[\"'][\w-]+:"
"""The beginning of a quoted header: what follows, until the quote ends, is none either."""

_SCHEMES = re.compile(rf"{_HEADER} ?(?:bearer|basic|token)", re.IGNORECASE)

_REUSES = re.compile(
    r"\$[0-9@*{!#]|\b(?:eval|source|xargs)\b|(?<![\w.-])(?:ba|z|k|mk|c|tc|da|a|fi)?sh(?![\w.=-])"
    r"|\$\w*(?:pass|pwd|secret|token|key|auth|cookie|credential)",
    re.IGNORECASE,
)


def must_stay(text: str, start: int, end: int) -> bool:
    """Whether the word in which something begins is a program, or what a program runs or connects to.

    Args:
        text: A command, or a line of it.
        start: Where what could be hidden begins.
        end: Where it ends.
    """
    before, own = _before(text, start)
    bare = own.strip("\"'\\$")
    if _RUNS_A_VALUE.fullmatch(bare):
        return True
    if bare and any(sign in bare for sign in "=:,"):
        return False
    words = [word for word in before if not _ASSIGNMENT.match(word)]
    if not words:
        return True
    return not bare and _is_operand(words, is_user=text.startswith("@", end) and not _is_remote(words))


def is_for(program: str, text: str, start: int) -> bool:
    """Whether something stands in a simple command that calls a program."""
    return any(_name(word) == program for word in _before(text, start)[0])


def may_reuse(text: str) -> bool:
    """Whether a command may run its own words again: by a shell in it, or by what an expansion stands for."""
    return _REUSES.search(text) is not None


def _before(text: str, start: int) -> tuple[list[str], str]:
    """The words of the simple command before a place, and what is before it in its own word."""
    near = _STARTS.split(text[max(0, start - _FAR) : start])[-1]
    words = near.split()
    own = words.pop() if words and not near[-1].isspace() else ""
    return words, own


def _is_operand(words: list[str], *, is_user: bool) -> bool:
    """Whether what follows these words may be run as the first operand of a program, or be a host."""
    names = [_name(word) for word in words]
    in_option = (
        _WITH_VALUE.fullmatch(words[-1]) or words[-1].endswith(":") or _SCHEMES.fullmatch(" ".join(words[-2:]))
        or _SCHEMES.fullmatch(words[-1])
    )  # fmt: skip
    if not in_option and not is_user and any(map(_CONNECTORS.fullmatch, names)):
        return True
    if _RUNS_THE_NEXT.fullmatch(words[-1]) or any(_RUNS_AN_OPTION.get(name) == words[-1] for name in names):
        return True
    operand = len(words) - 1
    while operand and _may_stand_before_an_operand(words[operand - 1], words[operand]):
        operand -= 1
    return _RUNNERS.fullmatch(names[operand]) is not None


def _is_remote(words: list[str]) -> bool:
    """Whether what follows these words is run on the machine that ssh connects to."""
    if "ssh" not in map(_name, words) or words[-1].startswith("-") or _name(words[-1]) == "ssh":
        return False
    return not (len(words) > 1 and _SSH_VALUED.fullmatch(words[-2]))


def _may_stand_before_an_operand(before: str, word: str) -> bool:
    """Whether a word is an option, the value of one, or a number, and none that is a text of its own."""
    return word.startswith(("-", "+")) or (
        word[0] not in "\"'" and (before.startswith(("-", "+")) or word[0].isdigit())
    )


def _name(word: str) -> str:
    return word.strip("\"'\\$").rpartition("/")[2]
