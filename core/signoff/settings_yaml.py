"""Settings in YAML: values that know their line, and problems that name it.

Scalars are those of the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), with decimal
numbers only: ``no`` and ``on`` are texts, and so are ``1:30`` and ``0x1f``. A key is the text as written.
Anchors and merge keys work. Constructs that could harm the reader are refused: tags, deep nesting, anchors that
multiply, characters that no text has.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from signoff.present.reveal import reveal_line

__all__ = [
    "LARGEST_TEXT",
    "ConfigError",
    "KeyPath",
    "Mark",
    "Problem",
    "YamlDocument",
    "dotted",
    "read_document",
    "read_text",
    "shown",
    "unknown_key",
]


# -- Problems of a settings file, worded so that the line can be found and mended.


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place in a file.

    Attributes:
        line: From 1.
        column: From 1, in characters.
    """

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a settings file.

    Attributes:
        file: The file, as it was named.
        mark: The place in it; None for the file as a whole.
        key: The dotted key, such as ``sandbox.paths.notes.root``; empty if it is not about one key.
        message: The fault and what to do, in words.
    """

    file: str
    mark: Mark | None
    key: str
    message: str

    def by_place(self) -> Mark:
        """The sort key that puts problems in the order of the file."""
        return self.mark or Mark(0, 0)

    def __str__(self) -> str:
        """The problem in one line that is safe to print, whatever the file holds."""
        place = f"{self.file}:{self.mark.line}:{self.mark.column}" if self.mark else self.file
        key = f"{self.key}: " if self.key else ""
        return reveal_line(f"{place}: {key}{self.message}").text


class ConfigError(ValueError):
    """A settings file is not valid; nothing of it is used.

    Its text has one line for each problem.

    Attributes:
        problems: All problems, in the order of the file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=Problem.by_place))
        super().__init__("\n".join(map(str, self.problems)))


# -- The place of a value in some settings, and its name in messages.

KeyPath = tuple[str | int, ...]
"""The way from the top of some settings to a value: keys of mappings, and indexes of lists."""

_PLAIN_KEY = re.compile(r"[\w-]+")
_LONGEST_SHOWN = 60


def unknown_key(key: str, known: tuple[str, ...]) -> str:
    """Return the message about an unknown key.

    Args:
        key: The key.
        known: The known keys.
    """
    nearest = get_close_matches(key, known, n=1)
    hint = f'did you mean "{nearest[0]}"?' if nearest else f"what there is: {', '.join(known)}"
    return f"is no key that is known here; {hint}"


def dotted(path: KeyPath) -> str:
    """Return a path as people write it: ``shell.rules[2].pattern``, with quotes around keys that need them."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{_quoted(key)}" for key in path)
    return "".join(parts).removeprefix(".")


def _quoted(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def shown(value: object) -> str:
    """Return a value for a message: short, and a text in quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text)} characters)"


LARGEST_TEXT = 256 * 1024
"""The most characters of a settings file."""

_DEEPEST = 32
_MOST_VALUES = 20_000
"""The most values, each counted as often as an anchor repeats it."""
_TOO_DEEP = f"is nested more than {_DEEPEST} deep"
_TOO_MANY = f"holds more than {_MOST_VALUES} values"

_TAG = "tag:yaml.org,2002:"
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(slots=True)
class YamlDocument:
    """The values of one file.

    Attributes:
        name: The file, for messages.
        value: Mappings, lists, texts, numbers, booleans and None.
        marks: The place of each value; in a mapping, of its key.
        problems: The faults; the faulty values are left out.
    """

    name: str
    value: Any = None
    marks: dict[KeyPath, Mark] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _complained: set[KeyPath] = field(default_factory=set)

    def mark_of(self, path: KeyPath) -> Mark | None:
        """Return the place of a value, or of the nearest value around it."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path)

    def complained(self, path: KeyPath) -> bool:
        """True if there is a problem with exactly this value."""
        return path in self._complained

    def complain(self, path: KeyPath, message: str, mark: Mark | None = None) -> None:
        """Note a problem with a value."""
        self._complained.add(path)
        self.problems.append(Problem(self.name, mark or self.mark_of(path), dotted(path), message))


def read_document(text: str, name: str) -> YamlDocument:
    """Read YAML text.

    Args:
        text: The content of the file.
        name: The file, for messages.

    Returns:
        The values that could be read, with the problems of the others.

    Raises:
        ConfigError: The text is not YAML, not exactly one document, or too large.
    """
    if len(text) > LARGEST_TEXT:
        raise _refused(name, None, f"is longer than {LARGEST_TEXT} characters")
    node = _composed(text, name)
    document = YamlDocument(name)
    document.value = _NodeReader(document).value(node, (), ())
    return document


class _TooMuchError(Exception):
    """Carries the place of the first value beyond a limit, and the message."""


class _Loader(yaml.SafeLoader):
    """The YAML loader: with the scalars of YAML 1.2, and limits on number and depth."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as PyYAML declares it
    _depth = 0
    _nodes = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        self._depth += 1
        self._nodes += 1
        if self._depth > _DEEPEST:
            raise _TooMuchError(_mark(self.get_mark()), _TOO_DEEP)
        if self._nodes > 2 * _MOST_VALUES:  # a key is a node too
            raise _TooMuchError(_mark(self.get_mark()), _TOO_MANY)
        node: Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


for _kind, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]{1,18}", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(rf"(?:{_pattern})\Z"), _first)


def _composed(text: str, name: str) -> Node:
    try:
        node = yaml.compose(text, Loader=_Loader)
    except _TooMuchError as error:
        raise _refused(name, *error.args) from None
    except yaml.composer.ComposerError as error:
        several = (error.context or "").startswith("expected a single document")
        message = "a second document begins here; one file holds one" if several else _sentence(error)
        raise _refused(name, _mark(error.problem_mark), message) from None
    except yaml.MarkedYAMLError as error:
        raise _refused(name, _mark(error.problem_mark or error.context_mark), _sentence(error)) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise _refused(name, mark, "holds a character that may not stand in YAML") from None
    except (ValueError, OverflowError):  # PyYAML's scanner, at an escape or a version beyond all limits
        raise _refused(name, None, "is no YAML: a number in it is beyond all limits") from None
    if node is None:
        raise _refused(name, None, "is empty; a file that sets nothing holds {}")
    return node


def _refused(name: str, mark: Mark | None, message: str) -> ConfigError:
    return ConfigError([Problem(name, mark, "", message)])


def _sentence(error: yaml.MarkedYAMLError) -> str:
    said = ": ".join(part for part in (error.context, error.problem) if part)
    return f"is no YAML: {said}"


def _mark(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1)


class _NodeReader:
    """Turns nodes into values; faulty ones become problems and are left out."""

    def __init__(self, document: YamlDocument) -> None:
        self._document = document
        self._values = 0

    def value(self, node: Node, path: KeyPath, inside: tuple[Node, ...]) -> Any:
        """The value of a node.

        Args:
            node: The node.
            path: The path of its value.
            inside: The nodes around it.
        """
        mark = _mark(node.start_mark)
        self._document.marks.setdefault(path, mark)
        self._count(node, inside)
        if node in inside:
            return self._refuse(node, path, "holds itself, by an anchor")
        match node:
            case ScalarNode():
                return self._scalar(node, path)
            case SequenceNode(tag="tag:yaml.org,2002:seq"):
                return [self.value(item, (*path, i), (*inside, node)) for i, item in enumerate(node.value)]
            case MappingNode(tag="tag:yaml.org,2002:map"):
                return self._mapping(node, path, (*inside, node))
        return self._refuse(node, path, f'"{node.tag}" is not supported here')

    def _refuse(self, node: Node, path: KeyPath, message: str) -> None:
        self._document.complain(path, message, _mark(node.start_mark))

    def _count(self, node: Node, inside: tuple[Node, ...]) -> None:
        """Stop at a value that anchors have made too large or too deep."""
        self._values += 1
        if self._values > _MOST_VALUES:
            raise _refused(self._document.name, _mark(node.start_mark), _TOO_MANY)
        if len(inside) >= _DEEPEST:
            raise _refused(self._document.name, _mark(node.start_mark), _TOO_DEEP)

    def _scalar(self, node: ScalarNode, path: KeyPath) -> Any:
        text: str = node.value
        if _NO_TEXT.search(text):
            return self._refuse(node, path, "holds a character that no text has")
        kind = node.tag.removeprefix(_TAG)
        try:
            match kind:
                case "str" | "merge":
                    return text
                case "null" if not text or text.lower() in ("~", "null"):
                    return None
                case "bool" if text.lower() in ("true", "false"):
                    return text.lower() == "true"
                case "int":
                    return int(text)
                case "float" if math.isfinite(float(text)):
                    return float(text)
        except ValueError:
            pass
        return self._refuse(node, path, f'"{text}" is no "{kind}" that is supported here')

    def _mapping(self, node: MappingNode, path: KeyPath, inside: tuple[Node, ...]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        given: dict[str, Mark] = {}
        for key_node, value_node, merged in self._pairs(node, path, inside):
            key = self._key(key_node, path)
            if key is None or (merged and key in values):
                continue
            mark = _mark(key_node.start_mark)
            if key in given and not merged:
                message = f"is given twice, first in line {given[key].line}"
                self._document.complain((*path, key), message, mark)
                continue
            given[key] = self._document.marks[(*path, key)] = mark
            values[key] = self.value(value_node, (*path, key), inside)
        return values

    def _pairs(
        self, node: MappingNode, path: KeyPath, inside: tuple[Node, ...]
    ) -> Iterator[tuple[Node, Node, bool]]:
        """Keys and values of a mapping, its own ones first, then those it merges, which are marked.

        See https://yaml.org/type/merge.html.
        """
        merges: list[Node] = []
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                merges += value.value if isinstance(value, SequenceNode) else [value]
            else:
                yield key, value, False
        for source in merges:
            self._count(source, inside)
            if not isinstance(source, MappingNode) or source in inside:
                self._refuse(source, path, '"<<" merges mappings, and none that it is in')
                continue
            for key, value, _ in self._pairs(source, path, (*inside, source)):
                yield key, value, True

    def _key(self, node: Node, path: KeyPath) -> str | None:
        """The text of a key, None if it is no text."""
        text = node.value
        if not isinstance(node, ScalarNode) or not node.tag.startswith(_TAG) or not text or _NO_TEXT.search(text):
            self._refuse(node, path, "a key is a text that is not empty")
            return None
        return str(text)


# -- The text of a settings file.


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a settings file.

    Raises:
        ConfigError: The file cannot be read, is too large, or is not UTF-8 text.
    """
    most = 4 * LARGEST_TEXT
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise _unreadable(path, "there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _unreadable(path, f"cannot be read: {reason}") from None
    if len(data) > most:
        raise _unreadable(path, f"is larger than {most} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unreadable(path, f"is not UTF-8 text: line {line} has a byte that means nothing there") from None


def _unreadable(path: str | os.PathLike[str], message: str) -> ConfigError:
    return ConfigError([Problem(str(path), None, "", message)])
