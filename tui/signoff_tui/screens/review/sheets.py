"""The lines in the place of the action bar before a decision: sheets, bars, the head of the text box, questions.

They say in words what confirming would do and how far it reaches. None of them covers the content being judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.queue.grant_coverage import (
    ANY_AGENT,
    BREADTH_WORDS,
    NOTHING_FIXED,
    Breadth,
    end_words,
    free_words,
    names_directory,
    where_words,
)
from signoff_tui.guard import Offer, Omission, Ref
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.review.bars import what_is_missing
from signoff_tui.screens.review.names import agents_of, as_many, left_out_names, listed, name_of, names_of
from signoff_tui.screens.review.releasing import RELEASES, Listing, release_lines, stay_lines
from signoff_tui.state.decision_session import following_in_batch
from signoff_tui.state.inbox import Entry
from signoff_tui.state.reach import RememberPreview
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import (
    Chunk,
    Line,
    chunk,
    foreign,
    fullest,
    line,
    value_lines,
    wrapped,
)
from signoff_tui.text.summary import ended_text, summarize

__all__ = [
    "approve_sheet",
    "careless",
    "editor_keys",
    "editor_lines",
    "find_keys",
    "find_lines",
    "others_lines",
    "question_lines",
    "remember_sheet",
    "stop_sheet",
    "unseen_question",
]

LONGEST_VALUE = 400
"""The most characters of a fixed value that a sheet shows; of the rest it says how many there are."""

MOST_MATCHES = 5
"""The requests that a sheet describes one by one; of the others it says how many there are."""


def unseen_question(desk: ReviewSession, ref: Ref, room: BarRoom, *, armed: bool) -> tuple[Line, ...]:
    """Return the question where not everything was shown; it approves once, whichever key asked."""
    entry = desk.inbox.entry(ref.id)
    coverage = desk.coverage(entry)
    missing = what_is_missing(desk, entry)
    hints = [
        KeyHint(desk.keys.shown("despite"), f"approve unread ({missing})", live=armed, token="warn"),
        *([KeyHint(desk.keys.shown("page_down"), "read on")] if coverage is None or coverage.missing else []),
        KeyHint("Esc", "back"),
    ]
    return flow(hints, BarRoom(room.width, 1))


def approve_sheet(desk: ReviewSession, offer: Offer, room: BarRoom, *, armed: bool) -> tuple[Line, ...]:
    """Return the sheet that lists exactly what a group approval covers, and what not, with the reasons."""
    refs = [ref for ref in offer.refs if ref.id in desk.inbox]
    left_out = [item for item in offer.left_out if item.reason is not Omission.CLOSED]
    number = len(refs)
    hints = [
        KeyHint(
            desk.keys.shown("approve"), f"approve {'this 1' if number == 1 else f'these {number}'}", live=armed
        ),
        KeyHint("Esc", "back"),
    ]
    most = max((room.rows - 1) // 2, 1)
    return (
        *listed(" Approve exactly: ", names_of(desk, refs), room.width, head="strong", body="text", most=most),
        *listed(" not: ", left_out_names(desk, left_out), room.width, head="warn", body="muted", most=most),
        *flow(hints, BarRoom(room.width, 1)),
    )


# -- remembering -------------------------------------------------------------------------------------------


def remember_sheet(
    previews: Sequence[RememberPreview],
    others: Sequence[Line],
    room: BarRoom,
    keys: KeyMap,
    *,
    armed: bool,
    release: int = 0,
) -> tuple[Line, ...]:
    """Return the sheet that says what remembering would cover, before anybody agrees.

    Args:
        previews: One for each request that the sheet is about; at least one.
        others: Its lines on requests that wait for the same, see `others_lines`.
        room: The place for it.
        keys: The keys of the person.
        armed: True if the confirming keys work already.
        release: The number of requests that the larger key approves, too; 0 where there is no such key.
    """
    now = "this request" if len(previews) == 1 else f"these {len(previews)} requests"
    wide = careless(previews)
    hints = [
        KeyHint(
            keys.shown("despite" if wide else "approve"),
            "remember anyway" if wide else "yes, remember",
            live=armed,
        ),
        *([KeyHint(keys.shown(RELEASES), f"yes, and the {release} listed", live=armed)] if release else []),
        KeyHint("Esc", "no, back"),
    ]
    rows = 1 if sum(hint.width for hint in hints) < room.width else 2
    return (
        line(
            chunk(" Remember for this session?", "strong", keep=True),
            chunk("  From now on this runs WITHOUT asking you:"),
        ),
        *_whose(previews, room.width),
        *_all_matches(previews, room.width),
        fullest([_fact("ends", chunk(words)) for words in end_words(_bound(previews))], room.width),
        fullest([_fact("now", chunk(words)) for words in _reach_now(previews, now, release, keys)], room.width),
        *others,
        *flow(hints, BarRoom(room.width, rows)),
    )


def others_lines(
    desk: ReviewSession, refs: Sequence[Ref], listing: Listing | None, *, now: int, width: int
) -> Sequence[Line]:
    """Return the lines on requests that wait for the same: which would be released, which stay and why."""
    if listing is None or refs[0].id not in desk.inbox:
        return ()
    return (
        *release_lines(desk, refs[0], listing, now=now, width=width),
        *stay_lines(desk, refs[0], listing, width),
    )


def _reach_now(previews: Sequence[RememberPreview], now: str, release: int, keys: KeyMap) -> Sequence[str]:
    """The requests that are approved at once, the fullest wording first."""
    if not release:
        waiting = sum(preview.matching for preview in previews)
        others = {0: "", 1: "; 1 other that waits matches and stays"}.get(
            waiting, f"; {waiting} others that wait match and stay"
        )
        return (f"approves only {now}{others}",)
    one, more = keys.shown("approve"), keys.shown(RELEASES)
    these = "this 1 that waits" if release == 1 else f"these {release} that wait"
    return (
        f"{one} approves only {now}; {more} also {these} for the same:",
        f"{one} only {now}; {more} also {these}:",
        f"{one} this; {more} also these {release}:",
    )


def careless(previews: Sequence[RememberPreview]) -> bool:
    """True if the ordinary confirming key must not be enough."""
    return any(preview.reach.breadth.careless for preview in previews)


def _all_matches(previews: Sequence[RememberPreview], width: int) -> list[Line]:
    # The widest first: what is left to a number is never wider than what is described.
    widest_first = sorted(previews, key=lambda preview: [*Breadth].index(preview.reach.breadth), reverse=True)
    lines = [row for preview in widest_first[:MOST_MATCHES] for row in _matches(preview, width)]
    more = len(previews) - MOST_MATCHES
    if more > 0:
        lines.append(_fact("", chunk(f"and {more} more, none of them wider", "warn")))
    return lines


def _bound(previews: Sequence[RememberPreview]) -> list[bool]:
    return [preview.entry.request.submission.definition is not None for preview in previews]


def _whose(previews: Sequence[RememberPreview], width: int) -> list[Line]:
    """The sessions in which it would run, and from where: for each request its own."""
    named = [names_directory(preview.entry.request.submission.payload) for preview in previews]
    where = where_words(named)
    sessions = list(dict.fromkeys(summarize(preview.entry.request).session for preview in previews))
    if len(sessions) == 1:
        wordings = [
            (f"{ANY_AGENT} ", f", {where[0]}"),
            ("session ", f", {where[0]}"),
            ("session ", f", {where[-1]}"),
        ]
        return [fullest([_fact("for", chunk(a), Chunk(sessions[0]), chunk(b)) for a, b in wordings], width)]
    names = ", ".join(sorted(session.text for session in sessions))
    words = f"any agent of the session that asked, {where[0]}: {names}"
    return wrapped(words, width, "text", head=_fact("for").left[0])


def _fact(name: str, *words: Chunk) -> Line:
    return Line((chunk(f"   {name:<9}", "muted", keep=True), *words))


def _matches(preview: RememberPreview, width: int) -> list[Line]:
    """The calls that would match: tool and breadth, free arguments, and every fixed value, none of them cut."""
    reach = preview.reach
    careless = reach.breadth.careless
    tool = Chunk(summarize(preview.entry.request).tool, keep=True, most=24)
    words = [tool, chunk(f"  {BREADTH_WORDS[reach.breadth]}", "danger" if careless else "muted", keep=True)]
    if reach.breadth is Breadth.EVERYTHING:
        words.append(chunk(f": {NOTHING_FIXED}", "danger", keep=True))
    elif free := free_words(reach, dict(reach.fixed)):
        words += [chunk(", "), foreign(", ".join(free), "warn")]
    lines = [_fact("matches", *words)]
    masks = DEFAULT_REDACTION.also(preview.entry.request.submission.masked_keys)
    for name, value in reach.fixed:
        head = Chunk(foreign(f"{' ' * 12}{name} = ").text, "muted", keep=True, most=36)
        shown = masks.mask_value(value, name)
        lines += value_lines(shown, width, head, longest=LONGEST_VALUE, indent=" " * 12)
    return lines


# -- rejecting and stopping --------------------------------------------------------------------------------


_AFTERWARDS = (
    "It is told to stop. What it asks after that is not rejected: it waits for you as always.",
    "It is told to stop. What it asks later waits for you again.",
    "It is told to stop; later calls ask again.",
)
"""The effects of stopping an agent besides rejecting, and their end; the fullest wording first."""


def stop_sheet(desk: ReviewSession, refs: Sequence[Ref], room: BarRoom, *, armed: bool) -> tuple[Line, ...]:
    """Return the sheet before everything is stopped that an agent waits for; its reach comes first."""
    hidden = sum(desk.inbox.is_hidden(ref.id) for ref in refs)
    also = f", also the {hidden} that the filter hides" if hidden else ""
    which = "the 1 request" if len(refs) == 1 else f"all {len(refs)} requests"
    return (
        line(chunk(f" STOP: reject {which} this agent waits for{also}:", "danger")),
        *listed("   ", names_of(desk, refs), room.width, head="text", body="text"),
        fullest([line(chunk(f"   {words}", "muted")) for words in _AFTERWARDS], room.width),
        *flow(
            [
                KeyHint(desk.keys.shown("despite"), "stop it, reject these", live=armed, token="danger"),
                KeyHint("Esc", "no, back"),
            ],
            BarRoom(room.width, 1),
        ),
    )


def editor_lines(desk: ReviewSession, offer: Offer, room: BarRoom, *, hard: bool) -> tuple[Line, ...]:
    """Return the head of the message box: its requests, its reach, and if the agent goes on."""
    entries = [desk.inbox.entry(ref.id) for ref in offer.refs if ref.id in desk.inbox]
    waiting = [entry for entry in entries if entry.waiting]
    if not waiting:
        return _nothing_to_send(desk, entries)
    reach = f"{len(waiting)} requests" if len(offer.refs) != 1 else name_of(desk, offer.refs[0])
    if not hard:
        return (_about_rejecting(reach, room.width),)
    quoted = reach if len(offer.refs) != 1 else f'"{reach}"'
    following = following_in_batch(desk.inbox, offer.refs)
    return (
        _about_stopping(agents_of(waiting), quoted, len(following), room.width, several=len(waiting) > 1),
        _also_stopped(desk, following, room.width),
    )


def editor_keys(desk: ReviewSession, offer: Offer, room: BarRoom, *, hard: bool) -> tuple[Line, ...]:
    """Return the keys of the message box: on one row if they fit, else on as many as the bar has."""
    if not any(desk.inbox.entry(ref.id).waiting for ref in offer.refs if ref.id in desk.inbox):
        hints = [
            KeyHint("Enter", "nothing to send", live=False),
            KeyHint("Ctrl+Y", "copy text"),
            KeyHint("Esc", "close, text is kept"),
        ]
        return _on_few_rows(hints, BarRoom(room.width, max(room.rows - 1, 1)))
    wordings = [_writing_hints(hard=hard, in_full=True), _writing_hints(hard=hard, in_full=False)]
    fitting = [hints for hints in wordings if 1 + sum(hint.width for hint in hints) <= room.width]
    return _on_few_rows((fitting or wordings[-1:])[0], BarRoom(room.width, max(room.rows - 1, 1)))


def _writing_hints(*, hard: bool, in_full: bool) -> Sequence[KeyHint]:
    softer = "only reject, the agent goes on" if in_full else "only reject"
    return [
        KeyHint("Enter", "stops it" if hard else "sends"),
        *([KeyHint("Ctrl+O", softer)] if hard else []),
        KeyHint("Ctrl+J", "new line"),
        KeyHint("Up", "earlier texts" if in_full else "earlier"),
        KeyHint("Esc", "back, text is kept" if in_full else "back"),
    ]


def _on_few_rows(hints: Sequence[KeyHint], room: BarRoom) -> tuple[Line, ...]:
    """Keys on as few rows as all of them need, if there are so many."""
    for rows in range(1, room.rows):
        lines = flow(hints, BarRoom(room.width, rows))
        if sum(len(row.left) // 2 for row in lines) == len(hints):  # each is a key and what it does
            return lines
    return flow(hints, room)


def _also_stopped(desk: ReviewSession, following: Sequence[Ref], width: int) -> Line:
    """The requests that would be rejected, too, because they follow in the batch."""
    if not following:
        alone, key = "   nothing else of its batch waits", desk.keys.shown("stop_all")
        wordings = (f"{alone}; Esc, then {key} rejects all that it waits for", alone)
        return fullest([line(chunk(words, "muted")) for words in wordings], width)
    title = f"   also rejected, {len(following)} of its batch: "
    return line(chunk(title, "danger", keep=True), foreign(as_many(names_of(desk, following), width - len(title))))


def _about_rejecting(reach: str, width: int) -> Line:
    wordings = [
        f"{reach}; the agent goes on. Tell it what to do instead (optional):",
        f"{reach}; what to do instead:",
    ]
    return fullest([line(chunk(" Reject ", "no", keep=True), foreign(words)) for words in wordings], width)


def _about_stopping(agents: str, reach: str, following: int, width: int, *, several: bool) -> Line:
    head, colon = chunk(" STOP ", "danger", keep=True), chunk(": ", "danger", keep=True)
    who = foreign(agents, "danger")
    follow = "follows" if following == 1 else "follow"
    of_batch = f" and the {following} of {'their batches' if several else 'its batch'} that {follow}"
    short = f" and the {following} that {follow}"
    if not following:  # nothing that waits; but an agent that asks one after the other asks for no more of it
        of_batch, short = f" and what follows {'them' if several else 'it'}", " and what follows"
    wordings = [
        [f"reject {reach}", f"{of_batch}. Message (optional):"],
        [f"reject {reach}", f"{of_batch}:"],
        [f"reject {reach}", f"{short}:"],
        [reach, f"{short}:"],
    ]
    return fullest(
        [line(head, who, colon, foreign(what), chunk(words, keep=True)) for what, words in wordings], width
    )


def _nothing_to_send(desk: ReviewSession, entries: Sequence[Entry]) -> tuple[Line, ...]:
    how = ended_text(entries[0].request, desk.reviewer) if entries else "it is gone"
    return (line(chunk(" Nothing can be sent, it ended meanwhile: ", "warn", keep=True), foreign(how)),)


def question_lines(question: str, hints: Sequence[KeyHint], room: BarRoom) -> tuple[Line, ...]:
    """Return a question of the program's own, such as before quitting."""
    return (line(chunk(f" {question}", "warn")), *flow(hints, BarRoom(room.width, max(room.rows - 1, 1))))


def find_lines(problem: str) -> tuple[Line, ...]:
    """Return the head of the box for words that are looked for."""
    said = (foreign(f" {problem} ", "warn", keep=True),) if problem else ()
    return (line(chunk(" Find in what is shown:", "strong"), right=said),)


def find_keys(room: BarRoom) -> tuple[Line, ...]:
    """Return the keys of that box."""
    hints = [KeyHint("Enter", "next"), KeyHint("Up", "previous"), KeyHint("Esc", "back")]
    return flow(hints, BarRoom(room.width, 1))
