"""Choosing a wider or narrower remembered approval, with what it would have answered before it is saved."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from signoff.masked_subject import subject_of
from signoff.policy.grant_breadth import Reach
from signoff.policy.grant_scope import narrower, pattern_of, reach_of_pattern, refusal, wider
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
from signoff.queue.grant_pattern import Exact
from signoff.text.time import when_text
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.lines import (
    applies_to,
    breadth_token,
    free_lines,
    how_wide_lines,
    matcher_text,
    pattern_entry,
)
from signoff_tui.text.lines import Chunk, Line, chunk, line, wrapped
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import tool_text

__all__ = ["LAST_CALLS", "Option", "Widening", "offers", "preview", "save", "sheet_lines"]

LAST_CALLS = 200
"""Calls of the session that a pattern is compared with."""

MOST_OPTIONS = 6
"""Options that are listed around the chosen one; of the others it is said how many there are."""

MOST_CALLS = 8
"""Calls that are described one by one; of the others it is said how many there are."""

_NAME = 12


class Option(Struct, frozen=True):
    """One pattern that could be remembered.

    Attributes:
        pattern: What would be covered.
        words: What is different, not safe to draw yet.
        reach: How wide it is.
    """

    pattern: GrantPattern
    words: str
    reach: Reach


class Widening(Struct, frozen=True):
    """What is offered for one remembered approval, and which is chosen.

    Attributes:
        entry: The approval.
        narrows: Whether less is offered, in its place; else more, besides it.
        options: What is offered; at least one.
        index: Which is chosen.
        found: What each would have answered, by canonical form of the pattern, as far as that was read.
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
        """What the chosen one would have answered; None while that is being read."""
        return self.found.get(self.chosen.pattern.key)

    def moved(self, steps: int) -> Widening:
        """With another option chosen."""
        return replace(self, index=max(0, min(len(self.options) - 1, self.index + steps)))

    def told(self, pattern: GrantPattern, found: PatternPreview) -> Widening:
        """With what one of the patterns would have answered."""
        return replace(self, found={**self.found, pattern.key: found})


# -- work in a thread ----------------------------------------------------------------------------------------


def offers(queue: ReviewQueue, entry: Entry, *, narrows: bool) -> Widening:
    """What can be offered for a remembered approval.

    Args:
        queue: An open connection.
        entry: The approval.
        narrows: Whether to offer less instead of more.

    Raises:
        GrantRefusedError: Nothing can be offered; the message says why.
        QueueError: The queue cannot be read, or does not hold the request any more.
    """
    grant = entry.grant
    if not grant.origin_request:
        raise GrantRefusedError("it was given outside the queue, without a request: it can only be revoked")
    request = queue.get(grant.origin_request)
    now = pattern_of(grant)
    why_not = refusal(request, now, wide=True)
    if why_not is not None:
        raise GrantRefusedError(why_not)
    tool_name, server, payload = (
        request.submission.tool_name,
        request.submission.server,
        request.submission.payload,
    )
    patterns = narrower(now, payload) if narrows else wider(now)
    covering = [pattern for pattern in patterns if pattern.matches(tool_name, payload, server=server)]
    if not covering:
        narrowest = "it covers one call only"
        raise GrantRefusedError(narrowest if narrows else "nothing of it can be left more open")
    return Widening(entry, narrows, tuple(_option(pattern, now, request) for pattern in covering))


def preview(queue: ReviewQueue, grant: Grant, pattern: GrantPattern) -> PatternPreview:
    """What a pattern would have answered among the last calls of the session, and what waits and matches.

    Raises:
        QueueError: The queue cannot be read.
    """
    return queue.preview(pattern, grant.session, LAST_CALLS)


def save(queue: ReviewQueue, grant: Grant, pattern: GrantPattern, *, narrows: bool) -> str:
    """Remember a pattern: a wider one besides the grant, a narrower one in its place. Returns what was done.

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
        words = ", ".join(f"{name} {matcher_text(name, matcher, masks)}" for name, matcher in changed)
    return Option(pattern, words, reach_of_pattern(pattern, submission.payload, submission.arguments))


# -- drawing ---------------------------------------------------------------------------------------------------


def sheet_lines(sheet: Widening, width: int, glyphs: Glyphs, *, now: int) -> list[Line]:
    """What can be chosen, and what the chosen one would have answered. Secrets stay hidden.

    Args:
        sheet: What is offered.
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
        line(_name("covers"), Chunk(tool_text(option.pattern), keep=True, most=48)),
        *(
            row
            for name, matcher in option.pattern.entries
            for row in pattern_entry(name, matcher, width, sheet.entry.masks)
        ),
        *free_lines(option.reach, {name for name, _ in option.pattern.entries}, width),
        *how_wide_lines(option.reach.breadth, option.pattern, width),
        *_fact("applies to", applies_to(grant.session, grant.payload, option.pattern), width),
        *_fact("asks still", "HIGH risk, and what leads elsewhere", width),
        *_fact("saving", _saving(sheet), width),
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
        return [line(_name("before"), chunk("reading what it would have answered ...", "muted"))]
    calls = "call" if found.looked_at == 1 else "calls"
    lines = _fact(
        "before",
        f"would have matched {len(found.matched)} of the last {found.looked_at} {calls} of the session",
        width,
        "strong",
    )
    lines += [_call(record, now) for record in found.matched[:MOST_CALLS]]
    if len(found.matched) > MOST_CALLS:
        lines += _fact("", f"and {len(found.matched) - MOST_CALLS} more", width, "warn")
    if found.still_asked:
        lines += _fact("", f"{found.still_asked} more match and would still be asked", width)
    if found.unreadable:
        lines += _fact("", f"{found.unreadable} could not be compared: the record is damaged", width, "warn")
    number = len(found.waiting)
    words = {0: "no waiting request matches", 1: "1 waiting request matches, and stays undecided"}.get(
        number, f"{number} waiting requests match, and stay undecided"
    )
    return [*lines, *_fact("right now", words, width, "strong")]


def _call(record: HistoryRecord, now: int) -> Line:
    return line(
        chunk(f"{' ' * (_NAME + 1)}{when_text(record.at, now)} {record.state} ", "muted", keep=True),
        Chunk(reveal_line(subject_of(record)[:400], "description"), cut="end"),
    )


def _saving(sheet: Widening) -> str:
    if sheet.narrows:
        return f"revokes #{sheet.entry.number} and remembers this in its place"
    return f"remembers this besides #{sheet.entry.number}; requests that wait stay undecided"


def _name(name: str) -> Chunk:
    return chunk(f" {name:<{_NAME}}", "muted", keep=True)


def _fact(name: str, words: str, width: int, token: str = "text") -> list[Line]:
    return wrapped(words, width, token, head=_name(name))
