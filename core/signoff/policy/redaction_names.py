"""Names of arguments as the words they are made of, and lists of words to find among them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["KeyWords", "words_of"]

_CHUNK = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_UNSEEN = frozenset({"Cf", "Cc", "Cn", "Co", "Cs", "Mn"})
_BLANK_LETTERS = re.compile("[\u115f\u1160\u3164\uffa0]")


class KeyWords:
    """A list of names, each of one word or several: ``token``, ``api_key``.

    Args:
        keys: The names.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        plain = [_visible(key) for key in keys]
        self._words = frozenset(key.casefold() for key in plain)
        phrases = (tuple(map(str.casefold, _CAMEL.findall(key))) for key in plain)
        self._phrases: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            if len(phrase) > 1:
                self._phrases.setdefault(phrase[0], []).append(phrase)

    def single(self, words: Sequence[str]) -> frozenset[str]:
        """Which names of one word are among the words of a name."""
        return self._words.intersection(words)

    def phrase(self, words: Sequence[str]) -> bool:
        """Whether the words of a name of several are among those of another, one after the other."""
        return any(
            phrase == tuple(words[at : at + len(phrase)])
            for at, word in enumerate(words)
            for phrase in self._phrases.get(word, ())
        )

    def lists(self, words: Sequence[str]) -> bool:
        """Whether any of the names is among the words of another."""
        return bool(self.single(words)) or self.phrase(words)


def words_of(key: str) -> list[str]:
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
