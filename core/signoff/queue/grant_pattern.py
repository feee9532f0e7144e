"""The pattern of a wider remembered approval: one tool, and a matcher for each entry of the payload.

There are five matchers, and none of them is a regular expression or a glob: `Exact`, `OneOf`, `Under`, `Beginning`
and `AnyValue`. A payload that lacks an entry, or has one without a matcher, is never covered.

As JSON, for example::

    {"tool": "write_file", "payload": {"path": {"under": "docs"}, "mode": {"one_of": ["w", "a"]},
     "encoding": {"exact": "utf-8"}, "content": {"any": true}}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from signoff.canonical import NotJsonError, canonical, parse_json

__all__ = [
    "AnyValue",
    "Beginning",
    "Exact",
    "GrantPattern",
    "Matcher",
    "OneOf",
    "PatternError",
    "Place",
    "Under",
    "matcher_words",
    "openness",
    "quoted",
]


class PatternError(ValueError):
    """A pattern makes no sense; the message says why. It quotes nothing that could act on a terminal."""


@dataclass(frozen=True, slots=True)
class Exact:
    """Exactly one JSON value, types kept apart.

    Attributes:
        key: Canonical form of the value.
    """

    key: str

    @classmethod
    def of(cls, value: object) -> Exact:
        """Match this value.

        Raises:
            NotJsonError: It is not JSON.
        """
        return cls(canonical(value))

    def matches(self, value: object) -> bool:
        """True if a JSON value is that one."""
        return canonical(value) == self.key

    def to_json(self) -> dict[str, Any]:
        """Return the matcher as a JSON object."""
        return {"exact": parse_json(self.key)}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several JSON values, types kept apart.

    Attributes:
        keys: Canonical forms of the values, sorted, each once.

    Raises:
        PatternError: There is no value.
    """

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise PatternError("one of no values matches nothing; name at least one")
        object.__setattr__(self, "keys", tuple(sorted(set(self.keys))))

    @classmethod
    def of(cls, *values: object) -> OneOf:
        """Match any of these values.

        Raises:
            NotJsonError: One of them is not JSON.
            PatternError: There is none.
        """
        return cls(tuple(map(canonical, values)))

    def matches(self, value: object) -> bool:
        """True if a JSON value is one of them."""
        return canonical(value) in self.keys

    def to_json(self) -> dict[str, Any]:
        """Return the matcher as a JSON object."""
        return {"one_of": [parse_json(key) for key in self.keys]}


@dataclass(frozen=True, slots=True)
class Under:
    """A path below a directory, by its spelling: whole parts, at any depth, without the directory itself.

    Only paths that cannot mean another place are matched: no backslash, only printable characters, and no part
    that is empty or made of dots and blanks alone, such as ``..``. The file system is not looked at.

    Attributes:
        directory: The directory, spelled like that, without a slash at its end. It is absolute or relative, and so
            are the paths that are matched.

    Raises:
        PatternError: The directory is not spelled so, or it is ``/`` or empty.
    """

    directory: str

    def __post_init__(self) -> None:
        if not _is_plain(self.directory.removeprefix("/")):
            raise PatternError(
                f"{quoted(self.directory)} is not a directory that paths can be compared with: it needs a"
                " name, and no empty parts, parts of dots only, backslashes, unprintable characters or final slash"
            )

    def matches(self, value: object) -> bool:
        """True if a JSON value is such a path."""
        begin = f"{self.directory}/"
        return isinstance(value, str) and value.startswith(begin) and _is_plain(value[len(begin) :])

    def to_json(self) -> dict[str, Any]:
        """Return the matcher as a JSON object."""
        return {"under": self.directory}


@dataclass(frozen=True, slots=True)
class Beginning:
    """A command line of which every command begins with these words, and goes on harmlessly.

    The line is judged by the table of programs, as by a rule of a settings file that allows these words and
    nothing else: further arguments and input that are not known to be harmless, files that are written,
    substitutions and any other command are not covered. Where it cannot be judged it is not covered.

    Attributes:
        words: The first words, after quote removal.

    Raises:
        PatternError: There are no words, or one of them is empty.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words or not all(self.words):
            raise PatternError("a beginning of commands needs words, and none of them empty")

    def matches(self, value: object) -> bool:
        """True if a JSON value is such a command line."""
        if not isinstance(value, str):
            return False
        from signoff.policy.shell.evaluate import CommandRule, judge_command
        from signoff.policy.verdict import Level

        rule = CommandRule(self.words, Level.ALLOW, " ".join(self.words))
        return judge_command(value, (rule,), Level.ASK).level is Level.ALLOW

    def to_json(self) -> dict[str, Any]:
        """Return the matcher as a JSON object."""
        return {"begins": list(self.words)}


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Any JSON value."""

    def matches(self, value: object) -> bool:
        """True for every value."""
        del value
        return True

    def to_json(self) -> dict[str, Any]:
        """Return the matcher as a JSON object."""
        return {"any": True}


Matcher = Exact | OneOf | Under | Beginning | AnyValue
"""The condition on one entry of a payload."""


Place = Literal["message", "row", "entry"]
"""The place of the words: a message, a row of the screen, or a line for each value of an entry."""

_PLACES: tuple[Place, ...] = ("message", "row", "entry")
_CONDITIONS: Mapping[type[Matcher], tuple[str, str, str]] = {  # the most open first
    AnyValue: ("is ANYTHING", "ANY", "is ANYTHING"),
    Beginning: ("is any harmless command that begins with", "begins with", "is any command that begins with"),
    Under: ("is spelled as any path below", "below", "is any path below"),
    OneOf: ("is exactly one of", "one of", "may be"),
    Exact: ("is exactly", "=", "="),
}


def matcher_words(matcher: Matcher, place: Place) -> tuple[str, Sequence[Any]]:
    """Return the words that follow the name of an entry, and the values that follow the words."""
    words = _CONDITIONS[type(matcher)][_PLACES.index(place)]
    match matcher:
        case AnyValue():
            return words, ()
        case Under(directory):
            return words, (directory,)
        case Beginning(words=first):
            return words, (" ".join(first),)
        case OneOf(keys):
            return words, [parse_json(key) for key in keys]
        case Exact(key):
            return words, (parse_json(key),)


def openness(matcher: Matcher) -> int:
    """Return how open a condition is, compared with the other kinds."""
    return -[*_CONDITIONS].index(type(matcher))


def _entry_message(name: str, matcher: Matcher) -> str:
    """An entry in full."""
    words, values = matcher_words(matcher, "message")
    if not isinstance(matcher, Under):
        return f"{quoted(name)} {words} {', '.join(map(quoted, values))}".rstrip()
    anchor = "" if matcher.directory.startswith("/") else ", seen from wherever the call is asked"
    return (
        f"{quoted(name)} {words} {quoted(f'{matcher.directory}/')}, at any depth, whatever is there"
        f"{anchor} (links on the way are not looked at)"
    )


@dataclass(frozen=True, slots=True)
class GrantPattern:
    """The calls that a remembered approval covers.

    Attributes:
        tool_name: Exact name of the tool.
        entries: The matcher of each entry of the payload; sorted by key, each key once.
        server: The server that the tool belongs to, exactly; None for a tool of the agent itself.

    Raises:
        PatternError: A key occurs twice.
    """

    tool_name: str
    entries: tuple[tuple[str, Matcher], ...]
    server: str | None = None

    def __post_init__(self) -> None:
        keys = [key for key, _ in self.entries]
        if len(keys) != len(set(keys)):
            raise PatternError("a pattern says only one thing about each entry of the payload")
        object.__setattr__(self, "entries", tuple(sorted(self.entries, key=lambda entry: entry[0])))

    @classmethod
    def exactly(cls, tool_name: str, payload: Mapping[str, Any], *, server: str | None = None) -> GrantPattern:
        """Cover this tool with this payload and no other.

        Raises:
            NotJsonError: The payload is not JSON.
        """
        return cls(tool_name, tuple((key, Exact.of(value)) for key, value in payload.items()), server)

    @classmethod
    def from_json(cls, value: object) -> GrantPattern:
        """Return the pattern that `to_json` wrote.

        Raises:
            PatternError: Something is missing, unknown or of a wrong type.
        """
        if not isinstance(value, dict) or value.keys() - {"server"} != {"tool", "payload"}:
            raise PatternError('a pattern is an object with "tool" and "payload", and "server" if it has one')
        tool_name, payload, server = value["tool"], value["payload"], value.get("server")
        if not isinstance(tool_name, str) or not isinstance(payload, dict):
            raise PatternError('in a pattern, "tool" is a text and "payload" an object')
        if "server" in value and not isinstance(server, str):
            raise PatternError('in a pattern, "server" is a text')
        try:
            entries = tuple((key, _matcher(key, matcher)) for key, matcher in payload.items())
            return cls(tool_name, entries, server)
        except NotJsonError as error:
            raise PatternError(f"a pattern compares with JSON only: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """Return the pattern as a JSON object."""
        said = {"tool": self.tool_name, "payload": {key: matcher.to_json() for key, matcher in self.entries}}
        return said if self.server is None else {**said, "server": self.server}

    @property
    def key(self) -> str:
        """Canonical form: two patterns are equal exactly if their keys are.

        Raises:
            PatternError: Its values are nested too deep to be stored as a pattern.
        """
        try:
            return canonical(self.to_json())
        except NotJsonError as error:
            raise PatternError(f"this pattern cannot be stored: {error}") from error

    def widened(self, key: str, matcher: Matcher) -> GrantPattern:
        """Return the pattern with another matcher for one entry of the payload.

        Raises:
            PatternError: The payload has no such entry.
        """
        entries = dict(self.entries)
        if key not in entries:
            known = ", ".join(map(quoted, entries)) or "none at all"
            raise PatternError(f"the payload has no entry {quoted(key)}; it has {known}")
        return GrantPattern(self.tool_name, tuple({**entries, key: matcher}.items()), self.server)

    def matches(self, tool_name: str, payload: Mapping[str, Any], *, server: str | None = None) -> bool:
        """True if a call is covered. A payload that is not JSON never is.

        Args:
            tool_name: Name of the tool.
            payload: The entries that remembered approvals match on.
            server: The server that the tool belongs to; None for a tool of the agent itself.
        """
        if (tool_name, server) != (self.tool_name, self.server):
            return False
        if payload.keys() != {key for key, _ in self.entries}:
            return False
        try:
            canonical(payload)  # so that nothing is covered that no exact grant could cover
            return all(matcher.matches(payload[key]) for key, matcher in self.entries)
        except NotJsonError:
            return False

    def words(self) -> str:
        """The covered calls in plain words and printable ASCII; nothing is left out."""
        tool = quoted(self.tool_name)
        if self.server is not None:
            tool = f"{tool} of the server {quoted(self.server)}"
        if not self.entries:
            return (
                f"every call of {tool} with an empty payload, WHATEVER ITS ARGUMENTS AND ITS WORKING DIRECTORY ARE"
            )
        entries = "; ".join(_entry_message(name, matcher) for name, matcher in self.entries)
        return (
            f"every call of {tool} whose payload has exactly these entries: {entries}; what is not in the payload"
            " may be anything, other arguments and the working directory included"
        )


def _matcher(key: str, value: object) -> Matcher:
    match value:
        case {"exact": exact, **rest} if not rest:
            return Exact.of(exact)
        case {"one_of": list(values), **rest} if not rest:
            return OneOf.of(*values)
        case {"under": str(directory), **rest} if not rest:
            return Under(directory)
        case {"begins": list(words), **rest} if not rest and all(isinstance(word, str) for word in words):
            return Beginning(tuple(words))
        case {"any": True, **rest} if not rest:
            return AnyValue()
    raise PatternError(
        f'the entry {quoted(key)} of a pattern needs one of "exact", "one_of", "under", "begins" and "any"'
    )


def _is_plain(path: str) -> bool:
    """True if the parts of a path can only mean what they say."""
    # Some systems drop blanks and dots at the end of a name, which makes ".. " and "..." dangerous as well.
    return path.isprintable() and "\\" not in path and all(part.strip(" .") for part in path.split("/"))


def quoted(value: Any) -> str:
    """Return a JSON value in printable ASCII; texts in it are in quotes, so that none can pass for our words.

    Raises:
        NotJsonError: It is not JSON.
    """
    return canonical(value).replace("\x7f", "\\u007f")  # the only character of it that could act on a terminal
