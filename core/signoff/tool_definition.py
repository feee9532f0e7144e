"""The definition of a tool for the model: name, description, schema and hints, and one digest of them.

The owner of a tool may change its definition after people have approved it: a server of tools sends another
description, another schema, other hints. So an approval is for a definition, and does not answer a call under
another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from signoff.canonical import NotJsonError, canonical, digest

__all__ = ["Definition"]

_LONGEST_QUOTE = 300
"""The most characters of a description that are quoted from the place where it was changed."""

_LONGEST_VALUE = 60
"""The most characters of a hint that are quoted."""

_MOST_NAMED = 12
"""The most changed arguments and hints that are named one by one."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as it is offered to a model.

    Attributes:
        name: Name of the tool.
        description: The description that the model gets.
        schema: JSON schema of its arguments.
        hints: Further facts: annotations, metadata, the schema of the result.
        digest: SHA-256 over the canonical form of all that, equal exactly for equal definitions.
    """

    name: str
    description: str
    schema: Mapping[str, Any] = field(compare=False, repr=False)
    hints: Mapping[str, Any] = field(compare=False, repr=False)
    digest: str

    @classmethod
    def of(
        cls,
        name: str,
        description: str | None,
        schema: Mapping[str, Any],
        hints: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return the definition of a tool.

        Raises:
            NotJsonError: The schema or a hint is not JSON, or is nested too deep.
        """
        text, arguments, said = description or "", dict(schema), dict(hints or {})
        parts = {"name": name, "description": text, "schema": arguments, "hints": said}
        try:
            return cls(name, text, arguments, said, digest(parts))
        except NotJsonError as error:
            raise NotJsonError(f"the definition of the tool cannot be told from others: {error}") from error

    def changes_since(self, before: Definition) -> str:
        """Return in plain words the changes since an earlier definition; "" if there are none."""
        changes = [
            *_description_changes(before.description, self.description),
            *_changes_of_schema(before.schema, self.schema),
            *_entry_changes("hint", _flat(before.hints), _flat(self.hints), values=True),
        ]
        if not changes and self.digest != before.digest:
            return "it is another one"
        return "; ".join(changes)


def _description_changes(before: str, now: str) -> Iterator[str]:
    """The old and the new text, from the first word that differs to the last."""
    if before == now:
        return
    words, words_now = before.split(" "), now.split(" ")
    begin = _equal_at_begin(words, words_now)
    del words[:begin], words_now[:begin]
    end = _equal_at_begin(words[::-1], words_now[::-1])
    was, is_now = (" ".join(each[: len(each) - end]) for each in (words, words_now))
    if not was:
        yield f"its description has more: {_quoted(is_now, _LONGEST_QUOTE)}"
    elif not is_now:
        yield f"its description lacks: {_quoted(was, _LONGEST_QUOTE)}"
    else:
        yield f"its description said {_quoted(was, _LONGEST_QUOTE)}, it says {_quoted(is_now, _LONGEST_QUOTE)}"


def _equal_at_begin(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal items at the beginning of two lists."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _changes_of_schema(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    was, is_now = _properties(before), _properties(now)
    named = list(_entry_changes("argument", was, is_now, values=False))
    yield from named
    rest_was, rest_is = ({**schema, "properties": None} for schema in (before, now))
    if canonical(rest_was) != canonical(rest_is) or (not named and canonical(before) != canonical(now)):
        yield "the schema of its arguments is another one"


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _flat(hints: Mapping[str, Any]) -> Mapping[str, Any]:
    """Hints by dotted names, one level down: MCP has them there."""
    flat: dict[str, Any] = {}
    for name, value in hints.items():
        below = value if isinstance(value, Mapping) and value else {"": value}
        flat.update({f"{name}.{key}".rstrip("."): item for key, item in below.items()})
    return flat


def _entry_changes(what: str, before: Mapping[str, Any], now: Mapping[str, Any], *, values: bool) -> Iterator[str]:
    """Entries that were added, removed or changed, by their names."""
    names = [name for name in {**before, **now} if _spelled(before, name) != _spelled(now, name)]
    for name in names[:_MOST_NAMED]:
        quoted = _quoted(name, _LONGEST_VALUE)
        if values:
            was, is_now = (_quoted(_spelled(each, name) or "not there", _LONGEST_VALUE) for each in (before, now))
            yield f"the {what} {quoted} was {was}, it is {is_now}"
        elif name not in before:
            yield f"the {what} {quoted} is new"
        elif name not in now:
            yield f"the {what} {quoted} is gone"
        else:
            yield f"the {what} {quoted} is another one"
    if len(names) > _MOST_NAMED:
        yield f"{len(names) - _MOST_NAMED} more of its {what}s changed"


def _spelled(entries: Mapping[str, Any], name: str) -> str:
    return canonical(entries[name]) if name in entries else ""


def _quoted(text: str, longest: int) -> str:
    missing = len(text) - longest
    return f'"{text}"' if missing <= 0 else f'"{text[:longest]}" (+{missing} characters)'
