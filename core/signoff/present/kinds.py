"""The kinds of documents.

Code that differs by kind uses ``match`` and ``assert_never``: a type checker names every place in which
a new kind was forgotten. A kind that somebody sent is read by `sent_kind` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, TypeAlias, assert_never

__all__ = ["PresentationKind", "SentKind", "sent_command", "sent_kind", "undeclared_kind"]


class PresentationKind(StrEnum):
    """The kind of a document, and of the effect of a call."""

    DIFF = "diff"
    """Change of a file."""
    FILE_CONTENT = "file_content"
    """File that would be created."""
    COMMAND = "command"
    """Command, or the parts of one."""
    STRUCTURED = "structured"
    """Arguments of a call, as a tree."""
    TEXT = "text"
    """Text as it came, or a heading of signoff."""
    BINARY = "binary"
    """Content of a file that cannot be shown."""

    @property
    def is_file(self) -> bool:
        """True if a file is written."""
        match self:
            case PresentationKind.DIFF | PresentationKind.FILE_CONTENT | PresentationKind.BINARY:
                return True
            case PresentationKind.COMMAND | PresentationKind.STRUCTURED | PresentationKind.TEXT:
                return False
            case _:
                assert_never(self)

    @property
    def has_file_lines(self) -> bool:
        """True if the lines of a file are shown."""
        match self:
            case PresentationKind.DIFF | PresentationKind.FILE_CONTENT:
                return True
            case (
                PresentationKind.COMMAND
                | PresentationKind.STRUCTURED
                | PresentationKind.TEXT
                | PresentationKind.BINARY
            ):
                return False
            case _:
                assert_never(self)

    @property
    def has_sides(self) -> bool:
        """True if there are lines before and lines after."""
        match self:
            case PresentationKind.DIFF:
                return True
            case (
                PresentationKind.FILE_CONTENT
                | PresentationKind.COMMAND
                | PresentationKind.STRUCTURED
                | PresentationKind.TEXT
                | PresentationKind.BINARY
            ):
                return False
            case _:
                assert_never(self)


SentKind: TypeAlias = Literal[
    PresentationKind.DIFF,
    PresentationKind.FILE_CONTENT,
    PresentationKind.COMMAND,
    PresentationKind.STRUCTURED,
    PresentationKind.TEXT,
]
"""A kind that a tool can send: `signoff.types.PresentationType` has their names."""


def sent_kind(presentation: Mapping[str, Any]) -> SentKind | None:
    """The kind of a presentation; None if no tool can send that kind, and it is shown as text."""
    try:
        kind = PresentationKind(str(presentation.get("type")))
    except ValueError:
        return None
    match kind:
        case (
            PresentationKind.DIFF
            | PresentationKind.FILE_CONTENT
            | PresentationKind.COMMAND
            | PresentationKind.STRUCTURED
            | PresentationKind.TEXT
        ):
            return kind
        case PresentationKind.BINARY:  # only a file that was looked at can be that
            return None
        case _:
            assert_never(kind)


def undeclared_kind(presentation: Mapping[str, Any]) -> PresentationKind:
    """The kind of a call without declared effects, by its presentation: a sent diff changes no file."""
    kind = sent_kind(presentation)
    match kind:
        case PresentationKind.COMMAND | PresentationKind.TEXT:
            return kind
        case PresentationKind.DIFF | PresentationKind.FILE_CONTENT | PresentationKind.STRUCTURED | None:
            return PresentationKind.STRUCTURED
        case _:
            assert_never(kind)


def sent_command(presentation: Mapping[str, Any]) -> str | None:
    """The command that a tool sent; None if it sent something else."""
    kind = sent_kind(presentation)
    match kind:
        case PresentationKind.COMMAND:
            return str(presentation.get("content", ""))
        case (
            PresentationKind.DIFF
            | PresentationKind.FILE_CONTENT
            | PresentationKind.STRUCTURED
            | PresentationKind.TEXT
            | None
        ):
            return None
        case _:
            assert_never(kind)
