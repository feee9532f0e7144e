"""Rules on the arguments of a structured call, such as the host and the method of an HTTP request.

A rule names arguments by dotted keys with a condition for each: one of some values, or a text that a pattern
matches. It is about a call if all of that holds. Whether it holds may be unclear: the argument is not there and
the tool has a default, or it is a list, or a number in the place of a text. Then a rule that allows is not about
the call, and one that asks or blocks may be, so that the call is at least asked about.

Values are compared as they are, types included. Only a host is brought to one spelling first, because host names
mean the same in either case and with a dot at their end (RFC 4343, RFC 1034 section 3.1). Whatever else could be
brought to one spelling (paths, methods, addresses, escapes) every tool reads in its own way, and a rule that
guesses wrong allows what nobody meant. For the same reason a value that differs from that of a rule only in case,
in blanks around it, in characters that do not show or in its type may be what a rule against it means. So may a
key.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from signoff.canonical import NotJsonError, canonical
from signoff.policy.regex import Pattern, compile_pattern
from signoff.policy.verdict import Level, Verdict

__all__ = [
    "LONGEST_MATCHED",
    "MOST_PARTS",
    "ArgumentRule",
    "Condition",
    "Scalar",
    "ToolArguments",
    "judge_arguments",
]

Scalar = str | int | float | bool

MOST_PARTS = 8
"""Most parts of a dotted key."""

LONGEST_MATCHED = 1_000_000
"""Most characters of a text that is compared with a pattern: time grows with it."""

_HOST_KEYS = frozenset({"host", "hostname"})
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NO_TEXT = re.compile("[\ud800-\udfff]")
_UNSHOWN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
_UNREADABLE: Final = object()


class _Match(IntEnum):
    """Answer to "does this match?"; a rule is as certain as its least certain condition."""

    NO = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition that a rule puts on one argument.

    Attributes:
        key: The parts of its dotted key. If the last is ``host`` or ``hostname``, the values are host names.
        values: Values that are allowed, types included; or, with a pattern, empty.
        pattern: A pattern that the whole text must match; None if there are values.
    """

    key: tuple[str, ...]
    values: tuple[Scalar, ...]
    pattern: Pattern | None = None

    @classmethod
    def equal_to(cls, dotted_key: str, values: Iterable[Scalar]) -> Self:
        """Require the argument to be one of some values.

        Args:
            dotted_key: Such as ``request.host``.
            values: One or more.

        Raises:
            ValueError: The key has an empty part or too many; there is no value, or one is no host name but has to
                be.
        """
        key, wanted = _parts(dotted_key), tuple(values)
        if not wanted:
            raise ValueError(f"{dotted_key!a} has no value, so that nothing could be equal to it")
        if _is_host(key):
            hosts = tuple(_host(value) for value in wanted)
            if None in hosts:
                told = "must be host names, without port or user, or IPv4 addresses"
                raise ValueError(f"values of {dotted_key!a} {told}; for several at once give a pattern")
            wanted = tuple(host for host in hosts if host is not None)
        return cls(key, wanted)

    @classmethod
    def matching(cls, dotted_key: str, pattern: str, level: Level) -> Self:
        """Require the argument to be a text that a pattern matches.

        Args:
            dotted_key: Such as ``request.path``.
            pattern: For RE2. A rule that asks or blocks ignores case, and its dot matches a newline.
            level: The level of the rule.

        Raises:
            ValueError: The key has an empty part or too many.
            RegexError: The pattern cannot be used.
        """
        key, against = _parts(dotted_key), level is not Level.ALLOW
        loosely = against or _is_host(key)
        return cls(key, (), compile_pattern(pattern, ignore_case=loosely, dot_matches_newline=against))

    def holds(self, arguments: object) -> _Match:
        """Match the condition with the arguments of a call."""
        value = _found(arguments, self.key)
        if _is_host(self.key) and value is not _UNREADABLE:
            value = _host(value) or _UNREADABLE
        if not isinstance(value, Scalar):
            return _Match.MAYBE
        if self.pattern is not None:
            return _matches(self.pattern, value)
        return max(_compared(value, wanted) for wanted in self.values)


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """A rule about calls with certain arguments.

    Attributes:
        conditions: All of them must hold; there is at least one.
        level: The level of such a call.
        name: The name of the rule for people.
    """

    conditions: tuple[Condition, ...]
    level: Level
    name: str

    def __post_init__(self) -> None:
        if not self.conditions:
            raise ValueError("a rule on arguments must name one; what holds for the rest is the default")

    def about(self, arguments: object) -> _Match:
        """Match the rule with the arguments of a call."""
        return min(condition.holds(arguments) for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """The rules on the arguments of one tool.

    Attributes:
        tool: The name of the tool.
        rules: Any number, in any order; of those that are about a call, the strictest holds.
        default: The level for a call that no rule is about.
        server: The server whose tool it is; None for a tool of the agent itself.
    """

    tool: str
    rules: tuple[ArgumentRule, ...]
    default: Level = Level.ASK
    server: str | None = None


def judge_arguments(arguments: object, rules: Iterable[ArgumentRule], default: Level) -> Verdict:
    """Return the verdict of rules on the arguments of a call.

    Args:
        arguments: The arguments by name; any other value has no arguments.
        rules: The rules for the tool.
        default: The level if none of them is about the call.

    Returns:
        The strictest verdict of all rules that are about the call, or the default; at least ask if a rule that
        asks or blocks may be about it.
    """
    matching: list[ArgumentRule] = []
    possible: list[ArgumentRule] = []
    for rule in rules:
        about = rule.about(arguments)
        if about is _Match.YES:
            matching.append(rule)
        elif about is _Match.MAYBE and rule.level is not Level.ALLOW:
            possible.append(rule)
    deciding = max(matching, key=lambda rule: (rule.level, _reversed(rule.name)), default=None)
    level, name = (deciding.level, deciding.name) if deciding else (default, "default")
    reasons = tuple(f'may be what the rule "{rule.name}" is about' for rule in possible)
    return Verdict(max(level, Level.ASK) if reasons else level, name, reasons)


def _reversed(name: str) -> tuple[int, ...]:
    """Sort key for names in reverse: of rules with the same level, the first by name is reported."""
    return tuple(-ord(character) for character in name)


# -- reading an argument ---------------------------------------------------------------------------------------


def _parts(dotted_key: str) -> tuple[str, ...]:
    parts = tuple(dotted_key.split("."))
    if not all(parts):
        raise ValueError(f"{dotted_key!a} is no dotted key: a part of it is empty")
    if len(parts) > MOST_PARTS:
        raise ValueError(f"{dotted_key!a} has more than {MOST_PARTS} parts")
    return parts


def _found(arguments: object, key: tuple[str, ...]) -> object:
    """The one value that a dotted key can mean, or `_UNREADABLE`: none, or several."""
    found = list(_readings(arguments, key))
    return found[0] if len(found) == 1 else _UNREADABLE


def _readings(inside: object, key: tuple[str, ...]) -> Iterator[object]:
    """Every value that a key can mean: dots may be part of a name, and names may look alike to a tool."""
    if not key:
        yield inside
        return
    if not isinstance(inside, Mapping):
        return
    for end in range(1, len(key) + 1):
        wanted = ".".join(key[:end])
        for name, value in inside.items():
            if name == wanted:
                yield from _readings(value, key[end:])
            elif isinstance(name, str) and _may_mean(name, wanted):
                yield _UNREADABLE


def _may_mean(name: str, wanted: str) -> bool:
    """True if a tool may take one name for another; for some tools a NUL ends a name."""
    return _plain(wanted) in (_plain(name), _plain(name.partition("\0")[0]))


def _is_disguised(text: str) -> bool:
    """True if a tool may read a text differently: it has invisible characters, or letters in another form.

    Tabs and line breaks are ordinary.
    """
    if text.isascii() and text.isprintable():
        return False
    if not unicodedata.is_normalized("NFKC", text):
        return True
    return any(unicodedata.category(char) in _UNSHOWN and char not in "\t\n\r" for char in text)


def _plain(text: str) -> str:
    """The text in plain letters, without case, outer blanks and invisible characters."""
    if text.isascii() and text.isprintable():
        return text.strip().casefold()
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if unicodedata.category(char) not in _UNSHOWN).strip()


# -- comparing -------------------------------------------------------------------------------------------------


def _compared(value: Scalar, wanted: Scalar) -> _Match:
    if type(value) is not type(wanted):
        return _Match.MAYBE
    if isinstance(value, str) and isinstance(wanted, str):
        if value == wanted:
            return _Match.YES
        unclear = _is_disguised(value) or _plain(value) == _plain(wanted)
        return _Match.MAYBE if unclear else _Match.NO
    try:
        return _Match.YES if canonical(value) == canonical(wanted) else _Match.NO
    except NotJsonError:
        return _Match.MAYBE


def _matches(pattern: Pattern, value: Scalar) -> _Match:
    if not isinstance(value, str) or len(value) > LONGEST_MATCHED or _NO_TEXT.search(value):
        return _Match.MAYBE
    if pattern.fullmatch(value):
        return _Match.YES
    return _Match.MAYBE if _is_disguised(value) else _Match.NO


def _is_host(key: tuple[str, ...]) -> bool:
    return key[-1].lower() in _HOST_KEYS


def _host(value: object) -> str | None:
    """The one spelling of a host name or IPv4 address; None for anything else.

    A port, a user or another spelling of an address (https://url.spec.whatwg.org/#ipv4-parser) is not read: tools
    differ in how they read those.
    """
    if not isinstance(value, str) or not value.isascii():
        return None
    host = value.removesuffix(".").lower()
    if not _HOST.fullmatch(host):
        return None
    if not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return host
    try:
        return str(ipaddress.IPv4Address(host))
    except ValueError:
        return None
