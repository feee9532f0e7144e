"""How text is compared: parts of it, globs, exact names, regular expressions.

The case of letters is ignored unless the filter has a capital letter.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter

from signoff.filtering.syntax import Operator, Value
from signoff.policy.regex import compile_pattern

__all__ = ["FilePath", "Texts", "name_test", "path_test", "text_test"]

_WILD = re.compile(r"[*?\[]")
_ESCAPED = re.compile(r"\\(?:[pP]\{[^}]*\}|[pP].|.)", re.DOTALL)
_BETWEEN = "\0"
"""Stands between texts that are searched at once."""


class Texts:
    """Texts that are searched together.

    Args:
        items: The texts.
    """

    def __init__(self, items: Sequence[str]) -> None:
        self.items = tuple(items)

    @cached_property
    def joined(self) -> str:
        """All of them in one."""
        return _BETWEEN.join(self.items)

    @cached_property
    def folded(self) -> str:
        """All of them in one, without regard to case."""
        return self.joined.casefold()


class FilePath:
    """A path of a file.

    Args:
        shown: Relative to the working directory if it is below it, else absolute.
        absolute: Absolute.
    """

    def __init__(self, shown: str, absolute: str) -> None:
        self.shown = shown
        self.absolute = absolute

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Parts of the path as shown."""
        return tuple(self.shown.split("/"))

    @cached_property
    def folded_parts(self) -> tuple[str, ...]:
        """Parts of the path as shown, without regard to case."""
        return tuple(self.shown.casefold().split("/"))

    @cached_property
    def absolute_parts(self) -> tuple[str, ...]:
        """Parts of the absolute path."""
        return tuple(self.absolute.split("/"))

    @cached_property
    def folded_absolute_parts(self) -> tuple[str, ...]:
        """Parts of the absolute path, without regard to case."""
        return tuple(self.absolute.casefold().split("/"))


def text_test(value: Value, operator: Operator) -> Callable[[Texts], bool]:
    """Return whether any of some texts has this in it, is it, or matches it.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    wanted = value.text
    match operator:
        case Operator.EQUAL:
            return lambda texts: wanted in texts.items
        case Operator.PATTERN:
            found = _pattern(wanted)
            return lambda texts: any(map(found, texts.items))
    if _has_capital(wanted):
        return lambda texts: wanted in texts.joined
    folded = wanted.casefold()
    return lambda texts: folded in texts.folded


def name_test(value: Value, operator: Operator) -> Callable[[str], bool]:
    """Return whether a name is this one, fits the glob, or matches the regular expression.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    match operator:
        case Operator.EQUAL:
            return value.text.__eq__
        case Operator.PATTERN:
            return _pattern(value.text)
    return _part_test(value.text, literal=value.literal, fold=not _has_capital(value.text))


def path_test(value: Value, operator: Operator) -> Callable[[FilePath], bool]:
    """Return whether a path fits a glob, is the one named, or matches the regular expression.

    Whole parts of the path are compared, wherever they stand in it: ``app/api.py`` fits ``src/app/api.py``. What
    ends with a name fits all below a folder of that name, too; with ``/`` at its end, nothing else. What begins
    with ``/`` is about the absolute path, what begins with ``./`` about the path from the working directory on.

    Raises:
        PatternError: The regular expression cannot be used.
    """
    wanted = value.text
    match operator:
        case Operator.EQUAL:
            return lambda path: wanted in (path.shown, path.absolute)
        case Operator.PATTERN:
            found = _pattern(wanted)
            return lambda path: found(path.shown)
    fold = not _has_capital(wanted)
    of = _PARTS_OF[wanted.startswith("/"), fold]
    if fold:
        wanted = wanted.casefold()
    if not wanted.startswith(("/", "./")) and (value.literal or not _WILD.search(wanted)):
        end = "" if wanted.endswith("/") else "/"
        named = f"/{wanted}{end}"
        return lambda path: named in f"/{path.shown.casefold() if fold else path.shown}{end}"
    tests = _part_tests(wanted, literal=value.literal)
    if wanted.startswith("./"):
        return lambda path: of(path)[0] != "" and _fits(of(path), tests)  # one that is elsewhere begins with "/"
    if len(tests) == 2 and tests[1] is not None:
        last = tests[1]
        return lambda path: last(of(path)[-1])
    return lambda path: _fits(of(path), tests)


def _part_tests(wanted: str, *, literal: bool) -> list[Callable[[str], bool] | None]:
    """A test for each part of a path, as `_fits` takes them."""
    parts = wanted.removeprefix("./").split("/")
    tests = [
        None if part == "**" and not literal else _part_test(part, literal=literal, fold=False) for part in parts
    ]
    if parts[-1] == "" or tests[-1] is None:  # what is below something is not the thing itself
        tests[-1:] = [None, _always]
    elif literal or not _WILD.search(parts[-1]):  # it may be a folder as well
        tests.append(None)
    if not wanted.startswith(("/", "./")):
        tests.insert(0, None)
    return tests


_PARTS_OF: Mapping[tuple[bool, bool], Callable[[FilePath], tuple[str, ...]]] = {
    (False, False): attrgetter("parts"),
    (False, True): attrgetter("folded_parts"),
    (True, False): attrgetter("absolute_parts"),
    (True, True): attrgetter("folded_absolute_parts"),
}
"""Which parts of a path are compared, by whether all of it is, and whether case is ignored."""


def _fits(parts: Sequence[str], tests: Sequence[Callable[[str], bool] | None]) -> bool:
    """Whether the parts of a path fit tests one by one, where None stands for any number of parts.

    Only the last None is ever tried again, so that it takes at most the product of both lengths.
    """
    part = test = 0
    any_test = any_part = -1
    while part < len(parts):
        wanted = tests[test] if test < len(tests) else _never
        if wanted is None:
            any_test, any_part = test, part
            test += 1
        elif wanted(parts[part]):
            part, test = part + 1, test + 1
        elif any_test >= 0:
            any_part += 1
            part, test = any_part, any_test + 1
        else:
            return False
    return all(wanted is None for wanted in tests[test:])


def _never(_: str) -> bool:
    return False


def _always(_: str) -> bool:
    return True


def _part_test(wanted: str, *, literal: bool, fold: bool) -> Callable[[str], bool]:
    """Whether a text without structure is this one, or fits the glob."""
    if fold:
        wanted = wanted.casefold()
    if literal or not _WILD.search(wanted):
        return (lambda text: text.casefold() == wanted) if fold else wanted.__eq__
    # What it makes of a glob does not go back once a wildcard has found its place: many of them cost little.
    fits = re.compile(fnmatch.translate(wanted)).match
    return (lambda text: fits(text.casefold()) is not None) if fold else (lambda text: fits(text) is not None)


def _pattern(wanted: str) -> Callable[[str], bool]:
    return compile_pattern(wanted, ignore_case=not _has_capital(_ESCAPED.sub("", wanted))).search


def _has_capital(text: str) -> bool:
    return any(map(str.isupper, text))
