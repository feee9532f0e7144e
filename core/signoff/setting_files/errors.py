"""What is wrong with a settings file, said so that the line can be found and mended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from signoff.present.reveal import reveal_line

__all__ = ["ConfigError", "Mark", "Problem"]


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
    """One thing that is wrong.

    Attributes:
        file: The file, as it was named.
        mark: Where in it; None if it is the file as a whole.
        key: The dotted key, such as ``sandbox.paths.notes.root``; empty if it is no single one.
        message: What is wrong and what to do, in words.
    """

    file: str
    mark: Mark | None
    key: str
    message: str

    def by_place(self) -> Mark:
        """What to sort problems by, to have them in the order of the file."""
        return self.mark or Mark(0, 0)

    def __str__(self) -> str:
        """One line that is safe to print, whatever the file holds."""
        place = f"{self.file}:{self.mark.line}:{self.mark.column}" if self.mark else self.file
        key = f"{self.key}: " if self.key else ""
        return reveal_line(f"{place}: {key}{self.message}").text


class ConfigError(ValueError):
    """A settings file that is not valid; nothing of it is used.

    Its text has one line for each problem.

    Attributes:
        problems: All that was found, in the order of the file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=Problem.by_place))
        super().__init__("\n".join(map(str, self.problems)))
