"""Regular expressions of rule files, matched in linear time.

The syntax and meaning are those of RE2 (https://github.com/google/re2/wiki/Syntax): there is no backtracking, so
no text makes a match explode, and look-around and back-references do not exist. A pattern that cannot be used is
an error, never skipped: a rule that is left out is a rule that does not block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

__all__ = ["LONGEST_PATTERN", "Pattern", "RegexError", "compile_pattern"]

LONGEST_PATTERN = 1000
"""Most characters of a pattern."""

_MOST_MEMORY = 2 * 1024 * 1024
"""Bytes that a compiled pattern and its cache may take; a pattern that needs more is refused."""
_LONGEST_SHOWN = 60


class RegexError(ValueError):
    """A pattern that cannot be used; the text names it and says why, in printable ASCII."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern.

    Attributes:
        text: As it is written.
        ignore_case: True if letters match in either case.
        dot_matches_newline: True if ``.`` matches a newline too.
    """

    text: str
    ignore_case: bool
    dot_matches_newline: bool
    _compiled: Any = field(repr=False, compare=False)

    def fullmatch(self, text: str) -> bool:
        """True if the pattern matches the whole of a text, from its first character to its last."""
        return self._compiled.fullmatch(_encoded(text)) is not None

    def search(self, text: str) -> bool:
        """True if the pattern matches anywhere in a text."""
        return self._compiled.search(_encoded(text)) is not None


def compile_pattern(text: str, *, ignore_case: bool = False, dot_matches_newline: bool = False) -> Pattern:
    """Compile a pattern.

    Args:
        text: The pattern.
        ignore_case: True if letters match in either case.
        dot_matches_newline: True if ``.`` matches a newline too.

    Raises:
        RegexError: It is empty, too large, or not supported by RE2; or RE2 is not installed.
    """
    if not text:
        raise RegexError("a pattern is empty; it would match nothing but an empty text")
    if len(text) > LONGEST_PATTERN:
        raise RegexError(
            f"the pattern {_shown(text)} is too large: it is longer than {LONGEST_PATTERN} characters"
        )
    re2 = _re2(text)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    options.never_capture = True
    options.case_sensitive = not ignore_case
    options.dot_nl = dot_matches_newline
    try:
        compiled = re2.compile(text.encode("utf-8"), options)
    except UnicodeEncodeError:
        raise RegexError(f"the pattern {_shown(text)} holds a character that no text has") from None
    except re2.error as error:
        raise RegexError(f"the pattern {_shown(text)} cannot be used: {_cause(error)}") from None
    return Pattern(text, ignore_case, dot_matches_newline, compiled)


def _re2(text: str) -> ModuleType:
    """The library, loaded only where there are patterns."""
    try:
        import re2  # type: ignore[import-untyped]
    except ImportError:
        needed = "it needs RE2, which is not installed; run: pip install 'signoff[policy]'"
        raise RegexError(f"the pattern {_shown(text)} cannot be used: {needed}") from None
    module: ModuleType = re2
    return module


def _encoded(text: str) -> bytes:
    """The text in UTF-8; a lone surrogate becomes U+FFFD, which a dot matches, so that blocks hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def _cause(error: Exception) -> str:
    said = error.args[0] if error.args else "not supported"
    return ascii(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said))[1:-1]


def _shown(text: str) -> str:
    shown = ascii(text)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}... ({len(text)} characters)"
