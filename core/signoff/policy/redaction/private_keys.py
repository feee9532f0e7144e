"""Private keys in texts: lines between a beginning and an end that can only be a key (RFC 7468).

The frame alone proves nothing: a sender could put one around words that run. So all lines between its
ends have to be Base64, and only those are hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["Span", "key_blocks", "key_spans", "line_spans", "text_spans"]

Span = tuple[int, int]
"""A range of characters: the first, and the one after the last."""

_MOST_LINES = 400
"""The most lines of a private key: the largest keys in use have fewer."""

_WIDTH = 40
"""The shortest line of a key in a command, but for its last: few programs have such names."""

_AT_ONCE = 1_000
"""Lines that are searched at once for the beginning of a key, which is never longer than a line."""

_BEGINNING = "-----BEGIN "
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----\s*\Z", re.ASCII)
_END = re.compile(r"\s*-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----", re.ASCII)
_IN_ONE_LINE = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?----- *+"
    r"([A-Za-z0-9+/]{16,}+={0,2}(?: ++[A-Za-z0-9+/]{16,}+={0,2})*+(?: ++[A-Za-z0-9+/]{1,15}={0,2})?+) *+-----END ",
    re.ASCII,
)
"""A key whose lines were joined; the last of them may be short."""
_UNMISTAKABLE = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9+/]{24,}+={0,2}", re.ASCII)
"""A line of a key whose end is cut off: no program, path or plain word looks like it."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]++={0,2}")
_CHECKSUM = re.compile(r"=[A-Za-z0-9+/]{4}")
_HEADER = re.compile(r"[A-Z][A-Za-z-]{2,20}: [^\n]{0,200}")
_DER_OR_OPENSSH = re.compile(r"M|b3BlbnNzaC1rZXk")
_QUOTED = frozenset("\"'")
_ESCAPED_BREAK = re.compile(r"(?:\\r)?\\n")


def key_blocks(lines: Sequence[str], *, command: bool) -> list[range]:
    """Return the lines that private keys take, each range from the first line to the last.

    Args:
        lines: All lines of a text.
        command: True if it is run by a shell; then the lines have to be as long as those of real keys.
    """
    blocks: list[range] = []
    # Much faster than looking into each of many lines, and than making one text of all of them.
    stretches = (lines[at : at + _AT_ONCE] for at in range(0, len(lines), _AT_ONCE))
    if not any(_BEGINNING in "".join(stretch) for stretch in stretches):
        return blocks
    for number in [number for number, line in enumerate(lines) if _BEGINNING in line]:
        if (blocks and number in blocks[-1]) or not _begins(lines[number], command=command):
            continue
        last = min(number + _MOST_LINES, len(lines))
        end = next((each for each in range(number + 1, last) if not _is_inner(lines[each])), last)
        if end < last and _END.match(lines[end]) and _is_key(lines[number + 1 : end], command=command):
            blocks.append(range(number, end + 1))
        elif not command and (rest := _cut_off(lines[number + 1 : end])):
            blocks.append(range(number, number + 1 + rest))
    return blocks


def line_spans(line: str) -> list[Span]:
    """Find what has to be hidden in a line of a private key: all of it if it is Base64, else nothing."""
    word = line.strip()
    if not _BASE64.fullmatch(word) and not _CHECKSUM.fullmatch(word):
        return []
    start = line.index(word)
    return [(start, start + len(word))]


def key_spans(line: str, *, command: bool) -> list[Span]:
    """Find private keys in one line whose line breaks are spelled out, as in JSON.

    Args:
        line: A line of a text.
        command: True if it is run by a shell.
    """
    if _BEGINNING not in line or "-----END " not in line:
        return []
    starts: list[int] = []
    parts: list[str] = []
    at = 0
    for found in _ESCAPED_BREAK.finditer(line):
        starts.append(at)
        parts.append(line[at : found.start()])
        at = found.end()
    starts.append(at)
    parts.append(line[at:])
    inside = (number for block in key_blocks(parts, command=command) for number in block)
    spans = [(starts[each] + a, starts[each] + b) for each in inside for a, b in line_spans(parts[each])]
    joined = () if command else (found.span(1) for found in _IN_ONE_LINE.finditer(line))
    return sorted({*spans, *joined})


def text_spans(text: str, *, command: bool) -> Iterator[Span]:
    """Find all private keys in a text of any number of lines."""
    lines = text.split("\n")
    inside = {number for block in key_blocks(lines, command=command) for number in block}
    start = 0
    for number, line in enumerate(lines):
        found = line_spans(line) if number in inside else key_spans(line, command=command)
        yield from ((start + a, start + b) for a, b in found)
        start += len(line) + 1


def _begins(line: str, *, command: bool) -> bool:
    """True if a key begins at the end of a line; in a command only if it fills the line or begins a quote."""
    found = _BEGIN.search(line)
    if found is None:
        return False
    before = line[: found.start()]
    return not command or not before.strip() or before[-1] in _QUOTED


def _is_inner(line: str) -> bool:
    word = line.strip()
    return not word or any(kind.fullmatch(word) for kind in (_BASE64, _CHECKSUM, _HEADER))


def _cut_off(lines: Sequence[str]) -> int:
    """The number of lines after the beginning that can only be those of a key without an end."""
    return next((at for at, line in enumerate(lines) if not _UNMISTAKABLE.fullmatch(line.strip())), len(lines))


def _is_key(lines: Sequence[str], *, command: bool) -> bool:
    """True if these are the lines of a key; in a command, headers and blank lines are not accepted."""
    if not command:
        return any(line_spans(line) for line in lines)
    words = [line.strip() for line in lines]
    if not words or not all(map(_BASE64.fullmatch, words)):
        return False
    widths = {len(word) for word in words[:-1]} or {len(words[0])}
    whole = sum(map(len, words)) % 4 == 0
    return whole and len(widths) == 1 and widths.pop() >= _WIDTH and bool(_DER_OR_OPENSSH.match(words[0]))
