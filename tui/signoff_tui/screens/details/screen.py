"""The details of a request: reason, reach of a grant, who asks, the calls that follow, and the hashes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from signoff.canonical import canonical
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.rows import joined
from signoff.present.document.structured import structured_document
from signoff.present.reveal import SafeText, reveal_line
from signoff.queue.records import StoredRequest
from signoff.text.risk import risk_reasons
from signoff.text.time import local_time
from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.scrolling import SCROLLING_HANDLERS, ScrollingScreen
from signoff_tui.text.lines import Chunk, Line, chunk, folded, fullest, line
from signoff_tui.text.summary import RISK_WORD, ended_text, summarize

__all__ = ["DetailsScreen", "detail_lines"]

_HANDLERS: Handlers[DetailsScreen] = Handlers(SCROLLING_HANDLERS)

_LABEL = 14
_AROUND = "its batch and group"

Fact = tuple[str, str]
"""A label, and words in which an agent may have had a part."""

_ANSWERS = {
    "note": "write to the agent",
    "hard": "stop it",
    "session": "remember a yes",
    "partial": "refuse hunks",
    "edit": "change the call",
}


class DetailsScreen(ScrollingScreen):
    """Facts about a request.

    Args:
        office: The services that all screens share.
        request: The request as it was when the details were opened.
    """

    place = "details"
    handlers = _HANDLERS

    def __init__(self, office: Office, request: StoredRequest) -> None:
        super().__init__(office)
        self._request = request

    @_HANDLERS("details")
    def do_details(self) -> None:
        """Close the details with the key that opened them."""
        self.dismiss()

    def title_line(self, width: int) -> Line:
        """Return the title: the tool and the subject of the request."""
        summary = summarize(self._request)
        name = chunk(" signoff  details of ", "strong", keep=True)
        tool = Chunk(summary.tool, "strong", keep=True, most=max(width // 3, 1))
        wordings = ((name, tool, chunk("  "), summary.shown()), (name, tool))
        return fullest([line(*each, background="surface") for each in wordings], width)

    def page_lines(self, width: int) -> Sequence[Line]:
        """Return the lines of the facts."""
        return detail_lines(self._request, width)


def detail_lines(request: StoredRequest, width: int) -> list[Line]:
    """Return each fact on as many lines as it needs: nothing is cut, secrets are masked."""
    lines: list[Line] = []
    for title, facts in _blocks(request):
        lines += [line(chunk(f" {title}", "strong"))]
        for label, text in facts:
            lines += _fact(label, reveal_line(text, "content"), width)
        if title == _AROUND:
            lines += _following(request, width)
        lines.append(Line())
    return lines[:-1]


def _fact(label: str, text: SafeText, width: int) -> list[Line]:
    return folded(text, width, head=chunk(f"   {label:<{_LABEL}}", "muted", keep=True))


def _blocks(request: StoredRequest) -> Iterator[tuple[str, Sequence[Fact]]]:
    submission, asked = request.submission, request.asked_by
    hidden = DEFAULT_REDACTION.also(submission.masked_keys)
    reasons = ", ".join(risk_reasons(submission.risk_reasons))
    yield (
        "why you are asked",
        [
            ("asked by", hidden.mask_text(submission.why).text or "the tool itself"),
            ("risk", RISK_WORD[submission.risk] + (f": {reasons}" if reasons else "")),
            ("state", "waiting" if request.pending else ended_text(request)),
            ("says", hidden.mask_text(submission.description).text),
        ],
    )
    yield (
        "what remembering would match",
        [
            *([("server", submission.server)] if submission.server is not None else []),
            ("tool", submission.tool_name),
            ("payload", canonical(hidden.mask_value(dict(submission.payload)))),
            ("definition", submission.definition or "not known: any definition of the tool"),
            ("possible", "yes" if submission.may_be_remembered else "no: it is asked about each time"),
        ],
    )
    yield (
        "who asks",
        [
            ("agent", asked.name),
            *([("caller", asked.caller)] if asked.caller not in ("", asked.name) else []),
            ("session", asked.session),
            *([("program", asked.program)] if asked.program not in ("", asked.name) else []),
            ("process", f"{asked.pid} on {asked.host}"),
            ("through", asked.via),
            ("directory", submission.cwd),
            ("asked at", local_time(request.created_at, "clock")),
        ],
    )
    yield _AROUND, [*_around(request)]
    yield (
        "identity",
        [
            ("request", request.id),
            ("revision", str(request.revision)),
            ("digest", f"sha256 {submission.digest}"),
            ("you can", _answers(submission.supports)),
            ("masks also", ", ".join(submission.masked_keys) or "nothing but what always is"),
        ],
    )


def _around(request: StoredRequest) -> Iterator[Fact]:
    submission = request.submission
    size = "" if submission.group_size is None else f", {submission.group_size} announced"
    yield "group", "none" if submission.group_id is None else submission.group_id + size
    place = "" if submission.batch_position is None else f", number {submission.batch_position + 1}"
    yield "batch", "none" if submission.batch_id is None else submission.batch_id + place


def _following(request: StoredRequest, width: int) -> list[Line]:
    """Return the calls that come next in the batch: the tool, and below it its arguments, as elsewhere."""
    hidden = DEFAULT_REDACTION.also(request.submission.masked_keys)
    lines: list[Line] = []
    for number, call in enumerate(request.submission.batch_remaining, start=1):
        tool, arguments = call.get("tool"), call.get("arguments")
        plain = isinstance(tool, str) and not call.keys() - {"tool", "arguments"}
        name = reveal_line(tool, "tool_name") if plain and isinstance(tool, str) else SafeText.own("a call")
        lines += _fact(f"then {number}", name, width)
        shown = structured_document((arguments or {}) if plain else dict(call), masks=hidden)
        lines += [part for row in shown for part in _fact("", joined("  ", row.text), width)]
    return lines


def _answers(supports: Collection[str]) -> str:
    """Return the answers that the sender can use: yes, no, and any others."""
    known = {each: words for each, words in _ANSWERS.items() if each in supports}
    others = sorted(set(supports) - _ANSWERS.keys())
    return ", ".join(["say yes or no", *known.values(), *others])
