"""What the full-text search of the history knows of a record, and what a search asks for.

Texts are taken apart here and not in the database, so that every engine finds the same, and so that nothing but
letters and digits ever reaches a database's query language. Next to its words every record is filed under terms
for its agent, session, tool, state and reviewer; a term holds a colon, which no word does. A search that is also
filtered looks for these terms, instead of looking at every record that has the words.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from signoff.queue.history_records import HistoryFilter, HistoryRecord
from signoff.queue.records import RequestState

__all__ = ["LONGEST_SEARCHED", "LONGEST_WORD", "Wanted", "filed_under", "wanted", "words_of"]

LONGEST_SEARCHED = 4_000
"""Most characters of one text, and of all arguments of a call together, that can be found."""

LONGEST_WORD = 64
"""Words are compared up to so many characters."""

_WORD = re.compile(r"[^\W_]+")
_ASKED = re.compile(r"([^\W_]+)(\*?)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a record must be filed under to be found.

    Attributes:
        words: Words and terms, all of them.
        prefixes: For each of them a word that begins so.
    """

    words: tuple[str, ...]
    prefixes: tuple[str, ...] = ()


def words_of(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, without regard to case, forms and decoration.

    The forms are those of Unicode normalization NFKC (https://unicode.org/reports/tr15/).
    """
    return [word[:LONGEST_WORD] for word in _WORD.findall(_plain(text))]


def filed_under(record: HistoryRecord) -> tuple[str, ...]:
    """Return the words and terms of a record, each once."""
    words: dict[str, None] = dict.fromkeys(_terms(record))
    for text in _texts(record):
        words.update(dict.fromkeys(words_of(text[:LONGEST_SEARCHED])))
    return tuple(words)


def wanted(which: HistoryFilter, state: RequestState | None, *, by_terms: bool) -> Wanted | None:
    """Return what records must be filed under, or None if the search is of no use.

    Args:
        which: The records wanted.
        state: The one state wanted of them, or None for any.
        by_terms: Whether the search is of use without words too, to find what fits several filters.
    """
    asked = [(word[:LONGEST_WORD], star) for word, star in _ASKED.findall(_plain(which.text))]
    # Whoever types a word has not finished the last one; with a blank behind it, it is finished.
    last = len(asked) - 1 if which.text[-1:].isalnum() else None
    prefixes = {word for place, (word, star) in enumerate(asked) if star or place == last}
    filters = {
        "agent": which.agent_name,
        "session": which.session,
        "tool": which.tool_name,
        "state": state,
        "by": which.decided_by,
    }
    terms = [_term(kind, value) for kind, value in filters.items() if value is not None]
    if not asked and not (by_terms and len(terms) > 1):
        return None
    return Wanted((*terms, *sorted({word for word, _ in asked} - prefixes)), tuple(sorted(prefixes)))


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _terms(record: HistoryRecord) -> Iterator[str]:
    yield _term("agent", record.agent_name)
    yield _term("session", record.session)
    yield _term("tool", record.tool_name)
    yield _term("state", record.state)
    if record.decision is not None:
        yield _term("by", record.decision.by)


def _term(kind: str, value: str) -> str:
    """A term of bounded length, made of letters and digits whatever the value is."""
    return f"{kind}:{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _texts(record: HistoryRecord) -> Iterator[str]:
    yield record.request_id or ""
    yield record.description
    yield record.tool_name
    yield record.server or ""
    yield record.agent_name
    yield record.reason
    if record.decision is not None:
        yield record.decision.by
        yield record.decision.note or ""
    yield _arguments(record.arguments)


def _arguments(arguments: Mapping[str, object]) -> str:
    """Names and values of the arguments, in order, up to the limit; only as much as that is walked through."""
    parts: list[str] = []
    room = LONGEST_SEARCHED
    left: list[object] = [arguments]
    while left and room > 0:
        value = left.pop()
        if isinstance(value, Mapping):
            left.extend(part for item in reversed([*value.items()]) for part in reversed(item))
        elif isinstance(value, list | tuple):
            left.extend(reversed(value))
        elif isinstance(value, str) or _is_short_number(value):
            parts.append(str(value)[:room])
            room -= len(parts[-1]) + 1
    return " ".join(parts)


def _is_short_number(value: object) -> bool:
    if isinstance(value, int):  # Python refuses to write very long ones
        return not isinstance(value, bool) and value.bit_length() <= 128
    return isinstance(value, float)
