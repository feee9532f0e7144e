"""Makes up bash commands: every construct that can hold a command, every way to write a word."""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.fuzz.templates import COMMANDS, CONSTRUCTS, DOORS, READERS, SHELLS, WRAPPERS

__all__ = ["Grammar"]


class Grammar:
    """A source of commands.

    Args:
        rng: Where chance comes from: the same state gives the same commands.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def command(self, depth: int = 3) -> str:
        """A command, with others in it up to a depth."""
        kinds: list[Callable[[int], str]] = [self._simple]
        if depth > 0:
            kinds += [self._compound] * 4 + [self._wrapped] * 2 + [self._shell_text, self._door]
        return self._rng.choice(kinds)(depth - 1)

    def _simple(self, depth: int) -> str:
        words = self._rng.choice(COMMANDS).split(" ")
        return " ".join(self._written(word) for word in words)

    def _compound(self, depth: int) -> str:
        return self._filled(self._rng.choice(CONSTRUCTS), depth)

    def _door(self, depth: int) -> str:
        return self._filled(self._rng.choice((*DOORS, *READERS)), 0)

    def _wrapped(self, depth: int) -> str:
        wrapper = self._rng.choice(WRAPPERS)
        end = self._rng.choice([r" \;", " {} +", " {} ';'", " ';' -print"]) if wrapper.startswith("find") else ""
        return f"{wrapper} {self.command(min(depth, 1))}{end}"

    def _shell_text(self, depth: int) -> str:
        text = self.command(min(depth, 2))
        return f"{self._rng.choice(SHELLS)} {self._quoted(text)}{self._rng.choice(['', '', ' x', ' EXIT'])}"

    def _filled(self, template: str, depth: int) -> str:
        first, *rest = template.split("§")
        return first + "".join(self.command(depth) + piece for piece in rest)

    def _quoted(self, text: str) -> str:
        """One word that is the text, as bash reads it."""
        quote = self._rng.randrange(4)
        if quote == 0:
            escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            return f"$'{escaped}'"
        if quote == 1:
            return '"' + "".join("\\" + char if char in '$`"\\' else char for char in text) + '"'
        if quote == 2 and "\n" not in text:
            return "".join(char if char.isalnum() else "\\" + char for char in text)
        return "'" + text.replace("'", "'\\''") + "'"

    def _written(self, word: str) -> str:
        """A word as it is, or in a way that bash reads alike."""
        if self._rng.random() < 0.8 or not word:
            return word
        at = self._rng.randrange(len(word))
        return word[:at] + self._rng.choice(_spellings(word[at])) + word[at + 1 :]


def _spellings(char: str) -> tuple[str, ...]:
    """Ways to write a character; in the last ones the shell fills something in."""
    code = ord(char)
    return (
        *(
            f"'{char}'",
            f'"{char}"',
            f"\\{char}",
            f"\\\n{char}",
            f"{char}\\\n",
            f"''{char}",
            f'""{char}',
            f"$'{char}'",
        ),
        *(f'$"{char}"', f"$'\\x{code:x}'", f"$'\\{code:o}'", f"$'\\u{code:04x}'", f"$'{char}\\c'"),
        *(f"${{x}}{char}", f"$x''{char}", f"[{char}]", f"`:`{char}", f"{{{char},}}"),
    )
