"""The lines in the place of the action bar before a decision: sheets, bars, the head of the text box, questions.

They say in words what confirming would do and how far it reaches. None of them covers the content being judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff_tui.guard import DecisionOffer, Omission, Ref
from signoff_tui.screens.review.bars import what_is_missing
from signoff_tui.screens.review.names import (
    as_many,
    group_label,
    left_out_names,
    listed,
    name_of,
    names_of,
)
from signoff_tui.state.decision_session import following_in_batch
from signoff_tui.state.documents import ContentKey
from signoff_tui.state.edits import Editable
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import (
    Line,
    chunk,
    foreign,
    fullest,
    line,
    wrapped,
)
from signoff_tui.text.summary import ended_text

__all__ = [
    "approve_sheet",
    "editing_keys",
    "editing_lines",
    "editor_keys",
    "editor_lines",
    "find_keys",
    "find_lines",
    "question_lines",
    "suggestion_lines",
    "unseen_question",
]


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


def approve_sheet(desk: ReviewSession, offer: DecisionOffer, room: BarRoom, *, armed: bool) -> tuple[Line, ...]:
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


# -- rejecting and stopping --------------------------------------------------------------------------------


def editor_lines(desk: ReviewSession, offer: DecisionOffer, room: BarRoom, *, hard: bool) -> tuple[Line, ...]:
    """Return the head of the message box: its requests, its reach, and if the agent goes on."""
    entries = [desk.inbox.entry(ref.id) for ref in offer.refs if ref.id in desk.inbox]
    waiting = [entry for entry in entries if entry.waiting]
    if not waiting:
        return _nothing_to_send(desk, entries)
    reach = _target(desk, offer, waiting)
    if not hard:
        heard = any("note" in entry.request.submission.supports for entry in waiting)
        return (_about_rejecting(reach, room.width, heard=heard),)
    return (
        _about_stopping(reach, room.width),
        _also_stopped(desk, following_in_batch(desk.inbox, offer.refs), room.width),
    )


def _target(desk: ReviewSession, offer: DecisionOffer, waiting: Sequence[Entry]) -> str:
    """Return the name of what is rejected: ``a.py``, ``2 tagged``, ``9 of save project``."""
    if len(offer.refs) == 1:
        return name_of(desk, offer.refs[0])
    tagged = all(entry.id in desk.tags for entry in waiting)
    group = desk.inbox.focused_group()
    if tagged or group is None:
        return f"{len(waiting)} tagged" if tagged else f"{len(waiting)} requests"
    return f"{len(waiting)} of {group_label(desk, group).text}"


_CANNOT_RUN = "this agent cannot run an edited call: Enter rejects and suggests this"


def suggestion_lines(desk: ReviewSession, offer: DecisionOffer, room: BarRoom) -> tuple[Line, ...]:
    """Return the head of the box for an edit that the agent cannot run."""
    if desk.facts(offer.refs[0].id) is None or not desk.inbox.entry(offer.refs[0].id).waiting:
        return editor_lines(desk, offer, room, hard=False)
    return tuple(wrapped(_CANNOT_RUN, room.width, "warn", head=chunk(" ", keep=True)))


_EDITED = {"command": "the command", "arguments": "the arguments (JSON)", "content": "the file"}


def editing_lines(desk: ReviewSession, of: ContentKey, what: Editable) -> tuple[Line, ...]:
    """Return the head of the box for an edit: its part of the call, or that nothing waits for it any more."""
    entry = desk.inbox.entry(of[0]) if of[0] in desk.inbox else None
    if entry is None or not entry.waiting:
        how = "already ended" if entry is None else ended_text(entry.request, desk.reviewer)
        return (line(chunk(" Cannot edit: ", "warn", keep=True), foreign(how)),)
    return (line(chunk(" Edit ", "accent", keep=True), chunk(f"{_EDITED[what.form]}; nothing is approved yet")),)


def editing_keys(room: BarRoom) -> tuple[Line, ...]:
    """Return the keys of that box."""
    hints = [
        KeyHint("Enter", "done, read it"),
        KeyHint("Ctrl+J", "new line"),
        KeyHint("Ctrl+E", "$EDITOR"),
        KeyHint("Esc", "back, kept"),
    ]
    return flow(hints, BarRoom(room.width, max(room.rows - 1, 1)))


def editor_keys(
    desk: ReviewSession, offer: DecisionOffer, room: BarRoom, *, hard: bool, suggests: bool = False
) -> tuple[Line, ...]:
    """Return the keys of the message box: on one row if they fit, else on as many as the bar has."""
    if not any(desk.inbox.entry(ref.id).waiting for ref in offer.refs if ref.id in desk.inbox):
        hints = [
            KeyHint("Enter", "nothing to send", live=False),
            KeyHint("Ctrl+Y", "copy text"),
            KeyHint("Esc", "close, text is kept"),
        ]
        return flow(hints, BarRoom(room.width, max(room.rows - 1, 1)))
    wordings = [_writing_hints(hard=hard, in_full=in_full, suggests=suggests) for in_full in (True, False)]
    fitting = [hints for hints in wordings if 1 + sum(hint.width for hint in hints) <= room.width]
    return flow((fitting or wordings[-1:])[0], BarRoom(room.width, max(room.rows - 1, 1)))


def _writing_hints(*, hard: bool, in_full: bool, suggests: bool) -> Sequence[KeyHint]:
    softer = "only reject, the agent goes on" if in_full else "only reject"
    return [
        KeyHint("Enter", "stops it" if hard else "sends"),
        *([KeyHint("Ctrl+O", softer)] if hard else []),
        KeyHint("Ctrl+J", "new line"),
        KeyHint("Ctrl+E", "$EDITOR") if suggests else KeyHint("Up", "earlier texts" if in_full else "earlier"),
        KeyHint("Esc", "back, text is kept" if in_full else "back"),
    ]


def _also_stopped(desk: ReviewSession, following: Sequence[Ref], width: int) -> Line:
    """Return the requests that would be rejected, too, because they follow in the batch."""
    if not following:
        alone, key = "   nothing else of its turn waits", desk.keys.shown("agents")
        wordings = (f"{alone}; {key} lists the agents: x there stops all that one waits for", alone)
        return fullest([line(chunk(words, "muted")) for words in wordings], width)
    title = f"   also rejected, {len(following)} of its turn: "
    return line(chunk(title, "danger", keep=True), foreign(as_many(names_of(desk, following), width - len(title))))


def _about_rejecting(reach: str, width: int, *, heard: bool) -> Line:
    """Return the head of a rejection; with agents that hear no words, the words are for the history."""
    wordings = [
        f"{reach}; the agent goes on. Tell it what to do instead (optional):",
        f"{reach}; what to do instead:",
    ]
    if not heard:
        wordings = [
            f"{reach}; the agent goes on and hears no words. For the history (optional):",
            f"{reach}; for the history:",
        ]
    return _titled(wordings, width)


def _about_stopping(reach: str, width: int) -> Line:
    """Return the head of a stop: nothing of the turn is left. The requests rejected besides stand below it."""
    rest = f"{reach} and the rest of the agent's turn"
    return _titled([f"{rest}. Message (optional):", f"{rest}:"], width)


def _titled(wordings: Sequence[str], width: int) -> Line:
    head = chunk(" Reject ", "no", keep=True)
    return fullest([line(head, foreign(words)) for words in wordings], width)


def _nothing_to_send(desk: ReviewSession, entries: Sequence[Entry]) -> tuple[Line, ...]:
    how = ended_text(entries[0].request, desk.reviewer) if entries else "already ended"
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
