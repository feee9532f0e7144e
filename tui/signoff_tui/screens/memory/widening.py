"""The choice of a wider or narrower remembered approval, with the calls that it would have answered."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.masked_subject import subject_of
from signoff.policy.grant_scope import narrower, wider
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.reveal import reveal_line
from signoff.queue import (
    Grant,
    GrantPattern,
    GrantRefusedError,
    HistoryRecord,
    PatternPreview,
    QueueError,
    ReviewQueue,
    StoredRequest,
)
from signoff.queue.grant_coverage import (
    STILL_ASKED,
    Reach,
    applies_to,
    entry_text,
    is_about,
    never_granted,
    preview_words,
    reach_of_pattern,
)
from signoff.queue.grant_pattern import Exact
from signoff.text.time import when_text
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.lines import (
    INDENT,
    breadth_token,
    fact_lines,
    fact_name,
    limit_lines,
    pattern_lines,
)
from signoff_tui.text.lines import Chunk, Line, chunk, line
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import tool_text

__all__ = ["LAST_CALLS", "Option", "Widening", "offers", "preview", "save", "sheet_lines"]

LAST_CALLS = 200
"""The calls of the session that a pattern is compared with."""

MOST_OPTIONS = 6
"""The options that are listed around the chosen one; the others have no row."""

MOST_CALLS = 8
"""The calls that are described one by one; of the others it is said how many there are."""


class Option(Struct, frozen=True):
    """One pattern that could be remembered.

    Attributes:
        pattern: The calls that would be covered.
        words: The difference, not safe to draw yet.
        reach: Its reach.
    """

    pattern: GrantPattern
    words: str
    reach: Reach


class Widening(Struct, frozen=True):
    """The patterns that are offered for one remembered approval, and the chosen one.

    Attributes:
        entry: The approval.
        narrows: True if less is offered, in its place; else more, besides it.
        options: The options; at least one.
        index: The place of the chosen one.
        found: The calls that each would have answered, by canonical form of the pattern, as far as they were read.
    """

    entry: Entry
    narrows: bool
    options: tuple[Option, ...]
    index: int = 0
    found: Mapping[str, PatternPreview] = field(default_factory=dict)

    @property
    def chosen(self) -> Option:
        """The option under the cursor."""
        return self.options[self.index]

    @property
    def preview(self) -> PatternPreview | None:
        """The calls that the chosen one would have answered; None while they are being read."""
        return self.found.get(self.chosen.pattern.key)

    def moved(self, steps: int) -> Widening:
        """Return the choice with another option chosen."""
        return replace(self, index=max(0, min(len(self.options) - 1, self.index + steps)))

    def told(self, pattern: GrantPattern, found: PatternPreview) -> Widening:
        """Return the choice with the calls that one of the patterns would have answered."""
        return replace(self, found={**self.found, pattern.key: found})


# -- work in a thread ----------------------------------------------------------------------------------------


def offers(queue: ReviewQueue, entry: Entry, *, narrows: bool) -> Widening:
    """Find the patterns that can be offered for a remembered approval.

    Args:
        queue: An open connection.
        entry: The approval.
        narrows: True to offer less instead of more.

    Raises:
        GrantRefusedError: Nothing can be offered; the message says why.
        QueueError: The queue cannot be read, or does not hold the request any more.
    """
    grant = entry.grant
    if not grant.origin_request:
        raise GrantRefusedError("it was given outside the queue, without a request: it can only be revoked")
    request = queue.get(grant.origin_request)
    now = grant.as_pattern()
    why_not = never_granted(request)
    if why_not is not None:
        raise GrantRefusedError(why_not)
    call = request.submission
    patterns = narrower(now, call.payload) if narrows else wider(now)
    covering = [pattern for pattern in patterns if is_about(pattern, call)]
    if not covering:
        narrowest = "it covers one call only"
        raise GrantRefusedError(narrowest if narrows else "nothing of it can be left more open")
    return Widening(entry, narrows, tuple(_option(pattern, now, request) for pattern in covering))


def preview(queue: ReviewQueue, grant: Grant, pattern: GrantPattern) -> PatternPreview:
    """Find the last calls of the session that a pattern would have answered, and the waiting requests that match.

    Raises:
        QueueError: The queue cannot be read.
    """
    return queue.preview(pattern, grant.session, LAST_CALLS)


def save(queue: ReviewQueue, grant: Grant, pattern: GrantPattern, *, narrows: bool) -> str:
    """Remember a pattern: a wider one besides the grant, a narrower one in its place. Return what was done.

    The wide one is revoked first, so that there is never more than was agreed to.

    Raises:
        GrantRefusedError: The request is no reason for such a grant.
        QueueError: Nothing was saved; the message says whether the wide one was revoked.
    """
    if narrows and not queue.revoke(grant.id):
        raise GrantRefusedError("it was revoked meanwhile, so nothing narrower was saved either")
    try:
        queue.add_pattern(pattern, session=grant.session, origin=grant.origin_request)
    except QueueError as error:
        if narrows:
            raise GrantRefusedError(f"the wide one is revoked, and nothing narrower was saved: {error}") from error
        raise
    return "replaced by the narrower one" if narrows else "the wider one is remembered besides it"


def _option(pattern: GrantPattern, now: GrantPattern, request: StoredRequest) -> Option:
    submission = request.submission
    before = dict(now.entries)
    masks = DEFAULT_REDACTION.also(submission.masked_keys)
    changed = [(name, matcher) for name, matcher in pattern.entries if before.get(name) != matcher]
    if len(changed) > 1 and all(isinstance(matcher, Exact) for _, matcher in pattern.entries):
        words = "exactly the call that it was given for"
    else:
        words = ", ".join(entry_text(name, matcher, masks.mask_value) for name, matcher in changed)
    return Option(pattern, words, reach_of_pattern(pattern, submission.payload, submission.arguments))


# -- drawing ---------------------------------------------------------------------------------------------------


def sheet_lines(sheet: Widening, width: int, glyphs: Glyphs, *, now: int) -> list[Line]:
    """Return the options, and the calls that the chosen one would have answered. Secrets stay hidden.

    Args:
        sheet: The choice.
        width: Cells.
        glyphs: Signs of this run.
        now: Wall clock, microseconds since the epoch.
    """
    number, grant, option = sheet.entry.number, sheet.entry.grant, sheet.chosen
    title = f" Narrow #{number}: remember instead" if sheet.narrows else f" Widen #{number}: remember besides"
    place = f"{sheet.index + 1} of {len(sheet.options)} "
    return [
        line(chunk(title, "strong"), right=(chunk(place, "muted"),)),
        *_options(sheet, glyphs),
        Line(),
        *_answered(sheet.preview, width, now),
        line(fact_name("covers"), Chunk(tool_text(option.pattern), keep=True, most=48)),
        *pattern_lines(option.pattern, option.reach, width, sheet.entry.masks),
        *limit_lines(option.pattern, option.reach, width),
        *fact_lines("applies to", applies_to(grant.session, grant.payload, option.pattern), width),
        *fact_lines("asks still", STILL_ASKED, width),
        *fact_lines("saving", _saving(sheet), width),
    ]


def _options(sheet: Widening, glyphs: Glyphs) -> list[Line]:
    first = max(0, min(sheet.index - MOST_OPTIONS // 2, len(sheet.options) - MOST_OPTIONS))
    shown = range(first, min(first + MOST_OPTIONS, len(sheet.options)))
    return [_option_row(sheet.options[at], glyphs, focused=at == sheet.index) for at in shown]


def _option_row(option: Option, glyphs: Glyphs, *, focused: bool) -> Line:
    word = str(option.reach.breadth)
    return Line(
        (
            chunk(f" {glyphs.focus} " if focused else "   ", "accent", keep=True),
            Chunk(reveal_line(option.words, "arg_value"), cut="front"),
        ),
        (chunk(f" {word} ", breadth_token(word), keep=True),),
        "focus-bg" if focused else "background",
        focused,
    )


def _answered(found: PatternPreview | None, width: int, now: int) -> list[Line]:
    if found is None:
        return [line(fact_name("before"), chunk("reading what it would have answered ...", "muted"))]
    words = preview_words(found)
    lines = fact_lines("before", words["matched"], width, "strong")
    lines += [_call(record, now) for record in found.matched[:MOST_CALLS]]
    if len(found.matched) > MOST_CALLS:
        lines += fact_lines("", f"and {len(found.matched) - MOST_CALLS} more", width, "warn")
    if "asked" in words:
        lines += fact_lines("", words["asked"], width)
    if "unreadable" in words:
        lines += fact_lines("", words["unreadable"], width, "warn")
    return [*lines, *fact_lines("right now", words["waiting"], width, "strong")]


def _call(record: HistoryRecord, now: int) -> Line:
    return line(
        chunk(f"{INDENT}{when_text(record.at, now)} {record.state} ", "muted", keep=True),
        Chunk(reveal_line(subject_of(record)[:400], "description"), cut="end"),
    )


def _saving(sheet: Widening) -> str:
    if sheet.narrows:
        return f"revokes #{sheet.entry.number} and remembers this in its place"
    return f"remembers this besides #{sheet.entry.number}; requests that wait stay undecided"
