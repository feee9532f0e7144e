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
from signoff.queue.grant_pattern import Beginning, Exact, GrantPattern, Under
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

_BELOW, _ANY_COMMAND, _ANY_CALL = "files below", "any command", "any call"

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
        free: The arguments that may be anything in them, in such words; never cut.
        token: The style of these words.
        pattern: The calls that it covers; None if it is not offered.
        exact: True if it covers exactly the call, or exactly each of several.
        why_not: The reason why it is not offered.
    """

    key: str
    title: str
    what: SafeText
    free: str = ""
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
        alone = "for one request at a time"
        return (_exactly_these(desk, sheet, entries), _not_offered("2", alone), _not_offered("3", alone))
    request = entries[0].request
    return (_exactly(request), _alike(request, sheet), _any(request))


def _not_offered(key: str, why_not: str) -> Choice:
    return Choice(key, "", SafeText.own(""), why_not=why_not)


def _exactly_these(desk: ReviewSession, sheet: Allowing, entries: Sequence[Entry]) -> Choice:
    calls = [entry.request.submission for entry in entries]
    if any(reach_of(call).breadth.careless for call in calls):
        return _not_offered("1", "one of them fixes nothing that a tool does: allow it alone")
    free = ", ".join(dict.fromkeys(word for call in calls for word in _free(call)))
    names = foreign(", ".join(names_of(desk, sheet.refs))).text
    return Choice("1", f"exactly these {len(entries)}", names, free, "warn" if free else "text", exact=True)


def _free(call: Submission) -> Sequence[str]:
    """Return the arguments that may be anything, because no payload has them."""
    found = reach_of(call)
    return [foreign(word).text.text for word in free_words(found, dict(found.fixed))]


def _exactly(request: StoredRequest) -> Choice:
    call, breadth = request.submission, reach_of(request.submission).breadth
    free = ", ".join(_free(call))
    if breadth is Breadth.EVERYTHING:
        return _not_offered("1", "its tool names nothing that would tell this call from others")
    if breadth.careless:
        words = foreign(BREADTH_WORDS[breadth]).text
        return Choice("1", "this payload", words, free, "danger", _exact(call), exact=True)
    what, token = summarize(request).named, "warn" if free else "text"
    return Choice("1", "exactly", what, free, token, _exact(call), exact=True)


def _alike(request: StoredRequest, sheet: Allowing) -> Choice:
    if sheet.proposals is None:
        return _not_offered("2", "looking ...")
    if not sheet.proposals.patterns:
        return _not_offered("2", sheet.proposals.why_not)
    pattern = sheet.proposals.patterns[sheet.at]
    title, what, token = _in_words(pattern, request.submission)
    free = ", ".join(_free(request.submission))
    return Choice("2", title, what, free, "warn" if free else token, pattern)


def _any(request: StoredRequest) -> Choice:
    call, pattern = request.submission, any_call(request.submission)
    everything = reach_of(call).breadth is Breadth.EVERYTHING
    if pattern == _exact(call) and not everything:
        return _not_offered("3", "the first covers all that the tool names")
    title, what, token = _in_words(pattern, call)
    return Choice("3", title, what, token="danger" if everything else token, pattern=pattern)


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
            return _BELOW, foreign(below).text, "warn"
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
    lines = [_head(entries, room.width)]
    if any(entry.request.submission.definition is not None for entry in entries):
        lines.append(line(Chunk(SafeText.own("   ends when the tool changes, too"), "muted", cut="end")))
    narrow = [choice for choice in offered[:2] if not choice.why_not]
    for choice in offered:
        lines.append(_choice_line(sheet, choice, room.width, armed=armed))
        if refs := released(desk, sheet, choice, room.width):
            lines += _also_lines(desk, refs, room.width)
        if len(entries) == 1 and narrow[-1:] == [choice]:
            lines += _fixed(entries[0], narrow, room.width)
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


def _fixed(entry: Entry, narrow: Sequence[Choice], width: int) -> Iterator[Line]:
    """Yield the arguments that must be equal besides command, path and directory.

    Args:
        entry: The request.
        narrow: The choices for which they must be; the last one stands above.
        width: Cells.
    """
    call = entry.request.submission
    patterns = [choice.pattern for choice in narrow if choice.pattern is not None]
    widened = {name for pattern in patterns for name, each in pattern.entries if not isinstance(each, Exact)}
    words = "     both only with  " if len(narrow) > 1 else "     only with  "
    masks = DEFAULT_REDACTION.also(call.masked_keys)
    said = summarize(entry.request).what.text
    for name, value in sorted(call.payload.items()):
        if name in widened or name in DIRECTORIES or (isinstance(value, str) and value in said):
            continue
        shown = str(masks.mask_value(value, name))
        more = f" and {len(shown) - LONGEST_VALUE} more characters" if len(shown) > LONGEST_VALUE else ""
        head = chunk(words, "muted", keep=True)
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
        Chunk(choice.what, choice.token, cut="front" if choice.title == _BELOW else "end"),
        *((foreign(f", {choice.free}", choice.token, keep=True),) if choice.free else ()),
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
