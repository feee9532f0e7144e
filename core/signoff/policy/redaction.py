"""Secrets that are hidden from the eyes, never from what is executed, bound or compared.

Two things are hidden: the value of an argument whose name holds a listed word, whole, and what looks like a token
or a password wherever it stands. A hidden value is replaced by a mark that says how long it is. Only the person
who reviews can ask for it; digests and grants are made from the full data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from signoff.policy import redaction_keys as private_keys
from signoff.policy.redaction_added import COMMAND_KEYS, AddedKeys
from signoff.policy.redaction_commands import may_reuse
from signoff.policy.redaction_keys import Span
from signoff.policy.redaction_names import KeyWords, words_of
from signoff.policy.redaction_shapes import merged, token_spans
from signoff.present.masking import length_of, mark

__all__ = ["DEFAULT_KEYS", "DEFAULT_REDACTION", "NOTHING_HIDDEN", "Masked", "Redaction"]

DEFAULT_KEYS = (
    "password", "passwords", "passwd", "passphrase", "pwd", "pass", "userpassword", "dbpassword", "secret",
    "secrets", "clientsecret", "token", "tokens", "accesstoken", "authtoken", "refreshtoken", "bearertoken",
    "idtoken", "apitoken", "credential", "credentials", "auth", "authorization", "cookie", "cookies", "apikey",
    "api key", "accesskey", "access key", "accountkey", "account key", "secretkey", "privatekey", "private key",
    "signingkey", "signing key", "encryptionkey", "encryption key",
)  # fmt: skip
"""Names whose values are hidden. ``key`` alone is none: most keys of arguments are those of tables and maps."""

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
"""Name of a value that is hidden because of where it stands."""

_PATH = re.compile(r"[/~.]|[A-Za-z]:[/\\]")
_OPTION = re.compile(r"--?[A-Za-z][\w-]*", re.ASCII)
_OPTION_VALUE = re.compile(r"[^\s\"'`;&|<>()@/\\,{}\[\].$:#-][^\s\"'`;&|<>()@/\\,{}\[\].$:#]{7,}+")
_NEAR = 10
"""Words of a call before one that are read to tell what it is."""
_TELLING = 4
"""Characters of a value that is found in a description wherever it stands."""
_MOST_WORDS = 500
"""Words of a call that is read whole."""
_ONE_WORD = re.compile(r"[^\s;&|()`]+")
_HEADER = re.compile(r"(?:proxy-)?authorization|(?:set-)?cookie|(?:x|api|private)-[a-z-]+", re.IGNORECASE)
_NAMING, _NAMED = ("name", "key", "header", "field"), frozenset({"value", "values", "val"})


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
            signs and capitals.
        shapes: Whether tokens and passwords in texts are hidden as well.
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

    def also(self, keys: Sequence[str]) -> Redaction:
        """What is hidden of a call that brings names of its own: ``redaction.arguments`` of a configuration.

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
        """Whether the value of an argument is hidden because of its name.

        What can hold no secret is shown: null, true, false, and what is empty.
        """
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return False
        if key == _PLACE:
            return True
        words = words_of(key)
        if self._lenient and words == ["pwd"] and isinstance(value, str) and _PATH.match(value):
            return False  # the working directory
        return self._lists(words) or self._added.hide(words, value)

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
            return {name: self.mask_value(each, self.name_of(value, name, key)) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask_value(each, self.name_of(value, at, key)) for at, each in enumerate(value)]
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
                waiting.extend((self.name_of(item, inner, name), each) for inner, each in item.items())
            elif isinstance(item, list | tuple):
                waiting.extend((self.name_of(item, at, name), each) for at, each in enumerate(item))
        return False

    def name_of(self, container: Mapping[Any, Any] | Sequence[Any], at: Any, key: str) -> str:
        """The name that an entry of a container stands under: its own, that of the container, or that beside it.

        Beside it stands ``{"name": "Authorization", "value": …}``, ``["Authorization", …]`` or ``["--token", …]``.

        Args:
            container: A JSON object or array.
            at: The key or index of the entry.
            key: The name that the container stands under.
        """
        if isinstance(container, Mapping):
            if str(at).lower() in _NAMED and self._names_a_secret(container, at):
                return _PLACE
            return str(at)
        before, value = (container[at - 1] if at else None), container[at]
        if not isinstance(before, str) or not isinstance(value, str):
            return key
        run = self.runs(key)
        if not run and at % 2 and _HEADER.fullmatch(before) and self._lists(words_of(before)):
            return _PLACE
        if _OPTION.fullmatch(before) and self._lists(words_of(before)) and _OPTION_VALUE.fullmatch(value):
            return _PLACE if not run or not _is_called_by_shell(container) else key
        return _PLACE if run and self._is_token_operand(container, at) else key

    def runs(self, key: str) -> bool:
        """Whether the text under a name is run by a shell, as far as the name tells."""
        return not COMMAND_KEYS.isdisjoint(words_of(key))

    def _names_a_secret(self, pair: Mapping[Any, Any], at: Any) -> bool:
        names = [each for name, each in pair.items() if str(name).lower() in _NAMING and isinstance(each, str)]
        words = [words_of(name) for name in names]
        return any(self._lists(each) or self._added.hide(each, pair[at]) for each in words)

    def _is_token_operand(self, words: Sequence[Any], at: int) -> bool:
        """Whether a word of a list that is run is all token, and none that a program runs or connects to."""
        if not self._shapes or len(words) > _MOST_WORDS or not token_spans(words[at], command=False):
            return False
        if not all(isinstance(word, str) and _ONE_WORD.fullmatch(word) for word in words[max(0, at - _NEAR) : at]):
            return False
        line = " ".join([*words[max(0, at - _NEAR) : at], words[at]])
        start = len(line) - len(words[at])
        return (start, len(line)) in token_spans(line, command=True)

    def _lists(self, words: Sequence[str]) -> bool:
        listed = self._listed.single(words)
        if self._lenient:
            listed = frozenset(word for word in listed if _TELLS_OTHERWISE.get(word, _NONE).isdisjoint(words))
        return bool(listed) or self._listed.phrase(words)

    def without_values(self, words: str, arguments: Mapping[str, Any]) -> str:
        """What a tool says of a call, with marks for what is hidden of its arguments.

        Args:
            words: One line, for a person; nothing that runs.
            arguments: The arguments. Short values are only found where they stand behind their name.
        """
        marks: dict[str, str] = {}
        for name, value in self._hidden_in(arguments):
            whole = mark(length_of(value))
            spelled = repr(value)
            marks[f"{name}={spelled}"] = f"{name}={whole}"
            texts = (value, spelled[1:-1]) if isinstance(value, str) else (spelled,)
            marks |= {text: whole for text in texts if len(text) >= _TELLING}
        longest_first = sorted(marks, key=len, reverse=True)
        found = re.compile("|".join(map(re.escape, longest_first)))
        return found.sub(lambda each: marks[each[0]], words) if marks else words

    def _hidden_in(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        waiting: list[tuple[str, Any]] = [("", arguments)]
        while waiting:
            name, item = waiting.pop()
            if self.hides(name, item):
                yield name, item
            elif isinstance(item, Mapping):
                waiting.extend((self.name_of(item, inner, name), each) for inner, each in item.items())
            elif isinstance(item, list | tuple):
                waiting.extend((self.name_of(item, at, name), each) for at, each in enumerate(item))

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
        return merged([*found, *private_keys.text_spans(text, command=command)])

    def line_spans(self, line: str, *, command: bool, in_block: bool) -> Sequence[Span]:
        """Find what looks like a secret in one line.

        Args:
            line: The line.
            command: Whether it is run by a shell.
            in_block: Whether it is among `blocks`.
        """
        if not self._shapes:
            return ()
        if in_block:
            return merged([*token_spans(line, command=command), *private_keys.line_spans(line)])
        return self.spans(line, command=command)

    def blocks(self, lines: Sequence[str], *, command: bool = False) -> Sequence[range]:
        """Which lines private keys take.

        Args:
            lines: All lines of a text.
            command: Whether it is run by a shell.
        """
        return private_keys.key_blocks(lines, command=command)


def _is_called_by_shell(words: Sequence[Any]) -> bool:
    """Whether the words of a call may be run again by the program that gets them."""
    return len(words) > _MOST_WORDS or may_reuse(" ".join(word for word in words if isinstance(word, str)))


@lru_cache(maxsize=64)
def _with(keys: tuple[str, ...], shapes: bool, added: tuple[str, ...]) -> Redaction:
    return Redaction(keys, shapes=shapes, added=added)


DEFAULT_REDACTION = Redaction()
"""What is hidden unless somebody says otherwise."""

NOTHING_HIDDEN = Redaction((), shapes=False)
"""For the person who asked to see everything."""
