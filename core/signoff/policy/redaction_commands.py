"""Words of commands that stay visible whatever they look like, because they are run, opened or connected to.

This is no reading of shell text: a word that may be the name of a program, a script or a host stays. Rather a
secret is shown than something that runs hidden.
"""

from __future__ import annotations

import re

from signoff.policy.redaction_runners import name_of, runs_next

__all__ = ["is_for", "may_reuse", "must_stay"]

_FAR = 2_000
"""Characters before a word that are searched for the command that it belongs to."""

_STARTS = re.compile(r"[;&|\n`!]|(?<!\w)\(|\{(?=\s)|(?<!\S)(?:then|do|else|elif|if|while|until)(?=\s)")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_CONNECTORS = re.compile(r"ssh|scp|sftp|rsync|curl|wget|nc|ncat|telnet|ping")
"""Programs with a host among their words."""

_WITH_VALUE = re.compile(r"-[HudbFeA]|--(?:header|user|data|cookie|oauth2-bearer|form|password|token)[a-z-]*")
"""Options of these programs whose next word is none."""

_RUNS_A_VALUE = re.compile(
    r"(?:.*[\s\"'])?(?:-?o)?(?:Proxy|Local)Command="
    r"|--(?:pre|rsh|use-compress-program|to-command|upload-pack|receive-pack|pager)=",
    re.IGNORECASE,
)
"""What stands before a program within its own word."""
_DESCRIPTORS = re.compile(r"[0-9]*[<>]&(?:[0-9]+-?|-)")
_TO_FILES = re.compile(r"&>>?|>[&|]")
"""Redirections with a sign that otherwise begins another command."""
_REDIRECTION = re.compile(r"[0-9]*[<>]+\|?")
"""Where a redirection begins, with the descriptor that it may be about."""

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
    return not bare and _is_operand(words, is_user=text.startswith("@", end))


def is_for(program: str, text: str, start: int) -> bool:
    """Whether something stands in a simple command that calls a program."""
    return any(name_of(word) == program for word in _before(text, start)[0])


def may_reuse(text: str) -> bool:
    """Whether a command may run its own words again: by a shell in it, or by what an expansion stands for."""
    return _REUSES.search(text) is not None


def _before(text: str, start: int) -> tuple[list[str], str]:
    """The words of the simple command before a place, and what is before it in its own word."""
    far = _TO_FILES.sub(" > ", _DESCRIPTORS.sub(" ", text[max(0, start - _FAR) : start]))
    near = _STARTS.split(far)[-1]
    words = near.split()
    own = words.pop() if words and not near[-1].isspace() else ""
    return _without_redirections(words), own


def _without_redirections(words: list[str]) -> list[str]:
    """What is no redirection, from behind the pattern of a ``case`` on, if there is one."""
    kept: list[str] = []
    is_target = False
    for word in words:
        redirects = _REDIRECTION.match(word)
        if redirects is None and not is_target:
            kept.append(word)
        is_target = redirects is not None and redirects.end() == len(word)
    ends = [at for at, word in enumerate(kept) if word.endswith(")") and "(" not in word]
    return kept[ends[-1] + 1 :] if ends else kept


def _is_operand(words: list[str], *, is_user: bool) -> bool:
    """Whether what follows these words may be run as the first operand of a program, or be a host."""
    if runs_next(words):
        return True
    in_option = (
        _WITH_VALUE.fullmatch(words[-1]) or words[-1].endswith(":") or _SCHEMES.fullmatch(" ".join(words[-2:]))
        or _SCHEMES.fullmatch(words[-1])
    )  # fmt: skip
    return not in_option and not is_user and any(_CONNECTORS.fullmatch(name_of(word)) for word in words)
