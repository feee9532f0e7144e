"""What a secret looks like in a text: tokens by shape, passwords by place, private keys by frame.

A secret ends at a blank, a quote, a shell operator, ``@`` or ``/``, so that commands, paths and hosts around it
stay visible. A word that could as well be a program, a path, a host or code is left alone: what is hidden from a
person must not run.

Time is linear without a special engine: a shape begins with fixed characters, each of its repeats is either
bounded or possessive and the last thing that is matched, and what follows a match is judged by code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Span", "block_spans", "key_blocks", "token_spans"]

Span = tuple[int, int]
"""First character, and the one behind the last."""

_MOST_LINES = 400
"""Lines of a private key that has no end: the largest keys in use have fewer."""

_FAR = 2_000
"""Characters before a word that are searched for the beginning of its URL."""

_CHANGES = 3
"""Changes from a small to a capital letter that no ordinary name of eight letters has."""

_NO_DOMAIN = 27
"""Characters of a signature: no top domain has as many."""

_AUTHORITY = re.compile(r"://([^\s/?#\\\"'<>]*+)")
_PASSWORD_IN_URL = re.compile(r"://[^\s/?#\\\"'`<>@:;|&$]*+:([^\s/?#\\\"'`<>@;|&$]++)@")
_IN_URL = re.compile(r"://[^\s\"'<>]*\Z")
_BASE64_WORD = re.compile(r"[A-Za-z0-9+/=]{20,}+")
_BEGIN, _END, _PRIVATE = "-----BEGIN ", "-----END ", "PRIVATE KEY"
_QUOTES = frozenset("\"'`")
_ENDS = _QUOTES | frozenset(";&|<>),{}]@/")
_NAMES = (
    "passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:api|access|account|private|secret|signing)[_-]?key"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """One kind of secret.

    Attributes:
        needles: Texts of which one is in every match, in lower case; they are looked for first.
        pattern: What is looked for; the last group is hidden, or all of it.
        genuine: Whether a match is a secret: given the text and the span that would be hidden.
        by_name: It is told by a name beside it, which must not hide a part of a command.
    """

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    genuine: Callable[[str, int, int], bool]
    by_name: bool = False


def token_spans(text: str, *, command: bool) -> list[Span]:
    """Find what has to be hidden in a text, private keys apart.

    Args:
        text: Any text; a secret is on one line.
        command: Whether it is run by a shell: a name before a value then hides nothing.

    Returns:
        Spans in order, none touching another.
    """
    lowered = text.lower()
    found: list[Span] = []
    for shape in _SHAPES:
        if (shape.by_name and command) or not any(needle in lowered for needle in shape.needles):
            continue
        for match in shape.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if shape.genuine(text, start, end):
                found.append((start, end))
    if "://" in text:
        hosts = _hosts(text) if found else []
        found = [span for span in found if not _meets(span, hosts)]
        found.extend(match.span(1) for match in _PASSWORD_IN_URL.finditer(text))
    return merged(found)


def key_blocks(lines: Sequence[str]) -> list[range]:
    """Find the lines that private keys take, from the line of their beginning to that of their end."""
    blocks: list[range] = []
    for number, line in enumerate(lines):
        if _BEGIN not in line or _PRIVATE not in line or (blocks and number in blocks[-1]):
            continue
        last = min(number + _MOST_LINES, len(lines))
        end = next((each for each in range(number, last) if _END in lines[each]), last - 1)
        blocks.append(range(number, end + 1))
    return blocks


def block_spans(line: str) -> list[Span]:
    """Find what has to be hidden in a line of a private key: words of random base64, nothing else."""
    return [match.span() for match in _BASE64_WORD.finditer(line) if _is_base64(match[0])]


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that touch as one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


# -- what surrounds a match ----------------------------------------------------------------------------------


def _hosts(text: str) -> list[Span]:
    """Where the hosts of URLs stand, in order; what is before the last ``@`` is no part of them."""
    return [(match.end() - len(match[1].rpartition("@")[2]), match.end()) for match in _AUTHORITY.finditer(text)]


def _meets(span: Span, hosts: Sequence[Span]) -> bool:
    """Whether a span and one of these, which are in order and apart, have a character in common."""
    before = bisect_right(hosts, (span[1] - 1, span[1])) - 1
    return before >= 0 and hosts[before][1] > span[0]


def _is_place(text: str, start: int, end: int) -> bool:
    """Whether a word is a label of a host, or a part of a path that belongs to no URL."""
    before, behind = text[start - 1 : start], text[end : end + 2]
    if before in {".", "@"} or (behind[:1] == "." and behind[1:].isalnum()):
        return True
    if before != "/":
        return False
    back = text[max(0, start - _FAR) : start]
    return not _IN_URL.search(back)


def _is_token(text: str, start: int, end: int) -> bool:
    return not _is_place(text, start, end)


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether a token begins where a word does: its shape alone is not telling enough."""
    return not text[start - 1 : start].isalnum() and _is_token(text, start, end)


def _is_random_word(text: str, start: int, end: int) -> bool:
    return _is_word(text, start, end) and _is_random(text[start:end])


def _is_web_token(text: str, start: int, end: int) -> bool:
    """Whether three parts are a JSON web token (RFC 7519) and not a host: no top domain looks like a signature."""
    parts = text[start:end].rstrip(".").split(".", 3)
    if len(parts) != 3 or not parts[1].startswith("eyJ"):
        return False
    signature = parts[2]
    signed = len(signature) >= _NO_DOMAIN or (len(signature) >= 8 and any(map(str.isdigit, signature)))
    return signed and _is_token(text, start, end)


def _is_value(text: str, start: int, end: int) -> bool:
    """Whether a word is random, and neither called nor the beginning of a host or an attribute."""
    behind = text[end : end + 1]
    return (not behind or behind.isspace() or behind in _ENDS) and _is_random(text[start:end])


def _is_named_value(text: str, start: int, end: int) -> bool:
    """Whether what stands behind the name of a secret is one, and not the name of something else in code."""
    word = text[start:end]
    quoted = text[start - 1 : start] in _QUOTES
    if not quoted and word.isidentifier() and ("_" in word or not any(map(str.isdigit, word))):
        return False
    return _is_value(text, start, end)


def _is_credential(text: str, start: int, end: int) -> bool:
    """Whether what stands behind the scheme of an authorization header is one, and not a plain word or a host."""
    last = text[start:end].rpartition(".")
    return _is_value(text, start, end) and not (last[1] and last[2].isalpha())


def _is_random(word: str) -> bool:
    """Whether a word is like nothing that people write: letters with digits, or with changing case, or padded."""
    if any(map(str.isdigit, word)):
        return any(map(str.isalpha, word))
    changes = sum(a.islower() and b.isupper() for a, b in pairwise(word))
    return changes >= _CHANGES or word.endswith("=")


def _is_base64(word: str) -> bool:
    """Whether a word is of random base64, and not a path that has the same letters."""
    mixed = any(map(str.isupper, word)) and any(map(str.islower, word)) and any(map(str.isdigit, word))
    return mixed and not word.startswith("/") and word.count("/") <= 1 + len(word) // 16


# -- the shapes ----------------------------------------------------------------------------------------------


def _token(needle: str, pattern: str, genuine: Callable[[str, int, int], bool] = _is_token) -> _Shape:
    return _Shape((needle,), re.compile(pattern, re.ASCII), genuine)


_SHAPES = (
    _token("gh", r"gh[opsur]_[A-Za-z0-9]{16,}+"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{16,}+"),
    _token("glpat-", r"glpat-[A-Za-z0-9_-]{16,}+"),
    _token("akia", r"AKIA[A-Z0-9]{16}(?![A-Z0-9])", _is_word),
    _token("asia", r"ASIA[A-Z0-9]{16}(?![A-Z0-9])", _is_word),
    _token("xox", r"xox[a-z]-[A-Za-z0-9-]{10,}+"),
    _token("xapp-", r"xapp-[A-Za-z0-9-]{10,}+"),
    _token("sk-", r"sk-[A-Za-z0-9_-]{20,}+", _is_random_word),
    _token("k_live_", r"[rs]k_live_[A-Za-z0-9]{16,}+", _is_word),
    _token("k_test_", r"[rs]k_test_[A-Za-z0-9]{16,}+", _is_word),
    _token("aiza", r"AIza[A-Za-z0-9_-]{35}", _is_word),
    _token("ya29.", r"ya29\.[A-Za-z0-9_-]{20,}+", _is_word),
    _token("npm_", r"npm_[A-Za-z0-9]{30,}+", _is_word),
    _token("pypi-", r"pypi-[A-Za-z0-9_-]{50,}+", _is_random_word),
    _token("hf_", r"hf_[A-Za-z0-9]{30,}+", _is_word),
    _token("sg.", r"SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}+", _is_random_word),
    _token("eyj", r"eyJ[A-Za-z0-9_.-]{20,}+", _is_web_token),
    _Shape(
        ("bearer", "authorization"),
        re.compile(
            r"(?:authorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?:bearer|basic|token)|bearer)[ \t]{1,3}"
            r"([A-Za-z0-9._~+=-]{8,}+)",
            re.ASCII | re.IGNORECASE,
        ),
        _is_credential,
    ),
    _Shape(
        ("pass", "pwd", "secret", "token", "credential", "key"),
        re.compile(
            rf"(?:{_NAMES})[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"']?([^\s\"'`;&|<>()@/\\,{{}}\[\].$:]{{8,}}+)",
            re.ASCII | re.IGNORECASE,
        ),
        _is_named_value,
        by_name=True,
    ),
)
"""Every shape that is known. Prefixes as their issuers document them."""
