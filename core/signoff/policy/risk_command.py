"""The risk of a command line.

A first, coarse reading by words: known harm is named, known harmless programs in plain commands are low, and
everything else is medium. It never lowers a level because something could not be read.
"""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Iterator

from signoff.queue.records import Risk

__all__ = ["command_findings"]

_DELETES = frozenset({"rm", "rmdir", "shred", "unlink", "dd", "mkfs", "truncate", "wipefs"})
_PRIVILEGE = frozenset({"sudo", "doas", "su", "pkexec", "chown", "chmod", "setcap"})
_NETWORK = frozenset({"curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "source", "."})
_INSTALLERS = frozenset({"pip", "pip3", "npm", "pnpm", "yarn", "uv", "cargo", "gem", "brew", "apt", "apt-get"})
_PUBLISHERS = frozenset({"publish", "upload", "release"})
# Programs that read, or check the project, without side doors that matter at this level.
_HARMLESS = frozenset(
    {
        "cat", "cut", "diff", "echo", "false", "grep", "head", "ls", "mypy", "printf", "pwd", "pytest", "ruff",
        "sort", "stat", "tail", "true", "wc", "which",
    }
)  # fmt: skip
_HARMLESS_GIT = frozenset({"status", "diff", "log", "show"})
_WRITING_OPTIONS = ("-o", "--ou")  # sort -o, git diff --output
_OPERATORS = frozenset(";&|<>()")
_EXPANSIONS = ("$(", "`", "${", "<(", ">(")


def command_findings(command: str) -> Iterator[tuple[Risk, str]]:
    """Yield the reasons why a command line is not low risk.

    Args:
        command: The text handed to the shell.

    Yields:
        Pairs of level and short reason; nothing for a plain command of a harmless program.
    """
    if any(mark in command for mark in _EXPANSIONS):
        yield Risk.MEDIUM, "substitution"
    try:
        words = list(_words(command))
    except ValueError:
        yield Risk.MEDIUM, "unparsed"
        words = command.split()
    parts = list(_parts(words))
    if not parts:
        yield Risk.MEDIUM, "unparsed"
    if ">" in "".join(word for word in words if _is_operator(word)):
        yield Risk.MEDIUM, "redirection"
    for part in parts:
        yield from _part(part)


def _words(command: str) -> Iterator[str]:
    # Lines are commands of their own; shlex would fold them into one.
    for line in command.split("\n"):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.commenters = ""
        lexer.whitespace_split = True
        yield from lexer
        yield ";"


def _is_operator(word: str) -> bool:
    return bool(word) and set(word) <= _OPERATORS


def _parts(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if not _is_operator(word) or set(word) <= {"<", ">"}:
            part.append(word)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _part(words: list[str]) -> Iterator[tuple[Risk, str]]:
    # Every word is looked at, not only the first: wrappers such as `env`, `xargs` and `find -exec` run others.
    programs = {os.path.basename(word) for word in words}  # noqa: PTH119 - text, not a path on this disk
    if programs & _DELETES or "-delete" in words:
        yield Risk.HIGH, "delete"
    if programs & _PRIVILEGE:
        yield Risk.HIGH, "privilege"
    if programs & _PUBLISHERS or ("git" in programs and "push" in words):
        yield Risk.HIGH, "publish"
    if "git" in programs and programs & {"reset", "clean", "checkout", "restore"}:
        yield Risk.MEDIUM, "discards-work"
    if programs & _NETWORK:
        yield Risk.MEDIUM, "network"
    if programs & _SHELLS:
        yield Risk.MEDIUM, "shell-string"
    if programs & _INSTALLERS:
        yield Risk.MEDIUM, "package-scripts"
    if not _harmless(words):
        yield Risk.MEDIUM, "unknown-command"


def _harmless(words: list[str]) -> bool:
    if any(word.startswith(_WRITING_OPTIONS) for word in words):
        return False
    if words[0] == "git":
        return len(words) > 1 and words[1] in _HARMLESS_GIT
    if words[:2] == ["python", "-m"] or words[:2] == ["python3", "-m"]:
        return len(words) > 2 and words[2] in {"pytest", "unittest", "ruff", "mypy"}
    return words[0] in _HARMLESS
