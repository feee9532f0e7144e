"""Secrets that are hidden from the eyes, never from what is executed, bound or compared.

Two things are hidden: the value of an argument whose name holds a listed word, whole, and what looks like a token
or a password wherever it stands. A hidden value is replaced by a mark that says how long it is. Only the person
who reviews can ask for it; digests and grants are made from the full data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.policy.redaction_shapes import Span, block_spans, key_blocks, merged, token_spans
from signoff.present.masking import length_of, mark

__all__ = ["DEFAULT_KEYS", "DEFAULT_REDACTION", "NOTHING_HIDDEN", "Masked", "Redaction"]

DEFAULT_KEYS = (
    "password", "passwd", "passphrase", "secret", "secrets", "token", "credential", "credentials", "authorization",
    "cookie", "apikey", "api key", "access key", "account key", "private key", "signing key", "encryption key",
)  # fmt: skip
"""Names whose values are hidden. ``key`` alone is none: most keys of arguments are those of tables and maps."""

_COMMAND_KEYS = frozenset({"command", "cmd", "script", "code", "shell", "args", "argv"})
"""Arguments that are run: a name in such a text hides nothing."""

_CHUNK = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_UNSEEN = frozenset({"Cf", "Cc", "Cn", "Co", "Cs", "Mn"})
_BLANK_LETTERS = re.compile("[\u115f\u1160\u3164\uffa0]")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets.

    Attributes:
        text: The text, a mark in place of each secret.
        spans: Where the secrets stand in the original, in order; none touches another.
    """

    text: str
    spans: tuple[Span, ...]


class Redaction:
    """Knows what to hide.

    Args:
        keys: Names of arguments, each of one word or several: ``token``, ``api_key``. The value is hidden if the
            words are, one after the other, among those of its name, which is split at ``_``, ``-``, ``.``, other
            signs and capitals. The list ``redaction.arguments`` of a configuration.
        shapes: Whether tokens and passwords in texts are hidden as well.
    """

    def __init__(self, keys: Sequence[str] = DEFAULT_KEYS, *, shapes: bool = True) -> None:
        self._shapes = shapes
        plain = [_visible(key) for key in keys]
        self._words = frozenset(key.casefold() for key in plain)
        self._phrases = tuple(tuple(map(str.casefold, _CAMEL.findall(key))) for key in plain)

    # -- names and values ------------------------------------------------------------------------------------

    def hides(self, key: str, value: object) -> bool:
        """Whether the value of an argument is hidden because of its name.

        What can hold no secret is shown: null, true, false, and what is empty.
        """
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return False
        return self._lists(key)

    def mask_value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value without its secrets; keys of mappings stay as they are.

        Args:
            value: Any JSON value. It is not changed.
            key: Name that it stands under.
        """
        if self.hides(key, value):
            return mark(length_of(value))
        if isinstance(value, str):
            return self.mask_text(value, command=self.runs(key)).text
        if isinstance(value, Mapping):
            return {name: self.mask_value(each, str(name)) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask_value(each, key) for each in value]
        return value

    def finds(self, value: object, key: str = "") -> bool:
        """Whether `mask_value` would hide anything; nesting of any depth is looked through."""
        waiting: list[tuple[str, object]] = [(key, value)]
        while waiting:
            name, item = waiting.pop()
            if self.hides(name, item):
                return True
            if isinstance(item, str):
                if self.spans(item, command=self.runs(name)):
                    return True
            elif isinstance(item, Mapping):
                waiting.extend((str(inner), each) for inner, each in item.items())
            elif isinstance(item, list | tuple):
                waiting.extend((name, each) for each in item)
        return False

    def runs(self, key: str) -> bool:
        """Whether the text under a name is run by a shell, as far as the name tells."""
        return not _COMMAND_KEYS.isdisjoint(_words(key))

    def _lists(self, key: str) -> bool:
        words = _words(key)
        if not self._words.isdisjoint(words):
            return True
        return any(phrase and phrase in _sequences(words, len(phrase)) for phrase in self._phrases)

    # -- texts -----------------------------------------------------------------------------------------------

    def mask_text(self, text: str, *, command: bool = False) -> Masked:
        """Replace what looks like a secret by marks.

        Args:
            text: Any text.
            command: Whether it is run by a shell.
        """
        spans = self.spans(text, command=command)
        parts: list[str] = []
        at = 0
        for start, end in spans:
            parts += [text[at:start], mark(end - start)]
            at = end
        return Masked("".join([*parts, text[at:]]), tuple(spans))

    def spans(self, text: str, *, command: bool = False) -> Sequence[Span]:
        """Find what looks like a secret in a text of any number of lines."""
        if not self._shapes:
            return ()
        found = token_spans(text, command=command)
        if "-----BEGIN " not in text:
            return found
        return merged([*found, *_in_blocks(text)])

    def line_spans(self, line: str, *, command: bool, in_block: bool) -> Sequence[Span]:
        """Find what looks like a secret in one line.

        Args:
            line: The line.
            command: Whether it is run by a shell.
            in_block: Whether it is among `blocks`.
        """
        if not self._shapes:
            return ()
        found = token_spans(line, command=command)
        return merged([*found, *block_spans(line)]) if in_block else found

    def blocks(self, lines: Sequence[str]) -> Sequence[range]:
        """Which lines private keys take."""
        return key_blocks(lines)


def _in_blocks(text: str) -> Iterator[Span]:
    lines = text.split("\n")
    blocks = key_blocks(lines)
    inside = {number for block in blocks for number in block}
    start = 0
    for number, line in enumerate(lines):
        if number in inside:
            yield from ((start + a, start + b) for a, b in block_spans(line))
        start += len(line) + 1


def _words(key: str) -> list[str]:
    """The words of a name in order, small; a word of odd capitals is there whole as well, behind its parts."""
    words: list[str] = []
    for chunk in _CHUNK.findall(_visible(key)):
        parts = [part.casefold() for part in _CAMEL.findall(chunk) if not part.isdigit()]
        words += parts
        whole = chunk.rstrip("0123456789").casefold()
        if parts != [whole]:
            words.append(whole)
    return words


def _visible(key: str) -> str:
    """A name without its invisible characters, and in the plain form of its letters."""
    if key.isascii() and key.isprintable():
        return key
    plain = _BLANK_LETTERS.sub("", unicodedata.normalize("NFKC", key))
    return "".join(char for char in plain if unicodedata.category(char) not in _UNSEEN)


def _sequences(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


DEFAULT_REDACTION = Redaction()
"""What is hidden unless somebody says otherwise."""

NOTHING_HIDDEN = Redaction((), shapes=False)
"""For the person who asked to see everything."""
