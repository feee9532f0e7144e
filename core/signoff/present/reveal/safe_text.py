"""The types of safe text: the results of `reveal`, which screens accept."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate

from msgspec import Struct

from signoff.present.reveal.unicode_table import MARKS, REPLACED, is_plain, shape

__all__ = ["Finding", "SafeText"]

# The characters that a terminal obeys. `reveal` finds far more; this is the last check before output.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_REPLACED = re.compile(f"[{REPLACED}]")


class Finding(Struct, frozen=True):
    """Something in a text that a reviewer should know; characters of one kind share a finding.

    Attributes:
        kind: Short stable word: "bidi", "blank", "control", "credentials", "disguise", "edge-blank",
            "invisible", "line-break", "line-ending", "long", "look-alike", "marks", "mixed-script", "overlay",
            "padding", "private", "punycode", "surrogate", "tag", "unassigned" or "width".
        where: Index in the original text, of the first one.
        codepoint: The code point there, if the finding is about a character.
        warn: True if the request should carry a badge for it.
        message: Plain words for the reviewer, in printable ASCII.
    """

    kind: str
    where: int
    codepoint: int | None
    warn: bool
    message: str


class SafeText(Struct, frozen=True):
    """Text that may be written to a terminal, a log, a notification, a title or the clipboard.

    Only `reveal` and its relatives make one from text of others, and `own` from the words of signoff. There is
    no control character in it but newline and tab, and these only where the field may have them; no
    bidirectional control, no invisible, private or unassigned character, and none whose width terminals dispute.

    Attributes:
        text: The text. It is never markup.
        hidden: Half-open spans of `text` that are the program's signs and not the agent's text: escapes,
            counts of blanks, marks of ends. They are drawn in a style of their own; together with them, `text`
            tells any two originals apart.
        findings: Facts that a reviewer should know, in the order of the original.
        replaced: The number of characters of the original that each span of `hidden` stands for.

    Raises:
        ValueError: `text` holds a character that terminals obey.
    """

    text: str
    hidden: Sequence[tuple[int, int]] = ()
    findings: tuple[Finding, ...] = ()
    replaced: Sequence[int] = ()

    def __post_init__(self) -> None:
        if not is_plain(self.text, "\n\t") and _OBEYED.search(self.text):
            raise ValueError("safe text must not hold control characters: use reveal()")

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.text)

    @property
    def warns(self) -> bool:
        """True if the request should carry a badge because of this text."""
        return any(finding.warn for finding in self.findings)

    @classmethod
    def own(cls, words: str) -> SafeText:
        """Safe text from the program's own words.

        Raises:
            ValueError: The words hold a character that must be shown as an escape: they are not signoff's.
        """
        return _own(words)

    def is_mark(self, span: int) -> bool:
        """True if a span of `hidden` is drawn for characters of disputed width: neither an escape nor a count.

        Such are the ``+`` of joined emoji, the letter of a vowel sign, and a syllable of conjoining Jamo.

        Args:
            span: Its number.
        """
        sign = self.text[self.hidden[span][0]]
        return bool(self.replaced[span]) and (sign in MARKS or not sign.isascii())

    def lines(self) -> tuple[SafeText, ...]:
        """The text split at newlines, which are left out; each line with its own spans and findings.

        A finding belongs to the line in which it begins, and counts from the start of that line's original.
        """
        rows = self.text.split("\n")
        if not self.hidden and not self.findings:
            return tuple(map(SafeText, rows))
        lines: list[SafeText] = []
        begin = origin = span = finding = 0
        for number, row in enumerate(rows):
            end = begin + len(row)
            first = span
            while span < len(self.hidden) and self.hidden[span][0] < end:
                span += 1
            hidden = tuple((a - begin, b - begin) for a, b in self.hidden[first:span])
            replaced = tuple(self.replaced[first:span])
            length = len(row) - sum(b - a for a, b in hidden) + sum(replaced)
            told = finding
            last = number == len(rows) - 1
            while finding < len(self.findings) and (last or self.findings[finding].where <= origin + length):
                finding += 1
            findings = tuple(
                Finding(each.kind, each.where - origin, each.codepoint, each.warn, each.message)
                for each in self.findings[told:finding]
            )
            lines.append(SafeText(row, hidden, findings, replaced))
            begin, origin = end + 1, origin + length + 1
        return tuple(lines)

    def part(self, start: int, end: int) -> SafeText:
        """The characters of `text` from `start` to before `end`, without findings; no sign is cut in two."""
        kept = [span for span, (first, last) in enumerate(self.hidden) if start <= first and last <= end]
        hidden = tuple((self.hidden[span][0] - start, self.hidden[span][1] - start) for span in kept)
        return SafeText(self.text[start:end], hidden, (), tuple(self.replaced[span] for span in kept))

    def map_span(self, start: int, end: int) -> tuple[int, int]:
        """The place of a half-open span of the original in `text`; see `map_spans`."""
        return self.map_spans([(start, end)])[0]

    def map_spans(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The places of half-open spans of the original in `text`.

        A border that falls between characters shown by one span of `hidden` moves outwards.
        """
        if not self.hidden:
            return list(spans)
        # The length before each hidden span, in `text` and in the original.
        grown = accumulate(
            (b - a - count for (a, b), count in zip(self.hidden, self.replaced, strict=True)),
            initial=0,
        )
        begins = [a - more for (a, _), more in zip(self.hidden, grown, strict=False)]
        ends = [begin + count for begin, count in zip(begins, self.replaced, strict=True)]
        mapped = ((self._start(a, begins, ends), self._end(b, begins, ends)) for a, b in spans)
        return [(min(start, end), end) for start, end in mapped]

    def _start(self, at: int, begins: list[int], ends: list[int]) -> int:
        span = bisect_right(ends, at)  # the first hidden span that ends after `at`
        if span < len(begins) and begins[span] <= at:
            return self.hidden[span][0]
        return at + (self.hidden[span - 1][1] - ends[span - 1] if span else 0)

    def _end(self, to: int, begins: list[int], ends: list[int]) -> int:
        span = bisect_left(begins, to)  # the hidden spans before it begin before `to`
        if span and to <= ends[span - 1]:
            return self.hidden[span - 1][1]
        return to + (self.hidden[span - 1][1] - ends[span - 1] if span else 0)


@lru_cache(maxsize=4096)
def _own(words: str) -> SafeText:
    """Cached: the program has few words, and repeats them all the time."""
    if not is_plain(words, "\n\t") and _REPLACED.search(shape(words, exact=False, kept="\n\t")):
        raise ValueError("own words must not hold hidden characters: use reveal()")
    return SafeText(words)
