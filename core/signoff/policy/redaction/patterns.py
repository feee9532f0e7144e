"""The shapes of secrets in a line of text: tokens by their form, passwords by their place.

A secret ends at a blank, a quote, a shell operator, ``@`` or ``/``, so that commands, paths and hosts around it
stay visible. A word that could as well be a program, a path, a host or code is left alone: what is hidden from a
person must not run.

Time is linear without a special engine: a shape begins with fixed characters, each of its repeats is either
bounded or possessive and the last thing that is matched, and what follows a match is judged by code.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import pairwise

from signoff.policy.redaction.commands import WordsAround, may_reuse
from signoff.policy.redaction.private_keys import Span

__all__ = ["SHAPES", "merged", "token_spans"]

_FAR = 2_000
"""Characters before a word that are searched for the beginning of its URL."""

_CHANGES = 3
"""The smallest number of changes from small to capital letters that makes a word look random."""

_LONG = 10_000
"""The length in characters from which a text takes long to look through."""

_SHORT = 60
"""The longest text, in characters, in which all needles are looked for at once: most texts have none."""

_SHORTEST = 5
"""Characters of the shortest match of any shape, ``-ua:b``."""

_NO_DOMAIN = 27
"""The shortest signature, in characters: no top-level domain is as long."""

_AUTHORITY = re.compile(r"://([^\s/?#\\\"'<>]*+)")
_PASSWORD_IN_URL = re.compile(r"://[^\s/?#\\\"'`<>@:;|&$]*+:([^\s/?#\\\"'`<>@;|&$]++)@")
_SCHEME = re.compile("://")
_NO_URL = re.compile(r"[\s\"'<>]")
"""The characters that end every URL."""
_SHORTEST_WEB_TOKEN = 60
"""The shortest JSON web token in a command, in characters; real ones are longer."""

_QUOTES = frozenset("\"'`")
_ENDS = _QUOTES | frozenset(";&|<>),{}]@/")
_NAMES = (
    "passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:api|access|account|private|secret|signing)[_-]?key"
)
_NAME_NEEDLES = ("pass", "pwd", "secret", "token", "credential", "key")
"""Texts of which one is in every one of these names."""


_ANY_CASE = re.ASCII | re.IGNORECASE


class _Place(Enum):
    """The places where a shape is looked for, and the further conditions there."""

    ANYWHERE = auto()
    NO_COMMAND = auto()
    """Anywhere but in commands, in which a name could be that of a variable that is run."""
    OPTION = auto()
    """Anywhere but in commands that may run their own words again: the value of an option."""


@dataclass(frozen=True)
class _Shape:
    """One kind of secret.

    Attributes:
        needles: Texts of which one is in every match, in lower case; they are looked for first.
        expression: The pattern; the last group is hidden, or all of the match.
        genuine: Tells whether a match is a secret, from the text and the span that would be hidden.
        flags: Those of the pattern.
        place: The places where it is looked for.
        program: The only program in whose words it is a secret; empty for any.
    """

    needles: frozenset[str]
    expression: str
    genuine: Callable[[_Text, int, int], bool]
    flags: re.RegexFlag = re.ASCII
    place: _Place = _Place.ANYWHERE
    program: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled for the first text with one of the needles: most have none."""
        return re.compile(self.expression, self.flags)


class _Text:
    """A text, with facts about it that are worked out once for all that is found in it."""

    def __init__(self, whole: str) -> None:
        self.whole = whole

    @cached_property
    def may_be_reused(self) -> bool:
        """True if a command may run its own words again."""
        return may_reuse(self.whole)

    @cached_property
    def _urls(self) -> list[int]:
        """The places where URLs begin, after their schemes."""
        return [found.end() for found in _SCHEME.finditer(self.whole)]

    @cached_property
    def _ends_of_urls(self) -> list[int]:
        return [found.start() for found in _NO_URL.finditer(self.whole)]

    def is_in_url(self, at: int) -> bool:
        """True if a URL begins before a place, not far from it, and goes on to it."""
        begun = bisect_right(self._urls, at)
        if not begun or self._urls[begun - 1] < at - _FAR:
            return False
        ended = bisect_left(self._ends_of_urls, at)
        return not ended or self._ends_of_urls[ended - 1] < self._urls[begun - 1]


def token_spans(text: str, *, command: bool) -> list[Span]:
    """Find the secrets in a text, except private keys.

    Args:
        text: Any text; a secret is on one line.
        command: True if it is run by a shell: a name before a value then hides nothing.

    Returns:
        Spans in order, none touching another.
    """
    lowered = text.lower()
    if len(text) < _SHORTEST or (len(text) < _SHORT and not _ANY_NEEDLE.search(lowered)):
        return []
    present = _present_in(lowered)
    whole = _Text(text)
    matches: list[tuple[int, int, str]] = []
    for shape in SHAPES if present else ():
        if shape.needles.isdisjoint(present):
            continue
        if (command and shape.place is _Place.NO_COMMAND) or shape.program not in text:
            continue
        if command and shape.place is _Place.OPTION and whole.may_be_reused:
            continue
        for match in shape.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if shape.genuine(whole, start, end):
                matches.append((start, end, shape.program))
    found = _by_words(text, matches, command=command)
    if "://" in text:
        hosts = _hosts(text) if found else []
        found = [span for span in found if not _meets(span, hosts)]
        found.extend(match.span(1) for match in _PASSWORD_IN_URL.finditer(text))
    return merged(found)


def _present_in(lowered: str) -> list[str]:
    """The needles that are in a text."""
    if len(lowered) <= _LONG:
        return [needle for needle in _NEEDLES if needle in lowered]
    # In a long text, a character is found or missed much sooner than a word.
    letters = {letter for letter in _LETTERS if letter in lowered}
    return [needle for needle in _NEEDLES if letters.issuperset(needle) and needle in lowered]


def _by_words(text: str, matches: list[tuple[int, int, str]], *, command: bool) -> list[Span]:
    """The spans to hide by the words before them: in commands, and for secrets of one program only.

    Args:
        text: The text.
        matches: Spans, each with the only program in whose words it is a secret.
        command: True if the text is run by a shell.
    """
    if not command and not any(program for _, _, program in matches):
        return [(start, end) for start, end, _ in matches]
    around = WordsAround(text)
    return [
        (start, end)
        for start, end, program in sorted(matches)
        if (not program or around.is_for(program, start))
        and not (command and (_is_short_web_token(text, start, end) or around.must_stay(start, end)))
    ]


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, with those that touch joined."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


# -- surroundings of a match ----------------------------------------------------------------------------------


def _hosts(text: str) -> list[Span]:
    """The spans of the hosts of URLs, in order; the text before the last ``@`` is not part of them."""
    return [(match.end() - len(match[1].rpartition("@")[2]), match.end()) for match in _AUTHORITY.finditer(text)]


def _meets(span: Span, hosts: Sequence[Span]) -> bool:
    """True if a span shares a character with one of the hosts, which are in order and apart."""
    before = bisect_right(hosts, (span[1] - 1, span[1])) - 1
    return before >= 0 and hosts[before][1] > span[0]


def _is_short_web_token(text: str, start: int, end: int) -> bool:
    """True if a word of a command is too short for a JSON web token: it may be a program or a host."""
    return text.startswith("eyJ", start) and end - start < _SHORTEST_WEB_TOKEN


def _is_place(text: _Text, start: int, end: int) -> bool:
    """True if a word is a label of a host, or a part of a path that belongs to no URL."""
    before, behind = text.whole[start - 1 : start], text.whole[end : end + 2]
    if before in {".", "@"} or (behind[:1] == "." and behind[1:].isalnum()):
        return True
    return before == "/" and not text.is_in_url(start)


def _is_token(text: _Text, start: int, end: int) -> bool:
    return not _is_place(text, start, end)


def _is_word(text: _Text, start: int, end: int) -> bool:
    """True if a token begins where a word does: its shape alone does not tell enough."""
    return not text.whole[start - 1 : start].isalnum() and _is_token(text, start, end)


def _is_random_word(text: _Text, start: int, end: int) -> bool:
    return _is_word(text, start, end) and _is_random(text.whole[start:end])


def _is_generated_word(text: _Text, start: int, end: int) -> bool:
    """True if nobody would call a branch or a directory like this: its prefix alone is too short to tell."""
    value = text.whole[start:end].partition("-")[2]
    kinds = [any(map(of_kind, value)) for of_kind in (str.isdigit, str.isupper, str.islower)]
    in_one = any(len(part) >= 20 and any(map(str.isdigit, part)) for part in value.split("-"))
    return _is_word(text, start, end) and (all(kinds) or in_one)


def _is_web_token(text: _Text, start: int, end: int) -> bool:
    """True if three parts are a JSON web token (RFC 7519): no top-level domain looks like a signature."""
    parts = text.whole[start:end].rstrip(".").split(".", 3)
    if len(parts) != 3 or not parts[1].startswith("eyJ") or not _is_header(parts[0]):
        return False
    signature = parts[2]
    signed = len(signature) >= _NO_DOMAIN or (len(signature) >= 8 and any(map(str.isdigit, signature)))
    return signed and _is_token(text, start, end)


def _is_header(part: str) -> bool:
    """True if a part is the Base64URL of a JSON object."""
    try:
        return isinstance(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))), dict)
    except (ValueError, RecursionError):
        return False


def _is_value(text: _Text, start: int, end: int) -> bool:
    """True if a word is random, and neither called nor the beginning of a host or an attribute."""
    behind = text.whole[end : end + 1]
    return (not behind or behind.isspace() or behind in _ENDS) and _is_random(text.whole[start:end])


def _is_named_value(text: _Text, start: int, end: int) -> bool:
    """True if the word after the name of a secret is its value, and not another name in code."""
    word = text.whole[start:end]
    quoted = text.whole[start - 1 : start] in _QUOTES
    if not quoted and word.isidentifier() and ("_" in word or not any(map(str.isdigit, word))):
        return False
    return _is_value(text, start, end)


def _is_credential(text: _Text, start: int, end: int) -> bool:
    """True if the word after the scheme of an authorization header is a credential, not a word or a host."""
    last = text.whole[start:end].rpartition(".")
    return _is_value(text, start, end) and not (last[1] and last[2].isalpha())


def _is_in_query(text: _Text, start: int, end: int) -> bool:
    """True if a value is in the query of a URL, or random."""
    return _is_value(text, start, end) or text.is_in_url(start)


def _is_anything(text: _Text, start: int, end: int) -> bool:
    """Accept any text: its place tells enough."""
    del text, start, end
    return True


def _is_random(word: str) -> bool:
    """True if no person would write a word like this: letters with digits, changing case, or padding."""
    if any(map(str.isdigit, word)):
        return any(map(str.isalpha, word))
    changes = sum(a.islower() and b.isupper() for a, b in pairwise(word))
    return changes >= _CHANGES or word.endswith("=")


# -- the shapes ----------------------------------------------------------------------------------------------


def _token(needle: str, pattern: str, genuine: Callable[[_Text, int, int], bool] = _is_token) -> _Shape:
    """Make the shape of an issuer's tokens.

    Args:
        needle: A part that each of them has, in lower case: a text without it is not searched.
        pattern: A prefix and its least length, as ``{16,}+``: a longer token is hidden whole. An exact length ends
            in ``(?![A-Za-z0-9])``, so that a longer word is none.
        genuine: By default a token is hidden behind letters, too, as where a source spells a line feed. `_is_word`
            for a prefix that other words may end in; `_is_random_word` where ordinary words may follow the prefix,
            as in ``sk-learn-...``; `_is_generated_word` for a prefix of two letters.
    """
    return _Shape(frozenset([needle]), pattern, genuine)


def _option(pattern: str, genuine: Callable[[_Text, int, int], bool], program: str = "") -> _Shape:
    full = pattern.replace("<NAMES>", _NAMES).replace("<VALUE>", r"(?u:[^\s\"'`;&|<>()@/\\,{}\[\].$:#]){8,}+")
    needles = {*_NAME_NEEDLES, "auth", "cookie", "sig", "-u"}
    return _Shape(frozenset(needles), full, genuine, _ANY_CASE, _Place.OPTION, program)


_ROUTED = r"(?:\.[0-9a-z]{2}\.(?=[a-z]*[0-9])[0-9a-z]{9}(?![0-9A-Za-z]))?+"
"""The routing part at the end of tokens of GitLab."""

SHAPES = (
    _token("gh", r"gh[opsur]_[A-Za-z0-9]{16,}+"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{16,}+"),
    _token("glpat-", rf"glpat-[A-Za-z0-9_-]{{16,}}+{_ROUTED}"),
    _token(
        "gl", rf"gl(?:ptt|dt|rt|cbt|ft|soat|agent|oas|imt|ffct)-[A-Za-z0-9_-]{{20,}}+{_ROUTED}", _is_generated_word
    ),
    _token("akia", r"AKIA[A-Z0-9]{16}(?![A-Z0-9])", _is_word),
    _token("asia", r"ASIA[A-Z0-9]{16}(?![A-Z0-9])", _is_word),
    _token("xox", r"xox[a-z]-[A-Za-z0-9-]{10,}+"),
    _token("xapp-", r"xapp-[A-Za-z0-9-]{10,}+"),
    _token("sk-", r"sk-(?:ant|proj|svcacct|admin|or-v1|lf)-[A-Za-z0-9_-]{20,}+", _is_random_word),
    _token("sk-", r"sk-[A-Za-z0-9_]{20,}+(?!-)", _is_random_word),
    _token("k_live_", r"[rs]k_live_[A-Za-z0-9]{16,}+", _is_word),
    _token("k_test_", r"[rs]k_test_[A-Za-z0-9]{16,}+", _is_word),
    _token("aiza", r"AIza[A-Za-z0-9_-]{35,}+", _is_word),
    _token("ya29.", r"ya29\.[A-Za-z0-9_-]{20,}+", _is_word),
    _token("npm_", r"npm_[A-Za-z0-9]{30,}+", _is_word),
    _token("pypi-", r"pypi-[A-Za-z0-9_-]{50,}+", _is_random_word),
    _token("hf_", r"hf_[A-Za-z0-9]{30,}+", _is_word),
    _token("sg.", r"SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}+", _is_random_word),
    _token("_v1_", r"do[opr]_v1_[a-f0-9]{32,}+", _is_word),
    _token("dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,}+", _is_word),
    _token("shp", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+", _is_word),
    _token("dapi", r"dapi[a-f0-9]{32}(?![a-z0-9])", _is_word),
    _token("lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}+", _is_word),
    _token("hv", r"hv[sbr]\.[A-Za-z0-9_-]{20,}+", _is_random_word),
    _token("glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8,}+", _is_word),
    _token("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+", _is_word),
    _token("nrak-", r"NRAK-[A-Z0-9]{20,}+", _is_word),
    _token("pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34,}+", _is_word),
    _token("rubygems_", r"rubygems_[a-f0-9]{48,}+", _is_word),
    _token("figd_", r"figd_[A-Za-z0-9_-]{20,}+", _is_random_word),
    _token("gsk_", r"gsk_[A-Za-z0-9]{32,}+", _is_random_word),
    _token("xai-", r"xai-[A-Za-z0-9]{40,}+", _is_random_word),
    _token("pplx-", r"pplx-[A-Za-z0-9]{40,}+", _is_random_word),
    _token("gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,}+", _is_word),
    _token("ntn_", r"ntn_[A-Za-z0-9]{30,}+", _is_word),
    _token("atatt3", r"ATATT3[A-Za-z0-9_-]{30,}+", _is_word),
    _token("whsec_", r"whsec_[A-Za-z0-9]{24,}+", _is_word),
    _token("sq0", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}+", _is_word),
    _token("sbp_", r"sbp_[a-f0-9]{40,}+", _is_word),
    _token("r8_", r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])", _is_word),
    _token("pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{30,}+", _is_word),
    _token("-us", r"(?<![a-z0-9])[a-f0-9]{32}-us[0-9]{1,2}(?![a-z0-9])"),
    _token("sk", r"SK[a-f0-9]{32}(?![a-z0-9])", _is_word),
    _token(":aa", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _token("eyj", r"eyJ[A-Za-z0-9_.-]{20,}+", _is_web_token),
    _Shape(
        frozenset(["bearer", "authorization"]),
        r"(?:authorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?:bearer|basic|token)|bearer)[ \t]{1,3}"
        r"([A-Za-z0-9._~+=-]{8,}+)",
        _is_credential,
        _ANY_CASE,
    ),
    _Shape(
        frozenset(_NAME_NEEDLES),
        rf"(?:{_NAMES})[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"']?((?u:[^\s\"'`;&|<>()@/\\,{{}}\[\].$:]){{8,}}+)",
        _is_named_value,
        _ANY_CASE,
        _Place.NO_COMMAND,
    ),
    _option(
        r"(?<![\w-])--?[a-z-]{0,20}(?:(?:<NAMES>|cookie)=|pass(?:word|wd|phrase)[ \t]{1,3})[\"']?(<VALUE>)",
        _is_value,
    ),
    _option(r"[?&][a-z_-]{0,20}(?:<NAMES>|auth|signature|sig)=(<VALUE>)", _is_in_query),
    _option(
        r"(?<![\w-])(?:(?:x|api|private|proxy)-[a-z-]{0,30}(?:key|token|auth|secret|authorization)|authorization"
        r"|(?:set-)?cookie)[ \t]{0,3}:[ \t]{0,3}((?u:[^\s\"'`;&|<>()@/\\,{}$]){6,}+)",
        _is_credential,
    ),
    _option(
        r"(?<!\S)(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|RESTIC_PASSWORD|VAULT_TOKEN)=[\"']?(<VALUE>)[\"']?"
        r"(?=[ \t]+\w)",
        _is_value,
    ),
    _option(
        r"(?<!\S)(?:-[uU]|--(?:proxy-)?user)[ \t=]{0,3}[\"']?(?u:[^\s\"':`;&|<>$]){1,100}+:"
        r"((?u:[^\s\"'`;&|<>()@/\\$])++)",
        _is_anything,
        program="curl",
    ),
)
"""All known shapes. Prefixes are those that the issuers document."""

_NEEDLES = sorted({needle for shape in SHAPES for needle in shape.needles})
_ANY_NEEDLE = re.compile("|".join(map(re.escape, ["://", *_NEEDLES])))
_LETTERS = frozenset("".join(_NEEDLES))
"""Each is looked for once, however many shapes have it: lines may be of any length."""
