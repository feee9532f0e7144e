"""The sheet that allows calls for the session: exactly this one, those like it, or all of the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from signoff.effects import Risk
from signoff.policy.grant_scope import PatternOffer, any_call
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.reveal import SafeText, reveal, reveal_line
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError
from signoff.present.subject import steps_of
from signoff.queue.grant_coverage import (
    BREADTH_WORDS,
    DIRECTORIES,
    Breadth,
    free_words,
    names_directory,
    reach_of,
    where_words,
)
from signoff.queue.grant_pattern import Beginning, GrantPattern, Under
from signoff.queue.history import PatternPreview
from signoff.queue.records import StoredRequest, Submission
from signoff_tui.guard import Ref
from signoff_tui.screens.review.names import NAME, listed, names_of
from signoff_tui.state.inbox import Entry, ref_of
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line, wrapped
from signoff_tui.text.summary import summarize, tool_text

__all__ = ["LAST", "Allowing", "Choice", "allow_sheet", "choices", "pattern_text", "released", "subject_of"]

LAST = 50
"""The latest calls of the session that each choice is compared with."""

ALSO_ROWS = 2
"""The most rows for the names of what waits and would be approved, too: what has no room there is not."""

LONGEST_VALUE = 400
"""The most characters of a fixed value."""

_ANY_COMMAND, _ANY_CALL = "any command", "any call"

_TITLE = 14
"""Cells of the name of a choice."""

_FULL = 70
"""Cells from which the counts are told in words."""


class Choice(Struct, frozen=True):
    """One of the three choices.

    Attributes:
        key: The digit that takes it.
        title: Its name.
        what: The calls that it covers, in words that are safe to draw.
        token: The style of these words.
        pattern: The calls that it covers; None if it is not offered.
        exact: True if it covers exactly the call, or exactly each of several.
        why_not: The reason why it is not offered.
    """

    key: str
    title: str
    what: SafeText
    token: str = "text"
    pattern: GrantPattern | None = None
    exact: bool = False
    why_not: str = ""


class Allowing(Struct, frozen=True):
    """The open sheet.

    Attributes:
        refs: The requests that it approves.
        proposals: The patterns offered as the second choice; None while they are worked out.
        at: The place of the one that is offered.
        also: True if what waits and matches is approved, too.
        found: The calls that each pattern would have answered, by its key, as far as they were read.
    """

    refs: tuple[Ref, ...]
    proposals: PatternOffer | None = None
    at: int = 0
    also: bool = False
    found: Mapping[str, PatternPreview] = field(default_factory=dict)


def subject_of(call: Submission) -> tuple[str | None, str | None]:
    """Return the command that a call runs, or the path of the file that it changes, if that is all it does."""
    try:
        steps = steps_of(call.snapshot)
    except SnapshotError:
        return None, None
    match steps:
        case [CommandRun(command=command)]:
            return command, None
        case [FileChange(path=path)]:
            return None, path
        case _:
            return None, None


def choices(desk: ReviewSession, sheet: Allowing) -> tuple[Choice, ...]:
    """Return the three choices; what is not offered keeps its place."""
    entries = [desk.inbox.entry(ref.id) for ref in sheet.refs if ref.id in desk.inbox]
    if len(entries) != 1:
        names = foreign(", ".join(names_of(desk, sheet.refs))).text
        alone = "for one request at a time"
        return (
            Choice("1", f"exactly these {len(entries)}", names, exact=True),
            Choice("2", "", SafeText.own(""), why_not=alone),
            Choice("3", "", SafeText.own(""), why_not=alone),
        )
    request = entries[0].request
    return (_exactly(request), _alike(request, sheet), _any(request))


def _exactly(request: StoredRequest) -> Choice:
    call, found = request.submission, reach_of(request.submission)
    free = ", ".join(free_words(found, dict(found.fixed)))
    what = summarize(request).named
    if found.breadth.careless:
        words = f"{BREADTH_WORDS[found.breadth]}{', ' + free if free else ''}"
        return Choice("1", "this payload", foreign(words).text, "danger", _exact(call), exact=True)
    told = foreign(f"{what.text}, {free}" if free else what.text).text if free else what
    return Choice(
        "1", "exactly", told, "warn" if found.breadth is Breadth.PATTERN else "text", _exact(call), exact=True
    )


def _alike(request: StoredRequest, sheet: Allowing) -> Choice:
    if sheet.proposals is None:
        return Choice("2", "", SafeText.own(""), why_not="looking ...")
    if not sheet.proposals.patterns:
        return Choice("2", "", SafeText.own(""), why_not=sheet.proposals.why_not)
    pattern = sheet.proposals.patterns[sheet.at]
    title, what, token = _in_words(pattern, request.submission)
    return Choice("2", title, what, token, pattern)


def _any(request: StoredRequest) -> Choice:
    call, pattern = request.submission, any_call(request.submission)
    if pattern == _exact(call):
        return Choice("3", "", SafeText.own(""), why_not="the first covers all that the tool names")
    title, what, token = _in_words(pattern, call)
    return Choice("3", title, what, token, pattern)


def pattern_text(pattern: GrantPattern, call: Submission) -> str:
    """Return the calls that a pattern covers as the sheet names them: ``starting with pytest …``.

    Args:
        pattern: One that the sheet offered.
        call: The call for which it was offered.
    """
    title, what, _ = _in_words(pattern, call)
    return f"{title} {'of ' if title in (_ANY_COMMAND, _ANY_CALL) else ''}{what.text}"


def _in_words(pattern: GrantPattern, call: Submission) -> tuple[str, SafeText, str]:
    """Return a title for the calls that a pattern covers, these calls, and the style of the words."""
    for _, matcher in pattern.entries:
        if isinstance(matcher, Beginning):
            words = reveal_line(" ".join(matcher.words), "command").text
            return "starting with", foreign(f"{words} …").text, "text"
        if isinstance(matcher, Under):
            below = reveal(f"{matcher.directory}/", "path").text
            return "files below", foreign(below).text, "warn"
    command, _ = subject_of(call)
    return _ANY_COMMAND if command is not None else _ANY_CALL, tool_text(call), "warn"


def _exact(call: Submission) -> GrantPattern:
    return GrantPattern.exactly(call.tool_name, call.payload, server=call.server)


# -- what waits --------------------------------------------------------------------------------------------


def released(desk: ReviewSession, sheet: Allowing, choice: Choice, width: int) -> tuple[Ref, ...]:
    """Return the waiting requests that a choice approves, too: as many as the sheet has room to name."""
    found = None if choice.pattern is None else sheet.found.get(choice.pattern.key)
    if not sheet.also or found is None or len(sheet.refs) != 1:
        return ()
    waiting = [desk.inbox.entry(request.id) for request in found.waiting if request.id in desk.inbox]
    refs = [ref_of(entry) for entry in waiting if entry.id != sheet.refs[0].id and _may_be_released(desk, entry)]
    while refs and len(_also_lines(desk, refs, width)) > ALSO_ROWS:
        refs.pop()
    return tuple(refs)


def _may_be_released(desk: ReviewSession, entry: Entry) -> bool:
    return (
        entry.waiting
        and not entry.later
        and entry.request.submission.risk is not Risk.HIGH
        and entry.request.submission.may_be_remembered
        and desk.changes.of(entry) is None
        and desk.inbox.is_in_filter(entry.id)
    )


def _also_lines(desk: ReviewSession, refs: Sequence[Ref], width: int) -> list[Line]:
    return listed("     and approves: ", names_of(desk, refs), width, head="warn", body="text")


# -- drawing -----------------------------------------------------------------------------------------------


def allow_sheet(desk: ReviewSession, sheet: Allowing, room: BarRoom, *, armed: bool) -> tuple[Line, ...]:
    """Return the sheet: what each digit would allow, how often that would have answered, and what waits."""
    entries = [desk.inbox.entry(ref.id) for ref in sheet.refs if ref.id in desk.inbox]
    if not entries:
        return ()
    offered = choices(desk, sheet)
    lines = [_head(entries, room.width), *_fixed(entries, room.width)]
    for choice in offered:
        lines.append(_choice_line(sheet, choice, room.width, armed=armed))
        if refs := released(desk, sheet, choice, room.width):
            lines += _also_lines(desk, refs, room.width)
    return (*lines, *_keys(sheet, offered, room.width, armed=armed))


def _head(entries: Sequence[Entry], width: int) -> Line:
    call = entries[0].request.submission
    agent = summarize(entries[0].request).agent
    named = all(names_directory(entry.request.submission.payload) for entry in entries)
    where = where_words([named])[-1]
    place = (
        (chunk(", in ", keep=True), Chunk(reveal(call.cwd, "path"), cut="front"))
        if named
        else (chunk(f", {where}"),)
    )
    title = (chunk(" Allow for this session of ", "strong", keep=True), Chunk(agent, "strong", most=NAME))
    asks = (chunk("  HIGH always asks ", "muted", keep=True),)
    return fullest([line(*title, *place, right=asks), line(*title, *place), line(*title)], width)


def _fixed(entries: Sequence[Entry], width: int) -> Iterator[Line]:
    """Yield the arguments that must be equal besides command, path and directory; and what else ends the grant."""
    if any(entry.request.submission.definition is not None for entry in entries):
        yield line(Chunk(SafeText.own("   ends when the tool changes, too"), "muted", cut="words"))
    if len(entries) != 1:
        return
    call = entries[0].request.submission
    masks = DEFAULT_REDACTION.also(call.masked_keys)
    said = summarize(entries[0].request).what.text
    for name, value in sorted(call.payload.items()):
        if name in DIRECTORIES or (isinstance(value, str) and value in said):
            continue
        shown = str(masks.mask_value(value, name))
        more = f" and {len(shown) - LONGEST_VALUE} more characters" if len(shown) > LONGEST_VALUE else ""
        head = chunk("   only with  ", "muted", keep=True)
        yield from wrapped(f"{name} = {shown[:LONGEST_VALUE]}{more}", width, "text", head=head)


def _choice_line(sheet: Allowing, choice: Choice, width: int, *, armed: bool) -> Line:
    if choice.why_not:
        return line(
            chunk(f"  {choice.key}  ", "notyet", keep=True), foreign(f"not offered: {choice.why_not}", "muted")
        )
    found = None if choice.pattern is None else sheet.found.get(choice.pattern.key)
    told = "" if found is None else _counts(found, sheet.refs[0].id, short=width < _FULL)
    return line(
        chunk("  ", keep=True),
        chunk(choice.key, "key" if armed else "notyet", keep=True),
        Chunk(SafeText.own(f"  {choice.title}"), "muted", keep=True, least=_TITLE + 2),
        chunk(" ", keep=True),
        Chunk(choice.what, choice.token, cut="end"),
        right=(chunk(told, "muted", keep=True),) if told else (),
    )


def _counts(found: PatternPreview, asked: str, *, short: bool) -> str:
    """The numbers of last calls and of other waiting ones that a choice would answer; without calls, no number."""
    waiting = sum(request.id != asked for request in found.waiting)
    matched, looked_at = len(found.matched), found.looked_at
    last = f"{matched}/{looked_at}" if short else f"{matched} of last {looked_at}"
    others = f"+{waiting}" if short else f"{waiting} waiting"
    gap = " " if short else "  "
    return (
        "".join(f"{gap}{count}" for count in (last if looked_at else "", others if waiting else "") if count) + " "
    )


def _keys(sheet: Allowing, offered: Sequence[Choice], width: int, *, armed: bool) -> tuple[Line, ...]:
    digits = " ".join(choice.key for choice in offered if not choice.why_not)
    several = sheet.proposals is not None and len(sheet.proposals.patterns) > 1
    also = "yes" if sheet.also else "no"
    hints = [
        KeyHint(digits, "approves and allows", live=armed),
        *([KeyHint("Left Right", "longer, shorter")] if several else []),
        *([KeyHint("w", f"also approve what waits: {also}")] if len(sheet.refs) == 1 else []),
        KeyHint("Esc", "back"),
    ]
    rows = 1 if sum(hint.width for hint in hints) < width else 2
    return flow(hints, BarRoom(width, rows))
