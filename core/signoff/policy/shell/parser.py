"""The parser process: a command line read with two parsers that must agree, one JSON text a line.

This runs in a process of its own, with little memory and time; see `signoff.policy.shell.worker`.

* `shfmt` reads the line as it is and gives the syntax tree.
* ``bash --pretty-print`` reads it without running it, and writes it again without comments and continuations, on
  which parsers differ; ``tree-sitter-bash`` reads that. Both must have found the same programs.
"""

from __future__ import annotations

import dataclasses
import json
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import tree_sitter
import tree_sitter_bash

from signoff.policy.shell.plain_commands import ansi_c, double_quoted, unquoted
from signoff.policy.shell.shfmt_tree import facts_of_tree
from signoff.policy.shell.syntax_model import LONGEST_RULE, Part, ShellFacts, Word

__all__ = [
    "Reader",
    "serve",
]


_EMPTY: dict[str, str] = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
"""The environment of the parsers, almost empty: a variable such as BASH_ENV would be run."""


class Reader:
    """Reader of command lines.

    Args:
        seconds: The time limit of the programs for one line.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._shfmt = shutil.which("shfmt", path=f"{sys.prefix}/bin") or shutil.which("shfmt")
        self._bash = shutil.which("bash")
        self._parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))

    def read(self, text: str) -> ShellFacts:
        """Find the commands in a line.

        Args:
            text: The line, for ``bash -c``.

        Returns:
            The findings of both parsers. If they disagree, or one could not read the line, that is a floor.
        """
        if self._shfmt is None:
            return self._by_tree_sitter(text, "cannot be read without shfmt")
        # Both at once: each costs the start of a process.
        source = text.encode()
        shfmt = _start([self._shfmt, "-ln", "bash", "--to-json"], source)
        bash = None if self._bash is None else _start([self._bash, "--norc", "--pretty-print"], source)
        tree = _finish(shfmt, self._seconds)
        pretty = text.encode() if bash is None else _finish(bash, self._seconds)
        if pretty is None:
            return self._by_tree_sitter(text, "is no complete command for bash", broken=True)
        if tree is None:
            return self._by_tree_sitter(text, "is no command line that can be read", broken=bash is None)
        first = facts_of_tree(json.loads(tree), source)
        second, broken = self._commands(pretty)
        missed = _missing(second, first.parts)
        if not broken and not missed and not _missing(first.parts, second):
            return first
        if b"<<" in source and self._reads_alike(pretty, first):
            return first
        floors = (*first.floors, "is read in two ways by two parsers")
        return ShellFacts((*first.parts, *missed), floors, writes=first.writes)

    def _reads_alike(self, pretty: bytes, first: ShellFacts) -> bool:
        """True if shfmt finds the same commands in the text that bash wrote.

        Bash writes here-documents between an operator and the command after it, where tree-sitter takes them for
        commands. Without the comments and continuations of the original, this is a second opinion as well.
        """
        assert self._shfmt is not None
        tree = _finish(_start([self._shfmt, "-ln", "bash", "--to-json"], pretty), self._seconds)
        return tree is not None and facts_of_tree(json.loads(tree)) == first

    def _by_tree_sitter(self, text: str, reason: str, *, broken: bool = False) -> ShellFacts:
        """Return what tree-sitter finds: bash runs the lines before the one that it cannot read."""
        parts, met_unknown = self._commands(text.encode())
        candidates = tuple(dict.fromkeys(_crude(text)))
        return ShellFacts(tuple(parts), (reason,), candidates, broken=broken or met_unknown)

    def _commands(self, source: bytes) -> tuple[list[Part], bool]:
        """The simple commands that tree-sitter finds, and True if it met something that it cannot read."""
        root = self._parser.parse(source).root_node
        return [Part(words) for node in _nodes(root) if (words := _words_of(node))], root.has_error


def _start(argv: list[str], source: bytes) -> tuple[subprocess.Popen[bytes], bytes]:
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_EMPTY, cwd="/"
    )
    return process, source


def _finish(started: tuple[subprocess.Popen[bytes], bytes], seconds: float) -> bytes | None:
    """The output of a parser, or None if it refused the line or took too long."""
    process, source = started
    try:
        output, _ = process.communicate(source, seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return output if process.returncode == 0 else None


_BETWEEN = re.compile(r"[;&|()`{}\n]+")
_IN_FRONT = frozenset(["!", "time", "then", "do", "else", "elif", "if", "while", "until", "coproc", "-p"])
_QUOTES = re.compile(r"[\"'\\$]+")


def _crude(text: str) -> Iterator[tuple[Word, ...]]:
    """Possible commands in a text that no parser reads: the words between operators."""
    for piece in _BETWEEN.split(text):
        words = [word for word in _QUOTES.sub("", piece).split() if word not in _IN_FRONT]
        if words:
            yield tuple(map(Word, words[:LONGEST_RULE]))


# -- commands found by tree-sitter ----------------------------------------------------------------------------


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _words_of(node: Any) -> tuple[Word, ...]:
    if node.type == "command":
        name = node.child_by_field_name("name")
        if name is None:
            return ()
        words = (_ts_word(name), *(_ts_word(each) for each in node.children_by_field_name("argument")))
        return words if _is_fed(node) else _timed(words)
    if node.type == "test_command" and node.children[0].type == "[":
        return tuple(_ts_word(each) for each in node.children)
    if node.type in {"declaration_command", "unset_command"}:
        return tuple(_ts_word(each) for each in node.children)
    return ()


def _is_fed(node: Any) -> bool:
    """True if a command stands behind a ``|``, where ``time`` is a program."""
    above = node.parent
    while above is not None and above.type == "redirected_statement":
        node, above = above, above.parent
    return above is not None and above.type == "pipeline" and above.children[0] != node


def _timed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The command after the reserved word ``time`` or ``coproc``, which is no program."""
    rest = words[1:]
    if words[0] == Word("coproc") and rest:
        return rest
    if words[0] != Word("time"):
        return words
    return rest[1:] if rest and rest[0].text in {"-p", "--"} else rest


def _ts_word(node: Any) -> Word:
    """A word after quote removal; not literal if it has more than text and quotes."""
    if node.type in {"command_name", "concatenation"}:
        words = [_ts_word(child) for child in node.children]
        return Word("".join(word.text for word in words), all(word.literal for word in words))
    text = node.text.decode(errors="replace")
    match node.type:
        case "[" | "]":
            return Word(text)
        case "word" | "number" | "variable_name":
            return Word(
                "".join(char for char, _ in unquoted(text)),
                literal=not (set(text) & set("*?[]{}") or text.startswith("~")),
            )
        case "raw_string":
            return Word(text[1:-1])
        case "ansi_c_string":
            decoded = ansi_c(text[2:-1])
            return Word(decoded or "", decoded is not None)
        case "string" if all(child.type in {'"', "string_content"} for child in node.children):
            return Word(double_quoted(text[1:-1]))
        case _:
            return Word(text, literal=not node.is_named)


def _missing(some: Any, others: Any) -> list[Part]:
    """The parts of `some` whose program occurs less often in `others`."""
    known = Counter(_name(part) for part in others)
    missing = []
    for part in some:
        known[_name(part)] -= 1
        if known[_name(part)] < 0:
            missing.append(part)
    return missing


def _name(part: Part) -> str:
    return part.words[0].text if part.words[0].literal else "?"


# -- The process that parses command lines: one JSON text on each line in, the facts of it on one line out.

_MEMORY_BYTES = 1024**3
_PARSER_SECONDS = 2.0


def serve() -> None:
    """Read requests and write answers until standard input ends."""
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        resource.setrlimit(limit, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reader = Reader(_PARSER_SECONDS)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_data(reader.read(json.loads(line)))) + "\n")
        sys.stdout.flush()


def _data(facts: ShellFacts) -> dict[str, object]:
    parts = [_part(part) for part in facts.parts]
    candidates = [_words(words) for words in facts.candidates]
    writes = _words(facts.writes)
    return {
        "parts": parts, "floors": facts.floors, "candidates": candidates, "writes": writes, "broken": facts.broken
    }  # fmt: skip


def _part(part: Part) -> dict[str, object]:
    return {**dataclasses.asdict(part), "words": _words(part.words), "writes": _words(part.writes)}


def _words(words: tuple[Word, ...]) -> list[tuple[str, bool, str]]:
    return [(word.text, word.literal, word.written) for word in words]
