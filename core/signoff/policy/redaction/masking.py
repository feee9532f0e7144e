"""Secrets hidden from view, never from execution, binding or comparison.

Two things are hidden: the whole value of an argument whose name holds a listed word, and text that looks like a
token or a password, anywhere. A hidden value is replaced by a mark with its length. Only the person
who reviews can ask for it; digests and grants are made from the full data.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from signoff.canonical import json_in
from signoff.policy.redaction import private_keys
from signoff.policy.redaction.commands import may_reuse
from signoff.policy.redaction.patterns import merged, token_spans
from signoff.policy.redaction.private_keys import Span
from signoff.present.document.masking import length_of, mark

__all__ = [
    "COMMAND_KEYS",
    "DEFAULT_KEYS",
    "DEFAULT_REDACTION",
    "NOTHING_HIDDEN",
    "AddedKeys",
    "KeyWords",
    "Masked",
    "Redactor",
    "holds_data",
    "is_always_shown",
    "words_of",
]


# -- Names that settings add to the hidden ones.
#
# They come with a call, from the agent's side. So they hide data only, never what runs, where it goes or what it
# touches.

COMMAND_KEYS = frozenset({"command", "cmd", "script", "code", "shell", "args", "argv"})
"""Arguments that are run: a name in such a text hides nothing."""

_PATHS = frozenset(
    {
        "path", "paths", "file", "files", "filename", "filenames", "filepath", "dir", "dirs", "directory",
        "directories", "folder", "folders", "cwd", "root", "target", "destination", "dest",
    }
)  # fmt: skip
_HOSTS = frozenset(
    {
        "host", "hosts", "hostname", "url", "urls", "uri", "uris", "href", "endpoint", "endpoints", "domain",
        "domains", "server", "servers", "origin", "proxy",
    }
)  # fmt: skip
_CODE = frozenset(
    {
        "commands", "exec", "executable", "program", "argument", "arguments", "scripts", "source", "sql", "query",
        "queries", "statement", "statements", "expression", "patch", "diff", "content", "contents",
    }
)  # fmt: skip
_MOST_ENTRIES = 100
"""Entries of a value that is hidden whole. In larger ones each entry counts: they are not looked through again and
again, at each of their levels."""

_ALWAYS_SHOWN = COMMAND_KEYS | _PATHS | _HOSTS | _CODE


class AddedKeys:
    """Names of arguments whose values are hidden, unless a reviewer needs them to know the effect.

    Args:
        keys: The names, as for `KeyWords`.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._listed = KeyWords(keys) if keys else None

    def listed(self, words: Sequence[str]) -> bool:
        """True if a value is hidden for its name, provided that it `holds_data`.

        Args:
            words: The words of its name.
        """
        return self._listed is not None and self._listed.lists(words) and _is_data(words)


def is_always_shown(name: str) -> bool:
    """True if values of that name are always shown: they say what runs, where it goes or what it touches."""
    return not _is_data(words_of(name))


def _is_data(words: Sequence[str]) -> bool:
    return _ALWAYS_SHOWN.isdisjoint(words)


def holds_data(value: object) -> bool:
    """True if a value is small, and no name in it is one whose values are always shown.

    Args:
        value: Any JSON value, of any depth.
    """
    waiting = [value]
    seen = 0
    while waiting:
        item = waiting.pop()
        seen += 1
        if seen > _MOST_ENTRIES or (isinstance(item, Mapping | list | tuple) and len(item) > _MOST_ENTRIES):
            return False
        if isinstance(item, Mapping):
            if not all(_is_data(words_of(str(name))) for name in item):
                return False
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return True


# -- Names of arguments as the words they are made of, and lists of words to find among them.

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
        """The listed names of one word that are among the words of a name."""
        return self._words.intersection(words)

    def phrase(self, words: Sequence[str]) -> bool:
        """True if a listed name of several words is among the words of a name, one after the other."""
        return any(
            phrase == tuple(words[at : at + len(phrase)])
            for at, word in enumerate(words)
            for phrase in self._phrases.get(word, ())
        )

    def lists(self, words: Sequence[str]) -> bool:
        """True if any listed name is among the words of a name."""
        return bool(self.single(words)) or self.phrase(words)


def words_of(key: str) -> list[str]:
    """The words of a name in order, in lower case; a word in mixed capitals also comes whole."""
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


DEFAULT_KEYS = (
    "password", "passwords", "passwd", "passphrase", "pwd", "pass", "userpassword", "dbpassword", "secret",
    "secrets", "clientsecret", "token", "tokens", "accesstoken", "authtoken", "refreshtoken", "bearertoken",
    "idtoken", "apitoken", "credential", "credentials", "auth", "authorization", "cookie", "cookies", "apikey",
    "api key", "accesskey", "access key", "accountkey", "account key", "secretkey", "privatekey", "private key",
    "signingkey", "signing key", "encryptionkey", "encryption key",
)  # fmt: skip
"""Names whose values are hidden, but not ``key`` alone: most keys are those of tables and maps."""

_COUNTING = frozenset(
    {
        "used", "usage", "max", "min", "total", "count", "limit", "per", "num", "number", "prompt", "completion",
        "input", "output", "budget", "left", "remaining", "cached", "reasoning", "new",
    }
)  # fmt: skip
_SORTING = frozenset(
    {"type", "mode", "method", "scheme", "provider", "required", "enabled", "rate", "count", "url"}
)
_NONE: frozenset[str] = frozenset()
_TELLS_OTHERWISE = {"tokens": _COUNTING, "auth": _SORTING, "pass": _SORTING}
"""Words beside a word of `DEFAULT_KEYS` with which it names no secret."""

_PLACE = "password by place"
"""Name of a value that is hidden because of its place."""

_PATH = re.compile(r"[/~.]|[A-Za-z]:[/\\]")
_OPTION = re.compile(r"--?[A-Za-z][\w-]*", re.ASCII)
_OPTION_VALUE = re.compile(r"[^\s\"'`;&|<>()@/\\,{}\[\].$:#-][^\s\"'`;&|<>()@/\\,{}\[\].$:#]{7,}+")
_NEAR = 10
"""Words of a call before a given one that are read to tell what the given one is."""
_TELLING = 4
"""The least characters of a value that is hidden wherever it occurs in a description."""
_LONG_WORD = 400
"""Characters of a word that is no option and the name of no program."""
_MOST_WORDS = 500
"""The largest number of words of a call that is read whole."""
_ONE_WORD = re.compile(r"[^\s;&|()`]+")
_HEADER = re.compile(r"(?:proxy-)?authorization|(?:set-)?cookie|(?:x|api|private)-[a-z-]+", re.IGNORECASE)
_NAMING, _NAMED = ("name", "key", "header", "field"), frozenset({"value", "values", "val"})


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets.

    Attributes:
        text: The text, a mark in place of each secret.
        spans: The places of the secrets in the original, in order; none touches another.
    """

    text: str
    spans: tuple[Span, ...]


class Redactor:
    """The rules of what to hide, applied to values, texts and commands.

    Args:
        keys: Names of arguments, each of one word or several: ``token``, ``api_key``. The value is hidden if the
            words are, one after the other, among those of its name, which is split at ``_``, ``-``, ``.``, other
            signs and capitals.
        shapes: True if tokens and passwords in texts are hidden as well.
        added: More such names, which come with a call: see `also`.
    """

    def __init__(
        self, keys: Sequence[str] = DEFAULT_KEYS, *, shapes: bool = True, added: Sequence[str] = ()
    ) -> None:
        self._keys = tuple(keys)
        self._shapes = shapes
        self._lenient = self._keys == DEFAULT_KEYS
        self._listed = KeyWords(keys)
        self._added = AddedKeys(added)

    def also(self, keys: Sequence[str]) -> Redactor:
        """Return the redaction of a call with names of its own: ``redaction.arguments`` of a configuration.

        They only add: nothing that is hidden without them is shown. As they come from the agent's side, they hide
        less than `keys`: nothing whose name, or the name of anything in it, is one of a command, a path, a host or
        code.

        Args:
            keys: The names.

        Returns:
            The same redaction if there are none, or if it is for the person who asked to see everything.
        """
        hides_nothing = not self._keys and not self._shapes
        return self if not keys or hides_nothing else _with(self._keys, self._shapes, tuple(keys))

    # -- names and values ------------------------------------------------------------------------------------

    def hides(self, key: str, value: object) -> bool:
        """True if the value of an argument is hidden because of its name.

        Values that can hold no secret are shown: null, true, false, and empty ones.
        """
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return False
        if key == _PLACE:
            return True
        words = words_of(key)
        if self._lenient and words == ["pwd"] and isinstance(value, str) and _PATH.match(value):
            return False  # the working directory
        return self.lists(words) or (self._added.listed(words) and holds_data(value))

    def mask_value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value without its secrets; keys of mappings stay as they are.

        A string that spells JSON is looked through, as the tree does that shows it, and spelled anew if it holds
        any.

        Args:
            value: Any JSON value. It is not changed.
            key: Name that it stands under.
        """
        if self.hides(key, value):
            return mark(length_of(value))
        if isinstance(value, str):
            tree = self._json_in(value, key)
            if tree is None or not self.finds(tree, key):
                return self.mask_text(value, command=self.runs(key)).text
            try:
                return json.dumps(self.mask_value(tree, key), ensure_ascii=False)
            except RecursionError:  # JSON in strings in JSON, hundreds of levels in all
                return mark(len(value))
        if isinstance(value, Mapping):
            names = self.names_in(value, key)
            return {name: self.mask_value(each, names.of(name)) for name, each in value.items()}
        if isinstance(value, list | tuple):
            names = self.names_in(value, key)
            return [self.mask_value(each, names.of(at)) for at, each in enumerate(value)]
        return value

    def finds(self, value: object, key: str = "") -> bool:
        """True if `mask_value` would hide anything; nesting of any depth is looked through."""
        waiting: list[tuple[str, object]] = [(key, value)]
        while waiting:
            name, item = waiting.pop()
            if self.hides(name, item):
                return True
            if isinstance(item, str):
                if self.spans(item, command=self.runs(name)):
                    return True
                item = self._json_in(item, name)
            waiting.extend(self._entries(item, name))
        return False

    def _json_in(self, text: str, key: str) -> Mapping[str, Any] | Sequence[Any] | None:
        return None if self.runs(key) else json_in(text)

    def _entries(self, value: object, key: str) -> Iterator[tuple[str, Any]]:
        """The entries of a JSON value under a key, with their names."""
        if isinstance(value, Mapping):
            names = self.names_in(value, key)
            yield from ((names.of(name), each) for name, each in value.items())
        elif isinstance(value, list | tuple):
            names = self.names_in(value, key)
            yield from ((names.of(at), each) for at, each in enumerate(value))

    def names_in(self, container: Mapping[Any, Any] | Sequence[Any], key: str) -> _EntryNames:
        """The names of the entries of a container.

        Args:
            container: A JSON object or array, which stays as it is as long as it is asked about.
            key: The name of the container itself.
        """
        return _EntryNames(self, container, key)

    def runs(self, key: str) -> bool:
        """True if the text under a name is run by a shell, as far as the name tells."""
        return not COMMAND_KEYS.isdisjoint(words_of(key))

    def is_token_operand(self, words: Sequence[Any], at: int) -> bool:
        """True if a word of a list that is run is all token, and nothing that a program runs or connects to."""
        if not self._shapes or len(words) > _MOST_WORDS or not token_spans(words[at], command=False):
            return False
        near = words[max(0, at - _NEAR) : at]
        if not all(isinstance(word, str) and _ONE_WORD.fullmatch(word) for word in near):
            return False
        line = " ".join([*map(_ends_of, near), words[at]])
        start = len(line) - len(words[at])
        return (start, len(line)) in token_spans(line, command=True)

    def adds(self, words: Sequence[str]) -> bool:
        """True if the words of a name are those of a name that was added."""
        return self._added.listed(words)

    def lists(self, words: Sequence[str]) -> bool:
        """True if the words of a name are those of a name whose value is always hidden."""
        listed = self._listed.single(words)
        if self._lenient:
            listed = frozenset(word for word in listed if _TELLS_OTHERWISE.get(word, _NONE).isdisjoint(words))
        return bool(listed) or self._listed.phrase(words)

    def without_values(self, words: str, arguments: Mapping[str, Any]) -> str:
        """Return the text that a tool gives for a call, with marks in place of hidden arguments.

        Args:
            words: The text: one line, for a person; it is never run.
            arguments: The arguments. Short values are only found after their name.
        """
        marks: dict[str, str] = {}
        for name, value in self._hidden_in(arguments):
            whole = mark(length_of(value))
            spelled = repr(value)
            marks[f"{name}={spelled}"] = f"{name}={whole}"
            texts = (value, spelled[1:-1]) if isinstance(value, str) else (spelled,)
            marks |= {text: whole for text in texts if len(text) >= _TELLING}
        said = [text for text in marks if text in words]
        longest_first = sorted(said, key=len, reverse=True)
        found = re.compile("|".join(map(re.escape, longest_first)))
        return found.sub(lambda each: marks[each[0]], words) if said else words

    def _hidden_in(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        waiting: list[tuple[str, Any]] = [("", arguments)]
        while waiting:
            name, item = waiting.pop()
            if self.hides(name, item):
                yield name, item
            else:
                item = self._json_in(item, name) if isinstance(item, str) else item
                waiting.extend(self._entries(item, name))

    # -- texts -----------------------------------------------------------------------------------------------

    def mask_text(self, text: str, *, command: bool = False) -> Masked:
        """Replace what looks like a secret by marks.

        Args:
            text: Any text.
            command: True if it is run by a shell.
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
        return merged([*found, *private_keys.text_spans(text, command=command)])

    def line_spans(self, line: str, *, command: bool, in_block: bool) -> Sequence[Span]:
        """Find what looks like a secret in one line.

        Args:
            line: The line.
            command: True if it is run by a shell.
            in_block: True if it is in a block.
        """
        if not self._shapes:
            return ()
        if in_block:
            return merged([*token_spans(line, command=command), *private_keys.line_spans(line)])
        return self.spans(line, command=command)

    def blocks(self, lines: Sequence[str], *, command: bool = False) -> Sequence[range]:
        """Return the ranges of lines that private keys take.

        Args:
            lines: All lines of a text.
            command: True if it is run by a shell.
        """
        return private_keys.key_blocks(lines, command=command)


class _EntryNames:
    """The names of the entries of a container: their own, that of the container, or one beside the value.

    Examples of the last: ``{"name": "Authorization", "value": …}``, ``["Authorization", …]``, ``["--token", …]``.
    Work that is the same for all entries is done once.
    """

    def __init__(self, redaction: Redactor, container: Mapping[Any, Any] | Sequence[Any], key: str) -> None:
        self._redaction = redaction
        self._container = container
        self._key = key

    def of(self, at: Any) -> str:
        """The name of one entry.

        Args:
            at: Its key or index.
        """
        if isinstance(self._container, Mapping):
            return _PLACE if str(at).lower() in _NAMED and self._names_a_secret(self._container[at]) else str(at)
        before, value = (self._container[at - 1] if at else None), self._container[at]
        if not isinstance(before, str) or not isinstance(value, str):
            return self._key
        lists = self._redaction.lists
        if not self._is_run and at % 2 and _HEADER.fullmatch(before) and lists(words_of(before)):
            return _PLACE
        if _OPTION.fullmatch(before) and lists(words_of(before)) and _OPTION_VALUE.fullmatch(value):
            return _PLACE if not self._is_run or not self._is_called_by_shell else self._key
        return _PLACE if self._is_run and self._redaction.is_token_operand(self._container, at) else self._key

    @cached_property
    def _is_run(self) -> bool:
        return self._redaction.runs(self._key)

    def _names_a_secret(self, value: object) -> bool:
        listed, added = self._said
        return listed or (added and holds_data(value))

    @cached_property
    def _said(self) -> tuple[bool, bool]:
        """Two flags for the name of the value of a pair: it is always hidden, and it was added."""
        assert isinstance(self._container, Mapping)
        named = ((str(name).lower() in _NAMING, each) for name, each in self._container.items())
        words = [words_of(each) for is_name, each in named if is_name and isinstance(each, str)]
        return any(map(self._redaction.lists, words)), any(map(self._redaction.adds, words))

    @cached_property
    def _is_called_by_shell(self) -> bool:
        """True if the words of a call may be run again by the program that gets them."""
        words = self._container
        return len(words) > _MOST_WORDS or may_reuse(" ".join(word for word in words if isinstance(word, str)))


def _ends_of(word: str) -> str:
    """The beginning and the end of a long word, which are enough to tell what it is."""
    return word if len(word) <= _LONG_WORD else word[: _LONG_WORD // 2] + word[-_LONG_WORD // 2 :]


@lru_cache(maxsize=64)
def _with(keys: tuple[str, ...], shapes: bool, added: tuple[str, ...]) -> Redactor:
    return Redactor(keys, shapes=shapes, added=added)


DEFAULT_REDACTION = Redactor()
"""The redaction that holds unless another one is given."""

NOTHING_HIDDEN = Redactor((), shapes=False)
"""The redaction for a person who asked to see everything."""
