"""The process that parses command lines: one JSON text on each line in, the facts of it on one line out."""

from __future__ import annotations

import dataclasses
import json
import resource
import sys

from signoff.policy.shell.facts import Facts, Part, Word
from signoff.policy.shell.reader import Reader

__all__ = ["serve"]

_MEMORY_BYTES = 1024**3
_PARSER_SECONDS = 2.0


def serve() -> None:
    """Answer until standard input ends."""
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        resource.setrlimit(limit, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reader = Reader(_PARSER_SECONDS)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_data(reader.read(json.loads(line)))) + "\n")
        sys.stdout.flush()


def _data(facts: Facts) -> dict[str, object]:
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
