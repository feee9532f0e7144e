"""Look-alike letters and hosts: the real target of a URL, and names that pass for others.

Sources: RFC 3986 (authority), RFC 3492 (Punycode) and Unicode Technical Standard 46, non-transitional: the rules
of browsers. Backslashes before the authority count as slashes, as they do for browsers; inside it they do not,
and `Authority.ambiguous` is true.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from signoff.present.reveal.unicode_table import LATIN, LETTERS, WITHIN_WORD

__all__ = [
    "Authority",
    "ascii_host",
    "ascii_twin",
    "authorities",
    "decoded_host",
    "in_punycode",
    "look_alikes",
    "name_disguise",
    "script_change",
    "whole_disguise",
]


_END_IN_URL = r"/?#\s"
_END_IN_TEXT = _END_IN_URL + r"\"'`<>|;&()"
_SCHEME_LETTERS = r"A-Za-z0-9+.\-"
_SCHEME = rf"(?P<scheme>[A-Za-z][{_SCHEME_LETTERS}]*+):[/\\]{{2,}}"
_IN_URL = re.compile(
    rf"(?P<lead>\s*(?:{_SCHEME}|(?i:https?|wss?|ftp):[/\\]*|[/\\]{{2,}}|))"
    rf"(?P<authority>[^{_END_IN_URL}]*)"
)
_IN_TEXT = re.compile(  # a run of letters that a scheme may have is looked at once, or time is quadratic
    rf"(?P<lead>(?<![{_SCHEME_LETTERS}])[0-9+.\-]*+{_SCHEME})(?P<authority>[^{_END_IN_TEXT}]*)"
)
_NAME = re.compile(r"[\w.\-]+")
_PUNYCODE = "xn--"
_PORT = re.compile(r":\d*$", re.ASCII)
_DOTS = re.compile("[.\u3002\uff0e\uff61]")
_LOGIN_SCHEMES = frozenset({"git+ssh", "rsync", "sftp", "ssh", "ssh+git", "svn+ssh"})
_LOGIN = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = 60
"""The length of a URL up to the end of its host that needs no warning, in characters."""
_LONGEST_HOST = 253
_LONGEST_LABEL = 63  # Punycode takes quadratic time


class Authority(Struct, frozen=True):
    """The part of a URL that names the host.

    Attributes:
        scheme: In lower case; empty if the URL has none.
        user: The text before the last ``@``; None without one.
        host: Host without port.
        where: The index in the text at which the host begins.
    """

    scheme: str
    user: str | None
    host: str
    where: int

    @property
    def ambiguous(self) -> bool:
        """True if the user part holds a backslash, where for some programs the host ends."""
        return "\\" in (self.user or "")

    @property
    def credentials(self) -> bool:
        """True if the user part has more than the plain login name that SSH needs."""
        if self.user is None:
            return False
        return self.scheme not in _LOGIN_SCHEMES or not _LOGIN.fullmatch(self.user)


def authorities(text: str, *, whole: bool) -> Iterator[Authority]:
    """Find the authorities in a text that a reviewer may need to know; of equal ones, the first.

    Left out are those without a user part that have a short name of ASCII, unless a label of it is Punycode.
    Such names count in a text without a scheme too, if they have a dot: `ssh` and `scp` need none.

    Args:
        text: A URL, or a text that holds some.
        whole: The text is one URL, and may leave out its scheme.
    """
    if whole:
        found = _IN_URL.match(text)
        if found:
            yield _authority(found)
        return
    told: set[str] = set()
    if "//" in text or "\\\\" in text or "/\\" in text or "\\/" in text:
        for found in _IN_TEXT.finditer(text):
            words = found[0]
            if words not in told and _worth_telling(words):
                told.add(words)
                yield _authority(found)
    if _PUNYCODE in text.lower():
        for found in _NAME.finditer(text):
            name = found[0].rstrip(".")
            if name not in told and "." in name and in_punycode(name):
                told.add(name)
                yield Authority("", None, name, found.start())


def _worth_telling(words: str) -> bool:
    return "@" in words or len(words) > _SHORT or not words.isascii() or _PUNYCODE in words.lower()


def _authority(found: re.Match[str]) -> Authority:
    scheme = (found["scheme"] or "").lower()
    user, at, host = found["authority"].rpartition("@")
    named = bool(at and found["lead"].strip())  # "git@host:path" is no URL, its user part no credential
    return Authority(scheme, user if named else None, _PORT.sub("", host), found.end() - len(host))


def in_punycode(host: str) -> bool:
    """True if a label of a host is written in Punycode."""
    return any(label.startswith(_PUNYCODE) for label in _labels(host))


def decoded_host(host: str) -> str | None:
    """The host with its Punycode decoded, to be made visible; None if that adds nothing, or is too slow."""
    labels = []
    for label in _labels(host):
        if label.startswith(_PUNYCODE):
            if len(label) > _LONGEST_LABEL:
                return None
            try:
                label = label.removeprefix(_PUNYCODE).encode().decode("punycode")
            except UnicodeError:
                return None
        labels.append(label)
    return ".".join(labels)


def _labels(host: str) -> Iterator[str]:
    """The labels of a host in the form in which they are looked up, before they are encoded in ASCII."""
    for label in _DOTS.split(host):
        # One by one: the lower case of a whole word would choose a final sigma.
        yield "".join(map(str.lower, unicodedata.normalize("NFKC", label)))


def ascii_host(host: str) -> str | None:
    """The host as it is looked up, in ASCII; None if no host can have that name."""
    labels = []
    if len(host) > _LONGEST_HOST:
        return None
    if any(len(label) > _LONGEST_LABEL for label in _DOTS.split(host)):
        return None
    for label in _labels(host):
        if not label.isascii():
            label = "xn--" + label.encode("punycode").decode("ascii")
        labels.append(label)
    return ".".join(labels)


# -- Characters that pass for others: those of `twins`, and scripts mixed inside one word.
#
# Sources: Unicode Technical Standard 39 (mixed-script detection) and the letters for which Chromium shows a host
# in its ASCII form.

_LETTERLIKE = "\u2102\u210a-\u210e\u2110-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a\u212c\u212d\u212f-\u2134"
_COMPATIBLE = (
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width letters and digits
    "\U0001d400-\U0001d7ff"  # mathematical letters and digits
    "\u2160-\u217f"  # Roman numerals
    "\ufb00-\ufb06"  # ligatures
)


class _LookAlikes:
    """The table of look-alikes with its patterns; made when a text first has more than ASCII."""

    def __init__(self) -> None:
        from signoff.present.reveal.twins import LATIN_LIKE, PHONETIC_TWINS, SIGN_TWINS

        tables = (SIGN_TWINS, PHONETIC_TWINS)
        self.twins = {char: twin for table in tables for twin, chars in table.items() for char in chars}
        self.any = re.compile(f"[{re.escape(''.join(self.twins))}{_LETTERLIKE}{_COMPATIBLE}]")
        passing = LATIN_LIKE + "".join(PHONETIC_TWINS.values())
        self.passing = re.compile(f"[{passing}]")
        self.disguise = re.compile(rf"(?<![^\W_])(?=[A-Za-z0-9]*([{passing}]))[A-Za-z0-9{passing}]++(?![^\W_])")
        self.telling = re.compile(rf"[^\W\d_A-Za-z{passing}]")
        """A letter that no reader takes for an ASCII one."""


_table = cache(_LookAlikes)
_LETTER = re.compile(f"[{LETTERS}]")
_SCRIPT_CHANGE = re.compile(f"([{LETTERS}])[{WITHIN_WORD}]*(?!\\1)([{LETTERS}])")


def ascii_twin(char: str) -> str:
    """The ASCII text that a look-alike passes for; empty if there is none."""
    twin = _table().twins.get(char) or unicodedata.normalize("NFKC", char)
    return twin if twin.isascii() else ""


def look_alikes(text: str) -> list[int]:
    """The indexes of characters that pass for ASCII ones but are not."""
    return [] if text.isascii() else [found.start() for found in _table().any.finditer(text)]


def script_change(signs: str) -> int | None:
    """The index at which a word changes its script, from the shape of a text; None if no word does.

    Returns:
        The first letter of the first such pair that is not Latin.
    """
    letter = _LETTER.search(signs)
    if letter is None or not _LETTER.search(signs.replace(letter[0], "")):
        return None  # faster than looking at each word: most texts have one script
    found = _SCRIPT_CHANGE.search(signs)
    if found is None:
        return None
    return found.start(1 if found[2] == LATIN else 2)


def whole_disguise(text: str) -> int | None:
    """The first letter that is not ASCII in a word that could pass for ASCII; None without such a word."""
    if text.isascii():
        return None
    found = _table().passing.search(text) and _table().disguise.search(text)
    return found.start(1) if found else None


def name_disguise(name: str) -> int | None:
    """The first letter that is not ASCII in a name that could pass for ASCII; None for other names.

    One letter that cannot be mistaken shows that the others are genuine, as in a short word of Russian.
    """
    disguise = whole_disguise(name)
    return None if disguise is None or _table().telling.search(name) else disguise
